"""Table: observations as validated, immutable columns, each of a kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final, get_args

import numpy as np

from causal_zigzag.graphs.labels import Labels, show
from causal_zigzag.tables.cell_types import row_number
from causal_zigzag.tables.column_kinds import Column, Kind, as_categories, no_number
from causal_zigzag.tables.error_list import ErrorList
from causal_zigzag.tables.finding import Finding
from causal_zigzag.tables.missing_cells import incomplete_rows, missing_error
from causal_zigzag.tables.source import Source

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray


@final
@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Table:
    """A validated table from ``read_table``.

    ``nodes`` are the names of its columns, ``kinds`` their kinds, and ``notes`` what reading has left out or changed.
    ``contexts`` are the columns that are given and not explained: experimental conditions, or the past of a series.

    >>> import causal_zigzag as cz
    >>> table = cz.read_table({"size": [1.5, 2.5, 3.0], "color": ["red", "blue", "red"], "site": ["A", "A", "A"]})
    >>> for note in table.notes:
    ...     print(note)
    Column site is constant: every cell is 'A', so it contains no information. It is left out.
    """

    columns: tuple[Column, ...]
    labels: Labels
    n_rows: int
    source: Source
    notes: tuple[Finding, ...] = ()
    aside: tuple[Column, ...] = ()  # categorical columns that were left out, but may name groups of rows
    contexts: tuple[Hashable, ...] = ()
    targets: tuple[tuple[Hashable, tuple[Hashable, ...]], ...] = ()  # the variables that a condition is known to set
    groups: NDArray[np.intp] | None = None  # the number of the group that each row belongs to, if rows belong together
    by: tuple[Hashable, ...] = ()  # the columns that name the groups
    in_time: bool = False  # the groups are series, whose rows are in the order of time

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The names of the columns.

        >>> import causal_zigzag as cz
        >>> cz.read_table({"size": [1.5, 2.5, 3.0], "color": ["red", "blue", "red"]}).nodes
        ('size', 'color')
        """
        return self.labels.names

    @property
    def kinds(self) -> dict[Hashable, Kind]:
        """The kind of each column.

        >>> import causal_zigzag as cz
        >>> cz.read_table({"size": [1.5, 2.5, 3.0], "color": ["red", "blue", "red"]}).kinds
        {'size': 'continuous', 'color': 'categorical'}
        """
        return {column.name: column.kind for column in self.columns}

    @property
    def complete(self) -> bool:
        """Whether no cell is missing.

        >>> import causal_zigzag as cz
        >>> cz.read_table({"a": [0.5, None, 2.0], "b": [1.0, 0.5, 0.25]}).complete
        False
        """
        return not incomplete_rows(self.columns).any()

    def refuse_missing(self, wanted_by: str) -> None:
        """Raise a DataError if a cell is missing."""
        error = missing_error({column.name: column.missing for column in self.columns}, row_number, wanted_by)
        if error is not None:
            raise error

    def numbers(self, wanted_by: str) -> NDArray[np.float64]:
        """All columns as numbers, one row per observation; text and missing cells raise a DataError.

        >>> import causal_zigzag as cz
        >>> cz.read_table({"a": [1.5, 2.5, 3.0], "b": [0, 1, 1]}).numbers("this example").tolist()
        [[1.5, 0.0], [2.5, 1.0], [3.0, 1.0]]
        """
        remedy = "encode or drop it, or use score='mixed-bic', which supports categories"
        errors = ErrorList()
        for column in self.columns:
            if column.numbers is None:
                fault = f"column {show(column.name)} is not numeric (it contains {column.levels[0]!r})"
                wanted = f"{fault}, but {wanted_by} needs numbers"
                errors.found.append(no_number(wanted, remedy, column.name, column.levels))
        errors.report()
        self.refuse_missing(wanted_by)
        # A transposed view, so that each column is contiguous in memory.
        return np.array([column.numbers for column in self.columns if column.numbers is not None]).T

    def codes(self, wanted_by: str) -> tuple[NDArray[np.uint16], list[tuple[object, ...]]]:
        """All columns as codes, one row per column, and their levels; fractions and missing cells raise a DataError.

        >>> import causal_zigzag as cz
        >>> codes, levels = cz.read_table({"a": ["x", "y", "x"], "b": [0, 1, 1]}).codes("this example")
        >>> codes.tolist(), levels
        ([[0, 1, 0], [0, 1, 1]], [('x', 'y'), (0, 1)])
        """
        self.refuse_missing(wanted_by)
        errors, coded = ErrorList(), []
        for column in self.columns:
            with errors.caught():
                coded.append(as_categories(column, wanted_by))
        errors.report()
        codes = np.ascontiguousarray([column.codes for column in coded], dtype=np.uint16)
        return codes, [column.levels for column in coded]

    def __repr__(self) -> str:
        kinds = [kind for kind in get_args(Kind) if kind in self.kinds.values()]
        counts = ", ".join(f"{sum(c.kind == kind for c in self.columns)} {kind}" for kind in kinds)
        return f"Table({self.n_rows} rows, {len(self.columns)} columns: {counts})"
