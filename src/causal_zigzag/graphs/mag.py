"""MAG: a maximal ancestral graph, what remains of a causal graph when some of its variables are hidden."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag._core import Graph
from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.adjacency_matrix import Edge, edge_pairs, read_dag
from causal_zigzag.graphs.ancestry import ancestor_masks, directed_cycle, directed_path, inducing_path
from causal_zigzag.graphs.error_messages import graph_error
from causal_zigzag.graphs.labels import Labels, Nodes, show
from causal_zigzag.graphs.marked_graph import ARROWHEAD, CIRCLE, TAIL, MarkedGraph, marks_of_words, read_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from causal_zigzag.graphs.ancestry import Arrows
    from causal_zigzag.graphs.marked_graph import Marks


@final
class MAG(MarkedGraph):
    """A maximal ancestral graph: directed and bidirected edges between the observed variables of a causal graph.

    ``x --> y`` means that x is a cause of y, possibly through hidden variables, and there may also be a hidden common
    cause of both. ``x <-> y`` means that neither causes the other. Two nodes are joined if no set of the other
    observed variables makes them independent. A graph is *ancestral* if it has no directed cycle and no bidirected edge
    between a node and its ancestor, and *maximal* if nodes that are not joined can be separated (Richardson and
    Spirtes 2002).

    Graphs are immutable values. Two are equal if they have the same nodes in the same order and the same edges.
    Construct one with ``from_edges``, ``from_marks`` or ``from_dag``.

    >>> import causal_zigzag as cz
    >>> cz.MAG.from_edges(["a", "b", "c"], directed=[("a", "b")], bidirected=[("b", "c")])
    MAG(3 nodes, 2 edges: a --> b, b <-> c)
    """

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        raise GraphError("construct a MAG by MAG.from_edges, from_marks or from_dag")

    @classmethod
    def from_marks(cls, marks: Any, nodes: Nodes | None = None) -> MAG:
        """The MAG with this matrix of marks: ``m[i, j]`` is the mark at j, 2 for an arrowhead and 3 for a tail.

        >>> MAG.from_marks([[0, 2], [3, 0]], nodes=["a", "b"])
        MAG(2 nodes, 1 edge: a --> b)
        """
        return cls._checked(*read_marks(marks, nodes))

    @classmethod
    def from_edges(cls, nodes: Nodes, directed: Iterable[Edge] = (), bidirected: Iterable[Edge] = ()) -> MAG:
        """The MAG with these edges; raises a GraphError with the nodes at fault if it is not ancestral and maximal.

        ``directed`` contains pairs ``(x, y)`` for ``x --> y``, ``bidirected`` pairs for ``x <-> y``, each edge once.

        >>> MAG.from_edges(["a", "b", "c"], directed=[("a", "b"), ("b", "c")], bidirected=[("a", "c")])
        Traceback (most recent call last):
        causal_zigzag.errors.GraphError: almost directed cycle: a <-> c, but a --> b --> c makes a an ancestor of c
        """
        words = [(x, "-->", y) for x, y in edge_pairs(directed, "directed")]
        words += [(x, "<->", y) for x, y in edge_pairs(bidirected, "bidirected")]
        return cls._checked(*marks_of_words(nodes, words))

    @classmethod
    def from_dag(cls, dag: Any, hidden: Iterable[Hashable] = (), nodes: Nodes | None = None) -> MAG:
        """The MAG of the other nodes of a DAG when the nodes ``hidden`` are not observed.

        ``dag`` and ``nodes`` are those of ``CPDAG.from_dag``.

        >>> MAG.from_dag([("u", "a"), ("u", "b"), ("c", "a")], hidden=["u"])
        MAG(3 nodes, 2 edges: a <-> b, c --> a)
        """
        matrix, labels = read_dag(dag, nodes)
        if isinstance(flaw := Graph.from_dag(matrix), tuple):
            raise graph_error(flaw, labels)
        if not hasattr(hidden, "__iter__") or isinstance(hidden, type):
            raise GraphError(f"hidden must be a list of nodes, not {hidden!r}")
        numbers = [labels.number(v) for v in hidden]
        arrows, spouses = _projected(matrix.astype(bool), numbers)
        seen = [v for v in range(len(labels)) if v not in numbers]
        arrows, spouses = arrows[np.ix_(seen, seen)], spouses[np.ix_(seen, seen)]
        ancestors, marks = ancestor_masks(arrows), np.zeros_like(arrows, dtype=np.int8)
        for x in range(len(seen)):
            for y in range(x):
                joined = arrows[x, y] or arrows[y, x] or spouses[x, y]
                if joined or inducing_path(arrows, spouses, ancestors, x, y):
                    marks[x, y] = TAIL if ancestors[x] >> y & 1 else ARROWHEAD
                    marks[y, x] = TAIL if ancestors[y] >> x & 1 else ARROWHEAD
        return cls._checked(marks, Labels(labels.names[v] for v in seen))

    def _check(self) -> None:
        names = [show(v) for v in self.nodes]
        for i, j in np.argwhere(np.triu((self.marks == CIRCLE) | (self.marks.T == CIRCLE))).tolist():
            raise GraphError(
                f"a MAG has no circles, but the edge between {names[i]} and {names[j]} has; it may be a PAG"
            )
        check_ancestral(self)
        arrows, heads = self.arrows(), self.arrowheads()
        spouses, ancestors = heads & heads.T, ancestor_masks(arrows)
        for x, y in np.argwhere(np.triu(self.marks == 0, 1)).tolist():
            if path := inducing_path(arrows, spouses, ancestors, x, y):
                # Only bidirected edges are missing (Richardson and Spirtes 2002, theorem 5.1).
                raise GraphError(
                    f"not maximal: {names[x]} and {names[y]} are not joined, but no set separates them, because of the "
                    f"inducing path {self._walk(path)}; add {names[x]} <-> {names[y]}"
                )

    def _walk(self, path: list[int]) -> str:
        """A path written with its edges."""
        text = show(self.nodes[path[0]])
        for u, v in itertools.pairwise(path):
            left, right = "<" if self.marks[v, u] == ARROWHEAD else "-", ">" if self.marks[u, v] == ARROWHEAD else "-"
            text += f" {left}-{right} {show(self.nodes[v])}"
        return text

    def __reduce__(self) -> tuple[Callable[..., MAG], tuple[Marks, tuple[Hashable, ...]]]:
        return MAG.from_marks, (self.matrix(), self.nodes)


def check_ancestral(graph: MarkedGraph) -> None:
    """Raise a GraphError for a directed cycle, or for an edge with an arrowhead at an ancestor of its other end."""
    names, arrows = [show(v) for v in graph.nodes], graph.arrows()
    if cycle := directed_cycle(arrows):
        walk = " --> ".join(names[v] for v in [*cycle, cycle[0]])
        raise GraphError(f"directed cycle {walk}: no ancestral graph contains it")
    ancestors = ancestor_masks(arrows)
    for y, x in np.argwhere(graph.arrowheads()).tolist():
        if ancestors[y] >> x & 1:
            walk = " --> ".join(names[v] for v in directed_path(arrows, x, y))
            word = "<->" if graph.marks[x, y] == ARROWHEAD else "<-o"
            raise GraphError(
                f"almost directed cycle: {names[x]} {word} {names[y]}, but {walk} makes {names[x]} an ancestor of "
                f"{names[y]}"
            )


def _projected(arrows: Arrows, hidden: list[int]) -> tuple[Arrows, Arrows]:
    """The latent projection: hidden nodes are bypassed one after the other; ancestors of the others stay the same.

    A parent of a hidden node becomes a parent of its children, a spouse a spouse of them, and its children become
    spouses of each other.
    """
    arrows, spouses = arrows.copy(), np.zeros_like(arrows)
    for h in hidden:
        children = arrows[h].copy()
        beside = children | spouses[h]
        spouses |= np.outer(beside, children) | np.outer(children, beside)
        arrows |= np.outer(arrows[:, h], children)
        arrows[h] = arrows[:, h] = spouses[h] = spouses[:, h] = False
    np.fill_diagonal(spouses, val=False)
    return arrows, spouses
