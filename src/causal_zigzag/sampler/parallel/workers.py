"""Threads and Workers: run chains in threads of this process, or in the processes of an executor."""

from __future__ import annotations

import os
import threading
import warnings
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import SettingsError, WorkerError
from causal_zigzag.sampler.annealing.annealed_chain import AnnealingOutcome
from causal_zigzag.sampler.chain import run_chain
from causal_zigzag.sampler.chain_result import ChainOutcome
from causal_zigzag.sampler.chain_task import ChainTask, Meter, SharedInput
from causal_zigzag.sampler.parallel.shared_folder import SharedFolder, WorkerMeter

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles
    from causal_zigzag.sampler.checkpoint.saved_chain import SavedChain

GRACE_PERIOD = 10.0  # seconds that workers have to return their results after they were signalled to stop
GRACE_PERIOD_UNSIGNALLED = 1.0  # the same for workers that cannot be signalled; Ctrl-C may have reached them directly
ATTEMPTS = 3  # to run a chain whose worker dies

Outcome = Future[ChainOutcome | AnnealingOutcome]


class Threads:
    """Runs chains in threads; the core releases Python's global lock."""

    discards_cancelled = False

    def __init__(self, tasks: Sequence[ChainTask], pool: ThreadPoolExecutor | None) -> None:
        self.tasks, self.meters = tasks, [Meter() for _ in tasks]
        timed = tasks[0].deadline is not None  # then all chains run at once, else as many as there are processors
        threads = len(tasks) if timed else min(len(tasks), cores())
        self._own = pool is None
        self._pool = pool or ThreadPoolExecutor(threads, thread_name_prefix="causal-zigzag")
        self._stop = threading.Event()

    def submit(self, number: int) -> Outcome:
        """Start a chain."""
        return self._pool.submit(run_chain, self.tasks[number], self._stop, self.meters[number])

    def update_meters(self) -> None:
        """The chains themselves update the meters."""

    def resubmit(self, number: int, error: BaseException) -> Outcome:  # noqa: ARG002 - the interface of Workers
        """Raises the error: a thread cannot be lost."""
        raise error

    def stop(self) -> None:
        """Signal all chains to stop."""
        self._stop.set()

    def grace_period(self) -> float | None:
        """Seconds to wait for chains that were signalled to stop; None: without a limit."""
        return None

    def close(self) -> None:
        """Wait for the threads."""
        if self._own:
            self._pool.shutdown(wait=True)


class Workers:
    """Runs chains in the processes of an executor, on any machine."""

    def __init__(self, tasks: Sequence[ChainTask], executor: Executor) -> None:
        self.discards_cancelled = _is_dask(executor)  # Dask also cancels running chains, and their results are lost
        self.tasks, self.meters = tasks, [Meter() for _ in tasks]
        self._pool = executor
        first = tasks[0]
        self._checkpoint = first.files.folder if first.files is not None else None
        self._folder = SharedFolder(self._checkpoint)
        self._shared = first.shared
        self._input = self._send()
        self._attempts = [0] * len(tasks)
        self._folder_is_used = False

    def submit(self, number: int) -> Outcome:
        """Start a chain."""
        t = self.tasks[number]
        try:
            return self._pool.submit(
                run_in_worker, self._input, t.number, t.seed, t.files, t.deadline, t.saved, self._folder.path
            )
        except BrokenExecutor as error:
            raise self._died(number, error) from error

    def update_meters(self) -> None:
        """Read the progress of the chains."""
        for task, meter in zip(self.tasks, self.meters, strict=True):
            self._folder_is_used = self._folder.read(task.number, meter) or self._folder_is_used

    def resubmit(self, number: int, error: BaseException) -> Outcome:
        """Start a chain again if its worker was lost; raises the error if the chain itself failed."""
        if isinstance(error, BrokenExecutor):
            raise self._died(number, error) from error
        if not _is_lost_worker(error):
            raise error
        self._attempts[number] += 1
        if self._attempts[number] == ATTEMPTS:
            raise self._died(number, error) from error
        self._input = self._send()  # the worker that held it may be the lost one
        return self.submit(number)

    def stop(self) -> None:
        """Signal all chains to stop."""
        self._folder.stop()

    def grace_period(self) -> float | None:
        """Seconds to wait for chains that were signalled to stop."""
        return GRACE_PERIOD if self._folder_is_used else GRACE_PERIOD_UNSIGNALLED

    def close(self) -> None:
        """Delete the shared folder; the executor belongs to the caller."""
        self._folder.remove()

    def _send(self) -> Any:
        """The input that all chains share, as it is sent to each of them: a future of Dask, or the value.

        Workers of Dask fetch the result of a future from each other, and one that is lost with its worker is computed
        again; scattered data are not.
        """
        client = getattr(self._pool, "_client", None)
        if _is_dask(self._pool) and client is not None:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
                return client.submit(identity, self._shared, pure=False)
        return self._shared

    def _died(self, number: int, error: BaseException) -> WorkerError:
        if self._checkpoint is None:
            remedy = "with checkpoint=, the same call would continue from where its chains were"
        else:
            remedy = f"the same call with a new executor continues from the checkpoint {self._checkpoint!r}"
        reason = str(error) or type(error).__name__
        return WorkerError(f"the worker of chain {number} died ({reason.splitlines()[0]}); {remedy}")


def identity(shared: SharedInput) -> SharedInput:
    """Its argument: the task of Dask whose result all chains share."""
    return shared


def run_in_worker(
    shared: SharedInput,
    number: int,
    seed: NDArray[np.uint64],
    files: ChainFiles | None,
    deadline: float | None,
    saved: SavedChain | None,
    folder: str,
) -> ChainOutcome | AnnealingOutcome:
    """Run one chain in a worker."""
    meter = WorkerMeter(folder=folder, number=number)
    return run_chain(ChainTask(number, shared, seed, files, deadline, saved), meter, meter)


def choose_workers(tasks: Sequence[ChainTask], executor: Any) -> Threads | Workers:
    """What runs the chains for this executor."""
    if executor is None or isinstance(executor, ThreadPoolExecutor):
        return Threads(tasks, executor)
    return Workers(tasks, read_executor(executor))


def read_executor(executor: Any) -> Executor:
    """The executor that the user gave; for a client of Dask, the executor of the client."""
    if _is_dask(executor) and hasattr(executor, "get_executor"):
        executor = executor.get_executor(pure=False)
    if not isinstance(executor, Executor):
        raise SettingsError(
            f"executor must be None, a concurrent.futures.Executor or a distributed.Client, not {executor!r}"
        )
    return executor


def cores() -> int:
    """The number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # on Linux
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _is_dask(value: object) -> bool:
    return type(value).__module__.split(".")[0] == "distributed"


def _is_lost_worker(error: BaseException) -> bool:
    """Whether the error means that a worker was lost, and not that a chain failed."""
    return isinstance(error, CancelledError) or _is_dask(error)
