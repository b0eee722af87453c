"""Cells of any type: which are missing, which are numbers, and which can be neither numbers nor categories."""

from __future__ import annotations

import datetime
import math
import reprlib
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import DataError, Flaw
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.validation import is_hashable

Place = Callable[[int], str]
"""Names a row by its number, for messages: "row 3", or "line 5" of a file."""

NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction)
TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def row_number(row: int) -> str:
    """The place of a row that comes from no file."""
    return f"row {row}"


def is_missing(value: object) -> bool:
    """Whether a cell is missing: None, NaN, pandas.NA or numpy.ma.masked."""
    try:
        return value is None or value is np.ma.masked or bool(value != value)
    except (TypeError, ArithmeticError):  # pandas.NA, and a signalling NaN of decimal
        return True
    except ValueError:  # an array
        return False


def brief(value: object) -> str:
    """The repr of a cell, abbreviated; Python writes no integer of more than 4300 digits."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return f"an integer of about {math.ceil(value.bit_length() * math.log10(2))} digits"
    return reprlib.repr(value)


def check_types(name: Hashable, present: Sequence[tuple[int, object]], place: Place) -> None:
    """Raise a DataError for cells that are neither numbers nor categories."""
    for i, cell in present:
        if isinstance(cell, TIMES) or hasattr(cell, "to_timestamp"):  # the latter: pandas.Period
            raise unusable(name, type(cell).__name__, "date")
        if isinstance(cell, (complex, np.complexfloating)):
            raise unusable(name, type(cell).__name__)
        if not is_hashable(cell):
            fault = f"column {show(name)} has a {type(cell).__name__} in {place(i)}"
            raise DataError(fault, "a cell must be a number or text", "unusable", name)


def unusable(name: Hashable, type_name: str, flaw: Flaw = "unusable") -> DataError:
    """The error about a column whose type is neither a number nor a category."""
    remedy = "convert it to numbers, or drop it"
    if flaw == "date":
        remedy = "convert it to numbers, such as days since the first date, or drop it"
    fault = f"column {show(name)} has cells of type {type_name}, which are neither numbers nor categories"
    return DataError(fault, remedy, flaw, name)


def as_doubles(name: Hashable, cells: Sequence[Any], place: Place) -> NDArray[np.float64]:
    """The numbers as doubles, NaN where a cell is missing; one beyond the range of doubles raises a DataError."""
    numbers = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        if not is_missing(cell):
            try:
                number = float(cell)
            except OverflowError:  # an integer
                number = math.inf
            if math.isinf(number) and cell != number:
                fault = f"column {show(name)} has a number beyond the range of doubles (1.8e308) in {place(i)}"
                remedy = "divide the column by a constant, take logarithms, or drop it"
                raise DataError(f"{fault}: {brief(cell)}", remedy, "unusable", name)
            numbers[i] = number
    return numbers
