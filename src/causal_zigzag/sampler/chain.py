"""run_chain: runs one stage of a chain: its annealing, or its warm-up and the jumps that count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causal_zigzag._core import return_memory
from causal_zigzag.sampler.annealing.annealed_chain import run_annealing
from causal_zigzag.sampler.balance import mixes
from causal_zigzag.sampler.chain_result import Outcome, collect
from causal_zigzag.sampler.chain_task import UNLIMITED, ChainTask, Meter, Signal
from causal_zigzag.sampler.checkpoint.chain_files import restoring
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.driver import Driver
from causal_zigzag.sampler.excursions.plan import POWERS, WORSE
from causal_zigzag.sampler.missing_cells import begin_sweeps
from causal_zigzag.sampler.tuner import Tuner
from causal_zigzag.sampler.warmup import WarmUp

if TYPE_CHECKING:
    from causal_zigzag._core import Chain

MANY_NODES = 256  # above it a chain takes so much memory that it is returned to the system after each stage


def run_chain(task: ChainTask, stop: Signal | None = None, meter: Meter | None = None) -> Outcome:
    """Run a chain from its start, or from where it was saved, to its end or until ``stop`` is set.

    The result is None if it was stopped before the end of its warm-up. Ctrl-C in a worker process raises a
    KeyboardInterrupt here and also stops the chain.
    """
    meter = meter or Meter()
    outcome = _sample(task, stop, meter) if task.stage.name == "sample" else run_annealing(task, stop, meter)
    if len(task.target.nodes) > MANY_NODES:
        return_memory()
    return outcome


def _sample(task: ChainTask, stop: Signal | None, meter: Meter) -> Outcome:
    late = task.time_is_up
    chain, warmup = _begin(task)
    driver = Driver(chain, warmup, task.target, meter, task.store, stop)
    driver.follow(task.stage.warm_by)
    if warmup.over:
        driver.run(_jumps(task), task.stage.deadline)
        driver.first_event()
    state = task.store.save(chain, warmup)  # before collect, which also counts the current, unfinished visit
    sampled = warmup.over and chain.statistics().time.expected > 0
    result = collect(task, chain, warmup, driver.stopped) if sampled else None
    return Outcome(result, tuple(task.store.notes), state, late)


def _jumps(task: ChainTask) -> int:
    """The number of jumps after the warm-up."""
    settings = task.settings
    return settings.jumps if settings.minutes is None or settings.converge else UNLIMITED


def _begin(task: ChainTask) -> tuple[Chain, WarmUp]:
    """The chain and its warm-up: at the start, or as they were saved."""
    target, settings, plan, start = task.target, task.settings, task.stage.plan, task.start
    saved = task.store.load()
    fields: dict[str, Any] = {"first_score": start.score, "direction": start.direction}
    if plan is not None:
        fields["excursions"] = plan.core(target)
    if mixes(settings, target):
        fields["sqrt_weight"] = start.sqrt_weight
    with restoring(task.number):
        state = None if saved is None else saved.state()
        chain = make_chain(target, settings, start.graph, task.seed, state, start.cells, **fields)
    tuner = Tuner(task, _jumps(task))
    if saved is None:
        warmup = settings.warm_up(target)
        tuner.begin(chain, warmup.length)
        begin_sweeps(chain, len(target.nodes))
        if plan is not None and not start.continues:
            chain.anneal_order(POWERS.tolist(), plan.steps_of_walk(settings.planned_jumps(target)), WORSE)
    else:
        assert isinstance(saved.schedule, WarmUp)
        warmup = saved.schedule
    warmup.tuner = tuner
    return chain, warmup
