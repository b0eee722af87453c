"""One resample: two short chains of the target with the weights of its rows, until they agree."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.posterior.diagnostics.diagnostics import largest_r_hat
from causal_zigzag.posterior.posterior import Posterior
from causal_zigzag.posterior.resampled import AGREE, OPEN
from causal_zigzag.resampling.short_chains import annealed_starts, can_draw, drawn_starts, run_short_chains
from causal_zigzag.sampler.annealing.schedule import is_polished
from causal_zigzag.sampler.chain_result import ChainResult
from causal_zigzag.support import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.sampler.chain_task import Signal, Start
    from causal_zigzag.sampler.checkpoint.chain_files import SavedChain
    from causal_zigzag.sampler.excursions.plan import ExcursionPlan
    from causal_zigzag.sampler.settings import RunSettings
    from causal_zigzag.support.clock import Moment
    from causal_zigzag.target.target import Target

LENGTHENED = 2  # times that chains that disagree are made twice as long


@dataclass(frozen=True, eq=False)
class ResampleTask:
    """What a worker needs for one resample: the target with its weights, where its chains begin, and their seeds."""

    number: int
    target: Target
    settings: RunSettings
    starts: tuple[Start, ...]
    plan: ExcursionPlan | None
    seeds: tuple[NDArray[np.uint64], ...]
    deadline: Moment
    key: str  # of the weights and the random numbers


@dataclass(frozen=True, eq=False)
class Resample:
    """The chains of a resample, the settings of the longest attempt, and the largest R-hat of its open edges."""

    number: int
    settings: RunSettings
    start: CPDAG
    results: tuple[ChainResult, ...]
    r_hat: float

    def posterior(self, task: ResampleTask) -> Posterior:
        """The posterior of the resampled table."""
        return Posterior(task.target, self.settings, self.start, self.results)


def run_resample(task: ResampleTask, stop: Signal | None = None) -> Resample | None:
    """Run the chains of a resample; None if they were stopped before they had their length.

    Chains that disagree are made longer, up to four times as long. If they still disagree, chains that are annealed
    first, each by itself, take their place. Where the posterior of the resample can be drawn from, chains from such
    draws take their place at once: their mean is right, however slowly they move.
    """
    exact = can_draw(task.target)
    found = _until_they_agree(task, task.starts, task.seeds, task.settings, stop, 0 if exact else LENGTHENED)
    ends = _is_over(task, stop) or (is_polished(task.target) and not exact)
    if found is None or ends or not found.r_hat > AGREE:
        return found
    seeds = [
        np.random.SeedSequence(seed.tolist()).generate_state(8, np.uint64).astype(np.uint64) for seed in task.seeds
    ]
    first, then = [seed[:4] for seed in seeds], [seed[4:] for seed in seeds]
    if exact:
        starts = drawn_starts(task.target, task.starts, first)
    else:
        annealed = annealed_starts(task.target, found.settings, task.starts, first, stop, task.deadline)
        if annealed is None:
            return found
        starts = annealed
    again = _until_they_agree(task, starts, then, found.settings, stop, 0)
    if again is None:
        return found
    return replace(again, r_hat=math.nan) if exact else again


def _until_they_agree(
    task: ResampleTask,
    starts: tuple[Start, ...],
    seeds: Sequence[NDArray[np.uint64]],
    settings: RunSettings,
    stop: Signal | None,
    lengthened: int,
) -> Resample | None:
    """The chains from these starts, made twice as long up to ``lengthened`` times."""
    states: list[SavedChain | None] = [None] * len(starts)
    while True:
        outcomes = run_short_chains(task.target, settings, starts, task.plan, seeds, states, stop, task.deadline)
        results = tuple(outcome.result for outcome in outcomes if isinstance(outcome.result, ChainResult))
        short = len(results) < len(outcomes) or any(r.statistics.jumps < task.settings.jumps for r in results)
        is_over = _is_over(task, stop)
        if is_over and short:
            return None
        found = Resample(task.number, settings, starts[0].graph, results, math.nan)
        found = replace(found, r_hat=largest_r_hat(found.posterior(task), OPEN))
        if is_over or lengthened == 0 or not found.r_hat > AGREE:
            return found
        states, lengthened = [outcome.state for outcome in outcomes], lengthened - 1
        settings = replace(settings, jumps=2 * settings.jumps)


def _is_over(task: ResampleTask, stop: Signal | None) -> bool:
    return (stop is not None and stop.is_set()) or clock.now() >= task.deadline
