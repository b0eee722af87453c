"""Listed classes as graphs: selected rows in order, or all of them in the fastest order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import ClassCursor, Graph
from causal_zigzag.answers.class_list import ClassList
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.posterior.listed_classes import decode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.posterior.sampled_run import SampledRun

SORTED_BYTES = 1 << 26  # of graphs that are held to be put in order; each such block needs a pass over the whole list
STREAMED_BYTES = 1 << 21  # of graphs that are decoded at once when the order does not matter
FEW = 16  # so few rows are decoded one by one, without a pass over the list


def graph_of_row(run: SampledRun, row: int) -> CPDAG:
    """The class of one row of ``run.listed_classes``."""
    classes = run.listed_classes
    result, record = run.results[classes.chain[row]], int(classes.record[row])
    return CPDAG.from_core(Graph.from_matrix(decode(result, record, len(run.nodes))), run.start.labels)


def listed_graphs(run: SampledRun, rows: NDArray[np.int64]) -> Iterator[CPDAG]:
    """The listed classes of these rows, in this order, as CPDAGs also if there is knowledge."""
    if len(rows) <= FEW:  # decoding one class visits only its ancestors in the list
        for row in rows:
            yield graph_of_row(run, int(row))
        return
    step = _count(SORTED_BYTES, len(run.nodes))
    for begin in range(0, len(rows), step):
        some = rows[begin : begin + step]
        graphs = dict(_in_lists(run, some))
        for row in some.tolist():
            yield graphs[row]


def restricted_graphs(run: SampledRun, rows: NDArray[np.int64]) -> Iterator[ClassGraph]:
    """The listed classes of these rows, in this order; with knowledge, as MPDAGs."""
    return map(run.target.restrict, listed_graphs(run, rows))


def every_listed_graph(run: SampledRun) -> Iterator[tuple[int, ClassGraph]]:
    """All listed classes with their rows, in arbitrary order; with knowledge, as MPDAGs."""
    return ((row, run.target.restrict(g)) for row, g in _in_lists(run, np.arange(run.class_count)))


def class_lists(run: SampledRun) -> list[ClassList]:
    """The listed classes of each chain."""
    labels, restriction = run.start.labels, run.target.restriction
    return [ClassList(labels, r.origin, r.begin, r.deltas, restriction) for r in run.results]


def class_graphs(classes: ClassList, wanted: NDArray[np.bool_]) -> Iterator[tuple[int, ClassGraph]]:
    """The wanted classes of a list with their positions; ascending if each class is stored relative to the previous."""
    restriction = classes.restriction
    if restriction is None:
        return _class_graphs(classes, wanted)
    return ((place, restriction.apply(g)) for place, g in _class_graphs(classes, wanted))


def _class_graphs(classes: ClassList, wanted: NDArray[np.bool_]) -> Iterator[tuple[int, CPDAG]]:
    n, labels, make = len(classes.labels), classes.labels, CPDAG.from_core
    cursor = ClassCursor(n, classes.origin, classes.begin, classes.deltas, wanted.view(np.uint8))
    while True:
        places, graphs = cursor.take(_count(STREAMED_BYTES, n))
        if not graphs:
            return
        for place, graph in zip(places.tolist(), graphs, strict=True):
            yield place, make(graph, labels)


def _in_lists(run: SampledRun, rows: NDArray[np.int64]) -> Iterator[tuple[int, CPDAG]]:
    classes, labels = run.listed_classes, run.start.labels
    for number, r in enumerate(run.results):
        own = rows[classes.chain[rows] == number]
        row_of = np.full(len(r.origin), -1)
        row_of[classes.record[own]] = own
        row = row_of.tolist()
        for place, g in _class_graphs(ClassList(labels, r.origin, r.begin, r.deltas), row_of >= 0):
            yield row[place], g


def _count(size: int, n: int) -> int:
    """The number of graphs of n nodes, each n rows of words, that fit into ``size`` bytes; at least 1."""
    return 1 + size // (1 + n * ((n + 63) // 64 * 8))
