"""Scores of continuous columns: the Gaussian BIC."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import DataError, ScoreError
from causal_zigzag.labels import Labels, Nodes, read_nodes, show
from causal_zigzag.scores.base import BuiltinScore
from causal_zigzag.scores.covariance import is_singular, moments, standardized

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
class GaussianBIC(BuiltinScore):
    """The Bayesian information criterion of linear Gaussian models; ``data`` has continuous columns.

    The local score of y with parents P is ``(-N (1 + log v) - penalty (1 + |P|) log N) / 2``, where v is the residual
    variance of y given P, of a covariance divided by N. Penalty 1 is the textbook BIC.

    Rounding moves v by less than 1e-14 of the variance of y, so a local score, or a difference in a row, is off by at
    most about ``N / 2 * 1e-14 / share``, where ``share`` is what the parents leave of the variance of y.

    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(100, 3))
    >>> x[:, 2] += x[:, 0]
    >>> score = GaussianBIC(x)
    >>> score.local(2, [0]) > score.local(2, [])
    True
    """

    _correlation: NDArray[np.float64]
    _log_variance: NDArray[np.float64]
    _n_samples: float
    _penalty: float

    def __init__(self, data: Any, penalty: float = 1.0) -> None:
        columns, labels = _columns(data)
        _, correlation, log_variance = moments(columns)
        self._begin(labels, correlation, log_variance, float(len(columns)), penalty)

    @classmethod
    def from_covariance(
        cls, cov: Any, n_samples: float, penalty: float = 1.0, nodes: Nodes | None = None
    ) -> GaussianBIC:
        """The score of data with this covariance (or correlation) matrix, divided by N, of ``n_samples`` rows.

        >>> score = GaussianBIC.from_covariance([[4.0, 1.0], [1.0, 2.0]], n_samples=50, nodes=["a", "b"])
        >>> round(score.local("a", []), 3)
        -61.613
        """
        matrix, labels = _covariance(cov, nodes)
        self = object.__new__(cls)
        self._begin(labels, *standardized(matrix), _sample_count(n_samples), penalty)
        return self

    @property
    def n_samples(self) -> float:
        """The number of rows.

        >>> GaussianBIC.from_covariance([[1.0]], n_samples=50).n_samples
        50.0
        """
        return self._n_samples

    @property
    def penalty(self) -> float:
        """The factor of the BIC's penalty.

        >>> GaussianBIC.from_covariance([[1.0]], n_samples=50).penalty
        1.0
        """
        return self._penalty

    def _begin(
        self,
        labels: Labels,
        correlation: NDArray[np.float64],
        log_variance: NDArray[np.float64],
        samples: float,
        penalty: float,
    ) -> None:
        self._fill(
            labels,
            _correlation=correlation,
            _log_variance=log_variance,
            _n_samples=samples,
            _penalty=positive(penalty, "penalty"),
        )

    def _make(self) -> core.Score:
        return core.gaussian(self._correlation, self._log_variance, self._n_samples, self._penalty)

    def __repr__(self) -> str:
        return f"GaussianBIC({len(self.nodes)} nodes, {self._n_samples:g} rows, penalty {self._penalty:g})"


def positive(value: Any, name: str) -> float:
    """A setting that must be a positive number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ScoreError(f"{name} must be a positive number, not {value!r}")
    if not (math.isfinite(value) and value > 0):
        raise ScoreError(f"{name} must be a positive number, not {value!r}")
    return float(value)


def _sample_count(n_samples: Any) -> float:
    count = positive(n_samples, "n_samples")
    if count < 2:
        raise ScoreError(f"n_samples must be at least 2, not {n_samples!r}")
    return count


def _columns(data: Any) -> tuple[NDArray[np.float64], Labels]:
    labels = read_nodes(data.columns) if hasattr(data, "columns") else None
    columns = np.ascontiguousarray(data, dtype=np.float64)
    if columns.ndim != 2:
        raise DataError(f"the data must have rows and columns, but the shape is {columns.shape}")
    return columns, labels if labels is not None else read_nodes(columns.shape[1])


def _covariance(cov: Any, nodes: Nodes | None) -> tuple[NDArray[np.float64], Labels]:
    if nodes is None and hasattr(cov, "columns"):
        nodes = cov.columns
    matrix = np.array(cov, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"a covariance matrix must be square, but the shape is {matrix.shape}")
    labels = read_nodes(len(matrix) if nodes is None else nodes)
    if len(labels) != len(matrix):
        raise DataError(f"the covariance matrix has {len(matrix)} rows, but there are {len(labels)} nodes")
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        raise DataError(f"the covariance matrix must be finite, but cov[{i}, {j}] is {matrix[i, j]}")
    for i, variance in enumerate(np.diag(matrix)):
        if variance <= 0:
            raise DataError(f"variances must be positive, but that of {show(labels.names[i])} is {variance}")
    deviation = np.sqrt(np.diag(matrix))
    skew = np.abs(matrix - matrix.T) / deviation[:, None] / deviation[None, :]
    if skew.max(initial=0) > 1e-8:
        i, j = np.unravel_index(int(skew.argmax()), skew.shape)
        raise DataError(
            f"a covariance matrix must be symmetric, but cov[{i}, {j}] is {matrix[i, j]} "
            f"and cov[{j}, {i}] is {matrix[j, i]}"
        )
    if is_singular(standardized(matrix)[0]):
        raise DataError("the covariance matrix must be positive definite")
    return matrix, labels
