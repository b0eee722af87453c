"""Bounds and shapes of a posterior from a file, before the core uses its arrays; types are checked by the decoder."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag._core import are_classes, hashes_match
from causal_zigzag.support.field_checks import check
from causal_zigzag.tables.names_in_words import read_options

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.posterior.resampled import Resampled
    from causal_zigzag.sampler.chain_result import ChainResult
    from causal_zigzag.sampler.missing_cells import CompletedTables
    from causal_zigzag.sampler.run import RunRecord
    from causal_zigzag.scores.base import Score

LARGEST = 1e150  # larger than any time, in the unit of its chain, and than any score; the square is a float
# Cells of the matrices of the classes of a chain that must be CPDAGs, evenly spaced: parsing all of them can take
# minutes with many nodes. All of the 100,000 classes that a chain lists by default are parsed up to 70 nodes.
MOST_CELLS = 5 * 10**8
ROUNDING = 1e-6  # of sums of times, relative to the total


def check_posterior(posterior: Posterior) -> None:
    """A FileError if the parts do not fit together."""
    nodes, results, weights = posterior.target.nodes, posterior._results, posterior._reweighting
    check(all(g.nodes == nodes for g in (posterior._start, *posterior._starts)), "its start has other nodes")
    check(
        len(results) > 0 and len(posterior._starts) in (0, len(results)), "the number of chains is not that of starts"
    )
    check(posterior.record is None or 0 <= posterior.record.seconds < math.inf, "the time it took is not a number")
    _check_code(posterior.record)
    if posterior._checked is not None:
        posterior._checked.check_fields(len(nodes))
    for result in results:
        _check_chain(result, len(nodes))
        _check_tables(result.tables, posterior.score, len(nodes))
    logs = posterior._chain_weights
    check(len(logs) in (0, len(results)), "the number of weights is not that of the chains")
    total = float(np.logaddexp.reduce(logs)) if logs else 0.0
    check(bool(np.isfinite(logs).all()) and abs(total) < ROUNDING, "the weights of the chains do not add up to 1")
    if weights is not None:
        listed, drawn = [r.hashes for r in results], [r.draw_hashes for r in results]
        for given, classes in ((weights.log_weights, listed), (weights.draw_log_weights, drawn)):
            check(len(given) == len(results), "the number of weights is not the number of chains")
            for own, some in zip(given, classes, strict=True):
                check(own.shape == (len(some),) and bool((own < np.inf).all()), "the weights are not those of classes")
        check(any((own > -np.inf).any() for own in weights.log_weights), "no class has any weight")
    if posterior.resampled is not None:
        _check_resampled(posterior.resampled, nodes)


def _check_resampled(resampled: Resampled, nodes: tuple[Hashable, ...]) -> None:
    """Each resample is a posterior of the same nodes."""
    runs, numbers = resampled.runs, resampled.numbers
    check(len(runs) == len(numbers) == len(resampled.r_hats) > 0, "the number of its resamples is not one")
    ordered = list(numbers) == sorted({*numbers}) and numbers[0] >= 0
    check(ordered and resampled.together >= 1 and resampled.lost >= 0, "its resamples have no numbers")
    check(resampled.target.nodes == nodes, "its resamples have other nodes")
    for run in runs:
        check(run.target.nodes == nodes and run.resampled is None, "a resample has other nodes")
        check_posterior(run)


def _check_code(record: RunRecord | None) -> None:
    """Code that users may paste has keywords with plain values only."""
    audit = None if record is None else record.audit
    codes = [] if record is None else [record.reading]
    codes += [] if audit is None else [audit.reading, *(finding.option for finding in audit.findings)]
    for code in codes:
        try:
            plain = ", ".join(f"{name}={value!r}" for name, value in read_options(code).items())
        except (SyntaxError, ValueError, AssertionError):
            plain = None
        check(plain == code, "its code is not that of options")


def _check_chain(result: ChainResult, n: int) -> None:
    """The differences of the classes must stay within the arrays, and lead back to the graph without edges."""
    classes, draws, points = len(result.hashes), len(result.draw_hashes), len(result.trace_edges)
    batches, changed = len(result.batch_integrals), len(result.batch_pairs)
    shapes = {
        "hashes": (classes, 2), "times": (classes,), "origin": (classes,), "begin": (classes + 1,),
        "deltas": (len(result.deltas),), "trace_edges": (points,), "trace_score": (points,),
        "trace_direction": (points,), "draw_hashes": (draws, 2), "draw_begin": (draws + 1,),
        "draw_deltas": (len(result.draw_deltas),), "batch_integrals": (batches, 6), "batch_begin": (batches + 1,),
        "batch_pairs": (changed,), "batch_marks": (changed,), "batch_times": (changed, 3),
    }  # fmt: skip
    for name, shape in shapes.items():
        check(getattr(result, name).shape == shape, f"{name} does not have the right shape")
    origin = result.origin
    check(bool((origin < np.arange(classes)).all() and (origin >= -1).all()), "a class differs from a later one")
    _check_pairs(result.begin, result.deltas >> np.uint32(2), n)
    _check_pairs(result.draw_begin, result.draw_deltas >> np.uint32(2), n)
    _check_pairs(result.batch_begin, result.batch_pairs, n)
    named = hashes_match(n, origin, result.begin, result.deltas, result.hashes.reshape(-1))
    before = np.arange(-1, draws - 1)  # a draw differs from the one before it
    drawn = hashes_match(n, before, result.draw_begin, result.draw_deltas, result.draw_hashes.reshape(-1))
    check(named and drawn, "a class is not the one of its hash")
    for begin, deltas, start in (
        (result.begin, result.deltas, origin),
        (result.draw_begin, result.draw_deltas, before),
    ):
        every = 1 + len(start) * n**2 // MOST_CELLS
        check(are_classes(n, start, begin, deltas, every), "a class is not a CPDAG")
    for at, held in (result.directed, result.undirected):
        inside = at.ndim == 1 and at.shape == held.shape and bool(((at >= 0) & (at < n * n)).all())
        check(inside and len(np.unique(at)) == len(at), "an edge does not join two of the nodes, or is there twice")
        check(bool((held >= -ROUNDING * result.total).all()), "an edge was there for less than no time")
    check(_are_times(_times_of_pairs(result, n), result.total), "a pair was joined for more than the whole time")
    check(bool((result.batch_marks < 16).all()), "a mark of an edge is not below 16")
    numbers = (result.times, result.batch_integrals, result.batch_times, result.trace_score)
    check(all(map(_moderate, numbers)) and bool((result.times >= 0).all()), "a time or score is not a number")
    check(0 < result.total < LARGEST and 0 <= result.unlisted < LARGEST, "a chain took no time")
    spent = result.batch_integrals[:, 1]
    whole = bool((spent >= 0).all()) and abs(spent.sum() - result.total) <= ROUNDING * result.total
    check(batches > 0 and whole, "the times of the batches do not add up to that of the chain")
    check(_are_times(result.batch_times, result.total), "an edge was not there for a part of a batch")
    missing = abs(result.times.sum() + result.unlisted - result.total)
    check(bool(missing <= ROUNDING * result.total), "the times of the classes do not add up to that of the chain")
    check(math.isfinite(result.unit) and abs(result.score_reference) < LARGEST, "the unit of time is not a number")
    stride, step = result.draw_stride, result.trace_step
    check(1 <= stride <= 2**62 and draws in (-(-points // stride), 0), "the draws are not those of the trace")
    check(0 <= step < math.inf and (step > 0 or points == 0), "the trace has no step")
    edges, ways = result.trace_edges, np.abs(result.trace_direction)
    possible = bool(((edges >= 0) & (edges <= n * (n - 1) // 2)).all() and (ways == 1).all())
    check(possible, "a trace has impossible edges or directions")
    inside = result.end.ndim == 1 and bool(((result.end >= 0) & (result.end < n * n)).all())
    check(inside and result.end_direction in (1, -1), "the state at the end of a chain is not one")


def _times_of_pairs(result: ChainResult, n: int) -> NDArray[np.float64]:
    """How long each pair was joined in any way, for the pairs that were."""
    at, held = (np.concatenate(both) for both in zip(result.directed, result.undirected, strict=True))
    pairs = np.minimum(at // n, at % n) * n + np.maximum(at // n, at % n)
    return np.bincount(np.unique(pairs, return_inverse=True)[1], held).astype(np.float64)


def _check_tables(tables: CompletedTables | None, score: Score, n: int) -> None:
    """Completed tables: their classes, and a number for each missing cell."""
    check((tables is not None) == score.is_incomplete, "it has no completed tables, or needs none")
    if tables is not None:
        kept, holes = len(tables.cells), int(score.missing.sum())
        shapes = (tables.cells.shape, tables.end.shape, tables.begin.shape, tables.marks.ndim)
        check(shapes == ((kept, holes), (holes,), (kept + 1,), 1), "its tables are not of one shape")
        check(_moderate(tables.cells) and _moderate(tables.end), "a missing cell has no number")
        _check_pairs(tables.begin, tables.marks >> np.uint32(2), n)
        check(tables.sweeps >= 0 and bool((tables.marks & 3 > 0).all()), "a class of its tables has no edges")


def _moderate(numbers: NDArray[Any]) -> bool:
    return bool((np.abs(numbers) < LARGEST).all())  # not NaN


def _are_times(times: NDArray[Any], total: float) -> bool:
    return bool(((times >= -ROUNDING * total) & (times <= (1 + ROUNDING) * total)).all())


def _check_pairs(begin: NDArray[Any], pairs: NDArray[Any], n: int) -> None:
    """Lists of pairs of nodes, one after another, each from its begin to that of the next."""
    check(bool(begin[0] == 0 and begin[-1] == len(pairs) and (begin[1:] >= begin[:-1]).all()), "lists overlap")
    check(bool((pairs < n * (n - 1) // 2).all()), "a pair does not consist of these nodes")
