"""Densities of effects: mixtures of Student t distributions, one per set of parents of the cause."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.effects.queries import effect_coefficients

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import WeightedClasses

NEGLIGIBLE = 1e-4  # share of a parent set, below which a picture does not show it


def mixture_density(
    grid: NDArray[np.float64],
    weights: NDArray[np.float64],
    estimates: NDArray[np.float64],
    scales: NDArray[np.float64],
    freedom: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The sum of the weighted Student t densities on a grid.

    >>> one = np.ones(1)
    >>> round(float(mixture_density(np.zeros(1), one, 0 * one, one, one)[0] * math.pi), 9)  # the Cauchy distribution
    1.0
    """
    constant = np.array([math.lgamma((v + 1) / 2) - math.lgamma(v / 2) - 0.5 * math.log(v * math.pi) for v in freedom])
    t = (grid - estimates[:, None]) / scales[:, None]
    logs = (constant - np.log(scales))[:, None] - (freedom[:, None] + 1) / 2 * np.log1p(t**2 / freedom[:, None])
    return np.asarray(weights @ np.exp(logs))


def standardized_densities(
    classes: WeightedClasses, grids: Mapping[tuple[int, int], NDArray[np.float64]]
) -> dict[tuple[int, int], NDArray[np.float64]]:
    """The densities of effects (cause, outcome), by number, in standard deviations, each on its grid."""
    found = {}
    for table in parent_set_tables(classes.parts, sorted({cause for cause, _ in grids})):
        posterior = effect_coefficients(classes, table, standardized=True)
        for (cause, outcome), grid in grids.items():
            rows = np.flatnonzero((table.cause == cause) & (table.below[:, outcome] > NEGLIGIBLE))
            if cause in table.causes:
                parts = (table.below[rows, outcome], posterior.mean[rows, outcome], posterior.scale[rows, outcome])
                found[cause, outcome] = mixture_density(grid, *parts, posterior.freedom[rows])
    return found
