"""ChainTask: what a process needs to run one chain; how a running chain is observed and stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.sampler.annealing.statistics import AnnealingStatistics
    from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles
    from causal_zigzag.sampler.checkpoint.saved_chain import SavedChain
    from causal_zigzag.sampler.excursions.plan import ExcursionPlan
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.target.target import Target

SLICE = 0.03  # seconds between two checks of the stop signal
UNLIMITED = 2**62  # jumps or exchanges: more than any run makes


Stage = Literal["anneal", "sample"]


class Start(NamedTuple):
    """Where a chain begins."""

    graph: CPDAG
    score: float = 0.0  # relative to that of the posterior's start
    annealed: AnnealingStatistics | None = None
    log2_pace: float = 0.0
    continues: bool = False  # where another chain ended, so that no mode is searched for


class SharedInput(NamedTuple):
    """What all chains of a stage share, and the start of each with its relative score and what its annealing found.

    ``ladder`` is that of ``tempering="auto"``, which the annealing has measured.
    """

    target: Target
    settings: Settings
    stage: Stage
    plan: ExcursionPlan | None
    starts: tuple[Start, ...]
    ladder: tuple[float, ...] = ()


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
    """The input of one stage of a chain; it can be pickled. A ``deadline`` is a value of ``time.time()``."""

    number: int
    shared: SharedInput
    seed: NDArray[np.uint64]
    files: ChainFiles | None = None
    deadline: float | None = None
    saved: SavedChain | None = None  # where it continues, if it has no files

    @property
    def continues(self) -> bool:
        """Whether the run may be made longer and has no files to continue from."""
        return self.settings.converge and self.files is None

    @property
    def target(self) -> Target:
        """The target of all chains."""
        return self.shared.target

    @property
    def settings(self) -> Settings:
        """The settings of all chains."""
        return self.shared.settings

    @property
    def start(self) -> Start:
        """Where this chain begins."""
        return self.shared.starts[self.number]
