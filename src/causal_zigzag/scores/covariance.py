"""Correlations and variances of columns, computed independently of the scale and offset of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import DataError, DataWarning
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.support.user_warnings import warn_user
from causal_zigzag.tables.exact_dependencies import has_eigenvalues_above

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

Array = NDArray[np.float64]

SINGULAR = 1e-10
"""A column whose share of unexplained variance is below this is a linear combination of the others."""

RIDGE = 1e-6
"""Added to the diagonal of the correlations if there are too few rows for a regular matrix.

It is the residual variance of a node that its parents determine. Rounding errors of about 1e-16, which depend on the
order of the columns, are multiplied by its inverse, also in a row that adds the last of these parents.
"""

POWERS = 9
ROWS_AT_ONCE = 1 << 16  # whose powers are in memory


class Moments(NamedTuple):
    """Means, correlations and log variances (divided by N) of some columns."""

    mean: Array
    correlation: Array
    log_variance: Array


def moments(columns: Array, weights: Array | None = None) -> Moments:
    """The moments of the columns of a matrix; a column that is constant has log variance -inf.

    Columns are scaled to a size of about one by powers of two, which is exact, and centred twice, which removes the
    rounding error of a large mean. With positive ``weights`` of the rows, the moments are weighted.

    >>> moments(np.array([[1e9, 1e-12], [1e9 + 1, 3e-12], [1e9 + 2, 5e-12]])).correlation.round(12).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    rows = max(len(columns), 1) if weights is None else float(weights.sum())
    size, exponent = np.frexp(np.abs(columns).max(axis=0, initial=0))
    scaled = _times_power(columns, -exponent)
    mean = scaled.mean(axis=0) if weights is None else weights @ scaled / rows
    centred = scaled - mean
    rest = centred.mean(axis=0) if weights is None else weights @ centred / rows
    centred -= rest
    spread = np.abs(centred).max(axis=0, initial=0)
    constant = spread <= 4 * np.finfo(np.float64).eps * size
    _, inner = np.frexp(np.where(constant, 1.0, spread))
    centred = _times_power(centred, -inner)
    if weights is not None:
        centred *= np.sqrt(weights)[:, None]
    variance = np.einsum("ij,ij->j", centred, centred) / rows
    variance[constant] = 1.0
    centred /= np.sqrt(variance)
    correlation = centred.T @ centred / rows
    np.fill_diagonal(correlation, 1.0)
    log_variance: Array = np.log(variance) + 2 * np.log(2) * (exponent + inner)
    log_variance[constant] = -np.inf
    return Moments(np.ldexp(mean + rest, exponent), correlation, log_variance)


def weighted_moments(columns: Array, weights: Array) -> Moments:
    """The moments of the columns with weights of the rows, some of which may be 0, as a score can always use them.

    A column that is constant where the weights are positive keeps its variance and is uncorrelated with all others: the
    rows say nothing about it. If some column is a linear combination of others there, a small ridge is added.

    >>> weighted_moments(np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 4.0]]), np.array([1.0, 1.0, 0.0])).correlation.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    positive = weights > 0
    found = moments(columns[positive], weights[positive])
    constant = found.log_variance == -np.inf
    if constant.any():
        found = found._replace(log_variance=np.where(constant, moments(columns).log_variance, found.log_variance))
    if is_singular(found.correlation):
        found = found._replace(correlation=_ridged(found.correlation))
    return found


def powers_by_level(numbers: Array, indicators: Array, weights: Array | None = None) -> Array:
    """Sums of the powers 0 to 8 of standardized numbers, over all rows (entry 0) and those of each indicator.

    The axes are power, number, entry. From these the error of a regression of an indicator on a number follows, whose
    variance is not the same in all rows.
    """
    rows = np.ones(len(numbers)) if weights is None else weights
    powers = np.zeros((POWERS, numbers.shape[1], 1 + indicators.shape[1]))
    if not (numbers.size and indicators.size):
        return powers
    mean = np.average(numbers, axis=0, weights=rows)
    deviation = np.sqrt(np.average((numbers - mean) ** 2, axis=0, weights=rows))
    for begin in range(0, len(numbers), ROWS_AT_ONCE):
        some = slice(begin, begin + ROWS_AT_ONCE)
        d = (numbers[some] - mean) / np.where(deviation > 0, deviation, 1.0)
        entries = np.column_stack([np.ones(len(d)), indicators[some]]) * rows[some, None]
        power = np.ones_like(d)
        for k in range(POWERS):
            powers[k] += power.T @ entries
            power *= d
    return powers


def _times_power(columns: Array, exponent: NDArray[np.int32]) -> Array:
    """Each column times 2**exponent, in two steps, as the power may overflow although the product does not."""
    half = exponent // 2
    return np.asarray(columns * np.ldexp(1.0, half) * np.ldexp(1.0, exponent - half))


def standardized(covariance: Array) -> tuple[Array, Array]:
    """The correlations and log variances of a covariance matrix with positive diagonal."""
    variance = np.diag(covariance)
    _, exponent = np.frexp(variance)
    half = exponent // 2
    scaled = np.ldexp(np.ldexp(covariance, -half[:, None]), -half[None, :])
    deviation = np.sqrt(np.diag(scaled))
    correlation = scaled / deviation[:, None] / deviation[None, :]
    correlation = (correlation + correlation.T) / 2
    np.fill_diagonal(correlation, 1.0)
    return correlation, np.asarray(np.log(np.diag(scaled)) + 2 * np.log(2) * half)


def regular(correlation: Array, n_rows: int, owners: Sequence[Hashable]) -> Array:
    """The correlations, if no column is a linear combination of others; ``owners`` are the names of the columns.

    If there are at most as many rows as columns, some column always is, but small sets of parents can be scored: then
    a small ridge is added and a warning is issued.
    """
    if n_rows > len(correlation):
        if is_singular(correlation):
            _refuse(correlation, owners)
        return correlation
    if n_rows <= 2:
        raise DataError(
            f"{n_rows} rows are too few: with two rows each column determines all others; give more rows, well above "
            "the number of columns, or use score='bge'"
        )
    twins = np.argwhere(np.triu(np.abs(correlation) > 1 - SINGULAR, 1))
    if len(twins):
        a, b = twins[0]
        raise _collinear(owners[b], [owners[a]])
    warn_user(
        f"{n_rows} rows for {len(correlation)} columns: any {n_rows - 1} parents determine a node, so the score of "
        f"that many parents is meaningless; set max_degree well below that, or use score='bge'",
        DataWarning,
    )
    return _ridged(correlation)


def _ridged(correlation: Array) -> Array:
    ridged = correlation / (1 + RIDGE)
    np.fill_diagonal(ridged, 1.0)
    return np.asarray(ridged)


def is_singular(correlation: Array) -> bool:
    """Whether some column is a linear combination of the others, up to rounding."""
    if len(correlation) == 0 or has_eigenvalues_above(2 * SINGULAR, correlation):
        return False
    return bool(np.linalg.eigvalsh(correlation)[0] < SINGULAR)


def _refuse(correlation: Array, owners: Sequence[Hashable]) -> NoReturn:
    """Raise a DataError that names the columns of a linear combination that vanishes."""
    weights = np.abs(np.linalg.eigh(correlation)[1][:, 0])
    involved = [int(i) for i in np.flatnonzero(weights > 1e-3 * weights.max())]
    last = max(involved)
    others = dict.fromkeys(owners[i] for i in involved if owners[i] != owners[last])
    raise _collinear(owners[last], list(others))


def _collinear(column: Hashable, others: list[Hashable]) -> DataError:
    return DataError(
        f"column {show(column)} is a linear combination of {show_all(others)} (to {SINGULAR:g} of its variance)",
        "drop one of these columns, which no score can distinguish",
        "collinear",
        column,
    )
