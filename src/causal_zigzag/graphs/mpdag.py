"""MPDAG: the DAGs of a class that agree with a knowledge, as a maximally oriented graph."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias, final

import numpy as np

from causal_zigzag._core import Arrows, count_dags, orient, random_dags
from causal_zigzag.errors import GraphError, KnowledgeError, SettingsError
from causal_zigzag.graphs.edge_numbers import EdgeNumbers
from causal_zigzag.graphs.error_messages import disagreement, too_many_splits
from causal_zigzag.graphs.formats.dagitty import dagitty
from causal_zigzag.graphs.formats.dot import dot
from causal_zigzag.graphs.formats.node_link import node_link
from causal_zigzag.graphs.formats.other_packages import causallearn, graphml, networkx_graph, pgmpy
from causal_zigzag.graphs.immutable_graph import ImmutableGraph
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.rng import Rng, seed_words

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import networkx as nx
    from numpy.typing import NDArray

    from causal_zigzag.graphs.adjacency_matrix import Edge
    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.target.knowledge import Knowledge


class Restriction:
    """A knowledge about given nodes, ready to be applied to many classes."""

    __slots__ = ("arrows", "forbidden", "knowledge", "labels", "required")

    def __init__(self, knowledge: Knowledge, labels: Labels) -> None:
        self.knowledge, self.labels = knowledge, labels
        self.forbidden, self.required = knowledge.arrows(labels)
        self.arrows = Arrows(len(labels), self.forbidden, self.required)

    def __reduce__(self) -> tuple[type[Restriction], tuple[object, ...]]:
        return Restriction, (self.knowledge, self.labels)  # the arrows of the core cannot be pickled

    def apply(self, g: CPDAG) -> MPDAG:
        """The agreeing DAGs of a class with these nodes; a KnowledgeError says why there are none."""
        found = orient(g.core, self.arrows)
        if isinstance(found, tuple):
            raise KnowledgeError(disagreement(found, self.labels), [self.labels.names[v] for v in found[1]])
        return MPDAG.from_matrix(g, self, found)

    def fault(self, g: CPDAG) -> str:
        """Why a class does not agree, and an empty string if it does."""
        found = orient(g.core, self.arrows)
        return disagreement(found, self.labels) if isinstance(found, tuple) else ""


@final
class MPDAG(ImmutableGraph):
    """The DAGs of a class that agree with a knowledge: Meek's maximally oriented partially directed graph (PDAG).

    An edge ``x -> y`` has this direction in all DAGs of the class that agree with the knowledge; ``x - y`` has either
    direction in some of them. It is the CPDAG of the class with the knowledge oriented and Meek's four rules applied
    (Meek 1995). ``CPDAG.with_knowledge`` makes it, and answers of a posterior with knowledge contain it.

    Graphs are immutable values. Two are equal if they have the same nodes in the same order and the same edges; they
    then stand for the same DAGs.

    >>> import causal_zigzag as cz
    >>> g = cz.CPDAG.from_dag([("a", "b"), ("b", "c")])
    >>> g
    CPDAG(3 nodes, 0 directed and 2 undirected edges: a - b, b - c)
    >>> g.with_knowledge(cz.Knowledge(tiers=[["a"], ...]))
    MPDAG(3 nodes, 2 directed and 0 undirected edges: a -> b, b -> c)
    """

    # For other modules of the package: the edges by number, the labels, and the knowledge about them.
    __slots__ = ("_matrix", "core", "cpdag", "restriction")
    _matrix: NDArray[np.uint8]
    core: EdgeNumbers
    cpdag: CPDAG
    restriction: Restriction

    def __init__(self, *_: object, **__: object) -> None:
        raise GraphError("make an MPDAG by with_knowledge of a CPDAG")

    @classmethod
    def from_matrix(cls, g: CPDAG, restriction: Restriction, matrix: NDArray[np.uint8]) -> MPDAG:
        """The graph that the core has oriented.

        :meta private:
        """
        self = object.__new__(cls)
        own = read_only(matrix)
        for name, value in (("_matrix", own), ("core", EdgeNumbers(own)), ("cpdag", g), ("restriction", restriction)):
            object.__setattr__(self, name, value)
        return self

    @property
    def labels(self) -> Labels:
        """The labels of the nodes.

        :meta private:
        """
        return self.cpdag.labels

    @property
    def knowledge(self) -> Knowledge:
        """The knowledge.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(["a", "b"]).with_knowledge(cz.Knowledge(required=[("a", "b")])).knowledge
        Knowledge(required: a -> b)
        """
        return self.restriction.knowledge

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels, in the order of the rows of the matrix.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.empty(3).with_knowledge(cz.Knowledge(tiers=[[0], ...])).nodes
        (0, 1, 2)
        """
        return self.cpdag.nodes

    @property
    def edge_count(self) -> int:
        """The number of edges, directed or not.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(4).with_knowledge(cz.Knowledge(tiers=[[0], ...])).edge_count
        6
        """
        return self.cpdag.edge_count

    @property
    def directed_edges(self) -> tuple[Edge, ...]:
        """The directed edges as pairs ``(x, y)`` for ``x -> y``, in node order.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete("a b c".split()).with_knowledge(cz.Knowledge(tiers=[["c"], ...])).directed_edges
        (('c', 'a'), ('c', 'b'))
        """
        return self._named(self.core.directed_edges())

    @property
    def undirected_edges(self) -> tuple[Edge, ...]:
        """The undirected edges as pairs, each once with its earlier node first, in node order.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete("a b c".split()).with_knowledge(cz.Knowledge(tiers=[["c"], ...])).undirected_edges
        (('a', 'b'),)
        """
        return self._named(self.core.undirected_edges())

    @property
    def edges_from_knowledge(self) -> tuple[Edge, ...]:
        """The directed edges that the class alone leaves undirected, in node order.

        >>> import causal_zigzag as cz
        >>> g = cz.CPDAG.from_dag([("a", "c"), ("b", "c"), ("d", "e")])
        >>> g.with_knowledge(cz.Knowledge(tiers=[["d"], ["e"]])).edges_from_knowledge
        (('d', 'e'),)
        """
        lines = self.cpdag.matrix()
        return self._named([(x, y) for x, y in self.core.directed_edges() if lines[y, x]])

    def matrix(self) -> NDArray[np.uint8]:
        """A new 0/1 matrix of the graph: ``m[i, j] = 1`` for ``i -> j`` and for ``i - j``, in the order of ``nodes``.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).matrix().tolist()
        [[0, 0], [1, 0]]
        """
        return self._matrix.copy()

    def dag(self) -> NDArray[np.uint8]:
        """One agreeing DAG, as a new 0/1 matrix: ``m[i, j] = 1`` for ``i -> j``, in the order of ``nodes``.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).dag().tolist()
        [[0, 0], [1, 0]]
        """
        matrix, arrows = self._matrix, [*self.restriction.required]
        while (matrix & matrix.T).any():
            x, y = np.argwhere(np.triu(matrix & matrix.T))[0].tolist()
            arrows.append((x, y))  # possible, since the graph is maximally oriented
            oriented = orient(self.cpdag.core, Arrows(len(self), self.restriction.forbidden, arrows))
            assert not isinstance(oriented, tuple)
            matrix = oriented
        return matrix.copy()

    def count_dags(self) -> int:
        """The number of DAGs of the class that agree, as an exact integer of any size.

        For tiers this takes polynomial time. Other knowledge can leave components with arrows and lines, whose lines
        are directed one after the other; if that takes too much work, a GraphError names the nodes of the component.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(25).with_knowledge(cz.Knowledge(tiers=[[0], ...])).count_dags()
        620448401733239439360000
        """
        try:
            return int.from_bytes(count_dags(self.cpdag.core, self.restriction.arrows), "little")
        except OverflowError as error:
            raise too_many_splits(error, self.labels) from None

    def random_dag(self, rng: Rng = None) -> NDArray[np.uint8]:
        """A uniformly random DAG among those that agree, as a matrix like that of ``dag``.

        ``rng`` is a seed, a numpy Generator or None for a random seed. The work is that of ``count_dags``.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).random_dag(rng=1).tolist()
        [[0, 0], [1, 0]]
        """
        dag: NDArray[np.uint8] = self.random_dags(1, rng)[0]
        return dag

    def random_dags(self, k: int, rng: Rng) -> NDArray[np.uint8]:
        """``k`` independent draws of ``random_dag``, as an array of k matrices.

        :meta private:
        """
        dags = np.zeros((k, len(self), len(self)), dtype=np.uint8)
        try:
            random_dags(self.cpdag.core, seed_words(rng), dags, self.restriction.arrows)
        except OverflowError as error:
            raise too_many_splits(error, self.labels) from None
        return dags

    def parents(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes ``x`` with ``x -> v``.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(3).with_knowledge(cz.Knowledge(tiers=[[0], ...])).parents(2)
        frozenset({0})
        """
        return self._name_set(self.core.parents(self.labels.number(v)))

    def children(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes ``x`` with ``v -> x``.

        >>> import causal_zigzag as cz
        >>> sorted(cz.CPDAG.complete(3).with_knowledge(cz.Knowledge(tiers=[[0], ...])).children(0))
        [1, 2]
        """
        return self._name_set(self.core.children(self.labels.number(v)))

    def neighbors(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes ``x`` with ``v - x``: neighbors are joined by an undirected edge.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(3).with_knowledge(cz.Knowledge(tiers=[[0], ...])).neighbors(2)
        frozenset({1})
        """
        return self._name_set(self.core.neighbors(self.labels.number(v)))

    def adjacent(self, v: Hashable) -> frozenset[Hashable]:
        """The nodes joined with ``v`` by any edge: parents, children and neighbors.

        >>> import causal_zigzag as cz
        >>> sorted(cz.CPDAG.complete(3).with_knowledge(cz.Knowledge(tiers=[[0], ...])).adjacent(2))
        [0, 1]
        """
        return self.cpdag.adjacent(v)

    def to_networkx(self) -> nx.DiGraph[Hashable]:
        """A ``networkx.DiGraph`` with these nodes; an undirected edge becomes two opposite edges.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).to_networkx().edges
        OutEdgeView([(1, 0)])
        """
        return networkx_graph(self)

    def to_dot(self) -> str:
        """The graph in the DOT language of Graphviz; undirected edges are drawn without arrowheads.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).to_dot().splitlines()[-2]
        '  "1" -> "0";'
        """
        return dot(self)

    def to_graphml(self) -> str:
        """The graph in GraphML, as ``CPDAG.to_graphml`` writes it.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).to_graphml().count("<edge ")
        1
        """
        return graphml(self)

    def to_json(self) -> str:
        """The graph as networkx's node-link JSON, as ``CPDAG.to_json`` writes it.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).to_json()[-58:]
        '"edges": [{"source": 1, "target": 0, "kind": "directed"}]}'
        """
        return json.dumps(node_link(self), allow_nan=False)

    def to_dagitty(self) -> str:
        """The graph in the language of dagitty, of the type pdag.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).to_dagitty().splitlines()[-2]
        '  "1" -> "0"'
        """
        return dagitty(self)

    def to_causallearn(self) -> Any:
        """A ``GeneralGraph`` of causal-learn; the names of its nodes are the labels as text.

        >>> import causal_zigzag as cz
        >>> g = cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)]))
        >>> str(g.to_causallearn().get_graph_edges()[0])  # doctest: +SKIP
        '1 --> 0'
        """
        return causallearn(self)

    def to_pgmpy(self) -> Any:
        """A ``PDAG`` of pgmpy with these nodes.

        >>> import causal_zigzag as cz
        >>> g = cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)]))
        >>> sorted(g.to_pgmpy().directed_edges)  # doctest: +SKIP
        [(1, 0)]
        """
        return pgmpy(self)

    def __len__(self) -> int:
        return len(self.cpdag)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MPDAG):
            return NotImplemented
        return self.cpdag == other.cpdag and bool((self._matrix == other._matrix).all())

    def __hash__(self) -> int:
        return hash((self.cpdag, self._matrix.tobytes()))

    def __reduce__(self) -> tuple[Callable[..., MPDAG], tuple[object, ...]]:
        return restricted, (self.cpdag, self.knowledge)

    def _named(self, pairs: list[tuple[int, int]]) -> tuple[Edge, ...]:
        names = self.nodes
        return tuple((names[x], names[y]) for x, y in pairs)

    def _name_set(self, numbers: list[int]) -> frozenset[Hashable]:
        return frozenset(map(self.nodes.__getitem__, numbers))


def restricted(g: CPDAG, knowledge: Knowledge) -> MPDAG:
    """See ``CPDAG.with_knowledge``."""
    if not hasattr(knowledge, "arrows"):
        raise KnowledgeError(f"with_knowledge needs a cz.Knowledge, not {knowledge!r}")
    return Restriction(knowledge, g.labels).apply(g)


def class_of(g: Any, asking: str) -> CPDAG:
    """The class of a CPDAG or an MPDAG that a user gave."""
    if isinstance(g, MPDAG):
        return g.cpdag
    if not hasattr(g, "with_knowledge"):
        raise SettingsError(f"{asking} needs a CPDAG, not {g!r}")
    found: CPDAG = g
    return found


ClassGraph: TypeAlias = "CPDAG | MPDAG"
"""A class, or its DAGs that agree with a knowledge."""
