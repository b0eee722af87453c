"""Schemes: how often each unit of a table, a row or rows that belong together, counts in a resample.

The average of the posteriors of resampled tables is the bagged posterior (Huggins & Miller 2023; Bühlmann 2014). Half
of the units without replacement (Politis & Romano 1994) in complementary pairs (Shah & Samworth 2013) is the default: a
bootstrap sample has units twice, which looks like dependence (Steck & Jaakkola 2003).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FRACTION = 0.632  # of the units, if a scheme draws more than half of them without replacement

Draw = Callable[[int, np.random.Generator, int], "NDArray[np.float64]"]


class Scheme(NamedTuple):
    """A way to draw weights of units.

    ``draw(units, rng, member)`` returns the weights of one member of a block of ``together`` resamples, which are drawn
    with the same random numbers and depend on each other. ``words`` say what was drawn, of {units}.
    """

    name: str
    words: str
    together: int
    draw: Draw

    def weights(self, units: int, entropy: list[int], number: int) -> NDArray[np.float64]:
        """The weights of the units in the resample with this number, which depend on nothing else."""
        block, member = divmod(number, self.together)
        return self.draw(units, np.random.default_rng([*entropy, block]), member)


def _half(units: int, rng: np.random.Generator, member: int) -> NDArray[np.float64]:
    half = units // 2
    order = rng.permutation(units)
    weights = np.zeros(units)
    weights[order[:half] if member == 0 else order[units - half :]] = 1.0
    return weights


def _fraction(units: int, rng: np.random.Generator, member: int) -> NDArray[np.float64]:  # noqa: ARG001
    weights = np.zeros(units)
    weights[rng.permutation(units)[: round(FRACTION * units)]] = 1.0
    return weights


def _bootstrap(units: int, rng: np.random.Generator, member: int) -> NDArray[np.float64]:  # noqa: ARG001
    return np.bincount(rng.integers(units, size=units), minlength=units).astype(np.float64)


def _bayesian(units: int, rng: np.random.Generator, member: int) -> NDArray[np.float64]:  # noqa: ARG001
    gaps = rng.standard_exponential(units)
    return np.asarray(gaps * (units / gaps.sum()))


HALVES = Scheme("halves", "half of the {units}, in complementary pairs", 2, _half)

SCHEMES = {
    scheme.name: scheme
    for scheme in (
        HALVES,
        Scheme("fraction", f"{FRACTION:.0%} of the {{units}}, without replacement", 1, _fraction),
        Scheme("bootstrap", "as many {units} as there are, with replacement", 1, _bootstrap),
        Scheme("bayesian", "random weights of all {units} (Bayesian bootstrap)", 1, _bayesian),
    )
}
"""The schemes that were compared; the first is the default."""
