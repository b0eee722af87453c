"""The contexts of a table: columns that say which experiment a row comes from, and the variables that these act on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import meant, show, show_all
from causal_zigzag.tables.column_kinds import MISSING_CODE, column_of
from causal_zigzag.tables.raw_columns import Raw

if TYPE_CHECKING:
    from causal_zigzag.tables.column_kinds import Column
    from causal_zigzag.tables.table import Table

MOST_LEVELS = 50  # of a condition
OFF = {
    "0", "0.0", "false", "no", "off", "none", "control", "controls", "placebo", "vehicle", "untreated", "baseline",
    "observational", "observed", "wt", "wildtype", "wild-type",
}  # fmt: skip
"""The level of a condition that is off, in small letters."""
ROWS_PER_LEVEL = 2


def with_contexts(table: Table, contexts: Any = (), targets: Mapping[Any, Any] | None = None) -> Table:
    """The table with these columns as conditions, which become categories; without any, the table as it is."""
    given = _names(contexts)
    if targets is not None and not isinstance(targets, Mapping):
        raise DataError(f'targets must be a dict such as {{"drug": ["erk"]}}, not {targets!r}')
    if not given:
        if targets:
            raise DataError(f"targets={targets!r} are those of conditions; name the conditions: contexts=[...]")
        return table
    for name in given:
        if table.labels.find(name) is None:
            if left_out := next((note for note in table.notes if name in note.columns), None):
                raise DataError(f"contexts names the column {show(name)}, which was left out: {left_out}", about=name)
            known = f"{show_all(table.nodes)}{meant(name, table.nodes)}"
            raise DataError(f"contexts names the column {show(name)}, but the columns are {known}", about=name)
    if len(given) == len(table.columns):
        raise DataError("every column is a condition, so that nothing is left to explain; leave some out of contexts")
    columns = tuple(_condition(column) if column.name in given else column for column in table.columns)
    contexts = tuple(dict.fromkeys((*table.contexts, *given)))
    found = _read_targets(targets, given, table, columns)
    sets = dict(found)
    columns = tuple(_off_first(column, column.name in sets) if column.name in given else column for column in columns)
    return replace(table, columns=columns, contexts=contexts, targets=found)


def _names(contexts: Any) -> list[Hashable]:
    if isinstance(contexts, (str, bytes)) or not isinstance(contexts, Iterable):
        return [contexts]
    return [*contexts]


def _condition(column: Column) -> Column:
    """The column as categories; a DataError if it has too many values for the conditions of an experiment."""
    values = column.codes if column.numbers is None else column.numbers
    assert values is not None
    distinct, rows = len(np.unique(values[~column.missing])), len(values)
    if distinct > min(MOST_LEVELS, rows / ROWS_PER_LEVEL):
        fault = (
            f"the context {show(column.name)} has {distinct:,} different values in {rows:,} rows, but a condition has "
            f"at most {MOST_LEVELS}, with {ROWS_PER_LEVEL} rows each"
        )
        remedy = "divide it into a few ranges, or leave it out of contexts: a number can be a variable of its own"
        raise DataError(fault, remedy, about=column.name)
    return column if column.kind == "categorical" else column_of(column.name, Raw(values), "categorical", check=False)


def _off_first(column: Column, needed: bool) -> Column:
    """The column with the level first that means that the condition is off, which effects are relative to."""
    off = [code for code, level in enumerate(column.levels) if str(level).strip().casefold() in OFF]
    if len(off) != 1:
        if not needed:
            return column
        levels = show_all([str(level) for level in column.levels])
        fault = f"which level of {show(column.name)} means that its targets are not set? Its levels are {levels}"
        raise DataError(fault, 'write 0, False, "none" or "control" for it', about=column.name)
    order = sorted(range(len(column.levels)), key=lambda code: (code not in off, code))
    codes = np.append(np.argsort(order), MISSING_CODE).astype(np.int32)[column.codes]  # -1 is the last one
    return replace(column, codes=codes, levels=tuple(column.levels[code] for code in order))


def _read_targets(
    targets: Mapping[Any, Any] | None, given: list[Hashable], table: Table, columns: tuple[Column, ...]
) -> tuple[tuple[Hashable, tuple[Hashable, ...]], ...]:
    levels = {column.name: len(column.levels) for column in columns}
    found = []
    for condition, names in (targets or {}).items():
        if condition not in given:
            known = f"the contexts are {show_all(given)}{meant(condition, given)}"
            raise DataError(f"targets names the condition {show(condition)}, but {known}", about=condition)
        if levels[condition] < 2:
            raise DataError(f"the condition {show(condition)} is the same in all rows", about=condition)
        variables = tuple(dict.fromkeys(_names(names)))
        for name in variables:
            if table.labels.find(name) is None or name in given:
                rest = [v for v in table.nodes if v not in given]
                known = f"the variables are {show_all(rest)}{meant(name, rest)}"
                raise DataError(f"{show(name)}, a target of {show(condition)}, is not a variable; {known}", about=name)
        if not variables:
            raise DataError(f"the condition {show(condition)} has no targets; leave it out of targets", about=condition)
        found.append((condition, variables))
    return tuple(found)
