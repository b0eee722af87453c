"""Effect: the posterior of the total effect of one node on another, averaged over graphs and parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.effects.gaussian import mixture_numbers
from causal_zigzag.answers.effects.robustness import Robustness
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.notebook_view import view
from causal_zigzag.support.validation import is_real
from causal_zigzag.support.wording import percentage, probability

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

LEVEL = 0.95  # of intervals
NOTICEABLE_ZERO = 0.05  # probability of no path, from which it is stated apart from the sizes of effects
LITTLE_BETWEEN, MUCH_BETWEEN = 0.2, 0.6  # shares of the variance that is between graphs, for the words about it
SMALL_DEVIATION, LARGE_DEVIATION = (
    0.1,
    0.3,
)  # standard deviations between graphs, relative to the mean, for the same words


class EffectError(NamedTuple):
    """Monte Carlo standard errors of the mean of an effect and of the probability that there is one.

    They are 0 for an exact posterior, and NaN if the values of the draws change fewer than ten times.
    """

    mean: float
    probability: float


@dataclass(frozen=True, eq=False, repr=False)
class Effect:
    """The total effect of ``cause`` on ``outcome``: the change of its mean if the cause is raised by 1, under do().

    It is a mixture: for each possible set of parents of the cause, a Student t distribution, the posterior of the
    coefficient of the cause in the regression of the outcome on the cause and these parents; and a point mass at 0, for
    the graphs in which the cause is not an ancestor of the outcome. The effect has a causal meaning only if there are
    no hidden common causes and all relations are linear.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    >>> effect = cz.exact_posterior(cz.GaussianBIC(table)).effect("rain", "wet")
    >>> effect.probability_nonzero > 0.9
    True
    >>> effect
    raising rain by 1 changes wet by ...
    """

    cause: Hashable
    outcome: Hashable
    parents: tuple[tuple[Hashable, ...], ...]
    weights: NDArray[np.float64]
    estimates: NDArray[np.float64]
    scales: NDArray[np.float64]
    freedom: NDArray[np.float64]
    mcse: EffectError
    from_draws: float  # the share of the probability that was estimated from draws, for unlisted classes
    strongest: tuple[Hashable, float, float] | None = None  # parent, and the shares of cause and outcome it explains
    change: tuple[Hashable, Hashable] | None = None  # from one level of the cause to another; None: raised by 1
    level: Hashable = None  # of the outcome, whose probability changes; None: the mean changes
    note: str = ""

    @property
    def probability_nonzero(self) -> float:
        """The probability of a causal path: that the cause is an ancestor of the outcome.

        It says nothing about the size of the effect, whose interval can include 0. For an open edge it counts graphs,
        not evidence: the DAGs of a class fit the data equally well, and one half of them may have the path.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> round(cz.exact_posterior(score).effect("a", "b").probability_nonzero, 3)  # a -> b or b -> a
        0.5
        """
        return self._numbers["probability_nonzero"]

    @property
    def probability_positive(self) -> float:
        """The probability that the effect is above 0.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> round(cz.exact_posterior(score).effect("a", "b").probability_positive, 3)
        0.5
        """
        return self._numbers["probability_positive"]

    @property
    def mean(self) -> float:
        """The posterior mean, over all graphs: those without an effect count as 0."""
        return self._numbers["mean"]

    @property
    def between(self) -> float:
        """The part of the variance that is due to different graphs: the variance of the estimates, with 0 for those in
        which there is no effect.
        """
        return self._numbers["between"]

    @property
    def within(self) -> float:
        """The part of the variance that is left if the graph is known; infinite with 2 or fewer degrees of freedom."""
        return self._numbers["within"]

    @property
    def sd(self) -> float:
        """The posterior standard deviation: sd**2 is the sum of ``between`` and ``within``."""
        return self._numbers["sd"]

    @cached_property
    def _numbers(self) -> dict[str, float]:
        weights, mean, scale = (part.reshape(-1, 1) for part in (self.weights, self.estimates, self.scales))
        return {name: float(value[0]) for name, value in mixture_numbers(weights, mean, scale, self.freedom).items()}

    @property
    def robustness(self) -> Robustness | None:
        """How strong a hidden common cause would have to be to explain the effect away; None without a causal path."""
        if not self.probability_nonzero > 0:
            return None
        shares = self._numbers["robustness"], self._numbers["robustness_interval"]
        return Robustness(self.cause, self.outcome, *shares, *(self.strongest or ()))

    def interval(self, level: float = LEVEL, *, given_path: bool = False) -> tuple[float, float]:
        """The equal-tailed credible interval: quantiles of the mixture. An end is 0 if it falls on the point mass.

        With ``given_path`` it is over the graphs with a causal path only, without the point mass.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> lower, upper = cz.exact_posterior(score).effect("a", "b").interval(0.9)
        >>> lower, 0.5 < upper < 1
        (0.0, True)
        """
        tail = read_tail(level)
        weights, estimates, scales = (part.reshape(-1, 1) for part in (self.weights, self.estimates, self.scales))
        rest = np.array([max(0.0, 1 - self.probability_nonzero)])
        if given_path:
            weights, rest = weights / weights.sum(), np.zeros(1)
        tails = np.array([tail, 1 - tail])
        lower, upper = _core.mixture_quantiles(weights, estimates, scales, self.freedom, rest, tails)[1].tolist()
        return lower, upper

    @property
    def components(self) -> pd.DataFrame:
        """One row per set of parents of the cause, the most probable first; the last one is the point mass at 0.

        ``probability`` is that of these parents together with an effect, and adds up to 1; ``estimate`` and ``sd`` are
        of the effect given these parents. The point mass has None for parents, and is left out if it is 0.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> cz.exact_posterior(score).effect("a", "b").components.round(3)
          parents  probability  estimate     sd
        0      ()          0.5       0.5  0.088
        1    None          0.5       0.0  0.000
        """
        import pandas as pd

        order = np.argsort(-self.weights, kind="stable")
        freedom = self.freedom[order]
        with np.errstate(divide="ignore"):
            factor = np.where(freedom > 2, freedom / np.maximum(freedom - 2, 0), np.inf)
        parents: list[Any] = [self.parents[i] for i in order]
        columns = [self.weights[order], self.estimates[order], self.scales[order] * np.sqrt(factor)]
        rest = 1 - self.probability_nonzero
        if rest > 0:
            parents.append(None)
            columns = [np.append(column, value) for column, value in zip(columns, (rest, 0.0, 0.0), strict=True)]
        names = ("probability", "estimate", "sd")
        made = pd.Series(parents, dtype=object)
        return pd.DataFrame({"parents": made, **dict(zip(names, columns, strict=True))})

    def plot(self, ax: Axes | None = None) -> Figure:
        """The density of the effect, colored by the parents of the cause, and the point mass at 0 as a bar.

        It is drawn on ``ax``, or on a new figure.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> figure = cz.exact_posterior(score).effect("a", "b").plot()
        >>> figure.axes[0].get_xlabel()
        'change of b if a is raised by 1'
        """
        from causal_zigzag.figures.effect_plots import effect_figure

        return effect_figure(self, ax)

    def __repr__(self) -> str:
        cause, outcome = show(self.cause), show(self.outcome)
        words = effect_in_words(self, self.action, self.changed, no_ancestor(cause, outcome, self.mcse))
        if any(self.interval()):
            words += f"; the graphs disagree {self._disagreement()}"
        return words + draws_in_words(self.from_draws) + (f"; {self.note}" if self.note else "")

    @property
    def action(self) -> str:
        """What is done to the cause, in words."""
        if self.change is None:
            return f"raising {show(self.cause)} by 1"
        return f"setting {show(self.cause)} to {show(self.change[1])} instead of {show(self.change[0])}"

    @property
    def changed(self) -> str:
        """What changes: the mean of the outcome, or the probability of a level."""
        return show(self.outcome) if self.level is None else f"P({show(self.outcome)} = {show(self.level)})"

    def _repr_html_(self) -> str:
        robust = [] if self.robustness is None else [repr(self.robustness)]
        return view(f"Effect of {show(self.cause)} on {show(self.outcome)}", [repr(self), *robust], self.components)

    def _disagreement(self) -> str:
        """How much the estimates of the graphs differ, compared to the whole uncertainty and to the effect.

        With many rows, nearly all uncertainty is between graphs, even if hardly any graph has another effect.
        """
        total, deviation, size = self.between + self.within, math.sqrt(self.between), abs(self.mean)
        share = self.between / total if total > 0 else 0.0  # squares of tiny numbers are 0
        if share < LITTLE_BETWEEN or deviation < SMALL_DEVIATION * size:
            return "little"
        return "a lot" if share > MUCH_BETWEEN and deviation > LARGE_DEVIATION * size else "somewhat"


class AnyEffect(Protocol):
    """What the words about an effect, of numbers or categories, exact or drawn, are made from."""

    @property
    def mean(self) -> float: ...
    @property
    def probability_nonzero(self) -> float: ...
    @property
    def probability_positive(self) -> float: ...
    def interval(self, level: float = ..., *, given_path: bool = ...) -> tuple[float, float]: ...


def effect_in_words(effect: AnyEffect, action: str, outcome: str, none: str) -> str:
    """A sentence about an effect; ``none`` is the reason why there is none, if the probability of a path is 0.

    If the interval is the point 0, the mean is of graphs so improbable that it would mislead, and is not in the words.
    If much of the probability is at 0, there is no graph with the mean effect either.
    """
    path = effect.probability_nonzero
    if path <= 0:
        return f"{action} does not change {outcome}: {none}"
    shares = f"probability of a causal path {probability(path)}, of an effect above 0 "
    shares += probability(min(effect.probability_positive, path))
    if not any(effect.interval()):
        return f"{action} probably does not change {outcome}; {shares}"
    if 1 - path < NOTICEABLE_ZERO:
        low, high = effect.interval()
        return f"{action} changes {outcome} by {effect.mean:.3g} ({low:.3g} to {high:.3g}); {shares}"
    low, high = effect.interval(given_path=True)
    return f"{action} changes {outcome} by: {percentage(1 - path)} none; otherwise {low:.3g} to {high:.3g}; {shares}"


def no_ancestor(cause: str, outcome: str, error: EffectError) -> str:
    """The reason for no effect at all; the error of this probability is NaN if the graphs are sampled."""
    graph = "sampled graph" if math.isnan(error.probability) else "graph"
    return f"{cause} is not an ancestor of {outcome} in any {graph}"


def draws_in_words(share: float) -> str:
    """The end of a sentence: the share of the probability that comes from draws, if there is one."""
    return f"; {percentage(share)} of the probability is from draws, as not all classes are listed" if share > 0 else ""


def read_tail(level: Any) -> float:
    """The probability on each side of an equal-tailed interval of this level."""
    if not is_real(level) or not 0 < level < 1:
        raise SettingsError(f"level must be a number between 0 and 1, not {level!r}")
    return (1 - float(level)) / 2
