"""Monte Carlo errors of shares of time, by batch means.

A share is p = Σ I / Σ T over batches, with I the time integral of a quantity over a batch and T its time, both random.
To first order the error of this ratio is Σ R / Σ T with the residuals R = I − p T, of mean zero, so that its variance
is (Σ R²) / (Σ T)² / (1 − Σ (T / ΣT)²), the last factor for the p in R having been estimated from the same batches.
This is done for each chain around a p of its own, and the variances of their Σ R added up. Batches must be long enough
to be nearly independent. Whether they are shows when neighbors are joined: the variance grows. So it is computed at
several lengths, and the largest counts. If whole chains differ by more than that can explain, then what counts is the
same formula with chains in the place of batches.

None of this means anything for an indicator that came or went a few times only: most batches then say the same, and the
error of what rests on a handful of visits is itself a guess, more often too small than too large. So there is an error
only where an indicator was seen to change LEAST_CHANGES times, in all chains together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.graphs.pairs import pair_number
from causal_zigzag.posterior.listed_classes import in_unit, total_times

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_result import ChainResult

LEAST_GROUPS = 16  # at which batches are still joined to longer ones
LEAST_BATCHES = 8  # of equal times: fewer tell nothing
LEAST_CHANGES = 10  # of an indicator: five visits; with fewer, an error of 1.96 holds four times of five, not 19 of 20
SURPRISE = 2.326  # standard normal quantile of 0.99, for chains that differ by chance
ALIKE = 1e-12  # a share of a batch that is rounding
ROUNDING = 1e-13  # errors this small beside what they are of
TINY = 1e-300
CHUNK = 1 << 20  # numbers in the integrals of a block of pairs


@dataclass(frozen=True, eq=False)
class Batching:
    """The batches of all chains, chain after chain: their times, or total weights, and where each chain begins."""

    times: NDArray[np.float64]
    chains: NDArray[np.int64]

    @cached_property
    def total(self) -> float:
        """The time of all batches; NaN where they have none, as draws of classes without weight."""
        return float(self.times.sum()) or np.nan

    @cached_property
    def count(self) -> float:
        """The number of batches of equal times that would be worth as much: (Σ T)² / Σ T²."""
        return float(self.total**2 / (self.times**2).sum()) if self.total > 0 else 0.0

    @cached_property
    def levels(self) -> list[NDArray[np.int64]]:
        """Where groups of 1, 2, 4, ... batches of a chain begin, for as long as there are enough of them."""
        ends = np.append(self.chains[1:], len(self.times))
        levels, size = [np.arange(len(self.times))], 2
        while True:
            starts = np.concatenate([np.arange(a, b, size) for a, b in zip(self.chains, ends, strict=True)])
            if len(starts) < LEAST_GROUPS or len(starts) == len(levels[-1]):
                return levels
            levels.append(starts)
            size *= 2

    def errors(self, integrals: NDArray[np.float64], relief: NDArray[np.float64] | float = 1.0) -> NDArray[np.float64]:
        """The Monte Carlo standard errors of Σ I / Σ T; rows are batches. NaN where they cannot be told.

        ``relief`` is for an estimate with this share of the variance within chains, see ``weighed_draws``.
        """
        if self.count < LEAST_BATCHES:
            return np.full(integrals.shape[1:], np.nan)
        within, between = self.variances(integrals)
        errors = np.sqrt(np.where(between > within * self.surprise(SURPRISE), between, within * relief))
        shares = np.abs(integrals.sum(axis=0)) / self.total
        return np.where(errors > ROUNDING * shares, errors, np.nan)

    def indicator_errors(
        self, integrals: NDArray[np.float64], relief: NDArray[np.float64] | float = 1.0
    ) -> NDArray[np.float64]:
        """The same for the integrals of indicators; NaN also where one changed too seldom."""
        return np.where(self.changes(integrals) < LEAST_CHANGES, np.nan, self.errors(integrals, relief))

    def changes(self, integrals: NDArray[np.float64]) -> NDArray[np.int64]:
        """How often indicators must at least have changed, to have these integrals; columns as those of the integrals.

        A batch in which an indicator held for part of the time has at least one change. Between two batches that
        were all of one kind, the number of changes is even exactly if they were of the same kind.
        """
        times = self.times.reshape(-1, *[1] * (integrals.ndim - 1))
        held, rest = integrals > ALIKE * times, times - integrals > ALIKE * times
        mixed = held & rest
        least = mixed.sum(axis=0)
        few = least < LEAST_CHANGES  # the others need no closer look
        mixed, whole, held = mixed[:, few], held[:, few] != rest[:, few], held[:, few]
        parity = held ^ np.logical_xor.accumulate(mixed, axis=0)
        rows = np.arange(len(times))[:, None]
        before = np.maximum.accumulate(np.where(whole, rows, -1), axis=0)[:-1]  # the last batch of one kind
        known = whole[1:] & (before >= self.chains[self._chain[1:]][:, None])
        odd = parity[1:] != np.take_along_axis(parity, np.maximum(before, 0), axis=0)
        least[few] += (known & odd).sum(axis=0)
        return np.asarray(least)

    def variances(self, integrals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The variances of Σ I / Σ T as the batches, and as whole chains, tell them; zero between less than two."""
        shape = (-1, *[1] * (integrals.ndim - 1))
        times = self.times.reshape(shape)
        own = integrals - times * self.by_chain(integrals)[self._chain]
        within = np.max([self._within(own, starts, shape) for starts in self.levels], axis=0)
        if len(self.chains) < 2:
            return within, np.zeros_like(within)
        common = np.add.reduceat(integrals - times * (integrals.sum(axis=0) / self.total), self.chains, axis=0)
        parts = np.add.reduceat(self.times, self.chains) / self.total
        return within, ((common / self.total) ** 2).sum(axis=0) / _correction((parts**2).sum())

    def surprise(self, quantile: float) -> float:
        """What the ratio of the variances between and within chains exceeds by chance as rarely as a standard normal
        variable does the quantile."""
        return chance_ratio(quantile, len(self.chains) - 1)

    def by_chain(self, integrals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of each chain; rows are chains."""
        # beside a chain in a deep mode the time of another may be too short for a number
        times = np.maximum(np.add.reduceat(self.times, self.chains), TINY)
        sums = np.add.reduceat(integrals, self.chains, axis=0)
        return np.asarray(sums / times.reshape(-1, *[1] * (integrals.ndim - 1)))

    @cached_property
    def _chain(self) -> NDArray[np.int64]:
        """The chain of each batch."""
        return np.searchsorted(self.chains, np.arange(len(self.times)), side="right") - 1

    def _within(
        self, residuals: NDArray[np.float64], starts: NDArray[np.int64], shape: tuple[int, ...]
    ) -> NDArray[np.float64]:
        chain = self._chain[starts]
        times = np.add.reduceat(self.times, starts)
        totals = np.maximum(np.bincount(chain, times), TINY)
        squares = np.bincount(chain, (times / totals[chain]) ** 2).astype(np.float64)
        sums = np.add.reduceat(residuals, starts, axis=0) / self.total
        return np.asarray((sums**2 / _correction(squares)[chain].reshape(shape)).sum(axis=0))


def _correction(squares: NDArray[np.float64] | np.float64) -> NDArray[np.float64]:
    """For a p estimated from the same parts, whose shares of the time have these sums of squares."""
    return np.asarray(np.maximum(1 - squares, 1e-3))


def chance_ratio(quantile: float, freedom: int) -> float:
    """What χ²(k) / k for k degrees of freedom exceeds as rarely as a standard normal variable does the quantile, by the
    cube of Wilson & Hilferty."""
    spread = 2 / 9 / max(1, freedom)
    return float((1 - spread + quantile * spread**0.5) ** 3)


def batching_of(results: Sequence[ChainResult]) -> Batching:
    """The batches of the chains, in the unit of ``total_times``."""
    unit, _ = total_times(results)
    times = [in_unit(r.batch_integrals[:, 1], r, unit) for r in results]
    return Batching(np.concatenate(times), np.cumsum([0] + [len(t) for t in times[:-1]]))


def moments(results: Sequence[ChainResult]) -> NDArray[np.float64]:
    """The integrals of edges, edges², score and score² over the batches of all chains.

    Scores are told from the ``score_reference`` of the first chain.
    """
    unit, _ = total_times(results)
    columns = []
    for r in results:
        _, time, edges, edges2, score, score2 = in_unit(r.batch_integrals, r, unit).T
        shift = r.score_reference - results[0].score_reference
        columns.append(
            np.column_stack([edges, edges2, score + shift * time, score2 + 2 * shift * score + shift**2 * time])
        )
    return np.concatenate(columns)


def chain_moments(results: Sequence[ChainResult]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The means of edges and score of each chain by itself, and their variances; NaN where its batches are too few.

    Every chain is in its own unit of time: beside one in a deep mode, the time of another may be too short for a
    number, but what it tells is not. Scores are told from the ``score_reference`` of the first chain.
    """
    means, variances = [], []
    for r in results:
        batching = Batching(r.batch_integrals[:, 1], np.zeros(1, dtype=np.int64))
        integrals = r.batch_integrals[:, [2, 4]]
        shift = np.array([0.0, r.score_reference - results[0].score_reference])
        means.append(integrals.sum(axis=0) / batching.total + shift)
        enough = batching.count >= LEAST_BATCHES
        variances.append(batching.variances(integrals)[0] if enough else np.full(2, np.nan))
    return np.array(means), np.array(variances)


def moving_pairs(results: Sequence[ChainResult], n: int) -> NDArray[np.int64]:
    """The numbers of the pairs that were joined at some time, ascending."""
    seen = [r.batch_pairs.astype(np.int64) for r in results]
    for r in results:
        for at, _ in (r.directed, r.undirected):
            seen.append(pair_number(at // n, at % n))
    return np.unique(np.concatenate(seen))


def pair_integrals(
    results: Sequence[ChainResult], n: int, pairs: NDArray[np.int64]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """The integrals over the batches of all chains of the indicators that a pair is adjacent, a -> b, b -> a and a - b.

    They come in blocks of pairs, with the slice of ``pairs`` that a block is about; axes are batch, pair, indicator.
    """
    unit, _ = total_times(results)
    rows = sum(len(r.batch_integrals) for r in results)
    size = max(1, CHUNK // (4 * max(1, rows)))
    for first in range(0, len(pairs), size):
        block = slice(first, first + size)
        yield block, np.concatenate([in_unit(_chain_integrals(r, n, pairs[block]), r, unit) for r in results])


def _chain_integrals(result: ChainResult, n: int, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    times, begin = result.batch_integrals[:, 1], result.batch_begin.astype(np.int64)
    held = np.zeros((len(times), len(pairs), 4))
    listed = []  # of each batch: which of its entries are about which of the pairs
    mark = _constant_marks(result, n, pairs)  # at the end, of those that never changed
    for i in range(len(times)):
        entries = np.arange(begin[i], begin[i + 1])
        column = np.searchsorted(pairs, result.batch_pairs[entries])
        inside = column < len(pairs)
        inside[inside] = pairs[column[inside]] == result.batch_pairs[entries[inside]]
        listed.append((entries[inside], column[inside]))
        mark[column[inside]] = result.batch_marks[entries[inside]] & 3
    every = np.arange(len(pairs))
    for i in reversed(range(len(times))):  # a pair that did not change has the mark before its next change
        entries, column = listed[i]
        held[i, every, mark] = times[i]
        held[i, column, 1:] = result.batch_times[entries]
        mark[column] = result.batch_marks[entries] >> 2
    held[:, :, 0] = held[:, :, 1:].sum(axis=2)
    return held


def _constant_marks(result: ChainResult, n: int, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    marks = np.zeros(len(pairs), dtype=np.int64)
    for (at, held), undirected in ((result.directed, False), (result.undirected, True)):
        i, j = at[held > 0] // n, at[held > 0] % n
        number = pair_number(i, j)
        column = np.searchsorted(pairs, number)
        inside = column < len(pairs)
        inside[inside] = pairs[column[inside]] == number[inside]
        marks[column[inside]] = 3 if undirected else np.where(i < j, 1, 2)[inside]
    return marks


def draw_errors(
    counts: Sequence[int],
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
    relief: float = 1.0,
) -> NDArray[np.float64]:
    """The Monte Carlo standard errors of the weighted means of values over draws, chain after chain; rows are draws.

    NaN where the values changed less than LEAST_CHANGES times from one draw to the next.
    """
    starts = np.cumsum([0, *counts])[:-1]
    weight = np.ones(len(values)) if weights is None else weights
    kept = starts[np.array(counts) > 0]
    moved = values[1:] != values[:-1]
    moved[kept[1:] - 1] = False  # from chain to chain
    errors = Batching(weight, kept).errors(values * weight.reshape(-1, *[1] * (values.ndim - 1)), relief)
    return np.where(moved.sum(axis=0) < LEAST_CHANGES, np.nan, errors)
