"""Audit: what is unusual about a table: shape, duplicates, collinearity, rows, order and levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import distinct_texts
from causal_zigzag.support.validation import is_integer
from causal_zigzag.support.wording import count, percentage
from causal_zigzag.tables.finding import Finding, FindingKind
from causal_zigzag.tables.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.column_kinds import Column

MOST_ROWS = 20_000  # larger tables are checked on evenly spaced rows, and the order on the first ones
SKEWED = 1.5  # absolute skewness; that of an exponential distribution is 2
FAR = 8.0  # robust standard deviations from the median; a normal cell is beyond with probability 1e-15
REPEATED = 0.25  # share of a single value in a continuous column
ALIKE = 0.99  # absolute correlation of near-duplicates, or share of rows in which categories correspond
EXPLAINED = 0.999  # share of the variance of a column that others explain, if they are collinear
PART = 0.15  # smallest coefficient, relative to the largest, of a member of a collinear group
ROWS_PER_COLUMN, LEAST_ROWS = 5, 50
IN_ORDER = 0.2  # correlation of successive rows, if it is also CERTAIN standard errors from 0
CERTAIN = 5.0  # standard errors; with 1000 columns a false alarm has probability 6e-4
FEWEST = 5  # rows per level
MOST_COMPARED = 100  # categorical columns that are compared in pairs
MOST_NAMED = 6  # columns in a sentence


@dataclass(frozen=True)
class Audit:
    """What was found in a table: its size, and findings, the worst first.

    ``notes`` are the findings that reading acted on, ``doubts`` those against the assumptions of the scores.

    >>> import numpy as np
    >>> import causal_zigzag as cz
    >>> a = np.random.default_rng(1).normal(size=200)
    >>> noise = np.random.default_rng(2).normal(size=200)
    >>> print(cz.sample({"a": a, "copy": a + 0.01 * noise}, jumps=100, rng=1).audit())
    a and copy are nearly the same column (correlation 0.9999). Drop all but one of them.
    """

    rows: int
    columns: int
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if not (is_integer(self.rows) and is_integer(self.columns) and isinstance(self.findings, tuple)):
            raise SettingsError(f"{self.rows!r} rows and {self.columns!r} columns are not the size of a table")
        if not all(isinstance(finding, Finding) for finding in self.findings):
            raise SettingsError(f"{self.findings!r} are not findings about a table")

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What reading the table left out or changed.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.datasets.load("sachs"), jumps=10, chains=1, rng=1).audit().notes
        ()
        """
        return tuple(finding for finding in self.findings if finding.prepared)

    @property
    def doubts(self) -> tuple[Finding, ...]:
        """What speaks against the assumptions of the scores, the worst first.

        >>> import causal_zigzag as cz
        >>> [doubt.kind for doubt in cz.sample(cz.datasets.load("galton"), jumps=10, chains=1, rng=1).audit().doubts]
        ['order']
        """
        return tuple(finding for finding in self.findings if not finding.prepared)

    @property
    def ok(self) -> bool:
        """Whether there are no doubts.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.datasets.load("sachs"), jumps=10, chains=1, rng=1).audit().ok
        False
        """
        return not self.doubts

    def about(self, *kinds: FindingKind) -> list[Finding]:
        """The findings of these kinds.

        >>> import causal_zigzag as cz
        >>> audit = cz.sample(cz.datasets.load("galton"), jumps=10, chains=1, rng=1).audit()
        >>> [finding.kind for finding in audit.about("order")]
        ['order']
        """
        return [finding for finding in self.findings if finding.kind in kinds]

    def __str__(self) -> str:
        size = f"{count(self.rows, 'row')} of {count(self.columns, 'column')}"
        return "\n".join(map(str, self.findings)) or f"Nothing unusual was found in {size}."


def audit_table(data: Any) -> Audit | None:
    """The audit of a table; None for anything else, such as a score."""
    if not isinstance(data, Table):
        return None
    columns = [_filled(column) for column in data.columns]
    texts = dict(zip(data.nodes, distinct_texts(data.nodes), strict=True))
    stride = -(-data.n_rows // MOST_ROWS)
    numeric = [c for c in columns if c.kind != "categorical" and c.numbers is not None]
    names = [texts[c.name] for c in numeric]
    numbers = np.array([c.numbers[::stride] for c in numeric if c.numbers is not None])
    if not numeric:
        numbers = np.empty((0, 0))
    categorical = [c for c in columns if c.kind == "categorical"]
    findings = [
        *_few_rows(data.n_rows, len(data.columns)),
        *_shape(names, numbers),
        *_alike(names, numbers),
        *_alike_categories([texts[c.name] for c in categorical], categorical),
        *_order([texts[c.name] for c in columns], columns),
        *_sparse_levels([texts[c.name] for c in categorical], categorical),
    ]
    return Audit(data.n_rows, len(data.columns), tuple(findings))


def _filled(column: Column) -> Column:
    """The column with observed cells, in turn, in the place of missing ones."""
    holes = column.missing
    if not holes.any():
        return column
    rows = np.arange(len(holes))
    rows[holes] = np.resize(np.flatnonzero(~holes), holes.sum())
    return column.rows(rows)


def _few_rows(rows: int, columns: int) -> Iterator[Finding]:
    if rows < max(LEAST_ROWS, ROWS_PER_COLUMN * columns):
        yield Finding(
            "few rows",
            (),
            f"There are only {count(rows, 'row')} for {count(columns, 'column')}, so probabilities depend much on the "
            "prior.",
            "Use fewer columns, or compare the answers under several priors and scores.",
        )


def _shape(names: Sequence[str], numbers: NDArray[np.float64]) -> Iterator[Finding]:
    """Skewed columns, and columns with outliers or a value that is repeated often."""
    skewed, positive, far, spikes = [], True, [], []
    for name, column in zip(names, numbers, strict=True):
        value, share = _most_frequent(column)
        if share > REPEATED:
            spikes.append((name, f"{percentage(share)} of {name} are {value:g}"))
        scaled = (column - column.mean()) / column.std()
        skewness = float((scaled**3).mean())
        if abs(skewness) > max(SKEWED, CERTAIN * (6 / len(column)) ** 0.5):
            skewed.append((name, f"{name} ({skewness:.1f})"))
            positive &= skewness > 0 and bool(column.min() >= 0)
        middle = float(np.median(column))
        spread = 1.4826 * float(np.median(np.abs(column - middle)))  # the standard deviation, if normal
        beyond = int((np.abs(column - middle) > FAR * spread).sum()) if spread > 0 else 0
        if beyond:
            far.append((name, f"{name} ({beyond:,})"))
    if skewed:
        yield Finding(
            "skew",
            _columns(skewed),
            f"Skewed, unlike a normal distribution: {_listed(skewed)}; the numbers are skewness.",
            "Take logarithms." if positive else "Transform them, for example to normal scores of their ranks.",
        )
    if far:
        yield Finding(
            "outliers",
            _columns(far),
            f"Cells further than {FAR:g} robust standard deviations from the median: {_listed(far)}.",
            "Correct or leave out wrong cells, or transform the columns; a few cells can create or hide edges.",
        )
    if spikes:
        yield Finding(
            "spikes",
            _columns(spikes),
            f"One value is repeated often: {_listed(spikes, '; ')}.",
            "If it stands for a missing or censored value, leave these rows out; otherwise consider categories.",
        )


def _most_frequent(column: NDArray[np.float64]) -> tuple[float, float]:
    """The most frequent of more than two values, and its share."""
    ordered = np.sort(column)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    times = np.diff(np.append(starts, len(ordered)))
    most = int(times.argmax())
    return float(ordered[starts[most]]), float(times[most] / len(column)) if len(starts) > 2 else 0.0


def _alike(names: Sequence[str], numbers: NDArray[np.float64]) -> Iterator[Finding]:
    """Near-duplicates among numeric columns, and collinear groups among one of each of them."""
    if len(names) < 2 or numbers.shape[1] < 3:
        return
    correlation = np.asarray(np.corrcoef(numbers))
    close = np.abs(correlation) > ALIKE
    np.fill_diagonal(close, False)
    kept = np.ones(len(names), dtype=bool)
    for group in _connected(close):
        least = min(abs(correlation[i, j]) for i in group for j in group if close[i, j])
        kept[group[1:]] = False
        yield _duplicates([names[i] for i in group], f"correlation {_correlation(float(least), len(group))}")
    rest = np.flatnonzero(kept)
    if len(rest) < 3 or numbers.shape[1] < 2 * len(rest):
        return
    shares, directions = np.linalg.eigh(correlation[np.ix_(rest, rest)])
    grouped: set[int] = set()
    for share, direction in zip(shares, directions.T, strict=True):
        # A combination with coefficients of length 1 has this variance; relative to the variance of its largest
        # member, that is the share which the others leave unexplained at most.
        largest = int(np.abs(direction).argmax())
        if share / direction[largest] ** 2 > 1 - EXPLAINED:
            continue
        group = np.flatnonzero(np.abs(direction) > PART * np.abs(direction[largest])).tolist()
        if grouped & {*group}:
            continue
        grouped |= {*group}
        members = tuple(names[rest[i]] for i in group)
        text = f"{_enumerated(members)} are collinear: a combination of them is almost constant."
        yield Finding("collinear", members, text, "Drop one of them, such as a total of the others.")


def _alike_categories(names: Sequence[str], columns: Sequence[Column]) -> Iterator[Finding]:
    """Categorical columns whose levels correspond one to one in nearly all rows."""
    n = len(columns)
    if not 2 <= n <= MOST_COMPARED:
        return
    close = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i):
            close[i, j] = close[j, i] = _correspond(columns[i], columns[j])
    for group in _connected(close):
        yield _duplicates([names[i] for i in group], f"their levels correspond in {percentage(ALIKE)} of the rows")


def _correspond(a: Column, b: Column) -> bool:
    if a.codes is None or b.codes is None or len(a.levels) != len(b.levels):
        return False
    levels = len(a.levels)
    joint = np.bincount(a.codes.astype(np.int64) * levels + b.codes, minlength=levels * levels)
    table = joint.reshape(levels, levels)
    partner = table.argmax(axis=1)
    return len({*partner.tolist()}) == levels and int(table.max(axis=1).sum()) >= ALIKE * len(a.codes)


def _duplicates(names: Sequence[str], evidence: str) -> Finding:
    what = "are nearly the same column" if len(names) == 2 else "are nearly the same"
    text = f"{_enumerated(names)} {what} ({evidence})."
    return Finding("duplicates", tuple(names), text, "Drop all but one of them.")


def _order(names: Sequence[str], columns: Sequence[Column]) -> Iterator[Finding]:
    """Columns in which successive rows are alike."""
    found = []
    for name, column in zip(names, columns, strict=True):
        if column.kind == "categorical":
            strength = _successive_levels(np.asarray(column.codes)[:MOST_ROWS])
        else:
            strength = _successive_numbers(np.asarray(column.numbers)[:MOST_ROWS])
        if strength > IN_ORDER:
            found.append((name, f"{name} ({strength:.2f})"))
    if found:
        yield Finding(
            "order",
            _columns(found),
            f"Successive rows are alike, so they are not independent, or they are sorted: {_listed(found)}; the "
            "numbers are correlations.",
            "Ignore this if the rows are only sorted. For a time series or repeated measurements, use differences or "
            "one row per unit; otherwise edges look more certain than they are.",
        )


def _successive_numbers(values: NDArray[np.float64]) -> float:
    """The correlation of successive ranks, which outliers do not dominate; 0 if chance explains it."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - times / 2)[place] - len(values) / 2  # equal values share their mean rank
    strength = float((ranks[1:] * ranks[:-1]).sum() / max((ranks**2).sum(), 1e-300))
    return strength if strength > CERTAIN / len(values) ** 0.5 else 0.0


def _successive_levels(codes: NDArray[Any]) -> float:
    """By how much successive levels agree more often than by chance, as a share of the possible."""
    chance = float(((np.bincount(codes) / len(codes)) ** 2).sum())
    agree = float((codes[1:] == codes[:-1]).mean())
    if chance >= 1 or agree - chance < CERTAIN * (chance * (1 - chance) / len(codes)) ** 0.5:
        return 0.0
    return (agree - chance) / (1 - chance)


def _sparse_levels(names: Sequence[str], columns: Sequence[Column]) -> Iterator[Finding]:
    found = []
    for name, column in zip(names, columns, strict=True):
        times = np.bincount(np.asarray(column.codes), minlength=len(column.levels))
        few = int((times < FEWEST).sum())
        if few:
            found.append((name, f"{name} ({few:,} of {count(len(column.levels), 'level')})"))
    if found:
        yield Finding(
            "sparse levels",
            _columns(found),
            f"Levels with fewer than {FEWEST} rows: {_listed(found)}.",
            "Merge rare levels, or leave the columns out.",
        )


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


def _correlation(value: float, members: int) -> str:
    shown = f"{value:.4f}" if value < 0.99995 else "1.0000"
    return shown if members == 2 else f"at least {shown}"


def _columns(found: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(name for name, _ in found)


def _listed(found: Sequence[tuple[str, str]], separator: str = ", ") -> str:
    texts = [text for _, text in found[:MOST_NAMED]]
    more = len(found) - len(texts)
    return separator.join(texts) + (f" and {more:,} more" if more else "")


def _enumerated(names: Sequence[str]) -> str:
    shown = list(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        return f"{', '.join(shown)} and {len(names) - MOST_NAMED:,} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
