"""Table: observations as validated, immutable columns, each of a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, final, get_args

import numpy as np

from causal_zigzag.graphs.labels import Labels, show
from causal_zigzag.tables.column_kinds import Column, Kind, as_categories, no_number
from causal_zigzag.tables.faults import Faults
from causal_zigzag.tables.source import Source

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray


@final
class Table:
    """A validated table from ``read_table``: ``nodes`` are the names of its columns, ``kinds`` their kinds."""

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

    def numbers(self, wanted_by: str) -> NDArray[np.float64]:
        """All columns as numbers, one row per observation; a column of text raises a DataError.

        >>> import causal_zigzag as cz
        >>> cz.read_table({"a": [1.5, 2.5, 3.0], "b": [0, 1, 1]}).numbers("this example").tolist()
        [[1.5, 0.0], [2.5, 1.0], [3.0, 1.0]]
        """
        faults = Faults()
        for column in self.columns:
            if column.numbers is None:
                with faults.caught():
                    raise no_number(
                        f"column {show(column.name)} is not numeric (it contains {column.levels[0]!r}), but "
                        f"{wanted_by} needs numbers",
                        "encode or drop it, or use score='mixed-bic', which supports categories",
                        column.name,
                        column.levels,
                    )
        faults.report()
        # A transposed view, so that each column is contiguous in memory.
        return np.array([column.numbers for column in self.columns if column.numbers is not None]).T

    def codes(self, wanted_by: str) -> tuple[NDArray[np.uint16], list[tuple[object, ...]]]:
        """All columns as codes, one row per column, and their levels; fractions raise a DataError.

        >>> import causal_zigzag as cz
        >>> codes, levels = cz.read_table({"a": ["x", "y", "x"], "b": [0, 1, 1]}).codes("this example")
        >>> codes.tolist(), levels
        ([[0, 1, 0], [0, 1, 1]], [('x', 'y'), (0, 1)])
        """
        faults, coded = Faults(), []
        for column in self.columns:
            with faults.caught():
                coded.append(as_categories(column, wanted_by))
        faults.report()
        codes = np.ascontiguousarray([column.codes for column in coded], dtype=np.uint16)
        return codes, [column.levels for column in coded]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Table is immutable, {name!r} cannot be set")

    def __reduce__(self) -> tuple[type[Table], tuple[object, ...]]:
        return Table, (self.columns, self.labels, self.n_rows, self.source)

    def __repr__(self) -> str:
        kinds = [kind for kind in get_args(Kind) if kind in self.kinds.values()]
        counts = ", ".join(f"{sum(c.kind == kind for c in self.columns)} {kind}" for kind in kinds)
        return f"Table({self.n_rows} rows, {len(self.columns)} columns: {counts})"
