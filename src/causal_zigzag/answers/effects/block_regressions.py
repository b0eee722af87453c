"""Regressions of the columns of an outcome on those of a cause and its parents: straight lines, or curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import show

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.scores.base import Score
    from causal_zigzag.scores.curves.curve_table import CurveTable
    from causal_zigzag.scores.regression import BlockMoments

GRID_POINTS = 41  # of a curve
TAIL = 0.01  # of the column on each side of the points of a curve
LEAST_CHOICE = 1e-4  # of the probability of a choice of curves and variances


class BlockRegressions(NamedTuple):
    """Regressions of the columns of y on those of x, for the sets of parents of x below which y is.

    With ``estimates`` B (columns of x by columns of y), ``inverses`` C and ``residuals`` R, the coefficient c'Bg of a
    change c of x in the combination g of y has the squared scale c'Cc g'Rg / v, with v degrees of ``freedom``. The mean
    of g'y has the variance g'Vg, with V in ``offsets``. ``rows`` are those of the sets in the table of all; a set has
    several regressions if they are averaged, with ``shares`` that add up to 1, and ``weights`` are the shares times the
    probabilities of the sets.
    """

    rows: NDArray[np.int64]
    shares: NDArray[np.float64]
    parents: tuple[tuple[Hashable, ...], ...]
    weights: NDArray[np.float64]
    estimates: NDArray[np.float64]
    inverses: NDArray[np.float64]
    residuals: NDArray[np.float64]
    freedom: NDArray[np.float64]
    offsets: NDArray[np.float64]

    def means(self, c: NDArray[np.float64], g: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.einsum("i,rij,j->r", c, self.estimates, g))

    def scales(self, c: NDArray[np.float64], g: NDArray[np.float64]) -> NDArray[np.float64]:
        squares = np.einsum("i,rij,j->r", c, self.inverses, c) * np.einsum("i,rij,j->r", g, self.residuals, g)
        return np.asarray(np.sqrt(np.maximum(squares, 0) / self.freedom))


class CauseCurve(NamedTuple):
    """The functions ``at`` of a number on which others depend, their mean ``slope``, and its ordered cells.

    The mean slope of a curve is that of the straight line closest to it in the rows of the table: a weighted mean of
    its slopes (Yitzhaki 1996), and for a normal column their mean.
    """

    at: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    slope: NDArray[np.float64]
    cells: NDArray[np.float64]

    def grid(self) -> NDArray[np.float64]:
        """Even points over the middle 98 % of the column."""
        low, high = np.quantile(self.cells, [TAIL, 1 - TAIL]).tolist()
        return np.linspace(low, high, GRID_POINTS)


class Blocks(Protocol):
    """What effects of numbers and levels are computed from."""

    @property
    def levels(self) -> Sequence[tuple[Hashable, ...]]: ...
    @property
    def n_rows(self) -> float: ...
    @property
    def note(self) -> str: ...

    def mean(self, v: int) -> NDArray[np.float64]:
        """The mean of a number, or the shares of its levels but the first."""

    def deviation(self, v: int) -> float:
        """The standard deviation of a number; 1 for levels."""

    def pairs(self, x: int, y: int) -> NDArray[np.float64]:
        """The shares of rows by level of x and level of y."""

    def cause_curve(self, x: int) -> CauseCurve | None:
        """The functions of a number on which others depend; None if they are straight lines, or x has levels."""

    def regressions(self, table: ParentSetTable, rows: NDArray[np.int64], x: int, y: int) -> BlockRegressions:
        """The regressions of y on x for these sets of parents of x."""


def blocks_of(score: Score) -> Blocks | None:
    """The regressions of a score of mixed tables or of curves; None for another."""
    moments, curves = score.block_moments(), score.curve_table()
    return LinearBlocks(moments) if moments is not None else None if curves is None else CurveBlocks(curves)


class LinearBlocks:
    """Regressions on numbers and indicators of levels, from their moments."""

    def __init__(self, known: BlockMoments) -> None:
        self.levels, self.n_rows, self.note = known.levels, known.n_samples, ""
        self._moments, self._begin = known.moments, known.begin
        self._places = [np.arange(a, b) for a, b in zip(known.begin[:-1], known.begin[1:], strict=True)]

    def mean(self, v: int) -> NDArray[np.float64]:
        return np.asarray(self._moments.mean[self._places[v]])

    def deviation(self, v: int) -> float:
        if self.levels[v]:
            return 1.0
        share = self._moments.scatter / self.n_rows
        return float(np.exp(self._moments.log_deviation[self._begin[v]]) * np.sqrt(share))

    def pairs(self, x: int, y: int) -> NDArray[np.float64]:
        moments, own, ends = self._moments, self._places[x], self._places[y]
        unit = np.exp(moments.log_deviation)
        covariance = moments.matrix[np.ix_(own, ends)] * np.outer(unit[own], unit[ends]) * moments.scatter
        inner = covariance / self.n_rows + np.outer(self.mean(x), self.mean(y))  # of all levels but the first ones
        by_x = np.column_stack([self.mean(x) - inner.sum(axis=1), inner])
        found = np.vstack([np.append(1 - self.mean(y).sum(), self.mean(y)) - by_x.sum(axis=0), by_x])
        return np.asarray(np.maximum(found, 0))

    def cause_curve(self, x: int) -> None:  # noqa: ARG002
        return None

    def regressions(self, table: ParentSetTable, rows: NDArray[np.int64], x: int, y: int) -> BlockRegressions:
        moments, places, ends = self._moments, self._places, self._places[y]
        own, M, unit = len(places[x]), moments.matrix, np.exp(moments.log_deviation)
        made = []
        for row in rows.tolist():
            S = np.concatenate([places[v] for v in (x, *table.parent_numbers(row))])
            free = moments.freedom + moments.freedom_per_parent * (len(S) - 1)
            if free <= 0:
                raise ScoreError(
                    f"the rows are too few for effects of {show(table.nodes[x])}, which has {len(S) - own} columns of "
                    "parents in one of the classes; use score='mixed-bge', or sample with a smaller max_degree"
                )
            solved = np.linalg.solve(M[np.ix_(S, S)], np.column_stack([M[np.ix_(S, ends)], np.eye(len(S))[:, :own]]))
            B, C = solved[:own, : len(ends)], solved[:own, len(ends) :]
            R = M[np.ix_(ends, ends)] - M[np.ix_(ends, S)] @ solved[:, : len(ends)]
            made.append(
                (
                    row,
                    1.0,
                    B * unit[ends] / unit[places[x]][:, None],
                    C / np.outer(unit[places[x]], unit[places[x]]),
                    R * np.outer(unit[ends], unit[ends]),
                    free,
                    np.zeros((len(ends), len(ends))),
                )
            )
        return _collected(table, y, made, own, len(ends))


class CurveBlocks:
    """Regressions on curves of numbers and on indicators of levels, averaged over the choices of the score."""

    def __init__(self, known: CurveTable) -> None:
        self.levels, self.n_rows, self.note, self._known = known.levels, known.n_rows, known.note, known

    def mean(self, v: int) -> NDArray[np.float64]:
        return np.asarray(self._known.outcome(v).mean(axis=0))

    def deviation(self, v: int) -> float:
        return 1.0 if self.levels[v] else float(self._known.values[:, v].std())

    def pairs(self, x: int, y: int) -> NDArray[np.float64]:
        found = np.zeros((len(self.levels[x]), len(self.levels[y])))
        np.add.at(found, tuple(self._known.values[:, [x, y]].T.astype(np.intp)), 1 / self.n_rows)
        return found

    def cause_curve(self, x: int) -> CauseCurve | None:
        if self.levels[x]:
            return None
        cells = self._known.values[:, x]
        centred = cells - cells.mean()
        return CauseCurve(self._known.at[x], self._known.features[x].T @ centred / (centred @ centred), np.sort(cells))

    def regressions(self, table: ParentSetTable, rows: NDArray[np.int64], x: int, y: int) -> BlockRegressions:
        known, d = self._known, self._known.outcome(y).shape[1]
        steps = self._steps(x)
        made = []
        for row in rows.tolist():
            parents = table.parent_numbers(row)
            found = [known.regression(y, (x, *parents), choice) for choice in known.choices]
            logs = np.array([one.log_evidence for one in found])
            shares = np.exp(logs - logs.max())
            shares[shares < LEAST_CHOICE * shares.sum()] = 0.0
            for share, one, choice in zip(shares / shares.sum(), found, known.choices, strict=True):
                if share == 0:
                    continue
                own = len(choice.features[x])
                map_x = steps[:, choice.features[x]]
                others = [known.begin[p] + choice.features[p] for p in parents]
                S = np.concatenate([np.zeros(0, dtype=np.intp), *others])
                B_S = one.estimates[own:]
                spread = B_S.T @ known.products[np.ix_(S, S)] @ B_S / self.n_rows  # of the part of the parents
                made.append(
                    (
                        row,
                        float(share),
                        map_x @ one.estimates[:own],
                        map_x @ one.inverse[:own, :own] @ map_x.T,
                        one.residual,
                        one.freedom,
                        (one.residual / one.freedom + spread) / self.n_rows,
                    )
                )
        return _collected(table, y, made, len(steps), d)

    def _steps(self, x: int) -> NDArray[np.float64]:
        """The features of the changes that effects are about: from the first level to each other one, or the features
        themselves if x is a number."""
        if not self.levels[x]:
            return np.eye(self._known.features[x].shape[1])
        points = self._known.at[x](np.arange(len(self.levels[x]), dtype=np.float64))
        return np.asarray(points[1:] - points[0])


def _collected(
    table: ParentSetTable,
    y: int,
    made: Sequence[
        tuple[int, float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float, NDArray[np.float64]]
    ],
    own: int,
    ends: int,
) -> BlockRegressions:
    rows, shares, estimates, inverses, residuals, freedom, offsets = zip(*made, strict=True) if made else [()] * 7
    numbers, parts = np.array(rows, dtype=np.int64), np.array(shares, dtype=np.float64)
    return BlockRegressions(
        numbers,
        parts,
        tuple(table.parents(row) for row in rows),
        np.ascontiguousarray(table.below[numbers, y] * parts),
        np.array(estimates).reshape(len(rows), own, ends),
        np.array(inverses).reshape(len(rows), own, own),
        np.array(residuals).reshape(len(rows), ends, ends),
        np.array(freedom, dtype=np.float64),
        np.array(offsets).reshape(len(rows), ends, ends),
    )
