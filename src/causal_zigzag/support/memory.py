"""available_memory: the memory that this process may use."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

GROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def available_memory() -> int | None:
    """The bytes that this process may use: of the machine, of its control group and by its limits; None on Windows."""
    found = []
    if sys.platform != "win32":
        import resource

        with suppress(OSError, ValueError):  # not every POSIX system has it
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        found += [limit] if limit != resource.RLIM_INFINITY else []
    with suppress(OSError, ValueError):  # no control group, or no limit
        found.append(int(GROUP_LIMIT.read_text(encoding="ascii")))
    return min(found, default=None)


def in_gib(size: float) -> str:
    """A number of bytes in words.

    >>> in_gib(2**31)
    '2.0 GiB'
    """
    return f"{size / 2**30:,.1f} GiB"
