"""The clock of deadlines, which setting the time of the machine does not move."""

from __future__ import annotations

import platform
import time
from contextlib import suppress
from functools import cache
from pathlib import Path


def now() -> float:
    """Seconds since a time that is the same for all processes of this machine."""
    return time.monotonic()


class Moment(float):
    """A value of ``now()`` that keeps its meaning when it is pickled for another machine.

    >>> Moment(now() + 60) > now()
    True
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[object, ...]:
        return _read, (float(self), float(self) - now() + time.time(), _machine())


NEVER = Moment("inf")


def _read(at: float, wall_time: float, machine: str) -> Moment:
    return Moment(at if machine == _machine() else now() + wall_time - time.time())


@cache
def _machine() -> str:
    """A word that differs between machines, and on Linux between two starts of one."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    return platform.node()
