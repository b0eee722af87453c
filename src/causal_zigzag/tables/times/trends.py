"""Trends and seasons: what depends on the time alone, found by evidence and taken out of series."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.support.validation import read_count
from causal_zigzag.tables.finding import CHANGED, Finding
from causal_zigzag.tables.names_in_words import listed
from causal_zigzag.tables.times.time_steps import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.column_kinds import Column

Trend = bool | Literal["auto"]

OWN_TREND = 20  # rows of every series, with which each has a trend of its own
DEVIATE = 3.29  # of a normal distribution, which is beyond it with probability 5e-4
LEAST_F = 4.0  # of the trends of several series, which unit roots make larger than chance does


def read_trend(trend: Any, season: Any) -> tuple[Trend, int | None]:
    """The arguments of ``lagged``."""
    if not (isinstance(trend, bool) or (isinstance(trend, str) and trend == "auto")):
        raise DataError(f"trend must be True, False or 'auto', not {trend!r}")
    return cast("Trend", trend), None if season is None else read_count("season", season, 2, "None or ")


def without_time(
    columns: list[Column],
    times: NDArray[np.float64],
    series: NDArray[np.intp],
    lags: int,
    trend: Trend,
    season: int | None,
) -> tuple[list[Column], list[Finding]]:
    """Numeric columns without their linear trends, and without the means of seasons, and the notes about it.

    A trend of each series with at least ``OWN_TREND`` rows, else one of all. With ``trend`` "auto", of the columns in
    which it is beyond doubt given their past.
    """
    out: list[Column] = []
    found: list[tuple[str, float | None]] = []
    phases = _phases(times, series, season)
    for column in columns:
        if column.kind == "categorical" or column.numbers is None:
            out.append(column)
            continue
        own = bool(trend)
        if trend == "auto":
            statistic = _evidence(column.numbers, times, series, lags, phases)
            own = statistic > 1
            found += [(str(column.name), statistic)] if own else []
        elif trend:
            found.append((str(column.name), None))
        numbers = _residuals(column.numbers, times, series, own, phases) if own or season else column.numbers
        out.append(column if numbers is column.numbers else replace(column, numbers=numbers))
    return out, [*_trend_note(found, trend), *_season_note(columns, season)]


def _trend_note(found: list[tuple[str, float | None]], trend: Trend) -> list[Finding]:
    if not found:
        return []
    texts = [name if statistic is None else f"{name} ({statistic:.2g})" for name, statistic in found]
    words = f"Series with a linear trend: {listed(texts)}."
    if trend == "auto":
        words = f"{words[:-1]}; the numbers are F statistics of the trend given the past, relative to their threshold."
    names = tuple(name for name, _ in found)
    remedy = "It is taken out: series with trends look related, whatever they depend on."
    option = "trend=False" if trend == "auto" else ""
    return [Finding("trend", names, words, remedy, None, None, option, CHANGED)]


def _season_note(columns: list[Column], season: int | None) -> list[Finding]:
    names = tuple(str(column.name) for column in columns if column.kind != "categorical")
    if season is None or not names:
        return []
    return [
        Finding(
            "trend", (), f"The means of {season} seasons.", f"They are taken out of {listed(names)}.", severity=CHANGED
        )
    ]


def _phases(times: NDArray[np.float64], series: NDArray[np.intp], season: int | None) -> NDArray[np.intp]:
    """The season of each row, counted in steps of the time; all 0 without any."""
    if season is None:
        return np.zeros(len(times), dtype=np.intp)
    steps = np.concatenate([np.diff(times[rows]) for rows in rows_of(series)])
    found, frequent = np.unique(np.round(steps, 9), return_counts=True)
    step = float(found[frequent.argmax()]) if len(found) else 1.0
    return np.asarray(np.round(times / step).astype(np.int64) % season, dtype=np.intp)


def _design(
    times: NDArray[np.float64], series: NDArray[np.intp], phases: NDArray[np.intp], trend: bool
) -> NDArray[np.float64]:
    """A constant of each series, seasons, and trends, one column each."""
    groups = rows_of(series)
    constants = np.zeros((len(times), len(groups)))
    centred = np.zeros(len(times))
    for k, rows in enumerate(groups):
        constants[rows, k] = 1.0
        centred[rows] = times[rows] - times[rows].mean()
    centred /= max(float(np.abs(centred).max()), 1e-300)
    parts = [constants]
    if trend:
        own = min(len(rows) for rows in groups) >= OWN_TREND
        parts.append(constants * centred[:, None] if own else centred[:, None])
    if phases.any():
        parts.append((phases[:, None] == np.unique(phases)[1:]).astype(np.float64))
    return np.column_stack(parts)


def _residuals(
    numbers: NDArray[np.float64],
    times: NDArray[np.float64],
    series: NDArray[np.intp],
    trend: bool,
    phases: NDArray[np.intp],
) -> NDArray[np.float64]:
    """The numbers without trend and season, with the mean of each series as before."""
    known = ~np.isnan(numbers)
    design = _design(times, series, phases, trend)
    slopes = np.linalg.lstsq(design[known], numbers[known])[0]
    varying = design - _means(design, series)
    out = numbers - varying @ slopes
    out.setflags(write=False)
    return np.asarray(out)


def _means(values: NDArray[np.float64], series: NDArray[np.intp]) -> NDArray[np.float64]:
    out = np.empty_like(values)
    for rows in rows_of(series):
        out[rows] = values[rows].mean(axis=0)
    return out


def _evidence(
    numbers: NDArray[np.float64],
    times: NDArray[np.float64],
    series: NDArray[np.intp],
    lags: int,
    phases: NDArray[np.intp],
) -> float:
    """The F statistic of trends in the regression of a column on its past, constants and seasons, over its threshold.

    The threshold is exceeded with probability 5e-4 by a stationary series, by the formula of Wilson & Hilferty, and
    with about 1 % by one with a unit root (Dickey & Fuller 1981).
    """
    groups = [rows for rows in rows_of(series) if len(rows) > lags]
    now = np.concatenate([rows[lags:] for rows in groups])
    past = [np.concatenate([rows[lags - lag : len(rows) - lag] for rows in groups]) for lag in range(1, lags + 1)]
    behind = np.array([numbers[rows] for rows in past]).T
    known = ~(np.isnan(numbers[now]) | np.isnan(behind).any(axis=1))
    now, behind = now[known], behind[known]
    plain, with_trend = (
        np.column_stack([_design(times[now], series[now], phases[now], t), behind]) for t in (False, True)
    )
    freedom = len(now) - np.linalg.matrix_rank(with_trend)
    more = with_trend.shape[1] - plain.shape[1]
    if freedom < 10 or more < 1:
        return 0.0
    y = numbers[now]
    rss = [float(((y - x @ np.linalg.lstsq(x, y)[0]) ** 2).sum()) for x in (plain, with_trend)]
    threshold = (1 - 2 / (9 * more) + DEVIATE * (2 / (9 * more)) ** 0.5) ** 3
    return float((rss[0] - rss[1]) / more / max(rss[1] / freedom, 1e-300) / max(threshold, LEAST_F))
