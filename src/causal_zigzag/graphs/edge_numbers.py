"""EdgeNumbers: the edges of a graph that need not be a CPDAG, by the numbers of its nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class EdgeNumbers:
    """The edges of a graph by the numbers of its nodes, with the names that the core uses for those of a CPDAG."""

    __slots__ = ("_matrix",)

    def __init__(self, matrix: NDArray[np.uint8]) -> None:
        self._matrix = matrix

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return int(np.triu(self._matrix | self._matrix.T).sum())

    def directed_edges(self) -> list[tuple[int, int]]:
        """Pairs (x, y) for x -> y, in node order."""
        return [(x, y) for x, y in np.argwhere(self._matrix > self._matrix.T).tolist()]

    def undirected_edges(self) -> list[tuple[int, int]]:
        """Pairs x < y for x - y, in node order."""
        return [(x, y) for x, y in np.argwhere(np.triu(self._matrix & self._matrix.T)).tolist()]

    def parents(self, v: int) -> list[int]:
        """The nodes x with x -> v."""
        return self._numbers(self._matrix[:, v] > self._matrix[v])

    def children(self, v: int) -> list[int]:
        """The nodes x with v -> x."""
        return self._numbers(self._matrix[v] > self._matrix[:, v])

    def neighbors(self, v: int) -> list[int]:
        """The nodes x with v - x."""
        return self._numbers(self._matrix[v] & self._matrix[:, v])

    @staticmethod
    def _numbers(chosen: NDArray[Any]) -> list[int]:
        return [int(v) for v in np.flatnonzero(chosen)]
