"""Exact draws have the probabilities of all classes, and the errors that they state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

import causal_zigzag as cz
from causal_zigzag.exact.drawn_classes import DrawnClasses, draw_classes
from causal_zigzag.target.target import Target
from local_scores import random_gaussian

FALSE_ALARM = 1e-6  # of one test with another seed
LEAST_EXPECTED = 25  # draws; rarer classes are counted together
DRAWS = 400_000

pytestmark = pytest.mark.nosanitize


def counts(drawn: DrawnClasses, exact: cz.ExactPosterior) -> NDArray[np.int64]:
    """The numbers of draws of all classes in the order of the exact posterior."""
    found = {tuple(name.tolist()): int(count) for name, count in zip(drawn.names, drawn.counts, strict=True)}
    (every,) = exact._classes.lists
    numbers = [found.pop(every.graph(i).core.hash, 0) for i in range(len(every))]
    assert not found  # no draw is outside
    return np.array(numbers)


def check_counts(number: NDArray[np.int64], probabilities: NDArray[np.float64]) -> None:
    expected = probabilities * number.sum()
    often = expected >= LEAST_EXPECTED
    seen, wanted = number[often], expected[often]
    if not often.all() and expected[~often].sum() >= LEAST_EXPECTED:
        seen, wanted = np.append(seen, number[~often].sum()), np.append(wanted, expected[~often].sum())
    assert ((seen - wanted) ** 2 / wanted).sum() < chi2.isf(FALSE_ALARM, max(1, len(seen) - 1))


KNOWN = cz.Knowledge(tiers=[[0], [1, 2, 3]], forbidden=[(1, 3)])
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "4, uniform": (cz.Uniform(4), {}),
    "4, few rows": (random_gaussian(4, 50, 3), {}),
    "4, many rows": (random_gaussian(4, 100_000, 3), {}),
    "4, tiers": (random_gaussian(4, 30, 4), {"knowledge": KNOWN}),
    "4, required": (cz.Uniform(4), {"knowledge": cz.Knowledge(required=[(2, 0), (0, 3)], forbidden=[(1, 0)])}),
    "5, uniform": (cz.Uniform(5), {}),
    "5, few rows": (random_gaussian(5, 50, 3), {}),
    "5, auto prior": (random_gaussian(5, 200, 1), {"edge_prior": "auto"}),
    "5, heated": (random_gaussian(5, 200, 1), {"coldness": 0.1}),
    "5, required": (random_gaussian(5, 50, 2), {"knowledge": cz.Knowledge(required=[(4, 0)], forbidden=[(1, 2)])}),
}


@pytest.mark.parametrize("case", CASES)
def test_every_class_has_its_probability(case: str) -> None:
    score, settings = CASES[case]
    settings = {"edge_prior": None, "coldness": 1.0, "knowledge": None, **settings}
    drawn = draw_classes(Target.read(score, **settings), DRAWS, rng=1)
    exact = cz.exact_posterior(score, prior="dags", **settings)
    check_counts(counts(drawn, exact), exact.probabilities)
    assert drawn.shares(-drawn.log_sizes).sum() == pytest.approx(1)


@pytest.mark.parametrize("bound", ["max_parents", "max_degree"])
def test_bounds_leave_out_classes(bound: str) -> None:
    score = random_gaussian(5, 50, 3)
    exact = cz.exact_posterior(score, prior="dags", edge_prior=None)
    (every,) = exact._classes.lists
    dags = [every.graph(i).dag() for i in range(len(every))]
    size = [int((dag if bound == "max_parents" else dag + dag.T).sum(axis=0).max()) for dag in dags]
    within = np.where(np.array(size) <= 2, exact.probabilities, 0.0)
    target = Target.read(score, edge_prior=None, max_degree=2 if bound == "max_degree" else None)
    drawn = draw_classes(target, DRAWS, 1, 2 if bound == "max_parents" else None)
    number = counts(drawn, exact)
    assert not number[within == 0].any()
    check_counts(number, within / within.sum())


@pytest.mark.parametrize(
    ("n", "rows", "known"),
    [(10, 100, True), (12, 5000, False), (14, 200, False), pytest.param(16, 1000, False, marks=pytest.mark.long)],
)
def test_edges_and_paths_have_their_probabilities(n: int, rows: int, known: bool) -> None:
    """Adjacencies and paths of 20,000 draws, within Bernstein's bound for each of the comparisons."""
    score = random_gaussian(n, rows, n)
    knowledge = cz.Knowledge(required=[(0, 1)], forbidden=[(3, 2), (4, 5)]) if known else None
    exact = cz.exact_edge_posterior(score, edge_prior="auto", knowledge=knowledge)
    posterior = cz.exact_draws(score, draws=20_000, prior="dags", knowledge=knowledge, rng=1)
    limit = math.log(2 * 2 * n * n / FALSE_ALARM)
    pairs = [(posterior.edge_probabilities().adjacent, exact.adjacent), (posterior.ancestors().to_numpy(), exact.path)]
    for drawn, p in pairs:
        variance = 2 * np.clip(p * (1 - p), 0, None) * limit / 20_000
        third = limit / 3 / 20_000
        assert (np.abs(drawn - p) <= third + np.sqrt(third**2 + variance) + 1e-9).all()


def test_errors_are_neither_too_small_nor_too_large() -> None:
    """Mean squares of z, relative to exact values, in 60 runs with weights.

    The quantities of a run are dependent, so their mean square counts as one z² per run. If the errors are right, the
    false alarm rate of the first bound is 1e-6; errors that are twice as large would pass it, but not the second.
    """
    score = random_gaussian(4, 50, 3)
    exact = cz.exact_posterior(score, edge_prior=None)
    best, adjacent = exact.top(1)[0], exact.edge_probabilities().adjacent
    squares = []
    for seed in range(60):
        posterior = cz.exact_draws(score, draws=2000, edge_prior=None, rng=seed)
        z = [(posterior.probability(best.graph) - best.probability) / posterior.mcse(best.graph)]
        z += [(p.adjacent - adjacent[p.x, p.y]) / p.mcse for p in posterior.edge_table().itertuples()]
        squares.append(np.nanmean(np.square(z)))
    assert np.sum(squares) < chi2.isf(FALSE_ALARM, len(squares))
    assert np.mean(squares) > 0.5
