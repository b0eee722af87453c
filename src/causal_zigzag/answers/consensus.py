"""One graph that summarizes a posterior: the consensus class and the median-probability graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag._core import Graph
from causal_zigzag.answers.settled_directions import settled_arrows
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.edge_graph import EdgeGraph
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.support.validation import is_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.graphs.mpdag import ClassGraph, Restriction

CONSENSUS_THRESHOLD = 0.5
"""The default threshold of ``consensus``, in the API, plots and reports."""


def consensus(
    edges: EdgeProbabilities, threshold: Any = CONSENSUS_THRESHOLD, restriction: Restriction | None = None
) -> ClassGraph:
    """See ``Posterior.consensus``."""
    joined = edges.adjacent >= read_threshold(threshold)
    matrix = (joined & ~settled_arrows(edges).T).astype(np.uint8)
    completed = Graph.from_pdag(matrix)  # a tuple, the reason, if no DAG extends the graph
    required = [] if restriction is None else restriction.required
    graph = _largest_class(matrix, edges.adjacent, required) if isinstance(completed, tuple) else completed
    found = CPDAG.from_core(graph, Labels(edges.nodes))
    # The class agrees: arrows that the knowledge settles have their direction in all classes, hence here.
    return found if restriction is None else restriction.apply(found)


def median_graph(edges: EdgeProbabilities, threshold: Any) -> EdgeGraph:
    """See ``Posterior.median_graph``."""
    least = read_threshold(threshold)
    single = np.maximum(np.maximum(edges.directed, edges.directed.T), edges.undirected) >= least
    arrows = single & settled_arrows(edges)
    lines = np.triu(single & ~arrows & ~arrows.T, 1)
    directed, undirected = (
        tuple((edges.nodes[i], edges.nodes[j]) for i, j in np.argwhere(chosen)) for chosen in (arrows, lines)
    )
    return EdgeGraph(edges.nodes, directed, undirected)


def read_threshold(threshold: Any) -> float:
    """The threshold as a float; raises a ``SettingsError`` unless it is above 0 and at most 1."""
    if not is_real(threshold) or not 0 < threshold <= 1:
        raise SettingsError(f"threshold must be a number above 0 and at most 1, not {threshold!r}")
    return float(threshold)


def _largest_class(matrix: NDArray[np.uint8], adjacent: NDArray[np.float64], required: list[tuple[int, int]]) -> Graph:
    """The class of a greedily chosen subset of the edges that some DAG extends.

    Required edges are added first, then the others by descending probability. Rejected ones are tried again after each
    pass, since an edge added later (such as the chord of a cycle) can make an earlier one possible.
    """
    i, j = np.nonzero(np.triu(matrix | matrix.T))
    order = np.argsort(-adjacent[i, j], kind="stable")
    remaining = [(int(a), int(b)) for a, b in zip(i[order], j[order], strict=True)]
    kept = np.zeros_like(matrix)
    for a, b in required:
        kept[a, b] = 1
    first = Graph.from_pdag(kept)
    assert not isinstance(first, tuple), "required arrows have no cycle"
    best = first
    grown = True
    while grown and remaining:
        rejected, grown = [], False
        for a, b in remaining:
            kept[a, b], kept[b, a] = matrix[a, b], matrix[b, a]
            completed = Graph.from_pdag(kept)
            if isinstance(completed, tuple):
                kept[a, b] = kept[b, a] = 0
                rejected.append((a, b))
            else:
                best, grown = completed, True
        remaining = rejected
    return best
