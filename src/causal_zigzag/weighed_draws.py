"""Monte Carlo errors under another prior: each draw is a batch by itself, with its weight for its time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.batch_means import CHUNK, Batching
from causal_zigzag.reweighting import log_weights_by_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.draws import Draws
    from causal_zigzag.posterior import Posterior


def draw_weights(posterior: Posterior, draws: Draws) -> NDArray[np.float64] | None:
    """The weights of the draws, chain after chain, of which the largest is 1; None where none are weighed."""
    if posterior.reweighting is None:
        return None
    logs = log_weights_by_name(posterior, np.concatenate([chain.hashes for chain in draws.chains]))
    most = logs.max(initial=-np.inf)
    return np.exp(logs - most) if np.isfinite(most) else np.zeros(len(logs))


def weighed_batching(draws: Draws, weights: NDArray[np.float64]) -> Batching:
    """The draws as batches; neighbors are joined to longer ones, as all batches are."""
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
