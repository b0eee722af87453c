"""ChainTask: what a process needs to run one chain; how a running chain is observed and stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.target.target import Target

SLICE = 0.03  # seconds between two checks of the stop signal
UNLIMITED = 2**62  # jumps or exchanges: more than any run makes


class Signal(Protocol):
    """The signal for a chain to stop, such as a threading.Event."""

    def is_set(self) -> bool: ...


@dataclass
class Meter:
    """The progress of a running chain."""

    jumps: int = 0
    edges: int = 0
    score: float = 0.0

    def show(self, jumps: int, edges: int, score: float) -> None:
        """Set the number of jumps since the start, the number of edges and the score."""
        self.jumps, self.edges, self.score = jumps, edges, score


@dataclass(frozen=True, eq=False)
class ChainTask:
    """The input of a chain; it can be pickled. A ``deadline`` is a value of ``time.time()``."""

    number: int
    target: Target
    settings: Settings
    start: CPDAG
    seed: NDArray[np.uint64]
    files: ChainFiles | None = None
    deadline: float | None = None
    first_score: float = 0.0  # the score of the start, relative to that of the posterior's start
