"""CPDAG: the immutable graph that represents one Markov equivalence class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag._core import Graph, count_dags, random_dags
from causal_zigzag.errors import GraphError, SettingsError
from causal_zigzag.graphs.adjacency_matrix import Edge, read_dag, read_edges, read_matrix, read_networkx
from causal_zigzag.graphs.error_messages import graph_error
from causal_zigzag.graphs.formats.node_link import read_json, read_node_link
from causal_zigzag.graphs.labels import MOST_IN_MATRIX, Labels, Nodes, check_size, read_nodes, show_all
from causal_zigzag.graphs.mixed_graph import MixedGraph
from causal_zigzag.graphs.mpdag import MPDAG, restricted
from causal_zigzag.support.rng import Rng, seed_words

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from numpy.typing import NDArray

    from causal_zigzag._core import Flaw
    from causal_zigzag.target.knowledge import Knowledge


@final
class CPDAG(MixedGraph):
    """A Markov equivalence class of DAGs, as a graph with directed and undirected edges.

    An edge ``x -> y`` has this direction in every DAG of the class; ``x - y`` has either direction in some of them.
    Nodes have labels: any distinct hashable values, ``0..n-1`` by default. In matrices, ``m[i, j] = 1``
    means ``i -> j``, or ``i - j`` if also ``m[j, i] = 1``.

    Graphs are immutable values. Two are equal if they have the same nodes in the same order and the same edges.
    Construct one with ``empty``, ``complete``, ``from_edges``, ``from_matrix``, ``from_dag``, ``from_pdag``,
    ``from_networkx`` or ``from_json``.

    >>> import causal_zigzag as cz
    >>> cz.CPDAG.from_edges(["a", "b", "c"], directed=[("a", "c"), ("b", "c")])
    CPDAG(3 nodes, 2 directed and 0 undirected edges: a -> c, b -> c)
    """

    __slots__ = ()
    core: Graph

    def __init__(self, *_: object, **__: object) -> None:
        raise GraphError("construct a CPDAG by CPDAG.from_edges, from_matrix, from_dag, from_pdag, empty or complete")

    @classmethod
    def from_core(cls, graph: Graph | Flaw, labels: Labels) -> CPDAG:
        """The graph that the core has made; raises a GraphError if the core has found a flaw instead.

        :meta private:
        """
        if isinstance(graph, tuple):
            raise graph_error(graph, labels)
        return cls._with(core=graph, labels=labels)

    @classmethod
    def empty(cls, nodes: Nodes) -> CPDAG:
        """The graph without edges; ``nodes`` is a count or a sequence of names.

        >>> CPDAG.empty(["rain", "sun"])
        CPDAG(2 nodes, no edges)
        """
        labels = read_nodes(nodes)
        return cls.from_core(Graph.empty(len(labels)), labels)

    @classmethod
    def complete(cls, nodes: Nodes) -> CPDAG:
        """The graph with an undirected edge between any two nodes; ``nodes`` is a count or a sequence of names.

        >>> CPDAG.complete(3)
        CPDAG(3 nodes, 0 directed and 3 undirected edges: 0 - 1, 0 - 2, 1 - 2)
        """
        labels = read_nodes(nodes)
        check_size(len(labels), MOST_IN_MATRIX, "a complete graph")
        return cls.from_core(Graph.complete(len(labels)), labels)

    @classmethod
    def from_edges(cls, nodes: Nodes, directed: Iterable[Edge] = (), undirected: Iterable[Edge] = ()) -> CPDAG:
        """The CPDAG with these edges; raises a GraphError if they do not form a CPDAG.

        ``directed`` contains pairs ``(x, y)`` for ``x -> y``, ``undirected`` pairs for ``x - y``, each edge once.

        >>> CPDAG.from_edges("a b c d".split(), directed=[("a", "c"), ("b", "c"), ("c", "d")])
        CPDAG(4 nodes, 3 directed and 0 undirected edges: a -> c, b -> c, c -> d)
        """
        labels = read_nodes(nodes)
        return cls.from_core(Graph.from_matrix(read_edges(labels, directed, undirected)), labels)

    @classmethod
    def from_matrix(cls, m: Any, nodes: Nodes | None = None) -> CPDAG:
        """The CPDAG with this 0/1 matrix: ``m[i, j] = 1`` for ``i -> j`` and for ``i - j``.

        ``m`` is an array, a list of lists, a scipy sparse matrix or a pandas DataFrame, whose columns name the nodes.

        >>> CPDAG.from_matrix([[0, 1], [1, 0]], nodes=["a", "b"])
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        matrix, labels = read_matrix(m, nodes)
        return cls.from_core(Graph.from_matrix(matrix), labels)

    @classmethod
    def from_dag(cls, dag: Any, nodes: Nodes | None = None) -> CPDAG:
        """The class that a DAG belongs to.

        ``dag`` is a 0/1 matrix (as in ``from_matrix``), a list of edges, or a ``networkx.DiGraph``. Edges are tuples
        ``(x, y)``; a list of lists is a matrix. Without ``nodes``, the nodes of an edge list are those of its edges
        in order of appearance.

        >>> CPDAG.from_dag([("a", "b"), ("b", "c")])
        CPDAG(3 nodes, 0 directed and 2 undirected edges: a - b, b - c)
        """
        matrix, labels = read_dag(dag, nodes)
        return cls.from_core(Graph.from_dag(matrix), labels)

    @classmethod
    def from_pdag(cls, m: Any, nodes: Nodes | None = None) -> CPDAG:
        """The class of the DAGs that extend a partially directed graph, given as a matrix as in ``from_matrix``.

        A DAG extends it if it directs the undirected edges without a directed cycle or a new v-structure. All such
        DAGs belong to one class; if there is none, this raises a GraphError.

        >>> CPDAG.from_pdag([[0, 1, 0], [0, 0, 1], [0, 1, 0]])  # 0 -> 1 - 2
        CPDAG(3 nodes, 0 directed and 2 undirected edges: 0 - 1, 1 - 2)
        """
        matrix, labels = read_matrix(m, nodes)
        return cls.from_core(Graph.from_pdag(matrix), labels)

    @classmethod
    def from_networkx(cls, graph: Any) -> CPDAG:
        """The CPDAG given as a ``networkx.DiGraph``, in which a pair of opposite edges is one undirected edge.

        A ``networkx.Graph`` is read as well; all its edges are undirected. ``from_dag`` reads DAGs.

        >>> import networkx
        >>> CPDAG.from_networkx(networkx.DiGraph([("a", "b"), ("b", "a")]))
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        matrix, labels = read_networkx(graph)
        return cls.from_core(Graph.from_matrix(matrix), labels)

    def dag(self) -> NDArray[np.uint8]:
        """One DAG of the class, as a new 0/1 matrix: ``m[i, j] = 1`` for ``i -> j``, in the order of ``nodes``.

        >>> g = CPDAG.complete(5)
        >>> CPDAG.from_dag(g.dag()) == g
        True
        """
        return self.core.dag()

    def count_dags(self) -> int:
        """The number of DAGs in the class, as an exact integer of any size, in polynomial time.

        Uses Clique-Picking (Wienöbst, Bannach & Liśkiewicz 2023).

        >>> CPDAG.from_dag([("a", "b"), ("b", "c")]).count_dags()
        3
        >>> CPDAG.complete(25).count_dags()
        15511210043330985984000000
        """
        return int.from_bytes(count_dags(self.core), "little")

    def random_dag(self, rng: Rng = None) -> NDArray[np.uint8]:
        """A uniformly random DAG of the class, as a matrix like that of ``dag``.

        ``rng`` is a seed, a numpy Generator or None for a random seed.

        >>> g = CPDAG.complete(5)
        >>> dag = g.random_dag(rng=1)
        >>> CPDAG.from_dag(dag) == g
        True
        """
        dag: NDArray[np.uint8] = self.random_dags(1, rng)[0]
        return dag

    def with_knowledge(self, knowledge: Knowledge) -> MPDAG:
        """The DAGs of the class that agree with a knowledge; a KnowledgeError says why if there are none.

        >>> import causal_zigzag as cz
        >>> CPDAG.complete(["age", "bmi"]).with_knowledge(cz.Knowledge(tiers=[["age"], ["bmi"]]))
        MPDAG(2 nodes, 1 directed and 0 undirected edges: age -> bmi)
        >>> CPDAG.empty(["age", "bmi"]).with_knowledge(cz.Knowledge(required=[("age", "bmi")]))
        Traceback (most recent call last):
        causal_zigzag.errors.KnowledgeError: the knowledge requires age -> bmi, but they are not adjacent
        """
        return restricted(self, knowledge)

    @classmethod
    def from_json(cls, text: str) -> CPDAG:
        """The CPDAG in node-link JSON, as ``to_json`` and ``networkx.node_link_data`` write it.

        >>> CPDAG.from_json('{"nodes": [{"id": "a"}, {"id": "b"}], "edges": []}')
        CPDAG(2 nodes, no edges)
        """
        matrix, labels = read_node_link(read_json(text))
        return cls.from_core(Graph.from_matrix(matrix), labels)

    def __reduce__(self) -> tuple[Callable[..., CPDAG], tuple[object, ...]]:
        return CPDAG.from_matrix, (self.matrix(), self.nodes)

    def random_dags(self, k: int, rng: Rng) -> NDArray[np.uint8]:
        """``k`` independent draws of ``random_dag``, as an array of k matrices.

        :meta private:
        """
        dags = np.zeros((k, len(self), len(self)), dtype=np.uint8)
        random_dags(self.core, seed_words(rng), dags)
        return dags


def in_node_order(g: CPDAG, nodes: tuple[Hashable, ...], name: str) -> CPDAG:
    """The same class with its nodes in this order; raises a SettingsError if it has other nodes."""
    if g.nodes == nodes:
        return g
    number = {v: i for i, v in enumerate(g.nodes)}
    if {*nodes} != {*number}:
        odd = show_all({*nodes} ^ {*number})
        raise SettingsError(f"{name} must have the nodes {show_all(nodes)}: only one of both has {odd}")
    order = [number[v] for v in nodes]
    return CPDAG.from_matrix(g.matrix()[np.ix_(order, order)], nodes)
