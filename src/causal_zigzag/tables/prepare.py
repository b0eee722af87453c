"""What reading a table mends: each fault that has one sensible remedy becomes a note, the others remain errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from causal_zigzag.errors import DataError, Flaw
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.support.wording import count
from causal_zigzag.tables.checks.series import names_a_time
from causal_zigzag.tables.column_kinds import FEW_VALUES, Column, hidden_numbers
from causal_zigzag.tables.finding import CHANGED, READ, Finding, Preparation
from causal_zigzag.tables.names_in_words import listed
from causal_zigzag.tables.numbers_as_text import number_or_nan
from causal_zigzag.tables.raw_columns import Raw
from causal_zigzag.tables.times.dates import are_compact_dates

LEFT_OUT: dict[Flaw, tuple[Preparation, str]] = {
    "constant": ("constant", "Constant columns"),
    "empty": ("empty", "Columns without any value"),
    "identifier": ("identifier", "Columns like identifiers or free text"),
    "date": ("date", "Columns of dates"),
    "unusable": ("unusable", "Columns that are neither numbers nor categories"),
}
"""The columns at fault are left out: the kind of the note, and words for several columns."""

MANY_LEVELS, ROWS_PER_LEVEL = 50, 5  # of text; each level has parameters of its own
COSTLY_LEVELS = 250  # with more, and more pairs of levels than rows, tables take much time and memory and tell little

SMALL_STEP = 3  # of identifiers, the median
MOSTLY = 0.9  # share of the rows in which an identifier differs
DENSE = 1.25  # range of identifiers in any order, relative to their number

KEPT = ("identifier", "date")  # they can be kept on request

_IDENTIFIER = re.compile(r"(?:^|[^a-z])(?:id|ids|uid|uuid|rownames?|seqn|caseid|recno)$|^$|^unnamed: 0")  # or an index


def mended(faults: Sequence[DataError]) -> tuple[list[Finding], list[DataError]]:
    """Notes about columns that are left out, one for each kind of fault, and the faults that have no remedy."""
    notes, rest = [], []
    by_flaw: dict[Flaw, list[DataError]] = {}
    for fault in faults:
        if fault.flaw in LEFT_OUT and fault.about is not None:
            by_flaw.setdefault(fault.flaw, []).append(fault)
        else:
            rest.append(fault)
    for flaw, found in by_flaw.items():
        kind, words = LEFT_OUT[flaw]
        names = [fault.about for fault in found]
        text = f"{found[0].fault}." if len(found) == 1 else f"{words}: {listed([show(name) for name in names])}."
        option = f"keep={names!r}" if flaw in KEPT else ""
        remedy = "It is left out." if len(found) == 1 else "They are left out."
        texts = tuple(map(str, names))
        notes.append(Finding(kind, texts, text[:1].upper() + text[1:], remedy, option=option, severity=CHANGED))
    return notes, rest


def numbers_in_text(name: Hashable, raw: Raw) -> tuple[Raw, Finding] | None:
    """A column of text as numbers, with markers as missing cells, and the note about it; None if it has no numbers."""
    if raw.is_numeric() or raw.categories:
        return None
    gaps = raw.missing
    present = raw.values[~gaps]
    texts = [cell for cell in present if isinstance(cell, str)]
    if len(texts) < len(present):  # numbers and text
        marks = sorted({text for text in texts if np.isnan(number_or_nan(text))})
        if not texts:
            return None
        if sum(text in marks for text in texts) <= len(present) / 2:
            return _with_markers(name, raw, marks, number_or_nan)
        cells = np.array([None if gap else str(cell) for cell, gap in zip(raw.values, gaps, strict=True)], dtype=object)
        words = f"{show(name)} mixes numbers and text, such as {texts[0]!r}."
        drop = f"drop=[{name!r}]"
        note = Finding("numbers as text", (str(name),), words, "All its cells are text.", option=drop, severity=CHANGED)
        return Raw(cells), note
    found = hidden_numbers(raw if not gaps.any() else Raw(present))
    if found is None or found.read is None:
        return None
    if found.flaw == "markers":
        return _with_markers(name, raw, sorted({t for t in texts if np.isnan(found.read(t))}), found.read)
    note = Finding(
        "numbers as text",
        (str(name),),
        f"The numbers of {show(name)} are text: {found.fault}.",
        "They are read as numbers.",
        option=f"kinds={{{name!r}: 'categorical'}}",
        severity=CHANGED,
    )
    return _read(raw, found.read), note


def _with_markers(name: Hashable, raw: Raw, marks: Sequence[str], read: Callable[[str], float]) -> tuple[Raw, Finding]:
    times = sum(cell in {*marks} for cell in raw.values if isinstance(cell, str))
    words = f"The numbers of {show(name)} have {count(times, 'cell')} of other text: {show_all(marks)}."
    option = f"kinds={{{name!r}: 'categorical'}}"
    share = times / len(raw.values)
    note = Finding("markers", (str(name),), words, "These are missing cells.", share, 0.0, option, CHANGED)
    return _read(raw, read), note


def _read(raw: Raw, read: Callable[[str], float]) -> Raw:
    cells = [cell if not isinstance(cell, str) else read(cell) for cell in raw.values]
    return Raw(np.array([np.nan if gap else float(cell) for cell, gap in zip(cells, raw.missing, strict=True)]))


def identifying_numbers(name: Hashable, raw: Raw) -> DataError | None:
    """The error about a column of numbers that number the rows, identify them, or are dates; None for any other."""
    values = raw.values
    if not (raw.is_numeric() and raw.is_finite()) or values.dtype.kind == "b" or len(values) <= FEW_VALUES:
        return None
    if are_compact_dates(values):
        fault = f"column {show(name)} seems to contain dates such as {int(values[0])}"
        return DataError(fault, "convert it to days since the first date, or drop it", "date", name)
    first, last = float(values[0]), float(values[-1])
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", str(name)).casefold()
    if not first.is_integer() or names_a_time(name):
        return None
    if last - first == len(values) - 1 and (np.diff(values) == 1).all():
        fault = f"column {show(name)} numbers the rows from {first:.0f} to {last:.0f}, like an identifier"
        return DataError(fault, "drop it, unless the order of the rows has a meaning", "identifier", name)
    if not (values == np.round(values)).all():
        return None
    distinct, steps = np.unique(values), np.diff(values.astype(np.float64))
    differ = len(distinct) == len(values)
    close = differ and np.median(np.diff(distinct.astype(np.float64))) <= SMALL_STEP
    if close and ((steps > 0).all() or distinct[-1] - distinct[0] < DENSE * len(values)):
        fault = f"column {show(name)} has a different integer in every row, close to the next, like an identifier"
    elif _IDENTIFIER.search(words) and len(distinct) >= MOSTLY * len(values):
        share = "every row" if differ else "nearly every row"
        fault = f"column {show(name)} has a different integer in {share}, like an identifier"
    else:
        return None
    return DataError(fault, "drop it", "identifier", name)


def without_names(columns: Sequence[Column], keep: set[Hashable]) -> tuple[list[Column], list[Finding]]:
    """The columns without text of so many levels that few rows are left for each: names of units, not a property."""
    rest: list[Column] = []
    notes: list[Finding] = []
    for column in columns:
        note = None if column.name in keep else _many_levels(column)
        if note is None:
            rest.append(column)
        else:
            notes.append(note)
    return rest, notes


def _many_levels(column: Column) -> Finding | None:
    """The note about a column of text with so many levels that its tables cannot be estimated, or cost too much."""
    levels, rows = len(column.levels), len(column.missing)
    if column.reason == "text" and levels > MANY_LEVELS and rows < ROWS_PER_LEVEL * levels:
        why, statistic, threshold = f"{rows / levels:.2g} rows each", rows / levels, float(ROWS_PER_LEVEL)
    elif column.reason in ("text", "categories") and levels > COSTLY_LEVELS and levels**2 > rows:
        why, statistic, threshold = f"whose pairs are more than the {rows:,} rows", levels**2 / rows, 1.0
    else:
        return None
    words = f"{show(column.name)} is text with {levels:,} levels, {why}."
    option = f"keep=[{column.name!r}]"
    return Finding("identifier", (str(column.name),), words, "It is left out.", statistic, threshold, option, CHANGED)


def kinds_note(columns: Sequence[Column]) -> list[Finding]:
    """The note about numbers that are categorical because they have few values, and about ordered categories."""
    notes = []
    few = [c for c in columns if c.kind == "categorical" and c.reason.endswith(("two values", "integers", "numbers"))]
    ranked = [c for c in columns if c.reason == "ordered categories"]
    for found, words, remedy, other in (
        (few, "Numbers with few different values", "Used as categories.", "continuous"),
        (ranked, "Ordered categories", "Used as numbers 0, 1, ...", "categorical"),
    ):
        if found:
            names = [column.name for column in found]
            text = f"{words}: {listed([show(name) for name in names])}."
            option = f"kinds={{{names[0]!r}: {other!r}}}"
            notes.append(Finding("kinds", tuple(map(str, names)), text, remedy, option=option, severity=READ))
    return notes
