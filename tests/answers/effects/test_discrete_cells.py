"""The posterior of P(y | do(x)) for one adjustment set, compared with sums over all configurations and with draws."""

import itertools

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.effects.discrete_cells import CodedRows

LEVELS = {"s": 2, "t": 5, "x": 2, "y": 3}


def data(rows: int = 60) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    s, t = rng.integers(0, 2, rows), rng.choice(5, size=rows, p=[0.5, 0.3, 0.1, 0.06, 0.04])
    x = (rng.random(rows) < 0.3 + 0.4 * s).astype(int)
    y = np.minimum(2, rng.integers(0, 2, rows) + x * rng.integers(0, 2, rows))
    columns = {"s": s, "t": t, "x": x, "y": y}
    assert {name: len({*column.tolist()}) for name, column in columns.items()} == LEVELS
    return columns


SCORES = [cz.BDeu(data()), cz.BDeu(data(), equivalent_sample_size=10), cz.DiscreteBIC(data())]


def written_out(score: cz.Score, adjustment: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Means [a, b] and covariances [a, a', b] by a loop over all configurations, empty ones included.

    They follow from E[p_s p_t] of a Dirichlet distribution and the moments of independent f_s.
    """
    columns = data()
    q = int(np.prod([LEVELS[v] for v in adjustment]))
    size = score.equivalent_sample_size if isinstance(score, cz.BDeu) else None
    alpha = 0.5 if size is None else size / q
    beta = 0.5 if size is None else size / (q * 2 * 3)
    weights, first, second = [], [], []
    for s in itertools.product(*(range(LEVELS[v]) for v in adjustment)):
        here = np.all([columns[v] == level for v, level in zip(adjustment, s, strict=True)], axis=0)
        here = np.broadcast_to(here, 60)
        weights.append(alpha + here.sum())
        cell = np.array(
            [[beta + (here & (columns["x"] == a) & (columns["y"] == b)).sum() for b in range(3)] for a in range(2)]
        )
        total = cell.sum(axis=1, keepdims=True)
        first.append(cell / total)
        second.append(cell * (cell + 1) / (total * (total + 1)))
    w, total = np.array(weights), sum(weights)
    mean = sum(w[i] / total * first[i] for i in range(q))
    square = np.zeros((2, 2, 3))
    for i, j in itertools.product(range(q), repeat=2):
        pp = w[i] * (w[j] + (i == j)) / (total * (total + 1))
        for a, c in itertools.product(range(2), repeat=2):
            square[a, c] += pp * (second[i][a] if i == j and a == c else first[i][a] * first[j][c])
    return mean, square - mean[:, None] * mean[None, :]


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("adjustment", [[], ["s"], ["s", "t"]], ids=lambda s: "".join(s) or "none")
def test_mean_and_covariance_are_exact(score: cz.Score, adjustment: list[str]) -> None:
    rows = CodedRows(score.categorical_rows())
    cells = rows.cells(2, rows.configurations([score.nodes.index(v) for v in adjustment]), 3)
    if adjustment == ["s", "t"]:
        assert cells.empty > 0
    mean, covariance = cells.moments()
    expected = written_out(score, adjustment)
    np.testing.assert_allclose(mean, expected[0], atol=1e-12)
    np.testing.assert_allclose(covariance, expected[1], atol=1e-12)
    np.testing.assert_allclose(mean.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_draws_have_these_moments(score: cz.Score) -> None:
    rows, count = CodedRows(score.categorical_rows()), 20_000
    cells = rows.cells(2, rows.configurations([0, 1]), 3)
    mean, covariance = cells.moments()
    draws = cells.draw(np.random.default_rng(5), count, [1, 0], 2)
    deviation = np.sqrt(covariance[[1, 0], [1, 0], 2])
    # 6 standard errors; those of a variance are sqrt(2 / count) for a normal distribution, these have lighter tails
    # than twice that. With 9 comparisons, less than 1e-6 of all seeds would fail.
    assert np.all(np.abs(draws.mean(axis=0) - mean[[1, 0], 2]) < 6 * deviation / np.sqrt(count))
    assert np.all(np.abs(draws.var(axis=0) / deviation**2 - 1) < 12 * np.sqrt(2 / count))
    assert abs(np.cov(draws.T)[0, 1] - covariance[0, 1, 2]) < 12 * deviation.prod() / np.sqrt(count)


def test_equal_rows_with_weights_count_as_often() -> None:
    columns = {name: np.tile(column, 20) for name, column in data().items()}
    merged = cz.BDeu(columns)
    assert merged.categorical_rows().codes.shape[1] < 60
    rows = CodedRows(merged.categorical_rows())
    found = rows.cells(2, rows.configurations([0]), 3).counts
    single = CodedRows(SCORES[0].categorical_rows())
    np.testing.assert_array_equal(found, 20 * single.cells(2, single.configurations([0]), 3).counts)
    np.testing.assert_allclose(rows.marginal(3).moments().mean[0], (np.bincount(columns["y"]) + 1 / 3) / 1201)


def test_no_draws() -> None:
    rows = CodedRows(SCORES[0].categorical_rows())
    assert rows.cells(2, rows.configurations([0]), 3).draw(np.random.default_rng(1), 0, [0, 1], 2).shape == (0, 2)
