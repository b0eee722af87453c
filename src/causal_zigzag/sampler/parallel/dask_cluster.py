"""Chains on a cluster of Dask: how they are handed to its workers, and how the command line connects to a scheduler."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from causal_zigzag.errors import MissingDependencyError, SettingsError
from causal_zigzag.sampler.chain_task import Stage
from causal_zigzag.sampler.parallel.workers import Workers

TIMEOUT = 15.0  # seconds for the scheduler to answer


def is_dask(value: object) -> bool:
    """Whether this is a client, an executor or an error of Dask."""
    return type(value).__module__.split(".")[0] == "distributed"


def dask_executor(executor: Any) -> Any:
    """The executor of a client of Dask; anything else as it is."""
    return executor.get_executor(pure=False) if is_dask(executor) and hasattr(executor, "get_executor") else executor


class DaskWorkers(Workers):
    """Runs chains in the workers of a Dask cluster."""

    discards_cancelled = True  # Dask also cancels running chains, and their results are lost

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
