"""A 0/1 matrix as CSV, with or without names: read only."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

BITS = ("0", "1", "0.0", "1.0")


def is_csv_matrix(text: str) -> bool:
    """Whether there are several lines and no edges, and the last line is cells of 0 and 1, after a name or not."""
    *above, last = text.splitlines()
    row = re.split(r"[,;\t]", last)
    binary = len(row) > 1 and all(cell.strip() in BITS for cell in row[1:])
    return bool(above) and binary and re.search(r"->|<-|\s--?\s", text) is None


def read_csv_matrix(text: str) -> tuple[list[Hashable], NDArray[np.uint8]]:
    """The names and the matrix; there may be a line of names, and a column of the same names."""
    delimiter = next(sign for sign in "\t;," if sign in text)
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]
    except csv.Error as error:  # such as a cell beyond the limit of csv, after a quote that is not closed
        raise GraphError(f"the matrix is not valid CSV: {error}; check whether each quote is closed") from None
    width = len(rows[-1])
    named = width > 1 and (rows[-1][0] not in ("0", "1") or (rows[0][0] == "" and len(rows) == width))
    cells = [row[1:] if named else row for row in rows]
    header = len(rows) == width if named else len(rows) == width + 1
    names: list[Hashable] = list(range(len(cells[-1])))
    if header:
        names = list(rows[0][len(rows[0]) - len(cells[-1]) :])
        rows, cells = rows[1:], cells[1:]
    elif named:
        names = [row[0] for row in rows]
    if named and header and names != [row[0] for row in rows]:
        raise GraphError("the names in the first line and in the first column must be the same in the same order")
    for i, row in enumerate(cells):
        if len(row) != len(cells):
            raise GraphError(
                f"the matrix must be square, but row {i} has {len(row)} cells and there are {len(cells)} rows"
            )
        for j, cell in enumerate(row):
            if cell not in BITS:
                raise GraphError(f"the entries of the matrix must be 0 or 1, but m[{i}, {j}] is {cell!r}")
    return names, np.array([[int(float(cell)) for cell in row] for row in cells], dtype=np.uint8)
