"""Scores of tables with missing cells: a run draws the cells together with the graph."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import DataError, ScoreError
from causal_zigzag.graphs.labels import show
from causal_zigzag.scores.base import ModelAssumption, Score, hot_coldness_of_rows
from causal_zigzag.scores.bge import BGe, NormalWishart
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.covariance import standardized
from causal_zigzag.scores.discrete import CALIBRATED_SIZE, CATEGORIES, BDeu, compressed, plain
from causal_zigzag.scores.gaussian import LINEAR
from causal_zigzag.scores.mixed import MIXED, MixedBGe, block_powers
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.row_weights import row_counts
from causal_zigzag.support.wording import percentage
from causal_zigzag.tables.column_kinds import as_categories

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.tables.column_kinds import Column
    from causal_zigzag.tables.table import Table


class IncompleteScore(BuiltinScore):
    """The score of a table with missing cells: the marginal likelihood of the completed table.

    It has no values of its own, as these depend on the missing cells. ``completed_table`` makes the object of the core
    that draws the cells, and ``completed`` the score for given cells. Cells are those of the core: numbers are
    standardized by the mean and the standard deviation of the observed cells of their column, once and for all.
    """

    is_incomplete = True

    _values: NDArray[np.float64]  # by row: numbers, or codes of levels; 0 where missing
    _holes: NDArray[np.int64]  # rows of (row, column), sorted
    _level_names: tuple[tuple[Hashable, ...], ...]  # of categorical columns; empty for numbers

    @abstractmethod
    def completed_table(self, seed: NDArray[np.uint64]) -> core.CompletedTable:
        """The table with every hole filled by an observed cell of its column."""

    @abstractmethod
    def completed(self, cells: NDArray[np.float64]) -> Score:
        """The score of the table with these cells."""

    @property
    def row_count(self) -> int:
        return len(self._values) if self.source_table is None else self.source_table.n_rows

    def _weighted(self, table: Table | None, weights: NDArray[np.float64]) -> dict[str, Any]:
        """Rows are repeated, since the missing cells of each copy are drawn."""
        if len(weights) > len(self._values):
            assert table is not None
            weights = weights[~np.all([column.missing for column in table.columns], axis=0)]
        counts = row_counts(weights)
        if counts is None:
            raise ScoreError(f"the weights of the rows of {self!r}, whose cells are drawn, must be whole numbers")
        rows = np.repeat(np.arange(len(counts)), counts)
        copies, columns = np.nonzero(self.missing[rows])
        holes = np.ascontiguousarray(np.stack([copies, columns], axis=1), dtype=np.int64)
        return {"_values": np.ascontiguousarray(self._values[rows]), "_holes": holes}

    def hot_coldness(self) -> float:
        return hot_coldness_of_rows(len(self._values))

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells are missing."""
        found = np.zeros(self._values.shape, dtype=np.bool_)
        found[tuple(self._holes.T)] = True
        return found

    def completed_columns(self, cells: NDArray[np.float64]) -> dict[Hashable, NDArray[Any]]:
        """The columns of the table with these cells, in the units and levels of the data."""
        values = self._values.copy()
        values[tuple(self._holes.T)] = self._in_units(cells)
        columns: dict[Hashable, NDArray[Any]] = {}
        for name, levels, column in zip(self.nodes, self._level_names, values.T, strict=True):
            columns[name] = np.array([*levels], dtype=object)[column.astype(np.intp)] if levels else column
        return columns

    def prediction(self, data: Any) -> NoReturn:  # noqa: ARG002
        """A ScoreError: the densities of held-out rows depend on the missing cells."""
        raise ScoreError(
            f"held-out rows have no density under {self!r}, since it depends on the missing cells; make a score from "
            f"each completed table of posterior.imputed, or leave out incomplete rows with missing='drop'"
        )

    def origin(self, graph: Any) -> float:  # noqa: ARG002
        return 0.0

    @property
    def _made(self) -> NoReturn:  # type: ignore[override] # whoever needs values gets this error
        raise ScoreError(
            f"{self!r} has no values, because they depend on the missing cells; cz.sample draws these together with "
            f"the graph, and missing='drop' leaves out incomplete rows"
        )

    def _in_units(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        """The cells in the units of the data."""
        return cells

    def _make(self) -> core.Score:
        return None  # type: ignore[return-value] # each chain has its own

    def _check_state(self) -> None:
        n, rows = len(self.nodes), len(self._values)
        check(self._values.shape == (rows, n) and rows >= 2 and self._holes.shape[1:] == (2,), "its table has no shape")
        flat = self._holes[:, 0] * n + self._holes[:, 1]
        within = bool((self._holes >= 0).all() and (self._holes < (rows, n)).all() and (np.diff(flat) > 0).all())
        check(within, "its missing cells are not those of a table")
        check(
            len(self._level_names) == n and all(isinstance(own, tuple) for own in self._level_names), "it has no levels"
        )
        for levels, column, seen in zip(self._level_names, self._values.T, ~self.missing.T, strict=True):
            if levels:
                is_code = (
                    (column[seen] % 1 == 0).all() and (column[seen] >= 0).all() and (column[seen] < len(levels)).all()
                )
                check(bool(is_code) and 2 <= len(levels) <= MOST_LEVELS, "the levels of its table are not valid")

    def __repr__(self) -> str:
        share = percentage(len(self._holes) / self._values.size)
        return f"{self.model_name()}({self._nodes_in_words()}, {len(self._values)} rows, {share} of the cells missing)"


MOST_LEVELS = 65535
LEAST_COUNT = 0.5  # of a level that no resampled row has, so that its indicator has a variance


@final
class IncompleteBDeu(IncompleteScore, name="incomplete-bdeu"):
    """``BDeu`` of a table with missing cells."""

    _sample_size: float

    def __init__(self, table: Table, equivalent_sample_size: float = 1.0) -> None:
        columns = [as_categories(column, "BDeu") for column in table.columns]
        self._fill(table.labels, **_cells(columns), _sample_size=equivalent_sample_size)

    @classmethod
    def calibrated(cls, table: Table) -> IncompleteBDeu:
        return cls(table, CALIBRATED_SIZE)

    def completed_table(self, seed: NDArray[np.uint64]) -> core.CompletedTable:
        codes = np.ascontiguousarray(self._values.T, dtype=np.uint16)
        levels = [len(own) for own in self._level_names]
        return core.discrete_table(levels, codes, self._holes, self._sample_size, seed)

    def completed(self, cells: NDArray[np.float64]) -> BDeu:
        values = self._values.copy()
        values[tuple(self._holes.T)] = cells
        codes, weights, _ = compressed(np.ascontiguousarray(values.T, dtype=np.uint16))
        made = object.__new__(BDeu)
        made._fill(
            self._labels,
            _codes=codes,
            _weights=weights,
            _level_names=self._level_names,
            _n_samples=len(values),
            _sample_size=self._sample_size,
        )
        return made

    def assumption(self) -> ModelAssumption:
        return CATEGORIES

    def model_name(self) -> str:
        return "BDeu"


class IncompleteMixedBGe(IncompleteScore, name="incomplete-mixed-bge"):
    """``MixedBGe`` of a table with missing cells."""

    _alpha_mu: float
    _alpha_w: float

    def __init__(self, table: Table, alpha_mu: float = 1.0, alpha_w: float | None = None) -> None:
        cells = _cells(table.columns)
        prior = NormalWishart.read(sum(max(1, len(own) - 1) for own in cells["_level_names"]), alpha_mu, alpha_w)
        self._fill(table.labels, **cells, _alpha_mu=prior.alpha_mu, _alpha_w=prior.alpha_w)

    def completed_table(self, seed: NDArray[np.uint64]) -> core.CompletedTable:
        prior, points = self._prior, [[] if own is None else own.ravel().tolist() for own in self._points]
        values = np.where(
            [own is None for own in self._points], (self._values - self._centre) / self._scale, self._values
        )
        return core.embedded_table(self._begin, values, points, self._holes, *prior[1:], prior.scale, seed)

    def completed(self, cells: NDArray[np.float64]) -> BGe | MixedBGe:
        values = self._values.copy()
        values[tuple(self._holes.T)] = self._in_units(cells)
        embedded, prior = self._embedded(values), self._prior
        rows, mean = len(values), embedded.mean(axis=0)
        centred = embedded - mean
        scatter = centred.T @ centred + rows * prior.alpha_mu / (rows + prior.alpha_mu) * np.outer(mean, mean)
        scatter[np.diag_indices(len(scatter))] += prior.scale
        scaled, log_scale = standardized(scatter)
        common = {"_correlation": scaled, "_n_samples": rows, "_alpha_mu": prior.alpha_mu, "_alpha_w": prior.alpha_w}
        if any(self._level_names):
            mixed = object.__new__(MixedBGe)
            begin, names = tuple(self._begin), self._level_names
            blocks = np.concatenate([self._columns_of(v, column) for v, column in enumerate(values.T)], axis=1)
            columns = {"_mean": blocks.mean(axis=0), "_units": self._units, "_log_scale": log_scale}
            powers = block_powers(blocks, np.array(begin), names)
            mixed._fill(self._labels, **common, **columns, _begin=begin, _level_names=names, _powers=powers)
            return mixed
        made = object.__new__(BGe)
        mean = values.mean(axis=0)
        made._fill(self._labels, **common, _mean=mean, _log_scale=log_scale, _log_deviation=np.log(self._scale))
        return made

    def assumption(self) -> ModelAssumption:
        return MIXED if any(self._level_names) else LINEAR

    def model_name(self) -> str:
        return "MixedBGe" if any(self._level_names) else "BGe"

    @property
    def _prior(self) -> NormalWishart:
        return NormalWishart(self._begin[-1], self._alpha_mu, self._alpha_w)

    @property
    def _begin(self) -> list[int]:
        """The first column of each node, and their number."""
        return [0, *itertools.accumulate(max(1, len(own) - 1) for own in self._level_names)]

    @cached_property
    def _centre(self) -> NDArray[np.float64]:
        observed = ~self.missing
        return np.asarray((self._values * observed).sum(axis=0) / np.maximum(observed.sum(axis=0), 1))

    @cached_property
    def _scale(self) -> NDArray[np.float64]:
        observed = ~self.missing
        left = np.where(observed, self._values - self._centre, 0.0)
        size = np.abs(left).max(axis=0)  # so that no square overflows
        size[size == 0] = 1.0  # of a column that is constant in the resampled rows
        scale = size * np.sqrt(((left / size) ** 2).sum(axis=0) / np.maximum(observed.sum(axis=0) - 1, 1))
        return np.where(scale > 0, scale, 1.0)

    @cached_property
    def _units(self) -> NDArray[np.float64]:
        """The map from standardized columns to numbers and indicators of all levels but the first, less their means:
        the Cholesky factor of the sample covariance of each block over its observed cells."""
        units, observed = np.zeros((self._begin[-1], self._begin[-1])), ~self.missing
        for v, (levels, (first, end)) in enumerate(
            zip(self._level_names, itertools.pairwise(self._begin), strict=True)
        ):
            units[first, first] = self._scale[v]
            if levels:
                rows, shares = observed[:, v].sum(), self._shares(v)
                covariance = (np.diag(shares) - np.outer(shares, shares)) * max(rows, 1) / max(rows - 1, 1)
                units[first:end, first:end] = np.linalg.cholesky(covariance)
        return units

    @cached_property
    def _points(self) -> list[NDArray[np.float64] | None]:
        """Of a categorical column: the levels as points, indicators of all but the first that are standardized to mean
        0 and sample covariance I over the observed cells."""
        found: list[NDArray[np.float64] | None] = []
        for v, (levels, (first, end)) in enumerate(
            zip(self._level_names, itertools.pairwise(self._begin), strict=True)
        ):
            indicators = np.eye(max(len(levels), 1))[:, 1:]
            units = self._units[first:end, first:end]
            points: Any = np.linalg.solve(units, (indicators - self._shares(v)).T).T if levels else None
            found.append(points)
        return found

    def _shares(self, v: int) -> NDArray[np.float64]:
        """The shares of the levels but the first among the observed cells of a categorical column."""
        codes = self._values[~self.missing[:, v], v].astype(np.intp)
        counts = np.maximum(np.bincount(codes, minlength=len(self._level_names[v])), LEAST_COUNT)
        return np.asarray(counts[1:] / counts.sum())

    def _columns_of(self, v: int, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """The number, or the indicators of the levels but the first."""
        levels = self._level_names[v]
        return np.asarray(column[:, None] == np.arange(1, len(levels)), dtype=float) if levels else column[:, None]

    def _embedded(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        blocks = [
            ((column - centre) / scale)[:, None] if points is None else points[column.astype(np.intp)]
            for column, centre, scale, points in zip(values.T, self._centre, self._scale, self._points, strict=True)
        ]
        return np.ascontiguousarray(np.concatenate(blocks, axis=1))

    def _in_units(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = self._holes[:, 1]
        numbers = np.array([not own for own in self._level_names])[columns]
        return np.where(numbers, self._centre[columns] + self._scale[columns] * cells, cells)


@final
class IncompleteBGe(IncompleteMixedBGe, name="incomplete-bge"):
    """``BGe`` of a table with missing cells, whose columns are all used as numbers."""

    def __init__(self, table: Table, alpha_mu: float = 1.0, alpha_w: float | None = None) -> None:
        text = next((column for column in table.columns if column.numbers is None), None)
        if text is not None:
            fault = f"column {show(text.name)} is not numeric (it contains {text.levels[0]!r}), but BGe needs numbers"
            raise DataError(fault, "use score='mixed-bge'", "no number", text.name)
        columns = tuple(replace(column, kind="continuous") for column in table.columns)
        super().__init__(replace(table, columns=columns), alpha_mu, alpha_w)


def _cells(columns: Sequence[Column]) -> dict[str, Any]:
    """The attributes that every incomplete score has. Rows without any observed cell are left out: they say nothing."""
    missing = np.array([column.missing for column in columns]).T
    values = np.array(
        [column.codes if column.kind == "categorical" else column.numbers for column in columns], dtype=float
    ).T
    values = np.where(missing, 0.0, values)
    kept = ~missing.all(axis=1)
    names = [
        tuple(plain(level) for level in column.levels) if column.kind == "categorical" else () for column in columns
    ]
    return {
        "_values": np.ascontiguousarray(values[kept]),
        "_holes": np.ascontiguousarray(np.argwhere(missing[kept])),
        "_level_names": tuple(names),
    }
