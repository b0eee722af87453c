"""Effects in linear models: posteriors of regression coefficients given the parents of a cause, and their mixtures.

Given the parents S of x, the effect of x on y is the coefficient of x in the regression of y on x and S. Its posterior
is a Student t distribution, by least squares for ``GaussianBIC`` and by the normal-Wishart posterior for ``BGe``; see
``RegressionMoments``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.effects.robustness import robustness_values
from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.scores.base import Score
    from causal_zigzag.scores.regression import RegressionMoments

TAILS = np.array([0.025, 0.975])
NUMBERS = (
    "mean", "sd", "lower", "upper", "probability_nonzero", "probability_positive", "path_lower", "path_upper",
    "robustness", "robustness_interval", "between", "within",
)  # fmt: skip
NUMBERS_AT_ONCE = 1 << 20  # numbers of the right-hand sides of the regressions that are solved at once
LEAST_SHARE = 1e-15  # of a variance that may be left after rounding


class Coefficients(NamedTuple):
    """Student t posteriors of effects, one row per parent set and one column per outcome; ``freedom`` per row."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    freedom: NDArray[np.float64]

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
        step = 1 + NUMBERS_AT_ONCE // ((int(size) + 1) * n)
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


def mixture_numbers(
    weights: NDArray[np.float64], mean: NDArray[np.float64], scale: NDArray[np.float64], freedom: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """The numbers about mixtures of Student t distributions and a point mass at 0, one mixture per column.

    Rows are components; the rest of their weights is the point mass.
    """
    path = np.minimum(weights.sum(axis=0), 1.0)
    rest = 1 - path
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(freedom > 2, freedom / np.maximum(freedom - 2, 0), np.inf)[:, None]
        given = np.where(path > 0, weights / path, 0.0)  # a causal path
    variance = np.where(weights > 0, scale**2 * factor, 0.0)
    below, ends = _core.mixture_quantiles(weights, mean, scale, freedom, rest, TAILS)
    _, given_ends = _core.mixture_quantiles(given, mean, scale, freedom, np.where(path > 0, 0.0, 1.0), TAILS)
    robust = robustness_values(mean, scale, np.broadcast_to(freedom[:, None], mean.shape))
    robust_means = [np.where(path > 0, (given * values).sum(axis=0), np.nan) for values in robust]
    center = (weights * mean).sum(axis=0)
    between = (weights * (mean - center) ** 2).sum(axis=0) + rest * center**2
    within = (weights * variance).sum(axis=0)
    numbers = (
        center, np.sqrt(between + within), *ends.reshape(-1, 2).T, path, np.maximum(path - below, 0.0),
        *given_ends.reshape(-1, 2).T, *robust_means, between, within,
    )  # fmt: skip
    return dict(zip(NUMBERS, numbers, strict=True))


def effect_rows(
    table: ParentSetTable, found: Coefficients, outcomes: Sequence[int], mcse: NDArray[np.float64]
) -> pd.DataFrame:
    """The effects of the causes of a table on these outcomes; ``mcse`` are the errors of the means, causes by nodes."""
    import pandas as pd

    ends, parts = np.array(outcomes, dtype=np.int64), []
    for i, x in enumerate(table.causes.tolist()):
        rows, columns = np.flatnonzero(table.cause == x), ends[ends != x]
        weights, mean, scale = (
            np.ascontiguousarray(part[rows][:, columns]) for part in (table.below, found.mean, found.scale)
        )
        numbers = mixture_numbers(weights, mean, scale, found.freedom[rows])
        parts.append(pd.DataFrame({"x": x, "y": columns, **numbers, "mcse": mcse[i, columns]}))
    return pd.concat(parts, ignore_index=True)


def effect_frame(nodes: Sequence[Hashable], parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One row per ordered pair of different nodes, by descending size of the mean.

    Pairs whose 95 % interval is 0 to 0 come last: sizes depend on units, and in small units a mean over improbable
    effects can be large.
    """
    import pandas as pd

    names = np.empty(len(nodes), dtype=object)
    names[:] = [*nodes]
    empty = pd.DataFrame({name: np.zeros(0) for name in ("x", "y", *NUMBERS, "mcse")}).astype({"x": int, "y": int})
    rows = pd.concat(parts, ignore_index=True) if parts else empty
    is_zero = (rows["lower"] == 0) & (rows["upper"] == 0)
    order = np.lexsort((rows["y"], rows["x"], -rows["probability_nonzero"], -rows["mean"].abs(), is_zero))
    rows = rows.iloc[order].reset_index(drop=True)
    ends = {"cause": names[rows["x"]], "outcome": names[rows["y"]]}
    return pd.DataFrame({**ends, **{name: rows[name] for name in (*NUMBERS, "mcse")}})
