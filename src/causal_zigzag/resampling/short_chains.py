"""Some chains of a target, one after another; the only place where resampling runs the sampler."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.posterior.diagnostics.exact_check import estimated_seconds, obstacle
from causal_zigzag.sampler.chain import run_chain
from causal_zigzag.sampler.chain_task import ChainTask, Stage, Start
from causal_zigzag.sampler.checkpoint.chain_files import ChainMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_result import Outcome
    from causal_zigzag.sampler.chain_task import Signal
    from causal_zigzag.sampler.checkpoint.chain_files import SavedChain
    from causal_zigzag.sampler.excursions.plan import ExcursionPlan
    from causal_zigzag.sampler.settings import RunSettings
    from causal_zigzag.support.clock import Moment
    from causal_zigzag.target.target import Target


MOST_SECONDS = 0.5  # estimated, for the sums over all DAGs of a resample
DRAWS = 200  # of which the starts are chosen by their weights


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


def can_draw(target: Target) -> bool:
    """Whether ``drawn_starts`` takes little time."""
    return not obstacle(target) and estimated_seconds(target) <= MOST_SECONDS


def drawn_starts(target: Target, starts: tuple[Start, ...], seeds: Sequence[NDArray[np.uint64]]) -> tuple[Start, ...]:
    """Independent draws from the target, by sums over all its DAGs, in place of these starts."""
    from causal_zigzag.exact.drawn_classes import draw_classes  # not needed to sample

    rng = np.random.default_rng(np.concatenate(seeds))
    drawn = draw_classes(target, DRAWS, rng)
    rows = rng.choice(len(drawn.names), len(starts), p=drawn.shares(-drawn.log_sizes))
    graphs = [drawn.classes.graph(int(row)) for row in rows]
    scores = [target.score.origin(graph) for graph in graphs]
    chosen = zip(starts, graphs, scores, strict=True)
    return tuple(replace(start, graph=graph, score=score - scores[0]) for start, graph, score in chosen)
