"""Effects of categorical columns from a table of parent sets: of one pair of nodes, or of all pairs in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.effects.discrete_cells import CodedRows, CountedRows
from causal_zigzag.answers.effects.discrete_effect import CONTRAST_COLUMNS, AdjustmentSets, DiscreteEffect
from causal_zigzag.answers.effects.effect import EffectError
from causal_zigzag.answers.effects.pooled_cells import PooledRows

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.discrete_cells import Moments
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.scores.discrete import CategoricalRows


def discrete_effect(
    given: CategoricalRows, table: ParentSetTable, y: int, classes: WeightedClasses, from_draws: float
) -> DiscreteEffect:
    """The effect of the one cause of a table on y."""
    ((_, effect),) = _effects(_data(given, table, classes), given, table, int(table.causes[0]), [y], classes)
    return replace(effect, from_draws=from_draws)


def discrete_rows(
    given: CategoricalRows, table: ParentSetTable, outcomes: Sequence[int], classes: WeightedClasses
) -> list[dict[str, object]]:
    """The rows of the table of effects for the causes of this table: the largest contrast of each pair."""
    data = _data(given, table, classes)
    found, values = [], np.zeros((len(table), len(table.nodes)))
    for x in table.causes.tolist():
        for y, effect in _effects(data, given, table, x, [y for y in outcomes if y != x], None):
            change = effect.largest()
            a, b, k = change.places
            rows = _rows(table, x, y)
            values[rows, y] = effect.adjustment.means[:, b, k] - effect.adjustment.means[:, a, k]
            found.append((x, y, change))
    mcse = table.errors(classes, values)[:, :, 0]
    place = {x: i for i, x in enumerate(table.causes.tolist())}
    return [change.row(float(mcse[place[x], y])) for x, y, change in found]


def discrete_frame(rows: list[dict[str, object]]) -> pd.DataFrame:
    """One row per ordered pair of nodes, by descending size of the contrast."""
    import pandas as pd

    rows = sorted(rows, key=lambda row: (-abs(row["mean"]), -row["probability_nonzero"]))  # type: ignore[arg-type,operator]
    frame = pd.DataFrame(rows, columns=list(CONTRAST_COLUMNS))
    return frame.astype(dict.fromkeys(CONTRAST_COLUMNS[5:], np.float64))


def _data(given: CategoricalRows, table: ParentSetTable, classes: WeightedClasses) -> CountedRows:
    """The rows of the table, or of completed tables if cells are missing."""
    if classes.completions is None:
        return CodedRows(given)
    return PooledRows(classes.completions, table.causes.tolist())


def _effects(
    data: CountedRows,
    given: CategoricalRows,
    table: ParentSetTable,
    x: int,
    outcomes: Sequence[int],
    classes: WeightedClasses | None,
) -> Iterator[tuple[int, DiscreteEffect]]:
    """The effects of one cause of a table on some outcomes; without ``classes`` their errors are NaN."""
    levels, nodes = given.levels, table.nodes
    sets: dict[int, list[tuple[int, ...]]] = {y: [] for y in outcomes}
    moments: dict[int, list[Moments]] = {y: [] for y in outcomes}
    for row in np.flatnonzero(table.cause == x):
        below = [y for y in outcomes if table.below[row, y] > 0]
        if not below:
            continue
        members = tuple(table.members[table.begin[row] : table.begin[row + 1]].tolist())
        configurations = data.configurations(members)
        for y in below:
            sets[y].append(members)
            moments[y].append(data.cells(x, configurations, y).moments())
    for y in outcomes:
        rows = _rows(table, x, y)
        a, b = data.levels[x], data.levels[y]
        adjustment = AdjustmentSets(
            data,
            x,
            y,
            tuple(sets[y]),
            table.below[rows, y],
            np.array([m.mean for m in moments[y]]).reshape(-1, a, b),
            np.array([m.covariance for m in moments[y]]).reshape(-1, a, a, b),
            data.marginal(y).moments(),
            _unknown if classes is None else partial(_error, classes, table, rows, y),
        )
        yield y, DiscreteEffect(nodes[x], nodes[y], levels[x], levels[y], adjustment, nodes)


def _rows(table: ParentSetTable, x: int, y: int) -> NDArray[np.int64]:
    """The parent sets of x with which y is below x."""
    return np.flatnonzero((table.cause == x) & (table.below[:, y] > 0))


def _error(
    classes: WeightedClasses, table: ParentSetTable, rows: NDArray[np.int64], y: int, changes: NDArray[np.float64]
) -> EffectError:
    values = np.zeros((len(table), len(table.nodes)))
    values[rows, y] = changes
    return EffectError(*table.errors(classes, values)[0, y].tolist())


def _unknown(_: object) -> EffectError:
    return EffectError(np.nan, np.nan)
