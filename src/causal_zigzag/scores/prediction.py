"""Predictions of held-out rows: the density of each node given its parents, from the rows of a score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show
from causal_zigzag.tables.raw_columns import raw_columns

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.scores.categorical_rows import CategoricalRows
    from causal_zigzag.scores.regression import RegressionMoments


class Prediction(Protocol):
    """Held-out rows, and their density node by node."""

    n_rows: int

    def log_density(self, y: int, parents: NDArray[np.intp]) -> NDArray[np.float64]:
        """The log density of node y in every held-out row, given its parents in the same row."""


class GaussianPrediction:
    """Student t densities: with M the matrix of ``RegressionMoments``, f = ``scatter``, w = ``mean_weight`` and z the
    row, centered and divided by the deviations, y has the mean z_P b, b = M_PP^-1 M_Py, v degrees of freedom, and the
    squared scale f (M_yy - M_yP b) (1 + 1/w + z_P' M_PP^-1 z_P / f) / v. For BGe this is the ratio of the marginal
    likelihoods with and without the row.
    """

    def __init__(self, nodes: Sequence[Hashable], moments: RegressionMoments, data: Any) -> None:
        self._nodes, self._moments = nodes, moments
        rows = []
        for name, column in zip(nodes, _columns(nodes, data), strict=True):
            if not (column.is_numeric() and column.is_finite()):
                raise DataError(
                    f"column {show(name)} of the held-out rows has cells that are missing or no finite numbers"
                )
            rows.append(column.values.astype(np.float64))
        self._z = (np.array(rows).T - moments.mean) / np.exp(moments.log_deviation)
        self.n_rows = len(self._z)

    def log_density(self, y: int, parents: NDArray[np.intp]) -> NDArray[np.float64]:
        moments = self._moments
        freedom = moments.freedom + moments.freedom_per_parent * (len(parents) - 1)
        if freedom <= 0:
            raise DataError(
                f"column {show(self._nodes[y])} has {len(parents)} parents in a drawn graph, too many for a prediction "
                "from the rows of fit; give more rows, or a max_degree"
            )
        among, to_y = moments.matrix[np.ix_(parents, parents)], moments.matrix[parents, y]
        slopes = np.linalg.solve(among, to_y)
        z = self._z[:, parents]
        leverage = np.einsum("ij,ij->i", z, np.linalg.solve(among, z.T).T)
        residual = moments.matrix[y, y] - to_y @ slopes
        variance = moments.scatter * residual * (1 + 1 / moments.mean_weight + leverage / moments.scatter) / freedom
        distance = (self._z[:, y] - z @ slopes) ** 2 / variance
        constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(math.pi * freedom) / 2
        density: NDArray[np.float64] = (
            constant
            - moments.log_deviation[y]
            - np.log(variance) / 2
            - (freedom + 1) / 2 * np.log1p(distance / freedom)
        )
        return density


class CategoricalPrediction:
    """Dirichlet predictions: (N_jb + a / (q r)) / (N_j + a / q), in the notation of ``BDeu``."""

    def __init__(self, nodes: Sequence[Hashable], known: CategoricalRows, data: Any) -> None:
        self._levels = [len(levels) for levels in known.levels]
        self._codes = known.codes.astype(np.int64)
        self._weights = known.weights if len(known.weights) else np.ones(known.codes.shape[1])
        self._size = 1.0 if known.sample_size is None else known.sample_size
        rows = []
        for name, levels, column in zip(nodes, known.levels, _columns(nodes, data), strict=True):
            code_of = {level: code for code, level in enumerate(levels)}
            cells = column.values.tolist()
            unknown = next((cell for cell in cells if cell not in code_of), None)
            if unknown is not None or None in cells:
                raise DataError(
                    f"column {show(name)} of the held-out rows contains {unknown!r}, which the rows of fit do not; "
                    "its levels are " + ", ".join(repr(level) for level in levels)
                )
            rows.append([code_of[cell] for cell in cells])
        self._rows = np.array(rows, dtype=np.int64)
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


def _columns(nodes: Sequence[Hashable], data: Any) -> list[Any]:
    """The columns in the order of the score; they may be constant, unlike those from which a graph is learned."""
    found = raw_columns(data).columns
    if len(found) != len(nodes):
        raise DataError(f"the held-out rows have {len(found)} columns, but those of fit have {len(nodes)}")
    return [column for _, column in found]
