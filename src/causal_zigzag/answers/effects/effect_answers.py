"""effect, effects and ancestors: the methods about causes that exact and sampled posteriors share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from causal_zigzag.answers.effects.discrete_queries import discrete_effect, discrete_frame, discrete_rows
from causal_zigzag.answers.effects.effect import Effect, EffectError
from causal_zigzag.answers.effects.effect_table import effect_block, effect_frame
from causal_zigzag.answers.effects.gaussian import coefficients, moments_of
from causal_zigzag.answers.effects.joint_draws import joint_effects
from causal_zigzag.answers.effects.joint_effect import DrawnEffect, JointEffect
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.errors import GraphError, ScoreError, SettingsError
from causal_zigzag.graphs.labels import Labels, show, show_all
from causal_zigzag.support.rng import as_generator
from causal_zigzag.support.validation import read_count

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.discrete_effect import DiscreteEffect
    from causal_zigzag.answers.effects.joint_draws import DrawnDags
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable, WeightedClasses
    from causal_zigzag.scores.base import Score
    from causal_zigzag.support.rng import Rng

DRAWS = 4000  # of DAGs and parameters, for joint effects


class ClassWeights(NamedTuple):
    """All classes of a posterior in one or more lists, and the share of the weight that comes from draws."""

    lists: list[WeightedClasses]
    from_draws: float = 0.0


class EffectAnswers(ABC):
    """Methods shared by ``Posterior`` and ``ExactPosterior``."""

    @property
    @abstractmethod
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes."""

    @abstractmethod
    def class_weights(self) -> ClassWeights:
        """All classes with their probabilities. Internal to the package.

        :meta private:
        """

    @abstractmethod
    def _effect_score(self) -> Score:
        """The score whose parameters the effects are about."""

    @abstractmethod
    def effect_errors(self, table: ParentSetTable, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The Monte Carlo errors of Σ below * values and of Σ below over the rows of each cause: causes, nodes, 2.

        Internal to the package.

        :meta private:
        """

    @abstractmethod
    def effect_dags(self, k: int, rng: np.random.Generator) -> DrawnDags:
        """About k DAGs drawn from the posterior. Internal to the package.

        :meta private:
        """

    @overload
    def effect(self, x: list[Any], y: Hashable, draws: int = ..., rng: Rng = ...) -> JointEffect: ...
    @overload
    def effect(self, x: Any, y: Hashable, draws: int = ..., rng: Rng = ...) -> Any: ...
    def effect(self, x: Any, y: Hashable, draws: int = DRAWS, rng: Rng = None) -> Effect | DiscreteEffect | JointEffect:
        """The total effect of x on y: what happens to y if x is set by an intervention, do(x).

        It is averaged over all graphs and their parameters. In each class, every possible set of parents of x has the
        share of the DAGs that have it, by exact counting.

        - With a Gaussian score, ``GaussianBIC`` or ``BGe``, the result is an ``Effect``: the change of the mean of y if
          x is raised by 1.
        - With a discrete score, ``DiscreteBIC`` or ``BDeu``, it is a ``DiscreteEffect``: P(y | do(x = a)) for every
          level a.
        - If x is a list of nodes, and the score is Gaussian, it is a ``JointEffect``: the change of y per unit of each
          of them, with the others held. It is computed from about ``draws`` DAGs and parameters, drawn with ``rng``.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> posterior = cz.sample(table, jumps=2000, rng=1)
        >>> posterior.effect("wet", "rain").probability_nonzero < 0.1
        True
        >>> posterior.effect(["rain", "sun"], "wet", rng=1)["rain"].probability_nonzero > 0.9
        True
        """
        if isinstance(x, list):
            return self._joint_effect(x, y, draws, rng)
        cause, outcome = _two_nodes(Labels(self.nodes), x, y)
        score = self._effect_score()
        rows = score.categorical_rows()
        if rows is not None:
            weights = self.class_weights()
            (table,) = parent_set_tables(weights.lists, [cause])
            return discrete_effect(rows, table, outcome, self.effect_errors, weights.from_draws)
        moments = moments_of(score)
        weights = self.class_weights()
        (table,) = parent_set_tables(weights.lists, [cause])
        found = coefficients(table, moments)
        errors = self.effect_errors(table, found.mean)[0, outcome]
        below = np.flatnonzero(table.below[:, outcome] > 0)
        below = below[np.argsort(-table.below[below, outcome], kind="stable")]
        own = found.chosen(below)
        return Effect(
            self.nodes[cause],
            self.nodes[outcome],
            tuple(table.parents(int(row)) for row in below),
            table.below[below, outcome],
            np.ascontiguousarray(own.mean[:, outcome]),
            np.ascontiguousarray(own.scale[:, outcome]),
            own.freedom,
            EffectError(*errors.tolist()),
            weights.from_draws,
        )

    def effects(self, causes: Any = None, outcomes: Any = None) -> pd.DataFrame:
        """The effects of all causes on all outcomes: one row per ordered pair, the largest mean effect first.

        Pairs whose 95 % interval is 0 to 0, as an effect is improbable, come last. ``causes`` and ``outcomes`` are a
        node or a list of nodes; all nodes by default. ``lower`` and ``upper`` are the ends of
        ``Effect.interval(0.95)``, ``mcse`` is the Monte Carlo standard error of ``mean``; the other columns are those
        of ``effect``. With a discrete score, the row of a pair is its largest risk difference,
        ``DiscreteEffect.largest()``: the increase of the probability that the outcome has this ``level`` if the cause
        is set to ``high`` instead of ``low``.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> effects = cz.sample(table, jumps=2000, rng=1).effects(outcomes="wet")
        >>> sorted(effects["cause"])
        ['rain', 'sun']
        >>> list(effects.columns[:6])
        ['cause', 'outcome', 'mean', 'sd', 'lower', 'upper']
        """
        labels = Labels(self.nodes)
        chosen, ends = _read_nodes(labels, causes, "causes"), _read_nodes(labels, outcomes, "outcomes")
        score = self._effect_score()
        data = score.categorical_rows()
        if data is not None:
            rows = []
            for table in parent_set_tables(self.class_weights().lists, chosen):
                rows += discrete_rows(data, table, ends, self.effect_errors)
            return discrete_frame(rows)
        moments = moments_of(score)
        blocks = []
        for table in parent_set_tables(self.class_weights().lists, chosen):
            found = coefficients(table, moments)
            errors = self.effect_errors(table, found.mean)[:, :, 0]
            blocks.append(effect_block(table, found, np.array(ends, dtype=np.int64), errors))
        return effect_frame(self.nodes, blocks, np.array(ends, dtype=np.int64))

    def plot_effects(self, outcome: Hashable, ax: Axes | None = None) -> Figure:
        """The effects of all other variables on one: 95 % intervals, the largest effect first, and probabilities.

        They are the rows of ``effects(outcomes=outcome)``; up to 40 causes with a probability of at least 0.01 are
        shown, on ``ax`` or on a new figure.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> figure = cz.sample(table, jumps=2000, rng=1).plot_effects("wet")
        >>> sorted(label.get_text() for label in figure.axes[0].get_yticklabels())
        ['rain', 'sun']
        """
        from causal_zigzag.figures.effect_plots import outcome_figure

        Labels(self.nodes).number(outcome)
        return outcome_figure(self.effects(outcomes=[outcome]), outcome, ax)

    def ancestors(self) -> pd.DataFrame:
        """The probability that the node of the row is an ancestor of the node of the column, for any score.

        Within a class, it is the share of its DAGs in which it is one. ``cz.ancestor`` is the
        same as a statement, and ``cz.statements.certain_ancestor`` is about all DAGs of a class.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(["a", "b"])).ancestors()  # a - b has half of the probability
              a     b
        a  0.00  0.25
        b  0.25  0.00
        """
        import pandas as pd

        found = np.zeros((len(self.nodes), len(self.nodes)))
        for table in parent_set_tables(self.class_weights().lists, merged=True):
            found[table.cause] = np.minimum(table.below, 1.0)
        return pd.DataFrame(found, index=[*self.nodes], columns=[*self.nodes])

    def _joint_effect(self, causes: list[Any], y: Hashable, draws: int, rng: Rng) -> JointEffect:
        labels = Labels(self.nodes)
        numbers = [labels.number(x) for x in causes]
        outcome = labels.number(y)
        if not numbers:
            raise SettingsError("effect needs at least one cause, but the list is empty")
        if len({*numbers}) < len(numbers):
            raise SettingsError(f"a cause is given twice: {show_all(causes)}")
        if outcome in numbers:
            raise SettingsError(f"the outcome {show(y)} must not be one of the causes, {show_all(causes)}")
        score = self._effect_score()
        if score.categorical_rows() is not None:
            raise ScoreError(f"joint effects are those of linear models, but the score is {score!r}; ask for one cause")
        moments, generator = moments_of(score), as_generator(rng)
        drawn = self.effect_dags(read_count("draws", draws, 2), generator)
        values = joint_effects(drawn.dags, numbers, outcome, moments, generator)
        errors = drawn.errors(np.stack([values, values != 0], axis=-1)).tolist()
        names = [self.nodes[i] for i in numbers]
        return JointEffect(
            tuple(
                DrawnEffect(
                    name,
                    self.nodes[outcome],
                    tuple(other for other in names if other != name),
                    np.ascontiguousarray(values[:, i]),
                    drawn.weights,
                    EffectError(*errors[i]),
                )
                for i, name in enumerate(names)
            )
        )


def _two_nodes(labels: Labels, x: Any, y: Hashable) -> tuple[int, int]:
    if labels.find(x) is None and hasattr(x, "__iter__") and not isinstance(x, str):
        raise GraphError(f"{labels.unknown(x)}; several causes are given as a list")
    cause, outcome = labels.number(x), labels.number(y)
    if cause == outcome:
        raise SettingsError(f"an effect is of one node on another, but both are {show(x)}")
    return cause, outcome


def _read_nodes(labels: Labels, nodes: Any, name: str) -> list[int]:
    """The numbers of these nodes, ascending and distinct; ``nodes`` is None, a node or an iterable of nodes."""
    if nodes is None:
        return [*range(len(labels))]
    if labels.find(nodes) is not None:
        return [labels.number(nodes)]
    if isinstance(nodes, str) or not hasattr(nodes, "__iter__"):
        raise GraphError(f"{name}: {labels.unknown(nodes)}")
    return sorted({labels.number(node) for node in nodes})
