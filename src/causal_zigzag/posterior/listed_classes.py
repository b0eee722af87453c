"""Classes: the classes listed by all chains in one table, with their shares of the time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import decode_class

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_result import ChainResult


def total_times(results: Sequence[ChainResult]) -> tuple[float, float]:
    """The total time of all chains in units of 2**unit; the longest chain has a time near 1."""
    unit = max(math.floor(r.unit + math.log2(r.total)) for r in results)
    return unit, float(sum(in_unit(np.array(r.total), r, unit) for r in results))


def in_unit(times: NDArray[np.float64], result: ChainResult, unit: float) -> NDArray[np.float64]:
    """Times of a chain in units of 2**unit; those below the smallest positive number become zero."""
    power = int(np.clip(result.unit - unit, -4000, 4000))
    return np.ldexp(times, power)


@dataclass(frozen=True, eq=False)
class Classes:
    """The listed classes, by descending share of the time; ``chain`` and ``record`` locate them in the results."""

    hashes: NDArray[np.uint64]
    shares: NDArray[np.float64]
    chain: NDArray[np.int64]
    record: NDArray[np.int64]
    unlisted: float

    def __len__(self) -> int:
        return len(self.hashes)

    def find(self, name: tuple[int, int]) -> int | None:
        """The row of the class with this hash, None if it is not listed."""
        rows = np.flatnonzero((self.hashes[:, 0] == name[0]) & (self.hashes[:, 1] == name[1]))
        return int(rows[0]) if len(rows) else None


def merge(results: Sequence[ChainResult]) -> Classes:
    """The table of all chains together: the share of a class is its time in all chains divided by their total time."""
    unit, total = total_times(results)
    unlisted = sum(in_unit(np.array(r.unlisted), r, unit) for r in results) / total
    hashes = np.concatenate([r.hashes for r in results])
    times = np.concatenate([in_unit(r.times, r, unit) for r in results])
    chain = np.concatenate([np.full(len(r.hashes), i) for i, r in enumerate(results)])
    record = np.concatenate([np.arange(len(r.hashes)) for r in results])

    order = np.lexsort((chain, hashes[:, 1], hashes[:, 0]))
    hashes = hashes[order]
    first = np.flatnonzero(np.r_[True, (hashes[1:] != hashes[:-1]).any(axis=1)])
    shares = np.add.reduceat(times[order], first) / total
    ranked = np.lexsort((hashes[first, 1], hashes[first, 0], -shares))
    kept = order[first[ranked]]
    return Classes(hashes[first[ranked]], shares[ranked], chain[kept], record[kept], float(unlisted))


def decode(result: ChainResult, record: int, n: int) -> NDArray[np.uint8]:
    """The matrix of one listed class of a chain."""
    return decode_class(n, result.origin, result.begin, result.deltas, record)
