"""Densities of effects: mixtures of Student t distributions, one or more per set of parents of the cause."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.effect import Effect
NORMAL = 1e6  # degrees of freedom of what is drawn as a normal density


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


def effect_density(
    effect: Effect, grid: NDArray[np.float64], rows: NDArray[np.bool_] | None = None, unit: float = 1.0
) -> NDArray[np.float64]:
    """The density of some components of an effect in these units, all by default, times their probability.

    Effects that are known from draws alone are smoothed, with the bandwidth of Silverman (1986).
    """
    mixture, kept = effect.mixture, slice(None) if rows is None else rows
    weights, centres, scales = mixture.weights[kept], mixture.terms.mean[kept], mixture.terms.scale[kept]
    freedom = np.minimum(mixture.terms.freedom[kept], NORMAL)
    if mixture.fixed is not None:
        width = 0.9 * mixture.fixed.std() * len(mixture.fixed) ** -0.2
        centres, scales = mixture.fixed[kept], np.full(len(weights), max(width, 1e-300))
    return mixture_density(grid, weights, centres * unit, scales * unit, freedom)
