"""Classes from the lists of chains, as graphs: in any order, or all of them in the order that is quickest to walk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import ClassCursor
from causal_zigzag.answers.statements import ClassList
from causal_zigzag.graphs.cpdag import CPDAG

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior

KEPT = 1 << 26  # bytes of graphs that are put in order at a time: each time, a walk passes the whole list
PASSING = 1 << 21  # of graphs that are handed on as they come
FEW = 16  # rows for which no walk is made


def listed_graphs(posterior: Posterior, rows: NDArray[np.int64]) -> Iterator[CPDAG]:
    """The listed classes of these rows, in their order."""
    if len(rows) <= FEW:  # the way to one class passes only its ancestors
        for row in rows:
            yield posterior._graph(int(row))
        return
    step = _count(KEPT, len(posterior.nodes))
    for begin in range(0, len(rows), step):
        some = rows[begin : begin + step]
        graphs = dict(_in_lists(posterior, some))
        for row in some.tolist():
            yield graphs[row]


def every_listed_graph(posterior: Posterior) -> Iterator[tuple[int, CPDAG]]:
    """All listed classes with their rows, in an order that means nothing."""
    return _in_lists(posterior, np.arange(posterior.class_count))


def class_graphs(classes: ClassList, wanted: NDArray[np.bool_]) -> Iterator[tuple[int, CPDAG]]:
    """The wanted classes of a list with their places in it; ascending where each class is told from the one before."""
    n, labels, make = len(classes.labels), classes.labels, CPDAG.from_core
    cursor = ClassCursor(n, classes.origin, classes.begin, classes.deltas, wanted.view(np.uint8))
    while True:
        places, graphs = cursor.take(_count(PASSING, n))
        if not graphs:
            return
        for place, graph in zip(places.tolist(), graphs, strict=True):
            yield place, make(graph, labels)


def _in_lists(posterior: Posterior, rows: NDArray[np.int64]) -> Iterator[tuple[int, CPDAG]]:
    classes, labels = posterior._classes, posterior.start.labels
    for number, r in enumerate(posterior.results):
        own = rows[classes.chain[rows] == number]
        row_of = np.full(len(r.origin), -1)
        row_of[classes.record[own]] = own
        row = row_of.tolist()
        for place, g in class_graphs(ClassList(labels, r.origin, r.begin, r.deltas), row_of >= 0):
            yield row[place], g


def _count(size: int, n: int) -> int:
    """How many graphs of n nodes so many bytes hold, n rows of words each."""
    return 1 + size // (1 + n * ((n + 63) // 64 * 8))
