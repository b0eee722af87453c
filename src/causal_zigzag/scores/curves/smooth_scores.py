"""SmoothScores: normal scores as a smooth function of cells, for densities of new cells."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import student_cdf

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_KNOTS = 500  # quantiles of a column on which its distribution is estimated
MANY = 1e9  # degrees of freedom of a normal distribution


class SmoothScores:
    """The map of a cell x to the normal quantile of F(x), with mean 0 and variance 1 over the known cells.

    F is a kernel estimate of the distribution of the column with the bandwidth of Silverman (1986), and a Cauchy
    distribution with the weight of one row, so that cells beyond those that were seen have a density as well. Ranks
    jump at each known cell, so their slopes would be of no use.
    """

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        count = min(len(numbers), MOST_KNOTS)
        self._knots = np.quantile(numbers, (np.arange(count) + 0.5) / count)
        self._rows, self._middle, self._deviation = len(numbers), float(np.median(numbers)), float(numbers.std())
        low, high = np.quantile(numbers, [0.25, 0.75])
        self._width = 0.9 * min(self._deviation, (high - low) / 1.34 or self._deviation) * len(numbers) ** -0.2
        self._centre, self._scale = 0.0, 1.0
        scores = self(numbers if len(numbers) == count else self._knots)[0]
        self._centre, self._scale = float(scores.mean()), float(scores.std())

    def __call__(self, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The scores of cells, and the logs of the slopes of the map there."""
        far = (x - self._middle) / self._deviation
        side = np.where(far > 0, -1.0, 1.0)  # the smaller tail is computed, which keeps its digits
        distance = (x[:, None] - self._knots) / self._width
        tail = student_cdf((side[:, None] * distance).ravel(), np.full(distance.size, MANY)).reshape(distance.shape)
        share = 1 / (self._rows + 1)
        below = (1 - share) * tail.mean(axis=1) + share * (0.5 + np.arctan(side * far) / math.pi)
        density = (1 - share) * np.exp(-0.5 * distance**2).mean(axis=1) / (math.sqrt(2 * math.pi) * self._width)
        density += share / (math.pi * self._deviation * (1 + far**2))
        z = side * np.array([NormalDist().inv_cdf(p) for p in np.clip(below, 1e-300, 1 - 1e-16).tolist()])
        log_slope = np.log(density) + 0.5 * z**2 + 0.5 * math.log(2 * math.pi) - math.log(self._scale)
        return (z - self._centre) / self._scale, log_slope


def smooth_scores(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smooth normal scores of a column."""
    knots = np.unique(np.quantile(numbers, np.linspace(0, 1, min(len(numbers), MOST_KNOTS))))
    return np.interp(numbers, knots, SmoothScores(numbers)(knots)[0])
