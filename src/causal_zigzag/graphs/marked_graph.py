"""MarkedGraph: graphs whose edges have a mark at each end: a tail, an arrowhead or a circle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.ancestry import ancestor_masks, nodes_of
from causal_zigzag.graphs.formats.dot import dot_of_marks
from causal_zigzag.graphs.formats.tetrad import tetrad_of_marks
from causal_zigzag.graphs.labelled_graph import LISTED_EDGES, LabelledGraph
from causal_zigzag.graphs.labels import MOST_IN_MATRIX, Labels, Nodes, check_size, read_nodes, show
from causal_zigzag.support.validation import is_hashable

if TYPE_CHECKING:
    from collections.abc import Hashable

    import networkx as nx
    from numpy.typing import NDArray

    Marks = NDArray[np.int8]
    """marks[i, j] is the mark at j of the edge between i and j; both directions are 0 where there is no edge."""

NONE, CIRCLE, ARROWHEAD, TAIL = range(4)

WORDS = {(TAIL, ARROWHEAD): "-->", (ARROWHEAD, ARROWHEAD): "<->", (CIRCLE, ARROWHEAD): "o->", (CIRCLE, CIRCLE): "o-o"}
"""Tetrad's words for the edges, by the marks at their first and second node; no other pair of marks can occur."""

MarkedWord = tuple["Hashable", str, "Hashable"]


class MarkedGraph(LabelledGraph):
    """The base class of MAG and PAG; they are immutable values."""

    __slots__ = ("marks",)  # for other modules of the package: the array, which is not to be changed
    marks: Marks

    @classmethod
    def _checked(cls, marks: Marks, labels: Labels) -> Self:
        """The graph of marks that have been read; raises a GraphError if it is not of this type."""
        marks.flags.writeable = False
        self = cls._with(marks=marks, labels=labels)
        self._check()
        return self

    def _check(self) -> None:
        raise NotImplementedError

    @property
    def edge_count(self) -> int:
        """The number of edges.

        >>> import causal_zigzag as cz
        >>> cz.MAG.from_edges(["a", "b", "c"], directed=[("a", "c")], bidirected=[("b", "c")]).edge_count
        2
        """
        return int(np.count_nonzero(self.marks)) // 2

    @property
    def edges(self) -> tuple[MarkedWord, ...]:
        """The edges in node order, with Tetrad's words: ``-->``, ``<->`` and, in a PAG, ``o->`` and ``o-o``.

        >>> import causal_zigzag as cz
        >>> cz.MAG.from_edges(["a", "b", "c"], directed=[("c", "a")], bidirected=[("b", "c")]).edges
        (('c', '-->', 'a'), ('b', '<->', 'c'))
        """
        names = self.nodes
        return tuple((names[x], word, names[y]) for x, word, y in self.numbered_edges())

    def numbered_edges(self) -> list[tuple[int, str, int]]:
        """The edges by the numbers of their nodes.

        :meta private:
        """
        found = []
        for i, j in np.argwhere(np.triu(self.marks)).tolist():
            x, y = (i, j) if (self.marks[j, i], self.marks[i, j]) in WORDS else (j, i)
            found.append((x, WORDS[int(self.marks[y, x]), int(self.marks[x, y])], y))
        return found

    def matrix(self) -> Marks:
        """A new matrix of marks: ``m[i, j]`` is the mark at j of the edge between i and j.

        0 is no edge, 1 a circle, 2 an arrowhead, 3 a tail; so ``i --> j`` is ``m[i, j] = 2`` and ``m[j, i] = 3``.

        >>> import causal_zigzag as cz
        >>> cz.MAG.from_edges(["a", "b"], directed=[("a", "b")]).matrix().tolist()
        [[0, 2], [3, 0]]
        """
        return self.marks.copy()

    def parents(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes ``x`` with ``x --> v``.

        >>> import causal_zigzag as cz
        >>> cz.MAG.from_edges(["a", "b"], directed=[("a", "b")]).parents("b")
        frozenset({'a'})
        """
        return self._with_marks(v, TAIL, ARROWHEAD)

    def children(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes ``x`` with ``v --> x``.

        >>> import causal_zigzag as cz
        >>> cz.MAG.from_edges(["a", "b"], directed=[("a", "b")]).children("a")
        frozenset({'b'})
        """
        return self._with_marks(v, ARROWHEAD, TAIL)

    def spouses(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes ``x`` with ``x <-> v``.

        >>> import causal_zigzag as cz
        >>> cz.MAG.from_edges(["a", "b"], bidirected=[("a", "b")]).spouses("a")
        frozenset({'b'})
        """
        return self._with_marks(v, ARROWHEAD, ARROWHEAD)

    def adjacent(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes joined with ``v`` by any edge.

        >>> import causal_zigzag as cz
        >>> sorted(cz.MAG.from_edges(["a", "b", "c"], directed=[("a", "c")], bidirected=[("b", "c")]).adjacent("c"))
        ['a', 'b']
        """
        return self._name_set(np.flatnonzero(self.marks[self.labels.number(v)]).tolist())

    def ancestors(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes with a path ``--> ... -->`` to ``v``, without ``v`` itself.

        >>> import causal_zigzag as cz
        >>> sorted(cz.MAG.from_edges(["a", "b", "c"], directed=[("a", "b"), ("b", "c")]).ancestors("c"))
        ['a', 'b']
        """
        return self._name_set(nodes_of(ancestor_masks(self.arrows())[self.labels.number(v)]))

    def to_networkx(self) -> nx.DiGraph[Hashable]:
        """A ``networkx.DiGraph`` with these nodes, whose edges have the word of ``edges`` as attribute ``kind``.

        ``x --> y`` and ``x o-> y`` are edges from x to y; ``x <-> y`` and ``x o-o y`` are two opposite edges.

        >>> import causal_zigzag as cz
        >>> graph = cz.MAG.from_edges(["a", "b", "c"], directed=[("a", "c")], bidirected=[("b", "c")]).to_networkx()
        >>> graph.edges(data="kind")
        OutEdgeDataView([('a', 'c', '-->'), ('b', 'c', '<->'), ('c', 'b', '<->')])
        """
        graph = self._empty_networkx()
        for x, word, y in self.edges:
            graph.add_edge(x, y, kind=word)
            if word in ("<->", "o-o"):
                graph.add_edge(y, x, kind=word)
        return graph

    def to_dot(self) -> str:
        """The graph in the DOT language of Graphviz, which draws circles and both arrowheads.

        >>> import causal_zigzag as cz
        >>> print(cz.PAG.from_edges(["a", "b"], [("a", "o->", "b")]).to_dot())
        digraph {
          "a";
          "b";
          "a" -> "b" [dir=both, arrowtail=odot];
        }
        """
        return dot_of_marks(self.nodes, self.numbered_edges())

    def to_tetrad(self) -> str:
        """The graph in the text format of Tetrad.

        >>> import causal_zigzag as cz
        >>> cz.PAG.from_edges(["a", "b"], [("a", "o->", "b")]).to_tetrad().splitlines()
        ['Graph Nodes:', 'a;b', '', 'Graph Edges:', '1. a o-> b']
        """
        return tetrad_of_marks(self.nodes, self.numbered_edges())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.marks, other.marks)

    def __hash__(self) -> int:
        return hash((self.labels, self.marks.tobytes()))

    def __repr__(self) -> str:
        nodes, edges = "1 node" if len(self) == 1 else f"{len(self)} nodes", self.edges
        if not edges:
            return f"{type(self).__name__}({nodes}, no edges)"
        text = f"{nodes}, 1 edge" if len(edges) == 1 else f"{nodes}, {len(edges)} edges"
        if len(edges) <= LISTED_EDGES:
            text += ": " + ", ".join(f"{show(x)} {word} {show(y)}" for x, word, y in edges)
        return f"{type(self).__name__}({text})"

    def _repr_svg_(self) -> str | None:
        from causal_zigzag.figures.svg import notebook_svg

        return notebook_svg(self)

    def _with_marks(self, v: Hashable, there: int, here: int) -> frozenset[Hashable]:
        """The nodes with an edge that has the mark ``there`` at them and the mark ``here`` at v."""
        i = self.labels.number(v)
        return self._name_set(np.flatnonzero((self.marks[i] == there) & (self.marks[:, i] == here)).tolist())

    def arrows(self) -> NDArray[np.bool_]:
        """[i, j]: whether i --> j.

        :meta private:
        """
        return np.asarray((self.marks == ARROWHEAD) & (self.marks.T == TAIL))

    def arrowheads(self) -> NDArray[np.bool_]:
        """[i, j]: whether the edge between i and j has an arrowhead at j.

        :meta private:
        """
        return np.asarray(self.marks == ARROWHEAD)


def read_marks(marks: Any, nodes: Nodes | None) -> tuple[Marks, Labels]:
    """A new array of marks and the labels, from what a user gave."""
    try:
        given = np.asarray(marks)
    except ValueError:
        raise GraphError("the marks must be a square matrix, but its rows differ in length") from None
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise GraphError(f"the marks must be a square matrix, but its shape is {given.shape}")
    check_size(len(given), MOST_IN_MATRIX, "a matrix")
    if given.dtype.kind not in "biuf":
        raise GraphError(f"the marks must be the numbers 0 to 3, not an array of {given.dtype.name}")
    labels = read_nodes(len(given) if nodes is None else nodes)
    if len(labels) != len(given):
        raise GraphError(f"the matrix has {len(given)} rows, but there are {len(labels)} nodes")
    for i, j in np.argwhere(~np.isin(given, (NONE, CIRCLE, ARROWHEAD, TAIL))).tolist():
        raise GraphError(
            f"a mark must be 0 (no edge), 1 (circle), 2 (arrowhead) or 3 (tail), but m[{i}, {j}] is "
            f"{given[i, j].item()!r}"
        )
    found = given.astype(np.int8)
    for i in np.flatnonzero(np.diag(found)).tolist():
        raise GraphError(f"self-loop at {show(labels.names[i])}: no edge joins a node with itself")
    for i, j in np.argwhere(found != NONE).tolist():
        x, y = show(labels.names[i]), show(labels.names[j])
        if found[j, i] == NONE:
            raise GraphError(f"the edge between {x} and {y} has a mark at {y} only: set m[{j}, {i}], the mark at {x}")
        if found[i, j] != ARROWHEAD and found[i, j] != found[j, i] and found[j, i] != ARROWHEAD:
            raise GraphError(f"the edge between {x} and {y} has a tail and a circle; the other end of a tail is >")
        if found[i, j] == found[j, i] == TAIL:
            raise GraphError(f"{x} --- {y} has two tails, which stand for selection; here graphs have no such edges")
    return found, labels


def marks_of_words(nodes: Nodes, edges: Iterable[Any]) -> tuple[Marks, Labels]:
    """The array of edges that are given with Tetrad's words."""
    labels = read_nodes(nodes)
    check_size(len(labels), MOST_IN_MATRIX, "a graph from edges")
    marks = np.zeros((len(labels), len(labels)), dtype=np.int8)
    ends = {word: pair for pair, word in WORDS.items()}
    if not isinstance(edges, Iterable):
        raise GraphError(f"edges must be a list of (x, word, y), not {edges!r}")
    for edge in edges:
        if not isinstance(edge, (tuple, list)) or len(edge) != 3 or not is_hashable(edge[1]) or edge[1] not in ends:
            raise GraphError(f"an edge must be (x, word, y), where word is {', '.join(ends)}, but one is {edge!r}")
        x, word, y = edge
        i, j = labels.number(x), labels.number(y)
        if i == j:
            raise GraphError(f"self-loop at {show(x)}: no edge joins a node with itself")
        if marks[i, j]:
            raise GraphError(f"{show(x)} and {show(y)} are joined twice; two nodes have at most one edge")
        marks[j, i], marks[i, j] = ends[word]
    return marks, labels
