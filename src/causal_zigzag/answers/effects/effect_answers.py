"""effect, effects and ancestors: the methods about causes that exact and sampled posteriors share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag.answers.effects.effect import Effect, EffectError
from causal_zigzag.answers.effects.effect_table import effect_block, effect_frame
from causal_zigzag.answers.effects.gaussian import coefficients, moments_of
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.errors import GraphError, KnowledgeError, SettingsError
from causal_zigzag.graphs.labels import Labels, show

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.parent_sets import ParentSetTable, WeightedClasses
    from causal_zigzag.scores.base import Score
    from causal_zigzag.target.target import Target


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

    def effect(self, x: Any, y: Hashable) -> Effect:
        """The total effect of x on y: the change of the mean of y if x is raised by 1 by an intervention, do(x).

        It is averaged over all graphs and their parameters. In each class, every possible set of parents of x has the
        share of the DAGs that have it, by exact counting. Needs a Gaussian score, ``GaussianBIC`` or ``BGe``.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> effect = cz.sample(table, jumps=2000, rng=1).effect("wet", "rain")
        >>> effect.probability_nonzero < 0.1
        True
        """
        if isinstance(x, list):
            raise SettingsError(f"effect needs one cause, not the list {x!r}")
        cause, outcome = _two_nodes(Labels(self.nodes), x, y)
        moments = moments_of(self._effect_score())
        weights = self.class_weights()
        (table,) = parent_set_tables(weights.lists, [cause])
        found = coefficients(table, moments)
        errors = self.effect_errors(table, found.mean)[0, outcome]
        rows = np.flatnonzero(table.below[:, outcome] > 0)
        rows = rows[np.argsort(-table.below[rows, outcome], kind="stable")]
        own = found.chosen(rows)
        return Effect(
            self.nodes[cause],
            self.nodes[outcome],
            tuple(table.parents(int(row)) for row in rows),
            table.below[rows, outcome],
            np.ascontiguousarray(own.mean[:, outcome]),
            np.ascontiguousarray(own.scale[:, outcome]),
            own.freedom,
            EffectError(*errors.tolist()),
            weights.from_draws,
        )

    def effects(self, causes: Any = None, outcomes: Any = None) -> pd.DataFrame:
        """The effects of all causes on all outcomes: one row per ordered pair, the largest mean effect first.

        ``causes`` and ``outcomes`` are a node or a list of nodes; all nodes by default. ``lower`` and ``upper`` are the
        ends of ``Effect.interval(0.95)``, ``mcse`` is the Monte Carlo standard error of ``mean``; the other columns are
        those of ``effect``.

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
        moments = moments_of(self._effect_score())
        blocks = []
        for table in parent_set_tables(self.class_weights().lists, chosen):
            found = coefficients(table, moments)
            errors = self.effect_errors(table, found.mean)[:, :, 0]
            blocks.append(effect_block(table, found, np.array(ends, dtype=np.int64), errors))
        return effect_frame(self.nodes, blocks, np.array(ends, dtype=np.int64))

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


def refuse_knowledge(target: Target) -> None:
    """Raise a KnowledgeError for a target with knowledge: only the members that agree with it would count."""
    if target.knowledge is not None:
        raise KnowledgeError(
            "effects and ancestors count all DAGs of a class, also those that do not agree with the knowledge; sample "
            "without knowledge= to ask for them"
        )


def _two_nodes(labels: Labels, x: Hashable, y: Hashable) -> tuple[int, int]:
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
