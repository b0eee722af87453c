"""Missing cells: what to do about them, how many there are, and the error of those who cannot use them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.wording import count, percentage
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.finding import READ, Finding
from causal_zigzag.tables.names_in_words import listed

Missing = Literal["sample", "drop", "refuse"]
"""Sample missing cells together with the graph, leave out rows that have any, or raise an error."""


def read_missing(given: Any) -> Missing:
    """What to do about missing cells."""
    if not (isinstance(given, str) and given in get_args(Missing)):
        remedy = "texts of missing cells are na_values"
        raise DataError(f"missing must be 'sample', 'drop' or 'refuse', not {given!r}", remedy)
    return cast("Missing", given)


def incomplete_rows(columns: Sequence[Column]) -> NDArray[np.bool_]:
    """The rows with missing cells."""
    return np.asarray(np.logical_or.reduce([column.missing for column in columns]))


def missing_note(columns: Sequence[Column], missing: Missing) -> list[Finding]:
    """The note about missing cells, if there are any."""
    holes = {column: int(column.missing.sum()) for column in columns if column.missing.any()}
    if not holes:
        return []
    rows = incomplete_rows(columns)
    total = sum(holes.values())
    share = total / (len(columns) * len(rows))
    names = [str(column.name) for column in sorted(holes, key=lambda column: -holes[column])]
    which = f"{count(total, 'cell')} of {listed(names)} {'is' if total == 1 else 'are'} missing, {percentage(share)} of"
    words = f"{which} all; {rows.sum():,} of {count(len(rows), 'row')} {'is' if rows.sum() == 1 else 'are'} incomplete."
    if missing == "drop":
        remedy, option = "These rows are left out.", "sample"
    else:
        remedy, option = "The cells are sampled together with the graph.", "drop"
    return [Finding("missing", tuple(names), words, remedy, share, 0.0, f"missing={option!r}", READ)]


def complete_rows(columns: Sequence[Column]) -> NDArray[np.intp]:
    """The numbers of the rows without missing cells, at least two; fewer raise a DataError."""
    complete = ~incomplete_rows(columns)
    if complete.sum() < 2:
        worst = max(columns, key=lambda column: int(column.missing.sum()))
        raise DataError(
            f"only {int(complete.sum())} of {len(complete)} rows have no missing cells; at least 2 are needed",
            f"drop a column with many missing cells, such as {show(worst.name)} with {int(worst.missing.sum())}",
            "empty",
            worst.name,
        )
    return np.flatnonzero(complete)


def missing_error(
    masks: Mapping[Hashable, NDArray[np.bool_]], place: Callable[[int], str], wanted_by: str = ""
) -> DataError | None:
    """The error about missing cells, given which cells of each column are missing; None if there are none."""
    found = [(name, cells) for name, cells in masks.items() if cells.any()]
    if not found:
        return None
    total = sum(int(cells.sum()) for _, cells in found)
    name, cells = min(found, key=lambda column: int(column[1].argmax()))
    needs = f", but {wanted_by} needs complete rows" if wanted_by else ""
    fault = f"{'1 cell is' if total == 1 else f'{total} cells are'} missing (NaN), the first in "
    return DataError(
        f"{fault}{place(int(cells.argmax()))}, column {show(name)}{needs}",
        "leave out these rows with missing='drop', or impute the cells",
        "missing",
        name,
    )
