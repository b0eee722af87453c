"""The posterior of P(y | do(x)) for one adjustment set, compared with loops over all configurations and with draws."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.scores.responses.cells import CellModel
from naive_cells import moments_by_loops

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


def model(score: cz.Score) -> CellModel:
    found = score.response_model()
    assert isinstance(found, CellModel)
    return found


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("adjustment", [[], ["s"], ["s", "t"]], ids=lambda s: "".join(s) or "none")
def test_mean_and_covariance_are_exact(score: cz.Score, adjustment: list[str]) -> None:
    parents = tuple(score.nodes.index(v) for v in adjustment)
    mean, covariance = model(score).cells_of(2, 3, parents).moments()
    size = score.equivalent_sample_size if isinstance(score, cz.BDeu) else None
    expected, square = moments_by_loops([*data().values()], [*LEVELS.values()], 2, 3, parents, size)
    np.testing.assert_allclose(mean, expected, atol=1e-10)
    np.testing.assert_allclose(covariance, square - expected[:, None] * expected[None], atol=1e-10)
    np.testing.assert_allclose(mean.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("parents", [(), (0, 1)])
def test_draws_have_these_moments(score: cz.Score, parents: tuple[int, ...]) -> None:
    cells, count = model(score).cells_of(2, 3, parents), 20_000
    mean, covariance = cells.moments()
    for c in (np.array([-1.0, 1.0]), np.array([0.0, 1.0])):
        draws = cells.draw(np.random.default_rng(5), count, c, np.eye(3)[2])
        deviation = np.sqrt(c @ covariance[:, :, 2] @ c)
        # 6 standard errors; those of a variance are sqrt(2 / count) for a normal distribution, these have lighter tails
        # than twice that. With 24 comparisons, less than 1e-6 of all seeds would fail.
        assert len(draws) == count
        assert abs(draws.mean() - c @ mean[:, 2]) < 6 * deviation / np.sqrt(count)
        assert abs(draws.var() / deviation**2 - 1) < 12 * np.sqrt(2 / count)


def test_equal_rows_with_weights_count_as_often() -> None:
    columns = {name: np.tile(column, 20) for name, column in data().items()}
    merged = cz.BDeu(columns)
    assert merged.categorical_rows().codes.shape[1] < 60
    found, single = model(merged).cells_of(2, 3, (0,)), model(SCORES[0]).cells_of(2, 3, (0,))
    np.testing.assert_array_equal(found.counts, 20 * single.counts)
    alone = model(merged).alone(3, np.eye(3)[1])
    assert alone.mean[0] == pytest.approx((np.bincount(columns["y"])[1] + 1 / 3) / 1201)


def test_configurations_that_are_alike_are_pooled_and_others_are_not() -> None:
    """Truths of 20 configurations of few rows: with a common share of 0.9 all are near it, and with shares of 0 and 1
    those without rows in an arm are unknown, and uncertain together."""
    rng = np.random.default_rng(1)
    s, x = rng.integers(0, 20, 200), rng.integers(0, 2, 200)
    deviations = []
    for share in (np.full(20, 0.5), np.tile([0.0, 1.0], 10)):  # of the same variance where all are mixed
        y = (rng.random(200) < share[s]).astype(int)
        shown = ~((s < 8) & (x == 1))  # no overlap there
        columns = {name: np.append(column[shown], [0, 1]) for name, column in (("s", s), ("x", x), ("y", y))}
        mean, covariance = model(cz.BDeu(columns)).cells_of(1, 2, (0,)).moments()
        deviations.append(np.sqrt(covariance[1, 1, 1]))
        assert mean[1, 1] == pytest.approx(0.5, abs=0.3)
    assert all(deviation > 0.04 for deviation in deviations)


def test_a_level_without_rows_has_the_prior() -> None:
    counts = np.zeros((60, 3), dtype=int)
    counts[:, 0], counts[:, 2] = np.arange(60) % 2, np.arange(60) % 3 > 0
    score = cz.BDeu({"s": [*counts[:, 0], 0], "x": [*counts[:, 1], 1], "y": [*counts[:, 2], 1]})
    lone = score.with_codes(counts.T)  # no row has the second level of x
    cells = model(lone).cells_of(1, 2, (0,))
    mean, covariance = cells.moments()
    assert mean[1] == pytest.approx([0.5, 0.5])
    assert covariance[1, 1, 0] > 0.1  # that of a Beta(1/2, 1/2) distribution is 1/8
    low, high = np.quantile(
        cells.draw(np.random.default_rng(1), 4000, np.array([0.0, 1.0]), np.eye(2)[1]), [0.025, 0.975]
    )
    assert low < 0.05 < 0.95 < high
