"""Numbers as a person would write them."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.support.wording import class_probability, count, percentage, probability


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0, "0"),
        (1, "1"),
        (1 + 1e-12, "1"),
        (1e-300, "<0.001"),
        (0.0005, "0.001"),
        (0.9994, "0.999"),
        (0.9996, ">0.999"),
    ],
)
def test_probabilities_are_rounded_to_neither_zero_nor_one(p: float, text: str) -> None:
    assert probability(p) == text


def test_small_classes_are_told_apart() -> None:
    shown = [class_probability(p) for p in 10.0 ** -np.arange(1, 12)]
    assert len(set(shown)) == len(shown)
    assert not any("0.0000 " in f"{text} " for text in shown)


def test_percentages() -> None:
    assert percentage(1 - 1e-9) == "more than 99.9 %"
    assert percentage(1e-9) == "less than 0.1 %"
    assert percentage(0.25) == "25 %"


def test_nouns() -> None:
    assert [count(1, "class"), count(2, "class"), count(1234, "edge")] == ["1 class", "2 classes", "1,234 edges"]


def test_effective_samples_beyond_rounding_are_not_shown() -> None:
    found = cz.sample(cz.Uniform(2), jumps=2000, rng=1).diagnostics()
    assert "e+" not in str(found)
    huge = found.table["ess"][found.table["ess"] > 1e6]
    assert np.isinf(huge).all()
