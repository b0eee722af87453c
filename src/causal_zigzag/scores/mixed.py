"""MixedBIC: a score for tables with continuous and categorical columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.scores.base import BuiltinScore, ModelAssumption
from causal_zigzag.scores.covariance import moments, regular
from causal_zigzag.scores.discrete import CATEGORIES
from causal_zigzag.scores.gaussian import LINEAR, positive, refuse_constants
from causal_zigzag.scores.state_checks import check_correlation, check_logs
from causal_zigzag.support.field_checks import check
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
class MixedBIC(BuiltinScore, name="mixed-bic"):
    """The degenerate Gaussian score of Andrews, Ramsey & Cooper (2019), for columns of any kind.

    A categorical column is a block of indicators, one for each level but the first; a continuous or ordinal one is a
    block of one. The local score of y with parents P is
    ``(-N (D_y + log det V) - penalty (D_y D_P + D_y (D_y + 1) / 2) log N) / 2``, where D is the number of columns of
    blocks and V the residual covariance (divided by N) of y given P. It is score-equivalent, and equal to
    ``GaussianBIC`` if all columns are continuous. The rounding error is that of
    ``GaussianBIC``, with columns of blocks for nodes.

    >>> data = {"color": ["red", "blue"] * 20, "size": [1.5, 2.5, 1.25, 2.0] * 10}
    >>> score = MixedBIC(data)
    >>> score.local("size", ["color"]) > score.local("size", [])
    True
    """

    no_effects = "its blocks of indicators have no single coefficient"

    _begin: tuple[int, ...]
    _correlation: NDArray[np.float64]
    _log_variance: NDArray[np.float64]
    _n_samples: int
    _penalty: float

    def __init__(self, data: Any, penalty: float = 1.0) -> None:
        table = read_table(data)
        blocks = [_block(column) for column in table.columns]
        owners = [column.name for column, block in zip(table.columns, blocks, strict=True) for _ in block]
        _, correlation, log_variance = moments(np.concatenate(blocks).T)
        refuse_constants(log_variance, owners)
        begin = np.cumsum([0, *(len(block) for block in blocks)])
        self._fill(
            table.labels,
            _begin=tuple(begin.tolist()),
            _correlation=regular(correlation, table.n_rows, owners),
            _log_variance=np.add.reduceat(log_variance, begin[:-1]),
            _n_samples=table.n_rows,
            _penalty=positive(penalty, "penalty"),
        )

    def _make(self) -> core.Score:
        return core.block_score(
            [*self._begin], self._correlation, self._log_variance, float(self._n_samples), self._penalty
        )

    def _check_state(self) -> None:
        check(self._n_samples >= 2, "its score has too few rows")
        check(len(self._begin) == len(self.nodes) + 1, "it has too few blocks of columns")
        check_correlation(self._correlation, self._begin)
        check_logs(self._log_variance, size=len(self.nodes))

    def relative_cost(self) -> float:
        return 2 * (len(self._correlation) / len(self.nodes)) ** 2  # measured: a block has a row and a column per level

    def assumption(self) -> ModelAssumption:
        return ModelAssumption(
            "Categories, and linear effects with normal noise",
            "Numbers depend linearly on each other, with normal noise; categories have their own probabilities.",
            (*CATEGORIES.checks, *LINEAR.checks),
        )

    def __repr__(self) -> str:
        return f"MixedBIC({self._nodes_in_words()}, {self._n_samples} rows, penalty {self._penalty:g})"


def _block(column: Column) -> NDArray[np.float64]:
    """The columns of a block, one per row of the array."""
    if column.kind == "categorical":
        assert column.codes is not None
        return np.asarray(column.codes[None, :] == np.arange(1, len(column.levels))[:, None], dtype=np.float64)
    assert column.numbers is not None
    return column.numbers[None, :]
