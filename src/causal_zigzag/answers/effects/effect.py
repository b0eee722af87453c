"""Effect: the posterior of the effect of one node on another, averaged over graphs and parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.effects.mixture import LEVEL, NUMBERS, Mixture, read_tail
from causal_zigzag.answers.effects.pair import EffectError, Pair
from causal_zigzag.answers.effects.robustness import Robustness
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.scores.responses.response import numbers
from causal_zigzag.support.notebook_view import view
from causal_zigzag.support.validation import check_flag
from causal_zigzag.support.wording import percentage, probability

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd
    from matplotlib.axes import Axes

NOTICEABLE_ZERO = 0.05  # probability of no path, from which it is stated apart from the sizes of effects
GRID_POINTS = 41  # of a curve
GRID_TAIL = 0.01  # of the column on each side of the points of a curve
COLUMNS = ("cause", "outcome", "level", "from", "to", *NUMBERS, "mcse", "note")  # of the table of effects


@dataclass(frozen=True, eq=False, repr=False)
class Effect:
    """The effect of ``cause`` on ``outcome``: the change of its mean, or of the probability of a level, under do().

    The change is that of raising a number by 1, or of setting a cause to the second level of ``change`` instead of the
    first; ``contrast`` has others. If the outcome has levels, it is the probability of ``level`` that changes. Of a
    curve it is the mean slope, that of the straight line closest to it in the rows of the table; see ``curve``.

    The posterior is a mixture: for each possible set of parents of the cause, that of the change given these parents;
    and a point mass at 0, for the graphs in which the cause is not an ancestor of the outcome. It has a causal meaning
    only if there are no hidden common causes, and the form of the relations is that of the score.

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
    mixture: Mixture
    parents: tuple[tuple[Hashable, ...], ...]
    change: tuple[Hashable, Hashable] | None = (
        None  # from one level or value of the cause to another; None: raised by 1
    )
    level: Hashable = None  # of the outcome, whose probability changes; None: the mean changes
    held: tuple[Hashable, ...] = ()  # other causes that are set as well, and kept where they are
    note: str = ""
    pair: Pair | None = None
    strongest: tuple[Hashable, float, float] | None = None  # parent, and the shares of cause and outcome it explains
    known_error: EffectError | None = None
    joint: Mapping[Hashable, Effect] = field(default_factory=dict)
    """The effects of all causes that are set together, with the others held; empty for a single cause."""

    @classmethod
    def of(cls, pair: Pair, a: Any = None, b: Any = None, level: Any = None, **more: Any) -> Effect:
        """The effect of one change."""
        change = None if a is None and b is None else (a, b)
        note = pair.note(a, b, level)
        mixture = pair.change(a, b, level)
        return cls(pair.cause, pair.outcome, mixture, pair.parents, change, level, note=note, pair=pair, **more)

    @property
    def cause_levels(self) -> tuple[Hashable, ...]:
        """The levels of the cause; empty for a number."""
        return () if self.pair is None else self.pair.cause_levels

    @property
    def outcome_levels(self) -> tuple[Hashable, ...]:
        """The levels of the outcome; empty for a number."""
        return () if self.pair is None else self.pair.outcome_levels

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
        return self.mixture.numbers["probability_nonzero"]

    @property
    def probability_positive(self) -> float:
        """The probability that the effect is above 0.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> round(cz.exact_posterior(score).effect("a", "b").probability_positive, 3)
        0.5
        """
        return self.mixture.numbers["probability_positive"]

    @property
    def mean(self) -> float:
        """The posterior mean, over all graphs: those without an effect count as 0."""
        return self.mixture.mean

    @property
    def between(self) -> float:
        """The part of the variance that is due to different graphs: the variance of the estimates, with 0 for those in
        which there is no effect.
        """
        return self.mixture.numbers["between"]

    @property
    def within(self) -> float:
        """The part of the variance that is left if the graph is known; infinite with 2 or fewer degrees of freedom."""
        return self.mixture.numbers["within"]

    @property
    def sd(self) -> float:
        """The posterior standard deviation: sd**2 is the sum of ``between`` and ``within``."""
        return self.mixture.numbers["sd"]

    @cached_property
    def mcse(self) -> EffectError:
        """Monte Carlo errors of the mean and of ``probability_nonzero``, due to the finite length of the run."""
        if self.known_error is not None or self.pair is None:
            return self.known_error or EffectError(math.nan, math.nan)
        return self.pair.error(self.mixture.terms.mean)

    @property
    def from_draws(self) -> float:
        """The share of the probability that was estimated from draws, for unlisted classes."""
        return 0.0 if self.pair is None else self.pair.from_draws

    @property
    def unit(self) -> float:
        """The factor by which an effect is in standard deviations of the outcome per standard deviation of the cause.

        :meta private:
        """
        model = self._single().model
        return model.deviation(self._single().x) / model.deviation(self._single().y)

    @property
    def is_curved(self) -> bool:
        """Whether the outcome depends on the cause by a curve, of which this is the mean slope."""
        return self.change is None and self.pair is not None and self.pair.model.is_curved(self.pair.x)

    @property
    def robustness(self) -> Robustness | None:
        """How strong a hidden common cause would have to be to explain the effect away.

        None without a causal path, and where no linear regression answers: for curves, and scores of categories.
        """
        shares = [self.mixture.numbers[name] for name in ("robustness", "robustness_interval")]
        if math.isnan(shares[0]):
            return None
        return Robustness(self.cause, self.outcome, *shares, *(self.strongest or ()))

    def interval(self, level: float = LEVEL, *, given_path: bool = False) -> tuple[float, float]:
        """The equal-tailed credible interval: quantiles of the mixture. An end is 0 if it falls on the point mass.

        With ``given_path`` it is over the graphs with a causal path only, without the point mass. Where
        ``probability_nonzero`` is below 0.975, an interval over all graphs says what to believe, and contains an effect
        that is there less often than its level; that with ``given_path`` is then what an effect would be. Effects of
        categories under a discrete score have quantiles of 10,000 draws with a fixed seed; the others are exact.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> lower, upper = cz.exact_posterior(score).effect("a", "b").interval(0.9)
        >>> lower, 0.5 < upper < 1
        (0.0, True)
        """
        tail = read_tail(level)
        check_flag("given_path", given_path)
        lower, upper = self.mixture.quantiles(np.array([tail, 1 - tail]), given_path).tolist()
        return lower, upper

    def contrast(self, a: Any = None, b: Any = None, level: Any = None) -> Effect:
        """The effect of setting the cause to ``b`` instead of ``a``, on the mean or on the probability of ``level``.

        ``a`` and ``b`` are levels of the cause, or two values of a number; without both, a number is raised by 1, and
        levels change from the first to the last. ``level`` is the last level of the outcome by default.

        >>> import causal_zigzag as cz
        >>> data = {"rain": ["no", "yes"] * 100, "wet": ["no", "yes"] * 95 + ["yes", "no"] * 5}
        >>> effect = cz.exact_posterior(cz.BDeu(data)).effect("rain", "wet")
        >>> change = effect.contrast("no", "yes", level="yes")
        >>> 0.3 < change.mean < 0.6, round(change.probability_nonzero, 2)
        (True, 0.5)
        """
        pair = self._single()
        causes, ends = pair.cause_levels, pair.outcome_levels
        if causes:
            first, last = causes[0] if a is None else a, b
            if b is None:
                last = next(known for known in reversed(causes) if known != first)
            a, b = (causes[pair.model.place(pair.x, value)] for value in (first, last))
        elif (a is None) != (b is None):
            raise SettingsError(
                f"{show(self.cause)} is a number; a contrast needs two values of it, or none for one unit"
            )
        if a is not None and not causes:
            pair.model.check_values(pair.x, numbers(self.cause, [a, b]))
        if a is not None and a == b:
            raise SettingsError(f"a contrast is between two values of {show(self.cause)}, but both are {show(a)}")
        if ends:
            level = ends[-1] if level is None else ends[pair.model.place(pair.y, level)]
        return Effect.of(pair, a, b, level)

    @cached_property
    def levels(self) -> pd.DataFrame:
        """For each level of the cause (``do``), the mean of the outcome, or the probability of each ``level`` of it.

        The columns ``mean``, ``sd``, ``lower`` and ``upper`` are those of its posterior, with 95 % intervals. Where the
        cause is not an ancestor of the outcome, it is that without an intervention.

        >>> import causal_zigzag as cz
        >>> data = {"rain": ["no", "yes"] * 100, "wet": ["no", "yes"] * 95 + ["yes", "no"] * 5}
        >>> effect = cz.exact_posterior(cz.BDeu(data)).effect("rain", "wet")
        >>> effect.levels.query("level == 'yes'")["mean"].round(2).tolist()  # half of the graphs have wet -> rain
        [0.28, 0.72]
        """
        import pandas as pd

        pair = self._single()
        if not pair.cause_levels:
            raise SettingsError(f"{show(self.cause)} is a number and has no levels; curve() has values of it")
        choices = [(a, level) for a in pair.cause_levels for level in pair.outcome_levels or (None,)]
        rows = [(a, level, *_shown(pair.value(a, level), LEVEL)) for a, level in choices]
        return pd.DataFrame(rows, columns=["do", "level", "mean", "sd", "lower", "upper"])

    def curve(self, points: Any = None, level: float = LEVEL, *, given_path: bool = False) -> pd.DataFrame:
        """The mean of the outcome if the cause is set to each of ``points``: one row per value in the column ``do``.

        If the outcome has levels, it is the probability of the ``level`` of this effect. The columns ``mean``, ``sd``,
        ``lower`` and ``upper`` are those of its posterior, each point by itself; an interval is one of the 95 % that
        contain it, not a band that contains the whole curve. Where the cause is not an ancestor of the outcome, the
        curve is flat; with ``given_path`` these graphs do not count. By default, 41 points cover the middle 98 % of the
        column, or all levels. Under a linear score it is a straight line.
        """
        import pandas as pd

        read_tail(level)
        pair = self._single()
        if points is not None:
            at = [*points] if pair.cause_levels and not isinstance(points, str) else points
            if not pair.cause_levels:
                at = numbers(self.cause, points).tolist()
                pair.model.check_values(pair.x, np.array(at))
        elif pair.cause_levels:
            at = [*pair.cause_levels]
        else:
            low, high = np.quantile(pair.model.cells(pair.x), [GRID_TAIL, 1 - GRID_TAIL]).tolist()
            at = np.linspace(low, high, GRID_POINTS).tolist()
        check_flag("given_path", given_path)
        rows = [(value, *_shown(pair.value(value, self.level, given_path), level)) for value in at]
        return pd.DataFrame(rows, columns=["do", "mean", "sd", "lower", "upper"])

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

        number = {own: k for k, own in enumerate(dict.fromkeys(self.parents))}
        of = np.array([number[own] for own in self.parents], dtype=np.intp)
        weights, means = self.mixture.weights, self.mixture.terms.mean
        total, first = (np.bincount(of, values, len(number)) for values in (weights, weights * means))
        share = weights / np.where(total > 0, total, 1.0)[of]
        estimate = first / np.where(total > 0, total, 1.0)
        spread = np.bincount(of, share * ((means - estimate[of]) ** 2 + self.mixture.variances), len(number))
        order = np.argsort(-total, kind="stable")
        parents: list[Any] = [[*number][k] for k in order]
        columns = [total[order], estimate[order], np.sqrt(spread)[order]]
        rest = 1 - self.probability_nonzero
        if rest > 0:
            parents.append(None)
            columns = [np.append(column, value) for column, value in zip(columns, (rest, 0.0, 0.0), strict=True)]
        names = ("probability", "estimate", "sd")
        return pd.DataFrame({"parents": pd.Series(parents, dtype=object), **dict(zip(names, columns, strict=True))})

    def plot(self, ax: Axes | None = None) -> Axes:
        """The density of the effect, colored by the parents of the cause, and the point mass at 0 as a bar.

        Of a curve, the curve with its 95 % intervals; between levels of categories, bars of P(y | do(x = a)) for every
        level a. It is drawn on ``ax``, or on a new figure.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> cz.exact_posterior(score).effect("a", "b").plot().get_xlabel()
        'change of b if a is raised by 1'
        """
        from causal_zigzag.figures.effect_plots import effect_plot

        return effect_plot(self, ax)

    def row(self, unit: float = 1.0, mcse: float | None = None) -> dict[str, Any]:
        """The row in the table of effects, in these units.

        :meta private:
        """
        change, error = self.change or (None, None), self.mcse.mean * abs(unit) if mcse is None else mcse
        labels = (self.cause, self.outcome, self.level, *change)
        values = self.mixture.scaled(unit)
        return dict(zip(COLUMNS, (*labels, *(values[name] for name in NUMBERS), error, self.note), strict=True))

    def __repr__(self) -> str:
        return effect_in_words(self) + draws_in_words(self.from_draws) + (f"; {self.note}" if self.note else "")

    @property
    def action(self) -> str:
        """What is done to the cause, in words."""
        held = f" with {show_all(self.held)} held" if self.held else ""
        if self.change is None:
            return f"raising {show(self.cause)} by 1{held}" + (", on average over its curve," if self.is_curved else "")
        return f"setting {show(self.cause)} to {show(self.change[1])} instead of {show(self.change[0])}{held}"

    @property
    def changed(self) -> str:
        """What changes: the mean of the outcome, or the probability of a level."""
        return show(self.outcome) if self.level is None else f"P({show(self.outcome)} = {show(self.level)})"

    def _repr_html_(self) -> str:
        robust = [] if self.robustness is None else [repr(self.robustness)]
        has_levels = self.cause_levels and self.outcome_levels
        table = self.levels if has_levels else self.components
        return view(f"Effect of {show(self.cause)} on {show(self.outcome)}", [repr(self), *robust], table)

    def _single(self) -> Pair:
        if self.pair is None:
            raise SettingsError(
                f"the effect of {show(self.cause)} with {show_all(self.held)} held is known per unit only; ask for the "
                "effect of one cause"
            )
        return self.pair


def _shown(mixture: Mixture, level: float) -> tuple[float, float, float, float]:
    """Mean, standard deviation and interval."""
    tail = read_tail(level)
    lower, upper = mixture.quantiles(np.array([tail, 1 - tail]), given_path=True).tolist()
    return mixture.mean, mixture.sd, lower, upper


def effect_in_words(effect: Effect) -> str:
    """A sentence about an effect.

    If much of the probability is at 0, there is no graph with the mean effect, so that the interval of the others is
    said with its probability.
    """
    path, action, changed = effect.probability_nonzero, effect.action, effect.changed
    if path <= 0:
        if effect.held:
            return f"{action} does not change {changed}: no drawn DAG has an effect"
        graph = "sampled graph" if math.isnan(effect.mcse.probability) else "graph"
        cause, outcome = show(effect.cause), show(effect.outcome)
        return f"{action} does not change {changed}: {cause} is not an ancestor of {outcome} in any {graph}"
    above = f"probability of an effect above 0 {probability(min(effect.probability_positive, path))}"
    if 1 - path < NOTICEABLE_ZERO:
        low, high = effect.interval()
        words = f"{action} changes {changed} by {effect.mean:.3g} ({low:.3g} to {high:.3g})"
        return f"{words}; probability of a causal path {probability(path)}, {above}"
    size = "{} to {}".format(*alike(effect.interval(given_path=True)))
    if not any(effect.interval()):
        return (
            f"{action} probably does not change {changed}; with probability {probability(path)} there is an effect, of "
            f"{size}; {above}"
        )
    chance = f"with probability {probability(path)} there is an effect on {changed}, of {size}; otherwise none"
    return f"{action.rstrip(',')}: {chance}; {above}"


def alike(values: Sequence[float]) -> list[str]:
    """Numbers with as many decimals as give the largest of them three digits.

    >>> alike([-0.136, -0.0669]), alike([12.345, 1e-7]), alike([1e9, 0.0])
    (['-0.136', '-0.067'], ['12.3', '0.0'], ['1e+09', '0'])
    """
    size = max(map(abs, values))
    if not 1e-3 <= size < 1e6:
        return [f"{value:.3g}" for value in values]
    digits = max(0, 2 - math.floor(math.log10(size)))
    return [f"{value:.{digits}f}" for value in values]


def draws_in_words(share: float) -> str:
    """The end of a sentence: the share of the probability that comes from draws, if there is one."""
    return f"; {percentage(share)} of the probability is from draws, as not all classes are listed" if share > 0 else ""
