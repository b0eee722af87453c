"""A check of the series of a lagged table: those that drift rather than return to a mean, or to their trend."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from causal_zigzag.tables.checks.checked_table import Array, CheckedTable
from causal_zigzag.tables.finding import DOUBTFUL, Finding
from causal_zigzag.tables.lagged import past_columns
from causal_zigzag.tables.names_in_words import listed

ROWS = (30, 50, 100, 200, 400)
WITH_CONSTANT = (-0.05, -0.52, -1.36, -2.25, -2.86)
WITH_TREND = (-0.37, -0.74, -1.47, -2.36, -3.41)
"""Above these values of the Dickey-Fuller statistic, for these numbers of rows, a series is said to drift.

The larger one of two points: 1 % of stationary series with autoregression 0.9 are above the first (3,000 simulated
series), so that tables of several series seldom have one, and 5 % of unit roots are below the second (MacKinnon 1996).
"""


def drifts(checked: CheckedTable) -> Iterator[Finding]:
    """Series with a unit root by the augmented Dickey-Fuller test, with the lags of the table.

    The regression has a trend if one was taken out of the series.
    """
    numbers = {column.name: column.numbers for column in checked.columns if column.numbers is not None}
    behind: dict[object, dict[int, Array]] = {}
    for one in past_columns(checked.table.nodes, checked.table.contexts):
        if one.name in numbers and one.series in numbers:
            behind.setdefault(one.series, {0: numbers[one.series]})[one.lag] = numbers[one.name]
    detrended = {name for note in checked.table.notes if note.kind == "trend" for name in note.columns}
    found, thresholds = [], []
    for series, values in behind.items():
        levels = [values[lag] for lag in sorted(values)]
        if len(levels) == max(values) + 1 and checked.rows > 10 * len(levels):
            trend = str(series) in detrended
            threshold = largest_stationary(checked.rows, trend)
            statistic = dickey_fuller(levels, trend)
            if statistic > threshold:
                found.append((checked.texts[series], statistic))
                thresholds.append(threshold)
    if found:
        yield Finding(
            "drift",
            tuple(name for name, _ in found),
            "Series that may have a unit root, or a trend that was not taken out: "
            f"{listed([f'{name} ({value:.2f})' for name, value in found])}; the numbers are Dickey-Fuller "
            f"statistics, above {max(thresholds):.2f}.",
            "They are used as they are; edges of series that drift depend on enough lags, and those of their "
            "differences, such as data.diff(), or with trend=True do not.",
            max(value for _, value in found),
            max(thresholds),
            severity=DOUBTFUL,
        )


def largest_stationary(rows: int, trend: bool) -> float:
    """The statistic above which a series is said to drift.

    >>> largest_stationary(100, trend=False), largest_stationary(10_000, trend=True)
    (-1.36, -3.41)
    """
    points = WITH_TREND if trend else WITH_CONSTANT
    return round(float(np.interp(np.log(rows), np.log(ROWS), points)), 2)


def dickey_fuller(levels: list[Array], trend: bool = False) -> float:
    """The t statistic of y[t-1] in the regression of y - y[t-1] on it, a constant and the differences before.

    ``levels`` are y, y[t-1], y[t-2] and so on; with ``trend`` the regression has one.
    """
    steps = [a - b for a, b in pairwise(levels)]
    time = [np.linspace(-1, 1, len(levels[0]))] if trend else []
    given = np.array([levels[1], np.ones(len(levels[0])), *time, *steps[1:]]).T
    slopes, _, rank, _ = np.linalg.lstsq(given, steps[0])
    rest = steps[0] - given @ slopes
    freedom = len(rest) - given.shape[1]
    if rank < given.shape[1]:
        return -np.inf
    spread = float(rest @ rest) / freedom * np.linalg.inv(given.T @ given)[0, 0]
    return float(slopes[0] / np.sqrt(spread)) if spread > 0 else -np.inf
