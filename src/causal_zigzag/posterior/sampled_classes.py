"""The weighted classes of a run: from what its chains have accumulated to one distribution over classes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.class_list import ClassList
from causal_zigzag.answers.completions import Completions
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.answers.errors.batches import Batches, DrawBatches, TimeBatches, in_unit, total_times
from causal_zigzag.answers.weighted_classes import ClassTable, Part, WeightedClasses
from causal_zigzag.posterior.chain_weights import log_factors, weighted_results
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.draws import Draws
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.chain_result import ChainResult

NEGLIGIBLE_TIME = 1e-3  # if unlisted classes took at most this share of the time, other priors use listed ones only


@dataclass(frozen=True, eq=False)
class Listed:
    """What the chains of a run have listed, without the weights of another prior."""

    results: tuple[ChainResult, ...]  # with times scaled by the weights of chains
    lists: tuple[ClassList, ...]

    @cached_property
    def unlisted(self) -> float:
        """The share of the time in classes that are not listed."""
        unit, total = total_times(self.results)
        return float(sum(in_unit(np.array(r.unlisted), r, unit) for r in self.results) / total)

    @cached_property
    def table(self) -> ClassTable:
        """All classes; the share of a class is its time in all chains divided by their total time.

        The total is added up from the same times, so that no share exceeds 1 by rounding.
        """
        unit, _ = total_times(self.results)
        others = sum(float(in_unit(np.array(r.unlisted), r, unit)) for r in self.results)
        names = np.concatenate([r.hashes for r in self.results])
        times = np.concatenate([in_unit(r.times, r, unit) for r in self.results])
        place = np.concatenate([np.full(len(r.hashes), i) for i, r in enumerate(self.results)])
        record = np.concatenate([np.arange(len(r.hashes)) for r in self.results])
        order = np.lexsort((place, names[:, 1], names[:, 0]))
        names = names[order]
        first = np.flatnonzero(np.r_[True, (names[1:] != names[:-1]).any(axis=1)])
        own = np.add.reduceat(times[order], first)
        return ClassTable(names[first], own / (own.sum() + others), place[order[first]], record[order[first]]).ranked()


def listed(run: Posterior) -> Listed:
    """The listed classes of a run."""
    labels, restriction = run._start.labels, run.target.restriction
    lists = tuple(ClassList(labels, r.origin, r.begin, r.deltas, restriction) for r in run._results)
    return Listed(weighted_results(run._results, run._chain_weights), lists)


def weighted_classes(run: Posterior) -> WeightedClasses:
    """The classes of a run with their probabilities, under another prior if it has one.

    Draws stand for classes that are not listed: for the share of the time that no listed class recorded, or, under
    another prior, whose weights are known for listed classes and draws only, for all probabilities if the unlisted
    classes took a noticeable part of the time.
    """
    found, draws, prior = run._listed, run.draws(), run._reweighting
    all_time = found.unlisted <= NEGLIGIBLE_TIME
    logs = log_factors(run._results, run._chain_weights)
    weights = np.repeat(np.exp(logs - logs.max()), draws.counts)
    in_table = np.ones(len(weights), dtype=np.bool_)
    if prior is not None:
        hashes = np.concatenate([chain.hashes[:, 0] for chain in draws.chains])
        in_table = np.isin(hashes, found.table.names[:, 0])
        weights = shares_of(np.concatenate(draw_log_weights(run, draws)))
        weights = np.where(in_table, weights, 0.0) if all_time else weights  # as in the probabilities
    batched = DrawBatches(draws, weights)

    def make_parts(classes: WeightedClasses) -> tuple[Part, ...]:
        if prior is not None and not all_time and weights.any():
            return _drawn_parts(draws, weights / weights.sum(), in_table)
        parts = tuple(map(Part, found.lists, classes.by_record(classes.shares)))
        return (*parts, *_unlisted_parts(run, found)) if unlisted else parts

    unlisted = 0.0 if prior is not None else found.unlisted
    return WeightedClasses(
        run.target,
        found.lists,
        unlisted,
        lambda: found.table if prior is None else prior.apply(found.table),
        make_parts,
        Batches(time_batches(run) if prior is None else batched, batched),
        edge_shares(run.nodes, found.results) if prior is None else None,
        make_completions=lambda: completions(run) if run.score.is_incomplete else None,
    )


def time_batches(run: Posterior) -> TimeBatches:
    """The batches of the time of the chains, under the prior with which they were sampled."""
    return TimeBatches(run._listed.results, len(run.nodes))


def completions(run: Posterior) -> Completions:
    """The completed tables of all chains, with the weights that ``reweight`` gives to their classes."""
    tables = [result.tables for result in run._results if result.tables is not None]
    sizes = np.concatenate([np.diff(table.begin) for table in tables])
    begin = np.append(0, np.cumsum(sizes)).astype(np.uint64)
    marks = np.concatenate([table.marks for table in tables])
    origin = np.full(len(sizes), -1, dtype=np.int64)
    classes = ClassList(run._start.labels, origin, begin, marks, run.target.restriction)
    weights = np.ones(len(classes))
    if run._reweighting is not None:
        known = run._listed.table
        row_of = {name: row for row, name in enumerate(known.names[:, 0].tolist())}
        rows = [row_of.get(classes.graph(i).core.hash[0]) for i in range(len(classes))]
        logs = run._reweighting.of_table(known)
        weights = shares_of(np.array([-np.inf if row is None else logs[row] for row in rows]))
    cells = [cells for table in tables for cells in table.cells]
    return Completions(run.score, classes, cells, weights / (weights.sum() or 1.0))


def draw_list(run: Posterior, result: ChainResult) -> ClassList:
    """All draws that a chain has kept, each stored relative to the previous one."""
    before = np.arange(-1, len(result.draw_hashes) - 1, dtype=np.int64)
    return ClassList(run._start.labels, before, result.draw_begin, result.draw_deltas, run.target.restriction)


def draw_log_weights(run: Posterior, draws: Draws) -> list[NDArray[np.float64]]:
    """The log weights of the draws of each chain: those of ``reweight`` times those of ``weigh_chains``."""
    factors = log_factors(run._results, run._chain_weights)
    own = [np.zeros(len(chain)) for chain in draws.chains]
    if run._reweighting is not None:
        pairs = zip(run._reweighting.draw_log_weights, draws.chains, strict=True)
        own = [logs[:: chain.every] for logs, chain in pairs]
    return [logs + factor for logs, factor in zip(own, factors, strict=True)]


def edge_shares(nodes: tuple[Hashable, ...], results: Sequence[ChainResult]) -> EdgeProbabilities:
    """Probabilities of edges from their times, which the chains have accumulated in all classes."""
    unit, total = total_times(results)
    n = len(nodes)
    directed, undirected = np.zeros(n * n), np.zeros(n * n)
    for result in results:
        for dense, (at, held) in zip((directed, undirected), (result.directed, result.undirected), strict=True):
            dense[at] += in_unit(held, result, unit) / total
    for dense in (directed, undirected):
        np.minimum(dense, 1.0, out=dense)  # the times of edges and the total are rounded in different orders
    lines = undirected.reshape(n, n)
    return EdgeProbabilities(nodes, read_only(directed.reshape(n, n)), read_only(lines + lines.T))


def shares_of(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares that add up to 1, from the logs of weights; all 0 if all logs are minus infinity."""
    most = logs.max(initial=-np.inf)
    weights = np.exp(logs - (most if np.isfinite(most) else 0.0))
    return np.asarray(weights / (weights.sum() or 1.0))


def _drawn_parts(draws: Draws, weights: NDArray[np.float64], in_table: NDArray[np.bool_]) -> tuple[Part, ...]:
    """The draws of each chain, those in listed classes apart from the others."""
    return tuple(
        Part(chain.drawn, chain.spread(np.where(inside == is_listed, own, 0.0)), is_listed, drawn=True)
        for is_listed in (True, False)
        for chain, own, inside in zip(draws.chains, draws.by_chain(weights), draws.by_chain(in_table), strict=True)
    )


def _unlisted_parts(run: Posterior, found: Listed) -> tuple[Part, ...]:
    """All draws that each chain has kept, weighted for the share of the time that no listed class has recorded.

    Part of this time was spent in classes that were listed later: the difference between the share of draws in listed
    classes and the recorded share. The rest is the time in classes that were never listed. Each part is divided among
    its draws. There are no parts if there are no draws.
    """
    unlisted, unit = found.unlisted, total_times(found.results)[0]
    known = found.table.names[:, 0]
    lone = [~np.isin(r.draw_hashes[:, 0], known) for r in found.results]
    times = [float(in_unit(np.array(r.trace_step * r.draw_stride), r, unit)) for r in found.results]
    drawn = np.sum([(t * (~own).sum(), t * own.sum()) for t, own in zip(times, lone, strict=True)], axis=0)
    if not drawn.sum():
        return ()
    in_listed, in_others = drawn / drawn.sum()
    later = min(unlisted, max(0.0, in_listed - (1 - unlisted))) if in_others else unlisted
    each = np.array([later, unlisted - later]) / np.maximum(drawn, np.finfo(float).tiny)
    return tuple(
        Part(draw_list(run, r), time * each[own.astype(np.int64)], listed=False, drawn=True)
        for r, time, own in zip(found.results, times, lone, strict=True)
    )
