"""Intervals of effects and strengths contain the truth in 95 % of simulated tables, for every score and kind of column.

``benchmarks/coverage.py`` has more tables, and those in which the graph is not known.
"""

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.scores.choose import as_score

TABLES, ROWS = 100, 250
LEAST = 82  # of 100 tables: with a coverage of 95 % fewer have the probability 5e-7
KNOWN = cz.Knowledge(required=[("a", "x"), ("a", "y"), ("x", "y")])
NAMES = np.array(["low", "mid", "top"])
ALL = [("num", "num"), ("num", "bin"), ("bin", "num"), ("lev", "num"), ("bin", "bin"), ("lev", "bin")]
KINDS = {
    "gaussian-bic": ALL[:1],
    "bge": ALL[:1],
    "discrete-bic": ALL[4:],
    "bdeu": ALL[4:],
    "mixed-bic": ALL,
    "mixed-bge": ALL,
    "additive-gp": ALL,
}
CASES = [(score, *pair) for score, pairs in KINDS.items() for pair in pairs]


def simulated(cause: str, outcome: str, categorical: bool, rng: np.random.Generator) -> tuple[pd.DataFrame, float]:
    """A table in which a affects x, and both affect y; and the effect of x, per unit or from first to last level."""
    a = rng.integers(0, 2, ROWS)
    x, top = rng.normal(size=ROWS) + a, 1.0
    if cause != "num":
        x, top = np.digitize(x, [0.5] if cause == "bin" else [0.0, 1.0]), 1.0 if cause == "bin" else 2.0
    size = rng.uniform(0.1, 0.25)
    if outcome == "num":
        y = size * x + 0.5 * a + rng.normal(size=ROWS)
    else:
        share = np.clip(0.3 + (0.5 if cause == "num" else 1.0) * size * x + 0.1 * a, 0, 1)
        y, top = rng.random(ROWS) < share, 0.5 if cause == "num" else top
    truth = size * top
    if (cause, outcome) == ("num", "bin"):  # of the shares that are not clipped
        truth = float(np.linalg.lstsq(np.column_stack([np.ones(ROWS), x, a]), share, rcond=None)[0][1])
    columns = {"a": a if categorical else np.where(a == 1, "one", "none"), "x": x, "y": y}
    for name, kind in (("x", cause), ("y", outcome)):
        columns[name] = columns[name] if kind == "num" else NAMES[columns[name].astype(int)]
    return pd.DataFrame(columns), truth


def covered(score: str, table: pd.DataFrame, truth: float, known: cz.Knowledge = KNOWN) -> tuple[bool, bool]:
    """Whether the intervals of the effect and of the strength contain the truth, which is the same for both.

    A strength is the change of the last level of two, and of more levels the largest one.
    """
    posterior = cz.exact_posterior(as_score(table, score), knowledge=known, edge_prior=None)
    effect = posterior.effect("x", "y")
    if effect.cause_levels or effect.outcome_levels:
        ends = (effect.cause_levels or (None,))[0], (effect.cause_levels or (None,))[-1]
        effect = effect.contrast(*ends, effect.outcome_levels[-1] if effect.outcome_levels else None)
    low, high = effect.interval()
    arrow = posterior.strengths().set_index(["cause", "outcome"]).loc[("x", "y")]
    return bool(low <= truth <= high), bool(arrow["lower"] <= truth <= arrow["upper"])


@pytest.mark.long
@pytest.mark.nosanitize
@pytest.mark.parametrize(("score", "cause", "outcome"), CASES)
def test_intervals_contain_the_effect(score: str, cause: str, outcome: str) -> None:
    rng = np.random.default_rng([*score.encode(), *cause.encode(), *outcome.encode()])
    categorical = score not in ("mixed-bic", "mixed-bge", "additive-gp")
    inside = [covered(score, *simulated(cause, outcome, categorical, rng)) for _ in range(TABLES)]
    assert (np.sum(inside, axis=0)[: 1 if cause == "lev" else 2] >= LEAST).all()


@pytest.mark.long
@pytest.mark.nosanitize
@pytest.mark.parametrize("score", ["mixed-bic", "mixed-bge", "additive-gp"])
@pytest.mark.parametrize(("rarity", "steepness"), [(-3.0, 1.2), (0.0, 1.5)])
def test_the_effect_of_a_number_on_a_probability_that_is_rare_or_steep(
    score: str, rarity: float, steepness: float
) -> None:
    """The truth is the slope of the straight line closest to the probability. With one variance for all rows the
    coverage would be 88 % where the level is rare, and 99 % where the curve is steep."""
    large = np.random.default_rng(0).normal(size=10**6)
    truth = float(np.polyfit(large, 1 / (1 + np.exp(-rarity - steepness * large)), 1)[0])
    rng, inside = np.random.default_rng(7), 0
    for _ in range(TABLES):
        x = rng.normal(size=ROWS)
        y = rng.random(ROWS) < 1 / (1 + np.exp(-rarity - steepness * x))
        table = pd.DataFrame({"x": x, "y": NAMES[y.astype(int)]})
        inside += covered(score, table, truth, cz.Knowledge(required=[("x", "y")]))[0]
    assert inside >= LEAST
