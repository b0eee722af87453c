"""Graphs and matrices of far too many nodes, and numbers beyond 64 bits, are refused at once."""

import numpy as np
import pytest

import causal_zigzag as cz
from experts import options


@pytest.mark.parametrize("count", [100_001, 10**9, 10**30, 1e9])
def test_too_many_nodes(count: float) -> None:
    for make in (cz.CPDAG.empty, cz.CPDAG.complete, cz.Uniform):
        with pytest.raises(cz.GraphError, match="at most 100,000 nodes"):
            make(count)  # type: ignore[operator]


def test_a_complete_graph_of_many_nodes() -> None:
    with pytest.raises(cz.GraphError, match="50,000"):
        cz.CPDAG.complete(50_000)
    g = cz.CPDAG.complete(3_000)  # one word per 64 nodes; a search among the parents of each node would take minutes
    assert g.edge_count == 3_000 * 2_999 // 2


@pytest.mark.long
def test_a_complete_graph_of_20000_nodes() -> None:
    assert cz.CPDAG.complete(20_000).edge_count == 20_000 * 19_999 // 2


def test_matrices_of_many_nodes() -> None:
    large = np.broadcast_to(np.uint8(0), (50_000, 50_000))  # takes no memory itself
    for make in (cz.CPDAG.from_matrix, cz.CPDAG.from_dag, cz.CPDAG.from_pdag):
        with pytest.raises(cz.GraphError, match="at most 30,000 nodes, not 50,000"):
            make(large)
    with pytest.raises(cz.DataError, match="at most 30,000 columns, not 50,000"):
        cz.GaussianBIC.from_covariance(np.broadcast_to(np.float64(0), (50_000, 50_000)), n_samples=10)


@pytest.mark.parametrize("limit", [2**63, 2**70, 10**400])
def test_limits_beyond_64_bits(limit: int) -> None:
    for name in ("jumps", "warmup", "chains", "max_classes", "trace_points", "cache_bytes"):
        with pytest.raises(cz.SettingsError, match=f"{name} must be at most"):
            cz.sample(cz.Uniform(3), **options(**{"jumps": 10, name: limit}))
