"""The exact table of all effects in linear models of numbers, for all outcomes of a cause at once.

Given the parents S of x, the effect of x on y is the coefficient of x in the regression of y on x and S. Its posterior
is a Student t distribution; see ``RegressionMoments``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag.answers.effects.effect import COLUMNS
from causal_zigzag.answers.effects.mixture import NUMBERS, mixture_numbers
from causal_zigzag.answers.effects.pair import group_errors
from causal_zigzag.answers.effects.robustness import robustness_values
from causal_zigzag.scores.responses.linear import LinearModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.pair import Source, Sources
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.answers.weighted_classes import WeightedClasses

NUMBERS_AT_ONCE = 1 << 20  # numbers of the right-hand sides of the regressions that are solved at once
NEARLY_NONE = 1e-15  # weight of what matters only where there is nothing else
LEAST_SHARE = 1e-15  # of a variance that may be left after rounding


class Coefficients(NamedTuple):
    """Student t posteriors of effects, one row per parent set and one column per outcome; ``freedom`` per row."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    freedom: NDArray[np.float64]


def coefficients(table: ParentSetTable, model: LinearModel, standardized: bool = False) -> Coefficients:
    """The posteriors of the effects of the causes of a table, given the parents of each of its rows.

    They are in the units of the data, or, if ``standardized``, in standard deviations of cause and outcome. They have
    no meaning for outcomes that are the cause itself or one of the parents, and are NaN where rows are too few.
    """
    moments = model.moments
    matrix, n = moments.matrix, len(table.nodes)
    freedom = moments.freedom + moments.freedom_per_parent * table.sizes.astype(np.float64)
    mean, scale = np.full((len(table), n), np.nan), np.full((len(table), n), np.nan)
    for size in np.unique(table.sizes[freedom > 0]):
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


def exact_rows(given: Sources, outcomes: Sequence[int], standardized: bool) -> pd.DataFrame:
    """The rows of the table of effects for the causes of these sources."""
    import pandas as pd

    classes, path = given.classes, given.path
    found = [*given.groups, *(source._replace(weight=source.weight * NEARLY_NONE) for source in given.spare)]
    posteriors: Any = [coefficients(source.table, source.model, standardized) for source in found]  # type: ignore[arg-type]
    below = [source.weight * source.table.below for source in found]
    table, ends, parts = found[0].table, np.array(outcomes, dtype=np.int64), []
    mcse = table.errors(classes, posteriors[0].mean)[:, :, 0] if len(found) == 1 else None
    for i, x in enumerate(table.causes.tolist()):
        rows, columns = [np.flatnonzero(source.table.cause == x) for source in found], ends[ends != x]
        own = [[np.ascontiguousarray(part[r][:, columns]) for part in (w, p.mean, p.scale)]
               for w, p, r in zip(below, posteriors, rows, strict=True)]  # fmt: skip
        weights, mean, scale = (np.concatenate(parts_of) for parts_of in zip(*own, strict=True))
        freedom = np.concatenate([p.freedom[r] for p, r in zip(posteriors, rows, strict=True)])
        if path is not None:
            weights *= path[i, columns] / np.maximum(weights.sum(axis=0), 1e-300)
        total, known = weights.sum(axis=0), freedom > 0
        few = (weights[~known] > 0).any(axis=0)
        weights, mean, scale, freedom = weights[known], mean[known], scale[known], freedom[known]
        numbers = mixture_numbers(weights, mean, scale, freedom)
        strength = np.abs(mean) / (scale * np.sqrt(freedom)[:, None])
        robust = robustness_values(strength, np.broadcast_to(freedom[:, None], mean.shape))
        for name, values in zip(("robustness", "robustness_interval"), robust, strict=True):
            sums = np.where(weights > 0, weights * values, 0.0).sum(axis=0)
            numbers[name] = np.divide(sums, total, out=np.full(len(total), np.nan), where=total > 0)
        for name in NUMBERS:
            numbers[name] = np.where(few, np.nan, numbers[name])
        numbers["probability_nonzero"] = np.minimum(total, 1.0)
        error = mcse[i, columns] if mcse is not None else _errors(classes, found, own)
        names = np.empty(len(columns), dtype=object)
        names[:] = [table.nodes[y] for y in columns.tolist()]
        labels = {"cause": [table.nodes[x]] * len(columns), "outcome": names, "level": None, "from": None, "to": None}
        note = np.where(few, _too_few(found, rows), "").astype(object)
        parts.append(pd.DataFrame({**labels, **numbers, "mcse": error, "note": note}, columns=[*COLUMNS]))
    return pd.concat(parts, ignore_index=True)


def _too_few(found: Sequence[Source], rows: Sequence[NDArray[np.int64]]) -> str:
    """Why effects of a cause are not known."""
    source, own = max(zip(found, rows, strict=True), key=lambda pair: int(pair[0].table.sizes[pair[1]].max(initial=0)))
    sizes = source.table.sizes[own]
    x = int(source.table.cause[own[0]]) if len(own) else 0
    assert isinstance(source.model, LinearModel)
    return source.model.too_few_rows(x, int(sizes.max(initial=0)))


def _errors(
    classes: WeightedClasses, found: Sequence[Source], own: Sequence[Sequence[NDArray[np.float64]]]
) -> NDArray[np.float64]:
    """The Monte Carlo errors of the means over many groups, each of which is a draw."""
    weights = np.array([source.weight for source in found])
    values = np.array([(w * mean).sum(axis=0) for w, mean, _ in own]) / weights[:, None]
    return group_errors(classes, values, weights)
