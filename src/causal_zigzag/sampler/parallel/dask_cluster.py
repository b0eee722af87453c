"""Chains on a cluster of Dask: how they are handed to its workers, and how the command line connects to a scheduler."""

from __future__ import annotations

import asyncio
import warnings
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import MissingDependencyError, SettingsError, WorkerError
from causal_zigzag.sampler.parallel.workers import Workers
from causal_zigzag.support import clock
from causal_zigzag.support.version import DISTRIBUTION, package_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from causal_zigzag.sampler.chain_task import ChainTask, Stage

TIMEOUT = 15.0  # seconds for the scheduler to answer
LOOKING_INTERVAL = 2.0  # seconds between two questions to the scheduler
SCHEDULER_PATIENCE = 60.0  # seconds without an answer, after which a run ends
WORKERS_PATIENCE = 300.0  # seconds without any worker; clusters that grow with their work start them late


def is_dask(value: object) -> bool:
    """Whether this is a client, an executor or an error of Dask."""
    return type(value).__module__.split(".")[0] == "distributed"


def dask_executor(executor: Any) -> Any:
    """The executor of a client of Dask; anything else as it is."""
    return executor.get_executor(pure=False) if is_dask(executor) and hasattr(executor, "get_executor") else executor


class DaskWorkers(Workers):
    """Runs chains in the workers of a Dask cluster; a WorkerError if the scheduler or all workers are gone for good."""

    discards_cancelled = True  # Dask also cancels running chains, and their results are lost

    def __init__(self, tasks: Sequence[ChainTask], executor: Any) -> None:
        self._client: Any = executor._client
        if self._client.status == "closed":
            raise SettingsError("executor is a client of Dask that is closed; open one, and close it after the run")
        self._scheduler = f"the scheduler of Dask at {self._client.scheduler.address}"
        self._complete = self._looked = clock.now()  # when nothing was missing, and when that was last looked at
        self._check_versions()
        super().__init__(tasks, executor)

    def update_meters(self) -> None:
        """Read the progress of the chains, and look whether there is anything that runs them."""
        super().update_meters()
        if clock.now() < self._looked + LOOKING_INTERVAL:
            return
        missing, patience = self._missing()
        self._looked = clock.now()
        if not missing:
            self._complete = self._looked
        elif self._looked >= self._complete + patience:
            raise WorkerError(f"{missing}{f', for {patience:g} seconds' if patience else ''}; {self._remedy()}")

    def _missing(self) -> tuple[str, float]:
        """What does not answer, if anything, and for how many seconds that may be."""
        gone = f"{self._scheduler} does not answer", SCHEDULER_PATIENCE
        if self._client.status == "closed":
            return f"the client of {self._scheduler} is closed", 0.0
        if self._client.status != "running":  # a lost connection is tried again, then the client is closed
            return gone
        try:
            identity = self._client.sync(self._client.scheduler.identity, callback_timeout=TIMEOUT)
        except (OSError, RuntimeError):  # a TimeoutError is an OSError
            return gone
        return ("", 0.0) if identity["workers"] else (f"{self._scheduler} has no workers", WORKERS_PATIENCE)

    def _check_versions(self) -> None:
        """A WorkerError if a worker has another version of this package, or none."""
        from importlib.metadata import version as version_there

        try:
            found = self._client.run(version_there, DISTRIBUTION, on_error="return", callback_timeout=TIMEOUT)
        except (OSError, RuntimeError):  # what does not answer may come back
            return
        for worker, version in found.items():
            if version != package_version():
                has = f"has version {version}" if isinstance(version, str) else "does not have the package"
                raise WorkerError(
                    f"the worker of Dask at {worker} {has}; all workers need causal-zigzag {package_version()}, as here"
                )

    def _send(self) -> Any:
        """A future, whose result the workers fetch from each other.

        If it is lost with its worker it is computed again; scattered data are not.
        """
        client: Any = self._pool._client  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            return client.submit(identity, self._stage, pure=False)

    def _is_lost_worker(self, error: BaseException) -> bool:
        return super()._is_lost_worker(error) or is_dask(error)


def identity(stage: Stage) -> Stage:
    """Its argument: the task of Dask whose result all chains share."""
    return stage


@contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """A client of the scheduler at this address, such as "tcp://10.0.0.1:8786", for ``executor=``; None for None.

    >>> with cluster(None) as executor:
    ...     print(executor)
    None
    """
    if address is None:
        yield None
        return
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise MissingDependencyError(
            "a scheduler of Dask needs the package distributed: pip install 'causal-zigzag[distributed]'"
        ) from None
    try:
        asyncio.run(_ask(address))
        client = distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise SettingsError(
            f"no scheduler of Dask answers at {address!r} ({str(error) or type(error).__name__}); its address is like tcp://10.0.0.1:8786"
        ) from None
    try:
        if not client.scheduler_info()["workers"]:
            raise SettingsError(f"the scheduler at {address!r} has no workers; start one: dask worker {address}")
        yield client
    finally:
        client.close()


async def _ask(address: str) -> None:
    """Ask the scheduler who it is, within the time limit.

    A client that finds no scheduler would wait for longer, and print a traceback when it is deleted.
    """
    core: Any = import_module("distributed.core")
    async with asyncio.timeout(TIMEOUT), core.rpc(address, timeout=TIMEOUT) as scheduler:
        await scheduler.identity()
