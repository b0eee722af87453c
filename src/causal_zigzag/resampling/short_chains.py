"""Some chains of a target, one after another; the only place where resampling runs the sampler."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from causal_zigzag.sampler.chain import run_chain
from causal_zigzag.sampler.chain_task import ChainTask, Stage, Start
from causal_zigzag.sampler.checkpoint.chain_files import ChainMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_result import Outcome
    from causal_zigzag.sampler.chain_task import Signal
    from causal_zigzag.sampler.checkpoint.chain_files import SavedChain
    from causal_zigzag.sampler.excursions.plan import ExcursionPlan
    from causal_zigzag.sampler.settings import RunSettings
    from causal_zigzag.support.clock import Moment
    from causal_zigzag.target.target import Target


def run_short_chains(
    target: Target,
    settings: RunSettings,
    starts: tuple[Start, ...],
    plan: ExcursionPlan | None,
    seeds: Sequence[NDArray[np.uint64]],
    states: Sequence[SavedChain | None],
    stop: Signal | None,
    deadline: Moment,
) -> list[Outcome]:
    """The outcomes of chains of ``settings.jumps`` jumps from these starts, or from where they were saved before."""
    stage = Stage("sample", target, settings, starts, plan=plan, deadline=deadline, warm_by=deadline)
    return [
        run_chain(ChainTask(number, stage, seed, ChainMemory(True, state, until=deadline)), stop)
        for number, (seed, state) in enumerate(zip(seeds, states, strict=True))
    ]


def annealed_starts(
    target: Target,
    settings: RunSettings,
    starts: tuple[Start, ...],
    seeds: Sequence[NDArray[np.uint64]],
    stop: Signal | None,
    deadline: Moment,
) -> tuple[Start, ...] | None:
    """Where chains that are annealed for ``settings.jumps`` jumps end; None if there was no time."""
    stage = Stage("anneal", target, settings, starts, deadline=deadline)
    outcomes = [run_chain(ChainTask(number, stage, seed, ChainMemory()), stop) for number, seed in enumerate(seeds)]
    ends = [outcome.result for outcome in outcomes if isinstance(outcome.result, Start)]
    if len(ends) < len(starts):
        return None
    return tuple(replace(end, score=end.score - ends[0].score, annealed=None) for end in ends)
