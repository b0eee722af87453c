"""DiscreteEffect: P(y | do(x = a)) of categorical columns for every level a, averaged over graphs and parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.effects.discrete_cells import CountedRows, Moments
from causal_zigzag.answers.effects.effect import (
    LEVEL,
    EffectError,
    draws_in_words,
    effect_in_words,
    no_ancestor,
    read_tail,
)
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.support.notebook_view import view

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

CONTRAST_DRAWS = 10_000  # of which intervals are quantiles; the seed is fixed, so that they do not change between calls
CONTRAST_SEED = 7
ROUNDING = 1e-12
CONTRAST_COLUMNS = (
    "cause", "outcome", "level", "from", "to", "mean", "sd", "lower", "upper", "probability_nonzero",
    "probability_positive", "path_lower", "path_upper", "between", "within", "mcse",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class AdjustmentSets:
    """The parent sets of a cause x below which y is: their numbers, probabilities, and moments of P(y | do(x)).

    ``coefficient_error`` returns the Monte Carlo errors of the mean over graphs of a number for each of these sets, and
    0 elsewhere, and of their total probability.
    """

    rows: CountedRows
    x: int
    y: int
    sets: tuple[tuple[int, ...], ...]
    weights: NDArray[np.float64]
    means: NDArray[np.float64]  # [set, a, b]
    covariances: NDArray[np.float64]  # [set, a, a', b]
    marginal: Moments
    coefficient_error: Callable[[NDArray[np.float64]], EffectError]

    @property
    def rest(self) -> float:
        """The probability that y is not below x."""
        return max(0.0, 1.0 - float(self.weights.sum()))

    def draws(self, outcome: int) -> NDArray[np.float64]:
        """Draws of P(y = outcome | do(x = a)): one row per draw, one column per level a.

        Sets are drawn by systematic sampling: the number of draws of each differs by less than one from its share.
        Where y is not below x, all levels have the same value, that of P(y).
        """
        rng = np.random.default_rng(CONTRAST_SEED)
        ends = np.cumsum(np.append(self.weights, self.rest))
        chosen = np.searchsorted(ends / ends[-1], (np.arange(CONTRAST_DRAWS) + 0.5) / CONTRAST_DRAWS)
        counts = np.bincount(np.minimum(chosen, len(self.weights)), minlength=len(self.weights) + 1)
        levels = [*range(self.rows.levels[self.x])]
        parts = [np.zeros((0, len(levels)))]
        for s in np.flatnonzero(counts[:-1]):
            cells = self.rows.cells(self.x, self.rows.configurations(self.sets[s]), self.y)
            parts.append(cells.draw(rng, int(counts[s]), levels, outcome))
        alone = self.rows.marginal(self.y).draw(rng, int(counts[-1]), [0], outcome)
        return np.concatenate([*parts, np.repeat(alone, len(levels), axis=1)])

    def mean(self) -> NDArray[np.float64]:
        """The mean of P(y = b | do(x = a)), by a and b."""
        return np.asarray(np.tensordot(self.weights, self.means, 1) + self.rest * self.marginal.mean)

    def variances(self, of: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The variance between and within graphs of Σ_a of[a] P(y = b | do(x = a)), for each b."""
        means = np.append(np.einsum("a,sab->sb", of, self.means), of.sum() * self.marginal.mean, axis=0)
        within = np.append(
            np.einsum("a,c,sacb->sb", of, of, self.covariances), of.sum() ** 2 * self.marginal.covariance[0], axis=0
        )
        weights = np.append(self.weights, self.rest)
        centred = means - weights @ means
        return weights @ centred**2, weights @ within


@dataclass(frozen=True, eq=False, repr=False)
class Contrast:
    """The change of P(y = level) if x is set to ``b`` instead of ``a``: a risk difference, made by ``contrast``.

    >>> import causal_zigzag as cz
    >>> data = {"rain": ["no", "yes"] * 100, "wet": ["no", "yes"] * 95 + ["yes", "no"] * 5}
    >>> effect = cz.exact_posterior(cz.BDeu(data)).effect("rain", "wet")
    >>> change = effect.contrast("no", "yes", outcome="yes")
    >>> 0.3 < change.mean < 0.6, round(change.probability_nonzero, 2)
    (True, 0.5)
    """

    cause: Hashable
    outcome: Hashable
    a: Hashable
    b: Hashable
    level: Hashable
    mean: float
    between: float
    within: float
    probability_nonzero: float
    mcse: EffectError
    adjustment: AdjustmentSets
    places: tuple[int, int, int]  # of a, b and the level

    @property
    def sd(self) -> float:
        """The standard deviation: ``sd**2`` is the sum of ``between`` and ``within``."""
        return float(np.sqrt(self.between + self.within))

    @property
    def probability_positive(self) -> float:
        """The probability that the change is above 0, from 10,000 draws with a fixed seed."""
        return float((self._draws > 0).mean())

    @cached_property
    def _draws(self) -> NDArray[np.float64]:
        a, b, level = self.places
        drawn = self.adjustment.draws(level)
        return np.asarray(drawn[:, b] - drawn[:, a])

    def interval(self, level: float = LEVEL, *, given_path: bool = False) -> tuple[float, float]:
        """The equal-tailed interval, from 10,000 draws with a fixed seed; ``given_path`` uses those with an effect.

        The standard error of its ends due to the draws is about 0.03 standard deviations for 95 %.
        """
        tail = read_tail(level)
        draws = self._draws[self._draws != 0] if given_path else self._draws
        if not len(draws) or (self.probability_nonzero <= tail and not given_path):  # both are in the point mass at 0
            return 0.0, 0.0
        low, high = quantiles(draws, tail)
        return float(low), float(high)

    def row(self, mcse: float | None = None) -> dict[str, object]:
        """The row of this contrast in the table of effects; ``mcse`` replaces the error of the mean.

        >>> import causal_zigzag as cz
        >>> data = {"rain": ["no", "yes"] * 100, "wet": ["no", "yes"] * 95 + ["yes", "no"] * 5}
        >>> row = cz.exact_posterior(cz.BDeu(data)).effect("rain", "wet").contrast("no", "yes", outcome="yes").row()
        >>> row["from"], row["to"], row["level"]
        ('no', 'yes', 'yes')
        """
        path = self.probability_nonzero
        labels = (self.cause, self.outcome, self.level, self.a, self.b)
        shares = (path, self.probability_positive if path > 0 else 0.0, *self.interval(given_path=True))
        error = self.mcse.mean if mcse is None else mcse
        numbers = (self.mean, self.sd, *self.interval(), *shares, self.between, self.within, error)
        return dict(zip(CONTRAST_COLUMNS, (*labels, *numbers), strict=True))

    def __repr__(self) -> str:
        cause, outcome = show(self.cause), show(self.outcome)
        action = f"setting {cause} to {show(self.b)} instead of {show(self.a)}"
        changed = f"P({outcome} = {show(self.level)})"
        return effect_in_words(self, action, changed, no_ancestor(cause, outcome, self.mcse))


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteEffect:
    """The effect of a categorical x on a categorical y: P(y | do(x = a)) for every level a.

    It is averaged over the graphs of the posterior, and in each over the parameters, by adjustment for the parents of
    x. Where y is not downstream of x, P(y | do(x = a)) is P(y) for all levels. Means and standard deviations are exact
    for the given probabilities of the classes; intervals are quantiles of 10,000 draws with a fixed seed.

    >>> import causal_zigzag as cz
    >>> data = {"rain": ["no", "yes"] * 100, "wet": ["no", "yes"] * 95 + ["yes", "no"] * 5}
    >>> effect = cz.exact_posterior(cz.BDeu(data)).effect("rain", "wet")
    >>> effect.probabilities.loc["yes"].round(2).to_dict()  # half of the graphs have wet -> rain, and no effect
    {'no': 0.28, 'yes': 0.72}
    """

    cause: Hashable
    outcome: Hashable
    cause_levels: tuple[Hashable, ...]
    outcome_levels: tuple[Hashable, ...]
    adjustment: AdjustmentSets
    nodes: tuple[Hashable, ...]
    from_draws: float = 0.0  # the share of the probability that was estimated from draws, for unlisted classes

    @property
    def probabilities(self) -> pd.DataFrame:
        """The mean of P(y | do(x = a)): one row per level a of x, one column per level of y."""
        import pandas as pd

        rows = pd.Index(list(self.cause_levels), dtype=object, name=self.cause)
        columns = pd.Index(list(self.outcome_levels), dtype=object, name=self.outcome)
        return pd.DataFrame(self.adjustment.mean(), index=rows, columns=columns)

    @property
    def probability_nonzero(self) -> float:
        """The probability that x is an ancestor of y."""
        return min(1.0, float(self.adjustment.weights.sum()))

    @property
    def components(self) -> pd.DataFrame:
        """One row per set of parents of x with which y is downstream of x: the set, its probability, and the means.

        The column ``probability`` adds up to ``probability_nonzero``. There is one more column for each level of x and
        of y, with the mean of P(y | do(x)) given the set. The most probable sets come first.
        """
        import pandas as pd

        adjustment = self.adjustment
        order = np.argsort(-adjustment.weights, kind="stable")
        sets = [tuple(self.nodes[v] for v in adjustment.sets[i]) for i in order]
        table = pd.DataFrame({"parents": sets, "probability": adjustment.weights[order]})
        for i, a in enumerate(self.cause_levels):
            for j, b in enumerate(self.outcome_levels):
                table[f"P({show(b)} | {show(a)})"] = adjustment.means[order, i, j]
        return table

    def table(self, level: float = LEVEL) -> pd.DataFrame:
        """One row per level of x (column ``do``) and level of y (``level``): mean, sd and interval of P(y | do(x))."""
        import pandas as pd

        tail, mean = read_tail(level), self.adjustment.mean()
        deviations = [
            np.sqrt(sum(self.adjustment.variances(np.eye(len(self.cause_levels))[i])))
            for i in range(len(self.cause_levels))
        ]
        ends = [quantiles(self.adjustment.draws(j), tail) for j in range(len(self.outcome_levels))]
        rows = [
            (a, b, mean[i, j], deviations[i][j], ends[j][0][i], ends[j][1][i])
            for i, a in enumerate(self.cause_levels)
            for j, b in enumerate(self.outcome_levels)
        ]
        return pd.DataFrame(rows, columns=["do", "level", "mean", "sd", "lower", "upper"])

    def contrast(self, a: Hashable, b: Hashable, outcome: Hashable) -> Contrast:
        """The change of P(y = outcome) if x is set to ``b`` instead of ``a``."""
        i, j = (self._place(self.cause_levels, level, self.cause) for level in (a, b))
        if i == j:
            raise SettingsError(f"a contrast is between two levels of {show(self.cause)}, but both are {show(a)}")
        k = self._place(self.outcome_levels, outcome, self.outcome)
        adjustment = self.adjustment
        of = np.zeros(len(self.cause_levels))
        of[i] -= 1
        of[j] += 1
        changes = adjustment.means[:, j, k] - adjustment.means[:, i, k]
        between, within = adjustment.variances(of)
        return Contrast(
            self.cause,
            self.outcome,
            self.cause_levels[i],
            self.cause_levels[j],
            self.outcome_levels[k],
            float(adjustment.weights @ changes),
            float(between[k]),
            float(within[k]),
            self.probability_nonzero,
            adjustment.coefficient_error(changes),
            adjustment,
            (i, j, k),
        )

    def largest(self) -> Contrast:
        """The largest contrast with the reference level of x, its first one: the change of P(y = level), up or down.

        If it is equally large for several levels of y, as with two of them, it is that of the last one.
        """
        mean = self.adjustment.mean()
        change = np.abs(mean[1:] - mean[0])
        b, k = np.argwhere(change >= change.max() - ROUNDING)[-1]
        return self.contrast(self.cause_levels[0], self.cause_levels[b + 1], self.outcome_levels[k])

    def plot(self, ax: Axes | None = None) -> Figure:
        """Bars of P(y | do(x = a)) for every level a, with 95 % intervals, on ``ax`` or on a new figure.

        >>> import causal_zigzag as cz
        >>> data = {"rain": ["no", "yes"] * 100, "wet": ["no", "yes"] * 95 + ["yes", "no"] * 5}
        >>> figure = cz.exact_posterior(cz.BDeu(data)).effect("rain", "wet").plot()
        >>> figure.axes[0].get_xlabel()
        'rain is set to'
        """
        from causal_zigzag.figures.effect_plots import levels_figure

        return levels_figure(self, ax)

    def __repr__(self) -> str:
        return f"{self.largest()!r}{draws_in_words(self.from_draws)}"

    def _repr_html_(self) -> str:
        return view(f"Effect of {show(self.cause)} on {show(self.outcome)}", [repr(self)], self.table())

    def _place(self, levels: tuple[Hashable, ...], level: Any, node: Hashable) -> int:
        for place, known in enumerate(levels):
            if known == level and type(known) is type(level):
                return place
        if level in levels:  # such as 1 for 1.0
            return levels.index(level)
        shown = show(level)
        if shown in map(show, levels):  # such as "True" for True
            shown = f"{level!r} (of type {type(level).__name__})"
        raise SettingsError(f"{show(node)} has no level {shown}; its levels are {show_all(levels)}")


def quantiles(draws: NDArray[np.float64], tail: float) -> NDArray[np.float64]:
    """The quantiles at ``tail`` and 1 - ``tail`` of draws, for each column."""
    return np.quantile(draws, [tail, 1 - tail], axis=0, method="inverted_cdf")
