"""SavedChain: the state of a chain between two stages of its run, in memory or in a file."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from causal_zigzag.errors import CausalZigzagError, CheckpointError, SettingsError
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
        if self.ladder and not (all(0 <= a < b for a, b in pairwise(self.ladder)) and self.ladder[-1] == 1):
            raise SettingsError(f"the ladder of a saved chain must increase to 1, but it is {self.ladder!r}")

    @classmethod
    def of(
        cls,
        chain: Savable,
        warmup: WarmUp | Annealing,
        ladder: Sequence[float] = (),
        *,
        run: str = "",
        number: int = 0,
        elapsed: float = 0.0,
    ) -> Self:
        """The present state of a chain."""
        saved = chain.save()
        states = tuple(np.frombuffer(s, dtype=np.uint8) for s in ([saved] if isinstance(saved, bytes) else saved))
        return cls(run, number, copy.copy(warmup), chain.made, elapsed, states, tuple(ladder))

    def state(self, at: int = 0) -> bytes:
        """The bytes of one of the states."""
        return self.states[at].tobytes()


@dataclass
class ChainMemory:
    """Keeps the state of a chain without a checkpoint; ``keeps`` says whether its run may be made longer."""

    keeps: bool = False
    state: SavedChain | None = None
    notes: list[str] = field(default_factory=list)

    def load(self, tempered: bool = False) -> SavedChain | None:  # noqa: ARG002 - the interface of ChainFiles
        """The last state, None if the chain begins at its start."""
        return self.state

    def save_if_due(self, chain: Savable, warmup: WarmUp | Annealing, ladder: Sequence[float] = ()) -> None:
        """Memory needs no copies of a running chain."""

    def save(self, chain: Savable, warmup: WarmUp | Annealing, ladder: Sequence[float] = ()) -> SavedChain | None:
        """The state of a chain at the end of a stretch, from which the next one continues."""
        return SavedChain.of(chain, warmup, ladder) if self.keeps else None


@contextmanager
def restoring(number: int) -> Iterator[None]:
    """A CheckpointError if the core refuses the saved state of this chain."""
    try:
        yield
    except CausalZigzagError:
        raise
    except ValueError as error:
        raise CheckpointError(
            f"the checkpoint of chain {number} cannot be continued: {error}; finish it with the version of "
            f"causal-zigzag that wrote it, or start again in another directory"
        ) from None
