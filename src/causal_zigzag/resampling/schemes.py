"""Schemes: how often each unit of a table, a row or rows that belong together, counts in a resample.

The average of the posteriors of resampled tables is the bagged posterior (Huggins & Miller 2023; Bühlmann 2014). The
default draws 0.7 times as many units as there are, with replacement (Bickel, Götze & van Zwet 1997). A bootstrap sample
of full size has units twice, which looks like dependence (Steck & Jaakkola 2003), and half-samples (Politis & Romano
1994) in complementary pairs (Shah & Samworth 2013) miss weak edges. See `benchmarks/halves.txt`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWN = 0.7  # units drawn with replacement, relative to their number; measured: 0.5 to 0.85 are hardly worse

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


def _with_replacement(share: float) -> Draw:
    def draw(units: int, rng: np.random.Generator, member: int) -> NDArray[np.float64]:  # noqa: ARG001
        return np.bincount(rng.integers(units, size=round(share * units)), minlength=units).astype(np.float64)

    return draw


def _without_replacement(share: float) -> Draw:
    def draw(units: int, rng: np.random.Generator, member: int) -> NDArray[np.float64]:  # noqa: ARG001
        weights = np.zeros(units)
        weights[rng.permutation(units)[: round(share * units)]] = 1.0
        return weights

    return draw


def _bayesian(units: int, rng: np.random.Generator, member: int) -> NDArray[np.float64]:  # noqa: ARG001
    gaps = rng.standard_exponential(units)
    return np.asarray(gaps * (units / gaps.sum()))


def _drawn(share: float, name: str = "") -> Scheme:
    words = f"{share:g} times as many" if share != 1 else "as many"
    name = name or f"drawn-{share:g}"
    return Scheme(name, f"{words} {{units}} as there are, with replacement", 1, _with_replacement(share))


def _subset(share: float) -> Scheme:
    words = f"{share:g} of the {{units}}, without replacement"
    return Scheme(f"subset-{share:g}", words, 1, _without_replacement(share))


DEFAULT = _drawn(DRAWN)

SCHEMES = {
    scheme.name: scheme
    for scheme in (
        DEFAULT,
        _drawn(0.5),
        _drawn(0.85),
        _drawn(1.0, "bootstrap"),
        Scheme("halves", "half of the {units}, in complementary pairs", 2, _half),
        _subset(0.37),
        _subset(0.7),
        Scheme("bayesian", "random weights of all {units} (Bayesian bootstrap)", 1, _bayesian),
    )
}
"""The schemes that are compared in `benchmarks/halves.py`; the first is the default."""
