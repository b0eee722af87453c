"""Units: what a resample draws together, rows, groups of rows, or blocks of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import meant, show, show_all
from causal_zigzag.resampling.block_length import block_length
from causal_zigzag.support.validation import is_hashable
from causal_zigzag.support.wording import count
from causal_zigzag.tables.times.time_steps import group_numbers, rows_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table

FEWEST = 4  # of groups: draws from fewer are hardly a sample
MOST_NAMES = 16  # of columns that name groups together


class Units(NamedTuple):
    """The number of the unit of each row, what a unit is in words, and the columns that name the units."""

    of_row: NDArray[np.intp]
    words: str
    by: tuple[Hashable, ...] = ()

    @property
    def number(self) -> int:
        """The number of units."""
        return int(self.of_row.max()) + 1


def read_units(by: Any, table: Table | None, rows: int) -> Units:
    """The units for what the user gave as ``by``, of a score of this number of rows.

    ``by`` is the name of a column of the table, some names, or one value per row; None for the groups that the table
    was read with, the blocks of its series, or its rows.
    """
    if by is None:
        if table is not None and table.in_time:
            return _blocks(table)
        if table is not None and table.groups is not None:
            return _groups(table.groups, table.by)
        return Units(np.arange(rows), "rows")
    names = names_of(by, rows)
    if names is None:
        values = np.asarray(by.to_numpy() if hasattr(by, "to_numpy") else by, dtype=object)
        name = getattr(by, "name", None)
        numbers = group_numbers(["by"], {"by": values}, rows, "group")
        return _groups(numbers, ("by" if name is None else name,))
    if table is not None and table.groups is not None and {*names} == {*table.by}:
        return _groups(table.groups, table.by)
    return _groups(group_numbers(names, _cells(names, table), rows, "group"), tuple(names))


def names_of(by: Any, rows: int) -> list[Hashable] | None:
    """The names of columns that ``by`` is; None if it has one value per row."""
    if isinstance(by, (str, type)) or not hasattr(by, "__len__"):
        names = [by]
    elif len(by) == rows:
        return None
    else:
        names = [*by]
    if len(names) > MOST_NAMES or not all(map(is_hashable, names)):
        raise DataError(f"by must name columns, or have one value for each of {rows:,} rows, not {len(names):,} values")
    return names


def _cells(names: list[Hashable], table: Table | None) -> dict[Hashable, NDArray[Any]]:
    """The cells of the columns that name the groups."""
    columns = {} if table is None else {column.name: column for column in (*table.columns, *table.aside)}
    found: dict[Hashable, NDArray[Any]] = {}
    for name in names:
        if name not in columns:
            known = f"; its columns are {show_all(columns)}{meant(name, [*columns])}" if columns else ""
            raise DataError(
                f"by names the column {show(name)}, which the posterior does not have{known}",
                "pass its values, by=frame['subject'], or the whole table as well, data=frame",
                about=name,
            )
        column = columns[name]
        if column.codes is None:
            assert column.numbers is not None
            found[name] = column.numbers.astype(object)
        else:
            found[name] = np.array([*column.levels, None], dtype=object)[column.codes]
    return found


def _groups(numbers: NDArray[np.intp], by: tuple[Hashable, ...]) -> Units:
    groups = int(numbers.max()) + 1
    if groups < FEWEST:
        raise DataError(
            f"by={show_all(by)} gives {count(groups, 'group')} of rows, but at least {FEWEST} are needed to resample "
            f"groups, and 20 or more to learn much",
            "choose a column that names more groups, or resample rows",
        )
    _, of_row = np.unique(numbers, return_inverse=True)
    return Units(of_row.reshape(-1), f"groups of rows with the same {show_all(by)}", by)


def _blocks(table: Table) -> Units:
    """Blocks of successive rows of each series."""
    assert table.groups is not None
    length = block_length(table)
    of_row = np.empty(table.n_rows, dtype=np.intp)
    first = 0
    for rows in rows_of(table.groups):
        own = np.arange(len(rows)) // length
        of_row[rows] = first + own
        first += int(own.max()) + 1
    if first < FEWEST:
        return Units(np.arange(table.n_rows), "rows")
    return Units(of_row, f"blocks of {count(length, 'successive row')}", table.by)
