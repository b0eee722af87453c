"""Responses of curves of numbers and of indicators of levels, averaged over choices of smoothness."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show
from causal_zigzag.scores.covariance import powers_by_level
from causal_zigzag.scores.responses.response import Terms
from causal_zigzag.scores.responses.student import (
    StudentModel,
    StudentResponses,
    mean_of_rows,
    share_by_number,
    two_shares,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.curves.curve_table import CurveTable
    from causal_zigzag.scores.responses.student import Correction

LEAST_CHOICE = 1e-4  # of the probability of a choice of curves and variances


class CurveModel(StudentModel):
    """Regressions on curves; the mean slope of a curve is that of the straight line closest to it in the rows of the
    table: a weighted mean of its slopes (Yitzhaki 1996), and for a normal column their mean."""

    def __init__(self, nodes: Sequence[Hashable], known: CurveTable) -> None:
        self.nodes, self.levels, self._known = tuple(nodes), known.levels, known

    def responses(self, x: int, y: int, sets: Sequence[Sequence[int]]) -> StudentResponses:
        known, width, d = self._known, self._known.features[x].shape[1], self._known.outcome(y).shape[1]
        steps = self._steps(x)
        place, share, B, C, R, freedom, V = [], [], [], [], [], [], []
        for i, parents in enumerate(sets):
            fits = [known.regression(y, (x, *parents), choice) for choice in known.choices]
            logs = np.array([fit.log_evidence for fit in fits])
            shares = np.exp(logs - logs.max())
            shares[shares < LEAST_CHOICE * shares.sum()] = 0.0
            for part, fit, choice in zip(shares / shares.sum(), fits, known.choices, strict=True):
                if part == 0:
                    continue
                own = len(choice.features[x])
                others = [known.begin[p] + choice.features[p] for p in parents]
                S = np.concatenate([np.zeros(0, dtype=np.intp), *others])
                explained = fit.estimates[own:].T @ known.products[np.ix_(S, S)] @ fit.estimates[own:] / known.n_rows
                estimates, inverse = np.zeros((width, d)), np.zeros((width, width))
                estimates[choice.features[x]] = fit.estimates[:own]
                inverse[np.ix_(choice.features[x], choice.features[x])] = fit.inverse[:own, :own]
                place.append(i)
                share.append(float(part))
                B.append(steps @ estimates)
                C.append(steps @ inverse @ steps.T)
                R.append(fit.residual)
                freedom.append(fit.freedom)
                V.append((fit.residual / fit.freedom + explained) / known.n_rows)
        return StudentResponses(
            np.array(place, dtype=np.int64),
            np.array(share, dtype=np.float64),
            np.array(B).reshape(-1, len(steps), d),
            np.array(C).reshape(-1, len(steps), len(steps)),
            np.array(R).reshape(-1, d, d),
            np.array(freedom, dtype=np.float64),
            np.array(V).reshape(-1, d, d),
            known.outcome(y).mean(axis=0),
            known.outcome(x).mean(axis=0) if self.levels[x] else np.zeros(width),  # features have mean 0
            False,
            self._correction(x, y) if self.levels[y] else None,
        )

    def alone(self, y: int, g: NDArray[np.float64]) -> Terms:
        column = self._known.outcome(y) @ g + float((g < 0).any())
        return mean_of_rows(float(column.mean()), float(column.std()), self._known.n_rows)

    def slope(self, x: int) -> NDArray[np.float64]:
        centred = self.cells(x, sort=False) - self.cells(x).mean()
        return np.asarray(self._known.features[x].T @ centred / (centred @ centred))

    def vectors(self, x: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._known.at[x](values)  # of the nearest cell, if a resample lacks the first or the last one

    def check_values(self, x: int, values: NDArray[np.float64]) -> None:
        cells = self.cells(x)
        outside = values[~((values >= cells[0]) & (values <= cells[-1]))]
        if len(outside):
            raise SettingsError(
                f"points contains {outside[0]:g}, but {show(self.nodes[x])} is from {cells[0]:g} to {cells[-1]:g} in "
                "the table, and a curve is not known elsewhere"
            )

    def cells(self, x: int, sort: bool = True) -> NDArray[np.float64]:
        cells = self._known.values[:, x]
        return np.sort(cells) if sort else cells

    def is_curved(self, x: int) -> bool:
        return not self.levels[x]

    def deviation(self, v: int) -> float:
        return 1.0 if self.levels[v] else float(self._known.values[:, v].std())

    def _steps(self, x: int) -> NDArray[np.float64]:
        """The features of the indicators of all levels but the first; of a number, the features themselves."""
        if not self.levels[x]:
            return np.eye(self._known.features[x].shape[1])
        points = self._known.at[x](np.arange(len(self.levels[x]), dtype=np.float64))
        return np.asarray(points[1:] - points[0])

    def _correction(self, x: int, y: int) -> Correction:
        if not self.levels[x]:
            indicators = self._known.values[:, [y]] == np.arange(1, len(self.levels[y]))
            powers = powers_by_level(self._known.values[:, [x]], indicators.astype(np.float64))
            return partial(share_by_number, powers[:, 0])
        counts = np.zeros((len(self.levels[x]), len(self.levels[y])))
        np.add.at(counts, tuple(self._known.values[:, [x, y]].T.astype(np.intp)), 1.0)
        return partial(two_shares, counts)
