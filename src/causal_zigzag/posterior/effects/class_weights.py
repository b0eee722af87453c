"""The classes of a sampled posterior with their probabilities: listed classes, and draws for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.effects.effect_answers import ClassWeights
from causal_zigzag.answers.effects.parent_sets import WeightedClasses
from causal_zigzag.errors import SettingsError
from causal_zigzag.posterior.draws import draw_list
from causal_zigzag.posterior.listed_graphs import class_lists
from causal_zigzag.posterior.weighted_draws import (
    batched_list,
    by_chain,
    draw_weights,
    unlisted_draw_weights,
    uses_all_time,
)

if TYPE_CHECKING:
    from causal_zigzag.posterior.sampled_run import SampledRun


def class_weights(run: SampledRun) -> ClassWeights:
    """All classes with their probabilities, as in the probability of a statement.

    Without another prior, draws stand for the time that was not recorded for a listed class. With one, the weights of
    unlisted classes are known for draws only: if these took a noticeable part of the time, all weights are of draws.
    """
    draws = run.draws()
    weights = draw_weights(run, draws)
    if run.reweighting is not None and not uses_all_time(run) and weights is not None and weights.any():
        weights = weights / weights.sum()
        chains = zip(draws.chains, by_chain(draws, weights), strict=True)
        return ClassWeights([WeightedClasses(*batched_list(*chain)[:2]) for chain in chains], 1.0)
    lists = _listed(run)
    unlisted = run.listed_classes.unlisted
    total = 1 - unlisted
    if unlisted > 0:
        rest = unlisted_draw_weights(run, unlisted)
        if any(own.any() for own in rest):
            for r, own in zip(run.results, rest, strict=True):
                lists.append(WeightedClasses(draw_list(run.start.labels, r, run.target.restriction), own))
            total = 1.0
    if total <= 0 or not any(some.weights.any() for some in lists):
        raise SettingsError("no class has a positive probability, so there is nothing to average over")
    scaled = [WeightedClasses(some.classes, some.weights / total) for some in lists]
    return ClassWeights(scaled, unlisted if total == 1 else 0.0)


def _listed(run: SampledRun) -> list[WeightedClasses]:
    """The listed classes of each chain; a class that several chains have listed has its weight in one of them."""
    classes, lists = run.listed_classes, []
    for number, some in enumerate(class_lists(run)):
        own = classes.chain == number
        values = np.zeros(len(some.origin))
        values[classes.record[own]] = classes.shares[own]
        lists.append(WeightedClasses(some, values))
    return lists
