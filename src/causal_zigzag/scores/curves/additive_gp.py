"""AdditiveGP: a score for curved relations, by additive Gaussian processes averaged over orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import ScoreError
from causal_zigzag.scores.base import ModelAssumption
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.curves.column_curves import LENGTH_SCALES, RANKED, ColumnCurves, begins, indicators, weighted
from causal_zigzag.scores.curves.curve_prediction import CurvePrediction
from causal_zigzag.scores.curves.curve_table import cells
from causal_zigzag.scores.curves.effect_curves import effect_curves, tested_curves
from causal_zigzag.scores.mixed import OF_INDICATORS
from causal_zigzag.scores.state_checks import check_cells, check_row_weights
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.row_weights import repeated_rows, row_total
from causal_zigzag.support.validation import is_integer, is_word, read_count
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.transforms import normal_scores

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.scores.curves.curve_table import CurveTable
    from causal_zigzag.tables.table import Table

CHOICES = ((0, 1.0, 0.0), (0, 1.0, 0.3), (1, 1.0, 0.3), (1, 0.1, 1.0))
"""Length scale, variance of the linear terms and of the others; the first is the linear model."""

MOST_PARENTS = 12  # all subsets of a family are scored
RELATIVE_COST = 8.0  # of a local score; a set is scored once for all nodes


@final
class AdditiveGP(BuiltinScore, name="additive-gp"):
    """A score for curved relations: each column is a sum of smooth functions of its parents, plus normal noise.

    A regression of a column on its parents has a linear term and a Gaussian process for each parent; its marginal
    likelihood is averaged over a linear model and three choices of length scale and variances. A categorical column is
    a block of indicators. Let exp F(S) be the average, over all orders of the nodes of S, of the likelihoods of the
    complete DAG in that order. The local score of y with parents P is F(P and y) - F(P), so the score is
    score-equivalent: curvature shows edges, but it orients none by itself.

    By default continuous columns are replaced by normal scores of their ranks, so that skewed columns and outliers do
    no harm; ``transform=None`` uses the columns themselves, standardized. No node has more than ``max_parents`` parents
    in any DAG of a class; this bound is part of the target.

    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=200)
    >>> score = AdditiveGP({"x": x, "y": x**2 + np.random.default_rng(2).normal(size=200)})
    >>> score.local("y", ["x"]) > score.local("y", []) + 20
    True
    """

    _values: NDArray[np.float64]  # numbers, or codes of levels, by row
    _level_names: tuple[tuple[Hashable, ...], ...]  # empty for numbers
    _row_weights: NDArray[np.float64]  # empty if all are 1
    _transform: str
    _max_parents: int

    def __init__(self, data: Any, transform: str | None = "normal-scores", max_parents: int = 7) -> None:
        if transform is not None and not is_word(transform, "normal-scores"):
            raise ScoreError(f"transform must be None or 'normal-scores', not {transform!r}")
        table = read_table(data, strict=True)
        table.refuse_missing("AdditiveGP")
        values, names = cells(table)
        self._fill(
            table.labels,
            _values=values,
            _level_names=names,
            _row_weights=np.zeros(0),
            _transform=transform or "none",
            _max_parents=read_count("max_parents", max_parents, 1, most=MOST_PARENTS),
        )
        self._remember(table)

    @property
    def row_count(self) -> int:
        return len(self._values)

    def _weighted(self, table: Table | None, weights: NDArray[np.float64]) -> dict[str, Any]:  # noqa: ARG002
        """Ranks, and the curves that describe a column, stay those of all rows."""
        return {"_row_weights": weights}

    @property
    def _ranked(self) -> bool:
        return self._transform == "normal-scores"

    def _columns(self) -> list[ColumnCurves]:
        given = zip(self._values.T, self._level_names, self.nodes, strict=True)
        scores = normal_scores if self._ranked else None
        return [ColumnCurves(values, len(levels), scores, name) for values, levels, name in given]

    def _make(self) -> core.Score:
        columns = self._columns()
        blocks = [column.features(column.response) for column in columns]
        if len(self._row_weights):
            blocks = [
                weighted(own, column.width, self._row_weights) for own, column in zip(blocks, columns, strict=True)
            ]
        widths = [column.width for column in columns]
        responses = [own[0][:, :width] for own, width in zip(blocks, widths, strict=True)]
        Y = np.concatenate(responses, axis=1)
        grams = []
        for at in range(len(LENGTH_SCALES)):
            features = [own[at] for own in blocks]
            Z = np.concatenate(features, axis=1)
            linear = [k < width for f, width in zip(features, widths, strict=True) for k in range(f.shape[1])]
            grams.append(([*begins(features)], linear, Z.T @ Z, Z.T @ Y))
        return core.additive_gp_score([*begins(responses)], Y.T @ Y, grams, [*CHOICES], self._rows, self._max_parents)

    @property
    def _rows(self) -> float:
        return float(row_total(self._row_weights)) if len(self._row_weights) else float(len(self._values))

    def _check_state(self) -> None:
        check(is_integer(self._max_parents) and self._max_parents <= MOST_PARENTS, "its score has too many parents")
        check_cells(self._values, self._level_names, len(self.nodes))
        check_row_weights(self._row_weights, len(self._values))

    def prediction(self, data: Any) -> CurvePrediction:
        """Student t densities of the regressions, averaged over their choices of features and variances."""
        return CurvePrediction(self.nodes, self._level_names, self._columns(), CHOICES, data)

    def curves(self, table: Table) -> list[NDArray[np.float64]]:
        return tested_curves(table, self._ranked)

    def curve_table(self) -> CurveTable:
        values = repeated_rows(self._values, self._row_weights)
        return effect_curves(values, self._level_names, self.nodes, self._ranked)

    def log_jacobian(self) -> float | None:
        """Of the standardization of columns and of blocks of indicators; None for ranks, which have no density."""
        if self._ranked:
            return None
        given = zip(self._values.T, self._level_names, strict=True)
        blocks = [indicators(values, len(levels)) if levels else values for values, levels in given]
        covariances = [np.atleast_2d(np.cov(block, rowvar=False, ddof=0)) for block in blocks]
        return float(-len(self._values) / 2 * sum(np.linalg.slogdet(own)[1] for own in covariances))

    def evidence_note(self) -> str:
        if self._ranked:
            return "no log_evidence: ranks have no density"
        return OF_INDICATORS if any(self._level_names) else ""

    def harmless(self) -> tuple[str, ...]:
        return ("curve", *(RANKED if self._ranked else ()))

    def relative_cost(self) -> float:
        return RELATIVE_COST

    def assumption(self) -> ModelAssumption:
        return ModelAssumption(
            "Sums of smooth effects and normal noise",
            "A variable is a sum of smooth curves, one for each cause, plus normal noise of constant variance. "
            "Effects of one cause that depend on another are not found.",
            ("spikes", "sparse levels", *(() if self._ranked else RANKED)),
        )

    def __repr__(self) -> str:
        columns = "normal scores" if self._ranked else "columns as they are"
        return (
            f"AdditiveGP({self._nodes_in_words()}, {self._rows:.15g} rows, {columns}, "
            f"at most {self._max_parents} parents per node)"
        )
