"""SavedChain: the state of a chain as its file holds it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.annealing.schedule import Annealing
from causal_zigzag.sampler.warmup import WarmUp
from causal_zigzag.support.validation import is_real

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Savable(Protocol):
    """A running chain; its state is determined by its number of ``jumps``."""

    def statistics(self) -> dict[str, float]: ...

    def save(self) -> bytes | Sequence[bytes]:
        """Its state; a tempered chain has several."""


@dataclass(frozen=True, eq=False)
class SavedChain:
    """The state of the chain ``chain`` of the run named ``run``.

    ``jumps`` counts the jumps since the warm-up, and ``elapsed`` the seconds since the start of the run, without the
    time between two calls. ``states`` holds the bytes of the chain in the core. A tempered chain has several: those of
    its chains, from the first rung of its ``ladder`` to the last, and that of the exchanges.
    """

    run: str
    chain: int
    warmup: WarmUp | Annealing
    jumps: int
    elapsed: float
    states: tuple[NDArray[np.uint8], ...]
    ladder: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        given: Any = self  # fields of any type, until they are validated
        count = len(given.ladder) + 1
        are_bytes = all(isinstance(s, np.ndarray) and s.dtype == np.uint8 and s.ndim == 1 for s in given.states)
        if not isinstance(given.warmup, (WarmUp, Annealing)) or not are_bytes or len(given.states) != count:
            raise SettingsError(f"a saved chain needs a WarmUp and {count} arrays of bytes")
        rises = all(is_real(v) and 0 <= v <= 1 for v in given.ladder) and all(a < b for a, b in pairwise(given.ladder))
        if given.ladder and not (rises and given.ladder[-1] == 1):
            raise SettingsError(f"the ladder of a saved chain must increase to 1, but it is {given.ladder!r}")

    @classmethod
    def of(
        cls,
        chain: Savable,
        number: int,
        warmup: WarmUp | Annealing,
        ladder: Sequence[float] = (),
        run: str = "",
        elapsed: float = 0.0,
    ) -> Self:
        """The present state of the chain with this number."""
        states = chain.save()
        return cls(
            run=run,
            chain=number,
            warmup=copy.copy(warmup),
            jumps=int(chain.statistics()["jumps"]),
            elapsed=elapsed,
            states=tuple(
                np.frombuffer(state, dtype=np.uint8) for state in ([states] if isinstance(states, bytes) else states)
            ),
            ladder=tuple(ladder),
        )

    def state(self, at: int = 0) -> bytes:
        """The bytes of one of the states."""
        return self.states[at].tobytes()
