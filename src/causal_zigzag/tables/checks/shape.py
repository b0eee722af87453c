"""Checks of single columns: rows, skewness, zeros, outliers, repeated values, rare levels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from causal_zigzag.support.wording import count, percentage
from causal_zigzag.tables.checks.checked_table import CERTAIN, Array, CheckedTable, present
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.finding import DOUBTFUL, SERIOUS, Finding, FindingKind
from causal_zigzag.tables.names_in_words import listed

ROWS_PER_COLUMN, LEAST_ROWS = 5, 50
SKEWED = 1.5  # absolute skewness; that of an exponential distribution is 2
FAR = 8.0  # robust standard deviations from the median; a normal cell is beyond with probability 1e-15
REPEATED = 0.25  # share of a single value in a continuous column
FEWEST = 5  # rows per level


SHAPES: dict[str, tuple[FindingKind, str, str, float, str]] = {
    "log": ("skew", "Skewed, logarithms less so: {}; the numbers are skewness.", "Used as they are.", SKEWED, "log"),
    "ranks": (
        "skew", "Skewed, unlike a normal distribution: {}; the numbers are skewness.", "Used as they are.", SKEWED,
        "normal-scores",
    ),
    "zeros": (
        "zeros", "Many cells are 0: {}.",
        "Used as they are, although no transform makes them normal; consider whether 0 or not is what matters.",
        REPEATED, "",
    ),
    "far": (
        "outliers", f"Cells further than {FAR:g} robust standard deviations from the median: {{}}.",
        "Used as they are; a few cells can create or hide edges.", FAR, "normal-scores",
    ),
    "spikes": (
        "spikes", "One value is repeated often: {}.",
        "Used as it is; if it stands for a missing or censored value, leave these rows out.", REPEATED, "",
    ),
}  # fmt: skip
"""What may be unusual about a column: kind, words, remedy and threshold of the finding, and a transform that helps."""


def few_rows(checked: CheckedTable) -> Iterator[Finding]:
    """Fewer rows than the columns need."""
    rows, columns = checked.table.n_rows, len(checked.columns)
    needed = max(LEAST_ROWS, ROWS_PER_COLUMN * columns)
    if rows < needed:
        words = f"There are only {count(rows, 'row')} for {count(columns, 'column')}."
        remedy = "Probabilities depend much on the prior; use fewer columns, or compare several priors and scores."
        yield Finding("few rows", (), words, remedy, rows, needed, severity=SERIOUS if rows < 2 * columns else DOUBTFUL)


def shape(checked: CheckedTable) -> Iterator[Finding]:
    """Skewed columns, and columns with many zeros, outliers or a value that is repeated often."""
    found: dict[str, list[tuple[Column, str, float]]] = {group: [] for group in SHAPES}
    for column in checked.numeric:
        numbers, name = present(column), checked.name(column)
        value, share = _most_frequent(numbers)
        if share > REPEATED:
            kind = "zeros" if value == 0 else "spikes"
            found[kind].append((column, f"{percentage(share)} of {name} are {value:g}", share))
            continue
        skewness = _skewness(numbers)
        if abs(skewness) > max(SKEWED, CERTAIN * (6 / len(numbers)) ** 0.5):
            helps = numbers.min() > 0 and abs(_skewness(np.log(numbers))) < abs(skewness) / 2
            found["log" if helps else "ranks"].append((column, f"{name} ({skewness:.1f})", abs(skewness)))
        middle = float(np.median(numbers))
        spread = 1.4826 * float(np.median(np.abs(numbers - middle)))  # the standard deviation, if normal
        beyond = int((np.abs(numbers - middle) > FAR * spread).sum()) if spread > 0 else 0
        if beyond:
            worst = float(np.abs(numbers - middle).max() / spread)
            found["far"].append((column, f"{name} ({beyond:,})", worst))
    for group, (kind, words, remedy, threshold, transform) in SHAPES.items():
        if columns := found[group]:
            names = tuple(checked.name(column) for column, _, _ in columns)
            text = words.format(listed([text for _, text, _ in columns], "; " if threshold == REPEATED else ", "))
            option = f"transform={ ({column.name: transform for column, _, _ in columns})!r}" if transform else ""
            worst = max(statistic for _, _, statistic in columns)
            yield Finding(kind, names, text, remedy, worst, threshold, option)


def sparse_levels(checked: CheckedTable) -> Iterator[Finding]:
    """Levels with few rows."""
    found, fewest = [], FEWEST
    for column in checked.table.columns:
        if column.kind != "categorical" or column.codes is None:
            continue
        times = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))
        few = int((times < FEWEST).sum())
        if few:
            fewest = min(fewest, int(times.min()))
            found.append((checked.name(column), f"{few:,} of {count(len(column.levels), 'level')}"))
    if found:
        yield Finding(
            "sparse levels",
            tuple(name for name, _ in found),
            f"Levels with fewer than {FEWEST} rows: {listed([f'{name} ({text})' for name, text in found])}.",
            "Used as they are; merge rare levels, or leave the columns out.",
            fewest,
            FEWEST,
        )


def _skewness(numbers: Array) -> float:
    deviation = float(numbers.std())
    return float((((numbers - numbers.mean()) / deviation) ** 3).mean()) if deviation > 0 else 0.0


def _most_frequent(numbers: Array) -> tuple[float, float]:
    """The most frequent of more than two values, and its share."""
    values, times = np.unique(numbers, return_counts=True)
    most = int(times.argmax())
    return float(values[most]), float(times[most] / len(numbers)) if len(values) > 2 else 0.0
