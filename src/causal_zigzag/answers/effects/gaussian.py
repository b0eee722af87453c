"""Posteriors of regression coefficients: the effect of a cause given its parents, on all outcomes at once.

Given the parents S of x, the effect of x on y is the coefficient of x in the regression of y on x and S. Its posterior
is a Student t distribution, by least squares for ``GaussianBIC`` and by the normal-Wishart posterior for ``BGe``; see
``RegressionMoments``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.scores.base import Score
    from causal_zigzag.scores.regression import RegressionMoments

CHUNK = 1 << 20  # numbers of the right-hand sides of the regressions that are solved at once
LEAST_SHARE = 1e-15  # of a variance that may be left after rounding


class Coefficients(NamedTuple):
    """Student t posteriors of effects, one row per parent set and one column per outcome; ``freedom`` per row."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    freedom: NDArray[np.float64]

    @property
    def variance(self) -> NDArray[np.float64]:
        """The variances; infinite for 2 or fewer degrees of freedom."""
        with np.errstate(divide="ignore"):
            factor = np.where(self.freedom > 2, self.freedom / np.maximum(self.freedom - 2, 0), np.inf)
        return np.asarray(self.scale**2 * factor[:, None])

    def chosen(self, rows: NDArray[np.int64]) -> Coefficients:
        """The posteriors of some rows."""
        return Coefficients(self.mean[rows], self.scale[rows], self.freedom[rows])


def moments_of(score: Score) -> RegressionMoments:
    """The regression moments of a Gaussian score; a ScoreError for another score."""
    moments = score.regression_moments()
    if moments is None:
        raise ScoreError(
            f"there are no effects under {score!r}, as {score.no_effects}; ancestors() works for every score"
        )
    return moments


def coefficients(table: ParentSetTable, moments: RegressionMoments, standardized: bool = False) -> Coefficients:
    """The posteriors of the effects of the causes of a table, given the parents of each of its rows.

    They are in the units of the data, or, if ``standardized``, in standard deviations of cause and outcome.

    They have no meaning for outcomes that are the cause itself or one of the parents.
    """
    matrix, n = moments.matrix, len(table.nodes)
    freedom = moments.freedom + moments.freedom_per_parent * table.sizes.astype(np.float64)
    if len(table) and freedom.min() <= 0:
        _refuse(table, freedom)
    mean, scale = np.empty((len(table), n)), np.empty((len(table), n))
    for size in np.unique(table.sizes):
        rows, parents = table.of_size(int(size))
        step = 1 + CHUNK // ((int(size) + 1) * n)
        for first in range(0, len(rows), step):
            some = rows[first : first + step]
            # with the cause last, the last pivot of the Cholesky factor L is 1 / sqrt of (M_PP^-1)_xx
            P = np.column_stack([parents[first : first + step], table.cause[some]])
            L = np.linalg.cholesky(matrix[P[:, :, None], P[:, None, :]])
            Z = np.linalg.solve(L, matrix[P])
            pivot = L[:, -1, -1][:, None]
            left = np.maximum(1 - np.einsum("ijk,ijk->ik", Z, Z), LEAST_SHARE)
            mean[some] = Z[:, -1] / pivot
            scale[some] = np.sqrt(left / freedom[some][:, None]) / pivot
    if not standardized:
        unit = np.exp(moments.log_deviation[None, :] - moments.log_deviation[table.cause][:, None])
        mean *= unit
        scale *= unit
    return Coefficients(mean, scale, freedom)


def _refuse(table: ParentSetTable, freedom: NDArray[np.float64]) -> None:
    row = int(freedom.argmin())
    size = int(table.sizes[row])
    rows = round(float(freedom[row]) + size + 2)
    raise ScoreError(
        f"{count(rows, 'row')} are too few for effects: {show(table.nodes[table.cause[row]])} has "
        f"{count(size, 'parent')} in one of the classes, and a regression on it and its parents needs at least "
        f"{size + 3} rows; use score='bge', or sample with max_degree={max(1, rows - 3)}"
    )
