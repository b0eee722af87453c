"""Settings of Hypothesis for all tests, and memory that each module gives back."""

import ctypes
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline, because busy machines and sanitizers are slow.
settings.register_profile("local", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "local")


GROWTH = 40 * 2**20  # bytes by which this process may grow before it gives memory back
STATUS = Path("/proc/self/statm")  # of Linux: the second number is that of the pages in memory
kept = [0]  # bytes that stayed the last time


def in_memory() -> int:
    """The bytes of this process that are in memory; 0 where the system does not say it."""
    return int(STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if STATUS.exists() else 0


def give_back_memory() -> None:
    """Return freed memory to the system, which glibc does not do by itself."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc
    if trim is not None:
        trim(0)
    kept[0] = in_memory()


@pytest.fixture(autouse=True)
def _after_a_test() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    if in_memory() > kept[0] + GROWTH:
        give_back_memory()


@pytest.fixture(autouse=True, scope="module")
def _after_a_module(request: pytest.FixtureRequest) -> Iterator[None]:
    """Clear what the module has cached."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    cached = [value for value in vars(request.module).values() if hasattr(value, "cache_clear")]
    for value in cached:
        if value.__module__ == request.module.__name__:
            value.cache_clear()
    if cached:
        give_back_memory()
