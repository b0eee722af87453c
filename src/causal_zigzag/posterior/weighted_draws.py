"""Weighted draws: Monte Carlo errors under another prior, and edge probabilities if not all classes are listed.

The batches of a chain hold unweighted integrals over time, since weights are not known while it runs. Errors under
another prior are therefore estimated from its draws, grouped into batches as well. If all classes are listed, the
probabilities themselves use all the time between the draws, and expected instead of drawn times. They vary less than
means over draws, and the more jumps there are between draws, the larger the difference. The *variance ratio* corrects
for this: the variance of the same indicator without weights, estimated from the batches of time, divided by that from
the batches of draws. The ratio with weights is taken to be the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import batch_sums, edge_sums
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.graphs.pairs import pair_ends
from causal_zigzag.posterior.chain_weights import log_factors
from causal_zigzag.posterior.diagnostics.batch_means import (
    CHUNK,
    Batching,
    batching_of,
    moments,
    moving_pairs,
    pair_integrals,
)
from causal_zigzag.posterior.listed_classes import in_unit, total_times
from causal_zigzag.posterior.reweighting import NEGLIGIBLE, weighted_edges
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.class_list import ClassList
    from causal_zigzag.posterior.draws import ChainDraws, Draws
    from causal_zigzag.posterior.sampled_run import SampledRun

BATCHES = 64  # at most, of the draws of a chain; the same number as of its time
UNCERTAIN = 50  # the least certain pairs, from which the variance ratio of other statements is estimated


def draw_weights(run: SampledRun, draws: Draws) -> NDArray[np.float64] | None:
    """The weights of the draws of all chains, scaled to a maximum of 1; None if all are equal.

    They are the weights of ``reweight`` times those of ``weigh_chains``.
    """
    if run.reweighting is None and not run.chain_weights:
        return None
    logs = np.concatenate(draw_log_weights(run, draws))
    most = logs.max(initial=-np.inf)
    return np.exp(logs - most) if np.isfinite(most) else np.zeros(len(logs))


def draw_log_weights(run: SampledRun, draws: Draws) -> list[NDArray[np.float64]]:
    """The log weights of the draws of each chain."""
    factors = [np.full(len(chain), factor) for chain, factor in zip(draws.chains, log_factors(run), strict=True)]
    if run.reweighting is None:
        return factors
    own = zip(run.reweighting.draw_log_weights, draws.chains, factors, strict=True)
    return [logs[:: chain.every] + factor for logs, chain, factor in own]


def chain_draw_weights(run: SampledRun, draws: Draws) -> NDArray[np.float64]:
    """The weights of the draws as they were sampled: 1, or those of ``weigh_chains``, scaled to a maximum of 1."""
    logs = log_factors(run)
    return np.repeat(np.exp(logs - logs.max()), draws.counts)


def drawn_edges(run: SampledRun) -> EdgeProbabilities:
    """Edge probabilities from the weighted draws; from the listed classes if all draws have zero weight."""
    n, draws = len(run.nodes), run.draws()
    weights = draw_weights(run, draws)
    assert weights is not None
    if not weights.any():
        return weighted_edges(run)
    directed, undirected = np.zeros(n * n), np.zeros(n * n)
    for chain, own in zip(draws.chains, by_chain(draws, weights), strict=True):
        some = chain.oriented
        arrows, lines = edge_sums(n, some.origin, some.begin, some.deltas, _spread(chain, own))
        directed += arrows
        undirected += lines
    directed /= weights.sum()
    square = undirected.reshape(n, n) / weights.sum()
    return EdgeProbabilities(run.nodes, read_only(directed.reshape(n, n)), read_only(square + square.T))


def uses_all_time(run: SampledRun) -> bool:
    """Whether probabilities are computed from the time in listed classes instead of from draws."""
    return run.unlisted <= NEGLIGIBLE


def in_listed(run: SampledRun, draws: Draws) -> NDArray[np.bool_]:
    """Which draws, of all chains in order, are in listed classes."""
    names = np.concatenate([chain.hashes[:, 0] for chain in draws.chains])
    return np.isin(names, run.listed_classes.hashes[:, 0])


def unlisted_draw_weights(run: SampledRun, unlisted: float) -> list[NDArray[np.float64]]:
    """Weights of all draws that each chain has kept, for the share ``unlisted`` of the time that no class recorded.

    Part of this time was spent in classes that were listed later: the difference between the share of draws in listed
    classes and the recorded share. The rest is the time in classes that were never listed. Each part is divided among
    its draws. All weights are 0 if there are no draws.
    """
    unit = total_times(run.weighted_results)[0]
    listed = np.sort(run.listed_classes.hashes[:, 0])
    lone, times = [], []
    for r in run.weighted_results:
        at = np.minimum(np.searchsorted(listed, r.draw_hashes[:, 0]), len(listed) - 1)
        lone.append(listed[at] != r.draw_hashes[:, 0])
        times.append(float(in_unit(np.array(r.trace_step * r.draw_stride), r, unit)))
    parts = [(time * (~own).sum(), time * own.sum()) for time, own in zip(times, lone, strict=True)]
    drawn = np.sum(parts, axis=0)
    if not drawn.sum():
        return [np.zeros(len(own)) for own in lone]
    in_listed, in_others = drawn / drawn.sum()
    later = min(unlisted, max(0.0, in_listed - (1 - unlisted))) if in_others else unlisted
    each = np.array([later, unlisted - later]) / np.maximum(drawn, np.finfo(float).tiny)
    return [time * each[own.astype(np.int64)] for time, own in zip(times, lone, strict=True)]


def unlisted_weight(run: SampledRun) -> float:
    """The share of the weight of draws in unlisted classes; NaN if all draws have zero weight."""
    draws = run.draws()
    weights = draw_weights(run, draws)
    if weights is None or not weights.any():
        return np.nan
    return float(weights[~in_listed(run, draws)].sum() / weights.sum())


def weighted_batching(draws: Draws, weights: NDArray[np.float64]) -> Batching:
    """Batches of draws, with total weights in place of times."""
    starts = _starts(draws)
    first = np.cumsum([0, *(len(own) for own in starts)])[:-1]
    return Batching(_batched(draws, weights), first[[len(own) > 0 for own in starts]])


def weighted_moments(draws: Draws, weights: NDArray[np.float64], origin: float) -> NDArray[np.float64]:
    """The weighted sums of edges, edges², score and score² over batches; scores are relative to ``origin``."""
    edges = np.concatenate([chain.edges for chain in draws.chains]).astype(np.float64)
    score = np.concatenate([chain.score for chain in draws.chains]) - origin
    return _batched(draws, np.column_stack([edges, edges**2, score, score**2]) * weights[:, None])


def weighted_pair_integrals(
    draws: Draws, weights: NDArray[np.float64], pairs: NDArray[np.int64]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """The weighted sums over batches of the indicators of adjacency, a -> b, b -> a and a - b, in blocks of pairs."""
    rows = sum(len(own) for own in _starts(draws))
    size = max(1, CHUNK // (4 * max(1, rows)))
    chains = [*zip(draws.chains, by_chain(draws, weights), strict=True)]
    for first in range(0, len(pairs), size):
        block = slice(first, first + size)
        kinds = np.concatenate([_chain_sums(draws, chain, own, pairs[block]) for chain, own in chains])
        yield block, np.concatenate([kinds.sum(axis=2, keepdims=True), kinds], axis=2)


def pair_variance_ratio(run: SampledRun, draws: Draws, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """The variance ratios of the four indicators of these pairs; rows are pairs."""
    if run.reweighting is None or not uses_all_time(run):
        return np.ones((len(pairs), 4))
    return _variance_ratio(*_pair_variances(run, draws, pairs))


def edge_count_variance_ratio(run: SampledRun, draws: Draws) -> float:
    """The variance ratio of the number of edges."""
    return float(_variance_ratio(*_path_variances(run, draws))[0])


def statement_variance_ratio(run: SampledRun, draws: Draws) -> float:
    """The variance ratio of the probability of a class or a statement, whose integrals over batches are not known.

    It is estimated by the largest of three ratios: of the number of edges, of the score, and of the least certain edges
    together. With momentum, the number of edges converges faster than the single edges.
    """
    if not uses_all_time(run):
        return 1.0
    adjacent = run.edge_probabilities().adjacent
    pairs = moving_pairs(run.results, len(run.nodes))
    a, b = pair_ends(pairs)
    uncertain = np.sort(pairs[np.argsort(np.abs(adjacent[a, b] - 0.5), kind="stable")[:UNCERTAIN]])
    by_time, by_draws = (v.sum() for v in _pair_variances(run, draws, uncertain))
    timed, drawn = _path_variances(run, draws)
    varied = drawn > 0
    return float(_variance_ratio(np.append(timed[varied], by_time), np.append(drawn[varied], by_draws)).max())


Variances = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""Variances of the same quantities from batches of time and from batches of draws, without weights."""


def _pair_variances(run: SampledRun, draws: Draws, pairs: NDArray[np.int64]) -> Variances:
    n, weights = len(run.nodes), chain_draw_weights(run, draws)
    timed = [integrals for _, integrals in pair_integrals(run.weighted_results, n, pairs)]
    drawn = [integrals for _, integrals in weighted_pair_integrals(draws, weights, pairs)]
    if not timed:
        return np.zeros((0, 4)), np.zeros((0, 4))
    return _variances(run, draws, np.concatenate(timed, axis=1), np.concatenate(drawn, axis=1))


def _path_variances(run: SampledRun, draws: Draws) -> Variances:
    """The variances of the number of edges and of the score."""
    drawn = weighted_moments(draws, chain_draw_weights(run, draws), 0.0)
    return _variances(run, draws, moments(run.weighted_results)[:, [0, 2]], drawn[:, [0, 2]])


def _variances(run: SampledRun, draws: Draws, timed: NDArray[np.float64], drawn: NDArray[np.float64]) -> Variances:
    by_time, _ = batching_of(run.weighted_results).variances(timed)
    by_draws, _ = weighted_batching(draws, chain_draw_weights(run, draws)).variances(drawn)
    return by_time, by_draws


def _variance_ratio(by_time: NDArray[np.float64], by_draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ratio, and 1 if nothing varied or if it is not between 0 and 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = by_time / by_draws
    return np.where((ratio > 0) & (ratio < 1), ratio, 1.0)


def _starts(draws: Draws) -> list[NDArray[np.int64]]:
    """The first draw of each batch, for each chain."""
    return [np.arange(0, count, -(-count // BATCHES) or 1) for count in draws.counts]


def _batched(draws: Draws, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums over batches of values of the draws of all chains."""
    offsets = np.cumsum([0, *draws.counts])[:-1]
    starts = np.concatenate([own + offset for own, offset in zip(_starts(draws), offsets, strict=True)])
    return np.add.reduceat(values, starts, axis=0) if len(starts) else values[:0]


def by_chain(draws: Draws, values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Values of the draws of all chains, split into those of each chain."""
    return np.split(values, np.cumsum(draws.counts)[:-1])


def _spread(chain: ChainDraws, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values for all draws that a chain has kept: 0 for those that are not on the common grid."""
    spread = np.zeros(len(chain.result.draw_hashes))
    spread[:: chain.every] = values
    return spread


def _chain_sums(
    draws: Draws, chain: ChainDraws, weights: NDArray[np.float64], pairs: NDArray[np.int64]
) -> NDArray[np.float64]:
    n = len(draws.nodes)
    _, values, batch, count = batched_list(chain, weights)
    some = chain.oriented
    return batch_sums(n, some.origin, some.begin, some.deltas, values, batch, pairs, count).reshape(count, -1, 3)


def batched_list(
    chain: ChainDraws, weights: NDArray[np.float64]
) -> tuple[ClassList, NDArray[np.float64], NDArray[np.uint32], int]:
    """All draws that a chain has kept, their weights and batches, and the number of batches."""
    some = chain.drawn
    size = -(-len(chain) // BATCHES) or 1
    batch = (np.arange(len(some.origin)) // (size * chain.every)).astype(np.uint32)
    return some, _spread(chain, weights), batch, -(-len(chain) // size)
