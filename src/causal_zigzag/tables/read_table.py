"""read_table: any table of observations as a Table, with what can be mended mended and noted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, get_args

import numpy as np

from causal_zigzag.errors import DataError, DataWarning
from causal_zigzag.graphs.labels import Labels, meant, name_fault, show, show_all
from causal_zigzag.support.user_warnings import warn_user
from causal_zigzag.support.validation import is_hashable
from causal_zigzag.support.wording import count
from causal_zigzag.tables.column_kinds import FEW_VALUES, Column, Kind, column_of
from causal_zigzag.tables.contexts import with_contexts
from causal_zigzag.tables.error_list import ErrorList
from causal_zigzag.tables.exact_dependencies import CHANCE_ROWS, without_dependent
from causal_zigzag.tables.files.text_files import read_layout
from causal_zigzag.tables.finding import Finding
from causal_zigzag.tables.missing_cells import (
    Missing,
    complete_rows,
    incomplete_rows,
    missing_error,
    missing_note,
    read_missing,
)
from causal_zigzag.tables.names_in_words import listed
from causal_zigzag.tables.prepare import identifying_numbers, kinds_note, mended, numbers_in_text, without_names
from causal_zigzag.tables.raw_columns import Named, Raw, cells_of, raw_columns
from causal_zigzag.tables.source import source_of
from causal_zigzag.tables.table import Table
from causal_zigzag.tables.times.time_steps import group_numbers
from causal_zigzag.tables.transforms import Transform, read_counts, read_transform, repeated, transformed

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.tables.cell_types import Place


class ReadingColumns(TypedDict, total=False):
    """The arguments of ``read_table`` that ``lagged`` has too."""

    kinds: Kind | Mapping[Any, Kind] | None
    keep: Hashable | Iterable[Hashable]
    drop: Hashable | Iterable[Hashable]
    missing: Missing
    strict: bool
    weights: Hashable | None
    transform: Transform | Mapping[Any, Transform] | None
    contexts: Hashable | Iterable[Hashable]
    targets: Mapping[Any, Any] | None
    delimiter: str | None
    decimal: str
    na_values: str | Iterable[str]
    encoding: str | None


class Reading(ReadingColumns, total=False):
    """The arguments of ``read_table`` that ``sample``, ``ges``, ``search`` and the exact functions have too."""

    by: Hashable | Iterable[Hashable]


def read_table(
    data: Any,
    kinds: Kind | Mapping[Any, Kind] | None = None,
    *,
    strict: bool = False,
    keep: Hashable | Iterable[Hashable] = (),
    drop: Hashable | Iterable[Hashable] = (),
    missing: Missing = "sample",
    weights: Hashable | None = None,
    transform: Transform | Mapping[Any, Transform] | None = None,
    contexts: Hashable | Iterable[Hashable] = (),
    targets: Mapping[Any, Any] | None = None,
    by: Hashable | Iterable[Hashable] = (),
    delimiter: str | None = None,
    decimal: str = ".",
    na_values: str | Iterable[str] = (),
    encoding: str | None = None,
) -> Table:
    """Read a table of observations, and mend what has one sensible remedy.

    ``data`` is a pandas or polars DataFrame, a numpy array, a dict of columns, a list of dicts, or the path of a
    CSV or TSV file (also compressed, .gz), an Excel file (.xlsx, its first sheet) or a Parquet file.

    Columns that are constant, empty, identifiers, free text or dates are left out, and so are those that earlier ones
    determine exactly; text such as "?" in a column of numbers is a missing cell. ``table.notes`` lists what was done,
    each entry with the option that decides otherwise: the columns in ``keep`` are not left out (dates become days
    since the first one), those in ``drop`` are. With ``strict`` nothing is mended: a ``DataError`` lists everything
    that is wrong, with the lines of a file. What has no remedy, such as infinite cells, always is an error.

    ``kinds`` gives the kinds of columns: one kind for all columns, or a dict by name. By default text, booleans,
    pandas categories, and numbers with two values or few different integers are categorical, pandas' ordered
    categories are ordinal, and other numbers are continuous.

    ``missing`` is what to do about missing cells: "sample" keeps them, for scores that can be computed without them;
    "drop" leaves out their rows, whose number is ``table.source.left_out``; "refuse" raises an error, as ``strict``
    does unless rows are dropped. ``weights`` is a column of counts: a row with count k stands for k equal rows.
    ``transform`` is "log" or "normal-scores" (of the ranks), for all continuous columns or as a dict by name.

    ``contexts`` are columns of experimental conditions: which treatment a row got, which site it comes from. They are
    categories that are given and not explained. ``targets`` are the variables that a condition is known to set, such as
    ``{"drug": ["erk"]}``; see ``InterventionalBGe``.

    ``by`` is the column, or the columns, that say which rows belong together, such as those of one person or school.
    They are not variables, and ``posterior.resample`` draws such rows together.

    For a text file, ``delimiter`` separates cells (None: a tab, semicolon or comma, whichever the first line contains),
    ``decimal`` may be ",", cells with one of the texts in ``na_values`` are missing, and ``encoding`` is "cp1252" for
    many files of spreadsheet programs (None: UTF-8).

    >>> table = read_table({"dose": [0, 1, 2, 1], "effect": [0.1, 1.2, 2.5, 0.9]}, kinds={"dose": "ordinal"})
    >>> table
    Table(4 rows, 2 columns: 1 continuous, 1 ordinal)
    >>> read_table({"id": ["p", "q", "r"], "a": [0.5, None, 2.0], "b": [1.0, 0.5, 0.25]}, missing="drop")
    Table(2 rows, 2 columns: 2 continuous)
    """
    if targets is not None and not isinstance(targets, Mapping):
        raise DataError(f'targets must be a dict such as {{"drug": ["erk"]}}, not {targets!r}')
    if not isinstance(strict, bool):
        raise DataError(f"strict must be True or False, not {strict!r}")
    if not (kinds is None or isinstance(kinds, (str, Mapping))):
        raise DataError(f"kinds must be None, a kind for all columns, or a dict of kinds by column, not {kinds!r}")
    if weights is not None and (fault := name_fault([weights], "column name", "columns")):
        raise DataError(f"weights must be None or the name of a column: {fault}")
    layout = read_layout(delimiter, decimal, na_values, encoding)
    reading = {
        "kinds": kinds if isinstance(kinds, str) else dict(kinds or {}),
        "strict": strict,
        "keep": _names(keep),
        "drop": _names(drop),
        "missing": None if read_missing(missing) == "sample" else missing,
        "weights": weights,
        "transform": read_transform(transform),
        "contexts": _names(contexts),
        "targets": targets,
        "by": _names(by),
        "delimiter": delimiter,
        "decimal": None if decimal == "." else decimal,
        "na_values": list(layout.na_values),
        "encoding": layout.encoding,
    }
    given = {word: value for word, value in reading.items() if value or (value == 0 and value is not False)}
    if isinstance(data, Table):
        word = next((word for word in given if word != "strict"), None)
        if word is not None:
            raise DataError(
                f"a Table cannot be read again; pass {word}= to the call of read_table or lagged that created it"
            )
        return data
    errors = ErrorList()
    kept, keys = {*_names(keep), *_names(contexts)}, _names(by)
    cells = cells_of(data, keys, "by", layout) if keys else {}
    found = raw_columns(data, [*_names(drop), *(key for key in keys if key not in _names(drop))], layout, errors, kept)
    labels = _labels(found.names)
    _check_known("keep", _names(keep), labels)
    if found.n_rows < 2 and found.columns:
        raise DataError(f"the table has {found.n_rows} row{'s' * (found.n_rows != 1)}; at least 2 are needed")
    if len(labels) == 1:
        raise _one_column(labels.names[0])
    chosen = {*kinds} if isinstance(kinds, Mapping) else set()
    reader = _Reader(found.place, _asked_kinds(kinds, labels, errors), strict, kept, errors, chosen)
    raw, counts = found.columns, None
    if weights is not None:
        _check_known("weights", [weights], labels)
        counts = next((read_counts(name, column) for name, column in raw if name == weights), None)
        raw = [(name, column) for name, column in raw if name != weights]
    columns, rows = reader.read(raw, read_missing(missing))
    columns, notes = transformed(columns, read_transform(transform))
    aside: tuple[Column, ...] = ()
    if not strict:
        remaining, names = without_names(columns, kept) if len(rows) > FEW_VALUES else (columns, [])
        remaining, dependent = without_dependent(remaining, kept) if len(rows) > CHANCE_ROWS else (remaining, [])
        aside = tuple(c for c in columns if c.kind == "categorical" and not any(c is one for one in remaining))
        columns, notes = remaining, [*notes, *names, *dependent]
    notes += [*missing_note(columns, missing), *kinds_note(columns)]
    n_rows = len(rows)
    groups = group_numbers(keys, cells, found.n_rows, "group")[rows] if keys else None
    if weights is not None and counts is not None:
        columns, n_rows, about_counts = repeated(columns, weights, counts[rows])
        groups = None if groups is None else np.repeat(groups, counts[rows])
        notes += about_counts
    notes = sorted([*reader.notes, *notes], key=lambda note: -note.severity)
    if len(columns) < 2:
        raise _too_few(columns, reader.left_out, notes)
    code = ", ".join(f"{word}={value!r}" for word, value in given.items())
    source = replace(source_of(data), reading=code, left_out=found.n_rows - len(rows), given=data)
    labels = Labels([column.name for column in columns])
    table = Table(tuple(columns), labels, n_rows, source, tuple(notes), aside, groups=groups, by=tuple(keys))
    return with_contexts(table, contexts, targets)


class _Reader:
    """Turns raw columns into columns; what is wrong becomes an error, or a note if it is mended."""

    def __init__(
        self,
        place: Place,
        asked: Mapping[Hashable, Kind],
        strict: bool,
        keep: set[Hashable],
        errors: ErrorList,
        chosen: set[Hashable],
    ) -> None:
        self.place, self.asked, self.strict, self.keep, self.errors = place, asked, strict, keep, errors
        self.chosen = chosen  # columns whose kinds were given by name
        self.notes: list[Finding] = []
        self.left_out: list[DataError] = []

    def read(self, raw: Named, missing: Missing) -> tuple[list[Column], NDArray[np.intp]]:
        """The columns, and the numbers of the rows that they have."""
        usable = [(name, column) for name, one in raw if (column := self._usable(name, one)) is not None]
        columns = [column for column in map(self._column, *zip(*usable, strict=True)) if column] if usable else []
        rows = np.arange(len(usable[0][1].values) if usable else 0)
        if missing == "refuse" or (self.strict and missing != "drop"):
            error = missing_error({name: column.missing for name, column in usable}, self.place)
            self.errors.found += [] if error is None else [error]
        self._settle()
        if missing == "drop" and columns and (gaps := incomplete_rows(columns)).any():
            self.notes += missing_note(columns, missing)
            rows = complete_rows(columns)
            names = {column.name for column in columns}
            usable = [(name, column.only(name, ~gaps)) for name, column in usable if name in names]
            columns = [column for column in map(self._column, *zip(*usable, strict=True)) if column]
            self._settle()
        return columns, rows

    def _usable(self, name: Hashable, raw: Raw) -> Raw | None:
        """The column with numbers in text parsed; None if it is empty, an identifier or infinite."""
        if raw.missing.all():
            self.errors.found.append(DataError(f"column {show(name)} has only missing cells", "drop it", "empty", name))
            return None
        if (cells := raw.infinite()).any():
            which = f"column {show(name)} has {count(int(cells.sum()), 'infinite cell')}"
            fault = f"{which}, the first in {self.place(int(cells.argmax()))}"
            remedy = "replace them, for example with data.replace([np.inf, -np.inf], np.nan)"
            self.errors.found.append(DataError(fault, remedy, "infinite", name))
            return None
        if name in self.chosen:
            return raw
        if not self.strict and name not in self.asked and (numbers := numbers_in_text(name, raw)) is not None:
            raw, note = numbers
            self.notes.append(note)
        error = None if name in self.keep else identifying_numbers(name, raw)
        if error is not None and self.strict:
            warn_user(str(error), DataWarning)
        elif error is not None:
            self.errors.found.append(error)
            return None
        return raw

    def _column(self, name: Hashable, raw: Raw) -> Column | None:
        try:
            return column_of(name, raw, self.asked.get(name), check=name not in self.keep)
        except DataError as error:
            self.errors.found.append(error)
            return None

    def _settle(self) -> None:
        """Raise the errors, or only those that have no remedy."""
        if not self.strict:
            notes, fatal = mended(self.errors.found)
            self.notes += notes
            self.left_out += [error for error in self.errors.found if error not in fatal]
            self.errors.found = fatal
        self.errors.report()
        self.errors.found = []


def _names(given: Any) -> list[Hashable]:
    """The names of columns; a string is one name."""
    names = list(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes)) else [given]
    for name in names:
        if not is_hashable(name):
            raise DataError(f"{name!r} is not the name of a column")
    return names


def _check_known(word: str, names: list[Hashable], labels: Labels) -> None:
    for name in names:
        if labels.find(name) is None:
            known = f"{show_all(labels.names)}{meant(name, labels.names)}"
            raise DataError(f"{word} names the column {show(name)}, but the columns are {known}")


def _too_few(columns: list[Column], left_out: list[DataError], notes: list[Finding]) -> DataError:
    """The error about a table of which fewer than two columns remain, with the reasons why others were left out."""
    what = f"only {show(columns[0].name)}" if columns else "no column"
    reasons = [error.fault for error in left_out] + [note.words for note in notes if note.kind == "dependent"]
    return DataError(f"{what} can be used; at least 2 columns are needed, but {listed(reasons, '; ')}")


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
    if fault := name_fault(names, "column name", "columns"):
        raise DataError(f"{fault}; give each column a unique name")
    return Labels(names)


def _asked_kinds(kinds: Kind | Mapping[Any, Kind] | None, labels: Labels, errors: ErrorList) -> dict[Hashable, Kind]:
    asked = dict.fromkeys(labels.names, kinds) if isinstance(kinds, str) else dict(kinds or {})
    valid: dict[Hashable, Kind] = {}
    for name, kind in asked.items():
        with errors.caught():
            _check_known("kinds", [name], labels)
            if kind not in get_args(Kind):
                raise DataError(f"the kind of a column must be 'continuous', 'categorical' or 'ordinal', not {kind!r}")
            valid[name] = kind
        if isinstance(kinds, str) and kind not in get_args(Kind):
            break  # the same kind is wrong for every column
    return valid
