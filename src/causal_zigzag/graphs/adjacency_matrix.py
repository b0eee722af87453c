"""The adjacency matrix and the node labels of a graph that is given as a matrix, as edges or by networkx."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.labels import MOST_IN_MATRIX, Labels, Nodes, check_size, read_nodes, show, show_all

Edge = tuple[Hashable, Hashable]
MarkedEdge = tuple[Hashable, Hashable, bool]
"""Two nodes, and whether the edge is directed from the first to the second."""

Matrix = NDArray[np.uint8]
"""m[i, j] = 1: i -> j or, with m[j, i] = 1, i - j."""


def is_networkx(graph: object) -> bool:
    """Whether the object is a networkx graph; networkx is not imported for this."""
    return hasattr(graph, "is_directed") and hasattr(graph, "is_multigraph")


def read_matrix(m: Any, nodes: Nodes | None) -> tuple[Matrix, Labels]:
    """A square 0/1 matrix from anything that numpy can read; the labels of a pandas DataFrame are used."""
    labels = None if nodes is None else read_nodes(nodes)
    if hasattr(m, "columns") and hasattr(m, "index"):
        labels = _frame_labels(m, labels)
    matrix = _binary(_square(m))
    if labels is None:
        labels = read_nodes(len(matrix))
    if len(labels) != len(matrix):
        raise GraphError(f"the matrix has {len(matrix)} rows, but there are {len(labels)} nodes")
    return matrix, labels


def read_edges(labels: Labels, directed: Iterable[Edge], undirected: Iterable[Edge] = ()) -> Matrix:
    """The matrix with the given edges; a pair that two edges join raises an error."""
    check_size(len(labels), MOST_IN_MATRIX, "a graph from edges")
    matrix = np.zeros((len(labels), len(labels)), dtype=np.uint8)
    for kind, edges in (("directed", directed), ("undirected", undirected)):
        for x, y in edge_pairs(edges, kind):
            i, j = labels.number(x), labels.number(y)
            if matrix[i, j] or matrix[j, i]:
                raise GraphError(f"{show(x)} and {show(y)} are joined twice; give {show(x)} - {show(y)} in undirected=")
            matrix[i, j] = 1
            matrix[j, i] |= kind == "undirected"
    return matrix


def marked_edge_matrix(labels: Labels, edges: Iterable[MarkedEdge]) -> tuple[Matrix, Labels]:
    """The matrix with edges that may be repeated, where opposite arrows are one line."""
    check_size(len(labels), MOST_IN_MATRIX, "a graph from edges")
    matrix = np.zeros((len(labels), len(labels)), dtype=np.uint8)
    for x, y, directed in edges:
        i, j = labels.number(x), labels.number(y)
        matrix[i, j] = 1
        matrix[j, i] |= not directed
    return matrix, labels


def read_networkx(graph: Any, nodes: Nodes | None = None) -> tuple[Matrix, Labels]:
    """The matrix of a networkx graph: edges of a Graph, and pairs of opposite edges of a DiGraph, are undirected."""
    if not is_networkx(graph):
        raise GraphError(f"a networkx.DiGraph or networkx.Graph is needed, not {type(graph).__name__}")
    if graph.is_multigraph():
        raise GraphError("a multigraph may join two nodes more than once; convert it to a networkx.DiGraph first")
    labels = read_nodes(graph.nodes if nodes is None else nodes)
    for x in graph.nodes:
        labels.number(x)  # raises an error for an isolated node that nodes= lacks
    return marked_edge_matrix(labels, ((x, y, graph.is_directed()) for x, y in graph.edges()))


def read_dag(dag: Any, nodes: Nodes | None) -> tuple[Matrix, Labels]:
    """The matrix of a DAG given as a matrix, an edge list or a networkx.DiGraph; the core checks for cycles."""
    if is_networkx(dag):
        if not dag.is_directed():
            raise GraphError("a DAG has directed edges only; CPDAG.from_networkx reads an undirected networkx.Graph")
        return read_networkx(dag, nodes)
    if _is_matrix(dag):
        return read_matrix(dag, nodes)
    edges = list(edge_pairs(dag, "directed"))
    labels = read_nodes(_distinct(v for edge in edges for v in edge) if nodes is None else nodes)
    return read_edges(labels, edges), labels


def _is_matrix(dag: Any) -> bool:
    """Whether this is a matrix and not a list of edges: rows are lists, edges are tuples."""
    if hasattr(dag, "__array__") or hasattr(dag, "toarray"):
        return True
    return isinstance(dag, (list, tuple)) and len(dag) > 0 and not all(isinstance(row, tuple) for row in dag)


def _distinct(nodes: Iterable[Hashable]) -> list[Hashable]:
    """The nodes in their order of appearance."""
    try:
        return [*dict.fromkeys(nodes)]
    except TypeError as error:
        raise GraphError(f"node labels must be hashable: {error}") from None


def _frame_labels(frame: Any, labels: Labels | None) -> Labels:
    own, index = read_nodes(frame.columns), frame.index.tolist()
    if list(own.names) != index or labels not in (None, own):
        raise GraphError(
            f"the columns of the DataFrame are {show_all(own.names)} and its index is {show_all(index)}: they must be "
            "the same nodes in the same order, and those of nodes=, if given; or pass frame.to_numpy() and nodes="
        )
    return own


def _square(m: Any) -> NDArray[Any]:
    try:
        array = np.asarray(m.toarray() if hasattr(m, "toarray") else m)
    except ValueError:
        raise GraphError("the matrix must be square, but its rows differ in length") from None
    if array.shape == (0,):
        array = array.reshape(0, 0)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise GraphError(f"the matrix must be square, but its shape is {array.shape}")
    check_size(len(array), MOST_IN_MATRIX, "a matrix")
    return array


def _binary(array: NDArray[Any]) -> Matrix:
    try:
        numbers = array if array.dtype.kind in "biuf" else array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise GraphError(f"the entries of the matrix must be 0 or 1: {error}") from None
    for i, j in np.argwhere((numbers != 0) & (numbers != 1)).tolist():
        raise GraphError(f"the entries of the matrix must be 0 or 1, but m[{i}, {j}] is {array.tolist()[i][j]!r}")
    return np.ascontiguousarray(numbers, dtype=np.uint8)


def edge_pairs(edges: Any, kind: str) -> Iterable[Edge]:
    """The pairs of a list of edges that a user gave."""
    if isinstance(edges, np.ndarray):
        edges = edges.tolist()
    if isinstance(edges, (str, bytes)) or not isinstance(edges, Iterable):
        raise GraphError(f"the {kind} edges must be a list of pairs (x, y), not {edges!r}")
    for edge in edges:
        if not isinstance(edge, (tuple, list)) or len(edge) != 2:
            raise GraphError(f"an edge must be a pair (x, y), but one of the {kind} edges is {edge!r}")
        yield edge[0], edge[1]
