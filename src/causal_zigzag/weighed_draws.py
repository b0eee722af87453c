"""Weighed draws: Monte Carlo errors under another prior, and edges where not all classes are listed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.batch_means import CHUNK, Batching, moving_pairs
from causal_zigzag.edge_probabilities import EdgeProbabilities
from causal_zigzag.pairs import pair_ends
from causal_zigzag.reweighting import weighed_edges
from causal_zigzag.values import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.draws import Draws
    from causal_zigzag.posterior import Posterior
    from causal_zigzag.reweighting import Reweighting


def draw_weights(posterior: Posterior, draws: Draws) -> NDArray[np.float64] | None:
    """The weights of the draws, chain after chain, of which the largest is 1; None where none are weighed."""
    if posterior.reweighting is None:
        return None
    logs = np.concatenate(draw_log_weights(posterior.reweighting, draws))
    most = logs.max(initial=-np.inf)
    return np.exp(logs - most) if np.isfinite(most) else np.zeros(len(logs))


def draw_log_weights(reweighting: Reweighting, draws: Draws) -> list[NDArray[np.float64]]:
    """The log weights of the draws of each chain."""
    own = zip(reweighting.draw_log_weights, draws.chains, strict=True)
    return [logs[:: chain.every] for logs, chain in own]


def drawn_edges(posterior: Posterior) -> EdgeProbabilities:
    """The probabilities of edges from the weighed draws; from the listed classes where no draw has any weight."""
    n, draws = len(posterior.nodes), posterior.draws()
    weights = draw_weights(posterior, draws)
    assert weights is not None
    if not weights.any():
        return weighed_edges(posterior, 0)
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    pairs, total = moving_pairs(posterior.results, n), weights.sum()
    for block, integrals in weighed_pair_integrals(draws, weights, pairs):
        a, b = pair_ends(pairs[block])
        _, directed[a, b], directed[b, a], undirected[a, b] = integrals.sum(axis=0).T / total
    return EdgeProbabilities(posterior.nodes, read_only(directed), read_only(undirected + undirected.T))


def weighed_batching(draws: Draws, weights: NDArray[np.float64]) -> Batching:
    """The draws as batches, with their weights for their times; neighbors are joined, as those of all batches are."""
    starts = np.cumsum([0, *draws.counts])[:-1]
    return Batching(weights, starts[np.array(draws.counts) > 0])


def weighed_moments(draws: Draws, weights: NDArray[np.float64], origin: float) -> NDArray[np.float64]:
    """The weighed edges, edges², score and score² of the draws; scores are told from the origin."""
    edges = np.concatenate([chain.edges for chain in draws.chains]).astype(np.float64)
    score = np.concatenate([chain.score for chain in draws.chains]) - origin
    return np.column_stack([edges, edges**2, score, score**2]) * weights[:, None]


def weighed_pair_integrals(
    draws: Draws, weights: NDArray[np.float64], pairs: NDArray[np.int64]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """The weighed indicators of the draws that a pair is adjacent, a -> b, b -> a and a - b, in blocks of pairs."""
    size = max(1, CHUNK // (4 * max(1, len(draws))))
    for first in range(0, len(pairs), size):
        block = slice(first, first + size)
        marks = draws.marks(pairs[block])
        indicators = np.stack([marks > 0, marks == 1, marks == 2, marks == 3], axis=-1)
        yield block, indicators * weights[:, None, None]
