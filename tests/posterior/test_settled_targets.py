"""Targets with one probable class: what does not vary has converged, and no probability exceeds 1."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.facts import shortfalls
from causal_zigzag.report.trace_strips import trace_strips


def related(kind: str, columns: int, rows: int, seed: int) -> pd.DataFrame:
    """Strongly related columns."""
    rng, names = np.random.default_rng(seed), list("abc")[:columns]
    if kind == "continuous":
        weights = np.triu(rng.normal(size=(columns, columns)) * 3, 1)
        return pd.DataFrame(rng.normal(size=(rows, columns)) @ (np.eye(columns) + weights), columns=names)
    common = rng.integers(0, 3, rows)
    copies = {name: (common + (rng.random(rows) < rng.uniform(0, 0.3))) % 3 for name in names}
    table = pd.DataFrame(copies).astype(str)
    return table if kind == "discrete" else table.assign(a=common + rng.normal(size=rows))


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed"])
@pytest.mark.parametrize("seed", range(4))
def test_a_table_with_one_probable_class_converges(kind: str, columns: int, seed: int) -> None:
    posterior = cz.sample(related(kind, columns, 2000, seed), jumps=20_000, rng=seed, progress=False)
    probability = posterior.top(1)[0].probability
    edges = posterior.edge_probabilities()
    assert probability <= 1
    assert max(edges.directed.max(), edges.undirected.max(), edges.adjacent.max()) <= 1
    if probability > 1 - 1e-9:
        d = posterior.diagnostics()
        assert d.ok, d.verdict
        assert d.verdict.startswith(("Converged", "All parts of the run give the same numbers"))
        assert shortfalls(posterior) == []


def test_a_chain_that_never_moves_has_converged_only_if_exact_probabilities_agree() -> None:
    rows = related("continuous", 2, 5000, seed=0)
    rows["b"] = rows["a"] + 0.01 * rows["b"]  # the empty graph is 2**1000 times less probable
    still = cz.sample(rows, jumps=1000, rng=1, progress=False)
    assert all(s.frozen for s in still.statistics)
    d = still.diagnostics()
    assert d.ok
    assert d.verdict.startswith("Converged: the chains stayed in one class, and the exact probabilities")
    assert shortfalls(still) == []
    with pytest.warns(cz.SamplingWarning, match="4 of 4 chains froze"):  # exact probabilities need a cost per edge
        no_check = cz.sample(rows, jumps=1000, rng=1, progress=False, edge_prior=[0.0, -1.0]).diagnostics()
    assert not no_check.ok
    assert "never left the first class" in no_check.verdict


def test_the_axes_of_time_are_shares() -> None:
    posterior = cz.sample(related("continuous", 3, 2000, seed=1), jumps=20_000, rng=1, progress=False)
    assert max(trace.time[-1] for trace in posterior.trace()) > 1e9
    for ax in posterior.plot.trace():
        assert ax.get_xlim()[1] < 1.1
    assert "e+" not in trace_strips(posterior.trace())
