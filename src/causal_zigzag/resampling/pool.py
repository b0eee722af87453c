"""Pool: runs resamples in threads, or in the workers of an executor, as many at a time as there are workers.

Resamples are short and independent, so on Ctrl-C those that have not begun are left out; threads are told to stop, and
workers, which cannot be told, have a moment to finish. A resample whose worker is lost is run again.
"""

from __future__ import annotations

import math
import threading
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import WorkerError
from causal_zigzag.resampling.chains import run_resample
from causal_zigzag.sampler.parallel.dask_cluster import is_dask
from causal_zigzag.sampler.parallel.run_chains import POLL_INTERVAL, read_executor
from causal_zigzag.sampler.parallel.workers import ATTEMPTS, GRACE_PERIOD_UNSIGNALLED, cores
from causal_zigzag.support import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from causal_zigzag.resampling.chains import Resample, ResampleTask
    from causal_zigzag.resampling.kept_resamples import KeptResamples
    from causal_zigzag.support.interrupts import Interrupts

AHEAD = 2  # resamples that wait for each worker
UNKNOWN_WORKERS = 32  # assumed for an executor that does not say how many it has


class Pool:
    """The workers of a call of ``resample``; a context manager, as threads of its own end with it.

    No resample begins after the ``deadline``. ``failure`` is the loss of a worker after which no others remain, if
    there was one.
    """

    def __init__(
        self, executor: Any, interrupts: Interrupts, kept: KeptResamples | None = None, deadline: float = math.inf
    ) -> None:
        own = executor is None
        self._executor: Executor = (
            ThreadPoolExecutor(cores(), thread_name_prefix="causal-zigzag") if own else read_executor(executor)
        )
        self._own, self._interrupts, self._kept, self._deadline = own, interrupts, kept, deadline
        self.failure: WorkerError | None = None
        self._stop = threading.Event() if isinstance(self._executor, ThreadPoolExecutor) else None
        self._most = AHEAD * int(getattr(self._executor, "_max_workers", None) or UNKNOWN_WORKERS)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        if self._stop is not None:
            self._stop.set()
        if self._own:
            self._executor.shutdown(wait=True)

    def run(
        self, numbers: Sequence[int], make: Callable[[int], ResampleTask], show: Callable[[int], None], before: int
    ) -> dict[int, tuple[ResampleTask, Resample]]:
        """The resamples that have a result, by number, with their tasks, which are made when a worker is free.

        ``show`` is called with their number after each of them, which includes those ``before``.
        """
        todo: Iterator[int] = iter(numbers)
        running: dict[Future[Resample | None], ResampleTask] = {}
        found: dict[int, tuple[ResampleTask, Resample]] = {}
        attempts: dict[int, int] = {}
        try:
            while not self._interrupts.noted() and self._has_workers():
                while self._can_begin(len(running)) and (number := next(todo, None)) is not None:
                    task = make(number)
                    before_now = None if self._kept is None else self._kept.load(task)
                    if before_now is None:
                        self._submit(task, running)
                    else:
                        found[number] = (task, before_now)
                if not running:
                    break
                for future in wait(running, timeout=POLL_INTERVAL, return_when=FIRST_COMPLETED).done:
                    task = running.pop(future)
                    error = CancelledError() if future.cancelled() else future.exception()
                    if error is None:
                        self._keep(future, task, found)
                        show(before + len(found))
                    elif self._interrupts.noted():
                        break
                    elif _is_loss(error) and attempts.get(task.number, 0) < ATTEMPTS:
                        attempts[task.number] = attempts.get(task.number, 0) + 1
                        self._submit(task, running)
                    elif _is_loss(error) or isinstance(error, BrokenExecutor):
                        self.failure = _died(task, error)
                        break
                    else:
                        raise error
        finally:
            self._end(running, found)
        return found

    def _has_workers(self) -> bool:
        return self.failure is None

    def _can_begin(self, running: int) -> bool:
        return self._has_workers() and running < self._most and clock.now() < self._deadline

    def _submit(self, task: ResampleTask, running: dict[Future[Resample | None], ResampleTask]) -> None:
        try:
            future = self._executor.submit(run_resample, task, self._stop)
        except BrokenExecutor as error:
            self.failure = _died(task, error)
            return
        running[future] = task

    def _keep(
        self, future: Future[Resample | None], task: ResampleTask, found: dict[int, tuple[ResampleTask, Resample]]
    ) -> None:
        result = future.result()
        if result is not None:
            found[task.number] = (task, result)
            if self._kept is not None and not self._interrupts.noted() and clock.now() < task.deadline:
                self._kept.save(task, result)

    def _end(
        self,
        running: dict[Future[Resample | None], ResampleTask],
        found: dict[int, tuple[ResampleTask, Resample]],
    ) -> None:
        """Leave no resample behind that runs."""
        if not running:
            return
        if self._stop is not None:
            self._stop.set()
        for future in running:
            future.cancel()
        wait(running, timeout=None if self._stop is not None else GRACE_PERIOD_UNSIGNALLED)
        for future, task in running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._keep(future, task, found)


def _is_loss(error: BaseException) -> bool:
    """Whether a worker was lost, after which others remain."""
    return isinstance(error, CancelledError) or is_dask(error)


def _died(task: ResampleTask, error: BaseException) -> WorkerError:
    reason = str(error) or type(error).__name__
    return WorkerError(f"the worker of resample {task.number} died ({reason.splitlines()[0]}); resample again")
