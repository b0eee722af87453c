"""run_chains: runs all chains of a run at once, shows their progress, and stops them on Ctrl-C."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, CancelledError, wait
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import SamplingWarning, SettingsError
from causal_zigzag.sampler.annealing.annealed_chain import AnnealedChain, AnnealingOutcome
from causal_zigzag.sampler.chain_result import ChainOutcome, ChainResult
from causal_zigzag.sampler.parallel.progress import ProgressBar
from causal_zigzag.sampler.parallel.workers import Outcome, Threads, Workers, choose_workers
from causal_zigzag.support.interrupts import Interrupts
from causal_zigzag.support.user_warnings import warn_user

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.sampler.chain_task import ChainTask, Meter

POLL_INTERVAL = 0.1  # seconds between two checks of the chains


def anneal_chains(
    tasks: Sequence[ChainTask], executor: Any, show_progress: bool, warned: set[str]
) -> tuple[tuple[AnnealedChain, ...], tuple[str, ...]]:
    """The annealed chains in their order, and the problems that did not stop them; all of them, or an error.

    Problems of chains in threads, such as a full disk, are warned about at once and added to ``warned``. Those in it
    are not returned.
    """
    with Interrupts() as interrupts:
        outcomes = _run(tasks, executor, show_progress, interrupts, warned)
    annealed = tuple(found.result for found in outcomes.values() if isinstance(found.result, AnnealedChain))
    if len(annealed) < len(tasks):
        raise _nothing_sampled(tasks[0], interrupts)
    return annealed, tuple(note for found in outcomes.values() for note in found.notes if note not in warned)


def run_chains(
    tasks: Sequence[ChainTask], executor: Any, show_progress: bool, warned: set[str], label: str = ""
) -> tuple[dict[int, ChainOutcome], tuple[str, ...], bool]:
    """The outcomes of the chains by number, the problems that did not stop them, and whether Ctrl-C was pressed.

    After Ctrl-C the chains return what they have accumulated. Those still in their warm-up have nothing; if all of them
    are, a KeyboardInterrupt is raised. The progress bar shows the ``label``; ``warned`` is that of ``anneal_chains``.
    """
    with Interrupts() as interrupts:
        outcomes = _run(tasks, executor, show_progress, interrupts, warned, label)
    sampled = {number: found for number, found in outcomes.items() if isinstance(found, ChainOutcome)}
    finished = sum(found.result is not None for found in sampled.values())
    if not finished:
        raise _nothing_sampled(tasks[0], interrupts)
    notes = [note for outcome in sampled.values() for note in outcome.notes if note not in warned]
    if finished < len(tasks) and not interrupts.noted():
        notes.append(
            f"{finished} of {len(tasks)} chains had time to end their warm-up, and the others are missing; give it "
            f"more minutes, or an executor with a worker for each chain"
        )
    return sampled, tuple(notes), interrupts.noted()


def _nothing_sampled(task: ChainTask, interrupts: Interrupts) -> BaseException:
    """The error if no chain has reached the end of its warm-up."""
    if interrupts.noted():
        kept = "its state is in the checkpoint" if task.files is not None else "nothing is kept of it"
        return KeyboardInterrupt(f"the warm-up was not over, and {kept}")
    length = "" if task.settings.warmup is None else f" of {task.settings.warmup:,} jumps"
    return SettingsError(
        f"minutes={task.settings.minutes:g} were over before the end of the warm-up{length}; give it more minutes or a "
        f"shorter warmup"
    )


def _run(
    tasks: Sequence[ChainTask],
    executor: Any,
    show_progress: bool,
    interrupts: Interrupts,
    warned: set[str],
    label: str = "",
) -> dict[int, ChainOutcome | AnnealingOutcome]:
    """The outcomes of the chains by number; the problems that users have been warned about are added to ``warned``."""
    chains = choose_workers(tasks, executor)
    running: dict[Outcome, int] = {}
    finished: dict[int, ChainOutcome | AnnealingOutcome] = {}
    try:
        for number in range(len(tasks)):
            running[chains.submit(number)] = number
        bar = ProgressBar(tasks, label) if show_progress else None
        _wait_for_chains(chains, running, finished, bar, interrupts, warned)
        if interrupts.noted():
            _stop(chains, running, chains.grace_period())
    finally:  # after an error as well, no chain keeps running
        _stop(chains, running, 0)
        chains.close()
    for outcome, number in running.items():  # those that were stopped; Ctrl-C breaks a pool of processes
        if outcome.done() and not outcome.cancelled() and outcome.exception() is None:
            finished[number] = outcome.result()
    return dict(sorted(finished.items()))


def _stop(chains: Threads | Workers, running: dict[Outcome, int], grace_period: float | None) -> None:
    """Signal the chains to stop, and wait for them for this number of seconds."""
    chains.stop()
    for outcome in running:
        if grace_period == 0 or not chains.discards_cancelled:  # else waiting chains start, see the signal and return
            outcome.cancel()
    wait(running, timeout=grace_period)


def _wait_for_chains(
    chains: Threads | Workers,
    running: dict[Outcome, int],
    finished: dict[int, ChainOutcome | AnnealingOutcome],
    bar: ProgressBar | None,
    interrupts: Interrupts,
    warned: set[str],
) -> None:
    """Wait for all chains or for Ctrl-C; the first error of a chain is raised immediately."""
    try:
        while running and not interrupts.noted():
            done, _ = wait(running, timeout=POLL_INTERVAL, return_when=FIRST_COMPLETED)
            chains.update_meters()
            for outcome in done:
                if interrupts.noted():
                    break  # Ctrl-C also reaches the workers of a pool and breaks it
                number = running.pop(outcome)
                error = CancelledError() if outcome.cancelled() else outcome.exception()
                if error is not None:
                    running[chains.resubmit(number, error)] = number
                    continue
                finished[number] = outcome.result()
                _show_final(chains.meters[number], finished[number].result)
            _warn(chains.tasks, warned, bar)
            if bar is not None:
                bar.show(chains.meters)
    finally:
        if bar is not None:
            bar.close()


def _warn(tasks: Sequence[ChainTask], warned: set[str], bar: ProgressBar | None) -> None:
    """Warn about problems of chains in this process that are new, while there is time to remove their cause."""
    for note in [note for task in tasks if task.files is not None for note in task.files.notes]:
        if note not in warned:
            warned.add(note)
            if bar is not None:
                bar.clear()
            warn_user(note, SamplingWarning)


def _show_final(meter: Meter, result: ChainResult | AnnealedChain | None) -> None:
    """Show the final number of jumps, which the meter of a chain in a worker may lack."""
    if isinstance(result, AnnealedChain):
        meter.jumps = result.statistics.jumps
    elif result is not None:
        meter.jumps = result.statistics.warmup + result.statistics.jumps
