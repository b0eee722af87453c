"""The effects of all causes of a table of parent sets on all outcomes: moments, quantiles and probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.effects.robustness import robustness_values

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.gaussian import Coefficients
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable

TAILS = np.array([0.025, 0.975])
COLUMNS = (
    "mean", "sd", "lower", "upper", "probability_nonzero", "probability_positive", "path_lower", "path_upper",
    "robustness", "robustness_interval", "between", "within", "mcse",
)  # fmt: skip


class EffectBlock(NamedTuple):
    """The columns of the table of effects for some causes: one array per name in COLUMNS, causes by outcomes."""

    causes: NDArray[np.int64]
    columns: dict[str, NDArray[np.float64]]


def effect_block(
    table: ParentSetTable, found: Coefficients, outcomes: NDArray[np.int64], mcse: NDArray[np.float64]
) -> EffectBlock:
    """The effects of the causes of a table on these outcomes; ``mcse`` are the errors of the means, causes by nodes."""
    columns = {name: np.zeros((len(table.causes), len(outcomes))) for name in COLUMNS}
    order = np.argsort(table.cause, kind="stable")
    ends = np.searchsorted(table.cause[order], table.causes, side="right")
    for i, rows in enumerate(np.split(order, ends[:-1])):
        weights = np.ascontiguousarray(table.below[rows][:, outcomes])
        own = found.chosen(rows)
        mean, scale = (np.ascontiguousarray(part[:, outcomes]) for part in (own.mean, own.scale))
        variance = np.where(weights > 0, own.variance[:, outcomes], 0.0)  # it can be infinite
        probability = np.minimum(weights.sum(axis=0), 1.0)
        rest = 1 - probability
        below, quantiles = _core.mixture_quantiles(weights, mean, scale, own.freedom, rest, TAILS)
        center = np.einsum("ij,ij->j", weights, mean)
        columns["mean"][i] = center
        columns["between"][i] = np.einsum("ij,ij->j", weights, (mean - center) ** 2) + rest * center**2
        columns["within"][i] = np.einsum("ij,ij->j", weights, variance)
        columns["lower"][i], columns["upper"][i] = quantiles.reshape(-1, 2).T
        with np.errstate(divide="ignore", invalid="ignore"):
            given = np.where(probability > 0, weights / probability, 0.0)
        path = _core.mixture_quantiles(given, mean, scale, own.freedom, np.where(probability > 0, 0.0, 1.0), TAILS)[1]
        columns["path_lower"][i], columns["path_upper"][i] = path.reshape(-1, 2).T
        robust = robustness_values(mean, scale, np.broadcast_to(own.freedom[:, None], mean.shape))
        for name, values in zip(("robustness", "robustness_interval"), robust, strict=True):
            columns[name][i] = np.where(probability > 0, np.einsum("ij,ij->j", given, values), np.nan)
        columns["probability_nonzero"][i] = probability
        columns["probability_positive"][i] = np.maximum(probability - below, 0.0)
    columns["sd"] = np.sqrt(columns["between"] + columns["within"])
    columns["mcse"] = mcse[:, outcomes]
    return EffectBlock(table.causes, columns)


def effect_frame(nodes: Sequence[Hashable], blocks: Sequence[EffectBlock], outcomes: NDArray[np.int64]) -> pd.DataFrame:
    """One row per ordered pair of different nodes, by descending size of the mean.

    Pairs whose 95 % interval is 0 to 0 come last: sizes depend on units, and in small units a mean over improbable
    effects can be large.
    """
    import pandas as pd

    causes = np.concatenate([block.causes for block in blocks]) if blocks else np.zeros(0, dtype=np.int64)
    x, y = np.repeat(causes, len(outcomes)), np.tile(outcomes, len(causes))
    values = {
        name: np.concatenate([block.columns[name].ravel() for block in blocks]) if blocks else np.zeros(0)
        for name in COLUMNS
    }
    kept = np.flatnonzero(x != y)
    size = np.abs(values["mean"][kept])
    is_zero = (values["lower"][kept] == 0) & (values["upper"][kept] == 0)
    kept = kept[np.lexsort((y[kept], x[kept], -values["probability_nonzero"][kept], -size, is_zero))]
    names = np.empty(len(nodes), dtype=object)
    names[:] = [*nodes]
    ends = {"cause": names[x[kept]], "outcome": names[y[kept]]}
    return pd.DataFrame({**ends, **{name: column[kept] for name, column in values.items()}})
