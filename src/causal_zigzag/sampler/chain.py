"""run_chain: runs one stage of a chain: its annealing, or its warm-up and the jumps that count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causal_zigzag._core import return_memory
from causal_zigzag.sampler.annealing.annealed_chain import run_annealing
from causal_zigzag.sampler.augmented_chain import begin_sweeps
from causal_zigzag.sampler.balance import SQRT_ALONE, mixes, tune
from causal_zigzag.sampler.chain_result import Outcome, collect
from causal_zigzag.sampler.chain_runner import ChainRunner
from causal_zigzag.sampler.chain_task import UNLIMITED, ChainTask, Meter, Signal
from causal_zigzag.sampler.checkpoint.chain_files import restoring
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.excursions.plan import POWERS, WORSE
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
    late, plan, stage, start, jumps = task.time_is_up, task.stage.plan, task.stage, task.start, _jumps(task)
    chain, warmup = _begin(task)
    runner = ChainRunner(chain, warmup, task, stop, meter)
    while not warmup.over:
        finished = runner.run(warmup.length, stage.warm_by)
        if runner.stopped:
            break
        faster = 0.0
        # a chain that was not annealed may still climb
        settled = start.sqrt_weight < SQRT_ALONE or warmup.calm > 0 or task.settings.warmup is not None
        if warmup.sqrt_weight is not None and settled:
            warmup.sqrt_weight, faster = tune(chain, warmup.sqrt_weight, len(task.target.nodes))
        if plan is not None:  # that of a resumed run may be its first
            setting = warmup.excursion or plan.first_setting(start.log2_pace)
            warmup.excursion = plan.tuned(setting, chain, faster)
        warmup.finish_block(chain, cut=not finished)
        if plan is not None and warmup.excursion is not None:  # for the types: it was set above
            chain.set_excursions(plan.arguments(task.target, warmup.excursion, warmup.length or jumps))
    if warmup.over:
        runner.run(jumps, stage.deadline)
        runner.first_event()
    state = task.store.save(chain, warmup)  # before collect, which also counts the current, unfinished visit
    sampled = warmup.over and chain.statistics().time.expected > 0
    result = collect(task, chain, warmup, runner.stopped) if sampled else None
    return Outcome(result, tuple(task.store.notes), state, late)


def _jumps(task: ChainTask) -> int:
    """The number of jumps after the warm-up."""
    settings = task.settings
    return settings.jumps if settings.minutes is None or settings.converge else UNLIMITED


def _begin(task: ChainTask) -> tuple[Chain, WarmUp]:
    """The chain and its warm-up: at the start, or as they were saved."""
    target, settings, plan, start = task.target, task.settings, task.stage.plan, task.start
    saved = task.store.load()
    if saved is None:
        warmup = settings.warm_up(target)
        if mixes(settings, target):
            warmup.sqrt_weight = start.sqrt_weight
        if plan is not None:
            warmup.excursion = plan.first_setting(start.log2_pace)
    else:
        assert isinstance(saved.warmup, WarmUp)
        warmup = saved.warmup
    fields: dict[str, Any] = {"first_score": start.score, "direction": start.direction}
    if plan is not None and warmup.excursion is not None:
        fields["excursions"] = plan.arguments(target, warmup.excursion, warmup.length or _jumps(task))
    if warmup.sqrt_weight is not None:
        fields["sqrt_weight"] = warmup.sqrt_weight
    with restoring(task.number):
        state = None if saved is None else saved.state()
        chain = make_chain(target, settings, start.graph, task.seed, state, start.cells, **fields)
    if saved is None:
        begin_sweeps(chain, len(target.nodes))
    if saved is None and plan is not None and not start.continues:
        chain.anneal_order(POWERS.tolist(), plan.steps_of_walk(settings.planned_jumps(target)), WORSE)
    return chain, warmup
