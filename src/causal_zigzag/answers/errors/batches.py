"""Batches of the time and of the draws of the chains, from which Monte Carlo errors are estimated.

Edges are known for all the time of a chain, in batches of it. These integrals have no weights, which are not known
while a chain runs, and there are none of statements and effects: their errors, and all errors under another prior, are
those of means over the draws. If all classes are listed, the probabilities themselves use the time between the draws as
well, so that such errors are too large rather than too small: by about a fifth where draws are a few jumps apart, and
by about half in a long run in which they are many jumps apart.
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
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.class_list import ClassList
    from causal_zigzag.answers.draws import Draws
    from causal_zigzag.sampler.chain_result import ChainResult

    Blocks = Iterator[tuple[slice, NDArray[np.float64]]]

MOST_BATCHES = 64  # of the draws of a chain; the same number as of its time
BLOCK_NUMBERS = 1 << 20  # numbers in the integrals of a block of pairs
LARGEST_SHIFT = 4000  # of binary exponents; more is 0 or infinity in floating point


class Batches(NamedTuple):
    """What the errors of a sampled posterior are estimated from: those of edges, and of everything else."""

    edges: TimeBatches | DrawBatches
    draws: DrawBatches


def edge_errors(batches: Batches | None, n: int) -> NDArray[np.float64]:
    """The Monte Carlo standard errors of the adjacency of i and j and of i -> j, j -> i and i - j: n by n by 4.

    NaN if the indicator changed too rarely, see ``batch_means``; 0 without batches, as the probabilities are exact.
    """
    if batches is None:
        return np.zeros((n, n, 4))
    errors = np.full((n, n, 4), np.nan)
    pairs = batches.edges.changing_pairs()
    for block, integrals in batches.edges.pair_integrals(pairs):
        a, b = pair_ends(pairs[block])
        errors[a, b] = batches.edges.batching.indicator_errors(integrals)
        errors[b, a] = errors[a, b][:, [0, 2, 1, 3]]
    return read_only(errors)


def edge_label(a: str, b: str, kind: int | np.integer) -> str:
    """The name of an indicator: kind 0 is the adjacency of a and b, other kinds are marks of edges."""
    return (f"{a} -- {b}", f"{a} -> {b}", f"{b} -> {a}", f"{a} - {b}")[int(kind)]


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

    def changing_pairs(self) -> NDArray[np.int64]:
        """The pairs that can have enough changes for an error, ascending; in large graphs these are few.

        ``Batching.changes`` counts at most two changes for each batch in which a pair changed.
        """
        pairs, batches = np.unique(np.concatenate([r.batch_pairs for r in self.results]), return_counts=True)
        return pairs[2 * batches >= LEAST_CHANGES].astype(np.int64)

    def pair_integrals(self, pairs: NDArray[np.int64]) -> Blocks:
        """The integrals over the batches of all chains of the indicators of adjacency, a -> b, b -> a and a - b.

        Yields blocks of pairs, each with its slice of ``pairs``; the axes are batch, pair, indicator.
        """
        for block in _blocks(pairs, len(self.batching.times)):
            own = [in_unit(_chain_integrals(r, self.n, pairs[block]), r, self._unit) for r in self.results]
            yield block, np.concatenate(own)

    @property
    def _unit(self) -> float:
        return total_times(self.results)[0]


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

    def changing_pairs(self) -> NDArray[np.int64]:
        """The pairs that were adjacent in a draw, ascending."""
        return np.unique(np.concatenate([chain.drawn.deltas >> 2 for chain in self.draws.chains])).astype(np.int64)

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


def _blocks(pairs: NDArray[np.int64], rows: int) -> Iterator[slice]:
    size = max(1, BLOCK_NUMBERS // (4 * max(1, rows)))
    return (slice(first, first + size) for first in range(0, len(pairs), size))


def _chain_integrals(result: ChainResult, n: int, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """The integrals over the batches of a chain, which has an entry for each pair that changed in a batch."""
    times = result.batch_integrals[:, 1]
    inside, column = _columns(pairs, result.batch_pairs)
    entries = np.flatnonzero(inside)
    batch = np.searchsorted(result.batch_begin.astype(np.int64), entries, side="right") - 1
    marks = result.batch_marks[entries]
    changes = np.zeros((len(times) + 1, len(pairs)), dtype=np.uint8)
    for (at, held), undirected in ((result.directed, False), (result.undirected, True)):  # of pairs that never changed
        i, j = at[held > 0] // n, at[held > 0] % n
        known, place = _columns(pairs, pair_number(i, j))
        changes[0, place] = 3 if undirected else np.where(i < j, 1, 2)[known]
    changed, first = np.unique(column, return_index=True)
    changes[0, changed] = marks[first] >> 2
    changes[batch + 1, column] = (marks >> 2) ^ (marks & 3)
    mark = np.bitwise_xor.accumulate(changes, axis=0)[:-1]  # at the beginnings of batches
    held = np.where(mark[:, :, None] == np.arange(4), times[:, None, None], 0.0)
    held[batch, column, 1:] = result.batch_times[entries]
    held[:, :, 0] = held[:, :, 1] + held[:, :, 2] + held[:, :, 3]
    return held


def _columns(pairs: NDArray[np.int64], some: NDArray[np.integer]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which of some numbers are among the sorted pairs, and the columns of these."""
    column = np.searchsorted(pairs, some)
    inside = column < len(pairs)
    inside[inside] = pairs[column[inside]] == some[inside]
    return inside, column[inside]
