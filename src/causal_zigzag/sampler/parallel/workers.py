"""Who runs the chains: threads of this process, or the workers of an executor; what to do when a worker dies."""

from __future__ import annotations

import os
import pickle
import threading
import warnings
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import SettingsError, WorkerError
from causal_zigzag.sampler.chain import run_chain
from causal_zigzag.sampler.chain_result import ChainOutcome
from causal_zigzag.sampler.chain_task import ChainTask, Meter
from causal_zigzag.sampler.parallel.shared_folder import Board, Parcel, UnseenError, WorkerMeter
from causal_zigzag.scores.base import BuiltinScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles
    from causal_zigzag.sampler.parallel.shared_folder import Cargo

LAST_CALL = 1.0  # seconds that chains which cannot be called in have to hand in what they have, if Ctrl-C reached them
CALLED_IN = 10.0  # the same for those that can, at most: they look many times a second
TRIALS = 3  # of a chain whose worker dies

Outcome = Future[ChainOutcome]


class Threads:
    """Chains in threads: the core runs without Python's global lock."""

    drops_cancelled = False

    def __init__(self, tasks: Sequence[ChainTask], pool: ThreadPoolExecutor | None) -> None:
        self.tasks, self.meters = tasks, [Meter() for _ in tasks]
        timed = tasks[0].deadline is not None  # then all chains share the time, else they take turns
        threads = len(tasks) if timed else min(len(tasks), cores())
        self._own = pool is None
        self._pool = pool or ThreadPoolExecutor(threads, thread_name_prefix="causal-zigzag")
        self._stop = threading.Event()

    def submit(self, number: int) -> Outcome:
        return self._pool.submit(run_chain, self.tasks[number], self._stop, self.meters[number])

    def look(self) -> None:
        """Bring the meters up to date, which they are."""

    def go_on(self, number: int, error: BaseException) -> Outcome:  # noqa: ARG002 - as Workers has it
        """The chain once more where its worker died; else the error is raised."""
        raise error

    def stop(self) -> None:
        self._stop.set()

    def patience(self) -> float | None:
        """Seconds to wait for chains that were called in; None: until they are here."""
        return None

    def close(self) -> None:
        if self._own:
            self._pool.shutdown(wait=True)


class Workers:
    """Chains in the processes of an executor, wherever these are. The data go to each process once."""

    def __init__(self, tasks: Sequence[ChainTask], executor: Executor) -> None:
        self.drops_cancelled = _is_dask(executor)  # it takes back chains that run, and nothing of them remains
        self.tasks, self.meters = tasks, [Meter() for _ in tasks]
        self._pool = executor
        first = tasks[0]
        self._checkpoint = first.files.folder if first.files is not None else None
        self._board = Board(self._checkpoint)
        starts = tuple((task.start, task.first_score) for task in tasks)
        self._whole: Cargo = (first.target, first.settings, starts)
        self._cargo = self._loaded()
        self._trials = [0] * len(tasks)
        self._seen = False

    def submit(self, number: int) -> Outcome:
        t = self.tasks[number]
        try:
            return self._pool.submit(
                run_shipped, self._cargo, t.number, t.seed, t.files, t.deadline, self._board.folder
            )
        except BrokenExecutor as error:
            raise self._died(number, error) from error

    def look(self) -> None:
        """Bring the meters up to date."""
        for task, meter in zip(self.tasks, self.meters, strict=True):
            self._seen = self._board.read(task.number, meter) or self._seen

    def go_on(self, number: int, error: BaseException) -> Outcome:
        """The chain once more where its worker died; else the error is raised."""
        if isinstance(error, UnseenError):
            self._cargo = self._whole
            return self.submit(number)
        if isinstance(error, BrokenExecutor):
            raise self._died(number, error) from error
        if not _lost(error):
            raise error
        self._trials[number] += 1
        if self._trials[number] == TRIALS:
            raise self._died(number, error) from error
        self._cargo = self._loaded()  # it may have been lost as well
        return self.submit(number)

    def stop(self) -> None:
        self._board.stop()

    def patience(self) -> float | None:
        """Seconds to wait for chains that were called in."""
        return CALLED_IN if self._seen else LAST_CALL

    def close(self) -> None:
        self._board.close()

    def _loaded(self) -> Any:
        """What a chain gets to find the target: a future of Dask, a parcel to fetch, or all of it.

        Workers of Dask hand a result on to each other once each, and what is lost with one of them is made again, as
        scattered data are not. A score of a user's own may be defined where only the pickler of the executor reaches.
        """
        client = getattr(self._pool, "_client", None)
        if _is_dask(self._pool) and client is not None:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
                return client.submit(same, self._whole, pure=False)
        if isinstance(self._whole[0].score, BuiltinScore):
            with suppress(OSError, pickle.PicklingError, TypeError, AttributeError):
                return self._board.put(self._whole)
        return self._whole

    def _died(self, number: int, error: BaseException) -> WorkerError:
        if self._checkpoint is None:
            remedy = "with checkpoint=, the same call would go on from where its chains were"
        else:
            remedy = f"the same call with a new executor goes on from the checkpoint {self._checkpoint!r}"
        told = str(error) or type(error).__name__
        return WorkerError(f"the worker of chain {number} died ({told.splitlines()[0]}); {remedy}")


def same(cargo: Cargo) -> Cargo:
    """What it is given: the task whose result all chains of a cluster share."""
    return cargo


def run_shipped(
    cargo: Any,
    number: int,
    seed: NDArray[np.uint64],
    files: ChainFiles | None,
    deadline: float | None,
    folder: str,
) -> ChainOutcome:
    """One chain in a worker; ``cargo`` is a parcel, or the target, settings and starts themselves."""
    target, settings, starts = cargo.open() if isinstance(cargo, Parcel) else cargo
    meter = WorkerMeter(folder=folder, number=number)
    start, score = starts[number]
    return run_chain(ChainTask(number, target, settings, start, seed, files, deadline, score), meter, meter)


def crew(tasks: Sequence[ChainTask], executor: Any) -> Threads | Workers:
    """Those who run the chains."""
    if executor is None or isinstance(executor, ThreadPoolExecutor):
        return Threads(tasks, executor)
    return Workers(tasks, read_executor(executor))


def read_executor(executor: Any) -> Executor:
    """The executor that users gave; a client of Dask stands for its own."""
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


def _lost(error: BaseException) -> bool:
    """Whether this tells of a worker that is gone, not of a chain that failed."""
    return isinstance(error, CancelledError) or _is_dask(error)
