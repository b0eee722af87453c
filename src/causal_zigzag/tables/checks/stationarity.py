"""A check of the series of a lagged table: those that drift rather than return to a mean."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from causal_zigzag.tables.checks.checked_table import Array, CheckedTable
from causal_zigzag.tables.finding import SERIOUS, Finding
from causal_zigzag.tables.lagged import past_columns
from causal_zigzag.tables.names_in_words import listed

UNIT_ROOT = -2.86  # 5 % point of the Dickey-Fuller statistic with a constant, for many rows (MacKinnon 1996)


def drifts(checked: CheckedTable) -> Iterator[Finding]:
    """Series with a trend or a unit root by the augmented Dickey-Fuller test, with the lags of the table."""
    numbers = {column.name: column.numbers for column in checked.columns if column.numbers is not None}
    behind: dict[object, dict[int, Array]] = {}
    for one in past_columns(checked.table.nodes, checked.table.contexts):
        if one.name in numbers and one.series in numbers:
            behind.setdefault(one.series, {0: numbers[one.series]})[one.lag] = numbers[one.name]
    found = []
    for series, values in behind.items():
        levels = [values[lag] for lag in sorted(values)]
        if len(levels) == max(values) + 1 and checked.rows > 10 * len(levels):
            statistic = dickey_fuller(levels)
            found += [(checked.texts[series], statistic)] if statistic > UNIT_ROOT else []
    if found:
        yield Finding(
            "drift",
            tuple(name for name, _ in found),
            "Series that may have a trend or a unit root: "
            f"{listed([f'{name} ({value:.2f})' for name, value in found])}; the numbers are Dickey-Fuller "
            f"statistics, above {UNIT_ROOT}.",
            "They are used as they are; series that drift look related by chance, so use their differences or growth.",
            max(value for _, value in found),
            UNIT_ROOT,
            severity=SERIOUS,
        )


def dickey_fuller(levels: list[Array]) -> float:
    """The t statistic of y[t-1] in the regression of y - y[t-1] on it, a constant and the differences before.

    ``levels`` are y, y[t-1], y[t-2] and so on.
    """
    steps = [a - b for a, b in pairwise(levels)]
    given = np.array([levels[1], np.ones(len(levels[0])), *steps[1:]]).T
    slopes, _, rank, _ = np.linalg.lstsq(given, steps[0])
    rest = steps[0] - given @ slopes
    freedom = len(rest) - given.shape[1]
    if rank < given.shape[1]:
        return -np.inf
    spread = float(rest @ rest) / freedom * np.linalg.inv(given.T @ given)[0, 0]
    return float(slopes[0] / np.sqrt(spread)) if spread > 0 else -np.inf
