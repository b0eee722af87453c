"""Many chains at once: in threads of this process or through any executor, watched, and stopped on Ctrl-C."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, CancelledError, wait
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.parallel.workers import Outcome, Threads, Workers, crew
from causal_zigzag.support.interrupts import Interrupts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.sampler.chain_result import ChainOutcome, ChainResult
    from causal_zigzag.sampler.chain_task import ChainTask, Meter

GLANCE = 0.1  # seconds between two looks at the chains


def run_chains(
    tasks: Sequence[ChainTask], executor: Any, show_progress: bool
) -> tuple[tuple[ChainResult, ...], tuple[str, ...], bool]:
    """The results of the chains in their order, what went wrong and was overcome, and whether they were interrupted.

    After Ctrl-C the chains hand in what they have; those still in their warm-up have nothing, and if that is all of
    them a KeyboardInterrupt is raised.
    """
    with Interrupts() as interrupts:
        outcomes = _run(tasks, executor, show_progress, interrupts)
    results = tuple(outcome.result for outcome in outcomes if outcome.result is not None)
    if interrupts.noted() and not results:
        kept = "its state is in the checkpoint" if tasks[0].files is not None else "nothing is kept of it"
        raise KeyboardInterrupt(f"the warm-up was not over, and {kept}")
    if not results:
        asked = tasks[0].settings
        length = "" if asked.warmup is None else f" of {asked.warmup:,} jumps"
        raise SettingsError(
            f"minutes={asked.minutes:g} were over before the end of the warm-up{length}; give it more minutes or a "
            f"shorter warmup"
        )
    notes = [note for outcome in outcomes for note in outcome.notes]
    if len(results) < len(tasks) and not interrupts.noted():
        notes.append(
            f"{len(results)} of {len(tasks)} chains had time to end their warm-up, and the others are missing; give it "
            f"more minutes, or an executor with a worker for each chain"
        )
    return results, tuple(notes), interrupts.noted()


def _run(
    tasks: Sequence[ChainTask], executor: Any, show_progress: bool, interrupts: Interrupts
) -> tuple[ChainOutcome, ...]:
    chains = crew(tasks, executor)
    running: dict[Outcome, int] = {}
    finished: dict[int, ChainOutcome] = {}
    try:
        for number in range(len(tasks)):
            running[chains.submit(number)] = number
        _watch(chains, running, finished, show_progress, interrupts)
        if interrupts.noted():
            _call_in(chains, running, chains.patience())
    finally:  # on an error too, no chain goes on
        _call_in(chains, running, 0)
        chains.close()
    for outcome, number in running.items():  # those that were called in; Ctrl-C breaks a pool of processes
        if outcome.done() and not outcome.cancelled() and outcome.exception() is None:
            finished[number] = outcome.result()
    return tuple(finished[number] for number in sorted(finished))


def _call_in(chains: Threads | Workers, running: dict[Outcome, int], patience: float | None) -> None:
    chains.stop()
    for outcome in running:
        if patience == 0 or not chains.drops_cancelled:  # else those that wait begin, and see that they are to stop
            outcome.cancel()
    wait(running, timeout=patience)


def _watch(
    chains: Threads | Workers,
    running: dict[Outcome, int],
    finished: dict[int, ChainOutcome],
    show_progress: bool,
    interrupts: Interrupts,
) -> None:
    """Wait for the chains, or for Ctrl-C; an error of a chain is raised at once."""
    bar = _bar(chains.tasks) if show_progress else None
    try:
        while running and not interrupts.noted():
            done, _ = wait(running, timeout=GLANCE, return_when=FIRST_COMPLETED)
            chains.look()
            for outcome in done:
                if interrupts.noted():
                    break  # Ctrl-C reaches the workers of a pool as well, and breaks it
                number = running.pop(outcome)
                error = CancelledError() if outcome.cancelled() else outcome.exception()
                if error is not None:
                    running[chains.go_on(number, error)] = number
                    continue
                finished[number] = outcome.result()
                _show_end(chains.meters[number], finished[number].result)
            if bar is not None:
                bar.n = sum(meter.jumps for meter in chains.meters)
                if bar.total is not None:
                    bar.total = max(bar.total, bar.n)  # a warm-up may turn out longer
                shown = max(chains.meters, key=lambda meter: meter.score)
                bar.set_postfix_str(f"edges {shown.edges}, score {shown.score:+.1f}")
    finally:
        if bar is not None:
            bar.close()


def _show_end(meter: Meter, result: ChainResult | None) -> None:
    """A chain may have run where its meter could not be read, or was not read again."""
    if result is not None:
        meter.jumps = result.statistics.warmup + result.statistics.jumps


def _bar(tasks: Sequence[ChainTask]):  # type: ignore[no-untyped-def]
    from tqdm import tqdm

    timed = tasks[0].deadline is not None
    asked = tasks[0].settings
    total = None if timed else len(tasks) * (asked.planned_warmup + asked.jumps)
    return tqdm(total=total, unit=" jumps", unit_scale=True, desc=f"{len(tasks)} chains")
