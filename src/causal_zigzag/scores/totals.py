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

    def local(pair: tuple[int, bytes]) -> float:
        value = known.get(pair)
        if value is None:
            if len(known) == MOST_KNOWN:
                known.clear()
            bits = np.unpackbits(np.frombuffer(pair[1], dtype=np.uint8), bitorder="little")
            value = known[pair] = score.local_by_number(pair[0], np.flatnonzero(bits).tolist())
        return value

    while batch := [*islice(graphs, AT_ONCE)]:
        rows = dag_parents(n, [g.core for g in batch]).reshape(len(batch), n, width)
        for g, parents in zip(batch, rows.view(f"S{width}")[:, :, 0].tolist(), strict=True):
            yield g, math.fsum(map(local, enumerate(parents)))
