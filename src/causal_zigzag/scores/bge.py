"""BGe: the marginal likelihood of linear Gaussian models of continuous columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import ScoreError
from causal_zigzag.scores.base import ModelAssumption, hot_coldness_of_rows
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.covariance import Moments, moments, standardized, weighted_moments
from causal_zigzag.scores.gaussian import LINEAR, positive, refuse_constants
from causal_zigzag.scores.regression import RegressionMoments
from causal_zigzag.scores.state_checks import check_correlation, check_logs
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.row_weights import row_total
from causal_zigzag.support.validation import check_flag
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table


class NormalWishart(NamedTuple):
    """The prior of ``BGe`` for some number of columns: mean 0 and prior scatter ``scale`` times I."""

    columns: int
    alpha_mu: float
    alpha_w: float

    @classmethod
    def read(cls, columns: int, alpha_mu: Any, alpha_w: Any) -> NormalWishart:
        """The prior for the arguments of a user."""
        made = cls(
            columns, positive(alpha_mu, "alpha_mu"), positive(columns + 2 if alpha_w is None else alpha_w, "alpha_w")
        )
        if not made.alpha_w > columns + 1:
            raise ScoreError(f"alpha_w must be above {columns + 1} for {columns} columns, not {made.alpha_w:g}")
        return made

    @property
    def scale(self) -> float:
        """T = alpha_mu (alpha_w - n - 1) / (alpha_mu + 1)."""
        return self.alpha_mu * (self.alpha_w - self.columns - 1) / (self.alpha_mu + 1)

    def core_score(
        self, begin: Sequence[int], correlation: NDArray[np.float64], log_scale: NDArray[np.float64], samples: float
    ) -> core.Score:
        """The log marginal likelihood of nodes with the columns begin[v], ..., begin[v + 1] - 1.

        ``correlation`` is their posterior scatter, scaled to a unit diagonal, and ``log_scale`` the logarithms of what
        it was divided by.
        """
        return core.bge_score([*begin], correlation, log_scale, samples, self.alpha_mu, self.alpha_w, self.scale)


@final
class BGe(BuiltinScore, name="bge"):
    """The Bayesian Gaussian equivalent score: the log marginal likelihood under a normal-Wishart prior.

    After Geiger & Heckerman (2002) with the corrections of Kuipers, Moffa & Heckerman (2014): prior mean 0 with the
    weight of ``alpha_mu`` rows, ``alpha_w`` degrees of freedom (n + 2 by default, above n + 1), and the prior scatter
    T = t I with t = alpha_mu (alpha_w - n - 1) / (alpha_mu + 1), as in BiDAG and sumu.

    This prior depends on the scale of the data, so columns are first standardized to mean 0 and sample variance 1;
    ``standardize=False`` uses the data as they are.

    The rounding error is that of ``GaussianBIC``; the prior keeps the smallest eigenvalue above about 1 / (2 N).

    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(100, 3))
    >>> x[:, 2] += x[:, 0]
    >>> score = BGe(x)
    >>> score.local(2, [0]) > score.local(2, [])
    True
    """

    incomplete_name = "incomplete-bge"

    _mean: NDArray[np.float64]
    _correlation: NDArray[np.float64]
    _log_scale: NDArray[np.float64]
    _log_deviation: NDArray[np.float64]  # of the columns, if they were standardized
    _n_samples: float
    _alpha_mu: float
    _alpha_w: float

    def __init__(
        self, data: Any, alpha_mu: float = 1.0, alpha_w: float | None = None, standardize: bool = True
    ) -> None:
        check_flag("standardize", standardize)
        table = read_table(data, strict=True)
        prior = NormalWishart.read(len(table.nodes), alpha_mu, alpha_w)
        known = moments(table.numbers("BGe"))
        refuse_constants(known.log_variance, table.nodes)
        numbers = {"_alpha_mu": prior.alpha_mu, "_alpha_w": prior.alpha_w}
        self._fill(table.labels, **_posterior(known, table.n_rows, prior, standardize), **numbers)
        self._remember(table)

    def _weighted(self, table: Table, weights: NDArray[np.float64]) -> dict[str, Any]:
        prior = NormalWishart(len(self.nodes), self._alpha_mu, self._alpha_w)
        known = weighted_moments(table.numbers("BGe"), weights)
        return _posterior(known, row_total(weights), prior, bool(self._log_deviation.any()))

    def _make(self) -> core.Score:
        n = len(self.nodes)
        prior = NormalWishart(n, self._alpha_mu, self._alpha_w)
        return prior.core_score(range(n + 1), self._correlation, self._log_scale, self._n_samples)

    def _check_state(self) -> None:
        n = len(self.nodes)
        check(self._n_samples >= 1 and len(self._mean) == n, "its score has too few rows")
        check(self._alpha_w > n + 1, "alpha_w of its score is not above n + 1")
        check_correlation(self._correlation, tuple(range(n + 1)))
        check_logs(self._log_scale, self._log_deviation, size=n)

    def regression_moments(self) -> RegressionMoments:
        """The normal-Wishart posterior: with q = |P| + 1 columns, their covariance is inverse Wishart with the
        posterior scatter R and alpha_w + N - n + q degrees of freedom.
        """
        weight = self._n_samples + self._alpha_mu
        freedom = self._alpha_w + self._n_samples - len(self.nodes) + 2
        log_deviation = self._log_scale / 2 + self._log_deviation
        return RegressionMoments(self._correlation, log_deviation, freedom, 1, 1.0, weight, self._mean)

    def hot_coldness(self) -> float:
        return hot_coldness_of_rows(self._n_samples)

    def log_jacobian(self) -> float:
        """Of the division by the sample deviations; 0 without standardization."""
        return float(-self._n_samples * self._log_deviation.sum())

    def assumption(self) -> ModelAssumption:
        return LINEAR

    def __repr__(self) -> str:
        settings = f"alpha_mu {self._alpha_mu:g}, alpha_w {self._alpha_w:g}"
        return f"BGe({self._nodes_in_words()}, {self._n_samples} rows, {settings})"


def _posterior(known: Moments, samples: float, prior: NormalWishart, standardize: bool) -> dict[str, Any]:
    """The attributes of ``BGe`` that follow from the moments of the columns."""
    mean, correlation, log_variance = known
    n = len(mean)
    if standardize:
        scatter = (samples - 1) * correlation
    else:
        deviation = np.exp(log_variance / 2)
        scatter = samples * correlation * np.outer(deviation, deviation)
        scatter += samples * prior.alpha_mu / (samples + prior.alpha_mu) * np.outer(mean, mean)
    scatter[np.diag_indices(n)] += prior.scale
    scaled, log_scale = standardized(scatter)
    return {
        "_mean": mean,
        "_correlation": scaled,
        "_log_scale": log_scale,
        "_log_deviation": (log_variance + math.log(samples / (samples - 1))) / 2 if standardize else np.zeros(n),
        "_n_samples": samples,
    }
