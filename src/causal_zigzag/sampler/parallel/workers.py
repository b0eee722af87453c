"""Threads and Workers: run chains in threads of this process, or in the processes of an executor."""

from __future__ import annotations

import math
import os
import threading
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ThreadPoolExecutor
from dataclasses import replace
from pickle import PicklingError
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import SettingsError, WorkerError
from causal_zigzag.sampler.chain import run_chain
from causal_zigzag.sampler.chain_task import ChainTask, Meter, Stage
from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles, check_present
from causal_zigzag.sampler.parallel.shared_folder import SharedFolder, WorkerMeter
from causal_zigzag.scores.comparison import short
from causal_zigzag.support.memory import in_gib
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from causal_zigzag.sampler.chain_result import Outcome

GRACE_PERIOD = 10.0  # seconds that workers have to return their results after they were signalled to stop
GRACE_PERIOD_UNSIGNALLED = 1.0  # the same for workers that cannot be signalled; Ctrl-C may have reached them directly
ATTEMPTS = 3  # to run a chain whose worker dies
CHAIN_BYTES = 2**24  # of a chain without its cached rows: its thread, its classes and its trace


class Threads:
    """Runs chains in threads; the core releases Python's global lock."""

    discards_cancelled = False

    def __init__(self, tasks: Sequence[ChainTask], pool: ThreadPoolExecutor | None) -> None:
        self.tasks, self.meters = tasks, [Meter() for _ in tasks]
        timed = tasks[0].stage.deadline < math.inf  # then all chains run at once, else as many as there are processors
        self._threads = threads = len(tasks) if timed else min(len(tasks), cores())
        self._own = pool is None
        self._pool = pool or ThreadPoolExecutor(threads, thread_name_prefix="causal-zigzag")
        self._stop = threading.Event()

    def submit(self, at: int) -> Future[Outcome]:
        """Start the chain of a task."""
        try:
            return self._pool.submit(run_chain, self.tasks[at], self._stop, self.meters[at])
        except RuntimeError as error:
            raise _shut_down(error) if "shutdown" in str(error) else self._no_room(error) from error

    def update_meters(self) -> None:
        """The chains themselves update the meters."""

    def resubmit(self, at: int, error: BaseException) -> Future[Outcome]:  # noqa: ARG002 - the interface of Workers
        """Raises the error: a thread cannot be lost."""
        if isinstance(error, MemoryError):
            raise self._no_room(error) from error
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

    def _no_room(self, error: BaseException) -> SettingsError:
        stage, chains = self.tasks[0].stage, self._threads
        needed = chains * (stage.settings.cache_bytes + CHAIN_BYTES + 16 * len(stage.target.nodes) ** 2)
        return SettingsError(
            f"there is not enough memory for {count(chains, 'chain')} at once ({error}), which may take up to "
            f"{in_gib(needed)}; use fewer chains, a smaller cache_bytes of cz.Settings, or a fixed number of jumps, "
            f"with which no more chains run at once than there are processors"
        )


class SignalLostError(Exception):
    """A worker stopped its chain, though it was not asked to."""


class Workers:
    """Runs chains in the processes of an executor, on any machine."""

    discards_cancelled = False

    def __init__(self, tasks: Sequence[ChainTask], executor: Executor) -> None:
        self.tasks, self.meters = tasks, [Meter() for _ in tasks]
        self._pool = executor
        self._stage = tasks[0].stage
        store = tasks[0].store
        self._checkpoint = store.folder if isinstance(store, ChainFiles) else None
        self._folder = SharedFolder(self._checkpoint)
        self._sent = self._send()
        self._attempts = [0] * len(tasks)
        self._folder_is_used = False

    def submit(self, at: int) -> Future[Outcome]:
        """Start the chain of a task."""
        alone = replace(self.tasks[at], stage=None)  # type: ignore[arg-type] # which is sent apart
        try:
            return self._pool.submit(run_in_worker, self._sent, alone, self._folder.path)
        except BrokenExecutor as error:
            raise self._died(at, error) from error
        except RuntimeError as error:
            raise _shut_down(error) from error

    def update_meters(self) -> None:
        """Read the progress of the chains."""
        for task, meter in zip(self.tasks, self.meters, strict=True):
            self._folder_is_used = self._folder.read(task.number, meter) or self._folder_is_used

    def resubmit(self, at: int, error: BaseException) -> Future[Outcome]:
        """Start a chain again if its worker was lost, or the folder; raises the error if the chain itself failed."""
        if isinstance(error, BrokenExecutor):
            raise self._died(at, error) from error
        if self._checkpoint is not None:
            check_present(self._checkpoint)
        if isinstance(error, SignalLostError):
            if not self._folder.is_there:
                self._folder = SharedFolder(self._checkpoint)
        elif _is_of_pickle(error):
            raise self._not_sent(error) from error
        elif not self._is_lost_worker(error):
            raise error
        self._attempts[at] += 1
        if self._attempts[at] == ATTEMPTS:
            raise self._died(at, error) from error
        self._sent = self._send()  # the worker that held it may be the lost one
        return self.submit(at)

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
        """What all chains share, as it is sent with each of them."""
        return self._stage

    def _is_lost_worker(self, error: BaseException) -> bool:
        """Whether the error means that a worker was lost, and not that a chain failed."""
        return isinstance(error, CancelledError)

    def _died(self, at: int, error: BaseException) -> WorkerError:
        reason = str(error) or type(error).__name__
        return WorkerError(
            f"the worker of chain {self.tasks[at].number} died ({reason.splitlines()[0]}); {self._remedy()}"
        )

    def _not_sent(self, error: BaseException) -> SettingsError:
        return SettingsError(
            f"the score {short(self._stage.target.score)} cannot be sent to another process ({error}); define its "
            f"class at the top of a module and keep in it only what can be pickled, or leave out executor"
        )

    def _remedy(self) -> str:
        if self._checkpoint is None:
            return "with checkpoint=, the same call would continue from where its chains were"
        return f"the same call with a new executor continues from the checkpoint {self._checkpoint!r}"


def _shut_down(error: BaseException) -> SettingsError:
    return SettingsError(f"executor takes no chains ({error}); give one that is not shut down")


def _is_of_pickle(error: BaseException) -> bool:
    """Whether something could not be sent; Python has no type of its own for it."""
    words = ("pickle", "serialize")
    return isinstance(error, (PicklingError, AttributeError, TypeError)) and any(word in str(error) for word in words)


def run_in_worker(stage: Stage, task: ChainTask, folder: str) -> Outcome:
    """Run one chain in a worker."""
    meter = WorkerMeter(folder=folder, number=task.number)
    outcome = run_chain(replace(task, stage=stage), meter, meter)
    return replace(outcome, stopped=meter.stopped)


def cores() -> int:
    """The number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # on Linux
    return len(affinity(0)) if affinity else os.cpu_count() or 1
