"""ClassList: many classes in one value, stored as differences from each other, as the core reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import ClassCursor, Graph, decode_class, log_class_sizes, orient_classes
from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.error_messages import too_many_splits
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.graphs.mpdag import MPDAG, ClassGraph, Restriction
from causal_zigzag.graphs.pairs import pair_number
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag._core import ArrowKnowledge

    Arrays = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint32]]

STREAMED_BYTES = 1 << 21  # of graphs that are decoded at once


@dataclass(frozen=True, eq=False)
class ClassList:
    """Classes stored as a forest of differences, as in ``ChainResult``; with knowledge, their DAGs that agree."""

    labels: Labels
    origin: NDArray[np.int64]
    begin: NDArray[np.uint64]
    deltas: NDArray[np.uint32]
    restriction: Restriction | None = None

    def __len__(self) -> int:
        return len(self.origin)

    @property
    def arrays(self) -> Arrays:
        """The arrays for the core."""
        return self.origin, self.begin, self.deltas

    @property
    def arrows(self) -> ArrowKnowledge | None:
        """The knowledge for the core; None without one."""
        return None if self.restriction is None else self.restriction.arrows

    @cached_property
    def oriented(self) -> ClassList:
        """The same list with the edges of the maximally oriented graphs, if there is knowledge."""
        if self.arrows is None:
            return self
        begin, deltas, _ = orient_classes(len(self.labels), *self.arrays, self.arrows)
        return replace(self, begin=begin, deltas=deltas, restriction=None)

    def log_sizes(self) -> NDArray[np.float64]:
        """The logs of the numbers of DAGs of the classes; with knowledge, of those that agree."""
        try:
            return read_only(log_class_sizes(len(self.labels), *self.arrays, self.arrows))
        except OverflowError as error:
            raise too_many_splits(error, self.labels) from None

    def graph(self, record: int) -> CPDAG:
        """One class, as a CPDAG also if there is knowledge; only the classes that it is stored relative to are read."""
        matrix = decode_class(len(self.labels), *self.arrays, record)
        return CPDAG.from_core(Graph.from_matrix(matrix), self.labels)

    def cpdags(self, wanted: NDArray[np.bool_]) -> Iterator[tuple[int, CPDAG]]:
        """The wanted classes with their positions; ascending if each class is stored relative to the previous."""
        n = len(self.labels)
        cursor = ClassCursor(n, *self.arrays, wanted.view(np.uint8))
        while (taken := cursor.take(graphs_in(STREAMED_BYTES, n)))[1]:
            for place, graph in zip(taken[0].tolist(), taken[1], strict=True):
                yield place, CPDAG.from_core(graph, self.labels)

    def graphs(self, wanted: NDArray[np.bool_]) -> Iterator[tuple[int, ClassGraph]]:
        """The same; with knowledge, as MPDAGs."""
        restriction = self.restriction
        if restriction is None:
            return self.cpdags(wanted)
        return ((place, restriction.apply(g)) for place, g in self.cpdags(wanted))


def graphs_in(size: int, n: int) -> int:
    """The number of graphs of n nodes, each n rows of words, that fit into ``size`` bytes; at least 1."""
    return 1 + size // (1 + n * ((n + 63) // 64 * 8))


def one_class(g: ClassGraph) -> ClassList:
    """A list with one class."""
    if not isinstance(g, (CPDAG, MPDAG)):
        raise GraphError(f"a statement is about a CPDAG, not {g!r}")
    restriction = g.restriction if isinstance(g, MPDAG) else None
    graph = g.cpdag.core if isinstance(g, MPDAG) else g.core
    ends = np.array(graph.directed_edges() + graph.undirected_edges(), dtype=np.int64).reshape(-1, 2)
    marks = np.where(ends[:, 0] < ends[:, 1], 1, 2)
    marks[len(graph.directed_edges()) :] = 3
    deltas = (pair_number(ends[:, 0], ends[:, 1]) << 2 | marks).astype(np.uint32)
    begin = np.array([0, len(deltas)], dtype=np.uint64)
    return ClassList(g.labels, np.array([-1]), begin, deltas, restriction)


def class_list(labels: Labels, marks: NDArray[np.uint8], restriction: Restriction | None = None) -> ClassList:
    """A list of classes from their marks: one row per class, one column per pair, in the order of the core."""
    rows, pairs = np.nonzero(marks)
    deltas = pairs.astype(np.uint32) << np.uint32(2) | marks[rows, pairs]
    begin = np.searchsorted(rows, np.arange(len(marks) + 1)).astype(np.uint64)
    return ClassList(labels, np.full(len(marks), -1, dtype=np.int64), begin, deltas, restriction)
