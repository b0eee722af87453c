"""The series of rows, their times as numbers with a constant step, and the rows some steps before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.support.validation import is_real
from causal_zigzag.tables.cell_types import is_missing, row_number
from causal_zigzag.tables.times.dates import as_dates

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

_PARTS_OF_YEARS = (
    (4, re.compile(r"(\d{4})[-: ]?[Qq]([1-4])")),
    (12, re.compile(r"(\d{4})[-/.Mm ](0?[1-9]|1[0-2])")),
)
TOLERANCE = 1e-6  # of a step


def times_of(name: Hashable, cells: NDArray[Any]) -> NDArray[np.float64]:
    """The times in a column as numbers. Dates are days, or months if all are on the same day or the last of a month.

    >>> times_of("quarter", np.array(["2001Q3", "2001Q4", "2002Q1"], dtype=object)).tolist()
    [8006.0, 8007.0, 8008.0]
    """
    gap = next((i for i, cell in enumerate(cells.tolist()) if is_missing(cell)), None)
    if gap is not None:
        fault = f"the time {show(name)} is missing in {row_number(gap)}"
        raise DataError(fault, "leave out such rows", about=name)
    if cells.dtype.kind in "iuf" or all(map(is_real, cells.tolist())):
        return cells.astype(np.float64)
    texts = [str(cell).strip() for cell in cells.tolist()]
    for parts, form in _PARTS_OF_YEARS:
        found = [one for text in texts if (one := form.fullmatch(text))]
        if len(found) == len(texts):
            return np.array([parts * int(one[1]) + int(one[2]) - 1 for one in found], dtype=np.float64)
    dates = as_dates(cells)
    if dates is not None:
        months = (dates.dt.year * 12 + dates.dt.month).to_numpy(dtype=np.float64)
        monthly = dates.dt.day.nunique() == 1 or bool(dates.dt.is_month_end.all())
        if monthly and bool((dates.dt.normalize() == dates).all()) and len(np.unique(months)) > 1:
            return np.asarray(months)
        return dates.to_numpy().astype("datetime64[us]").astype(np.float64) / 86_400e6
    try:
        return np.array([float(text) for text in texts])
    except ValueError:
        fault = f"the time {show(name)} has cells such as {texts[0]!r}, which are neither numbers nor dates"
        remedy = "write dates as 2024-01-31, months as 2024-01 and quarters as 2024Q1"
        raise DataError(fault, remedy, about=name) from None


def check_sorted(name: Hashable, times: NDArray[np.float64], cells: NDArray[Any], series: NDArray[np.intp]) -> None:
    """Raise a DataError if the times of a series decrease, or one of them occurs twice."""
    for rows in rows_of(series):
        steps = np.diff(times[rows])
        if (steps > 0).all():
            continue
        at = int(np.argmin(steps > 0))
        before, after = rows[at], rows[at + 1]
        pair = cells[[before, after]]
        earlier, later = (np.datetime_as_string(pair, unit="auto") if pair.dtype.kind == "M" else pair).tolist()
        several = "" if len(rows) < len(times) else "; if there are several series, name their column by="
        if steps[at] == 0:
            fault = f"the time {show(name)} is {later!r} in {row_number(before)} and in {row_number(after)}"
            remedy = f"use one row for each time, which may be written as 2024Q1 or 2024-01{several}"
            raise DataError(fault, remedy, "order", name)
        fault = (
            f"the rows are not in the order of the time {show(name)}: {earlier!r} in {row_number(before)} comes "
            f"before {later!r} in {row_number(after)}"
        )
        raise DataError(fault, f"sort them: data.sort_values({name!r}){several}", "order", name)


def group_numbers(
    keys: Sequence[Hashable], cells: Mapping[Hashable, NDArray[Any]], n_rows: int, word: str
) -> NDArray[np.intp]:
    """The number of the group of each row, by first appearance; all rows are one group without any keys.

    ``word`` says what a group is, in the error about a row whose name is missing.
    """
    names: dict[tuple[object, ...], int] = {}
    out = np.zeros(n_rows, dtype=np.intp)
    for i, name in enumerate(zip(*(cells[key].tolist() for key in keys), strict=True)):
        if any(map(is_missing, name)):
            raise DataError(f"the {word} {show_all(keys)} of {row_number(i)} is missing", "name it", about=keys[0])
        out[i] = names.setdefault(name, len(names))
    return out


def rows_of(series: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """The numbers of the rows of each series, in their order."""
    order = np.argsort(series, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(series[order])) + 1)


def earlier_rows(times: NDArray[np.float64], series: NDArray[np.intp], lags: int) -> NDArray[np.intp]:
    """For each row, the numbers of the rows 0, 1, ..., ``lags`` steps earlier; -1 where there is none.

    A step is the commonest difference of successive times.

    >>> earlier_rows(np.array([1.0, 2.0, 3.0, 5.0, 6.0]), np.zeros(5, dtype=np.intp), 1).tolist()
    [[0, -1], [1, 0], [2, 1], [3, -1], [4, 3]]
    """
    groups = rows_of(series)
    steps = np.concatenate([np.diff(times[rows]) for rows in groups])
    found, frequent = np.unique(np.round(steps, 9), return_counts=True)
    step = float(found[frequent.argmax()]) if len(found) else 1.0
    out = np.full((len(times), lags + 1), -1, dtype=np.intp)
    for rows in groups:
        places = times[rows] / step
        for lag in range(lags + 1):
            at = np.searchsorted(places, places - lag - TOLERANCE).clip(max=len(rows) - 1)
            there = np.abs(places[at] - places + lag) < TOLERANCE
            out[rows[there], lag] = rows[at[there]]
    return out
