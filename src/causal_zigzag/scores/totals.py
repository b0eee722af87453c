"""The totals of many classes; a local score that several classes share is computed once."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import dag_parents
from causal_zigzag.scores.base import Score

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from causal_zigzag.graphs.cpdag import CPDAG

AT_ONCE = 1 << 8  # classes per batch
MOST_KNOWN = 1 << 18  # local scores


def class_totals(score: Score, graphs: Iterable[CPDAG]) -> Iterator[tuple[CPDAG, float]]:
    """Each class with its total; the nodes of the classes are those of the score in the same order.

    The iterator is lazy: local scores of a class are computed when the iterator reaches it.
    """
    if score.is_flat:
        return ((g, 0.0) for g in graphs)
    if type(score).total is not Score.total:
        return ((g, score.total(g)) for g in graphs)
    return _sums_of_locals(score, graphs)


def _sums_of_locals(score: Score, graphs: Iterable[CPDAG]) -> Iterator[tuple[CPDAG, float]]:
    n, graphs = len(score.nodes), iter(graphs)
    width = max(1, (n + 7) // 8)
    known: dict[tuple[int, bytes], float] = {}
    values = [0.0] * n
    while batch := [*islice(graphs, AT_ONCE)]:
        rows = dag_parents(n, [g.core for g in batch]).reshape(len(batch), n, width)
        keys = rows.view(f"S{width}")[:, :, 0]  # numpy strips trailing zero bytes, which does not matter for keys
        changed = np.ones(keys.shape, dtype=np.bool_)
        changed[1:] = keys[1:] != keys[:-1]
        which, nodes = np.nonzero(changed)
        begin = np.searchsorted(which, np.arange(len(batch) + 1)).tolist()
        pairs = [*zip(nodes.tolist(), keys[changed].tolist(), strict=True)]
        for i, g in enumerate(batch):
            for pair in pairs[begin[i] : begin[i + 1]]:
                value = known.get(pair)
                if value is None:
                    if len(known) == MOST_KNOWN:
                        known.clear()
                    value = known[pair] = score.local_by_number(pair[0], _numbers(pair[1]))
                values[pair[0]] = value
            yield g, math.fsum(values)


def _numbers(bits: bytes) -> list[int]:
    found, rest = [], int.from_bytes(bits, "little")
    while rest:
        last = rest.bit_length() - 1
        found.append(last)
        rest ^= 1 << last
    return found[::-1]
