"""ClassList: many classes in one value, stored as differences from each other, as the core reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag._core import orient_classes
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.graphs.mpdag import MPDAG, ClassGraph, Restriction
from causal_zigzag.graphs.pairs import pair_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag._core import Arrows


class ClassList(NamedTuple):
    """Classes stored as a forest of differences, as in ``ChainResult``; with knowledge, their DAGs that agree."""

    labels: Labels
    origin: NDArray[np.int64]
    begin: NDArray[np.uint64]
    deltas: NDArray[np.uint32]
    restriction: Restriction | None = None

    @property
    def arrows(self) -> Arrows | None:
        """The knowledge for the core; None without one."""
        return None if self.restriction is None else self.restriction.arrows

    def oriented(self) -> ClassList:
        """The same list with the edges of the maximally oriented graphs, if there is knowledge."""
        if self.arrows is None:
            return self
        n = len(self.labels)
        begin, deltas, _ = orient_classes(n, self.origin, self.begin, self.deltas, self.arrows)
        return ClassList(self.labels, self.origin, begin, deltas)


def one_class(g: ClassGraph) -> ClassList:
    """A list with one class."""
    restriction = g.restriction if isinstance(g, MPDAG) else None
    graph = g.cpdag.core if isinstance(g, MPDAG) else g.core
    ends = np.array(graph.directed_edges() + graph.undirected_edges(), dtype=np.int64).reshape(-1, 2)
    marks = np.where(ends[:, 0] < ends[:, 1], 1, 2)
    marks[len(graph.directed_edges()) :] = 3
    deltas = (pair_number(ends[:, 0], ends[:, 1]) << 2 | marks).astype(np.uint32)
    begin = np.array([0, len(deltas)], dtype=np.uint64)
    return ClassList(g.labels, np.array([-1]), begin, deltas, restriction)


def class_list(labels: Labels, marks: NDArray[np.uint8]) -> ClassList:
    """A list of classes from their marks: one row per class, one column per pair, in the order of the core."""
    rows, pairs = np.nonzero(marks)
    deltas = pairs.astype(np.uint32) << np.uint32(2) | marks[rows, pairs]
    begin = np.searchsorted(rows, np.arange(len(marks) + 1)).astype(np.uint64)
    return ClassList(labels, np.full(len(marks), -1, dtype=np.int64), begin, deltas)
