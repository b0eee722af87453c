"""Responses of linear models of numbers and indicators of levels, from their moments."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import ScoreError, SettingsError
from causal_zigzag.graphs.labels import show
from causal_zigzag.scores.regression import BlockMoments
from causal_zigzag.scores.responses.response import Terms
from causal_zigzag.scores.responses.student import (
    StudentModel,
    StudentResponses,
    mean_of_rows,
    share_by_number,
    two_shares,
)
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.regression import RegressionMoments
    from causal_zigzag.scores.responses.student import Correction

LEAST_SHARE = 1e-15  # of a variance that may be left after rounding
NUMBERS_AT_ONCE = 1 << 20  # of the matrices of the regressions that are solved at once
SHOWN = np.linspace(-2.4, 2.4, 101)  # standard deviations of a number over which a line is shown


class LinearModel(StudentModel):
    """Regressions on numbers and indicators of levels."""

    def __init__(self, nodes: Sequence[Hashable], known: BlockMoments) -> None:
        self.nodes, self.levels = tuple(nodes), known.levels
        self.moments, self._begin, self._powers = known.moments, known.begin, known.powers
        self._rows = known.n_samples
        self._places = [np.arange(a, b) for a, b in zip(known.begin[:-1], known.begin[1:], strict=True)]

    @classmethod
    def of_numbers(cls, nodes: Sequence[Hashable], moments: RegressionMoments) -> LinearModel:
        """The model of a Gaussian score."""
        n = len(nodes)
        return cls(nodes, BlockMoments(tuple(range(n + 1)), ((),) * n, moments.mean_weight, moments))

    def column(self, v: int) -> int:
        """The first column of a node."""
        return self._begin[v]

    @property
    def has_levels(self) -> bool:
        """Whether any column has levels."""
        return any(self.levels)

    def responses(self, x: int, y: int, sets: Sequence[Sequence[int]]) -> StudentResponses:
        moments, ends, own = self.moments, self._places[y], self._places[x]
        k, d, count_of_sets = len(own), len(ends), len(sets)
        unit, M = np.exp(moments.log_deviation), moments.matrix
        columns = [np.concatenate([own, *(self._places[v] for v in parents)]) for parents in sets]
        widths = np.array([len(S) for S in columns], dtype=np.int64)
        freedom = moments.freedom + moments.freedom_per_parent * (widths - 1.0)
        if count_of_sets and freedom.min() <= 0:
            raise ScoreError(self.too_few_rows(x, int(widths.max()) - k))
        B, C = np.empty((count_of_sets, k, d)), np.empty((count_of_sets, k, k))
        R, V = np.empty((count_of_sets, d, d)), np.empty((count_of_sets, d, d))
        for width in np.unique(widths):
            places = np.flatnonzero(widths == width)
            step = 1 + NUMBERS_AT_ONCE // int(width) ** 2
            for some in (places[first : first + step] for first in range(0, len(places), step)):
                S = np.array([columns[i] for i in some])
                A, E = M[S[:, :, None], S[:, None, :]], M[S[:, :, None], ends[None, None, :]]
                right = np.concatenate([E, np.broadcast_to(np.eye(int(width))[:, :k], (len(some), int(width), k))], 2)
                solved = np.linalg.solve(A, right)
                coefficients, left = solved[:, :, :d], M[np.ix_(ends, ends)] - E.transpose(0, 2, 1) @ solved[:, :, :d]
                diagonal = np.arange(d)
                left[:, diagonal, diagonal] = np.maximum(
                    left[:, diagonal, diagonal], LEAST_SHARE * M[ends, ends][None, :]
                )
                B[some], C[some], R[some] = coefficients[:, :k], solved[:, :k, d:], left
                others = coefficients[:, k:]
                V[some] = others.transpose(0, 2, 1) @ A[:, k:, k:] @ others  # what the parents explain
        V = np.asarray(
            moments.scatter * (V / max(self._rows, 1) + R / freedom[:, None, None]) / max(moments.mean_weight, 1)
        )
        return StudentResponses(
            np.arange(count_of_sets),
            np.ones(count_of_sets),
            B * unit[ends] / unit[own][:, None],
            C / np.outer(unit[own], unit[own]),
            R * np.outer(unit[ends], unit[ends]),
            np.asarray(freedom, dtype=np.float64),
            np.asarray(V * np.outer(unit[ends], unit[ends])),
            self._mean(y),
            self._mean(x),
            True,
            self._correction(x, y) if self.levels[y] else None,
        )

    def alone(self, y: int, g: NDArray[np.float64]) -> Terms:
        mean = float(self._mean(y) @ g) + float((g < 0).any())
        deviation = np.sqrt(max(mean * (1 - mean), 0.0)) if self.levels[y] else self.deviation(y)
        return mean_of_rows(mean, float(deviation), max(self._rows, 2))

    def vectors(self, x: int, values: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG002
        return values[:, None]

    def cells(self, x: int) -> NDArray[np.float64]:
        if not len(self.moments.mean):
            fault = f"the means of the columns are not known, so the mean of {show(self.nodes[x])} is not either"
            raise SettingsError(f"{fault}; make the score from data, not from a covariance matrix")
        return np.asarray(self._mean(x)[0] + SHOWN * self.deviation(x))

    def deviation(self, v: int) -> float:
        if self.levels[v]:
            return 1.0
        share = self.moments.scatter / max(self._rows, 1)
        return float(np.exp(self.moments.log_deviation[self._begin[v]]) * np.sqrt(share))

    def _mean(self, v: int) -> NDArray[np.float64]:
        known = self.moments.mean
        return known[self._places[v]] if len(known) else np.zeros(len(self._places[v]))

    def _correction(self, x: int, y: int) -> Correction | None:
        if self.levels[x]:
            return partial(two_shares, self._pairs(x, y))
        if self._powers is None:
            return None
        number = sum(not own for own in self.levels[:x])
        first = 1 + sum(len(own) - 1 for own in self.levels[:y] if own)
        entries = [0, *range(first, first + len(self.levels[y]) - 1)]
        return partial(share_by_number, self._powers[:, number, entries])

    def _pairs(self, x: int, y: int) -> NDArray[np.float64]:
        """The number of rows by level of x and level of y."""
        moments, own, ends = self.moments, self._places[x], self._places[y]
        unit = np.exp(moments.log_deviation)
        covariance = moments.matrix[np.ix_(own, ends)] * np.outer(unit[own], unit[ends]) * moments.scatter
        inner = covariance / self._rows + np.outer(self._mean(x), self._mean(y))  # of all levels but the first ones
        by_x = np.column_stack([self._mean(x) - inner.sum(axis=1), inner])
        shares = np.vstack([np.append(1 - self._mean(y).sum(), self._mean(y)) - by_x.sum(axis=0), by_x])
        return np.asarray(np.maximum(shares, 0) * self._rows)

    def too_few_rows(self, x: int, width: int) -> str:
        """That regressions on x and this number of columns have too few rows."""
        rows = round(self.moments.freedom) + 2
        return (
            f"{count(rows, 'row')} are too few for effects: {show(self.nodes[x])} is adjusted for "
            f"{count(width, 'column')} in one of the classes, and a regression on these needs at least {width + 3} "
            f"rows; use score='bge' or 'mixed-bge', or sample with a stronger edge_prior"
        )
