"""SavedChain: the state of a chain as its file holds it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.annealing.schedule import Annealing
from causal_zigzag.sampler.warmup import WarmUp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Savable(Protocol):
    """A running chain; its state is determined by the number of jumps that it has made."""

    @property
    def made(self) -> int: ...

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
        if len(self.states) != len(self.ladder) + 1:
            raise SettingsError(f"a ladder of {len(self.ladder)} rungs cannot have {len(self.states)} states")
        rises = all(0 <= a < b for a, b in pairwise(self.ladder))
        if self.ladder and not (rises and self.ladder[-1] == 1):
            raise SettingsError(f"the ladder of a saved chain must increase to 1, but it is {self.ladder!r}")

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
            jumps=chain.made,
            elapsed=elapsed,
            states=tuple(
                np.frombuffer(state, dtype=np.uint8) for state in ([states] if isinstance(states, bytes) else states)
            ),
            ladder=tuple(ladder),
        )

    def state(self, at: int = 0) -> bytes:
        """The bytes of one of the states."""
        return self.states[at].tobytes()
