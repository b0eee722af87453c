"""A graph of a user in any form: a graph of this package or of another one, a matrix, edges, or text in a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.adjacency_matrix import Matrix, is_networkx, read_dag, read_matrix, read_networkx
from causal_zigzag.graphs.formats.any_text import matrix_of_text
from causal_zigzag.graphs.labels import Labels, show_all
from causal_zigzag.graphs.mixed_graph import MixedGraph

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

INSIDE = ("graph", "_graph", "G")  # where models of DoWhy and results of causal-learn keep their graph
DEEPEST = 3  # a CausalModel of DoWhy has a CausalGraph, which has a DiGraph


def read_any_graph(graph: Any, nodes: Sequence[Hashable] | None = None) -> tuple[Matrix, Labels]:
    """The matrix and the labels of the graph; a matrix without labels has those of ``nodes``.

    >>> read_any_graph("digraph { a -> b }")[0].tolist(), read_any_graph([("a", "b")])[1].names
    ([[0, 1], [0, 0]], ('a', 'b'))
    """
    if isinstance(graph, MixedGraph):
        return graph.matrix(), graph.labels
    if isinstance(graph, (str, os.PathLike)):
        return matrix_of_text(_text(graph))
    if hasattr(graph, "__array__") or hasattr(graph, "toarray") or _is_square(graph):
        labelled = hasattr(graph, "columns")
        known = None if labelled or nodes is None or len(nodes) != np.shape(graph)[0] else nodes
        return read_matrix(graph, known)
    graph = graph.get("G", graph) if isinstance(graph, dict) else graph  # the result of GES of causal-learn
    for _ in range(DEEPEST):
        if is_networkx(graph):
            return read_networkx(graph)
        if hasattr(graph, "get_node_names") and isinstance(getattr(graph, "graph", None), np.ndarray):
            return _of_causal_learn(graph)
        found = next((getattr(graph, name) for name in INSIDE if hasattr(graph, name)), None)
        if found is None:
            break
        graph = found
    if not isinstance(graph, (list, tuple)):
        raise GraphError(
            f"a graph is a CPDAG, a networkx.DiGraph, a list of edges (x, y), a matrix or a text such as "
            f'"a -> b, b -> c", not {type(graph).__name__}'
        )
    return read_dag([tuple(edge) if isinstance(edge, list) else edge for edge in graph], None)


def in_order_of(matrix: Matrix, labels: Labels, nodes: Sequence[Hashable]) -> tuple[Matrix, list[Hashable]]:
    """The matrix with its nodes in the order of ``nodes``, and those of them that the graph lacks, without edges.

    Names in a text are also those of labels that are not text.

    >>> in_order_of(np.array([[0, 1], [0, 0]], dtype=np.uint8), Labels(["2", "0"]), (0, 1, 2))[0].tolist()
    [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    """
    known = Labels(nodes)
    by_text = {str(v): i for i, v in enumerate(nodes)}
    places = [by_text.get(str(v)) if known.find(v) is None else known.find(v) for v in labels.names]
    unknown = [v for v, place in zip(labels.names, places, strict=True) if place is None]
    if unknown:
        raise GraphError(
            f"the graph has {show_all(unknown)}, but the variables are {show_all(nodes)}; what was not measured cannot "
            "be judged: rename it, or leave it out"
        )
    at = [place for place in places if place is not None]
    ordered = np.zeros((len(nodes), len(nodes)), dtype=np.uint8)
    ordered[np.ix_(at, at)] = matrix
    return ordered, [v for i, v in enumerate(nodes) if i not in {*at}]


def _is_square(graph: Any) -> bool:
    """Whether rows are lists of as many entries; edges are pairs, so two lists of two entries 0 or 1 are a matrix."""
    if not isinstance(graph, (list, tuple)) or not graph or not all(isinstance(row, list) for row in graph):
        return False
    return all(len(row) == len(graph) and all(value in (0, 1) for value in row) for row in graph)


def _text(given: str | os.PathLike[str]) -> str:
    """The text, or that of the file with this name."""
    path = Path(given)
    try:
        is_file = isinstance(given, os.PathLike) or ("\n" not in given and path.is_file())
    except (OSError, ValueError):  # too long for the name of a file
        is_file = False
    if not is_file:
        return str(given)
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise GraphError(f"cannot read the graph in {str(path)!r}: {error}") from None


def _of_causal_learn(graph: Any) -> tuple[Matrix, Labels]:
    """graph[i, j] = -1 and graph[j, i] = 1 is i -> j, and -1 twice is i - j; other ends are those of hidden causes."""
    ends = np.asarray(graph.graph)
    if ((ends == 1) & (ends.T == 1)).any() or (ends == 2).any():
        raise GraphError("the graph has edges <-> or o->, which stand for hidden causes, and no DAG has them")
    return (ends == -1).astype(np.uint8), Labels(graph.get_node_names())
