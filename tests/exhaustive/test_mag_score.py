"""The score of maximal ancestral graphs: equal within classes, GaussianBIC on DAGs, and the maximum likelihood."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import causal_zigzag as cz
import naive_mags
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
