"""Dates that look like categories or numbers: text such as 2024-01-31, and integers such as 20240131."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    rf"""(?:
        \d{{4}}([-/.])\d{{1,2}}\1\d{{1,2}}
      | \d{{1,2}}([-/.])\d{{1,2}}\2\d{{4}}
      | \d{{1,2}}[-\ ]{_MONTH}[-\ ]\d{{4}}
      | {_MONTH}\ \d{{1,2}},?\ \d{{4}}
    )(?:[T\ ]+\d{{1,2}}:\d{{2}}.*)?""",
    re.VERBOSE | re.IGNORECASE,
)


def check_no_dates(name: Hashable, levels: Sequence[object]) -> None:
    """Raise a DataError if all levels are dates as text."""
    if levels and all(isinstance(level, str) and _DATE.fullmatch(level) for level in levels):
        fault = f"column {show(name)} contains dates such as {levels[0]!r}, which are neither numbers nor categories"
        remedy = (
            "convert it to numbers, such as days since the first date, or drop it; "
            f"kinds={{{name!r}: 'categorical'}} keeps it as it is"
        )
        raise DataError(fault, remedy, "date", name)


def days_since_first(cells: NDArray[Any]) -> NDArray[np.float64] | None:
    """Dates as days since the first one, NaN where one is missing; None if the cells are not dates."""
    import pandas as pd

    if cells.dtype.kind == "m":
        return np.asarray(pd.to_timedelta(cells) / pd.Timedelta(days=1), dtype=np.float64)
    dates = as_dates(cells)
    return None if dates is None else np.asarray((dates - dates.min()) / pd.Timedelta(days=1), dtype=np.float64)


def as_dates(cells: NDArray[Any]) -> pd.Series[pd.Timestamp] | None:
    """The cells as a pandas.Series of dates; None if they are not dates."""
    import pandas as pd

    texts = [cell for cell in cells.tolist() if isinstance(cell, str)] if cells.dtype.kind in "OU" else []
    if cells.dtype.kind not in "MOU" or not all(_DATE.fullmatch(text) for text in texts):
        return None
    try:
        found = pd.to_datetime(pd.Series(cells), format="mixed" if texts else None)
    except (ValueError, TypeError):
        return None
    return found if hasattr(found, "dt") else None


def are_compact_dates(numbers: NDArray[np.generic]) -> bool:
    """Whether all numbers are dates from 1900 to 2099 written as YYYYMMDD.

    >>> are_compact_dates(np.array([20240131, 20240201])), are_compact_dates(np.array([20240131, 20240132]))
    (True, False)
    """
    if not len(numbers) or not (19000101 <= numbers[0] <= 20991231):
        return False
    whole = numbers.astype(np.int64)
    month, day = whole // 100 % 100, whole % 100
    valid = (whole == numbers) & (whole // 10000 >= 1900) & (whole // 10000 <= 2099)
    valid &= (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    return bool(valid.all())
