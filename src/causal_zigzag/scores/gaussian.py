"""GaussianBIC: the BIC of linear Gaussian models of continuous columns."""

from __future__ import annotations

import math
import reprlib
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import DataError, ScoreError
from causal_zigzag.graphs.labels import MOST_IN_MATRIX, Labels, Nodes, read_nodes, show
from causal_zigzag.scores.base import ModelAssumption, hot_coldness_of_rows
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.covariance import Moments, is_singular, moments, regular, standardized, weighted_moments
from causal_zigzag.scores.regression import RegressionMoments
from causal_zigzag.scores.state_checks import check_correlation, check_logs
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.row_weights import row_total
from causal_zigzag.support.validation import is_real
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table


LINEAR = ModelAssumption(
    "Linear effects and normal noise",
    "A variable is a linear combination of its causes plus normal noise of constant variance.",
    ("curve", "skew", "zeros", "outliers", "spikes"),
)


@final
class GaussianBIC(BuiltinScore, name="gaussian-bic"):
    """The Bayesian information criterion of linear Gaussian models; ``data`` has continuous columns.

    The local score of y with parents P is ``(-N (1 + log v) - penalty (1 + |P|) log N) / 2``, where v is the residual
    variance of y given P, of a covariance divided by N. Penalty 1 is the textbook BIC.

    The score does not depend on the scale or offset of a column. The rounding error of v is less than 1e-14 of the
    variance of y, so that of a local score, or of a difference in a row, is at most about ``N / 2 * 1e-14 / share``,
    where ``share`` is the smallest eigenvalue of the correlation matrix. A share below 1e-10 raises a DataError about
    collinear columns. With at most as many rows as columns 1e-6 is added to the diagonal of this matrix.

    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(100, 3))
    >>> x[:, 2] += x[:, 0]
    >>> score = GaussianBIC(x)
    >>> score.local(2, [0]) > score.local(2, [])
    True
    """

    _mean: NDArray[np.float64]  # empty if only covariances are known
    _correlation: NDArray[np.float64]
    _log_variance: NDArray[np.float64]
    _n_samples: float
    _penalty: float

    def __init__(self, data: Any, penalty: float = 1.0) -> None:
        table = read_table(data, strict=True)
        found = moments(table.numbers("GaussianBIC"))
        refuse_constants(found.log_variance, table.nodes)
        correlation = regular(found.correlation, table.n_rows, table.nodes)
        self._begin(table.labels, found._replace(correlation=correlation), float(table.n_rows), penalty)
        self._remember(table)

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
        rows = positive(n_samples, "n_samples")
        if rows < 2:
            raise ScoreError(f"n_samples must be at least 2, not {n_samples!r}")
        self = object.__new__(cls)
        self._begin(labels, Moments(np.zeros(0), *standardized(matrix)), rows, penalty)
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

    def _begin(self, labels: Labels, known: Moments, samples: float, penalty: float) -> None:
        numbers = {"_n_samples": samples, "_penalty": positive(penalty, "penalty")}
        self._fill(labels, **_as_attributes(known), **numbers)

    def _weighted(self, table: Table, weights: NDArray[np.float64]) -> dict[str, Any]:
        known = weighted_moments(table.numbers("GaussianBIC"), weights)
        return {"_n_samples": float(row_total(weights)), **_as_attributes(known)}

    def _make(self) -> core.Score:
        k = np.arange(len(self.nodes) + 1)
        h = np.full(len(k), self._n_samples / 2)
        c = -self._n_samples / 2 - self._penalty * (1 + k) * math.log(self._n_samples) / 2
        return core.gaussian_score(self._correlation, self._log_variance, h, c, 0.0)

    def _check_state(self) -> None:
        n = len(self.nodes)
        check(self._n_samples >= 2 and len(self._mean) in (0, n), "its score has too few rows")
        check_correlation(self._correlation, tuple(range(n + 1)))
        check_logs(self._log_variance, size=n)

    def hot_coldness(self) -> float:
        return hot_coldness_of_rows(self._n_samples)

    def regression_moments(self) -> RegressionMoments:
        """Least squares with an intercept, under the prior that is flat in coefficients and log variances."""
        rows = self._n_samples
        return RegressionMoments(self._correlation, self._log_variance / 2, rows - 2, -1, rows, rows, self._mean)

    def assumption(self) -> ModelAssumption:
        return LINEAR

    def __repr__(self) -> str:
        return f"GaussianBIC({self._nodes_in_words()}, {self._n_samples:g} rows, penalty {self._penalty:g})"


def _as_attributes(known: Moments) -> dict[str, NDArray[np.float64]]:
    return {f"_{name}": value for name, value in known._asdict().items()}


def positive(value: Any, name: str) -> float:
    """The setting with this name, which must be a positive number."""
    if not is_real(value) or not (math.isfinite(value) and value > 0):
        raise ScoreError(f"{name} must be a positive number, not {value!r}")
    return float(value)


def refuse_constants(log_variance: NDArray[np.float64], owners: Sequence[Hashable]) -> None:
    """Raise a DataError if a column is constant up to rounding."""
    for column, value in zip(owners, log_variance, strict=True):
        if value == -np.inf:
            fault = f"column {show(column)} is constant up to rounding, so it contains no information"
            raise DataError(fault, "drop it", "constant", column)


def _covariance(cov: Any, nodes: Nodes | None) -> tuple[NDArray[np.float64], Labels]:
    if nodes is None and hasattr(cov, "columns"):
        nodes = cov.columns
    if isinstance(cov, np.ma.MaskedArray):
        cov = np.where(np.ma.getmaskarray(cov), np.nan, np.asarray(cov))
    size = max(np.shape(cov), default=0) if hasattr(cov, "shape") else len(cov) if hasattr(cov, "__len__") else 0
    if size > MOST_IN_MATRIX:
        raise DataError(f"a covariance matrix can have at most {MOST_IN_MATRIX:,} columns, not {size:,}")
    try:
        matrix = np.array(cov, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"a covariance matrix must be a square matrix of numbers, not {reprlib.repr(cov)}; "
            "np.cov(data, rowvar=False, bias=True) makes one"
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"a covariance matrix must be square, but the shape is {matrix.shape}")
    labels = read_nodes(len(matrix) if nodes is None else nodes)
    if len(labels) != len(matrix):
        raise DataError(f"the covariance matrix has {len(matrix)} rows, but there are {len(labels)} nodes")
    deviation = np.sqrt(np.maximum(np.diag(matrix), 0))
    with np.errstate(invalid="ignore"):
        symmetric = np.abs(matrix - matrix.T) <= 1e-8 * np.outer(deviation, deviation)
    wrong = ~(np.isfinite(matrix) & symmetric) | np.diag(deviation == 0)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        found = f"cov[{i}, {j}] is {matrix[i, j]} and cov[{j}, {i}] is {matrix[j, i]}"
        raise DataError(f"a covariance matrix must be finite and symmetric, with positive variances, but {found}")
    if is_singular(standardized(matrix)[0]):
        raise DataError("the covariance matrix must be positive definite; some column is a combination of others")
    return matrix, labels
