"""EdgeGraph: directed and undirected edges that need not form a CPDAG."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import final

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.adjacency_matrix import Edge, read_edges
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.edge_numbers import EdgeNumbers
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.graphs.mixed_graph import MixedGraph


@final
class EdgeGraph(MixedGraph):
    """A graph with directed and undirected edges that need not be a CPDAG, such as a consensus.

    >>> import causal_zigzag as cz
    >>> graph = cz.exact_posterior(cz.Uniform(["a", "b"]), edge_prior=-3.0).consensus()
    >>> graph
    EdgeGraph(2 nodes, 0 directed and 1 undirected edges: a - b)
    >>> graph.cpdag() == cz.CPDAG.complete(["a", "b"])
    True
    """

    __slots__ = ()
    core: EdgeNumbers

    def __init__(self, nodes: Iterable[Hashable], directed: Iterable[Edge], undirected: Iterable[Edge]) -> None:
        labels = Labels(nodes)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "core", EdgeNumbers(read_edges(labels, directed, undirected)))

    def cpdag(self) -> CPDAG:
        """The graph as a CPDAG; raises a ``GraphError`` with the reason if it is not one.

        >>> import causal_zigzag as cz
        >>> graph = cz.sample(cz.Uniform(["a", "b"]), edge_prior=-3, jumps=1000, rng=1).consensus()
        >>> graph.cpdag()
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return CPDAG.from_matrix(self.matrix(), self.nodes)

    def is_cpdag(self) -> bool:
        """Whether the graph is a CPDAG.

        >>> import causal_zigzag as cz
        >>> graph = cz.sample(cz.Uniform(["a", "b"]), edge_prior=-3, jumps=1000, rng=1).consensus()
        >>> graph.is_cpdag()
        True
        """
        try:
            self.cpdag()
        except GraphError:
            return False
        return True

    def __reduce__(self) -> tuple[Callable[..., EdgeGraph], tuple[object, ...]]:
        return EdgeGraph, (self.nodes, self.directed_edges, self.undirected_edges)
