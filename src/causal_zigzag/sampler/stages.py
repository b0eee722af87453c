"""Stages: the annealing of the chains of a run, and the stretches of sampling after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import WorkerError
from causal_zigzag.sampler.chain_task import ChainTask, SharedInput, Start
from causal_zigzag.sampler.excursions.plan import choose_plan
from causal_zigzag.sampler.parallel.run_chains import anneal_chains, run_chains
from causal_zigzag.sampler.tempering.annealed_ladder import SHORTEST, annealed_ladder
from causal_zigzag.sampler.tempering.ladder import first_ladder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.sampler.chain_result import ChainResult
    from causal_zigzag.sampler.checkpoint.checkpoint import Checkpoint
    from causal_zigzag.sampler.checkpoint.run_file import Run
    from causal_zigzag.sampler.checkpoint.saved_chain import SavedChain
    from causal_zigzag.sampler.excursions.plan import Seen
    from causal_zigzag.sampler.settings import Settings


class Stages:
    """Runs the stages of a run one after another; ``notes`` lists the problems that did not stop it.

    A stretch continues the chains where the previous one ended: from the files of the checkpoint, or from states that
    are kept in memory. Stretches with increasing ``jumps`` give the same result as one with the last number.
    """

    def __init__(self, run: Run, executor: Any, checkpoint: Checkpoint | None, shown: bool) -> None:
        self.notes: list[str] = []
        self._warned: set[str] = set()  # problems that the user knows about already
        self.interrupted = False
        self._run, self._executor, self._checkpoint, self._shown = run, executor, checkpoint, shown
        self._shared = SharedInput(run.target, run.settings, "sample", None, tuple(run.starts()), SHORTEST)
        self._results: dict[int, ChainResult] = {}
        self._states: dict[int, SavedChain] = {}

    def anneal(self, deadline: float | None) -> None:
        """Anneal the chains if the settings say so, and plan excursions and tempering from where they end."""
        target, settings = self._run.target, self._run.settings
        if not settings.anneals(target):
            return
        hot = self._shared._replace(stage="anneal")
        annealed, notes = anneal_chains(self._tasks(hot, deadline), self._executor, self._shown, self._warned)
        self.notes += notes
        starts = tuple(Start(a.graph, a.score, a.statistics, a.log2_pace) for a in annealed)
        ladder = annealed_ladder(target, annealed)
        rungs = 1 if settings.tempering is None else len(first_ladder(settings.tempering, ladder))
        plan = choose_plan(target, settings, annealed, rungs)
        self._shared = self._shared._replace(starts=starts, ladder=ladder, plan=plan)

    def follow(self, starts: Sequence[Start], seen: Sequence[Seen], ladder: tuple[float, ...]) -> None:
        """Begin where other chains ended, with excursions planned from what they have seen."""
        rungs = max(1, len(ladder))
        plan = None
        if all(start.annealed is not None for start in starts):
            plan = choose_plan(self._run.target, self._run.settings, seen, rungs)
        self._shared = self._shared._replace(starts=tuple(starts), ladder=ladder, plan=plan)

    def sample(self, settings: Settings, deadline: float | None, label: str = "") -> tuple[ChainResult, ...]:
        """Run the chains to the end of a stretch with these settings, and return what they have accumulated in all.

        After Ctrl-C, or if a worker dies, the results of the previous stretch stay.
        """
        self._shared = self._shared._replace(settings=settings)
        try:
            outcomes, notes, self.interrupted = run_chains(
                self._tasks(self._shared, deadline), self._executor, self._shown, self._warned, label
            )
        except (KeyboardInterrupt, WorkerError) as error:
            if not self._results:
                raise
            self.interrupted = True
            self.notes += [str(error)] if isinstance(error, WorkerError) else []
            return self._in_order()
        self.notes += notes
        for number, outcome in outcomes.items():
            if outcome.result is not None:
                self._results[number] = outcome.result
            if outcome.state is not None:
                self._states[number] = outcome.state
        return self._in_order()

    def _in_order(self) -> tuple[ChainResult, ...]:
        return tuple(self._results[number] for number in sorted(self._results))

    def _tasks(self, shared: SharedInput, deadline: float | None) -> list[ChainTask]:
        kept = self._checkpoint
        return [
            ChainTask(
                number,
                shared,
                seed,
                kept.chain_files(number, shared.stage) if kept is not None else None,
                deadline,
                self._states.get(number),
            )
            for number, seed in enumerate(self._run.seeds(shared.stage))
        ]
