"""AdditiveGP: a score for curved relations, by additive Gaussian processes averaged over orders."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import ScoreError
from causal_zigzag.scores.base import BuiltinScore, ModelAssumption
from causal_zigzag.scores.gaussian import refuse_constants
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.validation import is_integer, read_count
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.transforms import normal_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.column_kinds import Column

LENGTH_SCALES = ((1.0, 4), (0.5, 5))  # of the kernel, in standard deviations, and the number of features for each
CHOICES = ((0, 1.0, 0.0), (0, 1.0, 0.3), (1, 1.0, 0.3), (1, 0.1, 1.0))
"""Length scale, variance of the linear terms and of the others; the first is the linear model."""

GRAMS = ("_wide", "_wide_with_responses", "_narrow", "_narrow_with_responses")  # attributes
LANDMARKS = 40  # quantiles of a column at which the kernel is evaluated
LEAST_EIGENVALUE = 1e-7  # of the kernel at the landmarks, relative to the largest
LEAST_SQUARE = 1e-12  # of a singular value of the features, relative to the largest


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

    no_effects = "its relations are curves, which have no single coefficient"

    _begin: tuple[int, ...]
    _products: NDArray[np.float64]
    _feature_begins: tuple[tuple[int, ...], ...]
    _linear: tuple[tuple[bool, ...], ...]
    _wide: NDArray[np.float64]  # products of the features of the larger length scale,
    _wide_with_responses: NDArray[np.float64]
    _narrow: NDArray[np.float64]  # and of the smaller one
    _narrow_with_responses: NDArray[np.float64]
    _n_samples: int
    _max_parents: int
    _transform: str

    def __init__(self, data: Any, transform: str | None = "normal-scores", max_parents: int = 7) -> None:
        if transform not in (None, "normal-scores"):
            raise ScoreError(f"transform must be None or 'normal-scores', not {transform!r}")
        table = read_table(data)
        table.refuse_missing("AdditiveGP")
        responses = [_response(column, transform) for column in table.columns]
        Y = np.concatenate(responses, axis=1)
        begins, linear, grams = [], [], []
        for length, most in LENGTH_SCALES:
            features = [
                np.column_stack([own, *([] if column.kind == "categorical" else [_curves(own[:, 0], length, most)])])
                for column, own in zip(table.columns, responses, strict=True)
            ]
            Z = np.concatenate(features, axis=1)
            begins.append(_starts(features))
            linear.append(
                tuple(k < own.shape[1] for f, own in zip(features, responses, strict=True) for k in range(f.shape[1]))
            )
            grams += [Z.T @ Z, Z.T @ Y]
        self._fill(
            table.labels,
            _begin=_starts(responses),
            _products=Y.T @ Y,
            _feature_begins=tuple(begins),
            _linear=tuple(linear),
            **dict(zip(GRAMS, grams, strict=True)),
            _n_samples=table.n_rows,
            _max_parents=read_count("max_parents", max_parents, 1, most=MOST_PARENTS),
            _transform=transform or "none",
        )

    def _make(self) -> core.Score:
        return core.additive_gp_score(
            [*self._begin], self._products, self._grams(), [*CHOICES], float(self._n_samples), self._max_parents
        )

    def _grams(self) -> list[tuple[list[int], list[bool], NDArray[np.float64], NDArray[np.float64]]]:
        found = [getattr(self, name) for name in GRAMS]
        parts = zip(self._feature_begins, self._linear, found[::2], found[1::2], strict=True)
        return [([*begin], [*linear], ZZ, ZY) for begin, linear, ZZ, ZY in parts]

    def _check_state(self) -> None:
        check(is_integer(self._max_parents) and self._max_parents <= MOST_PARENTS, "its score has too many parents")
        check(len(self._feature_begins) == len(self._linear) == len(LENGTH_SCALES), "it has too few features")
        self._check_blocks(self._begin, self._products, self._begin[-1])
        for begin, linear, ZZ, ZY in self._grams():
            check(all(type(one) is bool for one in linear) and len(linear) == begin[-1], "a feature has no kind")
            self._check_blocks(tuple(begin), ZZ, begin[-1])
            self._check_blocks(tuple(begin), ZY, self._begin[-1])
            np.linalg.cholesky(ZZ + np.eye(len(linear)))

    def _check_blocks(self, begin: tuple[int, ...], products: NDArray[np.float64], columns: int) -> None:
        grows = all(is_integer(at) for at in begin) and all(a < b for a, b in itertools.pairwise(begin))
        check(len(begin) == len(self.nodes) + 1 and begin[0] == 0 and grows, "blocks of columns overlap")
        check(products.shape == (begin[-1], columns), "the products of columns do not have the right shape")

    def relative_cost(self) -> float:
        return RELATIVE_COST

    def assumption(self) -> ModelAssumption:
        return ModelAssumption(
            "Sums of smooth effects and normal noise",
            "A variable is a sum of smooth curves, one for each cause, plus normal noise of constant variance. "
            "Effects of one cause that depend on another are not found.",
            ("sparse levels",),
        )

    def __repr__(self) -> str:
        columns = "normal scores" if self._transform == "normal-scores" else "columns as they are"
        return (
            f"AdditiveGP({self._nodes_in_words()}, {self._n_samples} rows, {columns}, "
            f"at most {self._max_parents} parents per node)"
        )


MOST_PARENTS = 12  # all subsets of a family are scored
RELATIVE_COST = 8.0  # of a local score; a set is scored once for all nodes


def _starts(blocks: list[NDArray[np.float64]]) -> tuple[int, ...]:
    """Where the columns of each block begin, and their number."""
    return tuple(np.cumsum([0, *(block.shape[1] for block in blocks)]).tolist())


def _response(column: Column, transform: str | None) -> NDArray[np.float64]:
    """The columns of a node, with mean 0 and products N I: a number, or its levels but one."""
    if column.kind == "categorical":
        indicators = column.codes[:, None] == np.arange(1, len(column.levels))  # type: ignore[index]
        centred = indicators - indicators.mean(axis=0)
        return np.asarray(np.linalg.qr(centred)[0] * math.sqrt(len(centred)))
    numbers = np.asarray(column.numbers)
    if transform is not None:
        numbers = normal_scores(numbers)
    centred = numbers - numbers.mean()
    deviation = centred.std()
    refuse_constants(np.array([0.0 if deviation > 0 else -np.inf]), [column.name])
    return np.asarray(centred / deviation)[:, None]


def _curves(z: NDArray[np.float64], length: float, most: int) -> NDArray[np.float64]:
    """Up to ``most`` features of the Gaussian kernel, without their constant and linear parts (Nyström's method)."""
    at = np.unique(np.quantile(z, np.linspace(0, 1, LANDMARKS)))
    values, vectors = np.linalg.eigh(np.exp(-0.5 * ((at[:, None] - at) / length) ** 2))
    kept = values > LEAST_EIGENVALUE * values[-1]
    features = np.exp(-0.5 * ((z[:, None] - at) / length) ** 2) @ (vectors[:, kept] / np.sqrt(values[kept]))
    line = np.column_stack([np.ones(len(z)), z]) / math.sqrt(len(z))  # orthonormal, as z is standardized
    features -= line @ (line.T @ features)
    squares, directions = np.linalg.eigh(features.T @ features)  # of singular values, the smallest first
    count = min(most, int((squares > LEAST_SQUARE * max(squares[-1], 1.0)).sum()))
    return np.asarray(features @ directions[:, len(squares) - count :])
