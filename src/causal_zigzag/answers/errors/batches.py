"""Batches of the time and of the draws of the chains, from which Monte Carlo errors are estimated.

The batches of a chain's time hold unweighted integrals, since weights are not known while it runs. Errors under another
prior are therefore estimated from its draws, grouped into batches as well. If all classes are listed, the probabilities
themselves use all the time between the draws, and expected instead of drawn times. They vary less than means over
draws, and the more jumps there are between draws, the larger the difference. The *variance ratio* corrects for this:
the variance of the same indicator without weights, estimated from the batches of time, divided by that from the batches
of draws. The ratio with weights is taken to be the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag._core import batch_sums
from causal_zigzag.answers.errors.batch_means import LEAST_BATCHES, LEAST_CHANGES, Batching
from causal_zigzag.graphs.pairs import pair_ends, pair_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.class_list import ClassList
    from causal_zigzag.answers.draws import Draws
    from causal_zigzag.sampler.chain_result import ChainResult

    Blocks = Iterator[tuple[slice, NDArray[np.float64]]]
    Variances = tuple[NDArray[np.float64], NDArray[np.float64]]

MOST_BATCHES = 64  # of the draws of a chain; the same number as of its time
UNCERTAIN_PAIRS = 50  # the least certain pairs, from which the variance ratio of statements is estimated
BLOCK_NUMBERS = 1 << 20  # numbers in the integrals of a block of pairs
LARGEST_SHIFT = 4000  # of binary exponents; more is 0 or infinity in floating point


def total_times(results: Sequence[ChainResult]) -> tuple[float, float]:
    """The total time of all chains in units of 2**unit; the longest chain has a time near 1."""
    unit = max(math.floor(r.unit + math.log2(r.total)) for r in results)
    return unit, float(sum(in_unit(np.array(r.total), r, unit) for r in results))


def in_unit(times: NDArray[np.float64], result: ChainResult, unit: float) -> NDArray[np.float64]:
    """Times of a chain in units of 2**unit; those below the smallest positive number become zero."""
    return np.ldexp(times, int(np.clip(result.unit - unit, -LARGEST_SHIFT, LARGEST_SHIFT)))


@dataclass(frozen=True, eq=False)
class TimeBatches:
    """The batches of the time of chains, in the unit of ``total_times``."""

    results: Sequence[ChainResult]
    n: int

    @cached_property
    def batching(self) -> Batching:
        """The times of the batches."""
        times = [in_unit(r.batch_integrals[:, 1], r, self._unit) for r in self.results]
        return Batching(np.concatenate(times), np.cumsum([0] + [len(t) for t in times[:-1]]))

    def moments(self) -> NDArray[np.float64]:
        """The integrals of edges, edges², score and score² over the batches of all chains.

        Scores are relative to the ``score_reference`` of the first chain.
        """
        columns = []
        for r in self.results:
            _, time, edges, edges2, score, score2 = in_unit(r.batch_integrals, r, self._unit).T
            shift = r.score_reference - self.results[0].score_reference
            columns.append(
                np.column_stack([edges, edges2, score + shift * time, score2 + 2 * shift * score + shift**2 * time])
            )
        return np.concatenate(columns)

    def chain_moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The means of edges and score of each chain, and the variances of these means; NaN with too few batches.

        Each chain has its own unit of time, since relative to a chain in a deep mode the time of another can underflow.
        Scores are relative to the ``score_reference`` of the first chain.
        """
        means, variances = [], []
        for r in self.results:
            batching = Batching(r.batch_integrals[:, 1], np.zeros(1, dtype=np.int64))
            integrals = r.batch_integrals[:, [2, 4]]
            shift = np.array([0.0, r.score_reference - self.results[0].score_reference])
            means.append(integrals.sum(axis=0) / batching.total + shift)
            enough = batching.count >= LEAST_BATCHES
            variances.append(batching.variances(integrals)[0] if enough else np.full(2, np.nan))
        return np.array(means), np.array(variances)

    def moving_pairs(self) -> NDArray[np.int64]:
        """The numbers of the pairs that were adjacent at some time, ascending."""
        seen = [r.batch_pairs.astype(np.int64) for r in self.results]
        for r in self.results:
            for at, _ in (r.directed, r.undirected):
                seen.append(pair_number(at // self.n, at % self.n))
        return np.unique(np.concatenate(seen))

    def changing_pairs(self) -> NDArray[np.int64]:
        """The moving pairs that can have enough changes for an error, ascending; in large graphs these are few.

        ``Batching.changes`` counts at most two changes for each batch in which a pair changed.
        """
        pairs, batches = np.unique(np.concatenate([r.batch_pairs for r in self.results]), return_counts=True)
        return pairs[2 * batches >= LEAST_CHANGES].astype(np.int64)

    def pair_integrals(self, pairs: NDArray[np.int64]) -> Blocks:
        """The integrals over the batches of all chains of the indicators of adjacency, a -> b, b -> a and a - b.

        Yields blocks of pairs, each with its slice of ``pairs``; the axes are batch, pair, indicator.
        """
        unit, paths = self._unit, [_pair_paths(r, self.n, pairs) for r in self.results]
        for block in _blocks(pairs, len(self.batching.times)):
            own = zip(self.results, paths, strict=True)
            yield block, np.concatenate([in_unit(_chain_integrals(r, path, block), r, unit) for r, path in own])

    @property
    def _unit(self) -> float:
        return total_times(self.results)[0]


class PairPaths(NamedTuple):
    """The marks of pairs at the beginning of a chain, and the entries of its batches that belong to these pairs.

    The entries are in the order of the pairs, so that a block of pairs reads its own only.
    """

    marks: NDArray[np.int64]
    entries: NDArray[np.int64]
    column: NDArray[np.int64]


class BatchedDraws(NamedTuple):
    """All draws that a chain has kept, with their weights and batches, and the number of batches."""

    classes: ClassList
    weights: NDArray[np.float64]
    batch: NDArray[np.uint32]
    batches: int


@dataclass(frozen=True, eq=False)
class DrawBatches:
    """The draws of all chains with weights, in batches; the weight of a batch takes the place of its time."""

    draws: Draws
    weights: NDArray[np.float64]
    independent: bool = False

    @cached_property
    def batching(self) -> Batching:
        """The weights of the batches."""
        first = np.cumsum([0, *(len(own) for own in self._starts)])[:-1]
        chains = first[[len(own) > 0 for own in self._starts]]
        return Batching(self._batched(self.weights), chains, self.independent)

    def moments(self, origin: float = 0.0) -> NDArray[np.float64]:
        """The weighted sums of edges, edges², score and score² over batches; scores are relative to ``origin``."""
        edges = np.concatenate([chain.edges for chain in self.draws.chains]).astype(np.float64)
        score = np.concatenate([chain.score for chain in self.draws.chains]) - origin
        return self._batched(np.column_stack([edges, edges**2, score, score**2]) * self.weights[:, None])

    def pair_integrals(self, pairs: NDArray[np.int64]) -> Blocks:
        """The weighted sums over batches of the indicators of adjacency, a -> b, b -> a and a - b, in blocks."""
        for block in _blocks(pairs, sum(len(own) for own in self._starts)):
            sums = []
            for chain in self.chains():
                n, some = len(chain.classes.labels), chain.classes.oriented
                own = batch_sums(n, *some.arrays, chain.weights, chain.batch, pairs[block], chain.batches)
                sums.append(own.reshape(chain.batches, -1, 3))
            kinds = np.concatenate(sums)
            yield block, np.concatenate([kinds.sum(axis=2, keepdims=True), kinds], axis=2)

    def chains(self) -> Iterator[BatchedDraws]:
        """The draws of each chain."""
        for chain, own in zip(self.draws.chains, self.draws.by_chain(self.weights), strict=True):
            size = -(-len(chain) // MOST_BATCHES) or 1
            batch = (np.arange(len(chain.drawn)) // (size * chain.every)).astype(np.uint32)
            yield BatchedDraws(chain.drawn, chain.spread(own), batch, -(-len(chain) // size))

    @cached_property
    def _starts(self) -> list[NDArray[np.int64]]:
        """The first draw of each batch, for each chain."""
        return [np.arange(0, count, -(-count // MOST_BATCHES) or 1) for count in self.draws.counts]

    def _batched(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sums over batches of values of the draws of all chains."""
        offsets = np.cumsum([0, *self.draws.counts])[:-1]
        starts = np.concatenate([own + offset for own, offset in zip(self._starts, offsets, strict=True)])
        return np.add.reduceat(values, starts, axis=0) if len(starts) else values[:0]


@dataclass(frozen=True, eq=False)
class Batches:
    """What the errors of a sampled posterior are estimated from.

    ``sampled`` are the draws with the weights of their chains, ``weighted`` those with the weights of another prior
    too. Probabilities are computed from ``all_time``, or from the draws alone.
    """

    time: TimeBatches
    sampled: DrawBatches
    weighted: DrawBatches
    reweighted: bool
    all_time: bool

    @property
    def source(self) -> TimeBatches | DrawBatches:
        """Batches of time; under another prior, batches of weighted draws."""
        return self.weighted if self.reweighted else self.time

    def pairs(self) -> NDArray[np.int64]:
        """The numbers of the pairs that can have an error, ascending."""
        return self.time.moving_pairs() if self.reweighted else self.time.changing_pairs()

    def pair_variance_ratio(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """The variance ratios of the four indicators of these pairs; rows are pairs."""
        if not (self.reweighted and self.all_time):
            return np.ones((len(pairs), 4))
        return _variance_ratio(*self._pair_variances(pairs))

    def edge_count_variance_ratio(self) -> float:
        """The variance ratio of the number of edges."""
        return float(_variance_ratio(*self._path_variances())[0])

    def statement_variance_ratio(self, adjacent: NDArray[np.float64]) -> float:
        """The variance ratio of the probability of a statement, whose integrals over batches are not known.

        It is estimated by the largest of three ratios: of the number of edges, of the score, and of the least certain
        edges together. With momentum, the number of edges converges faster than the single edges.
        """
        if not self.all_time:
            return 1.0
        pairs = self.time.moving_pairs()
        a, b = pair_ends(pairs)
        order = np.argsort(np.abs(adjacent[a, b] - 0.5), kind="stable")
        by_time, by_draws = (v.sum() for v in self._pair_variances(np.sort(pairs[order[:UNCERTAIN_PAIRS]])))
        timed, drawn = self._path_variances()
        varied = drawn > 0
        return float(_variance_ratio(np.append(timed[varied], by_time), np.append(drawn[varied], by_draws)).max())

    def _pair_variances(self, pairs: NDArray[np.int64]) -> Variances:
        timed, drawn = ([block for _, block in some.pair_integrals(pairs)] for some in (self.time, self.sampled))
        if not timed:
            return np.zeros((0, 4)), np.zeros((0, 4))
        return self._variances(np.concatenate(timed, axis=1), np.concatenate(drawn, axis=1))

    def _path_variances(self) -> Variances:
        """The variances of the number of edges and of the score."""
        return self._variances(self.time.moments()[:, [0, 2]], self.sampled.moments()[:, [0, 2]])

    def _variances(self, timed: NDArray[np.float64], drawn: NDArray[np.float64]) -> Variances:
        """The variances of the same quantities from batches of time and from batches of draws, without weights."""
        return self.time.batching.variances(timed)[0], self.sampled.batching.variances(drawn)[0]


@dataclass(frozen=True, eq=False)
class IndependentBatches:
    """The same for independent draws with weights, which stand for one chain."""

    weighted: DrawBatches

    @property
    def source(self) -> DrawBatches:
        """The weighted draws."""
        return self.weighted

    def pairs(self) -> NDArray[np.int64]:
        """The numbers of the pairs that were adjacent in a draw, ascending."""
        (chain,) = self.weighted.draws.chains
        return np.unique(chain.drawn.deltas >> 2).astype(np.int64)

    def pair_variance_ratio(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Ones, as nothing but the draws is used."""
        return np.ones((len(pairs), 4))

    def statement_variance_ratio(self, _: NDArray[np.float64]) -> float:
        """One, for the same reason."""
        return 1.0


def _variance_ratio(by_time: NDArray[np.float64], by_draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ratio, and 1 if nothing varied or if it is not between 0 and 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = by_time / by_draws
    return np.where((ratio > 0) & (ratio < 1), ratio, 1.0)


def _blocks(pairs: NDArray[np.int64], rows: int) -> Iterator[slice]:
    size = max(1, BLOCK_NUMBERS // (4 * max(1, rows)))
    return (slice(first, first + size) for first in range(0, len(pairs), size))


def _pair_paths(result: ChainResult, n: int, pairs: NDArray[np.int64]) -> PairPaths:
    inside, column = _columns(pairs, result.batch_pairs)
    order = np.argsort(column, kind="stable")
    entries, column = np.flatnonzero(inside)[order], column[order]
    marks = _constant_marks(result, n, pairs)
    changed, first = np.unique(column, return_index=True)
    marks[changed] = result.batch_marks[entries[first]] >> 2
    return PairPaths(marks, entries, column)


def _chain_integrals(result: ChainResult, path: PairPaths, block: slice) -> NDArray[np.float64]:
    times, first = result.batch_integrals[:, 1], path.marks[block]
    some = slice(*np.searchsorted(path.column, [block.start, block.start + len(first)]))
    entries, column = path.entries[some], path.column[some] - block.start
    batch = np.searchsorted(result.batch_begin.astype(np.int64), entries, side="right") - 1
    marks = result.batch_marks[entries]
    changes = np.zeros((len(times) + 1, len(first)), dtype=np.uint8)
    changes[0] = first
    changes[batch + 1, column] = (marks >> 2) ^ (marks & 3)
    mark = np.bitwise_xor.accumulate(changes, axis=0)[:-1]  # at the beginnings of batches
    held = np.where(mark[:, :, None] == np.arange(4), times[:, None, None], 0.0)
    held[batch, column, 1:] = result.batch_times[entries]
    held[:, :, 0] = held[:, :, 1] + held[:, :, 2] + held[:, :, 3]
    return held


def _constant_marks(result: ChainResult, n: int, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    marks = np.zeros(len(pairs), dtype=np.int64)
    for (at, held), undirected in ((result.directed, False), (result.undirected, True)):
        i, j = at[held > 0] // n, at[held > 0] % n
        inside, column = _columns(pairs, pair_number(i, j))
        marks[column] = 3 if undirected else np.where(i < j, 1, 2)[inside]
    return marks


def _columns(pairs: NDArray[np.int64], some: NDArray[np.integer]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which of some numbers are among the sorted pairs, and the columns of these."""
    column = np.searchsorted(pairs, some)
    inside = column < len(pairs)
    inside[inside] = pairs[column[inside]] == some[inside]
    return inside, column[inside]
