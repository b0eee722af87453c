"""CheckedTable: what the checks look at, computed once: names, numbers, correlations, some rows of large tables."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.graphs.labels import distinct_texts
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.lagged import past_columns
from causal_zigzag.tables.table import Table

Array = NDArray[np.float64]

MOST_ROWS = 20_000  # larger tables are checked on evenly spaced rows, and their order on the first ones
CERTAIN = 5.0  # standard errors; with 1000 columns a false alarm has probability 6e-4


class CheckedTable:
    """A table with the texts of its names, and its numeric and categorical columns; those of the past are left out."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.texts = dict(zip(table.nodes, distinct_texts(table.nodes), strict=True))
        self.repeated = any(note.kind == "weights" for note in table.notes)
        stride = -(-table.n_rows // MOST_ROWS)
        self.columns = [column.rows(np.arange(0, table.n_rows, stride)) for column in table.columns]
        self.rows = len(range(0, table.n_rows, stride))  # that are checked
        past = {one.name for one in past_columns(table.nodes, table.contexts)}
        now = [column for column in self.columns if column.name not in past]
        self.numeric = [column for column in now if column.kind != "categorical"]
        self.categorical = [column for column in now if column.kind == "categorical"]

    def name(self, column: Column) -> str:
        """The name of a column as text."""
        return self.texts[column.name]

    @cached_property
    def filled(self) -> Array:
        """The numeric columns, one per row of the array, with the mean in the place of missing cells."""
        made = np.array([column.numbers for column in self.numeric], dtype=np.float64)
        made = made.reshape(len(self.numeric), self.rows)
        return np.where(np.isnan(made), np.nanmean(made, axis=1, keepdims=True), made)

    @cached_property
    def correlation(self) -> Array:
        """The correlations of the numeric columns; of series those of their changes, as levels are alike by trends."""
        if len(self.numeric) < 2:
            return np.ones((1, 1))
        return np.atleast_2d(np.asarray(np.corrcoef(self.filled - self._before)))

    @cached_property
    def _before(self) -> Array:
        """The numeric columns one step before, 0 for those without a past."""
        numbers = {column.name: column.numbers for column in self.columns}
        past = past_columns(self.table.nodes, self.table.contexts)
        before = {one.series: numbers[one.name] for one in past if one.lag == 1}
        none = np.zeros(self.rows)
        return np.array([none if (own := before.get(c.name)) is None else own for c in self.numeric])


def present(column: Column) -> Array:
    """The numbers of a column that are not missing."""
    assert column.numbers is not None
    return column.numbers[~np.isnan(column.numbers)]


def ranks(numbers: Array) -> Array:
    """Centred ranks; equal numbers share their mean rank."""
    _, place, times = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(times) - times / 2)[place] - len(numbers) / 2)
