"""run_chains: runs all chains of a stage at once, shows their progress, and stops them on Ctrl-C."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import SamplingWarning, SettingsError
from causal_zigzag.sampler.parallel.dask_cluster import DaskWorkers, dask_executor, is_dask
from causal_zigzag.sampler.parallel.progress import ProgressBar, bar_of_chains, show_chains
from causal_zigzag.sampler.parallel.workers import SignalLostError, Threads, Workers
from causal_zigzag.support.user_warnings import warn_user

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from causal_zigzag.sampler.chain_result import Outcome
    from causal_zigzag.sampler.chain_task import ChainTask
    from causal_zigzag.support.interrupts import Interrupts

POLL_INTERVAL = 0.1  # seconds between two checks of the chains


def read_executor(executor: Any) -> Executor:
    """The executor that the user gave; for a client of Dask, the executor of the client."""
    executor = dask_executor(executor)
    if not isinstance(executor, Executor):
        raise SettingsError(
            f"executor must be None, a concurrent.futures.Executor or a distributed.Client, not {executor!r}"
        )
    return executor


def run_chains(
    tasks: Sequence[ChainTask],
    executor: Any,
    show_progress: bool,
    interrupts: Interrupts,
    warned: set[str],
    label: str = "",
) -> dict[int, Outcome]:
    """The outcomes of the chains by number.

    After Ctrl-C the chains return what they have accumulated, and some may be missing. Problems of chains in threads,
    such as a full disk, are warned about at once and added to ``warned``. The progress bar shows the ``label``.
    """
    chains = _choose_workers(tasks, executor)
    running: dict[Future[Outcome], int] = {}
    finished: dict[int, Outcome] = {}
    try:
        for at in range(len(tasks)):
            running[chains.submit(at)] = at
        bar = bar_of_chains(show_progress, tasks, label)
        _wait_for_chains(chains, running, finished, bar, interrupts, warned)
        if interrupts.noted():
            _stop(chains, running, chains.grace_period())
    finally:  # after an error as well, no chain keeps running
        _stop(chains, running, 0)
        chains.close()
    for outcome, at in running.items():  # those that were stopped; Ctrl-C breaks a pool of processes
        if outcome.done() and not outcome.cancelled() and outcome.exception() is None:
            finished[at] = outcome.result()
    return {tasks[at].number: finished[at] for at in sorted(finished)}


def _choose_workers(tasks: Sequence[ChainTask], executor: Any) -> Threads | Workers:
    """What runs the chains for this executor."""
    if executor is None or isinstance(executor, ThreadPoolExecutor):
        return Threads(tasks, executor)
    executor = read_executor(executor)
    return DaskWorkers(tasks, executor) if is_dask(executor) else Workers(tasks, executor)


def _stop(chains: Threads | Workers, running: dict[Future[Outcome], int], grace_period: float | None) -> None:
    """Signal the chains to stop, and wait for them for this number of seconds."""
    chains.stop()
    for outcome in running:
        if grace_period == 0 or not chains.discards_cancelled:  # else waiting chains start, see the signal and return
            outcome.cancel()
    wait(running, timeout=grace_period)


def _wait_for_chains(
    chains: Threads | Workers,
    running: dict[Future[Outcome], int],
    finished: dict[int, Outcome],
    bar: ProgressBar,
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
                at = running.pop(outcome)
                error = CancelledError() if outcome.cancelled() else outcome.exception()
                if error is None and outcome.result().stopped:
                    error = SignalLostError(
                        "the folder through which it reports was deleted, or its parent process ended"
                    )
                if error is not None:
                    running[chains.resubmit(at, error)] = at
                    continue
                finished[at] = outcome.result()
                result = finished[at].result
                if result is not None:  # the meter of a chain in a worker may lack the last jumps
                    chains.meters[at].jumps = result.jumps_in_all
            _warn(chains.tasks, warned, bar)
            show_chains(bar, chains.meters)
    finally:
        bar.close()


def _warn(tasks: Sequence[ChainTask], warned: set[str], bar: ProgressBar) -> None:
    """Warn about problems of chains in this process that are new, while there is time to remove their cause."""
    for note in [note for task in tasks for note in task.store.notes]:
        if note not in warned:
            warned.add(note)
            bar.clear()
            warn_user(note, SamplingWarning)
