"""Robustness: how strong a hidden common cause would have to be to explain an effect away (Cinelli & Hazlett 2020).

In a regression with t statistic t of the cause and v degrees of freedom, let f = |t| / sqrt(v). A hidden common cause
that explains the share R of the remaining variance of the cause, and the same share of that of the outcome, brings the
estimate to 0 if R = (sqrt(f⁴ + 4 f²) - f²) / 2. For the interval, f is reduced by t* / sqrt(v - 1), where t* is the
quantile of the Student t distribution with v - 1 degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag import _core
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.wording import percentage

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.scores.responses.linear import LinearModel

UPPER_TAIL = 0.975  # of an interval of 95 %


@dataclass(frozen=True, repr=False)
class Robustness:
    """What a hidden common cause of ``cause`` and ``outcome`` would have to explain of the remaining variance of both.

    ``estimate`` is the share that brings the estimate to 0, ``interval`` the share with which the 95 % interval
    includes 0. Both are means over the sets of parents of the cause in the graphs with a causal path. For comparison,
    ``strongest`` is the observed parent that would confound most if it were hidden; it explains the shares
    ``of_cause`` and ``of_outcome`` of what the other parents leave. It is None if the cause has no parents.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("a", "b"), ("a", "y"), ("b", "y")], rows=500, rng=1)
    >>> known = cz.Knowledge(required=[("a", "b"), ("a", "y"), ("b", "y")])
    >>> robustness = cz.exact_posterior(cz.GaussianBIC(table), knowledge=known).effect("b", "y").robustness
    >>> robustness.strongest, 0 < robustness.interval < robustness.estimate < 1
    ('a', True)
    """

    cause: Hashable
    outcome: Hashable
    estimate: float
    interval: float
    strongest: Hashable | None = None
    of_cause: float = 0.0
    of_outcome: float = 0.0

    def __repr__(self) -> str:
        cause, outcome = show(self.cause), show(self.outcome)
        words = (
            f"a hidden common cause would have to explain {percentage(self.estimate)} of the remaining variance of "
            f"{cause} and of {outcome} to bring the estimate to 0, and {percentage(self.interval)} for the 95 % "
            "interval to include 0"
        )
        if self.strongest is None:
            return f"{words}; {cause} has no observed parents to compare with"
        shares = f"{percentage(self.of_cause)} of {cause} and {percentage(self.of_outcome)} of {outcome}"
        return f"{words}; the strongest observed parent, {show(self.strongest)}, explains {shares}"


def robustness_values(
    strength: NDArray[np.float64], freedom: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The shares that bring estimates to 0, and with which their 95 % intervals include 0.

    ``strength`` is f, and ``freedom`` v, of the regression: where the error of an estimate is not that of the
    regression, as with shares of different variances, f is still how much the cause explains of the outcome.
    """
    f = strength
    kinds, where = np.unique(freedom, return_inverse=True)
    critical = np.array([_quantile(v - 1) / np.sqrt(v - 1) if v > 1 else np.inf for v in kinds.tolist()])[where]
    critical = critical.reshape(freedom.shape)
    reduced = np.maximum(f - critical, 0.0)
    # If f is above 1 / critical, no more of the outcome can be explained, and only the share of the cause counts.
    with np.errstate(invalid="ignore"):
        extreme = (f**2 - critical**2) / (1 + f**2)
    return _share(f), np.where((reduced > 0) & (f > 1 / critical), extreme, _share(reduced))


def strongest_parent(model: LinearModel, x: int, y: int, parents: Sequence[int]) -> tuple[int, float, float]:
    """The parent that would confound most if it were hidden, and the shares of x and y that it explains.

    These are squared partial correlations with x, given the other parents, and with y, given x as well. The bias by a
    hidden cause is proportional to the root of of_outcome * of_cause / (1 - of_cause).
    """
    a, b, others, matrix = model.column(x), model.column(y), [*map(model.column, parents)], model.moments.matrix
    with_cause = _partial(matrix, a, others)
    with_outcome = _partial(matrix, b, [*others, a])[:-1]
    best = int(np.argmax(with_outcome * with_cause / np.maximum(1 - with_cause, np.finfo(float).tiny)))
    return parents[best], float(with_cause[best]), float(with_outcome[best])


def _partial(matrix: NDArray[np.float64], v: int, others: list[int]) -> NDArray[np.float64]:
    """Squared partial correlations of v with each of the others, given the rest of them."""
    precision = np.linalg.inv(matrix[np.ix_([v, *others], [v, *others])])
    return np.asarray(precision[0, 1:] ** 2 / (precision[0, 0] * np.diag(precision)[1:]))


def _share(f: NDArray[np.float64]) -> NDArray[np.float64]:
    """(sqrt(f⁴ + 4 f²) - f²) / 2, without the difference of large numbers."""
    with np.errstate(divide="ignore"):
        return np.asarray(2 / (1 + np.sqrt(1 + 4 / f**2)))


def _quantile(freedom: float) -> float:
    """The quantile of the Student t distribution."""
    one = np.ones((1, 1))
    found = _core.mixture_quantiles(one, 0 * one, one, np.array([freedom]), np.zeros(1), np.array([UPPER_TAIL]))
    return float(found[1][0])
