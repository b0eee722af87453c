"""A column of counts as weights: a row with count k stands for k equal rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.wording import count
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.finding import READ, Finding
from causal_zigzag.tables.raw_columns import Raw

MOST_CELLS = 2**28  # of a table with its rows repeated; 2 GiB of numbers


def read_counts(name: Hashable, raw: Raw) -> NDArray[np.int64]:
    """The counts of the rows."""
    wrong = [cell for cell in raw.values.tolist() if not isinstance(cell, (int, float)) or cell < 0 or cell % 1]
    if wrong:
        raise DataError(f"the weights {show(name)} must be integers of at least 0, not {wrong[0]!r}", about=name)
    return raw.values.astype(np.int64)


def repeated(
    columns: Sequence[Column], name: Hashable, counts: NDArray[np.int64]
) -> tuple[list[Column], int, list[Finding]]:
    """The columns with each row repeated as often as its count says, the new number of rows, and a note."""
    total = int(counts.sum())
    if total < 2:
        raise DataError(f"the weights {show(name)} add up to {total} rows; at least 2 are needed", about=name)
    if total * len(columns) > MOST_CELLS:
        raise DataError(f"the weights {show(name)} add up to {total:,} rows, too many for the memory", about=name)
    rows = np.repeat(np.arange(len(counts)), counts)
    words = f"{show(name)} counts rows: {count(len(counts), 'row')} stand for {total:,}."
    note = Finding("weights", (str(name),), words, "Each row is used that often.", severity=READ)
    return [column.rows(rows) for column in columns], total, [note]
