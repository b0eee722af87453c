"""All classes of up to 6 nodes, as codes of two bits per pair of nodes and as graphs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from causal_zigzag import _core
from causal_zigzag.answers.class_list import ClassList, class_list
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import Labels, Nodes, read_nodes

MOST_ENUMERATED_NODES = 6


def enumerate_cpdags(n: Nodes) -> Iterator[CPDAG]:
    """An iterator over all classes of n nodes, ordered by their number of edges; n is at most 6.

    ``n`` is a number of nodes or a sequence of names.
    There are 1, 2, 11, 185, 8782 and 1,067,825 classes of 1 to 6 nodes.

    >>> import causal_zigzag as cz
    >>> sum(1 for _ in cz.enumerate_cpdags(4))
    185
    >>> list(cz.enumerate_cpdags(["a", "b"]))
    [CPDAG(2 nodes, no edges), CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)]
    """
    labels = read_nodes(n)
    check_size("enumerate_cpdags", len(labels))
    codes, *_ = _core.all_classes(len(labels), None)
    return graphs_of(codes, labels)


def graphs_of(codes: NDArray[np.uint32], labels: Labels, chunk: int = 4096) -> Iterator[CPDAG]:
    """The graphs of classes, given as codes."""
    for begin in range(0, len(codes), chunk):
        some = class_list_of(codes[begin : begin + chunk], labels)
        yield from (g for _, g in some.cpdags(np.ones(len(some), dtype=np.bool_)))


def pair_marks(codes: NDArray[np.uint32], n: int) -> Iterator[tuple[int, int, NDArray[np.uint32]]]:
    """For each pair a < b, its edge in each class: 0 for none, 1 for a -> b, 2 for b -> a, 3 for a - b."""
    for b in range(n):
        for a in range(b):
            yield a, b, codes >> np.uint32(b * (b - 1) + 2 * a) & np.uint32(3)


def class_list_of(codes: NDArray[np.uint32], labels: Labels) -> ClassList:
    """The classes in the form in which statements are evaluated."""
    marks = [marks.astype(np.uint8) for _, _, marks in pair_marks(codes, len(labels))]  # in the order of the core
    return class_list(labels, np.stack(marks, axis=1) if marks else np.zeros((len(codes), 0), dtype=np.uint8))


def code_of(matrix: NDArray[np.uint8]) -> int:
    """The code of a CPDAG: two bits per pair of nodes."""
    n = len(matrix)
    marks = matrix.astype(int) + 2 * matrix.T
    return sum(int(marks[a, b]) << (b * (b - 1) + 2 * a) for b in range(n) for a in range(b))


def check_size(function: str, n: int) -> None:
    """Raise a SettingsError if there are too many nodes to list all classes."""
    if n > MOST_ENUMERATED_NODES:
        raise SettingsError(
            f"{function} lists every class and supports at most {MOST_ENUMERATED_NODES} nodes (1,067,825 classes), "
            f"not {n}; cz.sample draws classes of any number of nodes"
        )
