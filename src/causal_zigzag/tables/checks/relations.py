"""Checks of pairs and groups of columns: near-duplicates, collinear groups, functions of one another, and curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.support.wording import percentage
from causal_zigzag.tables.checks.checked_table import CheckedTable, ranks
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.curved_pairs import CURVED, MOST_FOR_CURVES, curved_pairs
from causal_zigzag.tables.early_names import may_be_early
from causal_zigzag.tables.exact_dependencies import has_eigenvalues_above
from causal_zigzag.tables.finding import DOUBTFUL, SERIOUS, Finding
from causal_zigzag.tables.missing_cells import incomplete_rows
from causal_zigzag.tables.names_in_words import enumerated, listed

ALIKE = 0.99  # absolute correlation of near-duplicates, or share of rows in which categories correspond
EXPLAINED = 0.999  # share of the variance of a column that others explain, if they are collinear
PART = 0.15  # smallest coefficient, relative to the largest, of a member of a collinear group
MOST_COMPARED = 100  # columns that are compared in pairs by their levels or curves
FEWEST_ROWS, MOST_SORTED = 40, 2000  # for functions
FUNCTION = 0.99  # share of the variance of a column that another one explains, if it is a function of it


def near_duplicates(checked: CheckedTable) -> Iterator[Finding]:
    """Near-duplicates among numeric columns, and collinear groups among one of each of them."""
    names = [checked.name(column) for column in checked.numeric]
    if len(names) < 2 or checked.filled.shape[1] < 3:
        return
    correlation = checked.correlation
    close = np.abs(correlation) > ALIKE
    np.fill_diagonal(close, False)
    kept = np.ones(len(names), dtype=bool)
    for group in _connected(close):
        least = min(abs(correlation[i, j]) for i in group for j in group if close[i, j])
        kept[group[1:]] = False
        yield _duplicates([checked.numeric[i] for i in group], checked, f"correlation {_correlation(least)}", least)
    rest = np.flatnonzero(kept)
    if len(rest) < 3 or checked.filled.shape[1] < 2 * len(rest):
        return
    among = correlation[np.ix_(rest, rest)]
    if has_eigenvalues_above(1 - EXPLAINED, among):
        return  # the share below is at least the eigenvalue
    shares, directions = np.linalg.eigh(among)
    grouped: set[int] = set()
    for share, direction in zip(shares, directions.T, strict=True):
        # A combination with coefficients of length 1 has this variance; relative to the variance of its largest
        # member, that is the share which the others leave unexplained at most.
        largest = int(np.abs(direction).argmax())
        unexplained = float(max(share, 0.0) / direction[largest] ** 2)
        if unexplained > 1 - EXPLAINED:
            continue
        group = np.flatnonzero(np.abs(direction) > PART * np.abs(direction[largest])).tolist()
        if grouped & {*group}:
            continue
        grouped |= {*group}
        members = tuple(names[rest[i]] for i in group)
        words = f"{enumerated(members)} are collinear: a combination of them is almost constant."
        own = [checked.numeric[rest[i]].name for i in group]
        derived = next((name for name in reversed(own) if not may_be_early(name)), own[-1])
        drop = f"drop=[{derived!r}]"
        remedy = "Used as they are; it is arbitrary which of them an edge belongs to. Leave out what was computed."
        yield Finding("collinear", members, words, remedy, 1 - unexplained, EXPLAINED, drop, SERIOUS)


def near_duplicate_categories(checked: CheckedTable) -> Iterator[Finding]:
    """Categorical columns whose levels correspond one to one in nearly all rows."""
    columns = checked.categorical
    if not 2 <= len(columns) <= MOST_COMPARED:
        return
    shares = np.zeros((len(columns), len(columns)))
    for i, a in enumerate(columns):
        for j, b in enumerate(columns[:i]):
            shares[i, j] = shares[j, i] = _corresponding(a, b)
    for group in _connected(shares >= ALIKE):
        least = min(shares[i, j] for i in group for j in group if shares[i, j] >= ALIKE)
        evidence = f"their levels correspond in {percentage(float(least))} of the rows"
        yield _duplicates([columns[i] for i in group], checked, evidence, float(least))


def functions(checked: CheckedTable) -> Iterator[Finding]:
    """Columns that are a function of a numeric one, whatever the form; near-duplicates are left to others.

    Sorted by x, a function of x changes little from row to row. The mean squared difference of the ranks of successive
    rows, divided by twice their variance, is the share that x does not explain (von Neumann's ratio). Of levels, the
    number of changes beyond one per threshold is compared with that of random rows.
    """
    found: dict[tuple[int, int], float] = {}
    rows = _some_rows(checked)
    if len(rows) < FEWEST_ROWS or len(checked.columns) > MOST_COMPARED:
        return
    numbers = checked.filled[:, rows]
    ranked = np.array([ranks(row) for row in numbers]).reshape(numbers.shape)
    variation = np.maximum(2 * (ranked**2).sum(axis=1), 1e-300)
    levels = [_Levels(column, rows) for column in checked.categorical]
    for i, x in enumerate(numbers):
        if len(np.unique(x)) < len(x) / 4:
            continue
        order = np.argsort(x, kind="stable")
        explained = 1 - (np.diff(ranked[:, order], axis=1) ** 2).sum(axis=1) / variation
        found |= {(i, j): float(explained[j]) for j in np.flatnonzero(explained > FUNCTION).tolist() if j != i}
        found |= {(i, -1 - j): share for j, one in enumerate(levels) if (share := one.explained(order)) > FUNCTION}
    pairs = []
    for (i, j), share in found.items():
        if j >= 0 and (abs(checked.correlation[i, j]) > ALIKE or ((j, i) in found and j < i)):
            continue  # a near-duplicate, or found in the other direction
        x, y = checked.numeric[i], checked.numeric[j] if j >= 0 else checked.categorical[-1 - j]
        pairs.append((share, checked.name(x), checked.name(y), y))
    if not pairs:
        return
    pairs.sort(key=lambda pair: -pair[0])
    names = tuple(dict.fromkeys(name for _, x, y, _ in pairs for name in (x, y)))
    remedy = "Used as they are; an edge of one of them may stand for the other."
    if len(pairs) == 1:
        share, of, name, y = pairs[0]
        words = f"{name} is a function of {of}, or nearly so: it explains {percentage(share)}."
        option = f"drop=[{y.name!r}]"
    else:
        texts = [f"{name} of {of} ({percentage(share)})" for share, of, name, _ in pairs]
        words, option = f"Columns that are functions of others, or nearly so: {listed(texts)}.", ""
    yield Finding("function", names, words, remedy, pairs[0][0], FUNCTION, option, SERIOUS)


class _Levels:
    """The levels of a categorical column in some rows, and how well a sorted column separates them."""

    def __init__(self, column: Column, rows: NDArray[np.intp]) -> None:
        assert column.codes is not None
        self.codes = column.codes[rows]
        _, times = np.unique(self.codes, return_counts=True)
        self.thresholds = len(times) - 1
        self.chance = 1 - float(((times / len(rows)) ** 2).sum())  # of a change between two random rows
        # With rare levels, or many, rows are on one side of a threshold by chance.
        self.usable = self.thresholds > 0 and times.min() >= FEWEST_ROWS / 4 and len(times) <= len(rows) / 10

    def explained(self, order: NDArray[np.intp]) -> float:
        if not self.usable:
            return 0.0
        changes = int((np.diff(self.codes[order]) != 0).sum())
        return 1 - max(0, changes - self.thresholds) / (len(order) - 1) / self.chance


def _some_rows(checked: CheckedTable) -> NDArray[np.intp]:
    """Complete rows, if these are most of them; some if there are many."""
    complete = np.flatnonzero(~incomplete_rows(checked.columns))
    if len(complete) < checked.rows / 2:
        return np.zeros(0, dtype=np.intp)
    return complete[:: max(1, len(complete) // MOST_SORTED)]


def curves(checked: CheckedTable) -> Iterator[Finding]:
    """The pairs for which a curve explains much more than a line."""
    columns = checked.numeric[:MOST_COMPARED]
    pairs = curved_pairs(checked.filled[: len(columns)])
    if not pairs:
        return
    texts, names = [], dict[str, None]()
    for pair in pairs:
        x, y = checked.name(columns[pair.x]), checked.name(columns[pair.y])
        names |= dict.fromkeys((x, y))
        texts.append(f"{y} on {x} ({percentage(pair.line)} and {percentage(pair.curve)})")
    words = f"Curved relations, of which a line and a curve explain: {listed(texts)}."
    worst = pairs[0].curve - pairs[0].line
    severity = SERIOUS if worst > 4 * CURVED else DOUBTFUL
    possible = len(checked.columns) <= MOST_FOR_CURVES and checked.table.complete
    option = "score='additive-gp'" if possible else ""
    yield Finding("curve", tuple(names), words, "Linear scores see only the line.", worst, CURVED, option, severity)


def _corresponding(a: Column, b: Column) -> float:
    """The share of rows in which the levels correspond one to one; 0 if they do not."""
    if a.codes is None or b.codes is None or len(a.levels) != len(b.levels):
        return 0.0
    levels = len(a.levels)
    both = (a.codes >= 0) & (b.codes >= 0)
    joint = np.bincount(a.codes[both].astype(np.int64) * levels + b.codes[both], minlength=levels * levels)
    table = joint.reshape(levels, levels)
    one_to_one = len({*table.argmax(axis=1).tolist()}) == levels
    return float(table.max(axis=1).sum() / max(int(both.sum()), 1)) if one_to_one else 0.0


def _duplicates(columns: Sequence[Column], checked: CheckedTable, evidence: str, share: float) -> Finding:
    names = tuple(checked.name(column) for column in columns)
    what = "are nearly the same column" if len(names) == 2 else "are nearly the same"
    words = f"{enumerated(names)} {what} ({evidence})."
    drop = f"drop={[column.name for column in columns[1:]]!r}"
    remedy = "Used as they are; it is arbitrary which of them an edge belongs to."
    return Finding("duplicates", names, words, remedy, float(share), ALIKE, drop, SERIOUS)


def _correlation(value: float) -> str:
    return f"{value:.4f}" if value < 0.99995 else "1.0000"


def _connected(close: NDArray[np.bool_]) -> Iterator[list[int]]:
    """The connected components with at least two members."""
    left = {int(i) for i in np.flatnonzero(close.any(axis=1))}
    while left:
        group, new = set[int](), {min(left)}
        while new:
            group |= new
            new = {int(j) for i in new for j in np.flatnonzero(close[i])} - group
        left -= group
        yield sorted(group)
