"""ChainTask: what a process needs to run one stage of a chain; how a running chain is observed and stopped."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np

from causal_zigzag.sampler.balance import SQRT_ALONE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.sampler.annealing.schedule import AnnealingStatistics
    from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles, ChainMemory
    from causal_zigzag.sampler.excursions.plan import ExcursionPlan
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.target.target import Target

SLICE = 0.03  # seconds between two checks of the stop signal
UNLIMITED = 2**62  # jumps: more than any run makes

StageName = Literal["climb", "anneal", "sample"]  # climb: an annealing that begins at the target's coldness


class Start(NamedTuple):
    """Where a chain begins."""

    graph: CPDAG
    score: float = 0.0  # relative to that of the posterior's start
    annealed: AnnealingStatistics | None = None
    log2_pace: float = 0.0
    direction: int = 1
    continues: bool = False  # where another chain ended, so that no mode is searched for
    cells: NDArray[np.float64] | None = None  # missing ones; None: observed cells of the same columns
    sqrt_weight: float = SQRT_ALONE  # of balance="auto"


@dataclass(frozen=True, eq=False)
class Stage:
    """What all chains of a stage of a run share, and the start of each; it can be pickled.

    ``deadline`` and ``warm_by``, when the warm-up must be over, are values of ``time.time()``.
    """

    name: StageName
    target: Target
    settings: Settings
    starts: tuple[Start, ...]
    plan: ExcursionPlan | None = None
    warm_by: float = math.inf
    deadline: float = math.inf


@dataclass(frozen=True, eq=False)
class ChainTask:
    """One chain of a stage; its store has the state from which it continues, if there is one."""

    number: int
    stage: Stage
    seed: NDArray[np.uint64]
    store: ChainFiles | ChainMemory

    @property
    def target(self) -> Target:
        """The target of all chains."""
        return self.stage.target

    @property
    def settings(self) -> Settings:
        """The settings of all chains."""
        return self.stage.settings

    @property
    def start(self) -> Start:
        """Where this chain begins."""
        return self.stage.starts[self.number]

    @property
    def time_is_up(self) -> bool:
        """Whether the stage must end."""
        return time.time() >= self.stage.deadline


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
