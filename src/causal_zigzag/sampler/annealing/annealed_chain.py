"""run_annealing: cools one chain from its hot start to the target, where it ends."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag import _core
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.sampler.annealing.polish import polish
from causal_zigzag.sampler.annealing.schedule import Annealing, AnnealingStatistics, is_polished
from causal_zigzag.sampler.balance import SQRT_ALONE, measured, mixes
from causal_zigzag.sampler.chain_result import Outcome
from causal_zigzag.sampler.chain_task import Start
from causal_zigzag.sampler.checkpoint.chain_files import restoring
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.driver import Driver
from causal_zigzag.support import clock
from causal_zigzag.support.clock import Moment
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from causal_zigzag._core import Chain
    from causal_zigzag.sampler.chain_task import ChainTask, Meter, Signal

HOT_CLASSES = 2  # the number of classes that a hot chain lists: none are wanted
FIRST_JUMPS = 200  # after which the time of the annealing is estimated for the first time
COOLING_SHARE = 0.5  # of the time that the annealing of a chain has, if its end is polished


def run_annealing(task: ChainTask, stop: Signal | None, meter: Meter) -> Outcome:
    """Anneal a chain from its start, or from where it was saved, to the target or until ``stop`` is set.

    If there is a deadline, blocks become as short as it requires. A chain that has not reached the target by then ends
    where it is. With many nodes greedy search goes on from there.
    """
    outcome = _anneal(task, stop, meter)
    if isinstance(outcome.result, Start) and is_polished(task.target):
        _core.return_memory()  # the chain is gone
        found = _polished(task, outcome.result, stop)
        outcome = replace(outcome, result=None if stop is not None and stop.is_set() else found)
    return outcome


def _anneal(task: ChainTask, stop: Signal | None, meter: Meter) -> Outcome:
    late, deadline, store = task.time_is_up, task.stage.deadline, task.store
    if is_polished(task.target):
        now = clock.now()
        deadline = Moment(now + COOLING_SHARE * (deadline - now))
    saved = store.load()
    if saved is None:
        jumps = task.settings.planned_jumps(task.target)
        schedule = Annealing.begin(task.target, jumps, climbs=task.stage.name == "climb")
    else:
        assert isinstance(saved.schedule, Annealing)
        schedule = saved.schedule
    with restoring(task.number):
        chain = make_chain(
            task.target, task.settings, task.start.graph, task.seed, None if saved is None else saved.state(),
            coldness=schedule.coldness, extra_slope=schedule.slope, first_score=task.start.score,
            most_classes=HOT_CLASSES,
        )  # fmt: skip
    driver = Driver(chain, schedule, task.target, meter, store, stop)
    driver.run(min(schedule.length, FIRST_JUMPS), deadline)
    schedule.fit(driver.jumps_until(deadline))
    driver.follow(deadline)
    store.save(chain, schedule)
    if not schedule.over:
        return Outcome(None, tuple(store.notes), late=late)
    found = None if stop is not None and stop.is_set() else _annealed(task, chain, schedule)
    return Outcome(found, tuple(store.notes), late=late)


def _polished(task: ChainTask, found: Start, stop: Signal | None) -> Start:
    score = task.target.score
    graph = polish(task.target, found.graph, lambda: task.time_is_up or (stop is not None and stop.is_set()))
    return replace(found, graph=graph, score=found.score + score.origin(graph) - score.origin(found.graph))


def _annealed(task: ChainTask, chain: Chain, schedule: Annealing) -> Start:
    state, n = chain.statistics(), len(task.target.nodes)
    arrows, arrow_times, lines, line_times = chain.edge_times()
    spent = state.time.expected
    weight, faster = measured(chain, SQRT_ALONE, n) if mixes(task.settings, task.target) else (SQRT_ALONE, 0.0)
    log2_pace = math.log2(max(1, state.jumps)) - (math.log2(spent) + state.unit) + faster if spent > 0 else 0.0
    return Start(
        graph=CPDAG.from_core(chain.graph(), task.start.graph.labels),
        score=chain.score,
        adjacent=(
            read_only(np.concatenate([arrows, lines])),
            read_only(np.concatenate([arrow_times, line_times]) / (spent if spent > 0 else 1.0)),
        ),
        log2_pace=log2_pace,
        sqrt_weight=weight,
        annealed=AnnealingStatistics(
            schedule.hot / schedule.target,
            schedule.blocks,
            schedule.made,
            schedule.coldness / schedule.target,
            climbed=task.stage.name == "climb",
        ),
        cells=chain.cells,
    )
