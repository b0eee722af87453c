"""BasisBIC: the BIC of polynomials of normal scores, for curved relations and products of parents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.polynomial.hermite_e import hermevander

from causal_zigzag import _core as core
from causal_zigzag.scores.base import BuiltinScore, ModelAssumption
from causal_zigzag.scores.covariance import moments, regular
from causal_zigzag.scores.curves.column_curves import RANKED, begins, indicators, orthonormal
from causal_zigzag.scores.gaussian import positive
from causal_zigzag.scores.state_checks import check_correlation
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.validation import read_count
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.transforms import normal_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.column_kinds import Column
    from causal_zigzag.tables.table import Table

MOST_TERMS = 8


@final
class BasisBIC(BuiltinScore, name="basis-bic"):
    """The BIC of Gaussian models of curves: a continuous column is a block of polynomials of its normal scores.

    The block has the Hermite polynomials of degrees 1 to ``terms``, a categorical column the indicators of its levels
    but one, and the local score is that of ``MixedBIC`` with these blocks. As y is a block as well, a curved function
    of y may depend on the parents, and also products of parents leave a trace in the squares. The number of parameters
    of an edge is ``terms**2``, so that 300 rows and more are needed.

    >>> import numpy as np
    >>> x, z, noise = np.random.default_rng(1).normal(size=(3, 500))
    >>> score = BasisBIC({"x": x, "z": z, "y": x * z + noise / 4})
    >>> score.local("y", ["x"]) > score.local("y", [])
    True
    """

    no_effects = "its relations are curves, which have no single coefficient"

    _begin: tuple[int, ...]
    _correlation: NDArray[np.float64]
    _n_samples: int
    _terms: int
    _penalty: float

    def __init__(self, data: Any, terms: int = 3, penalty: float = 1.0) -> None:
        terms = read_count("terms", terms, 1, most=MOST_TERMS)
        table = read_table(data, strict=True)
        table.refuse_missing("BasisBIC")
        blocks = [_polynomials(column, terms) for column in table.columns]
        owners = [column.name for column, block in zip(table.columns, blocks, strict=True) for _ in block.T]
        correlation = moments(np.concatenate(blocks, axis=1)).correlation
        self._fill(
            table.labels,
            _begin=begins(blocks),
            _correlation=regular(correlation, table.n_rows, owners),
            _n_samples=table.n_rows,
            _terms=terms,
            _penalty=positive(penalty, "penalty"),
        )

    def _make(self) -> core.Score:
        half, columns = self._n_samples / 2, self._begin[-1]
        c = -half * np.arange(columns + 1, dtype=np.float64)
        penalty = self._penalty * math.log(self._n_samples) / 2
        return core.block_score([*self._begin], self._correlation, np.zeros(len(self.nodes)), half, 0.0, c, penalty)

    def _check_state(self) -> None:
        check(self._n_samples >= 2, "its score has too few rows")
        check(len(self._begin) == len(self.nodes) + 1, "it has too few blocks of columns")
        check_correlation(self._correlation, self._begin)

    def curves(self, table: Table) -> list[NDArray[np.float64]]:
        return [_polynomials(column, self._terms) for column in table.columns]

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
        return f"BasisBIC({self._nodes_in_words()}, {self._n_samples} rows, {settings})"


def _polynomials(column: Column, terms: int) -> NDArray[np.float64]:
    """The Hermite polynomials of the normal scores of a column, or its levels but one, with products N I."""
    if column.kind == "categorical":
        return orthonormal(indicators(np.asarray(column.codes), len(column.levels)), column.name)
    powers = hermevander(normal_scores(np.asarray(column.numbers)), terms)
    return orthonormal(powers[:, 1:].astype(np.float64), column.name)
