"""Many chains at once: in threads of this process or through any executor, watched, and stopped on Ctrl-C."""

from __future__ import annotations

import os
import threading
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from causal_zigzag.chains import ChainOutcome, ChainResult, ChainTask, Meter, run_chain
from causal_zigzag.errors import SettingsError
from causal_zigzag.interrupts import Interrupts

if TYPE_CHECKING:
    from collections.abc import Sequence

GLANCE = 0.1  # seconds between two looks at the chains
LAST_CALL = 1.0  # seconds that chains in other processes, if Ctrl-C reached them, have to hand in what they have

Outcome = Future[ChainOutcome]


def run_chains(
    tasks: Sequence[ChainTask], executor: Executor | None, show_progress: bool
) -> tuple[tuple[ChainResult, ...], tuple[str, ...], bool]:
    """The results of the chains in their order, what went wrong and was overcome, and whether they were interrupted.

    Threads suffice, since the core runs without Python's global lock. After Ctrl-C the chains hand in what they have;
    those still in their warm-up have nothing, and if that is all of them a KeyboardInterrupt is raised.
    """
    with Interrupts() as interrupts:
        outcomes = _run(tasks, executor, show_progress, interrupts)
    results = tuple(outcome.result for outcome in outcomes if outcome.result is not None)
    if interrupts.noted() and not results:
        raise KeyboardInterrupt
    if not results:
        asked = tasks[0].settings
        length = "" if asked.warmup is None else f" of {asked.warmup:,} jumps"
        raise SettingsError(
            f"minutes={asked.minutes:g} were over before the end of the warm-up{length}; give it more minutes or a "
            f"shorter warmup"
        )
    return results, tuple(note for outcome in outcomes for note in outcome.notes), interrupts.noted()


def _run(
    tasks: Sequence[ChainTask], executor: Executor | None, show_progress: bool, interrupts: Interrupts
) -> tuple[ChainOutcome, ...]:
    timed = any(task.deadline is not None for task in tasks)  # then all chains share the time, else they take turns
    threads = len(tasks) if timed else min(len(tasks), cores())
    pool = executor or ThreadPoolExecutor(threads, thread_name_prefix="causal-zigzag")
    in_threads = isinstance(pool, ThreadPoolExecutor)
    stop, meters = threading.Event(), [Meter() for _ in tasks]
    outcomes: list[Outcome] = []
    try:
        for task, meter in zip(tasks, meters, strict=True):
            outcomes.append(pool.submit(run_chain, task, *((stop, meter) if in_threads else ())))
        _watch(outcomes, tasks, meters, show_progress, interrupts)
        if interrupts.noted():
            _call_in(outcomes, stop, None if in_threads else LAST_CALL)
    finally:  # on an error too, no chain goes on
        _call_in(outcomes, stop, 0)
        if executor is None:
            pool.shutdown(wait=True)
    finished = [f for f in outcomes if f.done() and not f.cancelled()]
    if interrupts.noted():  # Ctrl-C breaks a pool of processes; what they had handed in counts
        finished = [f for f in finished if f.exception() is None]
    return tuple(f.result() for f in finished)


def cores() -> int:
    """The number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # on Linux
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _call_in(outcomes: list[Outcome], stop: threading.Event, patience: float | None) -> None:
    stop.set()
    for outcome in outcomes:
        outcome.cancel()
    wait(outcomes, timeout=patience)


def _watch(
    outcomes: list[Outcome],
    tasks: Sequence[ChainTask],
    meters: list[Meter],
    show_progress: bool,
    interrupts: Interrupts,
) -> None:
    """Wait for the chains, or for Ctrl-C; an error of a chain is raised at once."""
    pending = set(outcomes)
    bar = _bar(tasks) if show_progress else None
    try:
        while pending and not interrupts.noted():
            done, pending = wait(pending, timeout=GLANCE, return_when=FIRST_COMPLETED)
            for outcome in done:
                if interrupts.noted() and outcome.exception() is not None:
                    continue  # Ctrl-C reaches the workers of a pool as well, and breaks it
                result = outcome.result().result
                meter = meters[outcomes.index(outcome)]
                if result is not None and not meter.jumps:  # it ran where its meter could not be read
                    meter.jumps = result.statistics.warmup + result.statistics.jumps
            if bar is not None:
                bar.n = sum(meter.jumps for meter in meters)
                if bar.total is not None:
                    bar.total = max(bar.total, bar.n)  # a warm-up may turn out longer
                shown = max(meters, key=lambda meter: meter.score)
                bar.set_postfix_str(f"edges {shown.edges}, score {shown.score:+.1f}")
    finally:
        if bar is not None:
            bar.close()


def _bar(tasks: Sequence[ChainTask]):  # type: ignore[no-untyped-def]
    from tqdm import tqdm

    timed = tasks[0].deadline is not None
    asked = tasks[0].settings
    total = None if timed else len(tasks) * (asked.planned_warmup + asked.jumps)
    return tqdm(total=total, unit=" jumps", unit_scale=True, desc=f"{len(tasks)} chains")
