"""Checks of the rows: successive rows that are alike, groups of rows, and rows that stand for several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.support.wording import count, percentage
from causal_zigzag.tables.checks.checked_table import CERTAIN, MOST_ROWS, Array, CheckedTable, ranks
from causal_zigzag.tables.checks.series import find_series
from causal_zigzag.tables.column_kinds import Column, is_whole
from causal_zigzag.tables.finding import DOUBTFUL, SERIOUS, Finding
from causal_zigzag.tables.names_in_words import as_code, listed

FEWEST_ROWS = 30  # for an order
IN_ORDER = 0.2  # correlation of successive rows, if it is also CERTAIN standard errors from 0
NEARLY = 0.02  # share of steps against the order of a table that is sorted but for some rows
MOST_KEYS = 3  # columns by which a table is sorted
DEGREE = 5  # of the polynomial of ranks by which sorting explains a column
BETWEEN = 0.2  # share of the variance between groups (intraclass correlation)
FEWEST_GROUPS = 8  # fewer are the levels of a cause rather than units
MANY_LEVELS = 20  # of text
UNITS = re.compile(
    r"(?:^|[^a-z])(?:id|subject|subj|person|patient|respondent|child|rat|mouse|animal|litter|plot|tree|school|class|"
    r"teacher|prof|firm|company|site|cent(?:er|re)|hospital|clinic|household|hh|family|village|cluster|unit|group)"
    r"(?:_?(?:id|no|nr|num))?$",
    re.IGNORECASE,
)
TREND = 3  # degree of the polynomial by which the number of a group may explain a column
COUNTS = re.compile(r"(?:^|[^a-z])(?:freq|frequency|counts?|n|nobs|weights?|wt|fnlwgt)$", re.IGNORECASE)
CASES = re.compile(r"^(?:n_?cases|n_?controls|cases|controls|n_?events|n_?trials)$", re.IGNORECASE)
DESIGN = re.compile(r"^(?:strat(?:um|a)|matched_?sets?|pair|block|fold|cluster|psu)(?:_?(?:id|no|nr))?$", re.IGNORECASE)


def order(checked: CheckedTable) -> Iterator[Finding]:
    """Columns in which successive rows are alike, beyond what explains them by the order of sorting.

    In a table of ``lagged`` these are the residuals given the past, which are independent if there are enough lags.
    Rows that were said to belong together may be alike.
    """
    told = checked.table.groups is not None and not checked.table.in_time
    if checked.repeated or checked.rows < FEWEST_ROWS or told:
        return
    first = np.arange(min(checked.table.n_rows, MOST_ROWS))
    columns = [column.rows(first) for column in checked.table.columns]
    keys = _sorted_by([*columns, *(column.rows(first) for column in checked.table.aside)])
    lagged = any(note.kind == "lags" for note in checked.table.notes)
    given = [column for column in columns if lagged and column.name in checked.table.contexts]
    past = np.array([np.ones(len(first)), *(values for column in given for values in _values(column))]).T
    found = []
    for column in columns:
        if any(column is one for one in (*keys, *given)):
            continue
        strength = max((_successive(_residuals(values, past), keys) for values in _values(column)), default=0.0)
        if strength > IN_ORDER:
            found.append((checked.name(column), strength))
    series = None if lagged or found else find_series(checked)
    if series is not None and series.time is not None:
        words = f"{series.time} increases in equal steps{' within each unit' if series.by else ''}, so that rows are "
        words += "a series in time."
        remedy = "Rows are used as if they were independent, unless the past is taken into account."
        yield Finding("order", (str(series.time),), words, remedy, option=", ".join(as_code(series.options())))
    if found:
        beyond = ", given their past" if lagged else ""
        beyond += f", also beyond the order by {listed([str(key.name) for key in keys])}" if keys else ""
        options = {} if lagged else _past(checked, keys)
        remedy = "Rows are used as if they were independent; "
        if lagged:
            remedy = "The past does not explain this: try more lags, which cz.compare_lags compares."
        elif keys and not options:
            remedy += "the table is sorted, and may be sorted by something else too."
        else:
            when = "" if {*options} & {"time", "drop"} else "if they are in the order of time, "
            remedy += f"{when}edges look more certain than they are, unless the past is taken into account."
        yield Finding(
            "order",
            tuple(name for name, _ in found),
            f"Successive rows are alike{beyond}: {listed([f'{name} ({strength:.2f})' for name, strength in found])}; "
            "the numbers are correlations.",
            remedy,
            max(strength for _, strength in found),
            IN_ORDER,
            ", ".join(as_code(options)),
            severity=DOUBTFUL if keys and not (lagged or options) else SERIOUS,
        )


def _past(checked: CheckedTable, keys: list[Column]) -> dict[str, Any]:
    """The arguments of ``lagged`` for a table that seems to be in the order of time; none if it is only sorted."""
    series = find_series(checked)
    if series is not None:
        return series.options()
    dates = [name for note in checked.table.notes if note.kind == "date" for name in note.columns]
    unit = next((finding.columns[0] for finding in groups(checked)), None)
    by = {} if unit is None else {"by": [next((c.name for c in checked.columns if checked.name(c) == unit), unit)]}
    if dates:
        return {"lags": 1} | by | {"time": dates[0]}
    return {"lags": 1} | by if by or not keys else {}


def _sorted_by(columns: list[Column]) -> list[Column]:
    """Columns by which the table is sorted: the first one, then others within its equal rows."""
    keys: list[Column] = []
    n = len(columns[0].missing)
    starts = np.zeros(n, dtype=bool)  # rows at which a block of rows that agree in all keys begins
    starts[0] = True
    while len(keys) < MOST_KEYS and starts.sum() < n / 2:
        rest = [column for column in columns if not any(column is key for key in keys)]
        against = [_steps_against(column, starts) for column in rest]
        if min(against, default=1.0) > NEARLY:
            break
        keys.append(rest[int(np.argmin(against))])
        values = _plain(keys[-1])
        starts[1:] |= values[1:] != values[:-1]
    return keys


def _plain(column: Column) -> Array:
    values = column.numbers if column.numbers is not None else column.codes
    return np.nan_to_num(np.asarray(values, dtype=np.float64), nan=-np.inf)


def _steps_against(column: Column, starts: NDArray[np.bool_]) -> float:
    """The share of steps within blocks against an increasing or decreasing order, or back to an earlier level."""
    values = _plain(column)
    with np.errstate(invalid="ignore"):
        steps = np.where(starts[1:], 0.0, np.sign(values[1:] - values[:-1]))
    up, down = int((steps > 0).sum()), int((steps < 0).sum())
    if up + down == 0:
        return 1.0
    back = up + down + 1 - len(np.unique(values)) if column.kind == "categorical" else up + down
    return min(up, down, back) / (up + down)


def _values(column: Column) -> Iterator[Array]:
    """Ranks of the numbers, or indicators of the frequent levels."""
    if column.kind != "categorical" and column.numbers is not None:
        yield ranks(np.where(column.missing, np.nanmedian(column.numbers), column.numbers))
        return
    assert column.codes is not None
    times = np.bincount(column.codes[column.codes >= 0])
    for level in np.flatnonzero(times >= max(10, len(column.codes) / 20)).tolist():
        yield np.asarray(column.codes == level, dtype=np.float64)


def _residuals(values: Array, past: Array) -> Array:
    """The values without what is linear in the columns of the past."""
    return np.asarray(values - past @ np.linalg.lstsq(past, values)[0])


def _successive(values: Array, keys: list[Column]) -> float:
    """The correlation of successive rows without what the keys explain; 0 if chance explains it."""
    centred = values - values.mean()
    size = float((centred**2).sum())
    for key in [*keys, *keys[:-1]]:
        centred = _without(centred, _plain(key))
    rest = float((centred**2).sum())
    if rest < 1e-6 * size or size == 0:
        return 0.0
    strength = float((centred[1:] * centred[:-1]).sum() / rest)
    return strength if strength > CERTAIN / len(values) ** 0.5 else 0.0


def _without(values: Array, key: Array) -> Array:
    """The values without the means of equal keys, or without a polynomial of their ranks if few are equal."""
    distinct, place = np.unique(key, return_inverse=True)
    if len(distinct) <= len(key) / 4:
        return np.asarray(values - (np.bincount(place, values) / np.bincount(place))[place])
    scaled = ranks(key) / len(key)
    return np.asarray(values - np.polyval(np.polyfit(scaled, values, DEGREE), scaled))


def groups(checked: CheckedTable) -> Iterator[Finding]:
    """Columns that name units with several rows each: other columns vary much more between them than within.

    A number may be a cause, whose effect is smooth, so what a cubic of it explains does not count. The column with the
    fewest units is proposed as ``by``, as they contain those of others, such as the schools of pupils.
    """
    found = [] if checked.repeated else [*_units(checked)]
    coarsest = min((units for _, units, _ in found), default=0)
    for column, units, shares in found:
        name = str(column.name)
        worst = sorted(shares, key=lambda other: -shares[other])
        texts = listed([f"{other} ({percentage(shares[other])})" for other in worst])
        together = units == coarsest
        yield Finding(
            "groups",
            (name, *worst),
            f"{name} has {units:,} values with {checked.rows / units:.3g} rows each, between which other columns "
            f"differ: {texts} of the variance is between them.",
            "Rows are used as if they were independent; with by= whole groups are resampled, and it is no variable."
            if together
            else "Rows are used as if they were independent; if these are repeated measures, use one row per unit.",
            max(shares.values()),
            BETWEEN,
            f"by=[{column.name!r}]" if together else "",
            SERIOUS,
        )


def _units(checked: CheckedTable) -> Iterator[tuple[Column, int, dict[str, float]]]:
    """Columns that name units, the number of these, and the shares of the variance of other columns between them."""
    for column in checked.columns + list(checked.table.aside):
        codes = _group_codes(column, checked.rows)
        if codes is None or column.name in checked.table.contexts:  # what is given is no unit that was overlooked
            continue
        others = [(checked.name(c), x) for c, x in zip(checked.numeric, checked.filled, strict=True) if c is not column]
        shares = {name: _between(numbers, codes, column) for name, numbers in others}
        shares = {name: share for name, share in shares.items() if share > BETWEEN}
        if shares:  # categories within which nothing varies speak for units beside a number
            alike = [c for c in checked.categorical if c is not column and _is_constant_within(c, codes)]
            shares |= {checked.name(c): 1.0 for c in alike}
        if len(shares) >= min(2, len(others)) > 0:  # a pair of columns that share units looks dependent
            yield column, int(codes.max()) + 1, shares


def _is_constant_within(column: Column, codes: NDArray[np.intp]) -> bool:
    """Whether all rows of a group have the same level."""
    assert column.codes is not None
    first = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    first[codes] = column.codes
    return bool((first[codes] == column.codes).all())


def _group_codes(column: Column, rows: int) -> NDArray[np.intp] | None:
    """The groups of rows by the values of a column; None if it is unlikely to name units with several rows each.

    Units have names or numbers that a study has given them: many levels, a name that says so, or numbers of rows that
    differ less than by chance.
    """
    if column.missing.any() or len(column.missing) != rows:
        return None
    values = column.codes if column.codes is not None else column.numbers
    assert values is not None
    if column.codes is None and not is_whole(np.asarray(values)):
        return None
    _, codes, times = np.unique(values, return_inverse=True, return_counts=True)
    if not FEWEST_GROUPS <= len(times) <= rows / 2:
        return None
    balanced = times.var() < times.mean() / 2  # of a Poisson distribution these are equal
    many = column.numbers is None and len(times) >= MANY_LEVELS
    return codes if balanced or many or UNITS.search(str(column.name)) else None


def _between(numbers: Array, codes: NDArray[np.intp], column: Column) -> float:
    """The intraclass correlation, after a trend along the numbers of the groups; 0 if chance explains it."""
    times = np.bincount(codes)
    k, n = len(times), len(codes)
    centred = numbers - numbers.mean()
    used = 0
    if column.kind != "categorical" and column.numbers is not None:
        scaled = (column.numbers - column.numbers.mean()) / column.numbers.std()
        centred = centred - np.polyval(np.polyfit(scaled, centred, TREND), scaled)
        used = TREND
    means = np.bincount(codes, centred) / times
    within = float(((centred - means[codes]) ** 2).sum()) / (n - k)
    between = float((times * means**2).sum()) / max(k - 1 - used, 1)
    if between <= within * (1 + CERTAIN * (2 / max(k - 1 - used, 1) + 2 / (n - k)) ** 0.5):
        return 0.0
    size = n / k
    return float((between - within) / (between + (size - 1) * within))


def rows_that_count(checked: CheckedTable) -> Iterator[Finding]:
    """Columns that count equal rows, or the cases of a group, and columns that only describe the design of a study."""
    if not checked.repeated:
        yield from _counts(checked)
    found = [column for column in checked.columns if DESIGN.search(str(column.name))]
    for column in found:
        name = checked.name(column)
        words = f"Does {name} name the stratum, block or pair of a row? Then it is no property of a unit."
        option = f"drop=[{column.name!r}]"
        yield Finding("design", (name,), words, "Used like any other column.", None, None, option)


def _counts(checked: CheckedTable) -> Iterator[Finding]:
    counts = [c for c in checked.columns if COUNTS.search(str(c.name)) and _are_counts(c)]
    cases = [c for c in checked.columns if CASES.search(str(c.name)) and _are_counts(c)]
    others = [c for c in checked.columns if not any(c is one for one in counts)]
    for column in counts:
        distinct = _distinct_rows(others)
        if distinct < 0.9 or sum(c.kind != "categorical" for c in others) > 1:
            continue  # rows repeat by themselves, or measurements are not counted, so they are units
        name = checked.name(column)
        total = int(np.nansum(np.asarray(column.numbers)))
        words = f"{name} seems to count equal rows: the other columns differ in {percentage(distinct)} of the rows."
        remedy = f"Used like any other column; as weights, the table has {count(total, 'row')}."
        yield Finding("counts", (name,), words, remedy, distinct, 0.9, f"weights={column.name!r}", SERIOUS)
    if cases:
        names = tuple(checked.name(column) for column in cases)
        words = f"{listed(names)} seem to count people or events, so that a row is a group and not a unit."
        remedy = "Used like any other column; a table with one row per person, or with weights, says more."
        yield Finding("counts", names, words, remedy, None, None, f"weights={cases[-1].name!r}", SERIOUS)


def _are_counts(column: Column) -> bool:
    numbers = column.numbers
    if numbers is None or column.missing.any() or not is_whole(numbers):
        return False
    return bool(numbers.min() >= 0 and len(np.unique(numbers)) > 2)


def _distinct_rows(columns: list[Column]) -> float:
    """The share of distinct rows."""
    stacked = np.array([_plain(column) for column in columns])
    return float(len(np.unique(stacked, axis=1).T) / stacked.shape[1])
