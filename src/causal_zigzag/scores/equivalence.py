"""Tests on random covered edges whether a score gives all DAGs of a class the same total."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.rng import Rng, as_generator

if TYPE_CHECKING:
    from causal_zigzag.scores.base import Score
    from causal_zigzag.scores.cached_values import CachedValues

MOST_PARENTS = 3
TOLERANCE = 1e-8


def check_score_equivalence(score: Score, rng: Rng = 0, edges: int = 24) -> None:
    """Raise a ScoreError if two DAGs of a class have different totals; built-in scores are not tested.

    Any two DAGs of a class are connected by reversals of covered edges: edges ``x -> y`` such that the parents of y are
    x and the parents of x (Chickering 1995). So this draws nodes x and y with common parents and compares both
    directions. If the score implements ``row``, it is compared with ``local``. The values are cached for the run.

    >>> import causal_zigzag as cz
    >>> class Lopsided(cz.Score):
    ...     def local(self, node, parents):
    ...         return -float(len(parents)) if node == "a" else 0.0
    >>> check_score_equivalence(Lopsided(["a", "b"]))
    Traceback (most recent call last):
    causal_zigzag.errors.ScoreError: Lopsided is not score-equivalent: the DAGs a -> b (total 0.0) and b -> a (total \
-1.0) belong to one class
    """
    n = len(score.nodes)
    if score.in_core or n < 2:
        return
    memo = score.cached_values()
    generator = as_generator(rng)
    for _ in range(edges):
        size = int(generator.integers(min(MOST_PARENTS, n - 2) + 1))
        x, y, *common = (int(v) for v in generator.permutation(n)[: 2 + size])
        _compare(score, memo, x, y, sorted(common))
    if memo.has_row:
        for _ in range(edges):
            size = int(generator.integers(min(MOST_PARENTS, n - 1) + 1))
            x, y, *rest = (int(v) for v in generator.permutation(n)[: 2 + size])
            _compare_row(score, memo, x, y, sorted(rest))


def _compare(score: Score, memo: CachedValues, x: int, y: int, common: list[int]) -> None:
    forward = memo.local(x, common), memo.local(y, sorted([*common, x]))
    backward = memo.local(y, common), memo.local(x, sorted([*common, y]))
    if _agree(sum(forward), sum(backward), max(map(abs, forward + backward))):
        return
    others = sum(memo.local(v, []) for v in range(len(score.nodes)) if v not in (x, y))
    both = " and ".join(
        f"{_arrows(score, a, b, common)} (total {sum(pair) + others})"
        for a, b, pair in ((x, y, forward), (y, x, backward))
    )
    raise ScoreError(f"{type(score).__name__} is not score-equivalent: the DAGs {both} belong to one class")


def _compare_row(score: Score, memo: CachedValues, x: int, y: int, parents: list[int]) -> None:
    here, toggled = memo.local(y, parents), memo.local(y, sorted({*parents} ^ {x}))
    row = float(memo.row(y, parents)[x])
    if not _agree(row, toggled - here, max(abs(here), abs(toggled))):
        raise ScoreError(
            f"{memo.call('row', y, parents)} is {row} at {show(score.nodes[x])}, but by local the difference is "
            f"{toggled - here}"
        )


def _agree(a: float, b: float, size: float) -> bool:
    return bool(np.abs(a - b) <= TOLERANCE * (1 + size))


def _arrows(score: Score, x: int, y: int, common: list[int]) -> str:
    names = [show(name) for name in score.nodes]
    pairs = [*((p, v) for p in common for v in (x, y)), (x, y)]
    pairs += [(common[i], common[j]) for j in range(len(common)) for i in range(j)]
    return ", ".join(f"{names[a]} -> {names[b]}" for a, b in pairs)
