"""MixedGraph: what all graphs with directed and undirected edges have in common, whatever the edges stand for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from causal_zigzag.graphs.formats.dot import dot
from causal_zigzag.graphs.formats.node_link import node_link
from causal_zigzag.graphs.formats.tetrad import tetrad
from causal_zigzag.graphs.labelled_graph import LISTED_EDGES, LabelledGraph
from causal_zigzag.graphs.labels import show

if TYPE_CHECKING:
    from collections.abc import Hashable

    import networkx as nx
    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag._core import Graph
    from causal_zigzag.graphs.adjacency_matrix import Edge
    from causal_zigzag.graphs.edge_numbers import EdgeNumbers


class MixedGraph(LabelledGraph):
    """The base class of graphs with directed and undirected edges; they are immutable values."""

    __slots__ = ("core",)  # for other modules of the package: the edges by the numbers of their nodes
    core: Graph | EdgeNumbers

    @property
    def edge_count(self) -> int:
        """The number of edges, directed or not.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(4).edge_count
        6
        """
        return self.core.edge_count

    @property
    def directed_edges(self) -> tuple[Edge, ...]:
        """The directed edges as pairs ``(x, y)`` for ``x -> y``, in node order.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.from_dag([("a", "c"), ("b", "c")]).directed_edges
        (('a', 'c'), ('b', 'c'))
        """
        return self.core.named_directed_edges(self.labels.names, self.labels.pairs)

    @property
    def undirected_edges(self) -> tuple[Edge, ...]:
        """The undirected edges as pairs, each once with its earlier node first, in node order.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.from_dag([("a", "b"), ("b", "c")]).undirected_edges
        (('a', 'b'), ('b', 'c'))
        """
        return self.core.named_undirected_edges(self.labels.names, self.labels.pairs)

    def matrix(self) -> NDArray[np.uint8]:
        """A new 0/1 matrix of the graph: ``m[i, j] = 1`` for ``i -> j`` and for ``i - j``, in the order of ``nodes``.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).matrix().tolist()
        [[0, 1], [1, 0]]
        """
        return self.core.matrix()

    def parents(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes ``x`` with ``x -> v``.

        >>> import causal_zigzag as cz
        >>> sorted(cz.CPDAG.from_dag([("a", "c"), ("b", "c")]).parents("c"))
        ['a', 'b']
        """
        return self._name_set(self.core.parents(self.labels.number(v)))

    def children(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes ``x`` with ``v -> x``.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.from_dag([("a", "c"), ("b", "c")]).children("a")
        frozenset({'c'})
        """
        return self._name_set(self.core.children(self.labels.number(v)))

    def neighbors(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes ``x`` with ``v - x``: neighbors are joined by an undirected edge.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.from_dag([("a", "b")]).neighbors("a")
        frozenset({'b'})
        """
        return self._name_set(self.core.neighbors(self.labels.number(v)))

    def adjacent(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes joined with ``v`` by any edge: parents, children and neighbors.

        >>> import causal_zigzag as cz
        >>> sorted(cz.CPDAG.from_dag([("a", "c"), ("b", "c")]).adjacent("c"))
        ['a', 'b']
        """
        return self.parents(v) | self.children(v) | self.neighbors(v)

    def to_networkx(self) -> nx.DiGraph[Hashable]:
        """A ``networkx.DiGraph`` with these nodes; an undirected edge becomes two opposite edges.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(["a", "b"]).to_networkx().edges
        OutEdgeView([('a', 'b'), ('b', 'a')])
        """
        graph = self._empty_networkx()
        graph.add_edges_from(self.directed_edges)
        for x, y in self.undirected_edges:
            graph.add_edges_from([(x, y), (y, x)])
        return graph

    def to_dot(self) -> str:
        r"""The graph in the DOT language of Graphviz; undirected edges are drawn without arrowheads.

        >>> import causal_zigzag as cz
        >>> print(cz.CPDAG.from_edges(["a", 'say "b"'], undirected=[("a", 'say "b"')]).to_dot())
        digraph {
          "a";
          "say \"b\"";
          "a" -> "say \"b\"" [dir=none];
        }
        """
        return dot(self)

    def to_json(self) -> str:
        """The graph as networkx's node-link JSON; an undirected edge is two opposite edges of ``kind`` undirected.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.from_json(cz.CPDAG.complete(["a", ("b", 2)]).to_json()).nodes
        ('a', ('b', 2))
        """
        return json.dumps(node_link(self), allow_nan=False)

    def to_tetrad(self) -> str:
        """The graph in the text format of Tetrad; ``dag_to_tetrad`` writes a DAG.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(["a", "b"]).to_tetrad().splitlines()
        ['Graph Nodes:', 'a;b', '', 'Graph Edges:', '1. a --- b']
        """
        return tetrad(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.labels == other.labels and self.core == other.core

    def __hash__(self) -> int:
        return hash((self.labels, self.core.hash))

    def __repr__(self) -> str:
        name, nodes = type(self).__name__, "1 node" if len(self) == 1 else f"{len(self)} nodes"
        directed, undirected = self.directed_edges, self.undirected_edges
        if not directed and not undirected:
            return f"{name}({nodes}, no edges)"
        text = f"{nodes}, {len(directed)} directed and {len(undirected)} undirected edges"
        if len(directed) + len(undirected) <= LISTED_EDGES:
            edges = [f"{show(x)} -> {show(y)}" for x, y in directed]
            edges += [f"{show(x)} - {show(y)}" for x, y in undirected]
            text += ": " + ", ".join(edges)
        return f"{name}({text})"

    def _repr_svg_(self) -> str | None:
        from causal_zigzag.figures.svg import notebook_svg

        return notebook_svg(self)
