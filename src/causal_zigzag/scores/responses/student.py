"""Responses whose posteriors are Student t distributions: of linear models and of curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.scores.responses.response import ResponseModel, Terms

LEAST_FREEDOM = 3.0  # so that there is a variance
LEAST_SHARE = 1e-9  # of a sum of squares that is not rounding


Correction = Callable[[NDArray[np.float64], NDArray[np.float64]], tuple[float, float]]


class StudentResponses(NamedTuple):
    """Regressions of the columns of y on those of x.

    With ``estimates`` B (columns of x by columns of y), ``inverses`` C and ``residuals`` R, the change c'Bg has the
    squared scale c'Cc g'Rg / v, with v degrees of ``freedom``. The mean of g'y, with x at its own mean, is ``centre``'g
    and has the variance g'Vg, with V in ``offsets``. The variance of an indicator is p (1 - p), so it differs between
    rows: for a y with levels, ``correction`` returns the ratio of the error of a change to that in a model with one
    variance, and its degrees of freedom, both in the regression without parents of the cause.
    """

    place: NDArray[np.int64]
    share: NDArray[np.float64]
    estimates: NDArray[np.float64]
    inverses: NDArray[np.float64]
    residuals: NDArray[np.float64]
    freedom: NDArray[np.float64]
    offsets: NDArray[np.float64]
    centre: NDArray[np.float64]
    origin: NDArray[np.float64]  # the vector f of x at its own mean
    is_linear: bool
    correction: Correction | None = None  # a function of c and g

    def change(self, c: NDArray[np.float64], g: NDArray[np.float64]) -> Terms:
        means, scales = self._coefficients(c, g)
        strength = np.full(len(means), np.nan)
        if self.is_linear:
            with np.errstate(divide="ignore", invalid="ignore"):
                strength = np.abs(means) / (scales * np.sqrt(self.freedom))
        ratio, most_freedom = 1.0, np.inf
        if self.correction is not None and (c != 0).any():
            ratio, most_freedom = self.correction(c, g)
        freedom = np.minimum(self.freedom, most_freedom)
        return Terms(means, scales * ratio, freedom, None, strength, self.freedom)

    def value(self, f: NDArray[np.float64], g: NDArray[np.float64]) -> Terms:
        means, scales = self._coefficients(f - self.origin, g)
        squares = scales**2 + np.einsum("i,rij,j->r", g, self.offsets, g)
        none = np.full(len(means), np.nan)
        mean = float(self.centre @ g) + float((g < 0).any())  # the first level is the rest
        return Terms(mean + means, np.sqrt(np.maximum(squares, 0)), self.freedom, None, none, none)

    def unsupported(self, c: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG002
        return np.zeros(len(self.place))

    def _coefficients(
        self, c: NDArray[np.float64], g: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        means = np.einsum("i,rij,j->r", c, self.estimates, g)
        squares = np.einsum("i,rij,j->r", c, self.inverses, c) * np.einsum("i,rij,j->r", g, self.residuals, g)
        return np.asarray(means), np.asarray(np.sqrt(np.maximum(squares, 0) / self.freedom))


def two_shares(pairs: NDArray[np.float64], c: NDArray[np.float64], g: NDArray[np.float64]) -> tuple[float, float]:
    """The correction for a cause with levels: the error of two independent shares, with the degrees of freedom of Welch
    (1947). ``pairs`` are rows by level of x and level of y; ``c`` has the indicators of all levels but the first.
    """
    rows = np.maximum(pairs.sum(axis=1), 1.0)
    p = pairs[:, 1:] @ g + (g < 0).any() * pairs.sum(axis=1)
    p = np.clip((p + 0.5) / (rows + 1), 0, 1)  # as after half a row of each kind
    variance, change = p * (1 - p), np.append(-c.sum(), c)
    squares = (change**2 * variance / rows)[change != 0]
    pooled = float(variance @ rows / rows.sum() * (change**2 / rows).sum())
    freedom = squares.sum() ** 2 / (squares**2 / np.maximum(rows[change != 0] - 1, 1)).sum()
    return float(np.sqrt(squares.sum() / pooled)), float(freedom)


def share_by_number(powers: NDArray[np.float64], c: NDArray[np.float64], g: NDArray[np.float64]) -> tuple[float, float]:
    """The correction for a cause that is a number: White's (1980) error of the slope of an indicator, with the freedom
    of its sum of squares. ``powers`` are those of the number, with the indicators of all levels of y but the first.
    """
    del c  # the same for all changes
    rows, inside = powers[0, 0], powers[:, 1:] @ g + (g < 0).any() * powers[:, 0]
    outside, p, slope = powers[:, 0] - inside, inside[0] / rows, inside[1] / rows
    left = rows * (p * (1 - p) - slope**2)  # Σ e², as d has mean 0 and variance 1
    squares = fourth = 0.0
    for sums, at in ((inside, 1 - p), (outside, -p)):
        error = np.convolve([at, -slope], [at, -slope])  # e² as a polynomial in d
        squares += float(error @ sums[2:5])  # Σ d² e²
        fourth += float(np.convolve(error, error) @ sums[4:])  # Σ d⁴ e⁴
    if min(left, squares, fourth) <= LEAST_SHARE * rows:
        return 1.0, np.inf  # the number determines the level
    return float(np.sqrt(squares / left)), max(squares**2 / fourth, LEAST_FREEDOM)


class StudentModel(ResponseModel):
    """A model whose levels stand for indicators of all but the first, and whose probabilities are not bounded."""

    is_bounded = False

    def level_vectors(self, v: int) -> NDArray[np.float64]:
        return np.eye(len(self.levels[v]))[:, 1:]

    def outcome_vectors(self, v: int) -> NDArray[np.float64]:
        if not self.levels[v]:
            return np.ones((1, 1))
        others = len(self.levels[v]) - 1
        return np.vstack([-np.ones(others), np.eye(others)])


def mean_of_rows(mean: float, deviation: float, rows: float) -> Terms:
    """The posterior of a mean."""
    none = np.full(1, np.nan)
    scale = np.array([deviation / np.sqrt(rows)])
    return Terms(np.array([mean]), scale, np.array([max(rows - 1.0, 1.0)]), None, none, none)
