"""The columns of a DataFrame, an array, a dict, a list of dicts or a file, before validation."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import MOST_IN_MATRIX, meant, show, show_all
from causal_zigzag.support.validation import is_hashable
from causal_zigzag.tables.cell_types import (
    NUMBERS,
    Place,
    as_doubles,
    check_types,
    is_missing,
    row_number,
    unusable,
)
from causal_zigzag.tables.error_list import ErrorList
from causal_zigzag.tables.files.any_file import read_file
from causal_zigzag.tables.files.text_files import PLAIN, Layout, refuse_layout
from causal_zigzag.tables.times.dates import days_since_first

Named = list[tuple[Hashable, "Raw"]]

MOST_COLUMNS = MOST_IN_MATRIX  # of a table: scores hold a matrix of all pairs


def _ma() -> Any:
    """numpy.ma, which is slow to import; its types are incomplete and differ between versions of numpy."""
    return np.ma


class Raw:
    """The values of a column: an array of numbers or booleans, or of Python objects."""

    def __init__(self, values: Any, levels: Sequence[object] | None = None, ordered: bool = False) -> None:
        self.values: NDArray[Any] = np.asarray(values)
        self.ordered = ordered
        self._levels = levels

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells are missing: None, NaN, pandas.NA, numpy.ma.masked."""
        if self.values.dtype.kind == "f":
            return np.asarray(np.isnan(self.values))
        if self.values.dtype.kind == "O":
            return np.array([is_missing(value) for value in self.values], dtype=bool)
        return np.zeros(len(self.values), dtype=bool)

    def is_finite(self) -> bool:
        """Whether every cell is a finite number; False for an array of objects."""
        kind = self.values.dtype.kind
        return kind in "biu" or (kind == "f" and bool(np.isfinite(self.values).all()))

    def only(self, name: Hashable, keep: NDArray[np.bool_]) -> Raw:
        """The column with only these rows; objects become booleans or integers if no cell is missing any more."""
        values = self.values[keep]
        if values.dtype.kind == "O" and self._levels is None:
            return _from_objects(name, values, row_number)
        return Raw(values, self._levels, self.ordered)

    def infinite(self) -> NDArray[np.bool_]:
        """Which cells are infinite."""
        if self.values.dtype.kind == "f":
            return np.asarray(np.isinf(self.values))
        return np.zeros(len(self.values), dtype=bool)

    @property
    def categories(self) -> bool:
        """Whether the column has a categorical type."""
        return self._levels is not None

    def is_numeric(self) -> bool:
        """Whether the cells are numbers or booleans and the column has no categorical type."""
        return self._levels is None and self.values.dtype.kind in "biuf"

    @cached_property
    def levels(self) -> list[Any]:
        """The distinct values of a column that is not numeric, in order."""
        present = {*self.values.tolist()}
        if self._levels is not None:
            return [level for level in self._levels if level in present]
        try:
            return sorted(present)
        except TypeError:
            return sorted(present, key=lambda value: (type(value).__name__, str(value)))


class RawTable(NamedTuple):
    """The columns of a table; ``names`` includes those of columns with faults, which ``columns`` lacks."""

    names: list[Hashable]
    columns: Named
    n_rows: int
    place: Place


def raw_columns(
    data: Any,
    drop: Sequence[Hashable] = (),
    layout: Layout = PLAIN,
    errors: ErrorList | None = None,
    keep: Collection[Hashable] = (),
) -> RawTable:
    """The columns of a table with their names, except those in ``drop``; their faults are added to ``errors``.

    Dates in columns of ``keep`` become days since the first one.
    """
    place: Place = row_number
    if isinstance(data, (str, os.PathLike)):
        data, place = read_file(Path(data), layout)
    else:
        refuse_layout(layout, f"the data are of type {type(data).__name__}")
    named = _without(_named_columns(data), drop)
    if len(named) > MOST_COLUMNS:
        fault = f"the table has {len(named):,} columns, and at most {MOST_COLUMNS:,} can be used"
        raise DataError(fault, "choose columns, such as those that vary most")
    own = ErrorList() if errors is None else errors
    columns: Named = []
    for name, column in named:
        with own.caught():
            columns.append((name, _raw(name, column, place, is_hashable(name) and name in keep)))
    if errors is None:
        own.report()
    rows = len(columns[0][1].values) if columns else 0
    for name, raw in columns:
        if len(raw.values) != rows:
            both = f"{show(columns[0][0])} has {rows} cells, {show(name)} has {len(raw.values)}"
            raise DataError(f"columns differ in length: {both}")
    return RawTable([name for name, _ in named], columns, rows, place)


def cells_of(data: Any, names: Sequence[Hashable], word: str, layout: Layout = PLAIN) -> dict[Hashable, NDArray[Any]]:
    """The cells of these columns as they are, before any validation; ``word`` is the argument that names them."""
    if isinstance(data, (str, os.PathLike)):
        data, _ = read_file(Path(data), layout)
    named = _named_columns(data)
    _without(named, names, word)  # raises an error about unknown names
    found = {name: column for name, column in named if is_hashable(name) and name in names}
    return {
        name: np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else _objects(column))
        for name, column in found.items()
    }


def _named_columns(data: Any) -> list[tuple[Hashable, Any]]:
    if hasattr(data, "collect") and hasattr(data, "lazy"):
        raise DataError("the table is a polars.LazyFrame, whose rows are not computed yet; pass data.collect()")
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        return [(name, data.iloc[:, j]) for j, name in enumerate(data.columns.tolist())]
    if hasattr(data, "columns") and hasattr(data, "get_column"):
        return [(name, data.get_column(name)) for name in data.columns]
    if isinstance(data, Mapping):
        return list(data.items())
    if isinstance(data, (list, tuple)) and data and all(isinstance(row, Mapping) for row in data):
        return _from_dicts(data)
    return _from_array(data)


def _without(
    named: list[tuple[Hashable, Any]], drop: Sequence[Hashable], word: str = "drop"
) -> list[tuple[Hashable, Any]]:
    names = [name for name, _ in named]
    known = {name for name in names if is_hashable(name)}
    unknown = [name for name in drop if not is_hashable(name) or name not in known]
    if unknown:
        close = meant(unknown[0], names)
        raise DataError(f"{word} names the column {show_all(unknown)}, but the columns are {show_all(names)}{close}")
    return [(name, column) for name, column in named if not is_hashable(name) or name not in {*drop}]


def _from_dicts(rows: Sequence[Mapping[Any, Any]]) -> list[tuple[Hashable, Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return [(name, [row.get(name) for row in rows]) for name in names]


def _from_array(data: Any) -> list[tuple[Hashable, Any]]:
    try:
        array = _array(data.toarray() if hasattr(data, "toarray") else data)
    except ValueError:
        raise DataError("the rows of the table differ in length") from None
    if array.dtype.names:
        return [(name, array[name]) for name in array.dtype.names]
    if array.ndim != 2:
        what = f"has shape {array.shape}" if array.ndim else f"is {type(data).__name__}"
        raise DataError(
            f"a table has rows and columns, but the data {what}; pass a DataFrame, a matrix, a dict of columns, "
            "a list of dicts, or the path of a CSV, TSV or Parquet file"
        )
    if isinstance(array, _ma().MaskedArray):
        return list(enumerate(array.T))
    return list(enumerate(np.ascontiguousarray(array.T)))  # each column contiguous in memory


def _array(data: Any) -> NDArray[Any]:
    """The data as an array; masked cells stay masked, unlike with numpy.asarray."""
    rows = data if isinstance(data, (list, tuple)) else [data]
    if any(isinstance(row, _ma().MaskedArray) for row in rows):
        return np.asanyarray(_ma().array(data))
    return np.asarray(data)


def _raw(name: Hashable, column: Any, place: Place = row_number, keep: bool = False) -> Raw:
    """The cells of a column of any library; with ``keep``, dates are days since the first one."""
    categories = getattr(getattr(column, "dtype", None), "categories", None)
    if categories is not None and hasattr(categories, "tolist"):  # pandas
        return Raw(_objects(column), categories.tolist(), bool(column.dtype.ordered))
    if isinstance(column, (str, bytes, set, frozenset, Mapping)) or not isinstance(column, Iterable):
        raise DataError(
            f"column {show(name)} must be a sequence of cells, not {reprlib.repr(column)}; "
            "give every column as a list or an array, with one cell for each row"
        )
    if hasattr(column, "to_numpy"):
        array = np.asarray(column.to_numpy())
    elif isinstance(column, np.ndarray):
        array = column
    else:
        array = np.asarray(_objects(column))
    if array.ndim != 1:
        raise DataError(f"column {show(name)} must be a sequence of cells, but has shape {array.shape}")
    if isinstance(array, _ma().MaskedArray):
        array = _objects(array) if _ma().is_masked(array) else array.data  # tolist() gives None for masked cells
    if keep and (days := days_since_first(array)) is not None:
        return Raw(days)
    if array.dtype.kind in "cMmV":
        raise unusable(name, str(array.dtype), "date" if array.dtype.kind in "Mm" else "unusable")
    if array.dtype.kind not in "biuf":
        return _from_objects(name, _objects(array), place)
    return Raw(as_doubles(name, list(array), place) if array.dtype.itemsize > 8 else array)


def _objects(cells: Any) -> NDArray[np.object_]:
    plain = cells.tolist() if hasattr(cells, "tolist") else list(cells)
    out = np.empty(len(plain), dtype=object)
    for i, cell in enumerate(plain):  # one by one, since numpy would convert cells that are sequences
        out[i] = cell
    return out


def _from_objects(name: Hashable, cells: NDArray[np.object_], place: Place) -> Raw:
    """Numbers if all cells are numbers, else objects."""
    present = [(i, cell) for i, cell in enumerate(cells) if not is_missing(cell)]
    check_types(name, present, place)
    text = next(((i, cell) for i, cell in present if isinstance(cell, str)), None)
    number = next(((i, cell) for i, cell in present if isinstance(cell, NUMBERS)), None)
    if text is None and present and all(isinstance(cell, (bool, np.bool_)) for _, cell in present):
        if len(present) == len(cells):
            return Raw(cells.astype(bool))
    elif text is None and number and all(isinstance(cell, (*NUMBERS, np.bool_)) for _, cell in present):
        numbers = as_doubles(name, cells.tolist(), place)
        whole = len(present) == len(cells) and all(isinstance(cell, (int, np.integer)) for cell in cells)
        return Raw(numbers.astype(np.int64) if whole and np.abs(numbers).max() < 2**53 else numbers)
    return Raw(cells)
