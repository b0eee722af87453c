"""Weights of the rows of a table: how often each row counts in a score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import ScoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDING = 1e-9  # of a sum of weights, relative to it


def read_row_weights(weights: Any, rows: int) -> NDArray[np.float64]:
    """The weights as an array; a ScoreError unless there is one of at least 0 for each row, and more than 1 in all."""
    numbers = np.asarray(weights)
    if numbers.shape != (rows,) or numbers.dtype.kind not in "biuf":
        raise ScoreError(f"weights of rows must be {rows:,} numbers, one per row, not of the shape {numbers.shape}")
    found = numbers.astype(np.float64)
    if not (np.isfinite(found).all() and (found >= 0).all()):
        worst = found[~(np.isfinite(found) & (found >= 0))][0]
        raise ScoreError(f"weights of rows must be finite numbers of at least 0, not {worst:g}")
    if not found.sum() >= 2:
        raise ScoreError(f"weights of rows must add up to at least 2, not {found.sum():g}")
    return found


def row_total(weights: NDArray[np.float64]) -> int | float:
    """The sum of the weights: the number of rows that they stand for."""
    total = math.fsum(weights)
    return round(total) if abs(total - round(total)) <= ROUNDING * total else total


def row_counts(weights: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """The weights as whole numbers; None if they are not."""
    counts = weights.astype(np.int64)
    return counts if bool((counts == weights).all()) else None


def repeated_rows(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows, each as often as its weight says; all of them once if there are no weights."""
    if not len(weights):
        return values
    counts = row_counts(weights)
    if counts is None:
        raise ScoreError("effects of curves need whole numbers as weights of rows")
    return np.ascontiguousarray(np.repeat(values, counts, axis=0))
