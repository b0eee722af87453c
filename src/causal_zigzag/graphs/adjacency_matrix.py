"""The adjacency matrix and the node labels of a graph that is given as a matrix, as edges or by networkx."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.labels import MOST_IN_MATRIX, Labels, Nodes, check_size, read_nodes, show, show_all
from causal_zigzag.support.validation import is_hashable

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


def read_edges(labels: Labels, directed: Iterable[Edge], undirected: Iterable[Edge]) -> Matrix:
    """The matrix with the given edges; an edge that is given twice raises an error."""
    arrows = _arrows(labels, directed)
    pair = _opposite(arrows, labels)
    if pair:
        a, b = pair
        raise GraphError(
            f"{a} -> {b} and {b} -> {a} contradict each other; if {a} - {b} is meant, give it in undirected="
        )
    matrix = arrows.copy()
    for x, y in _pairs(undirected, "undirected"):
        i, j = labels.number(x), labels.number(y)
        if arrows[i, j] or arrows[j, i]:
            arrow = f"{show(x)} -> {show(y)}" if arrows[i, j] else f"{show(y)} -> {show(x)}"
            raise GraphError(f"{arrow} and {show(x)} - {show(y)} contradict each other: an edge has one kind")
        if matrix[i, j]:
            raise GraphError(f"the edge {show(x)} - {show(y)} is given twice")
        matrix[i, j] = matrix[j, i] = 1
    return matrix


def marked_edge_matrix(labels: Labels, edges: Iterable[MarkedEdge]) -> tuple[Matrix, Labels]:
    """The matrix with edges that were read from text: they may be repeated, and opposite arrows are one line."""
    check_size(len(labels), MOST_IN_MATRIX, "a graph as text")
    matrix = np.zeros((len(labels), len(labels)), dtype=np.uint8)
    for x, y, directed in edges:
        i, j = labels.number(x), labels.number(y)
        if i == j:
            raise GraphError(f"self-loop at {show(x)}: no edge joins a node with itself; leave that edge out")
        matrix[i, j] = 1
        if not directed:
            matrix[j, i] = 1
    return matrix, labels


def read_networkx(graph: Any, nodes: Nodes | None = None) -> tuple[Matrix, Labels]:
    """The matrix of a networkx graph: edges of a Graph, and pairs of opposite edges of a DiGraph, are undirected."""
    if not is_networkx(graph):
        raise GraphError(f"a networkx.DiGraph or networkx.Graph is needed, not {type(graph).__name__}")
    if graph.is_multigraph():
        raise GraphError("a multigraph may join two nodes more than once; convert it to a networkx.DiGraph first")
    labels = read_nodes(graph.nodes if nodes is None else nodes)
    check_size(len(labels), MOST_IN_MATRIX, "a networkx graph")
    matrix = np.zeros((len(labels), len(labels)), dtype=np.uint8)
    for x in graph.nodes:
        labels.number(x)  # raises an error for an isolated node that nodes= lacks
    for x, y in graph.edges():
        i, j = labels.number(x), labels.number(y)
        matrix[i, j] = 1
        if not graph.is_directed():
            matrix[j, i] = 1
    return matrix, labels


def read_dag(dag: Any, nodes: Nodes | None) -> tuple[Matrix, Labels]:
    """The matrix of a DAG given as a matrix, an edge list or a networkx.DiGraph; the core checks for cycles."""
    if is_networkx(dag):
        if not dag.is_directed():
            raise GraphError("a DAG has directed edges only; CPDAG.from_networkx reads an undirected networkx.Graph")
        matrix, labels = read_networkx(dag, nodes)
    elif _is_matrix(dag):
        matrix, labels = _read_rows(dag, nodes)
    else:
        edges = list(_pairs(dag, "directed"))
        labels = _nodes_of(edges) if nodes is None else read_nodes(nodes)
        matrix = _arrows(labels, edges)
    return matrix, labels


def _is_matrix(dag: Any) -> bool:
    """Whether this is a matrix and not a list of edges: rows are lists, edges are tuples."""
    if hasattr(dag, "__array__") or hasattr(dag, "toarray"):
        return True
    return isinstance(dag, (list, tuple)) and len(dag) > 0 and not all(isinstance(row, tuple) for row in dag)


def _read_rows(dag: Any, nodes: Nodes | None) -> tuple[Matrix, Labels]:
    try:
        return read_matrix(dag, nodes)
    except GraphError as error:
        if isinstance(dag, (list, tuple)):
            raise GraphError(f"{error} (a list of lists is a matrix; write edges as tuples)") from None
        raise


def _nodes_of(edges: list[Edge]) -> Labels:
    """The nodes in their order of appearance."""
    for v in (v for edge in edges for v in edge):
        if not is_hashable(v):
            raise GraphError(f"node labels must be hashable, but an edge has {v!r}")
    return Labels(dict.fromkeys(v for edge in edges for v in edge))


def _arrows(labels: Labels, directed: Iterable[Edge]) -> Matrix:
    check_size(len(labels), MOST_IN_MATRIX, "a graph from edges")
    matrix = np.zeros((len(labels), len(labels)), dtype=np.uint8)
    for x, y in _pairs(directed, "directed"):
        i, j = labels.number(x), labels.number(y)
        if matrix[i, j]:
            raise GraphError(f"the edge {show(x)} -> {show(y)} is given twice")
        matrix[i, j] = 1
    return matrix


def _opposite(matrix: Matrix, labels: Labels) -> tuple[str, str] | None:
    """The first pair of nodes with entries in both directions."""
    tail, head = np.nonzero(matrix.view(np.bool_))  # much faster than matrix & matrix.T
    both = np.flatnonzero(matrix[head, tail].astype(bool) & (tail < head))
    if not len(both):
        return None
    i, j = tail[both[0]], head[both[0]]
    return show(labels.names[i]), show(labels.names[j])


def _frame_labels(frame: Any, labels: Labels | None) -> Labels:
    own = read_nodes(frame.columns)
    index = frame.index.tolist()
    if list(own.names) != index:
        raise GraphError(
            "index and columns of the DataFrame must be the same nodes in the same order, but the columns are "
            f"{show_all(own.names)} and the index is {show_all(index)}; pass frame.to_numpy() and nodes="
        )
    if labels is not None and labels != own:
        raise GraphError(
            f"the DataFrame names the nodes {show_all(own.names)}, but nodes= names {show_all(labels.names)}; "
            "leave nodes= out, or pass frame.to_numpy()"
        )
    return own


def _square(m: Any) -> NDArray[Any]:
    try:
        if hasattr(m, "toarray") and hasattr(m, "shape"):
            check_size(max(m.shape), MOST_IN_MATRIX, "a matrix")
        array = np.asarray(m.toarray() if hasattr(m, "toarray") else m)
    except GraphError:
        raise
    except ValueError:
        raise GraphError("the matrix must be square, but its rows differ in length") from None
    if array.shape == (0,):
        array = array.reshape(0, 0)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise GraphError(f"the matrix must be square, but its shape is {array.shape}")
    check_size(len(array), MOST_IN_MATRIX, "a matrix")
    return array


def _binary(array: NDArray[Any]) -> Matrix:
    if array.dtype.kind in "biuf":
        wrong = (array != 0) & (array != 1)
    else:
        flat = [not _is_bit(entry) for entry in array.ravel()]
        wrong = np.array(flat, dtype=bool).reshape(array.shape)
    if wrong.any():
        i, j = (int(k) for k in np.argwhere(wrong)[0])
        raise GraphError(f"the entries of the matrix must be 0 or 1, but m[{i}, {j}] is {array.tolist()[i][j]!r}")
    return np.ascontiguousarray(array, dtype=np.uint8)


def _is_bit(entry: object) -> bool:
    return isinstance(entry, (int, float, np.number)) and entry in (0, 1)


def _pairs(edges: Any, kind: str) -> Iterable[Edge]:
    if isinstance(edges, np.ndarray):
        edges = edges.tolist()
    if isinstance(edges, (str, bytes)) or not isinstance(edges, Iterable):
        raise GraphError(f"the {kind} edges must be a list of pairs (x, y), not {edges!r}")
    for edge in edges:
        if not isinstance(edge, (tuple, list)) or len(edge) != 2:
            raise GraphError(f"an edge must be a pair (x, y), but one of the {kind} edges is {edge!r}")
        yield edge[0], edge[1]
