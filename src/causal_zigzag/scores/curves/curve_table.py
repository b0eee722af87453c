"""CurveTable: what the regressions of columns on curves of other columns are computed from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.scores.curves.column_curves import begins, indicators
from causal_zigzag.scores.discrete import plain

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table


def cells(table: Table) -> tuple[NDArray[np.float64], tuple[tuple[Hashable, ...], ...]]:
    """Numbers, or codes of levels, by row and column; and the names of the levels of each column."""
    columns = [c.codes if c.kind == "categorical" else c.numbers for c in table.columns]
    names = tuple(tuple(map(plain, c.levels)) if c.kind == "categorical" else () for c in table.columns)
    return np.ascontiguousarray(np.array(columns, dtype=np.float64).T), names


class Choice(NamedTuple):
    """A choice of features and of their prior variances, by node."""

    features: Sequence[NDArray[np.intp]]
    variances: Sequence[NDArray[np.float64]]


class Regression(NamedTuple):
    """Coefficients of outcomes on features: ``estimates`` (features by outcomes), ``inverse``, ``residual``, freedom.

    The coefficient c'Bg has a Student t posterior with the squared scale c'Cc g'Rg / v, with B, C, R and v in the order
    above. ``log_evidence`` is the log marginal likelihood up to a constant.
    """

    estimates: NDArray[np.float64]
    inverse: NDArray[np.float64]
    residual: NDArray[np.float64]
    freedom: float
    log_evidence: float


@dataclass(frozen=True, eq=False)
class CurveTable:
    """Columns with the functions of them on which others depend.

    ``values`` has numbers or codes of levels, ``levels`` the names of these, empty for numbers. ``features[v]`` are
    functions of column v in the rows of the table, with mean 0, and ``at[v]`` the same functions of other cells.
    Outcomes are the columns themselves, not their ranks: an effect is in the units of the table.
    """

    values: NDArray[np.float64]
    levels: Sequence[tuple[Hashable, ...]]
    features: Sequence[NDArray[np.float64]]
    at: Sequence[Callable[[NDArray[np.float64]], NDArray[np.float64]]]
    choices: Sequence[Choice]

    @property
    def n_rows(self) -> int:
        return len(self.values)

    @cached_property
    def begin(self) -> tuple[int, ...]:
        """The first feature of each node, among those of all, and their number."""
        return begins(self.features)

    @cached_property
    def products(self) -> NDArray[np.float64]:
        """The inner products of all features."""
        Z = np.concatenate(self.features, axis=1)
        return np.asarray(Z.T @ Z)

    def outcome(self, y: int) -> NDArray[np.float64]:
        """The column as it changes: a number, or indicators of all levels but the first."""
        column = self.values[:, y]
        return indicators(column, len(self.levels[y])) if self.levels[y] else column[:, None]

    def regression(self, y: int, parents: Sequence[int], choice: Choice) -> Regression:
        """The regression of y on features of the parents, in this order: that of core/scores/additive_gp.hpp.

        The outcome, scaled to products N I, has a residual scatter with an inverse Wishart prior of scale I.
        """
        Y, ZY, root = self._outcomes[y]
        S = np.concatenate([self.begin[p] + choice.features[p] for p in parents])
        variances = np.concatenate([choice.variances[p] for p in parents])
        rows, d = Y.shape
        M = self.products[np.ix_(S, S)] + np.diag(1 / variances)
        inverse = np.linalg.inv(M)
        B = inverse @ ZY[S]
        R = (rows + 1) * np.eye(d) - ZY[S].T @ B
        log_VM = float(np.linalg.slogdet(M)[1] + np.log(variances).sum())
        evidence = -d / 2 * log_VM - (d + rows) / 2 * float(np.linalg.slogdet(R)[1])
        return Regression(B @ root, inverse, root.T @ R @ root, rows + 1.0, evidence)

    @cached_property
    def _outcomes(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
        """Each outcome with products N I, its products with all features, and the map back to its units."""
        Z, found = np.concatenate(self.features, axis=1), []
        for y in range(self.values.shape[1]):
            centred = self.outcome(y) - self.outcome(y).mean(axis=0)
            root = np.linalg.cholesky(centred.T @ centred / self.n_rows).T
            Y = np.linalg.solve(root.T, centred.T).T
            found.append((Y, Z.T @ Y, root))
        return found
