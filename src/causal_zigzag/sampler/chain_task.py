"""ChainTask: what a process needs to run one stage of a chain; how a running chain is observed and stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from causal_zigzag.sampler.balance import SQRT_ALONE
from causal_zigzag.support import clock
from causal_zigzag.support.clock import NEVER, Moment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.sampler.annealing.schedule import AnnealingStatistics
    from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles, ChainMemory
    from causal_zigzag.sampler.excursions.plan import ExcursionPlan
    from causal_zigzag.sampler.settings import RunSettings
    from causal_zigzag.target.target import Target

SLICE = 0.03  # seconds between two checks of the stop signal
UNLIMITED = 2**62  # jumps: more than any run makes

StageName = Literal["climb", "anneal", "sample"]  # climb: an annealing that begins at the target's coldness


@dataclass(frozen=True, eq=False)
class Start:
    """Where a chain begins: at a class, or where an annealed chain or an earlier one ended.

    ``adjacent`` lists pairs of nodes, as i * n + j, with the share of the time in which that chain saw them adjacent; a
    pair may be listed several times, and counts with the sum. ``log2_pace`` is the binary logarithm of the jumps per
    unit of time that a chain makes with this ``sqrt_weight``.
    """

    graph: CPDAG
    score: float = 0.0  # relative to that of the posterior's start
    annealed: AnnealingStatistics | None = None
    log2_pace: float = 0.0
    direction: int = 1
    continues: bool = False  # where another chain ended, so that no mode is searched for
    cells: NDArray[np.float64] | None = None  # missing ones; None: observed cells of the same columns
    sqrt_weight: float = SQRT_ALONE  # of balance="auto"
    adjacent: tuple[NDArray[np.int64], NDArray[np.float64]] = (np.zeros(0, np.int64), np.zeros(0))

    @property
    def jumps_in_all(self) -> int:
        """The jumps of its annealing."""
        return 0 if self.annealed is None else self.annealed.jumps


@dataclass(frozen=True, eq=False)
class Beginning:
    """Where the chains of a run begin to sample: what its annealing leads to, which is not done again on resume.

    ``numbers`` are those of the chains that are run; some may be missing if there was too little time.
    """

    run: str
    numbers: tuple[int, ...]
    starts: tuple[Start, ...]
    plan: ExcursionPlan | None = None


@dataclass(frozen=True, eq=False)
class Stage:
    """What all chains of a stage of a run share, and the start of each; it can be pickled.

    It ends at the ``deadline``, and its warm-up at ``warm_by`` at the latest.
    """

    name: StageName
    target: Target
    settings: RunSettings
    starts: tuple[Start, ...]
    plan: ExcursionPlan | None = None
    warm_by: Moment = NEVER
    deadline: Moment = NEVER


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
    def settings(self) -> RunSettings:
        """The settings of all chains."""
        return self.stage.settings

    @property
    def start(self) -> Start:
        """Where this chain begins."""
        return self.stage.starts[self.number]

    @property
    def time_is_up(self) -> bool:
        """Whether the stage must end."""
        return clock.now() >= self.stage.deadline


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
