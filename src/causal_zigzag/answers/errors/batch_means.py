"""Monte Carlo errors of shares of time, by batch means.

Packages such as ArviZ compute errors from draws of equal weight. A jump process has holding times instead, and its
exact integrals over time have less noise than draws, so the errors are computed here.

A share is p = Σ I / Σ T over batches, with I the time integral of a quantity over a batch and T its time, both random.
To first order the error of this ratio is Σ R / Σ T with the residuals R = I − p T, which have mean zero. Its variance
is (Σ R²) / (Σ T)² / (1 − Σ (T / ΣT)²); the last factor corrects for p, which is estimated from the same batches. The
residuals of each chain are taken around its own p, and the variances of their sums are added. Batches must be long
enough to be nearly independent; if they are not, the variance grows when adjacent batches are joined. It is therefore
computed for several lengths, and the largest value is used; for independent draws one length is enough. If whole chains
differ by more than this variance explains, the same formula is used with chains in place of batches.

The estimate is not reliable for an indicator that changed only a few times: most batches are then equal, and the
estimated error is more often too small than too large. An error is therefore reported only for indicators that changed
at least LEAST_CHANGES times in all chains together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

LEAST_GROUPS = 16  # batches are joined as long as at least this many groups remain
LEAST_BATCHES = 8  # of equal times; with fewer there is no error
LEAST_CHANGES = 10  # of an indicator (five visits); with fewer, intervals of ±1.96 errors cover 80 % instead of 95 %
CRITICAL_QUANTILE = 2.326  # standard normal quantile of 0.99, for differences between chains
SHARE_ROUNDING = 1e-12  # shares of a batch below this are rounding errors
ERROR_ROUNDING = 1e-13  # relative errors below this are rounding errors
LEAST_TIME = 1e-300  # of a chain, relative to the longest


@dataclass(frozen=True, eq=False)
class Batching:
    """The batches of all chains in order: their times (or total weights), and the first batch of each chain."""

    times: NDArray[np.float64]
    chains: NDArray[np.int64]
    independent: bool = False

    @cached_property
    def total(self) -> float:
        """The time of all batches; NaN if it is zero, as for draws that all have zero weight."""
        return float(self.times.sum()) or np.nan

    @cached_property
    def count(self) -> float:
        """The equivalent number of batches of equal times: (Σ T)² / Σ T²."""
        return float(self.total**2 / (self.times**2).sum()) if self.total > 0 else 0.0

    @cached_property
    def levels(self) -> list[NDArray[np.int64]]:
        """The first batches of groups of 1, 2, 4, ... batches of a chain, as long as there are enough groups."""
        ends = np.append(self.chains[1:], len(self.times))
        levels, size = [np.arange(len(self.times))], 2
        while not self.independent:
            starts = np.concatenate([np.arange(a, b, size) for a, b in zip(self.chains, ends, strict=True)])
            if len(starts) < LEAST_GROUPS or len(starts) == len(levels[-1]):
                break
            levels.append(starts)
            size *= 2
        return levels

    def errors(self, integrals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The Monte Carlo standard errors of Σ I / Σ T; rows are batches. NaN if they cannot be estimated."""
        if self.count < LEAST_BATCHES:
            return np.full(integrals.shape[1:], np.nan)
        within, between = self.variances(integrals)
        differ = between > within * chance_ratio(CRITICAL_QUANTILE, len(self.chains) - 1)
        errors = np.sqrt(np.where(differ, between, within))
        shares = np.abs(integrals.sum(axis=0)) / self.total
        return np.where(errors > ERROR_ROUNDING * shares, errors, np.nan)

    def indicator_errors(self, integrals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The errors of integrals of indicators; also NaN for indicators that changed too rarely."""
        errors = np.full(integrals.shape[1:], np.nan)
        enough = self.changes(integrals) >= LEAST_CHANGES  # in large graphs a small part
        errors[enough] = self.errors(integrals[:, enough])
        return errors

    def changes(self, integrals: NDArray[np.float64]) -> NDArray[np.int64]:
        """Lower bounds on the numbers of changes of indicators with these integrals.

        An indicator that holds for part of a batch changes in it at least once. Between two batches in which it is
        constant, the number of changes is even if and only if both have the same value.
        """
        times = self.times.reshape(-1, *[1] * (integrals.ndim - 1))
        held, rest = integrals > SHARE_ROUNDING * times, times - integrals > SHARE_ROUNDING * times
        mixed = held & rest
        least = mixed.sum(axis=0)
        few = least < LEAST_CHANGES  # for the others the bound is large enough
        mixed, whole, held = mixed[:, few], held[:, few] != rest[:, few], held[:, few]
        parity = held ^ np.logical_xor.accumulate(mixed, axis=0)
        rows = np.arange(len(times))[:, None]
        before = np.maximum.accumulate(np.where(whole, rows, -1), axis=0)[:-1]  # the last constant batch
        known = whole[1:] & (before >= self.chains[self._chain[1:]][:, None])
        odd = parity[1:] != np.take_along_axis(parity, np.maximum(before, 0), axis=0)
        least[few] += (known & odd).sum(axis=0)
        return np.asarray(least)

    def variances(self, integrals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The variances of Σ I / Σ T within chains (from batches) and between chains; the latter is 0 for one chain."""
        shape = (-1, *[1] * (integrals.ndim - 1))
        times = self.times.reshape(shape)
        own = integrals - times * self.by_chain(integrals)[self._chain]
        within = np.max([self._within(own, starts, shape) for starts in self.levels], axis=0)
        if len(self.chains) < 2:
            return within, np.zeros_like(within)
        common = np.add.reduceat(integrals - times * (integrals.sum(axis=0) / self.total), self.chains, axis=0)
        parts = np.add.reduceat(self.times, self.chains) / self.total
        return within, ((common / self.total) ** 2).sum(axis=0) / _correction((parts**2).sum())

    def disagree(self, integrals: NDArray[np.float64], quantile: float) -> NDArray[np.bool_]:
        """Whether chains differ by more than the variance within them explains, at a standard normal quantile."""
        within, between = self.variances(integrals)
        return np.asarray((between > 0) & (between > within * chance_ratio(quantile, len(self.chains) - 1)))

    def by_chain(self, integrals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of each chain; rows are chains."""
        # relative to a chain in a deep mode, the time of another chain can underflow
        times = np.maximum(np.add.reduceat(self.times, self.chains), LEAST_TIME)
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
        totals = np.maximum(np.bincount(chain, times), LEAST_TIME)
        squares = np.bincount(chain, (times / totals[chain]) ** 2).astype(np.float64)
        sums = np.add.reduceat(residuals, starts, axis=0) / self.total
        return np.asarray((sums**2 / _correction(squares)[chain].reshape(shape)).sum(axis=0))


def _correction(squares: NDArray[np.float64] | np.float64) -> NDArray[np.float64]:
    """The factor for a p that is estimated from the same parts; ``squares`` is the sum of their squared shares."""
    return np.asarray(np.maximum(1 - squares, 1e-3))


def chance_ratio(quantile: float, freedom: int) -> float:
    """The quantile of χ²(k) / k at the level of a standard normal quantile (approximation of Wilson & Hilferty)."""
    spread = 2 / 9 / max(1, freedom)
    return float((1 - spread + quantile * spread**0.5) ** 3)


def draw_errors(
    counts: Sequence[int], values: NDArray[np.float64], weights: NDArray[np.float64], independent: bool = False
) -> NDArray[np.float64]:
    """The Monte Carlo standard errors of weighted means over the draws of all chains; rows are draws.

    NaN if the values changed fewer than LEAST_CHANGES times from one draw to the next.
    """
    starts = np.cumsum([0, *counts])[:-1]
    kept = starts[np.array(counts) > 0]
    moved = values[1:] != values[:-1]
    moved[kept[1:] - 1] = False  # between chains
    sums = values * weights.reshape(-1, *[1] * (values.ndim - 1))
    errors = Batching(weights, kept, independent).errors(sums)
    return np.where(moved.sum(axis=0) < LEAST_CHANGES, np.nan, errors)
