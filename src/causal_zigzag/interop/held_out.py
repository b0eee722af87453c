"""log_predictive: the density of held-out rows, predicted by DAGs that were drawn from a posterior."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import DataError, SettingsError
from causal_zigzag.graphs.labels import show
from causal_zigzag.scores.bge import BGe
from causal_zigzag.scores.discrete import BDeu, DiscreteBIC
from causal_zigzag.scores.gaussian import GaussianBIC
from causal_zigzag.tables.raw_columns import raw_columns
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.base import Score

Gaussian = BGe | GaussianBIC
Discrete = BDeu | DiscreteBIC


def column_means(data: Any) -> NDArray[np.float64] | None:
    """The means of the columns of a table; None if some are not numbers."""
    columns = [column.numbers for column in read_table(data).columns]
    return np.array([np.mean(c) for c in columns if c is not None]) if all(c is not None for c in columns) else None


def log_predictive(
    score: Score, means: NDArray[np.float64] | None, dags: NDArray[np.uint8], data: Any
) -> NDArray[np.float64]:
    """The log of the mean density of each row over the DAGs, given the rows from which the score was computed.

    ``means`` are the means of those rows, for a Gaussian score.
    """
    if isinstance(score, (BGe, GaussianBIC)) and means is not None:
        rows: NDArray[Any] = _numbers(score, data)
        local: _Gaussian | _Discrete = _Gaussian(score, means, rows)
    elif isinstance(score, (BDeu, DiscreteBIC)):
        rows = _codes(score, data)
        local = _Discrete(score, rows)
    else:
        raise SettingsError(
            f"held-out rows have a density under BGe, GaussianBIC, BDeu and DiscreteBIC, but the score is {score!r}"
        )
    known: dict[tuple[int, bytes], NDArray[np.float64]] = {}
    logs = np.zeros((len(dags), len(rows)))
    for k, dag in enumerate(dags):
        for y in range(len(dag)):
            key = (y, dag[:, y].tobytes())
            if key not in known:
                known[key] = local.log_density(y, np.flatnonzero(dag[:, y]))
            logs[k] += known[key]
    top = logs.max(axis=0)
    mean: NDArray[np.float64] = top + np.log(np.exp(logs - top).mean(axis=0))
    return mean


class _Gaussian:
    """Student t densities: with M the matrix of ``RegressionMoments``, f = ``scatter``, w = ``mean_weight`` and z the
    row, centered and divided by the deviations, y has the mean z_P b, b = M_PP^-1 M_Py, v degrees of freedom, and the
    squared scale f (M_yy - M_yP b) (1 + 1/w + z_P' M_PP^-1 z_P / f) / v. For BGe this is the ratio of the marginal
    likelihoods with and without the row.
    """

    def __init__(self, score: Gaussian, means: NDArray[np.float64], rows: NDArray[np.float64]) -> None:
        self._names = score.nodes
        self._moments = score.regression_moments()
        self._z = (rows - means) / np.exp(self._moments.log_deviation)

    def log_density(self, y: int, parents: NDArray[np.intp]) -> NDArray[np.float64]:
        matrix, log_deviation, first, step, scatter, weight = self._moments
        freedom = first + step * (len(parents) - 1)
        if freedom <= 0:
            raise DataError(
                f"column {show(self._names[y])} has {len(parents)} parents in a drawn graph, too many for a prediction "
                "from the rows of fit; give more rows, or a max_degree"
            )
        among, to_y = matrix[np.ix_(parents, parents)], matrix[parents, y]
        slopes = np.linalg.solve(among, to_y)
        z = self._z[:, parents]
        leverage = np.einsum("ij,ij->i", z, np.linalg.solve(among, z.T).T)
        residual = matrix[y, y] - to_y @ slopes
        variance = scatter * residual * (1 + 1 / weight + leverage / scatter) / freedom
        distance = (self._z[:, y] - z @ slopes) ** 2 / variance
        constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(math.pi * freedom) / 2
        density: NDArray[np.float64] = (
            constant - log_deviation[y] - np.log(variance) / 2 - (freedom + 1) / 2 * np.log1p(distance / freedom)
        )
        return density


class _Discrete:
    """Dirichlet predictions: (N_jb + a / (q r)) / (N_j + a / q), in the notation of ``BDeu``."""

    def __init__(self, score: Discrete, rows: NDArray[np.int64]) -> None:
        codes, weights, self._levels = score.coded_rows()
        self._codes = codes.astype(np.int64)
        self._weights = weights if len(weights) else np.ones(codes.shape[1])
        self._size = score.equivalent_sample_size if isinstance(score, BDeu) else 1.0
        self._rows = rows.T

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


def _numbers(score: Score, data: Any) -> NDArray[np.float64]:
    columns = []
    for name, column in zip(score.nodes, _columns(score, data), strict=True):
        if not (column.is_numeric() and column.is_finite()):
            raise DataError(f"column {show(name)} of the held-out rows has cells that are missing or no finite numbers")
        columns.append(column.values.astype(np.float64))
    return np.array(columns).T


def _codes(score: Discrete, data: Any) -> NDArray[np.int64]:
    columns = []
    for (name, levels), column in zip(score.levels.items(), _columns(score, data), strict=True):
        codes = {level: code for code, level in enumerate(levels)}
        cells = column.values.tolist()
        unknown = next((cell for cell in cells if cell not in codes), None)
        if unknown is not None or None in cells:
            raise DataError(
                f"column {show(name)} of the held-out rows contains {unknown!r}, which the rows of fit do not; "
                "its levels are " + ", ".join(repr(level) for level in levels)
            )
        columns.append([codes[cell] for cell in cells])
    return np.array(columns, dtype=np.int64).T


def _columns(score: Score, data: Any) -> list[Any]:
    """The columns in the order of the score; they may be constant, unlike those from which a graph is learned."""
    found = raw_columns(data).columns
    if len(found) != len(score.nodes):
        raise DataError(f"the held-out rows have {len(found)} columns, but those of fit have {len(score.nodes)}")
    return [column for _, column in found]
