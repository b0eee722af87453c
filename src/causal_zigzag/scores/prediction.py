"""Predictions of held-out rows: the density of each node given its parents, from the rows of a score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show
from causal_zigzag.tables.raw_columns import Raw, raw_columns
from causal_zigzag.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.scores.discrete import CategoricalRows
    from causal_zigzag.scores.regression import BlockMoments, RegressionMoments


class Prediction(Protocol):
    """Held-out rows, and their density node by node."""

    n_rows: int

    def log_density(self, y: int, parents: NDArray[np.intp]) -> NDArray[np.float64]:
        """The log density of node y in every held-out row, given its parents in the same row."""


class BlockPrediction:
    """Densities of rows with numbers and categories, from a Gaussian model of numbers and indicators of levels.

    A number has the Student t density of its regression on the columns of its parents; for BGe that is the ratio of
    the marginal likelihoods with and without the row. The Gaussian density of an
    indicator is no probability; a level k has the probability share_k t(parents | k) / sum_j share_j t(parents | j)
    instead, with t the density of the columns of the parents given the indicators, by the same model, and the shares
    of the levels in their column, with a Dirichlet prior of one row. So every factor adds up to 1 over the values of
    its node, and the product over a DAG is a density of the row.
    """

    def __init__(self, nodes: Sequence[Hashable], known: BlockMoments, data: Any) -> None:
        self._nodes, self._known = nodes, known
        moments, places = known.moments, np.split(np.arange(known.begin[-1]), known.begin[1:-1])
        self._places = places
        cells = cells_of(nodes, known.levels, data)
        columns = np.zeros((len(cells[0]), known.begin[-1]))
        for levels, place, column in zip(known.levels, places, cells, strict=True):
            columns[:, place] = column[:, None] == np.arange(1, len(levels)) if levels else column[:, None]
        self._z = (columns - moments.mean) / np.exp(moments.log_deviation)
        self.n_rows = len(columns)

    def log_density(self, y: int, parents: NDArray[np.intp]) -> NDArray[np.float64]:
        moments, own, levels = self._known.moments, self._places[y], self._known.levels[y]
        given = np.concatenate([self._places[p] for p in parents]) if len(parents) else np.zeros(0, dtype=np.intp)
        if not levels:
            return _log_student(moments, self._z, own, given, self._nodes[y])
        counts = np.append(1 - moments.mean[own].sum(), moments.mean[own]) * self._known.n_samples
        log_shares = np.log((counts + 1 / len(levels)) / (self._known.n_samples + 1))
        here = np.append(np.zeros((1, len(own))), np.eye(len(own)), axis=0)  # the indicators of each level
        coded = (here - moments.mean[own]) / np.exp(moments.log_deviation[own])
        observed = np.abs(self._z[:, None, own] - coded).sum(axis=2).argmin(axis=1)
        logs = np.tile(log_shares, (self.n_rows, 1))
        if len(given):
            z = self._z.copy()
            for k in range(len(levels)):
                z[:, own] = coded[k]
                logs[:, k] += _log_student(moments, z, given, own, self._nodes[y])
        top = logs.max(axis=1)
        total = top + np.log(np.exp(logs - top[:, None]).sum(axis=1))
        found: NDArray[np.float64] = logs[np.arange(self.n_rows), observed] - total
        return found


def _log_student(
    moments: RegressionMoments, z: NDArray[np.float64], own: NDArray[np.intp], given: NDArray[np.intp], node: Hashable
) -> NDArray[np.float64]:
    """The log density of the columns ``own`` of each row, given other columns of the row.

    With M the matrix of ``RegressionMoments``, f = ``scatter``, w = ``mean_weight`` and z the rows, centered and
    divided by the deviations, this is a Student t density with mean z_P B, B = M_PP^-1 M_Py, v degrees of freedom, and
    the squared scale f (M_yy - M_yP B) (1 + 1/w + z_P' M_PP^-1 z_P / f) / v.
    """
    width = len(own)
    freedom = moments.freedom + moments.freedom_per_parent * (len(given) - 1)
    freedom += min(moments.freedom_per_parent, 0) * (width - 1)
    if freedom <= 0:
        raise DataError(
            f"column {show(node)} has {len(given)} columns of parents in a drawn graph, too many for a prediction "
            "from the rows of fit; give more rows, or a max_degree"
        )
    M, known = moments.matrix, z[:, given]
    slopes = np.linalg.solve(M[np.ix_(given, given)], M[np.ix_(given, own)])
    leverage = np.einsum("ij,ij->i", known, np.linalg.solve(M[np.ix_(given, given)], known.T).T)
    spread = 1 + 1 / moments.mean_weight + leverage / moments.scatter
    L = np.linalg.cholesky(moments.scatter * (M[np.ix_(own, own)] - M[np.ix_(own, given)] @ slopes))
    distance = (np.linalg.solve(L, (z[:, own] - known @ slopes).T) ** 2).sum(axis=0) / spread
    constant = math.lgamma((freedom + width) / 2) - math.lgamma(freedom / 2) - width / 2 * math.log(math.pi)
    constant -= float(np.log(np.diag(L)).sum() + moments.log_deviation[own].sum())
    density: NDArray[np.float64] = constant - width / 2 * np.log(spread) - (freedom + width) / 2 * np.log1p(distance)
    return density


class CategoricalPrediction:
    """Dirichlet predictions: (N_jb + a / (q r)) / (N_j + a / q), in the notation of ``BDeu``."""

    def __init__(self, nodes: Sequence[Hashable], known: CategoricalRows, data: Any) -> None:
        self._levels = [len(levels) for levels in known.levels]
        self._codes = known.codes.astype(np.int64)
        self._weights = known.weights if len(known.weights) else np.ones(known.codes.shape[1])
        self._size = 1.0 if known.sample_size is None else known.sample_size
        self._rows = np.array(cells_of(nodes, known.levels, data))
        self.n_rows = self._rows.shape[1]

    def log_density(self, y: int, parents: NDArray[np.intp]) -> NDArray[np.float64]:
        levels = self._levels[y]
        configurations = math.prod(self._levels[p] for p in parents)
        seen, asked = self._configuration(self._codes, parents), self._configuration(self._rows, parents)
        # Only configurations that are asked for are counted, since there may be very many.
        asked_for, place = np.unique(asked, return_inverse=True)
        found = np.searchsorted(asked_for, seen)
        known = found < len(asked_for)
        known[known] = asked_for[found[known]] == seen[known]
        counts = np.zeros((len(asked_for), levels))
        np.add.at(counts, (found[known], self._codes[y][known]), self._weights[known])
        counts += self._size / (configurations * levels)
        shares = counts / counts.sum(axis=1, keepdims=True)
        log_shares: NDArray[np.float64] = np.log(shares[place, self._rows[y]])
        return log_shares

    def _configuration(self, codes: NDArray[np.int64], parents: NDArray[np.intp]) -> NDArray[Any]:
        """A number for the levels of the parents; Python integers if they exceed 64 bits."""
        wide = math.prod(self._levels[p] for p in parents) > 2**62
        number: NDArray[Any] = np.zeros(codes.shape[1], dtype=object if wide else np.int64)
        for p in parents:
            number = number * self._levels[p] + codes[p]
        return number


def cells_of(nodes: Sequence[Hashable], levels: Sequence[Sequence[Hashable]], data: Any) -> list[NDArray[Any]]:
    """The cells of held-out rows by node: numbers, or codes if the node has levels."""
    return [
        _codes(name, own, column) if own else _numbers(name, column)
        for name, own, column in zip(nodes, levels, _columns(nodes, data), strict=True)
    ]


def _columns(nodes: Sequence[Hashable], data: Any) -> list[Raw]:
    """The columns with the names of the nodes; they may be constant, unlike those from which a graph is learned."""
    if isinstance(data, Table):
        found = {
            c.name: Raw(np.array(c.levels, dtype=object)[c.codes] if c.numbers is None else c.numbers)
            for c in data.columns
        }
    else:
        found = dict(raw_columns(data).columns)
    for name in nodes:
        if name not in found:
            raise DataError(f"column {show(name)} is not among the {len(found)} columns of the held-out rows")
    return [found[name] for name in nodes]


def _numbers(name: Hashable, column: Raw) -> NDArray[np.float64]:
    if not (column.is_numeric() and column.is_finite()):
        raise DataError(f"column {show(name)} of the held-out rows has cells that are missing or no finite numbers")
    return column.values.astype(np.float64)


def _codes(name: Hashable, levels: Sequence[object], column: Raw) -> NDArray[np.int64]:
    code_of = {level: code for code, level in enumerate(levels)}
    cells = column.values.tolist()
    unknown = next((cell for cell in cells if cell not in code_of), None)
    if unknown is not None or None in cells:
        raise DataError(
            f"column {show(name)} of the held-out rows contains {unknown!r}, which the rows of fit do not; "
            "its levels are " + ", ".join(repr(level) for level in levels)
        )
    return np.array([code_of[cell] for cell in cells], dtype=np.int64)
