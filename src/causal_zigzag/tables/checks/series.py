"""Recognizes time series: the columns that name the series and the times of rows, by their values and names."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag.tables.column_kinds import is_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.checks.checked_table import CheckedTable
    from causal_zigzag.tables.column_kinds import Column

REGULAR = 0.8  # share of steps of a time that are equal
FEWEST_TIMES = 3  # of a series, the median
FEWEST_ROWS = 20  # of a single series
ROWS_PER_LAG = 10  # of a series; with fewer, one lag is proposed
FIRST_YEAR, LAST_YEAR = 1700, 2100
_TIME = re.compile(
    r"(?:^|[^a-z])(?:t|time|year|yr|day|week|month|date|hour|minute|min|quarter|qtr|period|season|wave|visit|occasion|"
    r"age)s?$"
)


class Series(NamedTuple):
    """The columns that name the series, that of the times, and columns that are its parts, such as month and day."""

    by: tuple[Hashable, ...]
    time: Hashable | None
    parts: tuple[Hashable, ...]
    lags: int

    def options(self) -> dict[str, Any]:
        """The arguments of ``lagged``."""
        found: dict[str, Any] = {"lags": self.lags}
        found |= {"by": [*self.by]} if self.by else {}
        found |= {"time": self.time} if self.time is not None else {}
        return found | ({"drop": [*self.parts]} if self.parts else {})


def find_series(checked: CheckedTable) -> Series | None:
    """The series whose rows a table has, several or one; None if no column is a time.

    Of several series, a column names the series, and another one, with the name or the values of a time, has different
    and mostly equally spaced values within each. The rows of one series are in the order of a time that increases in
    equal steps, or of several whole numbers such as year and quarter.
    """
    columns = [*checked.columns, *checked.table.aside]
    if checked.rows != checked.table.n_rows or checked.table.in_time:
        return None
    times = [column for column in columns if may_be_time(column)]
    for time in times:
        values = _numbers(time)
        if len(values) >= FEWEST_ROWS and _is_regular(np.diff(values)):
            return Series((), time.name, (), _lags(columns, len(values)))
    parts = parts_of_time(columns)
    if parts:
        return Series((), None, parts, _lags(columns, checked.rows))
    panels: list[tuple[bool, int, int, Column, Column, int]] = []
    for time in times:
        for unit in columns:
            if unit is not time and (rows := _rows_per_unit(unit, time)):
                panels.append((unit.kind != "categorical", -rows, len(panels), unit, time, rows))
    if not panels:
        return None
    *_, unit, time, rows = min(panels, key=lambda one: one[:3])
    return Series((unit.name,), time.name, (), _lags(columns, rows))


def _lags(columns: Sequence[Column], rows: int) -> int:
    """Two for long series; one if cells are missing, since each costs a row per lag."""
    return 2 if rows >= 2 * ROWS_PER_LAG and not any(column.missing.any() for column in columns) else 1


def may_be_time(column: Column) -> bool:
    """Whether the column is complete and has numbers, with the name of a time or the values of years."""
    if column.numbers is None or column.missing.any():
        return False
    years = column.numbers.min() >= FIRST_YEAR and column.numbers.max() <= LAST_YEAR and is_whole(column.numbers)
    return bool(years or names_a_time(column.name))


def names_a_time(name: Hashable) -> bool:
    """Whether the last word of a name is that of a time.

    >>> [names_a_time(name) for name in ("startYear", "week", "overtime", "year_born")]
    [True, True, False, False]
    """
    return _TIME.search(re.sub(r"([a-z])([A-Z])", r"\1_\2", str(name)).casefold()) is not None


def _numbers(column: Column) -> NDArray[np.float64]:
    return np.asarray(column.numbers, dtype=np.float64)


def _is_regular(steps: NDArray[np.float64]) -> bool:
    """Whether all steps are upwards and most of them equal."""
    if not len(steps) or (steps <= 0).any():
        return False
    middle = float(np.median(steps))
    return bool((np.abs(steps - middle) < 0.15 * middle).mean() >= REGULAR)  # months differ in length


def parts_of_time(columns: Sequence[Column]) -> tuple[Hashable, ...]:
    """A coarse time and a fine one that counts within it, such as year and quarter, if together they order the rows."""
    times = [column for column in columns if may_be_time(column)]
    for coarse in times:
        for fine in times:
            if coarse is fine or not (is_whole(_numbers(coarse)) and is_whole(_numbers(fine))):
                continue
            outer, inner = np.diff(_numbers(coarse)), np.diff(_numbers(fine))
            within, forward = outer == 0, (outer > 0) & (inner < 0)
            if within.any() and (within | forward).all() and _is_regular(inner[within]):
                return coarse.name, fine.name
    return ()


def _rows_per_unit(unit: Column, time: Column) -> int:
    """The median number of rows of a unit, if the times within all units differ and increase; otherwise 0."""
    values = unit.codes if unit.codes is not None else unit.numbers
    if values is None or unit.missing.any() or len(values) != len(time.missing):
        return 0
    if unit.codes is None and not is_whole(np.asarray(values)):
        return 0
    order = np.argsort(values, kind="stable")
    same = np.diff(np.asarray(values, dtype=np.float64)[order]) == 0
    steps = np.diff(_numbers(time)[order])[same]
    rows = int(np.median(np.unique(values, return_counts=True)[1]))
    return rows if rows >= FEWEST_TIMES and _is_regular(steps) else 0
