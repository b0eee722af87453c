"""Schemes of resampling: what the weights of units add up to, and that each unit is drawn as often as the others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from causal_zigzag.resampling.schemes import DEFAULT, SCHEMES

UNITS = 21
TOTALS = {
    "drawn-0.7": 15,
    "drawn-0.5": 10,
    "drawn-0.85": 18,
    "bootstrap": 21,
    "halves": 10,
    "subset-0.37": 8,
    "subset-0.7": 15,
    "bayesian": 21,
}


def test_the_default_draws_with_replacement() -> None:
    assert DEFAULT.name == next(iter(SCHEMES)) == "drawn-0.7"
    assert DEFAULT.words.format(units="rows") == "0.7 times as many rows as there are, with replacement"
    assert max(DEFAULT.weights(UNITS, [1], number).max() for number in range(20)) > 1


@pytest.mark.parametrize("name", SCHEMES)
def test_weights_of_a_resample(name: str) -> None:
    """They have the right sum, and depend on the number of the resample and on the entropy alone."""
    scheme = SCHEMES[name]
    drawn = [scheme.weights(UNITS, [5, 6], number) for number in range(8)]
    for number in reversed(range(8)):
        assert np.array_equal(scheme.weights(UNITS, [5, 6], number), drawn[number])
        assert math.isclose(drawn[number].sum(), TOTALS[name], rel_tol=1e-12)
        assert drawn[number].min() >= 0
        assert name == "bayesian" or set(drawn[number]) <= set(range(UNITS))
        assert not name.startswith(("halves", "subset")) or drawn[number].max() == 1
    assert not any(np.array_equal(drawn[0], other) for other in drawn[1:])
    assert not np.array_equal(scheme.weights(UNITS, [5, 7], 0), drawn[0])


@pytest.mark.parametrize("units", [4, 20, 21])
def test_halves_come_in_complementary_pairs(units: int) -> None:
    scheme = SCHEMES["halves"]
    for pair in range(5):
        first, second = (scheme.weights(units, [1], 2 * pair + member) for member in (0, 1))
        assert (first + second).max() == 1
        assert (first + second).sum() == units - units % 2


@pytest.mark.parametrize("name", SCHEMES)
def test_all_units_are_drawn_equally_often(name: str) -> None:
    """Means of 4,000 resamples are within 6 standard errors of the share: a false-alarm rate below 1e-6 for all."""
    scheme = SCHEMES[name]
    blocks = 4000 // scheme.together
    means = [
        np.mean([scheme.weights(UNITS, [3], scheme.together * block + m) for m in range(scheme.together)], axis=0)
        for block in range(blocks)
    ]
    error = np.std(means, axis=0) / math.sqrt(blocks)
    assert (np.abs(np.mean(means, axis=0) - TOTALS[name] / UNITS) < 6 * error).all()
