"""JointEffect: the effects of several causes on one outcome, each with the other causes held."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.effects.effect import LEVEL, EffectError, effect_in_words, read_tail
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.support.notebook_view import view

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class DrawnEffect:
    """The change of y per unit of one cause while other causes are held, as weighted draws.

    ``mcse`` has the Monte Carlo errors of ``mean`` and of ``probability_nonzero``. A draw is exactly 0 if in its DAG
    no path leads from the cause to y without passing another one of the causes.
    """

    cause: Hashable
    outcome: Hashable
    held: tuple[Hashable, ...]
    draws: NDArray[np.float64]
    weights: NDArray[np.float64]
    mcse: EffectError

    @property
    def mean(self) -> float:
        """The mean of the draws."""
        return float(self.weights @ self.draws)

    @property
    def sd(self) -> float:
        """The standard deviation of the draws."""
        return float(np.sqrt(self.weights @ (self.draws - self.mean) ** 2))

    @property
    def probability_nonzero(self) -> float:
        """The probability of a path from the cause to y that avoids the other causes."""
        return min(1.0, float(self.weights[self.draws != 0].sum()))

    @property
    def probability_positive(self) -> float:
        """The probability that the effect is above 0."""
        return min(1.0, float(self.weights[self.draws > 0].sum()))

    def interval(self, level: float = LEVEL, *, given_path: bool = False) -> tuple[float, float]:
        """The equal-tailed interval: quantiles of the draws, with ``given_path`` of those with an effect."""
        tail = read_tail(level)
        kept = self.draws != 0 if given_path else np.ones(len(self.draws), dtype=np.bool_)
        draws, weights = self.draws[kept], self.weights[kept]
        order = np.argsort(draws, kind="stable")
        ends = np.cumsum(weights[order])
        at = np.searchsorted(ends / ends[-1], [tail, 1 - tail])
        low, high = draws[order[np.minimum(at, len(order) - 1)]]
        return float(low), float(high)

    def __repr__(self) -> str:
        action = f"raising {show(self.cause)} by 1" + (f" with {show_all(self.held)} held" if self.held else "")
        none = f"none of {len(self.draws):,} drawn DAGs has an effect"
        return effect_in_words(self, action, show(self.outcome), none)


@dataclass(frozen=True, eq=False, repr=False)
class JointEffect(Mapping[Hashable, DrawnEffect]):
    """The effects of an intervention on several causes: a mapping from each cause to its ``DrawnEffect``.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("a", "b"), ("a", "y"), ("b", "y")], rows=500, rng=1)
    >>> joint = cz.exact_posterior(cz.GaussianBIC(table)).effect("a", "y", jointly_with=["b"], rng=1)
    >>> joint["a"].held
    ('b',)
    >>> list(joint.table().columns)
    ['cause', 'mean', 'sd', 'lower', 'upper', 'probability_nonzero', 'mcse_mean', 'mcse_probability']
    """

    effects: tuple[DrawnEffect, ...]

    @property
    def causes(self) -> tuple[Hashable, ...]:
        """The causes, in the order in which they were given."""
        return tuple(effect.cause for effect in self.effects)

    @property
    def outcome(self) -> Hashable:
        """The outcome."""
        return self.effects[0].outcome

    def __getitem__(self, cause: Hashable) -> DrawnEffect:
        for effect in self.effects:
            if effect.cause == cause:
                return effect
        raise SettingsError(f"{show(cause)} is not one of the causes, which are {show_all(self.causes)}")

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.causes)

    def __len__(self) -> int:
        return len(self.effects)

    def __contains__(self, cause: object) -> bool:
        return cause in self.causes

    def table(self, level: float = LEVEL) -> pd.DataFrame:
        """One row per cause: mean, sd, interval, probability of an effect and Monte Carlo errors."""
        import pandas as pd

        columns = ["cause", "mean", "sd", "lower", "upper", "probability_nonzero", "mcse_mean", "mcse_probability"]
        rows = [(e.cause, e.mean, e.sd, *e.interval(level), e.probability_nonzero, *e.mcse) for e in self.effects]
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.effects))

    def _repr_html_(self) -> str:
        return view(f"Joint effects on {show(self.outcome)}", map(repr, self.effects), self.table())
