"""RegressionMoments and BlockMoments: what a score knows about linear regressions of columns on others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np
    from numpy.typing import NDArray


class RegressionMoments(NamedTuple):
    """The matrix from which the posterior of every regression coefficient follows.

    In the regression of y on P, with M this matrix, the coefficient of x in P has a Student t posterior with mean
    (M_PP^-1 M_Py)_x, squared scale (M_yy - M_yP M_PP^-1 M_Py) (M_PP^-1)_xx / v, and v = ``freedom`` +
    ``freedom_per_parent`` (|P| - 1) degrees of freedom. M has a unit diagonal; multiply by
    exp(log_deviation[y] - log_deviation[x]) for the units of the data. The posterior scatter of the columns, divided by
    their ``log_deviation``, is ``scatter`` M, and that of their means has the weight of ``mean_weight`` rows. ``mean``
    has the means of the columns, for predictions; it is empty if they are not known.
    """

    matrix: NDArray[np.float64]
    log_deviation: NDArray[np.float64]
    freedom: float
    freedom_per_parent: int
    scatter: float
    mean_weight: float
    mean: NDArray[np.float64]


class BlockMoments(NamedTuple):
    """The moments of the columns that stand for the nodes of a mixed table.

    The columns of node v are ``begin[v]`` to ``begin[v + 1]``: one number, or an indicator for each of its ``levels``
    but the first. ``levels[v]`` is empty for numbers. ``powers`` are those of ``powers_by_level``, if they are known.
    """

    begin: tuple[int, ...]
    levels: tuple[tuple[Hashable, ...], ...]
    n_samples: float
    moments: RegressionMoments
    powers: NDArray[np.float64] | None = None
