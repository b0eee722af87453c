"""check_memory: refuses a run that needs more memory than there is, before it starts."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.tempering.ladder import first_ladder
from causal_zigzag.scores.uniform import Uniform

if TYPE_CHECKING:
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.target.target import Target

ROWS = 2**21  # bytes in which the core allocates rows of scores; a chain has at least one such chunk
PER_PAIR = 32  # bytes of the times of a pair of nodes
SETS = 8  # sets of nodes per node of a graph
GROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def least_memory(target: Target, settings: Settings) -> int:
    """The bytes that one chain takes from the start, with all its temperatures; it grows to its limits from there."""
    n = len(target.nodes)
    tempering = settings.tempering
    rungs = 1 if tempering in (None, "auto") else len(first_ladder(tempering))
    rows = 0 if isinstance(target.score, Uniform) else ROWS
    return rungs * (rows + PER_PAIR * n * (n - 1) // 2 + SETS * n * (n // 8 + 8))


def check_memory(target: Target, settings: Settings, at_once: int) -> None:
    """Raise a SettingsError if ``at_once`` chains do not fit into the memory of this process."""
    needed, available = at_once * least_memory(target, settings), available_memory()
    if available is None or needed <= available:
        return
    temperatures = "" if settings.tempering is None else f" with tempering={settings.tempering!r}"
    fewer = "temperatures" if temperatures else "nodes"
    raise SettingsError(
        f"{at_once} chains of {len(target.nodes):,} nodes at once{temperatures} need {_gib(needed)} of memory, and "
        f"there is {_gib(available)}; use fewer {fewer} or an executor with one worker"
    )


def available_memory() -> int | None:
    """The bytes that this process may use: of the machine, of its control group and by its limits."""
    found = []
    with suppress(AttributeError, OSError, ValueError):  # not on Windows
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):  # no control group, or no limit
        found.append(int(GROUP_LIMIT.read_text(encoding="ascii")))
    with suppress(AttributeError, ImportError, OSError, ValueError):  # not on Windows; not every POSIX system has it
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        found += [limit] if limit != resource.RLIM_INFINITY else []
    return min(found, default=None)


def _gib(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB"
