"""read_table: any table of observations as a validated Table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import Labels, find_name_fault, show, show_all
from causal_zigzag.tables.column_kinds import FEW_VALUES, Kind, column_of
from causal_zigzag.tables.data_warnings import warn_of_data
from causal_zigzag.tables.files import read_layout
from causal_zigzag.tables.raw_columns import Named, only_rows, raw_columns
from causal_zigzag.tables.source import source_of
from causal_zigzag.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.errors import Flaw


def read_table(
    data: Any,
    kinds: Kind | Mapping[Any, Kind] | None = None,
    *,
    drop: Hashable | Iterable[Hashable] = (),
    drop_missing: bool = False,
    delimiter: str | None = None,
    decimal: str = ".",
    missing: str | Iterable[str] = (),
) -> Table:
    """Validate a table of observations.

    ``data`` is a pandas or polars DataFrame, a numpy array, a dict of columns, a list of dicts, or the path of a CSV,
    TSV or Parquet file.

    ``kinds`` gives the kinds of columns: one kind for all columns, or a dict by name. By default text, booleans,
    pandas categories and integers with few distinct values are categorical and other numbers are continuous;
    ``"ordinal"`` is never guessed.

    The columns in ``drop`` (one name or several) are left out, and with ``drop_missing`` also the rows that then have
    missing cells; ``table.source.left_out`` is the number of these rows. For a text file, ``delimiter`` separates cells
    (None: a tab, semicolon or comma, whichever the first line contains), ``decimal`` may be ",", and cells with one of
    the texts in ``missing`` are missing.

    >>> table = read_table({"dose": [0, 1, 2, 1], "effect": [0.1, 1.2, 2.5, 0.9]}, kinds={"dose": "ordinal"})
    >>> table
    Table(4 rows, 2 columns: 1 continuous, 1 ordinal)
    >>> read_table({"id": [7, 8, 9], "a": [0.5, None, 2.0], "b": [1.0, 0.5, 0.25]}, drop="id", drop_missing=True)
    Table(2 rows, 2 columns: 2 continuous)
    """
    if not isinstance(drop_missing, bool):
        raise DataError(f"drop_missing must be True or False, not {drop_missing!r}")
    if not (kinds is None or isinstance(kinds, (str, Mapping))):
        raise DataError(f"kinds must be None, a kind for all columns, or a dict of kinds by column, not {kinds!r}")
    layout = read_layout(delimiter, decimal, missing)
    dropped = _read_drop(drop)
    reading = {
        "kinds": kinds if isinstance(kinds, str) else dict(kinds or {}),
        "drop": dropped,
        "drop_missing": drop_missing,
        "delimiter": delimiter,
        "decimal": None if decimal == "." else decimal,
        "missing": list(layout.missing),
    }
    if isinstance(data, Table):
        given = next((word for word, value in reading.items() if value), None)
        if given is not None:
            raise DataError(f"a Table cannot be read again; pass {given}= to the call of read_table that created it")
        return data
    raw = raw_columns(data, dropped, layout)
    labels = _labels([name for name, _ in raw])
    asked = _asked_kinds(kinds, labels)
    n_rows = len(raw[0][1].values)
    _warn_of_counters(raw, asked)
    code = ", ".join(f"{word}={value!r}" for word, value in reading.items() if value)
    source = replace(source_of(data), reading=code)
    if drop_missing:
        raw, left_out = _complete_rows(raw)
        n_rows, source = n_rows - left_out, replace(source, left_out=left_out)
    if n_rows < 2:
        raise DataError(f"the table has {n_rows} row{'s' * (n_rows != 1)}; at least 2 are needed")
    if len(raw) == 1:
        raise _one_column(labels.names[0])
    _check_cells(raw)
    columns = tuple(column_of(name, column, asked.get(name)) for name, column in raw)
    return Table(columns, labels, n_rows, source)


def _read_drop(drop: Any) -> list[Hashable]:
    """The names of the columns to drop; a string is one name."""
    return list(drop) if isinstance(drop, Iterable) and not isinstance(drop, (str, bytes)) else [drop]


def _warn_of_counters(raw: Named, asked: Mapping[Hashable, Kind]) -> None:
    """Warn of columns that number the rows. This is not an error, as the number may have a meaning, such as a day."""
    for name, column in raw:
        values = column.values
        if name in asked or not (column.is_numeric() and column.is_finite()) or len(values) <= FEW_VALUES:
            continue
        first, last = float(values[0]), float(values[-1])
        if first.is_integer() and last - first == len(values) - 1 and (np.diff(values) == 1).all():
            warn_of_data(
                f"column {show(name)} numbers the rows from {first:.0f} to {last:.0f}, like an identifier; drop it, "
                "unless the order of the rows has a meaning"
            )


def _complete_rows(raw: Named) -> tuple[Named, int]:
    """The columns without the rows that have missing cells, and the number of these rows."""
    _check_not_empty(raw)
    gaps = [(name, column.missing()) for name, column in raw]
    keep = ~np.logical_or.reduce([cells for _, cells in gaps])
    if len(keep) >= 2 > keep.sum():
        name, cells = max(gaps, key=lambda column: int(column[1].sum()))
        raise DataError(
            f"only {int(keep.sum())} of {len(keep)} rows have no missing cells; at least 2 are needed",
            f"drop a column with many missing cells, such as {show(name)} with {int(cells.sum())}",
            "no use",
            name,
        )
    return (raw, 0) if keep.all() else (only_rows(raw, keep), int((~keep).sum()))


def _one_column(name: Hashable) -> DataError:
    sign = next((sign for sign in "|:^~; ," if isinstance(name, str) and sign in name.strip()), None)
    fault = f"the table has only one column, {show(name)}; at least 2 are needed"
    if sign is None:
        return DataError(fault)
    remedy = f"if {sign!r} separates columns, read it with read_table(..., delimiter={sign!r})"
    return DataError(fault, remedy, "delimiter", sign)


def _labels(names: list[Hashable]) -> Labels:
    if not names:
        raise DataError("the table is empty: it has no columns")
    fault = find_name_fault(names)
    if fault is None:
        return Labels(names)
    raise DataError(f"{fault.message('column name', 'columns')}; give each column a unique name")


def _asked_kinds(kinds: Kind | Mapping[Any, Kind] | None, labels: Labels) -> dict[Hashable, Kind]:
    asked = dict.fromkeys(labels.names, kinds) if isinstance(kinds, str) else dict(kinds or {})
    for name, kind in asked.items():
        if labels.find(name) is None:
            raise DataError(f"kinds= names the column {show(name)}, but the columns are {show_all(labels.names)}")
        if kind not in get_args(Kind):
            raise DataError(f"the kind of a column must be 'continuous', 'categorical' or 'ordinal', not {kind!r}")
    return asked


def _check_cells(raw: Named) -> None:
    """Raise a DataError if a cell is missing or infinite."""
    if all(column.is_finite() for _, column in raw):
        return
    _check_not_empty(raw)
    _check_none(
        [(name, column.missing()) for name, column in raw],
        "missing (NaN)",
        "read_table(..., drop_missing=True), or impute the cells",
        "missing",
    )
    _check_none(
        [(name, column.infinite()) for name, column in raw],
        "infinite",
        "data.replace([np.inf, -np.inf], np.nan).dropna()",
        "infinite",
    )


def _check_not_empty(raw: Named) -> None:
    empty = [name for name, column in raw if len(column.values) and column.missing().all()]
    if empty:
        which, do, them = ("column", "has", "it") if len(empty) == 1 else ("columns", "have", "them")
        fault = f"{which} {show_all(empty)} {do} only missing cells"
        raise DataError(fault, f"drop {them}", "no use", empty[0])


def _check_none(found: list[tuple[Hashable, NDArray[np.bool_]]], what: str, remedy: str, flaw: Flaw) -> None:
    found = [(name, cells) for name, cells in found if cells.any()]
    if found:
        count = sum(int(cells.sum()) for _, cells in found)
        name, cells = min(found, key=lambda column: int(column[1].argmax()))
        raise DataError(
            f"{'1 cell is' if count == 1 else f'{count} cells are'} {what}, the first in row {int(cells.argmax())}, "
            f"column {show(name)}",
            f"drop these rows with {remedy}",
            flaw,
            name,
        )
