"""The length of blocks of time: the rule of Politis & White (2004, corrected 2009) for the circular block bootstrap.

With R(k) the autocovariances of a series of N values, λ the flat-top window, G = Σ λ(k/M) |k| R(k) and
g = Σ λ(k/M) R(k), both over |k| ≤ M, the mean squared error of the variance of a mean is least for blocks of
(2 G² / (4/3 g²))^{1/3} N^{1/3} values. M is twice the lag after which the autocorrelations are negligible.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.tables.lagged import past_columns
from causal_zigzag.tables.times.time_steps import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table

CRITICAL = 2.0  # standard errors of a negligible autocorrelation
FEWEST_BLOCKS = 8  # of the whole table
LEAST_ROWS = 20  # of a series whose autocorrelation is estimated


def block_length(table: Table) -> int:
    """The largest of the best lengths of the columns of the present, in the longest series."""
    assert table.groups is not None
    series = max(rows_of(table.groups), key=len)
    past = {past.name for past in past_columns(table.nodes, table.contexts)}
    columns = [column for column in table.columns if column.name not in past]
    lengths = [1]
    for column in columns:
        values = column.codes if column.numbers is None else column.numbers
        assert values is not None
        lengths.append(best_length(np.asarray(values, dtype=np.float64)[series]))
    return max(1, min(max(lengths), table.n_rows // FEWEST_BLOCKS))


def best_length(values: NDArray[np.float64]) -> int:
    """The length of blocks for one series; 1 if it is constant, short, or without autocorrelation.

    >>> rng = np.random.default_rng(1)
    >>> noise = rng.normal(size=1000)
    >>> best_length(noise) <= 3, best_length(np.convolve(noise, np.ones(20), "valid")) >= 15
    (True, True)
    """
    n = len(values)
    centred = values - values.mean()
    if n < LEAST_ROWS or not centred.any():
        return 1
    most = math.ceil(math.sqrt(n)) + max(5, math.ceil(math.log10(n)))
    covariances = np.array([centred[: n - k] @ centred[k:] / n for k in range(min(2 * most, n - 1) + 1)])
    negligible = np.abs(covariances / covariances[0]) < CRITICAL * math.sqrt(math.log10(n) / n)
    run = max(5, math.ceil(math.sqrt(math.log10(n))))
    lag = next((k for k in range(1, most + 1) if negligible[k : k + run].all()), most)
    window = min(2 * max(lag - 1, 1), len(covariances) - 1)
    k = np.arange(window + 1)
    flat_top = np.clip(2 * (1 - k / window), 0, 1)
    weights = flat_top * covariances[: window + 1]
    spectrum = weights[0] + 2 * weights[1:].sum()
    slope = 2 * (k * weights).sum()
    if not spectrum > 0:
        return 1
    best = math.pow(2 * slope**2 / (4 / 3 * spectrum**2) * n, 1 / 3)
    return max(1, math.ceil(best))
