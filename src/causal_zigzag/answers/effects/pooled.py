"""Effects in tables with missing cells: regression coefficients pooled over completed tables.

A completed table and the class that its cells were drawn with are one draw from their joint posterior. So the posterior
of an effect, given the parents of the cause and that the outcome is below it, is the mixture of those in the completed
tables whose classes have such members. Its mean and variance are kept, as in Rubin's rules for multiple imputation: the
variance is the mean of the variances plus the variance of the means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.effects.gaussian import Coefficients, coefficients, moments_of
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.weighted_classes import Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.completions import Completions
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable

FEW = 10  # completed tables for parent sets that no class of a completed table has


def pooled_coefficients(table: ParentSetTable, tables: Completions, standardized: bool = False) -> Coefficients:
    """The posteriors of the effects of the causes of a table, as ``coefficients``, with missing cells."""
    row_of = {(int(table.cause[i]), _members(table, i)): i for i in range(len(table))}
    sums = _Sums(len(table), len(table.nodes))
    for k, weight in enumerate(tables.weights.tolist()):
        moments = moments_of(tables.completed(k))
        for own in parent_set_tables([Part(tables.only(k), np.ones(1))], table.causes.tolist()):
            found = coefficients(own, moments, standardized)
            for i in range(len(own)):
                row = row_of.get((int(own.cause[i]), _members(own, i)))
                if row is not None:
                    sums.add(row, weight * own.below[i], found.chosen(np.array([i])))
    missing = ((table.below > 0) & (sums.weight == 0)).any(axis=1)
    if missing.any():
        some = table.chosen(np.flatnonzero(missing))
        others = _Sums(len(some), len(table.nodes))
        for k in np.linspace(0, len(tables) - 1, min(FEW, len(tables))).astype(int).tolist():
            others.add(slice(None), 1.0, coefficients(some, moments_of(tables.completed(k)), standardized))
        sums.fill(np.flatnonzero(missing), others)
    return sums.pooled()


def _members(table: ParentSetTable, row: int) -> tuple[int, ...]:
    return tuple(table.members[table.begin[row] : table.begin[row + 1]].tolist())


class _Sums:
    """Sums of weights, and of weighted means, mean squares and degrees of freedom."""

    def __init__(self, rows: int, columns: int) -> None:
        self.weight, self.mean, self.square = (np.zeros((rows, columns)) for _ in range(3))
        self.freedom, self.count = np.zeros(rows), np.zeros(rows)

    def add(self, rows: int | slice, weight: float | NDArray[np.float64], found: Coefficients) -> None:
        mean = found.mean
        variance = found.scale**2 * (found.freedom / (found.freedom - 2))[:, None]  # BGe has more than 2 degrees
        one = isinstance(rows, int)
        self.weight[rows] += weight
        self.mean[rows] += weight * (mean[0] if one else mean)
        self.square[rows] += weight * ((variance + mean**2)[0] if one else variance + mean**2)
        self.freedom[rows] += found.freedom[0] if one else found.freedom
        self.count[rows] += 1

    def fill(self, rows: NDArray[np.int64], others: _Sums) -> None:
        """Take what is lacking in these rows from other sums."""
        lacking = self.weight[rows] == 0
        for name in ("mean", "square", "weight"):
            own = getattr(self, name)
            own[rows] = np.where(lacking, getattr(others, name), own[rows])
        empty = self.count[rows] == 0
        self.freedom[rows] = np.where(empty, others.freedom, self.freedom[rows])
        self.count[rows] = np.where(empty, others.count, self.count[rows])

    def pooled(self) -> Coefficients:
        weight = np.where(self.weight > 0, self.weight, 1.0)
        freedom = np.where(self.count > 0, self.freedom / np.maximum(self.count, 1), 3.0)  # without outcomes: any
        mean = self.mean / weight
        variance = np.where(self.weight > 0, np.maximum(self.square / weight - mean**2, 0.0), 1.0)
        return Coefficients(mean, np.sqrt(variance * ((freedom - 2) / freedom)[:, None]), freedom)
