"""Effects of the exact posterior against sums over all DAGs of 4 and 5 nodes, with regressions from the data."""

from functools import cache
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest

import causal_zigzag as cz
from score_cases import all_dags, gaussian_data

ROWS = 60


def least_squares(x: np.ndarray, parents: tuple[int, ...], cause: int, outcome: int) -> tuple[float, float]:
    """The coefficient of the cause, and the variance of its Student t posterior, by the textbook formulas."""
    design = np.column_stack([np.ones(len(x)), x[:, [cause, *parents]]])
    inverse = np.linalg.inv(design.T @ design)
    b = inverse @ design.T @ x[:, outcome]
    freedom = len(x) - design.shape[1]
    scale2 = ((x[:, outcome] - design @ b) ** 2).sum() / freedom * inverse[1, 1]
    return b[1], scale2 * freedom / (freedom - 2)


def normal_wishart(x: np.ndarray, parents: tuple[int, ...], cause: int, outcome: int) -> tuple[float, float]:
    """The same for BGe with its default prior, on standardized columns, in the units of the data."""
    n, rows = x.shape[1], len(x)
    deviation = x.std(axis=0, ddof=1)
    z = (x - x.mean(axis=0)) / deviation
    alpha_w = n + 2
    R = z.T @ z + 0.5 * np.eye(n)
    P = [cause, *parents]
    inverse = np.linalg.inv(R[np.ix_(P, P)])
    b = inverse @ R[P, outcome]
    left = R[outcome, outcome] - R[P, outcome] @ b
    freedom = alpha_w + rows - n + len(P) + 1
    unit = deviation[outcome] / deviation[cause]
    return b[0] * unit, left * inverse[0, 0] / (freedom - 2) * unit**2


CASES = {"GaussianBIC": (cz.GaussianBIC, least_squares), "BGe": (cz.BGe, normal_wishart)}


@cache
def members(n: int) -> list[tuple[np.ndarray, np.ndarray, cz.CPDAG]]:
    """Every DAG, which nodes are below which, and its class."""
    found = []
    for dag in all_dags(n):
        reach = dag.astype(bool)
        for k in range(n):
            reach |= np.outer(reach[:, k], reach[k])
        found.append((dag, reach, cz.CPDAG.from_dag(dag)))
    return found


@pytest.mark.parametrize("n", [3, 4, pytest.param(5, marks=pytest.mark.long)])
@pytest.mark.parametrize("prior", ["classes", "dags"])
@pytest.mark.parametrize("family", CASES)
def test_sums_over_all_dags(n: int, prior: str, family: str) -> None:
    make, regress = CASES[family]
    x = gaussian_data(n, ROWS, seed=n) * 10.0 ** np.arange(n)  # columns of different scales
    score = make(x)
    local = cache(score.local)
    estimate = cache(lambda parents, a, b: regress(x, parents, a, b))
    sizes: dict[cz.CPDAG, int] = {}
    for _, _, g in members(n):
        sizes[g] = sizes.get(g, 0) + 1
    logs, sets = [], []
    for dag, _, g in members(n):
        parents = [tuple(np.flatnonzero(dag[:, v]).tolist()) for v in range(n)]
        sets.append(parents)
        logs.append(sum(local(v, parents[v]) for v in range(n)) - (np.log(sizes[g]) if prior == "classes" else 0.0))
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    posterior = cz.exact_posterior(score, prior=prior, edge_prior=None)
    effects = posterior.effects().set_index(["cause", "outcome"])
    ancestors = posterior.ancestors()
    assert len(effects) == n * (n - 1)
    for a, b in permutations(range(n), 2):
        nonzero = mean = square = within = 0.0
        for w, (_, reach, _), parents in zip(weights, members(n), sets, strict=True):
            if reach[a, b]:
                coefficient, variance = estimate(parents[a], a, b)
                nonzero += w
                mean += w * coefficient
                square += w * coefficient**2
                within += w * variance
        unit = 10.0 ** (b - a)
        row, one = SimpleNamespace(**effects.loc[a, b]), posterior.effect(a, b)
        for found in (row, one):
            assert found.probability_nonzero == pytest.approx(nonzero, abs=1e-9)
            assert found.mean == pytest.approx(mean, abs=1e-9 * unit)
            assert found.between == pytest.approx(square - mean**2, abs=1e-9 * unit**2)
            assert found.within == pytest.approx(within, abs=1e-9 * unit**2)
            assert found.sd**2 == pytest.approx(found.between + found.within)
        assert ancestors.loc[a, b] == pytest.approx(nonzero, abs=1e-9)
        assert row.probability_positive == pytest.approx(one.probability_positive, abs=1e-12)
        assert (row.lower, row.upper) == pytest.approx(one.interval(0.95), abs=1e-9 * unit)
        assert one.components["probability"].sum() == pytest.approx(1.0)
        assert one.mcse == (0.0, 0.0)


def test_ancestors_without_data() -> None:
    """A DAG drawn uniformly: in how many of the 543 DAGs of 4 nodes node 0 is an ancestor of node 3."""
    found = cz.exact_posterior(cz.Uniform(4), prior="dags").ancestors()
    count = sum(reach[0, 3] for _, reach, _ in members(4))
    assert found.loc[0, 3] * len(members(4)) == pytest.approx(count)
    assert np.diag(found.to_numpy()).tolist() == [0.0] * 4
