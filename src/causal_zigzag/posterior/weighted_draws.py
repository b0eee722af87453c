"""Weighed draws: Monte Carlo errors under another prior, and edges where not all classes are listed.

The batches of a chain hold plain integrals over time, as it ran before anybody knew of weights, so errors under another
prior come from its draws, joined to batches as well. Where all classes are listed, the probabilities themselves come
from all the time between the draws, and from expected instead of drawn times; they vary less than means over draws, the
more so the more jumps there are from draw to draw. How much less is known without weights, of the same indicator: its
variance as the batches tell it, over that as the draws do. This ratio, the *relief*, is taken for that under weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import batch_sums, edge_sums
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.graphs.pairs import pair_ends
from causal_zigzag.posterior.diagnostics.batch_means import (
    CHUNK,
    Batching,
    batching_of,
    moments,
    moving_pairs,
    pair_integrals,
)
from causal_zigzag.posterior.draws import draw_list
from causal_zigzag.posterior.reweighting import NEGLIGIBLE, weighed_edges
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.draws import ChainDraws, Draws
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.posterior.reweighting import Reweighting

BATCHES = 64  # of the draws of a chain, at most: as of its time
UNCERTAIN = 50  # pairs that stand for all


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
    directed, undirected = np.zeros(n * n), np.zeros(n * n)
    for chain, own in zip(draws.chains, _by_chain(draws, weights), strict=True):
        some = draw_list(Labels(posterior.nodes), chain.result)
        arrows, lines = edge_sums(n, some.origin, some.begin, some.deltas, _spread(chain, own))
        directed += arrows
        undirected += lines
    directed /= weights.sum()
    square = undirected.reshape(n, n) / weights.sum()
    return EdgeProbabilities(posterior.nodes, read_only(directed.reshape(n, n)), read_only(square + square.T))


def uses_all_time(posterior: Posterior) -> bool:
    """Whether probabilities come from the time in listed classes, and not from draws."""
    return posterior.unlisted <= NEGLIGIBLE


def in_listed(posterior: Posterior, draws: Draws) -> NDArray[np.bool_]:
    """Which of the draws, chain after chain, are of listed classes."""
    names = np.concatenate([chain.hashes[:, 0] for chain in draws.chains])
    return np.isin(names, posterior._classes.hashes[:, 0])


def unlisted_weight(posterior: Posterior) -> float:
    """The share of the weight of the draws that are not of listed classes; NaN where no draw has any."""
    draws = posterior.draws()
    weights = draw_weights(posterior, draws)
    if weights is None or not weights.any():
        return np.nan
    return float(weights[~in_listed(posterior, draws)].sum() / weights.sum())


def weighed_batching(draws: Draws, weights: NDArray[np.float64]) -> Batching:
    """Batches of draws, with their weights for their times."""
    starts = _starts(draws)
    first = np.cumsum([0, *(len(own) for own in starts)])[:-1]
    return Batching(_batched(draws, weights), first[[len(own) > 0 for own in starts]])


def weighed_moments(draws: Draws, weights: NDArray[np.float64], origin: float) -> NDArray[np.float64]:
    """The weighed edges, edges², score and score² of the batches; scores are told from the origin."""
    edges = np.concatenate([chain.edges for chain in draws.chains]).astype(np.float64)
    score = np.concatenate([chain.score for chain in draws.chains]) - origin
    return _batched(draws, np.column_stack([edges, edges**2, score, score**2]) * weights[:, None])


def weighed_pair_integrals(
    draws: Draws, weights: NDArray[np.float64], pairs: NDArray[np.int64]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """The weighed indicators, over batches, that a pair is adjacent, a -> b, b -> a and a - b, in blocks of pairs."""
    rows = sum(len(own) for own in _starts(draws))
    size = max(1, CHUNK // (4 * max(1, rows)))
    chains = [*zip(draws.chains, _by_chain(draws, weights), strict=True)]
    for first in range(0, len(pairs), size):
        block = slice(first, first + size)
        kinds = np.concatenate([_chain_sums(draws, chain, own, pairs[block]) for chain, own in chains])
        yield block, np.concatenate([kinds.sum(axis=2, keepdims=True), kinds], axis=2)


def pair_relief(posterior: Posterior, draws: Draws, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """The relief of the four indicators of these pairs; rows are pairs."""
    if posterior.reweighting is None or not uses_all_time(posterior):
        return np.ones((len(pairs), 4))
    return _relief(*_pair_variances(posterior, draws, pairs))


def edge_count_relief(posterior: Posterior, draws: Draws) -> float:
    """The relief of the number of edges."""
    return float(_relief(*_path_variances(posterior, draws))[0])


def statement_relief(posterior: Posterior, draws: Draws) -> float:
    """The relief of the probability of a class or a statement, of which no integrals over batches are known.

    For it stands the largest of the relief of the number of edges, of the score, and of the least certain edges taken
    together. With momentum, the number of edges is quicker to find its mean than what it is made of.
    """
    if not uses_all_time(posterior):
        return 1.0
    adjacent = posterior.edge_probabilities().adjacent
    pairs = moving_pairs(posterior.results, len(posterior.nodes))
    a, b = pair_ends(pairs)
    uncertain = np.sort(pairs[np.argsort(np.abs(adjacent[a, b] - 0.5), kind="stable")[:UNCERTAIN]])
    by_time, by_draws = (v.sum() for v in _pair_variances(posterior, draws, uncertain))
    timed, drawn = _path_variances(posterior, draws)
    varied = drawn > 0
    return float(_relief(np.append(timed[varied], by_time), np.append(drawn[varied], by_draws)).max())


Variances = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""Of the same things by the batches of the time, and by those of the draws; all without weights."""


def _pair_variances(posterior: Posterior, draws: Draws, pairs: NDArray[np.int64]) -> Variances:
    n, ones = len(posterior.nodes), np.ones(len(draws))
    timed = [integrals for _, integrals in pair_integrals(posterior.results, n, pairs)]
    drawn = [integrals for _, integrals in weighed_pair_integrals(draws, ones, pairs)]
    if not timed:
        return np.zeros((0, 4)), np.zeros((0, 4))
    return _variances(posterior, draws, np.concatenate(timed, axis=1), np.concatenate(drawn, axis=1))


def _path_variances(posterior: Posterior, draws: Draws) -> Variances:
    """Of the number of edges and of the score."""
    drawn = weighed_moments(draws, np.ones(len(draws)), 0.0)
    return _variances(posterior, draws, moments(posterior.results)[:, [0, 2]], drawn[:, [0, 2]])


def _variances(posterior: Posterior, draws: Draws, timed: NDArray[np.float64], drawn: NDArray[np.float64]) -> Variances:
    by_time, _ = batching_of(posterior.results).variances(timed)
    by_draws, _ = weighed_batching(draws, np.ones(len(draws))).variances(drawn)
    return by_time, by_draws


def _relief(by_time: NDArray[np.float64], by_draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """None (1) where nothing varied."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = by_time / by_draws
    return np.where((ratio > 0) & (ratio < 1), ratio, 1.0)


def _starts(draws: Draws) -> list[NDArray[np.int64]]:
    """Where the batches of each chain begin, among its own draws."""
    return [np.arange(0, count, -(-count // BATCHES) or 1) for count in draws.counts]


def _batched(draws: Draws, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of values of draws, chain after chain, over batches."""
    offsets = np.cumsum([0, *draws.counts])[:-1]
    starts = np.concatenate([own + offset for own, offset in zip(_starts(draws), offsets, strict=True)])
    return np.add.reduceat(values, starts, axis=0) if len(starts) else values[:0]


def _by_chain(draws: Draws, values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    return np.split(values, np.cumsum(draws.counts)[:-1])


def _spread(chain: ChainDraws, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of the draws of a chain for all that it has kept; 0 for those that are off the common grid."""
    spread = np.zeros(len(chain.result.draw_hashes))
    spread[:: chain.every] = values
    return spread


def _chain_sums(
    draws: Draws, chain: ChainDraws, weights: NDArray[np.float64], pairs: NDArray[np.int64]
) -> NDArray[np.float64]:
    some = draw_list(Labels(draws.nodes), chain.result)
    size = -(-len(chain) // BATCHES) or 1
    batch = (np.arange(len(some.origin)) // (size * chain.every)).astype(np.uint32)
    count = -(-len(chain) // size)
    values = _spread(chain, weights)
    n = len(draws.nodes)
    return batch_sums(n, some.origin, some.begin, some.deltas, values, batch, pairs, count).reshape(count, -1, 3)
