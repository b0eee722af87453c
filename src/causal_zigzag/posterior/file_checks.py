"""What must hold of a posterior from a file before the core trusts its numbers; the checksum alone proves no author."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import FileError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.posterior.reweighting import Reweighting
from causal_zigzag.sampler.chain import ChainResult, ChainStatistics
from causal_zigzag.sampler.settings import Settings
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior


def check(posterior: Posterior) -> None:
    """A FileError where the parts do not fit together."""
    parts: tuple[Any, Any, Any, Any] = (posterior.target, posterior.settings, posterior.start, posterior.results)
    target, settings, start, results = parts  # of any type, until it is checked
    _must(isinstance(target, Target), "its target is not a Target")  # Target and Settings validate themselves
    _must(isinstance(settings, Settings), "its settings are not Settings")
    _must(isinstance(start, CPDAG) and start.nodes == target.nodes, "its start has other nodes")
    starts: Any = posterior.starts
    alike = isinstance(starts, tuple) and all(isinstance(g, CPDAG) and g.nodes == target.nodes for g in starts)
    _must(alike, "its starts have other nodes")
    _must(isinstance(results, tuple) and len(results) > 0, "it has no chains")
    n = len(target.nodes)
    for result in results:
        _must(isinstance(result, ChainResult) and isinstance(result.statistics, ChainStatistics), "a chain is none")
        _check_chain(result, n)
    _check_reweighting(posterior.reweighting, results)


def _check_reweighting(weights: Any, results: tuple[ChainResult, ...]) -> None:
    """Log weights: one for every listed class of every chain, none infinite, some of them not minus infinity."""
    if weights is None:
        return
    _must(isinstance(weights, Reweighting) and isinstance(weights.prior, str), "its prior is none")
    _must(isinstance(weights.log_weights, tuple) and len(weights.log_weights) == len(results), "weights lack a chain")
    for logs, result in zip(weights.log_weights, results, strict=True):
        _must(bool((_array(logs, "weights", np.float64, len(result.hashes)) < np.inf).all()), "a weight is infinite")
    drawn = weights.draw_log_weights
    _must(isinstance(drawn, tuple) and len(drawn) == len(results), "weights of draws lack a chain")
    for logs, result in zip(drawn, results, strict=True):
        logs = _array(logs, "weights of draws", np.float64, len(result.draw_hashes))
        _must(bool((logs < np.inf).all()), "a weight is infinite")
    _must(any((logs > -np.inf).any() for logs in weights.log_weights), "no class has any weight")


def check_score(state: dict[str, Any]) -> None:
    """A FileError where the attributes of a score of this package, from which its core part is made, do not fit."""
    labels = state.get("_labels")
    _must(isinstance(labels, Labels), "its score has no nodes")
    n = len(labels) if isinstance(labels, Labels) else 0
    if "_codes" in state:
        codes = _array(state["_codes"], "codes", np.uint16, n, None)
        weights = _array(state["_weights"], "weights", np.int32, None)
        levels = state["_levels"]
        _must(len(weights) in (0, codes.shape[1]), "the weights of the rows are not one each")
        _must(isinstance(levels, tuple) and len(levels) == n, "the numbers of levels are not one a node")
        for row, most in zip(codes, levels, strict=True):
            _must(bool(row.max(initial=0) < most), "a code is not below the number of levels")
    if "_correlation" in state:
        begin = state.get("_begin", tuple(range(n + 1)))  # of the blocks of columns of each node
        grows = all(a < b for a, b in itertools.pairwise(begin))
        _must(len(begin) == n + 1 and begin[0] == 0 and grows, "blocks of columns overlap")
        _array(state["_correlation"], "correlation", np.float64, begin[-1], begin[-1])
    for name in ("_log_variance", "_log_scale"):
        if name in state:
            _array(state[name], name, np.float64, n)


def _check_chain(result: ChainResult, n: int) -> None:
    """The differences of the classes must stay within the arrays, and lead back to the graph without edges."""
    hashes = _array(result.hashes, "hashes", np.uint64, None, 2)
    count = len(hashes)
    times = _array(result.times, "times", np.float64, count, 2)
    origin = _array(result.origin, "origin", np.int64, count)
    _must(bool((origin < np.arange(count)).all() and (origin >= -1).all()), "a class differs from a later one")
    deltas = _array(result.deltas, "deltas", np.uint32, None)
    _check_pairs(_array(result.begin, "begin", np.uint64, count + 1), deltas >> np.uint32(2), n)
    _must(bool((times >= 0).all() and np.isfinite(times).all()), "a class has no time")
    for at, held in (result.directed, result.undirected):
        _array(at, "edges", np.int64, None)
        _array(held, "times of edges", np.float64, len(at))
        _must(bool(((at >= 0) & (at < n * n)).all() and np.isfinite(held).all()), "an edge is of no pair of nodes")
    points = len(result.trace_edges)
    _array(result.trace_edges, "trace_edges", np.int32, points)
    _array(result.trace_score, "trace_score", np.float64, points)
    _array(result.trace_direction, "trace_direction", np.int8, points)
    draws = _array(result.draw_hashes, "draw_hashes", np.uint64, None, 2)
    deltas = _array(result.draw_deltas, "draw_deltas", np.uint32, None)
    _check_pairs(_array(result.draw_begin, "draw_begin", np.uint64, len(draws) + 1), deltas >> np.uint32(2), n)
    batches = _array(result.batch_integrals, "batch_integrals", np.float64, None, 6)
    pairs = _array(result.batch_pairs, "batch_pairs", np.uint32, None)
    _check_pairs(_array(result.batch_begin, "batch_begin", np.uint64, len(batches) + 1), pairs, n)
    marks = _array(result.batch_marks, "batch_marks", np.uint8, len(pairs))
    _must(bool((marks < 16).all()), "a mark of an edge is none")
    _array(result.batch_times, "batch_times", np.float64, len(pairs), 3)
    _must(all(t > 0 for t in result.total), "a chain took no time")


def _check_pairs(begin: NDArray[Any], pairs: NDArray[Any], n: int) -> None:
    """Lists of pairs of nodes, one after another, each from its begin to that of the next."""
    _must(bool(begin[0] == 0 and begin[-1] == len(pairs) and (begin[1:] >= begin[:-1]).all()), "lists overlap")
    _must(bool((pairs < n * (n - 1) // 2).all()), "a pair is none of these nodes")


def _array(value: Any, name: str, dtype: type[np.generic], *shape: int | None) -> NDArray[Any]:
    right = isinstance(value, np.ndarray) and value.dtype == dtype and value.ndim == len(shape)
    right = right and all(want is None or have == want for have, want in zip(value.shape, shape, strict=True))
    _must(right, f"{name} is not the array it should be")
    return np.asarray(value)


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise FileError(otherwise)
