"""run_chain: runs one stage of a chain: its annealing, or its warm-up and the jumps that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.sampler.annealing.annealed_chain import AnnealingOutcome, run_annealing
from causal_zigzag.sampler.chain_result import ChainOutcome, collect
from causal_zigzag.sampler.chain_runner import ChainRunner, continued
from causal_zigzag.sampler.chain_task import UNLIMITED, ChainTask, Meter, Signal
from causal_zigzag.sampler.checkpoint.saved_chain import SavedChain
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.excursions.plan import POWERS, WORSE
from causal_zigzag.sampler.tempering.tempered_chain import run_tempered_chain
from causal_zigzag.sampler.warmup import WarmUp

if TYPE_CHECKING:
    from causal_zigzag._core import Chain


def run_chain(
    task: ChainTask, stop: Signal | None = None, meter: Meter | None = None
) -> ChainOutcome | AnnealingOutcome:
    """Run a chain from its start, or from its last checkpoint, to its end or until ``stop`` is set.

    The result is None if it stopped before anything was accumulated. Ctrl-C in a worker process raises a
    KeyboardInterrupt here and also stops the chain.
    """
    meter = meter or Meter()
    if task.shared.stage == "anneal":
        return run_annealing(task, stop, meter)
    if task.settings.tempering is not None:
        return run_tempered_chain(task, stop, meter)
    return _sample(task, stop, meter)


def _sample(task: ChainTask, stop: Signal | None, meter: Meter) -> ChainOutcome:
    files, plan = task.files, task.shared.plan
    saved = files.load() if files is not None else task.saved
    chain, warmup = _begin(task, saved)
    runner = ChainRunner(chain, warmup, task, stop, meter)
    jumps = _jumps(task)
    while not warmup.over and runner.run(warmup.length):
        if plan is not None and warmup.excursion is not None:
            warmup.excursion = plan.tuned(warmup.excursion, chain)
        warmup.finish_block(chain)
        if plan is not None and warmup.excursion is not None:
            chain.set_excursions(plan.arguments(task.target, warmup.excursion, warmup.length or jumps))
    if warmup.over:
        runner.run(jumps)
    runner.check_density()
    if files is not None:
        files.save(chain, warmup)  # before collect, which also counts the current, unfinished visit
    kept = SavedChain.of(chain, task.number, warmup) if task.continues else None
    notes = tuple(files.notes) if files is not None else ()
    if not warmup.over or not chain.statistics().time.expected > 0:
        return ChainOutcome(None, notes, kept)
    return ChainOutcome(collect(task, chain, warmup, runner.stopped), notes, kept)


def _jumps(task: ChainTask) -> int:
    """The number of jumps after the warm-up."""
    settings = task.settings
    return settings.jumps if settings.minutes is None or settings.converge else UNLIMITED


def _begin(task: ChainTask, saved: SavedChain | None) -> tuple[Chain, WarmUp]:
    """The chain and its warm-up: at the start, or as they were saved."""
    target, settings, plan = task.target, task.settings, task.shared.plan
    if saved is None:
        warmup = settings.warm_up(target)
        if plan is not None:
            warmup.excursion = plan.first_setting(task.start.log2_pace)
    else:
        assert isinstance(saved.warmup, WarmUp)
        warmup = saved.warmup
    excursions = None
    if plan is not None and warmup.excursion is not None:
        excursions = plan.arguments(target, warmup.excursion, warmup.length or _jumps(task))
    chain = continued(
        task.number,
        lambda: make_chain(
            target,
            settings,
            task.start.graph,
            task.seed,
            first_score=task.start.score,
            excursions=excursions,
            saved=None if saved is None else saved.state(),
        ),
    )
    if saved is None and plan is not None and not task.start.continues:
        chain.anneal_order(POWERS.tolist(), plan.steps_of_walk(settings.planned_jumps(target)), WORSE)
    return chain, warmup
