"""Runs whose resamples have given probabilities, for tests of what is shown of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import causal_zigzag as cz
from causal_zigzag.posterior.resampled import Resampled


def with_again(
    posterior: cz.Posterior, arrows: dict[tuple[str, str], float], joined: float | None = None
) -> cz.Posterior:
    """The run as if resampling its rows gave these arrows, and lines for the rest of the probability of its pairs.

    That its pairs are joined has the same probability as without resampling, or the probability ``joined``.
    """
    edges, n = posterior.edge_probabilities(), len(posterior.nodes)
    directed = np.zeros((n, n))
    for (x, y), p in arrows.items():
        directed[posterior.nodes.index(x), posterior.nodes.index(y)] = p
    adjacent = edges.adjacent if joined is None else np.where(edges.adjacent > 0.5, joined, 0.0)
    lines = np.triu(np.maximum(adjacent - directed - directed.T, 0.0), 1)
    first = posterior._results[0]
    held = replace(first, directed=_times(directed, first.total), undirected=_times(lines, first.total))
    member = replace(posterior, _results=(held,))
    resampled = Resampled(posterior.target, (member, member), (0, 1), "half of the rows", 1, (), (math.nan, math.nan))
    return replace(posterior, resampled=resampled)


def _times(shares: np.ndarray, total: float) -> tuple[np.ndarray, np.ndarray]:
    at = np.flatnonzero(shares)
    return at, total * shares.ravel()[at]
