"""One resample: two short chains of the target with the weights of its rows, until they agree."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from causal_zigzag.posterior.diagnostics.diagnostics import largest_r_hat
from causal_zigzag.posterior.posterior import Posterior
from causal_zigzag.posterior.resampled import AGREE, OPEN
from causal_zigzag.resampling.short_chains import run_short_chains
from causal_zigzag.sampler.chain_result import ChainResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_task import Signal, Start
    from causal_zigzag.sampler.checkpoint.chain_files import SavedChain
    from causal_zigzag.sampler.excursions.plan import ExcursionPlan
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.target.target import Target

LENGTHENED = 4  # times that chains that disagree are made twice as long


@dataclass(frozen=True, eq=False)
class ResampleTask:
    """What a worker needs for one resample: the target with its weights, where its chains begin, and their seeds."""

    number: int
    target: Target
    settings: Settings
    starts: tuple[Start, ...]
    plan: ExcursionPlan | None
    seeds: tuple[NDArray[np.uint64], ...]
    deadline: float


@dataclass(frozen=True, eq=False)
class Resample:
    """The chains of a resample, the settings of the longest attempt, and the largest R-hat of its open edges."""

    number: int
    settings: Settings
    results: tuple[ChainResult, ...]
    r_hat: float

    def posterior(self, task: ResampleTask) -> Posterior:
        """The posterior of the resampled table."""
        return Posterior(task.target, self.settings, task.starts[0].graph, self.results)


def run_resample(task: ResampleTask, stop: Signal | None = None) -> Resample | None:
    """Run the chains of a resample; None if they were stopped before they had their length.

    Chains that disagree are made longer, up to 16 times as long.
    """
    settings = task.settings
    states: list[SavedChain | None] = [None] * len(task.starts)
    for attempt in range(LENGTHENED + 1):
        outcomes = run_short_chains(
            task.target, settings, task.starts, task.plan, task.seeds, states, stop, task.deadline
        )
        results = tuple(outcome.result for outcome in outcomes if isinstance(outcome.result, ChainResult))
        stopped = (stop is not None and stop.is_set()) or time.time() >= task.deadline
        short = len(results) < len(outcomes) or any(r.statistics.jumps < task.settings.jumps for r in results)
        if stopped and short:
            return None
        found = Resample(task.number, settings, results, math.nan)
        found = replace(found, r_hat=largest_r_hat(found.posterior(task), OPEN))
        if stopped or not found.r_hat > AGREE or attempt == LENGTHENED:
            return found
        states = [outcome.state for outcome in outcomes]
        settings = replace(settings, jumps=2 * settings.jumps)
    raise AssertionError
