"""cluster(): connects to a running cluster of Dask."""

from __future__ import annotations

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
        client = distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise SettingsError(
            f"no scheduler of Dask answers at {address!r} ({error}); its address is like tcp://10.0.0.1:8786"
        ) from None
    try:
        if not client.scheduler_info()["workers"]:
            raise SettingsError(f"the scheduler at {address!r} has no workers; start one: dask worker {address}")
        yield client
    finally:
        client.close()
