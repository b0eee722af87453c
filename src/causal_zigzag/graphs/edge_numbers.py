"""EdgeNumbers: the edges of a graph that need not be a CPDAG, by the numbers of its nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.graphs.adjacency_matrix import Edge

Numbers = list[tuple[int, int]]


class EdgeNumbers:
    """The edges of a graph by the numbers of its nodes, with the names that the core uses for those of a CPDAG."""

    __slots__ = ("_matrix",)

    def __init__(self, matrix: NDArray[np.uint8]) -> None:
        self._matrix = read_only(matrix)

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return int(np.triu(self._matrix | self._matrix.T).sum())

    def matrix(self) -> NDArray[np.uint8]:
        """A new matrix with 1 at (x, y) for x -> y and for x - y."""
        return self._matrix.copy()

    def directed_edges(self) -> Numbers:
        """Pairs (x, y) for x -> y, in node order."""
        return [(x, y) for x, y in np.argwhere(self._matrix > self._matrix.T).tolist()]

    def undirected_edges(self) -> Numbers:
        """Pairs x < y for x - y, in node order."""
        return [(x, y) for x, y in np.argwhere(np.triu(self._matrix & self._matrix.T)).tolist()]

    def named_directed_edges(self, names: tuple[Hashable, ...], _: object) -> tuple[Edge, ...]:
        """The directed edges with the names of the nodes."""
        return tuple((names[x], names[y]) for x, y in self.directed_edges())

    def named_undirected_edges(self, names: tuple[Hashable, ...], _: object) -> tuple[Edge, ...]:
        """The undirected edges with the names of the nodes."""
        return tuple((names[x], names[y]) for x, y in self.undirected_edges())

    def parents(self, v: int) -> list[int]:
        """The nodes x with x -> v."""
        return self._numbers(self._matrix[:, v] > self._matrix[v])

    def children(self, v: int) -> list[int]:
        """The nodes x with v -> x."""
        return self._numbers(self._matrix[v] > self._matrix[:, v])

    def neighbors(self, v: int) -> list[int]:
        """The nodes x with v - x."""
        return self._numbers(self._matrix[v] & self._matrix[:, v])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EdgeNumbers) and np.array_equal(self._matrix, other._matrix)

    def __hash__(self) -> int:
        return hash(self._matrix.tobytes())

    hash = property(__hash__)  # as the core has it

    @staticmethod
    def _numbers(chosen: NDArray[Any]) -> list[int]:
        return [int(v) for v in np.flatnonzero(chosen)]
