"""Units: what a resample draws together, rows, groups of rows, or blocks of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import meant, show, show_all
from causal_zigzag.resampling.block_length import block_length
from causal_zigzag.support.validation import is_hashable
from causal_zigzag.support.wording import count
from causal_zigzag.tables.raw_columns import cells_of
from causal_zigzag.tables.time_steps import group_numbers, rows_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table

FEWEST = 4  # of groups: halves of fewer are hardly a sample


class Units(NamedTuple):
    """The number of the unit of each row, what a unit is in words, and the columns that name the units."""

    of_row: NDArray[np.intp]
    words: str
    by: tuple[Hashable, ...] = ()

    @property
    def number(self) -> int:
        """The number of units."""
        return int(self.of_row.max()) + 1


def read_units(by: Any, table: Table | None, rows: int, data: Any = None) -> Units:
    """The units for what the user gave as ``by``, of a score of this number of rows.

    ``by`` is the name of a column of ``data`` or of the table, some names, or an array with one value per row; None for
    the groups that the table was read with, the blocks of its series, or its rows.
    """
    if by is None:
        if table is not None and table.in_time:
            return _blocks(table)
        if table is not None and table.groups is not None:
            return _groups(table.groups, table.by)
        return Units(np.arange(rows), "rows")
    if not isinstance(by, (str, tuple)) and hasattr(by, "__len__") and len(by) == rows and _is_column(by, table):
        values = np.asarray(by.to_numpy() if hasattr(by, "to_numpy") else by, dtype=object)
        return _groups(group_numbers(["by"], {"by": values}, rows, "group"), (getattr(by, "name", None) or "by",))
    names = [*by] if isinstance(by, (list, tuple)) and not _names_one(by, table) else [by]
    if not all(map(is_hashable, names)):
        raise DataError(f"by must have one value for each of {count(rows, 'row')}, not {len(by):,}")
    if table is not None and table.groups is not None and {*names} == {*table.by}:
        return _groups(table.groups, table.by)
    cells = _cells(names, table, rows, data)
    return _groups(group_numbers(names, cells, rows, "group"), tuple(names))


def _is_column(by: Any, table: Table | None) -> bool:
    """Whether these are values of rows, and not names of as many columns."""
    return not (isinstance(by, list) and table is not None and all(is_hashable(v) and v in table.kinds for v in by))


def _names_one(by: Any, table: Table | None) -> bool:
    return isinstance(by, tuple) and table is not None and table.labels.find(by) is not None


def _cells(names: list[Hashable], table: Table | None, rows: int, data: Any) -> dict[Hashable, NDArray[Any]]:
    """The cells of the columns that name the groups: of the data, or of the table."""
    columns = {} if table is None else {column.name: column for column in (*table.columns, *table.aside)}
    if data is not None:
        cells = cells_of(data, names, "by")
        lengths = {len(values) for values in cells.values()}
        if lengths == {rows}:
            return cells
        raise DataError(
            f"data have {count(max(lengths), 'row')}, but the posterior was sampled from {count(rows, 'row')}; pass "
            f"by= with one value for each of these rows"
        )
    for name in names:
        if name not in columns:
            known = f"the table of the posterior has {show_all(columns)}{meant(name, [*columns])}" if columns else ""
            raise DataError(
                f"by names the column {show(name)}, which the posterior does not have{': ' * bool(known)}{known}",
                "pass its values, as by=frame['subject'], or sample with by=, which keeps them",
                about=name,
            )
    found: dict[Hashable, NDArray[Any]] = {}
    for name in names:
        column = columns[name]
        if column.codes is None:
            assert column.numbers is not None
            found[name] = column.numbers.astype(object)
        else:
            levels = np.array([*column.levels, None], dtype=object)
            found[name] = levels[column.codes]
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
