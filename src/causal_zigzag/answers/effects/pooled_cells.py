"""Effects of categories in tables with missing cells: P(y | do(x)) as a mixture over completed tables.

As in ``pooled``, for parents of the cause and an outcome below it, the completed tables count whose classes have such
members; where there are none, all tables do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.answers.effects.discrete_cells import Cells, CodedRows, Moments
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.weighted_classes import Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.completions import Completions

MOST_TABLES = 20  # completed tables of one mixture


class PooledCells(NamedTuple):
    """A mixture of the cells of several completed tables; the weights add up to 1."""

    parts: list[Cells]
    weights: NDArray[np.float64]

    def moments(self) -> Moments:
        """The exact mean and covariance: the mean covariance plus the covariance of the means."""
        own = [part.moments() for part in self.parts]
        means = np.array([one.mean for one in own])
        mean = np.tensordot(self.weights, means, 1)
        left = means - mean
        between = np.einsum("k,kab,kcb->acb", self.weights, left, left)
        return Moments(mean, np.tensordot(self.weights, np.array([one.covariance for one in own]), 1) + between)

    def draw(self, rng: np.random.Generator, size: int, levels: Sequence[int], outcome: int) -> NDArray[np.float64]:
        """Draws, with each table in proportion to its weight."""
        counts = np.diff(np.round(np.append(0.0, np.cumsum(self.weights)) * size).astype(np.int64))
        parts = zip(self.parts, counts.tolist(), strict=True)
        return np.concatenate([part.draw(rng, count, levels, outcome) for part, count in parts])


class PooledRows:
    """The rows of completed tables, counted for any adjustment set, in the place of ``CodedRows``."""

    def __init__(self, tables: Completions, causes: Sequence[int]) -> None:
        self._tables, self._causes = tables, causes
        self._rows: dict[int, CodedRows] = {}
        self.levels = self._of(0).levels

    def configurations(self, adjustment: Sequence[int]) -> tuple[int, ...]:
        """The adjustment set, whose configurations each table numbers by itself."""
        return tuple(adjustment)

    def cells(self, x: int, configurations: tuple[int, ...], y: int) -> PooledCells:
        """The cells of x, y and an adjustment set."""
        below = {k: share[y] for k, share in self._below.get((x, configurations), {}).items() if share[y] > 0}
        some = self._some(below or dict(enumerate(self._tables.weights.tolist())))
        rows = [self._of(k) for k in some]
        parts = [own.cells(x, own.configurations(configurations), y) for own in rows]
        weights = np.array([*some.values()])
        return PooledCells(parts, weights / weights.sum())

    def marginal(self, y: int) -> PooledCells:
        """The cells of P(y)."""
        some = self._some(dict(enumerate(self._tables.weights.tolist())))
        weights = np.array([*some.values()])
        return PooledCells([self._of(k).marginal(y) for k in some], weights / weights.sum())

    def _of(self, k: int) -> CodedRows:
        if k not in self._rows:
            given = self._tables.completed(k).categorical_rows()
            assert given is not None
            self._rows[k] = CodedRows(given)
        return self._rows[k]

    @staticmethod
    def _some(weights: dict[int, float]) -> dict[int, float]:
        """At most some of the tables with these weights, evenly chosen."""
        held = [k for k, weight in weights.items() if weight > 0]
        chosen = np.linspace(0, len(held) - 1, min(MOST_TABLES, len(held))).astype(int)
        return {held[i]: weights[held[i]] for i in chosen.tolist()}

    @cached_property
    def _below(self) -> dict[tuple[int, tuple[int, ...]], dict[int, NDArray[np.float64]]]:
        """For each cause with its parents, the tables whose classes have such members, and their shares of members in
        which each node is below the cause, times the weights of the tables."""
        found: dict[tuple[int, tuple[int, ...]], dict[int, NDArray[np.float64]]] = {}
        for k, weight in enumerate(self._tables.weights.tolist()):
            for own in parent_set_tables([Part(self._tables.only(k), np.ones(1))], self._causes):
                for i in range(len(own)):
                    members = tuple(own.members[own.begin[i] : own.begin[i + 1]].tolist())
                    found.setdefault((int(own.cause[i]), members), {})[k] = weight * own.below[i]
        return found
