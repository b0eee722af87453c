"""The score of maximal ancestral graphs: equal within classes, GaussianBIC on DAGs, and the maximum likelihood."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

import causal_zigzag as cz
import naive_mags
from causal_zigzag import _core
from causal_zigzag.ancestral.target import AncestralTarget
from mag_cases import core_score, hidden_causes_table
from naive_mags import all_mags, pairs


@pytest.mark.parametrize("rows", [60, 500, 5000])
@pytest.mark.parametrize("n", [3, 4, pytest.param(5, marks=pytest.mark.long)])
def test_equal_within_classes_and_that_of_gaussian_bic(n: int, rows: int) -> None:
    bic = cz.GaussianBIC(hidden_causes_table(n, rows, seed=rows), penalty=1.5)
    mags = all_mags(n)
    totals = core_score(bic).totals(mags.states)
    lowest, highest = np.full((2, mags.of_class.max() + 1), np.inf)
    highest = -highest
    np.minimum.at(lowest, mags.of_class, totals)
    np.maximum.at(highest, mags.of_class, totals)
    assert (highest - lowest).max() < 1e-8
    dags = np.flatnonzero((mags.states < 3).all(axis=1))
    for i in dags[:: max(1, len(dags) // 200)]:
        parents = [
            [x for x in range(n) if naive_mags.end_marks(mags.states[i : i + 1], n)[0, x, y] == 2] for y in range(n)
        ]
        assert math.isclose(totals[i], sum(bic.local(y, p) for y, p in enumerate(parents)), rel_tol=1e-12)


def log_likelihood(states: np.ndarray, n: int, covariance: np.ndarray, rows: int) -> float:
    """The maximum over coefficients and error covariances, by a general optimiser from several starts."""
    arrows = [(x, y) if s == 1 else (y, x) for s, (x, y) in zip(states, pairs(n), strict=True) if s in (1, 2)]
    spouses = [pair for s, pair in zip(states, pairs(n), strict=True) if s == 3]

    def deviance(theta: np.ndarray) -> float:
        b, omega = np.eye(n), np.diag(np.exp(theta[:n]))
        for (x, y), value in zip(arrows, theta[n:], strict=False):
            b[y, x] = -value
        for (x, y), value in zip(spouses, theta[n + len(arrows) :], strict=True):
            omega[x, y] = omega[y, x] = value
        try:
            np.linalg.cholesky(omega)
        except np.linalg.LinAlgError:
            return 1e6
        residual = b @ covariance @ b.T
        return float(np.linalg.slogdet(omega)[1] + np.trace(np.linalg.solve(omega, residual)))

    rng, best = np.random.default_rng(1), math.inf
    for _ in range(4):
        start = np.concatenate([np.zeros(n), rng.normal(0, 0.2, len(arrows) + len(spouses))])
        best = min(
            best,
            minimize(
                deviance,
                start,
                method="Nelder-Mead",
                options={"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-7, "fatol": 1e-11, "adaptive": True},
            ).fun,
        )
    return -rows / 2 * best


def test_the_likelihood_is_maximal() -> None:
    n, rows = 4, 300
    bic = cz.GaussianBIC(hidden_causes_table(n, rows, seed=3))
    mags = all_mags(n)
    with_dag = np.unique(mags.of_class[(mags.states < 3).all(axis=1)])
    others = np.flatnonzero(~np.isin(mags.of_class, with_dag))
    totals = core_score(bic, tolerance=1e-6).totals(mags.states)
    for i in others[:: len(others) // 6]:
        states = mags.states[i]
        parameters = n + np.count_nonzero(states)
        expected = log_likelihood(states, n, bic._correlation, rows) - parameters / 2 * math.log(rows)
        found = totals[i] + rows / 2 * float(bic._log_variance.sum())
        assert abs(found - expected) < 1e-3


def connecting_total(values: np.ndarray, separated: np.ndarray, n: int) -> float:
    """The sum of the interactions of the sets of which no set of other nodes, with their rest, separates two."""
    total = 0.0
    for c in range(1, 1 << n):
        nodes = [v for v in range(n) if c >> v & 1]
        pairs_with_given = [
            (x, y, g) for x, y in combinations(nodes, 2) for g in range(1 << n) if g & c == c & ~(1 << x | 1 << y)
        ]
        if any(separated[one] for one in pairs_with_given):
            continue
        subsets = [s for s in range(1 << n) if s & ~c == 0]
        total += sum((-1) ** (c & ~s).bit_count() * values[s] for s in subsets)
    return total


@pytest.mark.parametrize("n", [3, 4])
def test_the_connecting_score_is_the_sum_over_sets_that_nothing_separates(n: int) -> None:
    rng, mags = np.random.default_rng(n), all_mags(n)
    values = rng.normal(size=2**n)
    values[0] = 0
    totals = _core.ConnectingScore(n, values).totals(mags.states)
    _, first = np.unique(mags.of_class, return_index=True)
    np.testing.assert_allclose(totals, totals[first][mags.of_class], atol=1e-12)  # equal within classes
    model = naive_mags.models(mags.states[first], n)
    for own, total in zip(model, totals[first], strict=True):
        separated = np.zeros((n, n, 2**n), bool)
        for reached, (x, given) in zip(own, naive_mags.sources(n), strict=True):
            for y in range(n):
                separated[x, y, given] = y != x and not given >> y & 1 and not reached >> y & 1
        assert total == pytest.approx(connecting_total(values, separated, n), abs=1e-10)
    dags = np.flatnonzero((mags.states < 3).all(axis=1))
    for i in dags[::7]:
        marks = naive_mags.end_marks(mags.states[i : i + 1], n)[0]
        above = [sum(1 << x for x in range(n) if marks[x, y] == 2 and marks[y, x] == 3) for y in range(n)]
        assert totals[i] == pytest.approx(sum(values[p | 1 << y] - values[p] for y, p in enumerate(above)))


@pytest.mark.parametrize("rows", [500, 5000])
def test_the_connecting_score_is_close_to_the_likelihood(rows: int) -> None:
    """Of 20 Gaussian tables with hidden causes: the same best class, and nearly the same probabilities of causes."""
    n, mags = 4, all_mags(4)
    above = _core.mag_ancestors(n, mags.states).reshape(-1, n, n)
    far, best = [], 0
    for seed in range(20):
        target = AncestralTarget(cz.GaussianBIC(hidden_causes_table(n, rows, seed)), 0.0)
        fitted, summed = target.scored().totals(mags.states), target.connecting().totals(mags.states)
        causes = []
        for totals in (fitted, summed):
            weights = np.exp(totals - totals.max() - math.log(n) * (mags.states > 0).sum(axis=1))
            causes.append(np.tensordot(weights / weights.sum(), above, 1))
        far.append(abs(causes[0] - causes[1]).max())
        best += mags.of_class[fitted.argmax()] == mags.of_class[summed.argmax()]
    assert best >= 18
    assert np.median(far) < 0.01
    assert max(far) < 0.2
