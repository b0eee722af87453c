"""MixedBIC and MixedBGe: scores for tables with continuous and categorical columns."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.scores.base import ModelAssumption
from causal_zigzag.scores.bge import NormalWishart
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.covariance import (
    POWERS,
    Moments,
    moments,
    powers_by_level,
    regular,
    standardized,
    weighted_moments,
)
from causal_zigzag.scores.discrete import CATEGORIES, plain
from causal_zigzag.scores.gaussian import LINEAR, positive, refuse_constants
from causal_zigzag.scores.prediction import BlockPrediction
from causal_zigzag.scores.regression import BlockMoments, RegressionMoments
from causal_zigzag.scores.state_checks import check_correlation, check_logs
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.row_weights import row_total
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table

MIXED = ModelAssumption(
    "Categories, and linear effects with normal noise",
    "Numbers depend linearly on each other, with normal noise; categories have their own probabilities.",
    (*CATEGORIES.checks, *LINEAR.checks),
)
OF_INDICATORS = (
    "log_evidence is a density of numbers and indicators of levels: compare it with others of this kind only"
)


class Blocks(NamedTuple):
    """The columns of a table as numbers, one block per node: its number, or the indicators of its levels but the first.

    ``begin`` has the first column of each block, and their number; ``owners`` the node of each column.
    """

    columns: NDArray[np.float64]
    begin: NDArray[np.int64]
    owners: list[Hashable]


class _OfBlocks(BuiltinScore):
    """The common part of scores of blocks of columns."""

    _begin: tuple[int, ...]
    _level_names: tuple[tuple[Hashable, ...], ...]  # empty for numbers
    _mean: NDArray[np.float64]
    _correlation: NDArray[np.float64]
    _n_samples: float
    _powers: NDArray[np.float64]  # of numbers within levels, for effects of a number on a probability

    def _check_state(self) -> None:
        n, columns = len(self.nodes), len(self._correlation)
        check(self._n_samples >= 2, "its score has too few rows")
        check(len(self._begin) == n + 1, "it has too few blocks of columns")
        check_correlation(self._correlation, self._begin)
        check(self._mean.shape == (columns,) and len(self._level_names) == n, "its columns have no means or levels")
        for levels, (begin, end) in zip(self._level_names, itertools.pairwise(self._begin), strict=True):
            right = type(levels) is tuple and end - begin == max(len(levels) - 1, 1) and len(levels) != 1
            check(right, "the levels of a node are not those of its block")
        numbers = sum(not levels for levels in self._level_names)
        check(self._powers.shape == (POWERS, numbers, 1 + columns - numbers), "its powers are not those of its columns")

    def block_moments(self) -> BlockMoments:
        return BlockMoments(self._begin, self._level_names, self._n_samples, self._moments(), self._powers)

    def prediction(self, data: Any) -> BlockPrediction:
        return BlockPrediction(self.nodes, self.block_moments(), data)

    @abstractmethod
    def _moments(self) -> RegressionMoments: ...

    def _sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of the values of the columns of each block."""
        return np.add.reduceat(values, self._begin[:-1])

    def relative_cost(self) -> float:
        return 2 * (len(self._correlation) / len(self.nodes)) ** 2  # measured: a block has a row and a column per level

    def assumption(self) -> ModelAssumption:
        return MIXED


@final
class MixedBIC(_OfBlocks, name="mixed-bic"):
    """The degenerate Gaussian score of Andrews, Ramsey & Cooper (2019), for columns of any kind.

    A categorical column is a block of indicators, one for each level but the first; a continuous or ordinal one is a
    block of one. The local score of y with parents P is
    ``(-N (D_y + log det V) - penalty (D_y D_P + D_y (D_y + 1) / 2) log N) / 2``, where D is the number of columns of
    blocks and V the residual covariance (divided by N) of y given P. It is score-equivalent, and equal to
    ``GaussianBIC`` if all columns are continuous. The rounding error is that of
    ``GaussianBIC``, with columns of blocks for nodes.

    >>> data = {"color": ["red", "blue"] * 20, "size": [k % 2 + k / 40 for k in range(40)]}
    >>> score = MixedBIC(data)
    >>> score.local("size", ["color"]) > score.local("size", [])
    True
    """

    _log_deviation: NDArray[np.float64]
    _penalty: float

    def __init__(self, data: Any, penalty: float = 1.0) -> None:
        table = read_table(data, strict=True)
        columns, begin, owners = blocks(table)
        mean, correlation, log_variance = moments(columns)
        refuse_constants(log_variance, owners)
        self._fill(
            table.labels,
            _begin=tuple(begin.tolist()),
            _level_names=_level_names(table),
            _mean=mean,
            _log_deviation=log_variance / 2,
            _correlation=regular(correlation, table.n_rows, owners),
            _n_samples=table.n_rows,
            _powers=block_powers(columns, begin, _level_names(table)),
            _penalty=positive(penalty, "penalty"),
        )
        self._remember(table)

    def _weighted(self, table: Table, weights: NDArray[np.float64]) -> dict[str, Any]:
        columns, begin, _ = blocks(table)
        mean, correlation, log_variance = weighted_moments(columns, weights)
        return {
            "_mean": mean,
            "_log_deviation": log_variance / 2,
            "_correlation": correlation,
            "_n_samples": row_total(weights),
            "_powers": block_powers(columns, begin, self._level_names, weights),
        }

    def _make(self) -> core.Score:
        half = self._n_samples / 2
        c = -half * np.arange(self._begin[-1] + 1, dtype=np.float64)
        penalty = 0.5 * self._penalty * math.log(self._n_samples)
        log_variance = 2 * self._sums(self._log_deviation)
        return core.block_score([*self._begin], self._correlation, log_variance, half, 0.0, c, penalty)

    def _check_state(self) -> None:
        super()._check_state()
        check_logs(self._log_deviation, size=self._begin[-1])

    def _moments(self) -> RegressionMoments:
        """Least squares, as for ``GaussianBIC``."""
        rows = float(self._n_samples)
        return RegressionMoments(self._correlation, self._log_deviation, rows - 2, -1, rows, rows, self._mean)

    def __repr__(self) -> str:
        return f"MixedBIC({self._nodes_in_words()}, {self._n_samples} rows, penalty {self._penalty:g})"


@final
class MixedBGe(_OfBlocks, name="mixed-bge"):
    """The marginal likelihood of linear Gaussian models of blocks of columns: ``BGe`` for columns of any kind.

    A categorical column is a block of indicators, one for each level but one; a continuous or ordinal one is a block of
    one. With F(S) the log marginal likelihood of all columns of the blocks of S, under the normal-Wishart prior of
    ``BGe``, the local score of y with parents P is F(P and y) - F(P). So it is score-equivalent, and equal to ``BGe``
    if all columns are continuous.

    Each block is first standardized to mean 0 and sample covariance I, so the order of the levels does not matter.
    ``alpha_w`` is above D + 1, where D is the number of columns of all blocks; D + 2 by default.

    >>> data = {"color": ["red", "blue"] * 20, "size": [k % 2 + k / 40 for k in range(40)]}
    >>> score = MixedBGe(data)
    >>> score.local("size", ["color"]) > score.local("size", [])
    True
    """

    incomplete_name = "incomplete-mixed-bge"

    _units: NDArray[np.float64]  # the map from standardized columns to those of the table, less their means
    _log_scale: NDArray[np.float64]
    _alpha_mu: float
    _alpha_w: float

    def __init__(self, data: Any, alpha_mu: float = 1.0, alpha_w: float | None = None) -> None:
        table = read_table(data, strict=True)
        columns, begin, owners = blocks(table)
        prior = NormalWishart.read(len(owners), alpha_mu, alpha_w)
        known = moments(columns)
        refuse_constants(known.log_variance, owners)
        self._fill(
            table.labels,
            _begin=tuple(begin.tolist()),
            _level_names=_level_names(table),
            _alpha_mu=prior.alpha_mu,
            _alpha_w=prior.alpha_w,
            _powers=block_powers(columns, begin, _level_names(table)),
            **_posterior(known, begin, table.n_rows, prior),
        )
        self._remember(table)

    def _weighted(self, table: Table, weights: NDArray[np.float64]) -> dict[str, Any]:
        prior = NormalWishart(self._begin[-1], self._alpha_mu, self._alpha_w)
        columns, begin, _ = blocks(table)
        powers = block_powers(columns, begin, self._level_names, weights)
        return {"_powers": powers} | _posterior(weighted_moments(columns, weights), begin, row_total(weights), prior)

    def _make(self) -> core.Score:
        prior = NormalWishart(self._begin[-1], self._alpha_mu, self._alpha_w)
        return prior.core_score(self._begin, self._correlation, self._log_scale, self._n_samples)

    def _moments(self) -> RegressionMoments:
        """The normal-Wishart posterior of ``BGe``, of the columns before their blocks were standardized."""
        factor = self._units * np.exp(self._log_scale / 2)
        matrix, log_scale = standardized(factor @ self._correlation @ factor.T)
        freedom = self._alpha_w + self._n_samples - self._begin[-1] + 2
        weight = self._n_samples + self._alpha_mu
        return RegressionMoments(matrix, log_scale / 2, freedom, 1, 1.0, weight, self._mean)

    def log_jacobian(self) -> float:
        """Of the standardization of blocks."""
        return float(-self._n_samples * np.log(np.abs(np.diag(self._units))).sum())

    def evidence_note(self) -> str:
        return OF_INDICATORS if any(self._level_names) else ""

    def _check_state(self) -> None:
        super()._check_state()
        check_logs(self._log_scale, size=self._begin[-1])
        check(self._units.shape == self._correlation.shape, "the units of its columns are not given")
        check(self._alpha_w > self._begin[-1] + 1, "alpha_w of its score is too small")

    def __repr__(self) -> str:
        settings = f"alpha_mu {self._alpha_mu:g}, alpha_w {self._alpha_w:g}"
        return f"MixedBGe({self._nodes_in_words()}, {self._n_samples} rows, {settings})"


def blocks(table: Table) -> Blocks:
    """The blocks of the columns of a table.

    >>> blocks(read_table({"color": ["red", "blue"] * 3, "size": [1.5, 2.5, 1.25] * 2})).owners
    ['color', 'size']
    """
    table.refuse_missing("a score of blocks")
    found = [_block(column) for column in table.columns]
    owners = [column.name for column, block in zip(table.columns, found, strict=True) for _ in block]
    return Blocks(np.concatenate(found).T, np.cumsum([0, *(len(block) for block in found)]), owners)


def _posterior(known: Moments, begin: NDArray[np.int64], rows: float, prior: NormalWishart) -> dict[str, Any]:
    """The attributes of ``MixedBGe`` that follow from the moments of the columns of blocks."""
    mean, correlation, log_variance = known
    within = _within(correlation, begin)
    scatter = (rows - 1) * np.linalg.solve(within, np.linalg.solve(within, correlation).T)
    scatter[np.diag_indices(len(scatter))] += prior.scale
    scaled, log_scale = standardized(scatter)
    return {
        "_mean": mean,
        "_units": within * np.sqrt(np.exp(log_variance) * rows / (rows - 1))[:, None],
        "_correlation": scaled,
        "_log_scale": log_scale,
        "_n_samples": rows,
    }


def block_powers(
    columns: NDArray[np.float64],
    begin: NDArray[np.int64],
    names: tuple[tuple[Hashable, ...], ...],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """The powers of all numbers, by all levels but the first ones."""
    is_number = np.repeat([not own for own in names], np.diff(begin))
    return powers_by_level(columns[:, is_number], columns[:, ~is_number], weights)


def _block(column: Column) -> NDArray[np.float64]:
    """The columns of a block, one per row of the array."""
    if column.kind == "categorical":
        assert column.codes is not None
        return np.asarray(column.codes[None, :] == np.arange(1, len(column.levels))[:, None], dtype=np.float64)
    assert column.numbers is not None
    return column.numbers[None, :]


def _level_names(table: Table) -> tuple[tuple[Hashable, ...], ...]:
    """The names of the levels of each node that is a block of indicators."""
    return tuple(tuple(map(plain, column.levels)) if column.kind == "categorical" else () for column in table.columns)


def _within(correlation: NDArray[np.float64], begin: NDArray[np.int64]) -> NDArray[np.float64]:
    """The Cholesky factors of the correlations within blocks, as one matrix."""
    made = np.zeros_like(correlation)
    for first, end in itertools.pairwise(begin):
        made[first:end, first:end] = np.linalg.cholesky(correlation[first:end, first:end])
    return made
