"""AdditiveGP and BasisBIC: scores for curved relations."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.polynomial.hermite_e import hermevander

from causal_zigzag import _core as core
from causal_zigzag.errors import ScoreError
from causal_zigzag.scores.base import BuiltinScore, ModelAssumption
from causal_zigzag.scores.covariance import moments, regular
from causal_zigzag.scores.gaussian import positive, refuse_constants
from causal_zigzag.scores.state_checks import check_correlation
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
LEAST_SHARE = 1e-9  # of the length of a column that is left when it is made orthogonal to others
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
        table = read_table(data, strict=True)
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

    no_effects = AdditiveGP.no_effects

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
            _begin=_starts(blocks),
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

    def relative_cost(self) -> float:
        return 2 * (self._begin[-1] / len(self.nodes)) ** 2  # as for MixedBIC

    def assumption(self) -> ModelAssumption:
        return ModelAssumption(
            "Polynomial effects and normal noise",
            f"Powers of the normal scores of a variable, up to {self._terms}, depend linearly on those of its causes.",
            ("sparse levels",),
        )

    def __repr__(self) -> str:
        settings = f"{self._terms} terms, penalty {self._penalty:g}"
        return f"BasisBIC({self._nodes_in_words()}, {self._n_samples} rows, {settings})"


MOST_TERMS = 8
MOST_PARENTS = 12  # all subsets of a family are scored
RELATIVE_COST = 8.0  # of a local score; a set is scored once for all nodes


def _starts(blocks: list[NDArray[np.float64]]) -> tuple[int, ...]:
    """Where the columns of each block begin, and their number."""
    return tuple(np.cumsum([0, *(block.shape[1] for block in blocks)]).tolist())


def _response(column: Column, transform: str | None) -> NDArray[np.float64]:
    """The columns of a node, with mean 0 and products N I: a number, or its levels but one."""
    if column.kind == "categorical":
        return _orthonormal(column, _indicators(column))
    numbers = np.asarray(column.numbers)
    return _orthonormal(column, (numbers if transform is None else normal_scores(numbers))[:, None])


def _polynomials(column: Column, terms: int) -> NDArray[np.float64]:
    """The Hermite polynomials of the normal scores of a column, or its levels but one, with products N I."""
    if column.kind == "categorical":
        return _orthonormal(column, _indicators(column))
    powers = hermevander(normal_scores(np.asarray(column.numbers)), terms)
    return _orthonormal(column, powers[:, 1:].astype(np.float64))


def _indicators(column: Column) -> NDArray[np.float64]:
    return np.asarray(column.codes[:, None] == np.arange(1, len(column.levels)), dtype=np.float64)  # type: ignore[index]


def _orthonormal(column: Column, block: NDArray[np.float64]) -> NDArray[np.float64]:
    """The block with mean 0 and products N I; columns that depend on those before them, of few values, are left out."""
    centred = block - block.mean(axis=0)
    Q, R = np.linalg.qr(centred)
    left = np.abs(np.diag(R)) > LEAST_SHARE * np.linalg.norm(block, axis=0)
    if not left.any():
        refuse_constants(np.array([-np.inf]), [column.name])
    signs = np.sign(np.diag(R)[left])
    return np.asarray(Q[:, left] * signs * math.sqrt(len(block)))


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
