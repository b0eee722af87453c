"""Effects of categorical columns, and of several causes at once, compared with sums over all DAGs of four nodes."""

from collections import defaultdict

import numpy as np
import pytest

import causal_zigzag as cz
from naive_cells import moments_by_loops
from score_cases import all_dags

NODES = ["a", "b", "c", "d"]
LEVELS = [2, 3, 2, 2]


def columns(rows: int = 80) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(6)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.7, a, rng.integers(0, 3, rows))
    c = (rng.random(rows) < 0.3 + 0.2 * b).astype(int)
    d = (rng.random(rows) < 0.2 + 0.3 * c + 0.2 * a).astype(int)
    return dict(zip(NODES, (a, b, c, d), strict=True))


def below(dag: np.ndarray) -> np.ndarray:
    return np.linalg.inv(np.eye(len(dag)) - dag).round().astype(bool)


def weighted_dags(score: cz.Score, prior: str) -> list[tuple[float, np.ndarray]]:
    """All DAGs with their probabilities, from the totals of the score."""
    dags = [*all_dags(4)]
    logs = np.array(
        [
            score.total([(NODES[i], NODES[j]) for i, j in np.argwhere(dag)]) if dag.any() else empty(score)
            for dag in dags
        ]
    )
    weights = np.exp(logs - logs.max())
    if prior == "classes":
        members: dict[cz.CPDAG, int] = defaultdict(int)
        classes = [cz.CPDAG.from_dag(dag) for dag in dags]
        for g in classes:
            members[g] += 1
        weights /= [members[g] for g in classes]
    return [*zip((weights / weights.sum()).tolist(), dags, strict=True)]


def empty(score: cz.Score) -> float:
    return sum(score.local(v, []) for v in NODES)


def given_parents(score: cz.Score, x: int, y: int, parents: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and second moments [a, a', b] of P(y = b | do(x = a)) by loops over configurations."""
    size = score.equivalent_sample_size if isinstance(score, cz.BDeu) else None
    return moments_by_loops([*columns().values()], LEVELS, x, y, parents, size)


def marginal(score: cz.Score, y: int) -> tuple[np.ndarray, np.ndarray]:
    counts = np.bincount(columns()[NODES[y]], minlength=LEVELS[y])
    cell = counts + (score.equivalent_sample_size / LEVELS[y] if isinstance(score, cz.BDeu) else 0.5)
    total = cell.sum()
    return cell / total, cell * (cell + 1) / (total * (total + 1))


@pytest.mark.parametrize("prior", ["classes", "dags"])
@pytest.mark.parametrize("score", [cz.BDeu(columns(), 4.0), cz.DiscreteBIC(columns())], ids=["bdeu", "bic"])
def test_discrete_effects_are_sums_over_all_dags(score: cz.Score, prior: str) -> None:
    dags = weighted_dags(score, prior)
    posterior = cz.exact_posterior(score, prior=prior, edge_prior=None)
    table = posterior.effects().set_index(["cause", "outcome"])
    assert len(table) == 12
    assert (np.diff(table["mean"].abs()) <= 0).all()
    for x, y in [(0, 1), (1, 3), (2, 0), (3, 1)]:
        known: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = {}
        alone, alone_square = marginal(score, y)
        mean = np.zeros((LEVELS[x], LEVELS[y]))
        square = np.zeros((LEVELS[x], LEVELS[x], LEVELS[y]))
        of_means = np.zeros((LEVELS[x], LEVELS[x], LEVELS[y]))
        nonzero = 0.0
        for p, dag in dags:
            if below(dag)[x, y]:
                parents = tuple(np.flatnonzero(dag[:, x]).tolist())
                if parents not in known:
                    known[parents] = given_parents(score, x, y, parents)
                own, own_square = known[parents]
                nonzero += p
            else:
                own, own_square = np.tile(alone, (LEVELS[x], 1)), np.tile(alone_square, (LEVELS[x], LEVELS[x], 1))
            mean += p * own
            square += p * own_square
            of_means += p * own[:, None] * own[None, :]
        effect = posterior.effect(NODES[x], NODES[y])
        np.testing.assert_allclose(effect.levels["mean"], mean.ravel(), atol=1e-10)
        assert effect.probability_nonzero == pytest.approx(nonzero, abs=1e-9)
        deviation = np.sqrt(square[range(LEVELS[x]), range(LEVELS[x])] - mean**2)
        np.testing.assert_allclose(effect.levels["sd"], deviation.ravel(), atol=1e-9)
        a, b, k = 0, LEVELS[x] - 1, LEVELS[y] - 1
        change = effect.contrast(a, b, level=k)
        expected = mean[b, k] - mean[a, k]
        between = of_means[b, b, k] + of_means[a, a, k] - 2 * of_means[a, b, k] - expected**2
        variance = square[b, b, k] + square[a, a, k] - 2 * square[a, b, k] - expected**2
        assert change.mean == pytest.approx(expected, abs=1e-9)
        assert change.between == pytest.approx(between, abs=1e-9)
        assert change.sd == pytest.approx(np.sqrt(variance), abs=1e-9)
        changes = (mean[1:] - mean[0]).ravel()  # relative to the reference level
        found = table.loc[(NODES[x], NODES[y]), "mean"]
        assert abs(found) == pytest.approx(np.abs(changes).max(), abs=1e-9)
        assert np.abs(changes - found).min() < 1e-9
        assert effect.components["probability"].sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("kind", [cz.GaussianBIC, cz.BGe], ids=["bic", "bge"])
def test_joint_effects_have_the_mean_over_all_dags(kind: type) -> None:
    data = np.random.default_rng(2).normal(size=(60, 4))
    data[:, 1] += 0.6 * data[:, 0]
    data[:, 3] += data[:, 1] - 0.5 * data[:, 0]
    score = kind(dict(zip(NODES, data.T, strict=True)))
    moments = score.regression_moments()
    unit = np.exp(moments.log_deviation)
    expected, nonzero = np.zeros(2), np.zeros(2)
    for p, dag in weighted_dags(score, "classes"):
        # coefficients of different nodes are independent, so the mean of a product along a path is that of the means
        coefficients = np.zeros((4, 4))
        for v in range(4):
            P = np.flatnonzero(dag[:, v])
            if v not in (0, 1) and len(P):
                coefficients[P, v] = np.linalg.solve(moments.matrix[np.ix_(P, P)], moments.matrix[P, v])
        total = np.linalg.inv(np.eye(4) - coefficients)
        expected += p * total[[0, 1], 3] * unit[3] / unit[[0, 1]]
        nonzero += p * below((coefficients != 0).astype(int))[[0, 1], 3]
    count = 20_000
    joint = cz.exact_posterior(score, edge_prior=None).effect("a", "d", jointly_with=["b"], draws=count, rng=3).joint
    for i, name in enumerate(["a", "b"]):  # 6 standard errors: fails for less than 1e-8 of all seeds
        assert abs(joint[name].mean - expected[i]) < 6 * joint[name].mcse.mean
        assert abs(joint[name].probability_nonzero - nonzero[i]) < 6 * joint[name].mcse.probability
        assert joint[name].mcse.mean == pytest.approx(np.sqrt(joint[name].between / count), rel=1e-6)
