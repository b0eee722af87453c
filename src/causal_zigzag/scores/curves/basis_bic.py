"""BasisBIC: the BIC of polynomials of normal scores, for curved relations and products of parents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.scores.base import ModelAssumption
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.covariance import moments, regular, weighted_moments
from causal_zigzag.scores.curves.column_curves import RANKED, ColumnPolynomials, begins
from causal_zigzag.scores.curves.curve_prediction import CurvePrediction
from causal_zigzag.scores.curves.curve_table import cells
from causal_zigzag.scores.curves.effect_curves import tested_curves
from causal_zigzag.scores.gaussian import positive
from causal_zigzag.scores.state_checks import check_cells, check_correlation, check_row_weights
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.row_weights import row_total
from causal_zigzag.support.validation import read_count
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table

MOST_TERMS = 8


@final
class BasisBIC(BuiltinScore, name="basis-bic"):
    """The BIC of Gaussian models of curves: a continuous column is a block of polynomials of its normal scores.

    The block has the Hermite polynomials of degrees 1 to ``terms``, a categorical column the indicators of its levels
    but one, and the local score is that of ``MixedBIC`` with these blocks. As y is a block as well, a curved function
    of y may depend on the parents, and also products of parents leave a trace in the squares. The number of parameters
    of an edge is ``terms**2``, so that 300 rows and more are needed, and edges that an effect needs are left out even
    then: there are no effects under this score.

    >>> import numpy as np
    >>> x, z, noise = np.random.default_rng(1).normal(size=(3, 500))
    >>> score = BasisBIC({"x": x, "z": z, "y": x * z + noise / 4})
    >>> score.local("y", ["x"]) > score.local("y", [])
    True
    """

    no_effects = (
        "it leaves out edges that an effect needs, so that intervals would be too narrow; use score='additive-gp'"
    )

    _values: NDArray[np.float64]  # numbers, or codes of levels, by row
    _level_names: tuple[tuple[Hashable, ...], ...]  # empty for numbers
    _begin: tuple[int, ...]
    _correlation: NDArray[np.float64]
    _row_weights: NDArray[np.float64]  # empty if all are 1
    _terms: int
    _penalty: float

    def __init__(self, data: Any, terms: int = 3, penalty: float = 1.0) -> None:
        terms = read_count("terms", terms, 1, most=MOST_TERMS)
        table = read_table(data, strict=True)
        table.refuse_missing("BasisBIC")
        values, names = cells(table)
        columns = _polynomials(values, names, terms, table.labels.names)
        blocks = [column.features(column.response)[0] for column in columns]
        owners = [name for name, block in zip(table.labels.names, blocks, strict=True) for _ in block.T]
        self._fill(
            table.labels,
            _values=values,
            _level_names=names,
            _begin=begins(blocks),
            _correlation=regular(moments(np.concatenate(blocks, axis=1)).correlation, table.n_rows, owners),
            _row_weights=np.zeros(0),
            _terms=terms,
            _penalty=positive(penalty, "penalty"),
        )
        self._remember(table)

    @property
    def row_count(self) -> int:
        return len(self._values)

    def _weighted(self, table: Table | None, weights: NDArray[np.float64]) -> dict[str, Any]:  # noqa: ARG002
        """The polynomials are those of the normal scores of all rows."""
        blocks = np.concatenate([column.features(column.response)[0] for column in self._columns()], axis=1)
        return {"_correlation": weighted_moments(blocks, weights).correlation, "_row_weights": weights}

    @property
    def _rows(self) -> float:
        return float(row_total(self._row_weights)) if len(self._row_weights) else float(len(self._values))

    def _make(self) -> core.Score:
        half, columns = self._rows / 2, self._begin[-1]
        c = -half * np.arange(columns + 1, dtype=np.float64)
        penalty = self._penalty * math.log(self._rows) / 2
        return core.block_score([*self._begin], self._correlation, np.zeros(len(self.nodes)), half, 0.0, c, penalty)

    def _check_state(self) -> None:
        check_cells(self._values, self._level_names, len(self.nodes))
        check(len(self._begin) == len(self.nodes) + 1, "it has too few blocks of columns")
        check_correlation(self._correlation, self._begin)
        check_row_weights(self._row_weights, len(self._values))

    def _columns(self) -> list[ColumnPolynomials]:
        return _polynomials(self._values, self._level_names, self._terms, self.nodes)

    def prediction(self, data: Any) -> CurvePrediction:
        """Student t densities of the normal score of a column, given the polynomials of its parents."""
        return CurvePrediction(self.nodes, self._level_names, self._columns(), ((0, 1.0, 1.0),), data)

    def curves(self, table: Table) -> list[NDArray[np.float64]]:
        return tested_curves(table, ranked=True)

    def harmless(self) -> tuple[str, ...]:
        return ("curve", *RANKED)

    def relative_cost(self) -> float:
        return 2 * (self._begin[-1] / len(self.nodes)) ** 2  # as for MixedBIC

    def assumption(self) -> ModelAssumption:
        return ModelAssumption(
            "Polynomial effects and normal noise",
            f"Powers of the normal scores of a variable, up to {self._terms}, depend linearly on those of its causes.",
            ("spikes", "sparse levels"),
        )

    def __repr__(self) -> str:
        settings = f"{self._terms} terms, penalty {self._penalty:g}"
        return f"BasisBIC({self._nodes_in_words()}, {self._rows:.15g} rows, {settings})"


def _polynomials(
    values: NDArray[np.float64], levels: Sequence[Sequence[Hashable]], terms: int, names: Sequence[Hashable]
) -> list[ColumnPolynomials]:
    given = zip(values.T, levels, names, strict=True)
    return [ColumnPolynomials(column, len(own), terms, name) for column, own, name in given]
