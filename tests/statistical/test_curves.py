"""Intervals of curves under interventions are calibrated: about 95 % of them contain the curve and its mean slope."""

import numpy as np
import pytest

import causal_zigzag as cz

TABLES, ROWS = 60, 300
KNOWN = cz.Knowledge(tiers=[["s"], ["x"], ["y"]])
SHAPES = (np.asarray, np.tanh, np.sin)


@pytest.mark.long
@pytest.mark.nosanitize
@pytest.mark.parametrize("transform", ["normal-scores", None])
def test_intervals_contain_the_curve(transform: str | None) -> None:
    """s affects x, and both affect y, by smooth curves that are odd, so that none changes the mean of y."""
    rng = np.random.default_rng(12)
    inside, slopes = [], []
    for _ in range(TABLES):
        first, second, third = (SHAPES[k] for k in rng.integers(3, size=3))
        s = rng.normal(size=ROWS)
        x = first(s) + rng.normal(size=ROWS)
        y = 1.5 * second(x) + third(s) + rng.normal(size=ROWS)
        score = cz.AdditiveGP({"s": s, "x": x, "y": y}, transform=transform)
        effect = cz.exact_posterior(score, edge_prior=None, knowledge=KNOWN).effect("x", "y")
        at = np.quantile(x, [0.1, 0.5, 0.9])
        found, truth = effect.curve(at), 1.5 * second(at)
        inside.append(((found["lower"] <= truth) & (truth <= found["upper"])).mean())
        low, high = effect.interval()
        slopes.append(low <= np.polyfit(x, 1.5 * second(x), 1)[0] <= high)
    # Shares of 95 %: for 60 slopes, or 180 points that depend on each other, the standard error is at most 0.028, so
    # 0.85 is 3.6 errors away: a false alarm rate of at most 2e-4 each.
    assert np.mean(inside) > 0.85
    assert np.mean(slopes) > 0.85
