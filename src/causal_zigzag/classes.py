"""The classes that the chains have listed, brought together: one row a class, with its share of the time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from causal_zigzag._core import decode_class
from causal_zigzag.errors import SettingsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.chains import ChainResult

Weights = Literal["expected", "drawn"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)  # in the order of the columns of times


def column_of(weights: Any) -> int:
    """Which of the two times of a class these weights are."""
    if not isinstance(weights, str) or weights not in WEIGHTS:
        raise SettingsError(f"weights must be {' or '.join(map(repr, WEIGHTS))}, not {weights!r}")
    return WEIGHTS.index(weights)


def total_times(results: Sequence[ChainResult]) -> tuple[float, NDArray[np.float64]]:
    """The time (expected, drawn) of all chains in units of 2**unit, in which the longest of them takes about 1."""
    unit = max(math.floor(r.unit + math.log2(max(r.total))) for r in results)
    return unit, np.sum([in_unit(np.array(r.total), r, unit) for r in results], axis=0)


def in_unit(times: NDArray[np.float64], result: ChainResult, unit: float) -> NDArray[np.float64]:
    """Times of a chain in units of 2**unit; what is then below the smallest number is zero."""
    power = int(np.clip(result.unit - unit, -4000, 4000))
    return np.ldexp(times, power)


@dataclass(frozen=True, eq=False)
class Classes:
    """The listed classes by descending expected share of the time: hash, shares (expected, drawn), where it is kept."""

    hashes: NDArray[np.uint64]
    shares: NDArray[np.float64]
    chain: NDArray[np.int64]
    record: NDArray[np.int64]
    unlisted: tuple[float, float]

    def __len__(self) -> int:
        return len(self.hashes)

    def find(self, name: tuple[int, int]) -> int | None:
        """The row of the class with this hash."""
        rows = np.flatnonzero((self.hashes[:, 0] == name[0]) & (self.hashes[:, 1] == name[1]))
        return int(rows[0]) if len(rows) else None


def merge(results: Sequence[ChainResult]) -> Classes:
    """One table of the tables of all chains: the share of a class is its time in all chains over all their time."""
    unit, total = total_times(results)
    unlisted = np.sum([in_unit(np.array(r.unlisted), r, unit) for r in results], axis=0) / total
    hashes = np.concatenate([r.hashes for r in results])
    times = np.concatenate([in_unit(r.times, r, unit) for r in results])
    chain = np.concatenate([np.full(len(r.hashes), i) for i, r in enumerate(results)])
    record = np.concatenate([np.arange(len(r.hashes)) for r in results])

    order = np.lexsort((chain, hashes[:, 1], hashes[:, 0]))
    hashes = hashes[order]
    first = np.flatnonzero(np.r_[True, (hashes[1:] != hashes[:-1]).any(axis=1)])
    shares = np.add.reduceat(times[order], first, axis=0) / total
    ranked = np.lexsort((hashes[first, 1], hashes[first, 0], -shares[:, 0]))
    kept = order[first[ranked]]
    return Classes(
        hashes[first[ranked]], shares[ranked], chain[kept], record[kept], (float(unlisted[0]), float(unlisted[1]))
    )


def decode(result: ChainResult, record: int, n: int) -> NDArray[np.uint8]:
    """The matrix of one listed class of a chain."""
    return decode_class(n, result.origin, result.begin, result.deltas, record)


def drawn_edge_times(result: ChainResult, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The drawn times of i -> j and of i - j (i < j) over the listed classes, n by n.

    Records form a tree of differences. A walk through it spends in each record its time, and books the time of a pair
    only when the pair changes.
    """
    begin, deltas, drawn = result.begin.tolist(), result.deltas.tolist(), result.times[:, 1].tolist()
    children: list[list[int]] = [[] for _ in range(len(drawn) + 1)]  # the last one: of the graph without edges
    for record, origin in enumerate(result.origin.tolist()):
        children[origin].append(record)
    pairs = n * (n - 1) // 2
    mark, since = [0] * pairs, [0.0] * pairs
    held = np.zeros((4, pairs))  # by mark: none, a -> b, b -> a, a - b for a < b
    now = 0.0
    todo = [~record for record in children[-1]] if drawn else []
    while todo:
        record = todo.pop()
        entering = record < 0
        record = ~record if entering else record
        for delta in deltas[begin[record] : begin[record + 1]]:
            pair = delta >> 2
            held[mark[pair], pair] += now - since[pair]
            mark[pair] ^= delta & 3
            since[pair] = now
        if entering:
            now += drawn[record]
            todo.append(record)
            todo.extend(~child for child in children[record])
    b, a = np.tril_indices(n, -1)  # the core numbers the pairs a < b by b, then a
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    directed[a, b], directed[b, a], undirected[a, b] = held[1], held[2], held[3]
    return directed, undirected
