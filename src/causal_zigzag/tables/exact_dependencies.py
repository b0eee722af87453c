"""Columns that others determine exactly: which of them to leave out, and the formula that says why."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.tables.column_kinds import FEW_VALUES, Column
from causal_zigzag.tables.early_names import may_be_early
from causal_zigzag.tables.finding import CHANGED, Finding
from causal_zigzag.tables.missing_cells import incomplete_rows

Array = NDArray[np.float64]

SINGULAR = 1e-9  # share of the variance of a column that others leave unexplained; scores refuse 1e-10
LARGEST_TOLERANCE = 1e-3
MOST_TERMS = 5  # of a formula
SMALL_TERM = 1e-4  # standardized coefficient that a formula leaves out
MOST_INDICATORS = 1000  # of categorical columns within combinations
EQUAL = 1e-8  # distance of a correlation from 1, and residual relative to the range, that rounding explains
CLOSE = 1e-4  # residual relative to the interquartile range
ROWS_AT_ONCE = 2**15  # of which correlations are added up, so that they need little memory
CHANCE_ROWS = 4  # in so few rows columns are equal, or functions of each other, by chance
MOST_SCREENED = 200  # rows in which a dependency is looked for first
FUNCTIONS = {"log": np.log, "sqrt": np.sqrt, "square": np.square, "reciprocal": np.reciprocal, "exp": np.exp}


def without_dependent(columns: Sequence[Column], keep: set[Hashable]) -> tuple[list[Column], list[Finding]]:
    """The columns without those that earlier ones determine, and a note for each of these.

    Columns in ``keep`` count as earlier than all others, so that another one of the same group is left out; then those
    that are hardly computed from others by their names, such as age of age = education + experience + 6.
    """
    order = sorted(range(len(columns)), key=lambda i: (columns[i].name not in keep, not may_be_early(columns[i].name)))
    ordered = [columns[i] for i in order]
    reasons = _renamed(ordered)
    if any(column.kind != "categorical" for column in ordered):  # scores of categories alone can use functions of them
        for find in (_grouped, _combined, _functions):
            reasons |= find([column for column in ordered if column.name not in reasons])
    notes = [_note(column.name, reasons[column.name]) for column in columns if column.name in reasons]
    return [column for column in columns if column.name not in reasons], notes


def _note(name: Hashable, reason: str) -> Finding:
    words = f"{show(name)} cannot be used beside other columns: {reason}."
    return Finding("dependent", (str(name),), words, "It is left out.", option=f"keep=[{name!r}]", severity=CHANGED)


def _renamed(columns: Sequence[Column]) -> dict[Hashable, str]:
    """Categorical columns whose levels are those of an earlier one under other names."""
    first: dict[bytes, Hashable] = {}
    found = {}
    for column in columns:
        if column.codes is None or column.kind != "categorical":
            continue
        _, start, place = np.unique(column.codes, return_index=True, return_inverse=True)
        rank = np.empty(len(start), dtype=np.int32)  # levels numbered by their first rows
        rank[np.argsort(start)] = np.arange(len(start))
        numbered = np.where(column.codes < 0, -1, rank[place]).astype(np.int32).tobytes()
        if numbered in first:
            found[column.name] = f"its levels are those of {show(first[numbered])} under other names"
        first.setdefault(numbered, column.name)
    return found


def _grouped(columns: Sequence[Column]) -> dict[Hashable, str]:
    """Categorical columns that determine another one and have many levels, like subjects; and functions of the others.

    A score cannot use both. Many levels stand for units rather than for a cause, and are left out; of few levels the
    column that they determine is.
    """
    found: dict[Hashable, str] = {}
    for group in sorted(columns, key=lambda column: -len(column.levels)):
        if group.kind != "categorical" or group.codes is None or group.name in found:
            continue
        for other in columns:
            if other is group or other.name in found or not _is_function(other, group):
                continue
            if len(group.levels) > FEW_VALUES:
                found[group.name] = f"each of its {len(group.levels)} levels has one value of {show(other.name)}"
                break
            found[other.name] = f"it follows from {show(group.name)}"
    return found


def _is_function(column: Column, group: Column) -> bool:
    """Whether the column varies, but not within groups, where neither cell is missing."""
    values = column.codes if column.codes is not None else column.numbers
    assert values is not None
    assert group.codes is not None
    present = (group.codes >= 0) & ~column.missing
    codes, values = group.codes[present], np.asarray(values[present], dtype=np.float64)
    if len(codes) < max(2, 2 * len(np.unique(codes))) or (values == values[0]).all():
        return False  # hardly a group has two rows, or nothing is to be determined
    last = np.zeros(len(group.levels))
    last[codes] = values  # of several cells of a group, one
    return bool((last[codes] == values).all())


def _combined(columns: Sequence[Column]) -> dict[Hashable, str]:
    """Columns that are linear combinations of earlier ones, where a categorical column is a set of indicators."""
    columns = _few_enough(columns)
    if len(columns) < 2:
        return {}
    complete = np.flatnonzero(~incomplete_rows(columns))
    rows = len(complete)
    if 2 * rows < len(columns[0].missing):  # categories can be combinations by chance in a few rows
        columns = [column for column in columns if column.kind != "categorical"]
    if len(columns) < 2:
        return {}
    indicators = sum(1 if column.kind != "categorical" else len(column.levels) - 1 for column in columns)
    some = complete[:: max(1, rows // max(MOST_SCREENED, 4 * indicators))]
    owner, correlation = _embedded(columns, some)
    if len(some) > len(owner) == indicators and has_eigenvalues_above(SINGULAR / 4, correlation):
        return {}  # a combination in all rows is one in some of them, if every indicator varies there
    owner, correlation = _embedded(columns, complete)
    if rows <= max(FEW_VALUES, len(owner)):  # then combinations exist by chance; only equal columns mean something
        return _twins(columns, owner, correlation)
    found: dict[Hashable, str] = {}
    tolerance = SINGULAR
    kept = np.arange(len(owner))
    left = correlation
    while not has_eigenvalues_above(SINGULAR / 4, left) and tolerance < LARGEST_TOLERANCE:
        chosen, dependent = _eliminate(left, owner[kept], tolerance)
        for number in dependent:
            basis = [i for i in kept[chosen].tolist() if owner[i] < number]
            own = np.flatnonzero(owner == number)
            weights = np.linalg.solve(correlation[np.ix_(basis, basis)], correlation[np.ix_(basis, own)])
            used = [basis[i] for i in np.flatnonzero(np.abs(weights).max(axis=1) > SMALL_TERM).tolist()]
            sources = [columns[i] for i in dict.fromkeys(owner[used].tolist())]
            found[columns[number].name] = _formula(columns[number], sources)
        kept = kept[chosen]
        left = correlation[np.ix_(kept, kept)]
        tolerance *= 10
    return found


def _embedded(columns: Sequence[Column], rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], Array]:
    """The column of each number or indicator that varies in these rows, and their correlations."""
    parts = [rows[first : first + ROWS_AT_ONCE] for first in range(0, len(rows), ROWS_AT_ONCE)]
    levels = [None if c.kind != "categorical" else np.unique(np.asarray(c.codes)[rows])[1:] for c in columns]
    owner = np.repeat(np.arange(len(columns)), [1 if own is None else len(own) for own in levels])

    def values(part: NDArray[np.intp]) -> Array:
        return np.concatenate([_block(column, own, part) for column, own in zip(columns, levels, strict=True)])

    mean = sum(values(part).sum(axis=1) for part in parts)[:, None] / len(rows)
    scatter = sum((centred := values(part) - mean) @ centred.T for part in parts)
    with np.errstate(all="ignore"):
        length = np.sqrt(np.diag(scatter))
        correlation = scatter / length[:, None] / length
    varies = length > 0
    return owner[varies], correlation[np.ix_(varies, varies)]


def _few_enough(columns: Sequence[Column]) -> list[Column]:
    """The columns without those categorical ones that have so many levels that all together are too many."""
    sizes = [1 if column.kind != "categorical" else len(column.levels) for column in columns]
    order = sorted(range(len(columns)), key=lambda i: sizes[i])
    total = np.cumsum([sizes[i] for i in order])
    chosen = {i for i, below in zip(order, total.tolist(), strict=True) if sizes[i] == 1 or below <= MOST_INDICATORS}
    return [column for i, column in enumerate(columns) if i in chosen]


def _block(column: Column, levels: NDArray[np.int32] | None, rows: NDArray[np.intp]) -> Array:
    """The numbers of a column, or the indicators of these levels, one per row of the array."""
    if levels is not None:
        return np.asarray(np.asarray(column.codes)[rows] == levels[:, None], dtype=np.float64)
    assert column.numbers is not None
    size = float(np.nanmax(np.abs(column.numbers)))
    return np.asarray(column.numbers[rows] / size)[None, :]


def has_eigenvalues_above(least: float, matrix: Array) -> bool:
    """Whether all eigenvalues are larger, by a Cholesky factor: ten times faster than the eigenvalues."""
    try:
        np.linalg.cholesky(matrix - least * np.eye(len(matrix)))
    except np.linalg.LinAlgError:
        return False
    return True


def _eliminate(correlation: Array, owner: NDArray[np.intp], tolerance: float) -> tuple[list[int], list[int]]:
    """The numbers that remain, and the columns that are combinations of earlier ones.

    A Cholesky decomposition that skips what has a residual below the tolerance; a column whose indicators are partly
    combinations of earlier columns is left out as a whole.
    """
    residual = correlation.copy()
    chosen: list[int] = []
    dependent: list[int] = []
    for column in dict.fromkeys(owner.tolist()):
        numbers = np.flatnonzero(owner == column).tolist()
        before = residual.copy() if len(numbers) > 1 else residual
        for i in numbers:
            if residual[i, i] < tolerance:
                dependent.append(column)
                residual = before
                break
            residual = residual - np.outer(residual[:, i], residual[i]) / residual[i, i]
        else:
            chosen += numbers
    return chosen, dependent


def _formula(column: Column, sources: Sequence[Column]) -> str:
    """The combination of the sources that equals a column, in words."""
    if _are_indicators([column, *sources]):
        names = show_all(one.name for one in (column, *sources))
        return f"exactly one of {names} is 1 in each row, so they are one category; use a column with its levels"
    simple = all(one.kind != "categorical" for one in (column, *sources))
    if not simple or len(sources) > MOST_TERMS:
        return f"it follows from {show_all(one.name for one in sources)}"
    complete = ~incomplete_rows([column, *sources])
    y = np.asarray(column.numbers)[complete]
    x = np.array([np.asarray(one.numbers)[complete] for one in sources] + [np.ones(len(y))])
    scale = np.abs(x).max(axis=1)
    factors = np.linalg.lstsq((x / scale[:, None]).T, y, rcond=None)[0] / scale
    if abs(factors[-1]) < 1e-7 * np.abs(y).max():
        factors[-1] = 0.0
    if len(sources) > 1 and factors[-1] > 0 and np.allclose(factors[:-1], -1, atol=1e-6):
        names = show_all(one.name for one in (column, *sources))
        return f"{names} add up to {factors[-1]:.6g}, like shares; ratios of the others are free of this"
    terms = [_term(float(f), show(one.name)) for f, one in zip(factors, sources, strict=False)]
    terms += [_term(float(factors[-1]), "")] if factors[-1] else []
    text = " ".join(terms).removeprefix("+ ")
    return f"{show(column.name)} = {text.replace('- ', '−', 1) if text.startswith('- ') else text}"


def _are_indicators(columns: Sequence[Column]) -> bool:
    """Whether the columns are 0 or 1, and exactly one of at least three is 1 in each row."""
    if len(columns) < 3 or any(column.numbers is None or {*column.levels} != {0, 1} for column in columns):
        return False
    complete = ~incomplete_rows(columns)
    ones = np.array([np.asarray(column.numbers)[complete] for column in columns]).sum(axis=0)
    return bool((ones == 1).all())


def _term(factor: float, name: str) -> str:
    size = f"{abs(factor):.6g}"
    body = f"{size} {name}" if name and size != "1" else name or size
    return f"{'-' if factor < 0 else '+'} {body}"


def _twins(columns: Sequence[Column], owner: NDArray[np.intp], correlation: Array) -> dict[Hashable, str]:
    found: dict[Hashable, str] = {}
    for i, j in np.argwhere(np.triu(np.abs(correlation) > 1 - SINGULAR, 1)).tolist():
        a, b = columns[owner[i]], columns[owner[j]]
        if a.name not in found and "categorical" not in (a.kind, b.kind):
            found.setdefault(b.name, f"it is a linear function of {show(a.name)}")
    return found


def _functions(columns: Sequence[Column]) -> dict[Hashable, str]:
    """Continuous columns that are a logarithm, root, square, reciprocal or exponential of an earlier one."""
    numeric = [column for column in columns if column.kind == "continuous"]
    if len(numeric) < 2:
        return {}
    complete = np.flatnonzero(~incomplete_rows(numeric))
    if len(complete) < MOST_TERMS:
        return {}
    some = complete[:: -(-len(complete) // MOST_SCREENED)]
    numbers = np.array([column.numbers for column in numeric])
    screened = _standardized(numbers[:, some])
    found: dict[Hashable, str] = {}
    for word, function in FUNCTIONS.items():
        with np.errstate(all="ignore"):
            made = _standardized(function(np.where(numbers[:, some] > 0, numbers[:, some], np.nan)))
        close = np.abs(made @ screened.T) > 1 - EQUAL  # False for NaN
        for i, j in np.argwhere(np.triu(close, 1)).tolist():
            if numeric[i].name not in found and _is_linear(function, numbers[i, complete], numbers[j, complete]):
                reason = f"it is a linear function of {word}({show(numeric[i].name)})"
                found.setdefault(numeric[j].name, reason)
    return found


def _is_linear(function: Callable[[Array], Array], x: Array, y: Array) -> bool:
    """Whether y is a linear function of function(x), also where the cells are close together."""
    with np.errstate(all="ignore"):
        made = function(x)
    if not np.isfinite(made).all():
        return False
    slope, offset = np.polyfit(made, y, 1)
    residual = np.abs(y - slope * made - offset).max()
    return bool(residual <= 1e-6 * np.ptp(y) and residual <= CLOSE * np.subtract(*np.percentile(y, [75, 25])))


def _standardized(values: Array) -> Array:
    """The rows with mean 0 and length 1; NaN for those that are constant or have no such function."""
    with np.errstate(all="ignore"):
        centred = values - values.mean(axis=1, keepdims=True)
        return np.asarray(centred / np.sqrt(np.einsum("ij,ij->i", centred, centred))[:, None])
