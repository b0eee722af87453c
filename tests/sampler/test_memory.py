"""Runs, graphs and matrices that cannot fit into memory are refused at once."""

import subprocess
import sys

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.sampler import memory
from causal_zigzag.sampler.settings import Settings
from causal_zigzag.target.target import Target
from targets import gaussian_data

SCORE = cz.GaussianBIC(gaussian_data(5, 100, seed=1))


def test_tempering_beyond_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    with pytest.raises(cz.SettingsError, match=r"tempering=1000 .*1\.0 GiB"):
        cz.sample(SCORE, jumps=100, tempering=1000, rng=1, progress=False)
    assert cz.sample(SCORE, jumps=100, chains=1, tempering=3, rng=1, progress=False).class_count > 0


def test_the_estimate_is_that_of_the_core() -> None:
    target = Target.read(SCORE)
    one, many = (memory.least_memory(target, Settings(tempering=k)) for k in (None, 100))
    assert many == 100 * one
    assert 2 * 2**20 < one < 2.2 * 2**20  # measured: 2.07 MB per temperature


def test_the_memory_of_this_process() -> None:
    found = memory.available_memory()
    assert found is None or found > 2**25


@pytest.mark.parametrize("count", [100_001, 10**9, 10**30, 1e9])
def test_too_many_nodes(count: float) -> None:
    for make in (cz.CPDAG.empty, cz.CPDAG.complete, cz.Uniform):
        with pytest.raises(cz.GraphError, match="at most 100,000 nodes"):
            make(count)  # type: ignore[operator]


def test_a_complete_graph_of_many_nodes() -> None:
    with pytest.raises(cz.GraphError, match="50,000"):
        cz.CPDAG.complete(50_000)
    g = cz.CPDAG.complete(8_000)  # one word per 64 nodes; a search among the parents of each node would take minutes
    assert g.edge_count == 8_000 * 7_999 // 2


@pytest.mark.long
def test_a_complete_graph_of_20000_nodes() -> None:
    assert cz.CPDAG.complete(20_000).edge_count == 20_000 * 19_999 // 2


@pytest.mark.nosanitize
def test_a_thousand_temperatures_are_refused_before_anything_is_allocated() -> None:
    """In a process that may use 1.5 GB, where one chain would take 2 GB."""
    pytest.importorskip("resource")
    script = (
        "import resource, sys, causal_zigzag as cz\n"
        "table = cz.datasets.linear_gaussian([('a', 'b')], rows=50, rng=1)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9 // 2, 3 * 10**9 // 2))\n"
        "try: cz.sample(table, jumps=100, tempering=1000, progress=False)\n"
        "except cz.SettingsError as error: print(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    message, small = done.stdout.splitlines()
    assert "with tempering=1000 need" in message
    assert "use fewer temperatures" in message
    assert small == "True"


def test_matrices_of_many_nodes() -> None:
    large = np.broadcast_to(np.uint8(0), (50_000, 50_000))  # takes no memory itself
    for make in (cz.CPDAG.from_matrix, cz.CPDAG.from_dag, cz.CPDAG.from_pdag):
        with pytest.raises(cz.GraphError, match="at most 30,000 nodes, not 50,000"):
            make(large)
    with pytest.raises(cz.DataError, match="at most 30,000 columns, not 50,000"):
        cz.GaussianBIC.from_covariance(np.broadcast_to(np.float64(0), (50_000, 50_000)), n_samples=10)


def test_a_graph_of_many_nodes_that_is_refused_by_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    with pytest.raises(cz.SettingsError, match=r"20,000 nodes .* GiB"):
        cz.sample(cz.Uniform(20_000), jumps=10, rng=1, progress=False)


@pytest.mark.parametrize("limit", [2**63, 2**70, 10**400])
def test_limits_beyond_64_bits(limit: int) -> None:
    for name in ("jumps", "warmup", "chains", "max_classes", "trace_points", "cache_bytes"):
        with pytest.raises(cz.SettingsError, match=f"{name} must be at most"):
            cz.sample(cz.Uniform(3), progress=False, **{"jumps": 10, name: limit})
