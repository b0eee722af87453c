"""cluster(): connects to a running cluster of Dask."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from causal_zigzag.errors import MissingDependencyError, SettingsError

TIMEOUT = 15.0  # seconds for the scheduler to answer


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
