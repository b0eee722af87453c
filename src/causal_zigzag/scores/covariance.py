"""Covariances from columns, computed so that neither scale nor offset of a column matters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SINGULAR = 1e-10
"""A share of a column's variance below this counts as none: the column is determined by the others."""

RIDGE = 1e-9
"""What is added to the correlations where there are too few rows for them to be regular."""


class Moments(NamedTuple):
    """Means, correlations and log variances (divided by N) of some columns."""

    mean: Array
    correlation: Array
    log_variance: Array


def moments(columns: Array) -> Moments:
    """The moments of the columns of a matrix; a column that is constant has log variance -inf.

    Columns are brought to a size of about one by powers of two, which is exact, and centred twice, so that what the
    rounding of a large mean leaves over is taken away as well.

    >>> moments(np.array([[1e9, 1e-12], [1e9 + 1, 3e-12], [1e9 + 2, 5e-12]])).correlation.round(12).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    size, exponent = np.frexp(np.abs(columns).max(axis=0, initial=0))
    scaled = np.ldexp(columns, -exponent)
    mean = scaled.mean(axis=0)
    centred = scaled - mean
    rest = centred.mean(axis=0)
    centred -= rest
    spread = np.abs(centred).max(axis=0, initial=0)
    constant = spread <= 4 * np.finfo(np.float64).eps * size
    _, inner = np.frexp(np.where(constant, 1.0, spread))
    centred = np.ldexp(centred, -inner)
    variance = np.einsum("ij,ij->j", centred, centred) / max(len(columns), 1)
    variance[constant] = 1.0
    centred /= np.sqrt(variance)
    correlation = centred.T @ centred / max(len(columns), 1)
    np.fill_diagonal(correlation, 1.0)
    log_variance = np.log(variance) + 2 * np.log(2) * (exponent + inner)
    log_variance[constant] = -np.inf
    return Moments(np.ldexp(mean + rest, exponent), correlation, log_variance)


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


def ridged(correlation: Array) -> Array:
    """Correlations of a matrix with a little independent noise added to every column: regular, whatever they were."""
    out = correlation / (1 + RIDGE)
    np.fill_diagonal(out, 1.0)
    return out


def is_singular(correlation: Array) -> bool:
    """Whether some column is determined by the others, up to rounding."""
    if not len(correlation):
        return False
    return bool(np.linalg.eigvalsh(correlation)[0] < SINGULAR)


def dependent(correlation: Array) -> tuple[int, list[int]] | None:
    """A column that is a linear combination of others, and which; None where there is none.

    Columns are taken one after the other, the first that the ones before it determine is reported with those that
    have a weight in it.
    """
    kept: list[int] = []
    factor = np.zeros((0, 0))
    for column in range(len(correlation)):
        cross = correlation[kept, column]
        solved = _solve_lower(factor, cross)
        left = 1.0 - float(solved @ solved)
        if left < SINGULAR:
            weights = np.linalg.lstsq(correlation[np.ix_(kept, kept)], cross, rcond=None)[0]
            large = np.abs(weights) > 1e-4 * np.abs(weights).max(initial=0)
            return column, [kept[i] for i in np.flatnonzero(large)]
        factor = np.block([[factor, np.zeros((len(kept), 1))], [solved[None, :], np.array([[np.sqrt(left)]])]])
        kept.append(column)
    return None


def _solve_lower(factor: Array, right: Array) -> Array:
    return np.asarray(np.linalg.solve(factor, right)) if len(right) else right
