"""Small incomplete tables, their completions, and scores of the core as scores of the package."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag import _core as core
from causal_zigzag.scores.bge import NormalWishart


class OfCore(cz.Score):
    """A score of the core."""

    def __init__(self, made: core.Score) -> None:
        super().__init__(made.n)
        self.made = made

    def local(self, node: int, parents: tuple[int, ...]) -> float:  # type: ignore[override]
        return self.made.local(node, [*parents])

    def core_score(self) -> core.Score:
        return self.made


def seed_words(seed: int) -> NDArray[np.uint64]:
    return np.random.SeedSequence(seed).generate_state(4, np.uint64)


def parents_of(g: cz.CPDAG) -> list[list[int]]:
    return [np.flatnonzero(column).tolist() for column in g.dag().T]


@dataclass(frozen=True)
class Levels:
    """A table of categorical columns, one row of ``codes`` per row, with holes (row, column)."""

    codes: NDArray[np.int64]
    levels: tuple[int, ...]
    holes: tuple[tuple[int, int], ...]
    sample_size: float = 1.0

    def table(self, seed: int = 0) -> core.CompletedTable:
        codes = np.ascontiguousarray(self.codes.T, dtype=np.uint16)
        return core.discrete_table([*self.levels], codes, _array(self.holes), self.sample_size, seed_words(seed))

    def completions(self) -> Iterator[tuple[int, ...]]:
        return itertools.product(*(range(self.levels[v]) for _, v in self.holes))

    def completed(self, cells: tuple[int, ...]) -> NDArray[np.int64]:
        codes = self.codes.copy()
        for hole, level in zip(self.holes, cells, strict=True):
            codes[hole] = level
        return codes

    def log_set_function(self, codes: NDArray[np.int64], nodes: tuple[int, ...]) -> float:
        """F(S) of BDeu, so that s(y, P) = F(P + y) - F(P): the Dirichlet-multinomial probability of the columns S."""
        cells = math.prod(self.levels[v] for v in nodes)
        _, counts = np.unique(codes[:, list(nodes)], axis=0, return_counts=True)
        whole, part = self.sample_size, self.sample_size / cells
        logs = [math.lgamma(part + m) - math.lgamma(part) for m in counts]
        return math.lgamma(whole) - math.lgamma(whole + len(codes)) + sum(logs)

    def log_likelihood(self, codes: NDArray[np.int64], g: cz.CPDAG) -> float:
        """The marginal likelihood of the completed table, up to a constant."""
        families = enumerate(parents_of(g))
        return sum(
            self.log_set_function(codes, (*parents, y))
            - (self.log_set_function(codes, tuple(parents)) if parents else 0)
            for y, parents in families
        )


@dataclass(frozen=True)
class Numbers:
    """A table of numbers with holes (row, column), and the prior of BGe."""

    x: NDArray[np.float64]
    holes: tuple[tuple[int, int], ...]
    alpha_mu: float = 1.0

    @property
    def n(self) -> int:
        return self.x.shape[1]

    @property
    def alpha_w(self) -> float:
        return self.n + 2.0

    @property
    def t(self) -> float:
        return self.alpha_mu * (self.alpha_w - self.n - 1) / (self.alpha_mu + 1)

    @cached_property
    def mask(self) -> NDArray[np.bool_]:
        mask = np.zeros(self.x.shape, dtype=bool)
        for hole in self.holes:
            mask[hole] = True
        return mask

    def table(self, seed: int = 0) -> core.CompletedTable:
        prior = (self.alpha_mu, self.alpha_w, self.t)
        values, points = np.ascontiguousarray(self.x), [[]] * self.n
        begin = [*range(self.n + 1)]
        return core.embedded_table(begin, values, points, _array(self.holes), *prior, seed_words(seed))


def _array(holes: tuple[tuple[int, int], ...]) -> NDArray[np.int64]:
    return np.array(holes, dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True)
class Mixed:
    """Two categorical columns, of three and two levels, and a column of numbers; codes are among the values."""

    x: NDArray[np.float64]
    holes: tuple[tuple[int, int], ...]
    points: tuple[NDArray[np.float64], ...] = (
        np.array([[1.1, 0.2], [-0.5, 0.9], [-0.7, -1.3]]),
        np.array([[-0.6], [1.4]]),
    )

    @property
    def embedded(self) -> NDArray[np.float64]:
        codes = self.x[:, :2].astype(int)
        return np.column_stack([self.points[0][codes[:, 0]], self.points[1][codes[:, 1]], self.x[:, 2]])

    def table(self, seed: int = 0) -> core.CompletedTable:
        prior = NormalWishart(4, 1.0, 6.0)
        points = [*(own.ravel().tolist() for own in self.points), []]
        return core.embedded_table(
            [0, 2, 3, 4], self.x, points, _array(self.holes), *prior[1:], prior.scale, seed_words(seed)
        )

    def completions(self, grid: NDArray[np.float64]) -> Iterator[tuple[float, ...]]:
        return itertools.product(*(range(3) if v == 0 else range(2) if v == 1 else grid for _, v in self.holes))

    def log_share(self, cells: tuple[float, ...], v: int) -> float:
        """The Dirichlet-multinomial probability of the levels of a column."""
        codes = self.x[:, v].copy()
        for (row, column), cell in zip(self.holes, cells, strict=True):
            if column == v:
                codes[row] = cell
        levels = len(self.points[v])
        counts = np.bincount(codes.astype(int), minlength=levels)
        return sum(math.lgamma(m + 1 / levels) for m in counts)
