"""Effects of a sampled posterior, with Monte Carlo errors from the draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.effects.effect_answers import EffectAnswers
from causal_zigzag.answers.effects.parent_sets import WeightedClasses
from causal_zigzag.posterior.diagnostics.batch_means import LEAST_CHANGES
from causal_zigzag.posterior.effects.class_weights import class_weights
from causal_zigzag.posterior.effects.dags_of_draws import drawn_dags
from causal_zigzag.posterior.sampled_run import SampledRun
from causal_zigzag.posterior.weighted_draws import (
    batched_list,
    by_chain,
    draw_weights,
    in_listed,
    uses_all_time,
    weighted_batching,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.effect_answers import ClassWeights
    from causal_zigzag.answers.effects.joint_draws import DrawnDags
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.scores.base import Score


class EffectQueries(SampledRun, EffectAnswers):
    """The methods of ``Posterior`` about causes and effects."""

    def class_weights(self) -> ClassWeights:
        """All classes with their probabilities. Internal to the package.

        :meta private:
        """
        return class_weights(self)

    def effect_errors(self, table: ParentSetTable, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The Monte Carlo errors of Σ below * values and of Σ below over the rows of each cause: causes, nodes, 2.

        They are estimated from batches of draws, as those of statements, and NaN if the values of the draws change
        fewer than ten times. Internal to the package.

        :meta private:
        """
        draws = self.draws()
        weights = draw_weights(self, draws)
        weights = np.ones(len(draws)) if weights is None else weights
        if self.reweighting is not None and uses_all_time(self):
            weights = np.where(in_listed(self, draws), weights, 0.0)  # the table has the listed classes only
        sums, changes = [], np.zeros((len(table.causes), len(table.nodes), 2), dtype=np.int64)
        for chain, own in zip(draws.chains, by_chain(draws, weights), strict=True):
            some, spread, batch, count = batched_list(chain, own)
            part, moved = table.batch_sums(WeightedClasses(some, spread), batch, count, values)
            sums.append(part)
            changes += moved
        ratio = self._statement_variance_ratio
        errors = weighted_batching(draws, weights).errors(np.concatenate(sums), ratio)
        return np.where(changes < LEAST_CHANGES, np.nan, errors)

    def effect_dags(self, k: int, rng: np.random.Generator) -> DrawnDags:
        """DAGs of the draws: of each, or of every few if there are more than k. Internal to the package.

        :meta private:
        """
        return drawn_dags(self, k, rng)

    def _effect_score(self) -> Score:
        return self.score
