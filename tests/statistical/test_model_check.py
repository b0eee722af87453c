"""check_model is calibrated: it rejects about 5 % of tables for which the model holds, and most curved ones."""

import numpy as np
import pytest

import causal_zigzag as cz

NODES, ROWS = 7, 500
CURVES = (lambda x: np.sin(2 * x), np.square, np.tanh, np.abs)


def table(rng: np.random.Generator, curved: bool) -> np.ndarray:
    """An additive model of a random DAG with two neighbours per node on average."""
    order, x = rng.permutation(NODES), np.zeros((ROWS, NODES))
    for place, y in enumerate(order):
        x[:, y] = rng.uniform(0.5, 1) * rng.normal(size=ROWS)
        for p in order[:place][rng.random(place) < 2 / (NODES - 1)]:
            effect = CURVES[rng.integers(4)](x[:, p]) if curved else x[:, p]
            x[:, y] += rng.choice([-1, 1]) * rng.uniform(0.5, 1.5) * effect
        x[:, y] /= x[:, y].std()
    return x


def rejections(tables: int, curved: bool, score: str) -> int:
    rng = np.random.default_rng(7)
    found = 0
    for seed in range(tables):
        posterior = cz.sample(table(rng, curved), score, jumps=2000, chains=1, rng=seed, progress=False)
        found += not posterior.check_model().ok
    return found


@pytest.mark.long
@pytest.mark.nosanitize
@pytest.mark.parametrize("score", ["gaussian-bic", "bge"])
def test_linear_tables_are_rejected_in_five_percent(score: str) -> None:
    # With a probability of 0.0475 to 0.05, fewer than 6 or more than 38 of 400 have a probability below 2e-4.
    assert 6 <= rejections(400, False, score) <= 38


@pytest.mark.long
@pytest.mark.nosanitize
def test_curved_tables_are_rejected() -> None:
    # More than 80 %; 38 of 40 are found, and with a probability of 0.8 at least 38 would have one below 0.008.
    assert rejections(40, True, "gaussian-bic") >= 38


@pytest.mark.long
@pytest.mark.nosanitize
def test_weak_edges_between_levels_are_no_misfit() -> None:
    # With a probability of 0.05, more than 12 of 100 have one below 2e-3; the G tests alone reject more than half.
    found, rng = 0, np.random.default_rng(8)
    for seed in range(100):
        data = cz.datasets.discrete(cz.datasets.random_dag(6, 2.0, rng=rng), ROWS, (2, 3), rng=rng)
        data = data.loc[:, data.nunique() > 1]
        found += not cz.sample(data, "bdeu", jumps=2000, chains=1, rng=seed, progress=False).check_model(data).ok
    assert found <= 12, found
