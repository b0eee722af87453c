"""Columns that others determine exactly: which of them to leave out, and the formula that says why."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.finding import CHANGED, Finding
from causal_zigzag.tables.names_in_words import names_flag

Array = NDArray[np.float64]

SINGULAR = 1e-9  # share of the variance of a column that others leave unexplained; scores refuse 1e-10
MOST_TERMS = 5  # of a formula
EQUAL = 1e-8  # distance of a correlation from 1, and residual relative to the range, that rounding explains
CLOSE = 1e-4  # residual relative to the interquartile range
MOST_SCREENED = 200  # rows in which a function is looked for first
FUNCTIONS = {"log": np.log, "sqrt": np.sqrt, "square": np.square, "reciprocal": np.reciprocal, "exp": np.exp}


def without_dependent(columns: Sequence[Column], keep: set[Hashable]) -> tuple[list[Column], list[Finding]]:
    """The columns without those that earlier ones determine, and a note for each of these.

    Columns in ``keep`` count as earlier than all others, so that another one of the same group is left out.
    """
    order = sorted(range(len(columns)), key=lambda i: columns[i].name not in keep)
    ordered = [columns[i] for i in order]
    reasons = {**_renamed(ordered)}
    rest = [column for column in ordered if column.name not in reasons]
    if any(column.kind != "categorical" for column in rest):
        reasons |= _combined(rest)
        reasons |= _functions([column for column in rest if column.name not in reasons])
    notes = [_note(column.name, reasons[column.name]) for column in columns if column.name in reasons]
    return [column for column in columns if column.name not in reasons], notes


def _note(name: Hashable, reason: str) -> Finding:
    words = f"Other columns determine {show(name)}: {reason}."
    option, flag = f"keep=[{name!r}]", names_flag("--keep", [name])
    return Finding("dependent", (str(name),), words, "It is left out.", 0.0, SINGULAR, option, flag, CHANGED)


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


def _combined(columns: Sequence[Column]) -> dict[Hashable, str]:
    """Columns that are linear combinations of earlier ones, where a categorical column is a set of indicators."""
    complete = ~np.logical_or.reduce([column.missing for column in columns])
    blocks = [_block(column)[:, complete] for column in columns]
    owner = np.repeat(np.arange(len(columns)), [len(block) for block in blocks])
    values = np.concatenate(blocks)
    rows = values.shape[1]
    if rows <= 2:
        return {}
    values = values - values.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.einsum("ij,ij->i", values, values))
    varies = deviation > 0  # some columns may vary only in rows with missing cells
    values = values[varies] / deviation[varies, None]
    owner = owner[varies]
    correlation = values @ values.T
    if rows <= len(values):  # then combinations exist by chance; only equal columns mean something
        return _twins(columns, owner, correlation)
    found: dict[Hashable, str] = {}
    tolerance = SINGULAR
    kept = np.arange(len(values))
    while _is_singular(correlation[np.ix_(kept, kept)]) and tolerance < 1e-3:
        chosen, dependent = _eliminate(correlation[np.ix_(kept, kept)], owner[kept], tolerance)
        for number in dependent:
            basis = [i for i in kept[chosen] if owner[i] < number]
            found[columns[number].name] = _formula(columns, number, basis, owner, values)
        kept = kept[chosen]
        tolerance *= 10
    return found


def _block(column: Column) -> Array:
    """The numbers of a column, or the indicators of its levels but the first, one per row."""
    if column.kind == "categorical" and column.codes is not None:
        return np.asarray(column.codes[None, :] == np.arange(1, len(column.levels))[:, None], dtype=np.float64)
    assert column.numbers is not None
    size = float(np.nanmax(np.abs(column.numbers)))
    return np.asarray(column.numbers / size)[None, :]


def _is_singular(correlation: Array) -> bool:
    try:
        np.linalg.cholesky(correlation - SINGULAR * np.eye(len(correlation)))
    except np.linalg.LinAlgError:
        return True
    return False


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


def _formula(
    columns: Sequence[Column], number: int, basis: Sequence[int], owner: NDArray[np.intp], values: Array
) -> str:
    """The combination of the basis that equals a column, in words."""
    own = np.flatnonzero(owner == number)
    among = values[list(basis)]
    weights = np.linalg.lstsq(among.T, values[own].T, rcond=None)[0]
    used = [basis[i] for i in np.flatnonzero(np.abs(weights).max(axis=1) > 1e-6).tolist()]
    sources = [columns[i] for i in dict.fromkeys(owner[used].tolist())]
    simple = all(column.kind != "categorical" for column in (columns[number], *sources))
    if not simple or len(sources) > MOST_TERMS:
        return f"it follows from {show_all(column.name for column in sources)}"
    complete = ~np.logical_or.reduce([column.missing for column in columns])
    y = np.asarray(columns[number].numbers)[complete]
    x = np.array([np.asarray(column.numbers)[complete] for column in sources] + [np.ones(len(y))])
    scale = np.abs(x).max(axis=1)
    factors = np.linalg.lstsq((x / scale[:, None]).T, y, rcond=None)[0] / scale
    if abs(factors[-1]) < 1e-7 * np.abs(y).max():
        factors[-1] = 0.0
    terms = [_term(float(f), show(column.name)) for f, column in zip(factors, sources, strict=False)]
    terms += [_term(float(factors[-1]), "")] if factors[-1] else []
    text = " ".join(terms).removeprefix("+ ")
    return f"{show(columns[number].name)} = {text.replace('- ', '−', 1) if text.startswith('- ') else text}"


def _term(factor: float, name: str) -> str:
    size = f"{abs(factor):.6g}"
    body = f"{size} {name}" if name and size != "1" else name or size
    return f"{'-' if factor < 0 else '+'} {body}"


def _twins(columns: Sequence[Column], owner: NDArray[np.intp], correlation: Array) -> dict[Hashable, str]:
    found: dict[Hashable, str] = {}
    for i, j in np.argwhere(np.triu(np.abs(correlation) > 1 - SINGULAR, 1)).tolist():
        a, b = columns[owner[i]], columns[owner[j]]
        if a.name not in found and a is not b:
            found.setdefault(b.name, f"it is a linear function of {show(a.name)}")
    return found


def _functions(columns: Sequence[Column]) -> dict[Hashable, str]:
    """Continuous columns that are a logarithm, root, square, reciprocal or exponential of an earlier one."""
    numeric = [column for column in columns if column.kind == "continuous"]
    complete = np.flatnonzero(~np.logical_or.reduce([column.missing for column in numeric], initial=False))
    if len(numeric) < 2 or len(complete) < MOST_TERMS:
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
