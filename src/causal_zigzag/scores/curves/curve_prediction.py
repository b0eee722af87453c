"""CurvePrediction: densities of held-out rows under regressions on curves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.scores.prediction import cells_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.scores.curves.column_curves import CurvedColumn


class CurvePrediction:
    """Student t densities of regressions on features, averaged by the marginal likelihoods of their choices.

    In the notation of core/scores/additive_gp.hpp, with R = I + Y'Y - B'M^-1 B, new features z and h = z'M^-1 z, the
    responses of a new row have a Student t density with mean B'M^-1 z, N + 1 degrees of freedom and the squared scale
    R (1 + h) / (N + 1): the ratio of the marginal likelihoods with and without the row. The density of a cell has the
    slope of the map from cells to responses as a factor. A level k has the probability
    share_k t(k | parents) / t(k), normalized over the levels, where t(k) is the same density without parents.
    """

    def __init__(
        self,
        nodes: Sequence[Hashable],
        levels: Sequence[tuple[Hashable, ...]],
        columns: Sequence[CurvedColumn],
        choices: Sequence[tuple[int, float, float]],
        data: Any,
    ) -> None:
        self._columns, self._choices = columns, choices
        self._cells = cells_of(nodes, levels, data)
        self._new = [column.respond(cells) for column, cells in zip(columns, self._cells, strict=True)]
        self.n_rows = len(self._cells[0])

    def log_density(self, y: int, parents: NDArray[np.intp]) -> NDArray[np.float64]:
        column, (responses, log_slopes) = self._columns[y], self._new[y]
        if not column.levels:
            return self._log_student(y, parents, responses) + log_slopes
        counts = np.bincount(self._codes(column.response, column.points), minlength=column.levels)
        logs = np.tile(np.log((counts + 1 / column.levels) / (counts.sum() + 1)), (self.n_rows, 1))
        for k, point in enumerate(column.points):
            here = np.tile(point, (self.n_rows, 1))
            logs[:, k] += self._log_student(y, parents, here) - self._log_student(y, parents[:0], here)
        observed = logs[np.arange(self.n_rows), self._cells[y].astype(np.intp)]
        return np.asarray(observed - np.logaddexp.reduce(logs, axis=1))

    @staticmethod
    def _codes(response: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.intp]:
        return np.asarray(np.abs(response[:, None] - points).sum(axis=2).argmin(axis=1))

    def _log_student(self, y: int, parents: NDArray[np.intp], responses: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log density of responses of node y in the held-out rows."""
        Y = self._columns[y].response
        rows, d = Y.shape
        evidence, densities = [], []
        for scale, linear, other in self._choices:
            known, new, variances = self._features(parents, scale, linear, other)
            M = known.T @ known + np.diag(1 / variances)
            B = known.T @ Y
            root = np.linalg.cholesky(M)
            half, leverage = np.linalg.solve(root, B), np.linalg.solve(root, new.T)
            R = np.linalg.cholesky(np.eye(d) + Y.T @ Y - half.T @ half)
            log_R, spread = 2 * float(np.log(np.diag(R)).sum()), 1 + (leverage**2).sum(axis=0)
            error = np.linalg.solve(R, (responses - leverage.T @ half).T)
            log_VM = 2 * float(np.log(np.diag(root)).sum()) + float(np.log(variances).sum())
            evidence.append(-d / 2 * log_VM - (d + rows) / 2 * log_R)
            constant = math.lgamma((rows + 1 + d) / 2) - math.lgamma((rows + 1) / 2) - d / 2 * math.log(math.pi)
            densities.append(
                constant
                - (log_R + d * np.log(spread)) / 2
                - (rows + 1 + d) / 2 * np.log1p((error**2).sum(axis=0) / spread)
            )
        weights = np.array(evidence)[:, None] - np.logaddexp.reduce(evidence)
        return np.asarray(np.logaddexp.reduce(weights + np.array(densities), axis=0))

    def _features(
        self, parents: NDArray[np.intp], scale: int, linear: float, other: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The features of known and of new rows, and their variances; without ``other``, only the linear ones."""
        known, new = [np.zeros((len(self._columns[0].response), 0))], [np.zeros((self.n_rows, 0))]
        variances: list[float] = []
        for p in parents:
            column = self._columns[p]
            d = column.response.shape[1]
            for parts, response in ((known, column.response), (new, self._new[p][0])):
                found = column.features(response)[scale]
                parts.append(found if other else found[:, :d])
            variances += [linear] * d + [other] * (known[-1].shape[1] - d)
        return np.concatenate(known, axis=1), np.concatenate(new, axis=1), np.array(variances)
