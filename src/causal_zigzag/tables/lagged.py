"""lagged: a table of time series as rows of the present with columns of the past, which are given and not explained."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import Labels, name_fault, show, show_all
from causal_zigzag.support.validation import is_hashable, read_count
from causal_zigzag.support.wording import count
from causal_zigzag.tables.checks.series import parts_of_time
from causal_zigzag.tables.exact_dependencies import without_dependent
from causal_zigzag.tables.files.text_files import read_layout
from causal_zigzag.tables.finding import CHANGED, READ, Finding
from causal_zigzag.tables.missing_cells import read_missing
from causal_zigzag.tables.names_in_words import as_code, listed
from causal_zigzag.tables.raw_columns import cells_of
from causal_zigzag.tables.read_table import ReadingColumns, read_table
from causal_zigzag.tables.table import Table
from causal_zigzag.tables.times.time_steps import (
    TOLERANCE,
    check_sorted,
    earlier_rows,
    group_numbers,
    rows_of,
    times_of,
)
from causal_zigzag.tables.times.trends import Trend, read_trend, without_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.column_kinds import Column

LAYOUT: dict[str, Any] = {"delimiter": None, "decimal": ".", "na_values": (), "encoding": None}
FEWEST_ROWS = 3
_PAST = re.compile(r"(?P<series>.*)\[t-(?P<lag>[1-9]\d*)\]", re.DOTALL)


class Past(NamedTuple):
    """A column of the past: its name, that of its series, and the number of steps that it is behind."""

    name: Hashable
    series: Hashable
    lag: int


def lagged(
    data: Any,
    lags: int = 2,
    by: Hashable | Sequence[Hashable] | None = None,
    time: Hashable | None = None,
    trend: Trend = "auto",
    season: int | None = None,
    **reading: Unpack[ReadingColumns],
) -> Table:
    """Turn time series into a table whose columns are the present and the past: ``gdp``, ``gdp[t-1]``, ``gdp[t-2]``.

    ``data`` has one row per time and one column per series, in any form that ``read_table`` takes, and ``reading`` are
    its arguments. The columns of the past are ``table.contexts``: ``sample``, ``ges``, ``search`` and the exact
    functions let them cause the present, but join none of them with another and do not explain them.

    ``time`` is the column of the times: numbers, dates, or text such as 2024-01 or 2024Q1. It must increase, and a row
    whose past is not there, because a time is left out, is left out too; ``table.source.left_out`` counts these rows.
    Without it, successive rows are one step apart. ``by`` is the column, or the columns, that name the series if there
    are several, such as persons or countries; their rows have the same graph, and the past of a row is in its own
    series. Columns that are constant in every series become contexts without lags, and so do conditions that are named
    by ``contexts=``.

    A linear ``trend`` is taken out of the columns in which it is beyond doubt ("auto"), of all numbers (True), or of
    none: series that grow with time look related, whatever they depend on. Series with at least 20 rows each have
    trends of their own. ``season`` is the number of steps of a cycle, such as 12 months or 4 quarters, whose means are
    taken out. A series that its past and others determine exactly, such as a counter of days, is left out.

    Rows with a missing cell, now or in their past, are left out: a cell occurs in several rows, so that it cannot be
    drawn in each of them on its own.

    >>> import causal_zigzag as cz
    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.normal(size=(2, 200))
    >>> y[1:] += 0.9 * x[:-1]
    >>> table = cz.lagged({"x": x, "y": y}, lags=1)
    >>> table.nodes, table.contexts
    (('x', 'y', 'x[t-1]', 'y[t-1]'), ('x[t-1]', 'y[t-1]'))
    >>> round(float(cz.exact_posterior(table).edge_probabilities().frame().loc["x[t-1]", "y"]), 3)
    1.0
    """
    steps = read_count("lags", lags, 1)
    trend, season = read_trend(trend, season)
    if reading.get("weights") is not None:
        raise DataError(f"weights={reading['weights']!r} counts equal rows, but each row of a series has its own time")
    keys = [] if by is None else [*by] if isinstance(by, (list, tuple)) else [by]
    asked = [*keys, *([] if time is None else [time])]
    for word, name in (*(("by", key) for key in keys), *([] if time is None else [("time", time)])):
        if not is_hashable(name):
            raise DataError(f"{word} must be the name of a column, not {type(name).__name__}")
    original = data
    if any(name in getattr(getattr(data, "index", None), "names", ()) for name in asked):  # of a data frame
        data = data.reset_index()
    layout = read_layout(**{word: reading.get(word, default) for word, default in LAYOUT.items()})
    cells: dict[Hashable, NDArray[Any]] = {}
    for word, names in (("by", keys), ("time", asked[len(keys) :])) if not isinstance(data, Table) else ():
        cells |= cells_of(data, names, word, layout) if names else {}
    table = _read(data, asked, reading)
    series = group_numbers(keys, cells, table.n_rows, "series")
    times = np.arange(table.n_rows, dtype=np.float64)
    if time is not None:
        times = times_of(time, cells[time])
        check_sorted(time, times, cells[time], series)
    elif keys:
        for rows in rows_of(series):
            times[rows] = np.arange(len(rows))
    unread = _unread_dates(data, series) if time is None else []
    longest = max(len(rows) for rows in rows_of(series))
    if longest <= steps:
        raise DataError(f"a past of {count(steps, 'step')} needs {steps + 1} successive rows, but there are {longest}")
    constant = [column for column in table.columns if keys and _is_fixed(column, series)]
    given = [column for column in table.columns if column.name in table.contexts or column in constant]
    moving = [column for column in table.columns if column not in given]
    if not moving:
        raise DataError(f"every column is constant in each series of {show_all(keys)}, so nothing changes in time")
    counters = parts_of_time(moving) if time is None and not keys else ()
    moving = [column for column in moving if column.name not in counters]
    moving, about_time = without_time(moving, times, series, steps, trend, season)
    places = earlier_rows(times, series, steps)
    whole = (places >= 0).all(axis=1)
    gaps = np.any([column.missing for column in moving], axis=0)
    unknown = np.any([gaps, *(column.missing for column in given)], axis=0) | gaps[places].any(axis=1)
    rows = np.flatnonzero(whole & ~unknown)
    if len(rows) < FEWEST_ROWS:
        fault = f"only {count(len(rows), 'row')} of {table.n_rows:,} have a complete past of {count(steps, 'step')}"
        raise DataError(fault, "use fewer lags, or fill the gaps")
    given = [column.rows(rows) for column in given]
    flat = [column for column in moving if any(map(_is_flat, _behind([column], places[rows])))]
    flat += [column for column in given if _is_flat(column)]
    moving, given = ([column for column in group if column not in flat] for group in (moving, given))
    if not moving:
        raise DataError("no column varies in the rows that have a past")
    moving, determined = _without_determined(moving, given, places[rows], counters)
    columns = [column.with_used_levels() for column in (*_behind(moving, places[rows]), *given)]
    if repeated := name_fault([column.name for column in columns], "column name", "columns"):
        raise DataError(f"{repeated}; rename the column that already has this name")
    options = {"lags": steps} | ({} if by is None else {"by": by}) | ({} if time is None else {"time": time})
    options |= ({} if trend == "auto" else {"trend": trend}) | ({} if season is None else {"season": season})
    own = {word: value for word, value in reading.items() if value}
    return Table(
        tuple(columns),
        Labels([column.name for column in columns]),
        len(rows),
        replace(
            table.source,
            reading=", ".join(as_code(options | own)),
            left_out=table.n_rows - len(rows),
            given=table.source.given if isinstance(original, Table) else original,
        ),
        (
            *table.notes,
            *unread,
            *about_time,
            *determined,
            *_flat_note(flat),
            *_notes(steps, len(rows), int((~whole).sum()), int((whole & unknown).sum()), constant),
        ),
        tuple(column.rows(rows) for column in table.aside),
        tuple(column.name for column in columns[len(moving) :]),
        table.targets,
        series[rows],
        tuple(keys),
        in_time=True,
    )


def _behind(moving: list[Column], places: NDArray[np.intp]) -> list[Column]:
    """The columns now and in the past, given the numbers of the rows that are some steps behind."""
    return [
        replace(column.rows(places[:, lag]), name=past_name(column.name, lag))
        for lag in range(places.shape[1])
        for column in moving
    ]


def _without_determined(
    moving: list[Column], given: list[Column], places: NDArray[np.intp], counters: Sequence[Hashable]
) -> tuple[list[Column], list[Finding]]:
    """The series without those that are determined exactly, now or in the past, and the note about them.

    The past comes first, so that a series that is the past of another one is left out itself, also if it is so but for
    constants of each of the ``given`` columns. The ``counters`` are left out already.
    """
    left_out = [*counters]
    while len(moving) > 1:
        columns = _behind(moving, places[:, ::-1])
        kept, _ = without_dependent([*given, *columns], {column.name for column in given})
        names = {column.name for column in kept}
        at = next((i for i, column in enumerate(columns) if column.name not in names), None)
        if at is None:
            break
        left_out.append(moving[at % len(moving)].name)
        del moving[at % len(moving)]
    if not left_out:
        return moving, []
    texts = [str(name) for name in left_out]
    words = f"The order of the rows, the past or other series determine {listed(texts)} exactly."
    left = "It is left out." if len(texts) == 1 else "They are left out."
    return moving, [Finding("dependent", tuple(texts), words, left, severity=CHANGED)]


def past_name(series: Hashable, lag: int) -> Hashable:
    """The name of the column of a series that is some steps behind; that of the present is the name of the series.

    >>> past_name("gdp", 1), past_name("gdp", 0)
    ('gdp[t-1]', 'gdp')
    """
    return f"{series}[t-{lag}]" if lag else series


def past_columns(nodes: Iterable[Hashable], contexts: Iterable[Hashable]) -> tuple[Past, ...]:
    """The columns of the past among these nodes; empty unless they come from ``lagged``.

    >>> past_columns(["gdp", "gdp[t-1]"], ["gdp[t-1]"])
    (Past(name='gdp[t-1]', series='gdp', lag=1),)
    """
    given, by_text = {*contexts}, {str(name): name for name in nodes}
    found = ((name, _PAST.fullmatch(name)) for name in by_text.values() if isinstance(name, str) and name in given)
    return tuple(
        Past(name, by_text[match["series"]], int(match["lag"]))
        for name, match in found
        if match is not None and match["series"] in by_text
    )


def _read(data: Any, asked: list[Hashable], reading: ReadingColumns) -> Table:
    if isinstance(data, Table):
        if past_columns(data.nodes, data.contexts):
            raise DataError("the table already has columns of the past; pass the data that it was read from")
        if asked:
            raise DataError(f"a Table no longer has the column {show(asked[0])}; pass the data that it was read from")
        return read_table(data, **reading)
    options: dict[str, Any] = {word: value for word, value in reading.items() if word != "missing"}
    if "missing" in reading and read_missing(reading["missing"]) == "refuse":
        options["missing"] = "refuse"
    drop = options.pop("drop", ())
    dropped = [drop] if isinstance(drop, (str, bytes)) or not isinstance(drop, Iterable) else [*drop]
    return read_table(data, drop=[*dropped, *(name for name in asked if name not in dropped)], **options)


def _is_fixed(column: Column, series: NDArray[np.intp]) -> bool:
    """Whether the column is constant in every series."""
    values = column.codes if column.numbers is None else column.numbers
    assert values is not None
    known = ~column.missing
    return all(len(np.unique(values[rows[known[rows]]])) <= 1 for rows in rows_of(series))


def _is_flat(column: Column) -> bool:
    """Whether no two rows differ."""
    values = np.asarray(column.numbers if column.codes is None else column.codes, dtype=np.float64)
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())


def _flat_note(columns: list[Column]) -> list[Finding]:
    if not columns:
        return []
    texts = [str(column.name) for column in columns]
    words = f"Constant in the rows that have a past: {listed(texts)}."
    left = "It is left out." if len(texts) == 1 else "They are left out."
    return [Finding("constant", tuple(texts), words, left, severity=CHANGED)]


def _unread_dates(data: Any, series: NDArray[np.intp]) -> list[Finding]:
    """A note if a data frame has an index of dates, not all one step apart, that ``time`` does not name."""
    index: Any = getattr(data, "index", None)
    if getattr(getattr(index, "dtype", None), "kind", "") != "M" or index.hasnans:
        return []
    times = times_of("index", np.asarray(index))
    if all(np.ptp(np.diff(times[rows])) < TOLERANCE for rows in rows_of(series) if len(rows) > 1):
        return []
    words = "The dates of the index were not used, and not all of them are one step apart."
    return [Finding("lags", (), words, 'To use them: time="date" for data.rename_axis("date").', severity=CHANGED)]


def _notes(steps: int, used: int, without_past: int, unknown: int, fixed: list[Column]) -> list[Finding]:
    words = f"Each of {count(used, 'row')} has {count(steps, 'step')} of its past."
    if fixed:
        words += f" Constant in every series: {listed([str(column.name) for column in fixed])}."
    reasons = [f"{count(without_past, 'row')} without a past"] * (without_past > 0)
    reasons += [f"{count(unknown, 'row')} with missing cells, now or in their past"] * (unknown > 0)
    left = f"Left out: {' and '.join(reasons)}." if reasons else "No row is left out."
    return [Finding("lags", (), words, left, severity=CHANGED if unknown or without_past > steps else READ)]
