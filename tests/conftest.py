"""Settings of Hypothesis for all tests, and memory that each module gives back."""

import ctypes
import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# No deadline, because busy machines and sanitizers are slow.
settings.register_profile("local", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "local")


@pytest.fixture(autouse=True, scope="module")
def _give_back_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """Clear what a module has cached, and return freed memory to the system, which glibc does not do by itself."""
    yield
    for value in vars(request.module).values():
        if getattr(value, "__module__", "") == request.module.__name__ and hasattr(value, "cache_clear"):
            value.cache_clear()
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc
    if trim is not None:
        trim(0)
