"""The consensus: one graph that shows what the table of edges says. It is a summary of edges, not a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.settled_directions import settled_arrows
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.edge_graph import EdgeGraph
from causal_zigzag.support.validation import is_real

if TYPE_CHECKING:
    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities

CONSENSUS_THRESHOLD = 0.5
"""The default threshold of ``consensus``, in the API, plots and reports."""


def consensus(edges: EdgeProbabilities, threshold: Any = CONSENSUS_THRESHOLD) -> EdgeGraph:
    """See ``Posterior.consensus``; an arrow that does not hold when rows are resampled is a line."""
    if not is_real(threshold) or not 0 < threshold <= 1:
        raise SettingsError(f"threshold must be a number above 0 and at most 1, not {threshold!r}")
    joined, settled = edges.adjacent >= float(threshold), settled_arrows(edges)
    arrows, lines = joined & settled, np.triu(joined & ~settled & ~settled.T, 1)
    directed, undirected = (
        [(edges.nodes[i], edges.nodes[j]) for i, j in np.argwhere(chosen)] for chosen in (arrows, lines)
    )
    return EdgeGraph(edges.nodes, directed, undirected)
