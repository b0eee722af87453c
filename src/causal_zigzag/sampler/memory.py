"""check_memory: refuses a run that needs more memory than there is, before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.tempering.ladder import first_ladder
from causal_zigzag.support.memory import available_memory, in_gib

if TYPE_CHECKING:
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.target.target import Target

ROWS = 2**21  # bytes in which the core allocates rows of scores; a chain has at least one such chunk
PER_PAIR = 32  # bytes of the times of a pair of nodes
SETS = 8  # sets of nodes per node of a graph


def least_memory(target: Target, settings: Settings) -> int:
    """The bytes that one chain takes from the start, with all its temperatures; it grows to its limits from there."""
    n = len(target.nodes)
    tempering = settings.tempering
    rungs = 1 if tempering in (None, "auto") else len(first_ladder(tempering))
    rows = 0 if target.score.is_flat else ROWS
    return rungs * (rows + PER_PAIR * n * (n - 1) // 2 + SETS * n * (n // 8 + 8))


def check_memory(target: Target, settings: Settings, at_once: int) -> None:
    """Raise a SettingsError if ``at_once`` chains do not fit into the memory of this process."""
    needed, available = at_once * least_memory(target, settings), available_memory()
    if available is None or needed <= available:
        return
    temperatures = "" if settings.tempering is None else f" with tempering={settings.tempering!r}"
    fewer = "temperatures" if temperatures else "nodes"
    raise SettingsError(
        f"{at_once} chains of {len(target.nodes):,} nodes at once{temperatures} need {in_gib(needed)} of memory, and "
        f"there is {in_gib(available)}; use fewer {fewer} or an executor with one worker"
    )
