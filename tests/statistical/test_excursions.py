"""Annealed chains with excursions sample their target: against the exact posterior, for several scores and bounds.

The statistic is the largest difference of an edge probability, in units of its Monte Carlo error. A bound of 7 of them
has a false-alarm rate below 1e-9 for one comparison if errors are normal and right. They are estimated from at least
hundreds of effective samples; if each were 25 % too small, the rate would still be below 1e-6 for all comparisons of a
test.
"""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.sampler.excursions import plan
from targets import gaussian_data

BOUND = 7.0


def tables(n: int) -> dict[str, cz.Score]:
    continuous = gaussian_data(n, 300, seed=6, degree=4.0)
    levels = np.array([np.digitize(column, np.quantile(column, [0.4, 0.7])) for column in continuous.T]).T
    return {
        "GaussianBIC": cz.GaussianBIC(continuous),
        "BGe": cz.BGe(continuous),
        "BDeu": cz.BDeu({f"x{i}": [f"level {v}" for v in column] for i, column in enumerate(levels.T)}),
    }


@pytest.mark.parametrize("name", ["GaussianBIC", "BGe", "BDeu"])
@pytest.mark.parametrize("edge_prior", [None, 1.0])
@pytest.mark.parametrize("n", [5, pytest.param(6, marks=pytest.mark.long)])
def test_edges_and_classes(n: int, name: str, edge_prior: float | None) -> None:
    check_a_run(tables(n)[name], edge_prior=edge_prior)


@pytest.mark.parametrize("name", ["GaussianBIC", "BDeu"])
@pytest.mark.parametrize("arrows", [[], [(0, 1), (3, 2), (4, 2)]], ids=["free", "knowledge"])
def test_excursions_within_regions(name: str, arrows: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, number in (("MOST_NODES", 4), ("REGION", 4), ("JUMPS", 10)):
        monkeypatch.setattr(plan, limit, number)
    score = tables(5)[name]
    names = score.nodes
    known = cz.Knowledge(forbidden=[(names[x], names[y]) for x, y in arrows]) if arrows else None
    # errors are right where there are many crossings: at this coldness, and not for rare edges
    check_a_run(score, least=0.01, edge_prior=1.0, coldness=0.3, knowledge=known)


def check_a_run(score: cz.Score, least: float = 0.0, **given: object) -> None:
    posterior = cz.sample(score, jumps=60_000, rng=1, progress=False, **given)
    assert sum(s.excursions.changed for s in posterior.statistics if s.excursions) > 100
    exact = cz.exact_posterior(score, **given)
    found = posterior.edge_table()
    wanted = exact.edge_probabilities().frame("adjacent")
    compared = 0
    for row in found.itertuples():
        if np.isnan(row.mcse) or not least <= wanted.loc[row.x, row.y] <= 1 - least:
            continue
        compared += 1
        assert abs(row.adjacent - wanted.loc[row.x, row.y]) <= BOUND * row.mcse + 1e-4
    assert compared >= 3
    for i, graph in enumerate(exact.top(5)):
        error = posterior.mcse(graph.graph)
        if not np.isnan(error):
            assert abs(posterior.probability(graph.graph) - graph.probability) <= BOUND * error + 1e-4, i
