"""Checks of a posterior from a file, before the core uses its arrays."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag._core import hashes_match
from causal_zigzag.storage.field_types import counts_are_valid
from causal_zigzag.support.field_checks import check, check_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.posterior.reweighting import Reweighting
    from causal_zigzag.sampler.chain_result import ChainResult

LARGE = 1e150  # larger than any time, in the unit of its chain, and than any score; the square is a float


def check_posterior(posterior: Posterior) -> None:
    """A FileError if the parts do not fit together."""
    target, start, results = posterior.target, posterior.start, posterior.results  # of their types, see Decoder
    check(all(g.nodes == target.nodes for g in (start, *posterior.starts)), "its start has other nodes")
    check(len(posterior.starts) in (0, len(results)), "the number of its starts is not the number of chains")
    check(len(results) > 0, "it has no chains")
    record = posterior.record
    check(record is None or 0 <= record.seconds < math.inf, "the time that it took is not a number")
    n = len(target.nodes)
    for result in results:
        _check_statistics(result)
        _check_chain(result, n)
    _check_reweighting(posterior.reweighting, results)
    _check_chain_weights(posterior.chain_weights, len(results))


def _check_reweighting(weights: Reweighting | None, results: tuple[ChainResult, ...]) -> None:
    """Log weights: one for every listed class of every chain, none infinite, some of them not minus infinity."""
    if weights is None:
        return
    check(len(weights.log_weights) == len(results), "the number of weights is not the number of chains")
    for logs, result in zip(weights.log_weights, results, strict=True):
        check(
            bool((check_array(logs, "weights", np.float64, len(result.hashes)) < np.inf).all()), "a weight is infinite"
        )
    drawn = weights.draw_log_weights
    check(len(drawn) == len(results), "the number of weights of draws is not the number of chains")
    for logs, result in zip(drawn, results, strict=True):
        logs = check_array(logs, "weights of draws", np.float64, len(result.draw_hashes))
        check(bool((logs < np.inf).all()), "a weight is infinite")
    check(any((logs > -np.inf).any() for logs in weights.log_weights), "no class has any weight")


def _check_chain_weights(weights: tuple[float, ...], chains: int) -> None:
    """No weights, or the log of the weight of every chain; together they have weight 1."""
    check(len(weights) in (0, chains), "the number of weights is not that of the chains")
    check(all(math.isfinite(weight) for weight in weights), "the weight of a chain is not a number")
    total = float(np.logaddexp.reduce(weights)) if weights else 0.0
    check(abs(total) < 1e-6, "the weights of the chains do not add up to 1")


def _check_chain(result: ChainResult, n: int) -> None:
    """The differences of the classes must stay within the arrays, and lead back to the graph without edges."""
    hashes = check_array(result.hashes, "hashes", np.uint64, None, 2)
    count = len(hashes)
    times = check_array(result.times, "times", np.float64, count)
    origin = check_array(result.origin, "origin", np.int64, count)
    check(bool((origin < np.arange(count)).all() and (origin >= -1).all()), "a class differs from a later one")
    deltas = check_array(result.deltas, "deltas", np.uint32, None)
    _check_pairs(check_array(result.begin, "begin", np.uint64, count + 1), deltas >> np.uint32(2), n)
    check(hashes_match(n, origin, result.begin, deltas, hashes.reshape(-1)), "a class is not the one of its hash")
    check(bool((times >= 0).all() and _moderate(times)), "a class has no time")
    for at, held in (result.directed, result.undirected):
        check_array(at, "edges", np.int64, None)
        check_array(held, "times of edges", np.float64, len(at))
        check(bool(((at >= 0) & (at < n * n)).all() and _moderate(held)), "an edge does not join two of the nodes")
    points = len(result.trace_edges)
    check_array(result.trace_edges, "trace_edges", np.int32, points)
    check_array(result.trace_score, "trace_score", np.float64, points)
    check_array(result.trace_direction, "trace_direction", np.int8, points)
    draws = check_array(result.draw_hashes, "draw_hashes", np.uint64, None, 2)
    deltas = check_array(result.draw_deltas, "draw_deltas", np.uint32, None)
    _check_pairs(check_array(result.draw_begin, "draw_begin", np.uint64, len(draws) + 1), deltas >> np.uint32(2), n)
    before = np.arange(-1, len(draws) - 1)  # a draw differs from the one before it
    check(hashes_match(n, before, result.draw_begin, deltas, draws.reshape(-1)), "a draw is not the one of its hash")
    batches = check_array(result.batch_integrals, "batch_integrals", np.float64, None, 6)
    pairs = check_array(result.batch_pairs, "batch_pairs", np.uint32, None)
    _check_pairs(check_array(result.batch_begin, "batch_begin", np.uint64, len(batches) + 1), pairs, n)
    marks = check_array(result.batch_marks, "batch_marks", np.uint8, len(pairs))
    check(bool((marks < 16).all()), "a mark of an edge is not below 16")
    held = check_array(result.batch_times, "batch_times", np.float64, len(pairs), 3)
    check(bool(_moderate(held) and _moderate(batches)), "a batch has no time")
    check(0 < result.total < LARGE, "a chain took no time")
    check(0 <= result.unlisted < LARGE, "the time in other classes is not a number")
    missing = abs(times.sum() + result.unlisted - result.total)
    check(bool(missing <= 1e-6 * result.total), "the times of the classes do not add up to that of the chain")
    check(math.isfinite(result.unit) and abs(result.score_reference) < LARGE, "the unit of time is not a number")
    end = check_array(result.end, "end", np.int64, None)
    check(bool(((end >= 0) & (end < n * n)).all()), "an edge at the end does not join two of the nodes")
    check(result.end_direction in (1, -1), "the direction at the end is not 1 or -1")
    stride = result.draw_stride
    check(1 <= stride <= 2**62 and len(draws) in (-(-points // stride), 0), "the draws are not those of the trace")
    check(0 <= result.trace_step < math.inf and (result.trace_step > 0 or points == 0), "the trace has no step")
    check(_moderate(result.trace_score), "a score of the trace is not a number")
    check(bool((np.abs(result.trace_direction) == 1).all()), "a direction is not 1 or -1")
    check(bool(((result.trace_edges >= 0) & (result.trace_edges <= n * (n - 1) // 2)).all()), "a trace has no edges")


def _check_statistics(result: ChainResult) -> None:
    """Numbers of at least 0; a rung per temperature."""
    found = result.statistics
    parts = [part for part in (found, found.tempering, found.annealing, found.excursions) if part is not None]
    log_time = replace(found, log_time=0.0) if not math.isnan(found.log_time) else found
    check(all(counts_are_valid(part) for part in (log_time, *parts[1:])), "a statistic of a chain is below 0")
    swaps = found.tempering
    if swaps is not None:
        numbers = (*swaps.ladder, *swaps.swap_rates, *swaps.jumps)
        right = len(swaps.ladder) == len(swaps.jumps) == len(swaps.swap_rates) + 1
        check(right and all(0 <= x < math.inf for x in numbers), "the statistics of tempering do not fit together")


def _moderate(numbers: NDArray[Any]) -> bool:
    return bool((np.abs(numbers) < LARGE).all())  # not NaN


def _check_pairs(begin: NDArray[Any], pairs: NDArray[Any], n: int) -> None:
    """Lists of pairs of nodes, one after another, each from its begin to that of the next."""
    check(bool(begin[0] == 0 and begin[-1] == len(pairs) and (begin[1:] >= begin[:-1]).all()), "lists overlap")
    check(bool((pairs < n * (n - 1) // 2).all()), "a pair does not consist of these nodes")
