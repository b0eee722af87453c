"""Intervals of effects in mixed tables are calibrated: about 95 % of them contain the effect."""

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz

TABLES, ROWS = 200, 300
KNOWN = cz.Knowledge(tiers=[["group"], ["size"], ["flag"]])


@pytest.mark.long
@pytest.mark.nosanitize
@pytest.mark.parametrize("score", ["mixed-bic", "mixed-bge"])
def test_intervals_contain_the_effect(score: str) -> None:
    """A group of three levels affects a number, and both affect the probability of a flag, linearly."""
    rng = np.random.default_rng(12)
    inside = []
    for seed in range(TABLES):
        group, noise = rng.integers(0, 3, size=ROWS), rng.normal(size=ROWS)
        a, b, c = rng.uniform(0.6, 1.5), rng.uniform(0.1, 0.15), rng.uniform(0.05, 0.07)
        size = a * group + noise
        flag = rng.random(ROWS) < 0.3 + b * group + c * size  # within 0 and 1 but for one row in 10,000
        table = pd.DataFrame({"group": group.astype(str), "size": size, "flag": np.where(flag, "on", "off")})
        posterior = cz.sample(table, score, knowledge=KNOWN, edge_prior=None, jumps=300, chains=1, rng=seed)
        for pair, level, truth in ((("group", "size"), None, 2 * a), (("group", "flag"), "on", 2 * (b + a * c))):
            low, high = posterior.effect(*pair).contrast("0", "2", level).interval()
            inside.append(low <= truth <= high)
    # 400 intervals of 95 %: the standard error is 0.011, so 0.9 to 0.99 are at least 3.6 errors away, a false alarm
    # rate of 3e-4.
    assert 0.9 < np.mean(inside) < 0.99
