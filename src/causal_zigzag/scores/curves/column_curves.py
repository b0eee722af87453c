"""Columns as responses of regressions, and as features of the regressions of others: kernels and polynomials."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermevander

from causal_zigzag.scores.covariance import RIDGE
from causal_zigzag.scores.curves.smooth_scores import SmoothScores
from causal_zigzag.scores.gaussian import refuse_constants
from causal_zigzag.tables.transforms import normal_scores

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

Scores = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]
LENGTH_SCALES = ((1.0, 4), (0.5, 5))  # of the kernel, in standard deviations, and the number of features for each
LANDMARKS = 40  # quantiles of a column at which the kernel is evaluated
LEAST_EIGENVALUE = 1e-7  # of the kernel at the landmarks, relative to the largest
LEAST_SQUARE = 1e-12  # of a singular value of the features, relative to the largest
RANKED = ("skew", "zeros", "outliers")  # findings about columns that do not matter for their ranks
LEAST_SHARE = 1e-9  # of the length of a column that is left when it is made orthogonal to others


class Kernel(NamedTuple):
    """The leading features of the Gaussian kernel, by Nyström's method, without their constant and linear parts."""

    length: float
    landmarks: NDArray[np.float64]
    weights: NDArray[np.float64]  # of the landmarks, by feature
    line: NDArray[np.float64]  # of 1 and z, by feature, which is subtracted

    @classmethod
    def of(cls, z: NDArray[np.float64], length: float, most: int) -> Kernel:
        """Up to ``most`` features of a standardized column."""
        landmarks = np.unique(np.quantile(z, np.linspace(0, 1, LANDMARKS)))
        values, vectors = np.linalg.eigh(_gaussian(landmarks, landmarks, length))
        kept = values > LEAST_EIGENVALUE * values[-1]
        weights = vectors[:, kept] / np.sqrt(values[kept])
        made = cls(length, landmarks, weights, np.zeros((2, weights.shape[1])))
        features, basis = made.at(z), np.column_stack([np.ones(len(z)), z])
        line = basis.T @ features / len(z)  # the columns of the basis are orthogonal, as z is standardized
        features -= basis @ line
        squares, directions = np.linalg.eigh(features.T @ features)  # the smallest first
        count = min(most, int((squares > LEAST_SQUARE * max(squares[-1], 1.0)).sum()))
        leading = directions[:, len(squares) - count :]
        return made._replace(weights=weights @ leading, line=line @ leading)

    def at(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """The features at these values, one row for each."""
        curves = _gaussian(z, self.landmarks, self.length) @ self.weights
        return np.asarray(curves - np.column_stack([np.ones(len(z)), z]) @ self.line)


class CurvedColumn(ABC):
    """A column with functions of it; ``levels`` is the number of its levels, 0 for numbers.

    The ``response`` has mean 0 and products N I: the number, or its normal score, standardized, or indicators of all
    levels but one. The features of levels are the response. ``scores`` maps numbers to their normal scores.
    """

    def __init__(self, values: NDArray[np.float64], levels: int, scores: Scores | None, name: Hashable) -> None:
        self.levels = levels
        if levels:
            self.response = orthonormal(indicators(values, levels), name)
            self.points = np.zeros((levels, self.response.shape[1]))  # the responses of the levels
            self.points[values.astype(np.intp)] = self.response
        else:
            self.response = orthonormal((values if scores is None else scores(values))[:, None], name)
            self._values, self._ranked = values, scores is not None
            self._centre, self._scale = float(values.mean()), float(values.std())
            self._knots, first = np.unique(values, return_index=True)
            self._heights = self.response[first, 0]

    @property
    def width(self) -> int:
        """The number of linear features, which are the response."""
        return int(self.response.shape[1])

    @abstractmethod
    def features(self, response: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """The features of each length scale at responses of this column, one row for each; the linear ones first."""

    def respond(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The responses to new cells, and the log slopes of this map."""
        if self.levels:
            return self.points[values.astype(np.intp)], np.zeros(len(values))
        if not self._ranked:
            return ((values - self._centre) / self._scale)[:, None], np.full(len(values), -math.log(self._scale))
        scores, log_slopes = SmoothScores(self._values)(values)  # for predictions only
        return scores[:, None], log_slopes

    def every_feature(self, response: NDArray[np.float64]) -> NDArray[np.float64]:
        """The linear features, followed by the others of all length scales."""
        d = response.shape[1]
        found = self.features(response)
        return np.concatenate([found[0][:, :d], *(own[:, d:] for own in found)], axis=1)

    def at(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """All features of cells within the range of the column; between known cells, ranks are interpolated."""
        if self.levels:
            return self.points[values.astype(np.intp)]
        return self.every_feature(np.interp(values, self._knots, self._heights)[:, None])


class ColumnCurves(CurvedColumn):
    """A column with the curves of Gaussian kernels of several length scales; ``most`` replaces their usual number."""

    def __init__(
        self, values: NDArray[np.float64], levels: int, scores: Scores | None, name: Hashable, most: int | None = None
    ) -> None:
        super().__init__(values, levels, scores, name)
        scales = () if levels else LENGTH_SCALES
        self._kernels = [Kernel.of(self.response[:, 0], length, most or usual) for length, usual in scales]

    def features(self, response: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        if self.levels:
            return [response] * len(LENGTH_SCALES)
        return [np.column_stack([response, kernel.at(response[:, 0])]) for kernel in self._kernels]


class ColumnPolynomials(CurvedColumn):
    """A column with the Hermite polynomials of its normal scores, with mean 0 and products N I."""

    def __init__(self, values: NDArray[np.float64], levels: int, terms: int, name: Hashable) -> None:
        super().__init__(values, levels, normal_scores, name)
        self._terms = terms
        if not levels:
            scores = normal_scores(values)
            self._unit, self._middle = float(scores.std()), float(scores.mean())
            powers = self._powers(self.response)
            self._mean, made = powers.mean(axis=0), orthonormal(powers, name)
            self._map = np.linalg.lstsq(powers - self._mean, made, rcond=None)[0]

    def features(self, response: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return [response if self.levels else (self._powers(response) - self._mean) @ self._map]

    def _powers(self, response: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = self._middle + self._unit * response[:, 0]
        return np.asarray(hermevander(scores, self._terms)[:, 1:], dtype=np.float64)


def begins(blocks: Sequence[NDArray[np.float64]]) -> tuple[int, ...]:
    """Where the columns of each block begin, and their number."""
    return tuple(np.cumsum([0, *(block.shape[1] for block in blocks)]).tolist())


def indicators(codes: NDArray[np.generic], levels: int) -> NDArray[np.float64]:
    """One column for each level but the first."""
    return np.asarray(codes[:, None] == np.arange(1, levels), dtype=np.float64)


def orthonormal(block: NDArray[np.float64], name: Hashable) -> NDArray[np.float64]:
    """The block with mean 0 and products N I; columns that depend on those before them, of few values, are left out."""
    centred = block - block.mean(axis=0)
    Q, R = np.linalg.qr(centred)
    left = np.abs(np.diag(R)) > LEAST_SHARE * np.linalg.norm(block, axis=0)
    if not left.any():
        refuse_constants(np.array([-np.inf]), [name])
    signs = np.sign(np.diag(R)[left])
    return np.asarray(Q[:, left] * signs * math.sqrt(len(block)))


def weighted(
    features: Sequence[NDArray[np.float64]], width: int, weights: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """The features of a column for weights of the rows: times the roots of the weights, so that products are weighted.

    The first ``width`` are linear, and have the mean 0 and the products N I again, with N the sum of the weights; the
    others are orthogonal to these and to the constant.
    """
    rows, root = weights.sum(), np.sqrt(weights)[:, None]
    linear = root * (features[0][:, :width] - weights @ features[0][:, :width] / rows)
    covariance = linear.T @ linear / rows
    if np.linalg.eigvalsh(covariance)[0] < LEAST_SHARE:  # a level or all of the variance is lost
        covariance = covariance + RIDGE * np.eye(width)
    linear = np.linalg.solve(np.linalg.cholesky(covariance), linear.T).T
    found = []
    for own in features:
        others = root * (own[:, width:] - weights @ own[:, width:] / rows)
        found.append(np.concatenate([linear, others - linear @ (linear.T @ others) / rows], axis=1))
    return found


def _gaussian(a: NDArray[np.float64], b: NDArray[np.float64], length: float) -> NDArray[np.float64]:
    return np.asarray(np.exp(-0.5 * ((a[:, None] - b) / length) ** 2))
