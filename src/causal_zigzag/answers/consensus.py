"""One graph that stands for a posterior: the median-probability graph, and the consensus class."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag._core import Graph
from causal_zigzag.errors import GraphError, SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import Labels, show
from causal_zigzag.graphs.matrix_input import read_edges
from causal_zigzag.support.validation import is_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.graphs.matrix_input import Edge

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
        """The number of edges, directed or not.

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
        """The graph as a CPDAG; an error, which says why, where it is none.

        >>> import causal_zigzag as cz
        >>> graph = cz.sample(cz.Uniform(["a", "b"]), edge_prior=-3, jumps=1000, rng=1).median_graph()
        >>> graph.cpdag()
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return CPDAG.from_edges(self.nodes, self.directed_edges, self.undirected_edges)

    def is_cpdag(self) -> bool:
        """Whether the graph stands for a class.

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


def edges_above(edges: EdgeProbabilities, threshold: Any) -> EdgeGraph:
    """The edges x -> y and x - y that have at least this probability by themselves; of two that have, the likelier."""
    least = _read_threshold(threshold)
    directed, undirected = edges.directed, edges.undirected
    arrows = (directed >= least) & (directed > directed.T) & (directed > undirected)
    lines = np.triu((undirected >= least) & ~arrows & ~arrows.T, 1)
    return _named(edges.nodes, arrows, lines)


def consensus(edges: EdgeProbabilities, threshold: Any) -> CPDAG:
    """See ``Posterior.consensus``."""
    least = _read_threshold(threshold)
    directed, adjacent = edges.directed, edges.adjacent
    arrows = (directed > adjacent / 2) & (adjacent >= least)  # of the ways to join the two, this has the majority
    matrix = ((adjacent >= least) & ~arrows.T).astype(np.uint8)
    labels = Labels(edges.nodes)
    whole = Graph.from_pdag(matrix)
    return CPDAG.from_core(_greatest(matrix, adjacent) if isinstance(whole, tuple) else whole, labels)


def _greatest(matrix: NDArray[np.uint8], adjacent: NDArray[np.float64]) -> Graph:
    """The class of the edges that can be kept, tried by descending probability, and those left out once more."""
    i, j = np.nonzero(np.triu(matrix | matrix.T))
    order = np.argsort(-adjacent[i, j], kind="stable")
    left = [(int(a), int(b)) for a, b in zip(i[order], j[order], strict=True)]
    kept = np.zeros_like(matrix)
    best = Graph.empty(len(matrix))
    grown = True
    while grown and left:
        again, grown = [], False
        for a, b in left:
            kept[a, b], kept[b, a] = matrix[a, b], matrix[b, a]
            made = Graph.from_pdag(kept)
            if isinstance(made, tuple):  # no DAG has these edges
                kept[a, b] = kept[b, a] = 0
                again.append((a, b))
            else:
                best, grown = made, True
        left = again
    return best


def _read_threshold(threshold: Any) -> float:
    if not is_real(threshold) or not 0 < threshold <= 1:
        raise SettingsError(f"threshold must be a number above 0 and at most 1, not {threshold!r}")
    return float(threshold)


def _named(nodes: tuple[Hashable, ...], arrows: NDArray[np.bool_], lines: NDArray[np.bool_]) -> EdgeGraph:
    named = ([(nodes[i], nodes[j]) for i, j in np.argwhere(edges)] for edges in (arrows, lines))
    directed, undirected = (tuple(some) for some in named)
    return EdgeGraph(nodes, directed, undirected)
