"""Stages: the annealing of the chains of a run, and the stretches of sampling after it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import CheckpointError, WorkerError
from causal_zigzag.sampler.annealing.schedule import is_polished
from causal_zigzag.sampler.chain_result import ChainResult, Outcome
from causal_zigzag.sampler.chain_task import Beginning, ChainTask, Stage, Start
from causal_zigzag.sampler.checkpoint.chain_files import ChainMemory
from causal_zigzag.sampler.excursions.plan import choose_plan
from causal_zigzag.sampler.parallel.run_chains import run_chains
from causal_zigzag.support import clock
from causal_zigzag.support.clock import NEVER, Moment
from causal_zigzag.support.interrupts import Interrupts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.sampler.chain_task import StageName
    from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles, SavedChain
    from causal_zigzag.sampler.checkpoint.checkpoint import Checkpoint
    from causal_zigzag.sampler.excursions.plan import ExcursionPlan
    from causal_zigzag.sampler.run import Run
    from causal_zigzag.sampler.settings import RunSettings
    from causal_zigzag.target.target import Target

# Of the time that a run has left when they begin; a run with enough time does not notice them.
ANNEALING_SHARE = 0.4
PLANNING_SHARE = 0.2
WARMUP_SHARE = 0.4

NEAR, FAR = 1.0, 10.0  # log weights below that of the best end of an annealing


class Stages:
    """Runs the stages of a run one after another; ``notes`` lists the problems that did not stop it.

    A stretch continues the chains where the previous one ended: from the files of the checkpoint, or from states that
    are kept in memory. Stretches with increasing ``jumps`` give the same result as one with the last number. All stages
    together end at the ``deadline``, with what they have by then. The ``interrupts``
    are entered by the caller for the whole run, so that a Ctrl-C between two stages is not lost.
    """

    def __init__(
        self, run: Run, executor: Any, checkpoint: Checkpoint | None, shown: bool, deadline: Moment = NEVER
    ) -> None:
        self.notes: list[str] = []
        self._warned: set[str] = set()  # problems that the user knows about already
        self.interrupts, self._ended = Interrupts(), False
        self._run, self._executor, self._checkpoint, self._shown = run, executor, checkpoint, shown
        self._stage = Stage("sample", run.target, run.settings, tuple(run.starts()), deadline=deadline)
        self._numbers: Sequence[int] = range(run.settings.chains)
        self._results: dict[int, ChainResult] = {}
        self._states: dict[int, SavedChain] = {}

    @property
    def interrupted(self) -> bool:
        """Whether the run has to end with what it has: after Ctrl-C, or after the loss of a worker."""
        return self._ended or self.interrupts.noted()

    def anneal(self) -> None:
        """Anneal the chains if the settings say so, and plan excursions from where they end.

        A checkpoint has the result, so that a run which is resumed does not depend on the clock once more.
        """
        if not self._run.settings.anneals(self._run.target):
            return
        kept = None if self._checkpoint is None else self._checkpoint.beginning()
        beginning = self._find_beginning() if kept is None else kept
        if beginning.plan is None:  # there may not have been time for one
            beginning = replace(beginning, plan=self._plan([beginning.starts[number] for number in beginning.numbers]))
        if self._checkpoint is not None and (kept is None or kept.plan is not beginning.plan):
            self._checkpoint.keep_beginning(beginning)
        self._numbers = beginning.numbers
        self._stage = replace(self._stage, starts=beginning.starts, plan=beginning.plan)

    def _find_beginning(self) -> Beginning:
        """With many nodes chains climb without being heated first, and are annealed only if that leads them apart."""
        target, settings = self._run.target, self._run.settings
        half = self._after(ANNEALING_SHARE / 2)
        climbs = is_polished(target) and settings.chains > 1
        found = self._annealed("climb" if climbs else "anneal")
        if climbs and not _agree(target, found):
            found = self._annealed("anneal") if clock.now() < half else _unheated(found)
        if found and is_polished(target):
            found = _without_far(target, found)
        starts = [found.get(number, start) for number, start in enumerate(self._stage.starts)]
        return Beginning(self._run.name, tuple(found), tuple(starts))

    def _plan(self, starts: Sequence[Start]) -> ExcursionPlan | None:
        return choose_plan(self._run.target, self._run.settings, starts, self._after(PLANNING_SHARE))

    def _annealed(self, name: StageName) -> dict[int, Start]:
        outcomes = self._run_chains(replace(self._stage, name=name, deadline=self._after(ANNEALING_SHARE)))
        if self.interrupted:
            raise self._nothing_sampled()
        return {number: one.result for number, one in outcomes.items() if isinstance(one.result, Start)}

    def follow(self, starts: Sequence[Start]) -> None:
        """Begin where other chains ended, with excursions planned from what they have seen."""
        plan = self._plan(starts) if all(start.annealed is not None for start in starts) else None
        self._stage = replace(self._stage, starts=tuple(starts), plan=plan)

    def sample(self, settings: RunSettings, label: str = "") -> tuple[ChainResult, ...]:
        """Run the chains to the end of a stretch with these settings, and return what they have accumulated in all.

        After Ctrl-C, or if a worker dies or the checkpoint is deleted, the results of the previous stretch stay.
        """
        self._stage = replace(self._stage, settings=settings, warm_by=self._after(WARMUP_SHARE))
        try:
            outcomes = self._run_chains(self._stage, label)
        except (KeyboardInterrupt, WorkerError, CheckpointError) as error:
            if not self._results:
                raise
            self._ended = True
            self.notes += [] if isinstance(error, KeyboardInterrupt) else [str(error)]
            return self._in_order()
        for number, outcome in outcomes.items():
            if isinstance(outcome.result, ChainResult):
                self._results[number] = outcome.result
            if outcome.state is not None:
                self._states[number] = outcome.state
        return self._in_order()

    def _in_order(self) -> tuple[ChainResult, ...]:
        return tuple(self._results[number] for number in sorted(self._results))

    def _after(self, share: float) -> Moment:
        """The time when this share of the time that is left will be over."""
        now = clock.now()
        return Moment(now + share * (self._stage.deadline - now))

    def _run_chains(self, stage: Stage, label: str = "") -> dict[int, Outcome]:
        """The outcomes of the chains that have a result; a KeyboardInterrupt if Ctrl-C was pressed before any had one.

        Chains that had to wait for a worker until the time was over are left out, unless all had.
        """
        tasks = self._tasks(stage)
        outcomes = run_chains(tasks, self._executor, self._shown, self.interrupts, self._warned, label)
        self.notes += [note for one in outcomes.values() for note in one.notes if note not in self._warned]
        found = {number: one for number, one in outcomes.items() if one.result is not None}
        if not found:
            raise self._nothing_sampled()
        return {number: one for number, one in found.items() if not one.late} or found

    def _nothing_sampled(self) -> KeyboardInterrupt:
        kept = "its state is in the checkpoint" if self._checkpoint is not None else "nothing is kept of it"
        lost = "" if self._executor is None else " or no worker returned what it had"
        return KeyboardInterrupt(f"the warm-up was not over{lost}, and {kept}")

    def _tasks(self, stage: Stage) -> list[ChainTask]:
        seeds = self._run.seeds(stage.name)
        return [ChainTask(number, stage, seeds[number], self._store(number, stage)) for number in self._numbers]

    def _store(self, number: int, stage: Stage) -> ChainFiles | ChainMemory:
        if self._checkpoint is not None:
            return self._checkpoint.chain_files(number, stage.name)
        keeps = stage.settings.converge and stage.name == "sample"
        return ChainMemory(keeps, self._states.get(number), until=stage.deadline)


def _depths(target: Target, found: dict[int, Start]) -> dict[int, float]:
    """How much lower the log weight of the end of each chain is than that of the best."""
    heights = {number: target.coldness * one.score + target.edge_prior.log_weight(one.graph.edge_count)
               for number, one in found.items()}  # fmt: skip
    return {number: max(heights.values()) - height for number, height in heights.items()}


def _agree(target: Target, found: dict[int, Start]) -> bool:
    """Whether chains that were not heated have found where the probability is, as far as they can say.

    Each must have made as many jumps as there are nodes, since greedy search alone leads all chains to the same class.
    All must be within what sampling can cross, and two of them at the best.
    """
    depths = sorted(_depths(target, found).values())
    went = all(one.jumps_in_all >= len(target.nodes) for one in found.values())
    return went and len(depths) > 1 and depths[1] < NEAR and depths[-1] < FAR


def _unheated(found: dict[int, Start]) -> dict[int, Start]:
    """The same ends, of chains that the clock kept from being heated."""
    return {n: replace(one, annealed=replace(one.annealed, reached=0.0)) for n, one in found.items() if one.annealed}


def _without_far(target: Target, found: dict[int, Start]) -> dict[int, Start]:
    """The ends of polished chains; those far below the best class are replaced by it, if two chains have found it.

    If one chain alone has found it, all ends stay: chains that disagree show that there may be more modes.
    """
    depths = _depths(target, found)
    best = min(depths, key=lambda number: depths[number])
    if sum(depth < NEAR for depth in depths.values()) < 2:
        return found
    far = [number for number, depth in depths.items() if depth > FAR]
    return {
        **found,
        **{number: replace(found[number], graph=found[best].graph, score=found[best].score) for number in far},
    }
