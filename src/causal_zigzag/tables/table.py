"""Table: any table of observations as validated, immutable columns, each of a kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, final, get_args

import numpy as np

from causal_zigzag.errors import DataError, GraphError
from causal_zigzag.graphs.labels import Labels, read_nodes, show, show_all
from causal_zigzag.tables.columns import Named, Raw, only_rows, raw_columns
from causal_zigzag.tables.data_warnings import warn_of_data
from causal_zigzag.tables.files import read_layout
from causal_zigzag.tables.misread import is_fraction, misread
from causal_zigzag.tables.source import Source, in_words

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.errors import Flaw

Kind = Literal["continuous", "categorical", "ordinal"]
"""Ordinal columns count as numbers: their values, or the places of their levels in the order of these."""

FEW_VALUES = 10
"""Whole numbers with at most so many different values, and ten rows or more for each, are taken for categories."""

MOST_LEVELS = 65535


@final
@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One column: numbers, or codes 0, 1, ... of its levels, or both where the levels are numbers."""

    name: Hashable
    kind: Kind
    numbers: NDArray[np.float64] | None
    codes: NDArray[np.uint16] | None
    levels: tuple[object, ...]


@final
class Table:
    """A validated table: ``nodes`` name its columns, ``kinds`` says what they are. Made by ``read_table``."""

    __slots__ = ("columns", "labels", "n_rows", "source")
    columns: tuple[Column, ...]
    labels: Labels
    n_rows: int
    source: Source

    def __init__(self, columns: tuple[Column, ...], labels: Labels, n_rows: int, source: Source) -> None:
        for name, value in (("columns", columns), ("labels", labels), ("n_rows", n_rows), ("source", source)):
            object.__setattr__(self, name, value)

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The names of the columns.

        >>> read_table({"size": [1.5, 2.5, 3.0], "color": ["red", "blue", "red"]}).nodes
        ('size', 'color')
        """
        return self.labels.names

    @property
    def kinds(self) -> dict[Hashable, Kind]:
        """The kind of each column.

        >>> read_table({"size": [1.5, 2.5, 3.0], "color": ["red", "blue", "red"]}).kinds
        {'size': 'continuous', 'color': 'categorical'}
        """
        return {column.name: column.kind for column in self.columns}

    def numbers(self, wanted_by: str) -> NDArray[np.float64]:
        """All columns as numbers, one row an observation; text is an error.

        >>> read_table({"a": [1.5, 2.5, 3.0], "b": [0, 1, 1]}).numbers("this example").tolist()
        [[1.5, 0.0], [2.5, 1.0], [3.0, 1.0]]
        """
        for column in self.columns:
            if column.numbers is None:
                raise _no_number(
                    f"column {show(column.name)} is not numeric (it has {column.levels[0]!r}), but {wanted_by} needs "
                    "numbers",
                    "encode or drop it, or use score='mixed-bic', which takes categories as they are",
                    column.name,
                    column.levels,
                )
        # A view of columns that lie side by side in memory: what looks through a column finds it in one piece.
        return np.array([column.numbers for column in self.columns if column.numbers is not None]).T

    def codes(self, wanted_by: str) -> tuple[NDArray[np.uint16], list[int]]:
        """All columns as codes, one row a column, and their numbers of levels; fractions are an error.

        >>> codes, levels = read_table({"a": ["x", "y", "x"], "b": [0, 1, 1]}).codes("this example")
        >>> codes.tolist(), levels
        ([[0, 1, 0], [0, 1, 1]], [2, 2])
        """
        coded = [as_categories(column, wanted_by) for column in self.columns]
        codes = np.ascontiguousarray([column.codes for column in coded], dtype=np.uint16)
        return codes, [len(column.levels) for column in coded]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Table is immutable, {name!r} cannot be set")

    def __reduce__(self) -> tuple[type[Table], tuple[object, ...]]:
        return Table, (self.columns, self.labels, self.n_rows, self.source)

    def __repr__(self) -> str:
        kinds = [kind for kind in get_args(Kind) if kind in self.kinds.values()]
        counts = ", ".join(f"{sum(c.kind == kind for c in self.columns)} {kind}" for kind in kinds)
        return f"Table({self.n_rows} rows, {len(self.columns)} columns: {counts})"


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
    """The validated table in ``data``: a pandas or polars DataFrame, a numpy array, columns by name, a list of dicts,
    or the path of a CSV, TSV or Parquet file.

    ``kinds`` says what columns are, one word for all or by name; else text, truth values, pandas' categories and
    whole numbers with few values are categorical, other numbers continuous. ``"ordinal"`` is by request only.

    The columns in ``drop`` (a name or several) are left out, and with ``drop_missing`` the rows that then have missing
    cells; ``table.source.left_out`` counts these. For a file of text, ``delimiter`` is what separates cells (None: a
    tab, semicolon or comma, as its first line tells), ``decimal`` may be ",", and cells with a text of ``missing`` are
    missing.

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
            raise DataError(f"a Table is settled; give {given}= where it is first read")
        return data
    raw = raw_columns(data, dropped, layout)
    labels = _labels([name for name, _ in raw])
    asked = _asked_kinds(kinds, labels)
    n_rows = len(raw[0][1].values)
    _warn_of_counters(raw, asked)
    source = Source(in_words(data), ", ".join(f"{word}={value!r}" for word, value in reading.items() if value))
    if drop_missing:
        raw, left_out = _complete_rows(raw)
        n_rows, source = n_rows - left_out, replace(source, left_out=left_out)
    if n_rows < 2:
        raise DataError(f"the table has {n_rows} row{'s' * (n_rows != 1)}; at least 2 are needed")
    if len(raw) == 1:
        raise _one_column(labels.names[0])
    _refuse_gaps(raw)
    columns = tuple(_column(name, column, asked.get(name)) for name, column in raw)
    return Table(columns, labels, n_rows, source)


def _read_drop(drop: Any) -> list[Hashable]:
    """The names of the columns to drop; a text is one of them."""
    return list(drop) if isinstance(drop, Iterable) and not isinstance(drop, (str, bytes)) else [drop]


def _warn_of_counters(raw: Named, asked: Mapping[Hashable, Kind]) -> None:
    """A column of text that identifies the rows is an error; one of numbers may be meant, as where it counts days."""
    for name, column in raw:
        values = column.values
        if name in asked or not (column.is_numeric() and column.is_finite()) or len(values) <= FEW_VALUES:
            continue
        first, last = float(values[0]), float(values[-1])
        if first.is_integer() and last - first == len(values) - 1 and (np.diff(values) == 1).all():
            warn_of_data(
                f"column {show(name)} counts the rows, from {first:.0f} to {last:.0f}, like an identifier; drop it, "
                "unless the order of the rows means something"
            )


def _complete_rows(raw: Named) -> tuple[Named, int]:
    """The rows without missing cells, and how many others there are."""
    _refuse_empty(raw)
    gaps = [(name, column.missing()) for name, column in raw]
    keep = ~np.logical_or.reduce([cells for _, cells in gaps])
    if len(keep) >= 2 > keep.sum():
        name, cells = max(gaps, key=lambda column: int(column[1].sum()))
        raise DataError(
            f"{int(keep.sum())} of {len(keep)} rows are without missing cells; at least 2 are needed",
            f"drop a column with many, such as {show(name)} with {int(cells.sum())}",
            "no use",
            name,
        )
    return (raw, 0) if keep.all() else (only_rows(raw, keep), int((~keep).sum()))


def _one_column(name: Hashable) -> DataError:
    sign = next((sign for sign in "|:^~; ," if isinstance(name, str) and sign in name.strip()), None)
    fault = f"the table has one column, {show(name)}; at least 2 are needed to have a structure"
    if sign is None:
        return DataError(fault)
    remedy = f"if {sign!r} separates columns, read it with read_table(..., delimiter={sign!r})"
    return DataError(fault, remedy, "delimiter", sign)


def as_categories(column: Column, wanted_by: str) -> Column:
    """The column with codes; whole numbers become categories."""
    if column.codes is not None:
        return column
    numbers = column.numbers
    assert numbers is not None  # a column has numbers or codes
    if column.kind == "continuous" and not _whole(numbers):
        raise DataError(
            f"column {show(column.name)} is continuous, but {wanted_by} needs categories",
            "cut it into a few levels, for example with pandas.qcut, or use score='gaussian-bic' or score='mixed-bic'",
            "fractions",
            column.name,
        )
    return _categorical(column.name, Raw(numbers))


def _labels(names: list[Hashable]) -> Labels:
    if not names:
        raise DataError("the table is empty: it has no columns")
    try:
        return read_nodes(names)
    except GraphError as error:
        text = str(error).replace("label", "column name").replace("nodes", "columns")
        raise DataError(f"{text}; give every column a name of its own") from None


def _asked_kinds(kinds: Kind | Mapping[Any, Kind] | None, labels: Labels) -> dict[Hashable, Kind]:
    asked = dict.fromkeys(labels.names, kinds) if isinstance(kinds, str) else dict(kinds or {})
    for name, kind in asked.items():
        if labels.find(name) is None:
            raise DataError(f"kinds= names the column {show(name)}, but the columns are {show_all(labels.names)}")
        if kind not in get_args(Kind):
            raise DataError(f"the kind of a column is 'continuous', 'categorical' or 'ordinal', not {kind!r}")
    return asked


def _refuse_gaps(raw: list[tuple[Hashable, Raw]]) -> None:
    """No cell may be missing or infinite."""
    if all(column.is_finite() for _, column in raw):
        return
    _refuse_empty(raw)
    _refuse_cells(
        [(name, column.missing()) for name, column in raw],
        "missing (NaN)",
        "read_table(..., drop_missing=True), or fill them in",
        "missing",
    )
    _refuse_cells(
        [(name, column.infinite()) for name, column in raw],
        "infinite",
        "data.replace([np.inf, -np.inf], np.nan).dropna()",
        "infinite",
    )


def _refuse_empty(raw: Named) -> None:
    empty = [name for name, column in raw if len(column.values) and column.missing().all()]
    if empty:
        which, do, them = ("column", "has", "it") if len(empty) == 1 else ("columns", "have", "them")
        fault = f"{which} {show_all(empty)} {do} no cell that is not missing"
        raise DataError(fault, f"drop {them}", "no use", empty[0])


def _refuse_cells(found: list[tuple[Hashable, NDArray[np.bool_]]], what: str, remedy: str, flaw: Flaw) -> None:
    found = [(name, cells) for name, cells in found if cells.any()]
    if found:
        count = sum(int(cells.sum()) for _, cells in found)
        name, cells = min(found, key=lambda column: int(column[1].argmax()))
        raise DataError(
            f"{'1 cell is' if count == 1 else f'{count} cells are'} {what}, the first in row {int(cells.argmax())}, "
            f"column {show(name)}",
            f"drop such rows with {remedy}",
            flaw,
            name,
        )


def _column(name: Hashable, raw: Raw, asked: Kind | None) -> Column:
    numeric = raw.is_numeric()
    kind = asked or _guess(raw)
    if asked is None and not numeric:
        _refuse_no_categories(name, raw)
    if kind == "categorical":
        return _categorical(name, raw)
    if not numeric:
        if kind == "continuous" or not raw.ordered:
            remedy = "make it a pandas.Categorical with ordered=True" if kind == "ordinal" else "leave its kind out"
            fault = f"column {show(name)} is not numeric (it has {raw.values[0]!r}), so not {kind}"
            raise _no_number(fault, remedy, name, raw.levels, "kind")
        places = {level: float(place) for place, level in enumerate(raw.levels)}
        numbers = np.array([places[value] for value in raw.values])
    else:
        numbers = raw.values.astype(np.float64)
    if (numbers == numbers[0]).all():
        raise _constant(name, raw.values[0])
    numbers.setflags(write=False)
    return Column(name, kind, numbers, None, ())


def _guess(raw: Raw) -> Kind:
    if not raw.is_numeric() or raw.values.dtype.kind == "b":
        return "categorical"
    values = raw.values
    if values.dtype.kind == "f" and not _whole(values):
        return "continuous"
    distinct = len(_distinct(values)[0])
    return "categorical" if distinct <= min(FEW_VALUES, max(2, len(values) // 10)) else "continuous"


def _whole(numbers: NDArray[Any]) -> bool:
    """Whether all are whole numbers; as a rule the first one settles that they are not."""
    return float(numbers[0]).is_integer() and np.array_equal(numbers, np.round(numbers))


def _distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The different numbers in order, and the place of each cell among them; quick where they are small."""
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) <= MOST_LEVELS:
        wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
        above = (wide - wide.min()).astype(np.intp)
        present = np.flatnonzero(np.bincount(above))
        place = np.zeros(int(above.max()) + 1, dtype=np.intp)
        place[present] = np.arange(len(present))
        return present.astype(wide.dtype) + wide.min(), place[above]
    return np.unique(values, return_inverse=True)


def _categorical(name: Hashable, raw: Raw) -> Column:
    numbers = None
    if raw.is_numeric():
        levels, codes = _distinct(raw.values)
        found = tuple(levels.tolist())
        numbers = raw.values.astype(np.float64)
        numbers.setflags(write=False)
    else:
        found = tuple(raw.levels)
        place = {level: i for i, level in enumerate(found)}
        codes = np.array([place[value] for value in raw.values.tolist()])
    if len(found) == 1:
        raise _constant(name, found[0])
    if len(found) == len(raw.values) and len(found) > 2:
        fault = f"the categorical column {show(name)} has as many levels as there are rows ({len(found)}), like an "
        raise _no_number(f"{fault}identifier", "drop it, or group its levels", name, found, "identifier")
    if len(found) > MOST_LEVELS:
        raise DataError(f"column {show(name)} has {len(found)} levels, at most {MOST_LEVELS} are possible; group them")
    small = codes.astype(np.uint16)
    small.setflags(write=False)
    return Column(name, "categorical", numbers, small, found)


def _refuse_no_categories(name: Hashable, raw: Raw) -> None:
    """Text with many fractions, or many numbers and a few other texts, is no column of categories: something hindered
    the reader of its numbers. Nor is text that hardly ever repeats itself."""
    texts = [level for level in raw.levels if isinstance(level, str)]
    if raw.categories or len(texts) <= FEW_VALUES:
        return
    found = misread(raw.levels)
    if found and (found.flaw in ("marks", "unit", "comma") or sum(is_fraction(text) for text in texts) > FEW_VALUES):
        meant = "" if len(texts) == len(raw.values) else f"; kinds={{{name!r}: 'categorical'}} takes it as it is"
        fault = f"column {show(name)} would be categorical, with {len(texts)} levels, but {found.fault}"
        raise DataError(fault, found.remedy + meant, found.flaw, name)
    levels, rows = len(raw.levels), len(raw.values)
    if rows / 2 < levels < rows:
        fault = f"the categorical column {show(name)} has {levels} levels in {rows} rows, like an identifier"
        remedy = f"drop it, or group its levels; kinds={{{name!r}: 'categorical'}} takes it as it is"
        raise DataError(fault, remedy, "identifier", name)


def _no_number(
    fault: str, remedy: str, name: Hashable, levels: Sequence[object], flaw: Flaw = "no number"
) -> DataError:
    """The error about a column that is no number, with another remedy where its text was meant as numbers."""
    found = misread(levels)
    if found is not None:
        return DataError(f"{fault}; {found.fault}", found.remedy, found.flaw, name)
    return DataError(fault, remedy, flaw, name)


def _constant(name: Hashable, value: object) -> DataError:
    value = value.item() if isinstance(value, np.generic) else value
    fault = f"column {show(name)} is constant: every cell is {value!r}, so it tells nothing"
    return DataError(fault, "drop it", "no use", name)
