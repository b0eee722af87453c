"""read_table: any table of observations as a validated Table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import Labels, find_name_fault, show, show_all
from causal_zigzag.tables.column_kinds import FEW_VALUES, Column, Kind, column_of
from causal_zigzag.tables.data_warnings import warn_of_data
from causal_zigzag.tables.dates import are_compact_dates
from causal_zigzag.tables.faults import Faults
from causal_zigzag.tables.layout import read_layout
from causal_zigzag.tables.raw_columns import Named, Raw, RawTable, only_rows, raw_columns
from causal_zigzag.tables.source import source_of
from causal_zigzag.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.errors import Flaw
    from causal_zigzag.tables.cells import Place


def read_table(
    data: Any,
    kinds: Kind | Mapping[Any, Kind] | None = None,
    *,
    drop: Hashable | Iterable[Hashable] = (),
    drop_missing: bool = False,
    delimiter: str | None = None,
    decimal: str = ".",
    missing: str | Iterable[str] = (),
    encoding: str | None = None,
) -> Table:
    """Validate a table of observations.

    ``data`` is a pandas or polars DataFrame, a numpy array, a dict of columns, a list of dicts, or the path of a
    CSV or TSV file (also compressed, .gz), an Excel file (.xlsx, its first sheet) or a Parquet file.

    ``kinds`` gives the kinds of columns: one kind for all columns, or a dict by name. By default text, booleans,
    pandas categories and integers with few distinct values are categorical and other numbers are continuous;
    ``"ordinal"`` is never guessed.

    The columns in ``drop`` (one name or several) are left out, and with ``drop_missing`` also the rows that then have
    missing cells; ``table.source.left_out`` is the number of these rows. For a text file, ``delimiter`` separates cells
    (None: a tab, semicolon or comma, whichever the first line contains), ``decimal`` may be ",", cells with one of
    the texts in ``missing`` are missing, and ``encoding`` is "cp1252" for many files of spreadsheet programs (None:
    UTF-8).

    A table that cannot be used as it is raises a ``DataError`` that lists everything that is wrong with it, with the
    lines of a file.

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
    layout = read_layout(delimiter, decimal, missing, encoding)
    dropped = _read_drop(drop)
    reading = {
        "kinds": kinds if isinstance(kinds, str) else dict(kinds or {}),
        "drop": dropped,
        "drop_missing": drop_missing,
        "delimiter": delimiter,
        "decimal": None if decimal == "." else decimal,
        "missing": list(layout.missing),
        "encoding": layout.encoding,
    }
    if isinstance(data, Table):
        given = next((word for word, value in reading.items() if value), None)
        if given is not None:
            raise DataError(f"a Table cannot be read again; pass {given}= to the call of read_table that created it")
        return data
    faults = Faults()
    found = raw_columns(data, dropped, layout, faults)
    labels = _labels(found.names)
    asked = _asked_kinds(kinds, labels, faults)
    _warn_of_numbers(found.columns, asked)
    code = ", ".join(f"{word}={value!r}" for word, value in reading.items() if value)
    columns, n_rows = _check_columns(found, labels, asked, drop_missing, faults)
    source = replace(source_of(data), reading=code, left_out=found.n_rows - n_rows)
    return Table(columns, labels, n_rows, source)


def _check_columns(
    found: RawTable, labels: Labels, asked: Mapping[Hashable, Kind], drop_missing: bool, faults: Faults
) -> tuple[tuple[Column, ...], int]:
    """The columns with their kinds, and the number of rows that are kept.

    Everything that is wrong with the columns is reported in one error.
    """
    raw, place, rows = found.columns, found.place, np.arange(found.n_rows)
    if found.n_rows < 2 and raw:
        raise DataError(f"the table has {found.n_rows} row{'s' * (found.n_rows != 1)}; at least 2 are needed")
    if len(labels) == 1:
        raise _one_column(labels.names[0])
    raw = _without_empty(raw, faults)
    if drop_missing and raw and not faults.found:
        raw, rows = _complete_rows(raw)
    _check_cells(raw, lambda row: place(int(rows[row])), faults)
    columns = []
    for name, column in raw:
        with faults.caught():
            columns.append(column_of(name, _only_finite(name, column), asked.get(name)))
    faults.report()
    return tuple(columns), len(rows)


def _only_finite(name: Hashable, column: Raw) -> Raw:
    """The column without missing and infinite cells, which are reported, so that its other faults are found too."""
    keep = ~(column.missing() | column.infinite())
    return column if keep.all() or keep.sum() < 2 else column.only(name, keep)


def _read_drop(drop: Any) -> list[Hashable]:
    """The names of the columns to drop; a string is one name."""
    return list(drop) if isinstance(drop, Iterable) and not isinstance(drop, (str, bytes)) else [drop]


def _warn_of_numbers(raw: Named, asked: Mapping[Hashable, Kind]) -> None:
    """Warn of columns that number the rows or are dates. This is not an error, as the numbers may have a meaning."""
    for name, column in raw:
        values = column.values
        if name in asked or not (column.is_numeric() and column.is_finite()) or len(values) <= FEW_VALUES:
            continue
        if are_compact_dates(values):
            warn_of_data(
                f"column {show(name)} seems to contain dates such as {int(values[0])}, which are used as numbers; "
                "convert it to days since the first date, or drop it"
            )
        first, last = float(values[0]), float(values[-1])
        if first.is_integer() and last - first == len(values) - 1 and (np.diff(values) == 1).all():
            warn_of_data(
                f"column {show(name)} numbers the rows from {first:.0f} to {last:.0f}, like an identifier; drop it, "
                "unless the order of the rows has a meaning"
            )


def _complete_rows(raw: Named) -> tuple[Named, NDArray[np.intp]]:
    """The columns without the rows that have missing cells, and the numbers of the remaining rows."""
    gaps = [(name, column.missing()) for name, column in raw]
    keep = ~np.logical_or.reduce([cells for _, cells in gaps])
    if keep.sum() < 2:
        name, cells = max(gaps, key=lambda column: int(column[1].sum()))
        raise DataError(
            f"only {int(keep.sum())} of {len(keep)} rows have no missing cells; at least 2 are needed",
            f"drop a column with many missing cells, such as {show(name)} with {int(cells.sum())}",
            "no use",
            name,
        )
    return raw if keep.all() else only_rows(raw, keep), np.flatnonzero(keep)


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


def _asked_kinds(kinds: Kind | Mapping[Any, Kind] | None, labels: Labels, faults: Faults) -> dict[Hashable, Kind]:
    asked = dict.fromkeys(labels.names, kinds) if isinstance(kinds, str) else dict(kinds or {})
    valid: dict[Hashable, Kind] = {}
    for name, kind in asked.items():
        with faults.caught():
            if labels.find(name) is None:
                raise DataError(f"kinds= names the column {show(name)}, but the columns are {show_all(labels.names)}")
            if kind not in get_args(Kind):
                raise DataError(f"the kind of a column must be 'continuous', 'categorical' or 'ordinal', not {kind!r}")
            valid[name] = kind
        if isinstance(kinds, str) and faults.found:
            break  # the same kind is wrong for every column
    return valid


def _check_cells(raw: Named, place: Place, faults: Faults) -> None:
    """Note cells that are missing or infinite."""
    if all(column.is_finite() for _, column in raw):
        return
    with faults.caught():
        gaps = [(name, column.missing()) for name, column in raw]
        _check_none(gaps, "missing", "read_table(..., drop_missing=True), or impute the cells", place)
    with faults.caught():
        extremes = [(name, column.infinite()) for name, column in raw]
        _check_none(extremes, "infinite", "data.replace([np.inf, -np.inf], np.nan).dropna()", place)


def _without_empty(raw: Named, faults: Faults) -> Named:
    """The columns that have any cell which is not missing."""
    empty = [name for name, column in raw if column.missing().all()]
    if not empty:
        return raw
    which, do, them = ("column", "has", "it") if len(empty) == 1 else ("columns", "have", "them")
    fault = f"{which} {show_all(empty)} {do} only missing cells"
    faults.found.append(DataError(fault, f"drop {them}", "no use", empty[0]))
    return [(name, column) for name, column in raw if name not in empty]


def _check_none(found: list[tuple[Hashable, NDArray[np.bool_]]], flaw: Flaw, remedy: str, place: Place) -> None:
    found = [(name, cells) for name, cells in found if cells.any()]
    if found:
        what = "missing (NaN)" if flaw == "missing" else flaw
        count = sum(int(cells.sum()) for _, cells in found)
        name, cells = min(found, key=lambda column: int(column[1].argmax()))
        raise DataError(
            f"{'1 cell is' if count == 1 else f'{count} cells are'} {what}, the first in {place(int(cells.argmax()))}, "
            f"column {show(name)}",
            f"drop these rows with {remedy}",
            flaw,
            name,
        )
