"""EdgeGraph: directed and undirected edges that need not form a CPDAG."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.adjacency_matrix import read_edges
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import Labels, show

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.graphs.adjacency_matrix import Edge

EDGES_IN_REPR = 12


@dataclass(frozen=True, repr=False)
class EdgeGraph:
    """A graph with directed and undirected edges that need not be a CPDAG, such as the median-probability graph.

    >>> import causal_zigzag as cz
    >>> graph = cz.exact_posterior(cz.Uniform(["a", "b"]), edge_prior=-3.0).median_graph()
    >>> graph
    EdgeGraph(2 nodes, 0 directed and 1 undirected edges: a - b)
    >>> graph.cpdag() == cz.CPDAG.complete(["a", "b"])
    True
    """

    nodes: tuple[Hashable, ...]
    directed_edges: tuple[Edge, ...]
    undirected_edges: tuple[Edge, ...]

    @property
    def edge_count(self) -> int:
        """The number of edges, directed and undirected.

        >>> import causal_zigzag as cz
        >>> graph = cz.sample(cz.Uniform(["a", "b"]), edge_prior=-3, jumps=1000, rng=1).median_graph()
        >>> graph.edge_count
        1
        """
        return len(self.directed_edges) + len(self.undirected_edges)

    def matrix(self) -> NDArray[np.uint8]:
        """A new 0/1 matrix: ``m[i, j] = 1`` for ``i -> j`` and for ``i - j``, in the order of ``nodes``.

        >>> import causal_zigzag as cz
        >>> graph = cz.sample(cz.Uniform(["a", "b"]), edge_prior=-3, jumps=1000, rng=1).median_graph()
        >>> graph.matrix().tolist()
        [[0, 1], [1, 0]]
        """
        return read_edges(Labels(self.nodes), self.directed_edges, self.undirected_edges)

    def cpdag(self) -> CPDAG:
        """The graph as a CPDAG; raises a ``GraphError`` with the reason if it is not one.

        >>> import causal_zigzag as cz
        >>> graph = cz.sample(cz.Uniform(["a", "b"]), edge_prior=-3, jumps=1000, rng=1).median_graph()
        >>> graph.cpdag()
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return CPDAG.from_edges(self.nodes, self.directed_edges, self.undirected_edges)

    def is_cpdag(self) -> bool:
        """Whether the graph is a CPDAG.

        >>> import causal_zigzag as cz
        >>> graph = cz.sample(cz.Uniform(["a", "b"]), edge_prior=-3, jumps=1000, rng=1).median_graph()
        >>> graph.is_cpdag()
        True
        """
        try:
            self.cpdag()
        except GraphError:
            return False
        return True

    def __repr__(self) -> str:
        text = f"{len(self.nodes)} node{'s' * (len(self.nodes) != 1)}"
        if not self.edge_count:
            return f"EdgeGraph({text}, no edges)"
        text += f", {len(self.directed_edges)} directed and {len(self.undirected_edges)} undirected edges"
        if self.edge_count <= EDGES_IN_REPR:
            edges = [f"{show(x)} -> {show(y)}" for x, y in self.directed_edges]
            edges += [f"{show(x)} - {show(y)}" for x, y in self.undirected_edges]
            text += ": " + ", ".join(edges)
        return f"EdgeGraph({text})"

    def _repr_svg_(self) -> str | None:
        from causal_zigzag.figures.svg import notebook_svg

        return notebook_svg(self)
