"""What was missing in a table, whether that is related to what was observed, and completed tables for use elsewhere."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.validation import read_count
from causal_zigzag.support.wording import count, percentage

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.graphs.mpdag import ClassGraph

AVERAGED = 10  # completed tables from which means and covariances are estimated
FEWEST_ROWS = 5  # of a pattern, for Little's test
PATTERNS_SHOWN = 5
SMALL = 0.01  # p-values below this are shown, after a correction for the number of pairs
ASSUMPTION = (
    "Cells are assumed to be missing at random: whether a cell is missing may depend on cells that were observed, but "
    "not on the value that is missing. The data cannot show whether that is so."
)


class ImputedTable(NamedTuple):
    """A completed table, and the graph that its missing cells were drawn with."""

    table: pd.DataFrame
    graph: ClassGraph


class LittleTest(NamedTuple):
    """Little's test (1988) that cells are missing completely at random: a chi-square statistic, and its p-value.

    Without degrees of freedom there are too few incomplete rows for a test.
    """

    statistic: float
    freedom: int
    p_value: float

    def __str__(self) -> str:
        if not self.freedom:
            return "Little's test needs more incomplete rows."
        return (
            f"Little's test of cells missing completely at random: {self.statistic:.1f}, {self.freedom} degrees of "
            f"freedom, p = {self.p_value:.2g}."
        )


@dataclass(frozen=True, eq=False, repr=False)
class MissingCells:
    """The missing cells of a table.

    ``shares`` has the share of missing cells in each column, ``patterns`` the sets of columns that are missing together
    and the number of rows of each, the most frequent first. ``little`` is Little's test: a small p-value says that
    cells are not missing completely at random, which sampling does not assume. ``predictors`` lists pairs of a column
    with missing cells and another column that is related to where they are, the clearest first.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=200, rng=1)
    >>> table.loc[:39, "wet"] = None
    >>> posterior = cz.sample(table, jumps=2000, rng=1)
    >>> posterior.missing.shares["wet"], posterior.missing.patterns[1]
    (0.2, (('wet',), 40))
    """

    rows: int
    shares: dict[Hashable, float]
    patterns: list[tuple[tuple[Hashable, ...], int]]
    little: LittleTest
    predictors: pd.DataFrame

    @property
    def complete_rows(self) -> int:
        """The number of rows without missing cells."""
        return dict(self.patterns).get((), 0)

    def __repr__(self) -> str:
        some = [f"{name} {percentage(share)}" for name, share in self.shares.items() if share > 0]
        patterns = [
            f"{'+'.join(map(str, names)) or 'none'} ({rows:,})" for names, rows in self.patterns[:PATTERNS_SHOWN]
        ]
        whole = sum(self.shares.values()) / len(self.shares)
        lines = [
            f"{percentage(whole)} of the cells are missing: {', '.join(some)}.",
            f"{self.complete_rows:,} of {count(self.rows, 'row')} are complete; most frequent: {', '.join(patterns)}.",
            str(self.little),
        ]
        for column, predictor, relation, _ in self.predictors.itertuples(index=False):
            lines.append(f"Whether {column} is missing is related to {predictor} ({relation:.2f}).")
        return "\n".join([*lines, ASSUMPTION])


def imputed(classes: WeightedClasses, k: Any, rng: Rng) -> list[ImputedTable]:
    """See ``Posterior.imputed``."""
    import pandas as pd

    tables = classes.completions
    if tables is None:
        raise SettingsError("the table has no missing cells, so there is nothing to complete")
    possible = int((tables.weights > 0).sum())
    size = read_count("k", k, 1)
    if size > possible:
        raise SettingsError(f"the run has kept {count(possible, 'completed table')}, fewer than k={size}")
    chosen = as_generator(rng).choice(len(tables), size, replace=False, p=tables.weights)
    return [
        ImputedTable(
            pd.DataFrame(tables.score.completed_columns(tables.cells[i])),
            classes.target.restrict(tables.classes.graph(int(i))),
        )
        for i in chosen.tolist()
    ]


def missing_cells(classes: WeightedClasses) -> MissingCells | None:
    """See ``Posterior.missing``."""
    tables, nodes = classes.completions, classes.nodes
    if tables is None:
        return None
    holes = tables.score.missing
    rows, counts = np.unique(holes, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    patterns = [(tuple(nodes[v] for v in np.flatnonzero(rows[i])), int(counts[i])) for i in order.tolist()]
    shares = dict(zip(nodes, holes.mean(axis=0).tolist(), strict=True))
    some = np.linspace(0, len(tables) - 1, min(AVERAGED, len(tables))).astype(int)
    columns = [tables.score.completed_columns(tables.cells[i]) for i in some.tolist()]
    numbers = [_as_numbers(each) for each in columns]
    return MissingCells(len(holes), shares, patterns, _little(numbers, holes), _predictors(columns[0], holes))


def _as_numbers(columns: dict[Hashable, NDArray[Any]]) -> list[NDArray[np.float64]]:
    """Each column as numbers: standardized, or the indicators of all levels but one."""
    found = []
    for column in columns.values():
        if column.dtype == object:
            codes = np.unique(column.astype(str), return_inverse=True)[1]
            found.append(np.eye(codes.max() + 1)[codes, 1:])
        else:
            found.append(((column - column.mean()) / column.std())[:, None])
    return found


def _little(tables: Sequence[list[NDArray[np.float64]]], holes: NDArray[np.bool_]) -> LittleTest:
    """The means of the observed cells of each pattern, compared with those of the completed tables."""
    joined = [np.concatenate(columns, axis=1) for columns in tables]
    mean = np.mean([one.mean(axis=0) for one in joined], axis=0)
    covariance = np.mean([np.cov(one, rowvar=False, bias=True) for one in joined], axis=0)
    owner = np.repeat(np.arange(holes.shape[1]), [column.shape[1] for column in tables[0]])
    statistic, freedom = 0.0, -len(owner)
    for pattern in np.unique(holes, axis=0):
        inside = (holes == pattern).all(axis=1)
        if inside.sum() < FEWEST_ROWS:
            continue  # of few rows the means are not normal: one outlying row would decide
        seen = np.flatnonzero(~pattern[owner])
        left = joined[0][np.ix_(inside, seen)].mean(axis=0) - mean[seen]
        solved = np.linalg.lstsq(covariance[np.ix_(seen, seen)], left, rcond=None)[0]
        statistic += float(inside.sum() * left @ solved)
        freedom += len(seen)
    return LittleTest(statistic, max(freedom, 0), chi_square_tail(statistic, freedom) if freedom > 0 else 1.0)


def _predictors(columns: dict[Hashable, NDArray[Any]], holes: NDArray[np.bool_]) -> pd.DataFrame:
    """Pairs of columns: correlation of a number, or Cramér's V of categories, with whether the other is missing."""
    import pandas as pd

    found = []
    numbers = dict(zip(columns, _as_numbers(columns), strict=True))
    for i, name in enumerate(columns):
        for j, (other, values) in enumerate(numbers.items()):
            seen = ~holes[:, j]
            missing = holes[seen, i]
            if i == j or not missing.any() or missing.all():
                continue
            # the share of the variance of a 0/1 outcome that numbers or indicators explain: r², or V²
            design = np.column_stack([np.ones(seen.sum()), values[seen]])
            left = missing - design @ np.linalg.lstsq(design, missing.astype(np.float64), rcond=None)[0]
            square = max(0.0, 1 - float(left.var() / missing.var()))
            sign = np.sign(np.cov(missing, values[seen, 0])[0, 1]) if columns[other].dtype != object else 1.0
            found.append((name, other, sign * math.sqrt(square), chi_square_tail(square * len(left), values.shape[1])))
    clear = sorted((one for one in found if one[3] * len(found) < SMALL), key=lambda one: one[3])
    return pd.DataFrame(clear, columns=["column", "predictor", "relation", "p_value"])


def chi_square_tail(x: float, freedom: int) -> float:
    """P(X > x) for a chi-square distribution, by Q(v + 2) = Q(v) + (x/2)^(v/2) e^(-x/2) / Γ(v/2 + 1) from v = 1 or 2.

    >>> [round(chi_square_tail(x, v), 4) for x, v in ((3.8415, 1), (18.307, 10), (90.0, 100))]
    [0.05, 0.05, 0.7532]
    """
    half = x / 2
    if half <= 0:
        return 1.0
    tail = math.erfc(math.sqrt(half)) if freedom % 2 else math.exp(-half)
    for v in range(2 - freedom % 2, freedom, 2):
        tail += math.exp(v / 2 * math.log(half) - half - math.lgamma(v / 2 + 1))
    return min(1.0, tail)
