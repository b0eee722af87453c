"""Restarts: greedy search with retries, from what ges finds, from no edges, or from the end of an annealed chain."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.sampler.annealing.polish import polish
from causal_zigzag.sampler.annealing.schedule import JUMPS_PER_NODE, Annealing
from causal_zigzag.sampler.chain_task import Meter
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.driver import Driver
from causal_zigzag.sampler.excursions.plan import (
    DEFAULT_JUMPS,
    POWERS,
    STEPS_PER_NODE,
    ExcursionPlan,
    candidate_count,
    choose_candidates,
    table_slope,
)
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.support import clock

if TYPE_CHECKING:
    from causal_zigzag._core import Chain, Graph
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.sampler.parallel.progress import ProgressBar
    from causal_zigzag.target.target import Target

COOLING = 200  # most blocks between hot and cold: dense graphs need small steps
MANY_NODES = 150  # above it the first restarts are not annealed: sparse graphs need no more, and jumps are slow
VERY_MANY_NODES = 500  # above it no restart is annealed unless time is given, and none is hot
GREEDY_RESTARTS = 2  # of many nodes: from the result of ges, and from the graph without edges
JUMPS_OF_MANY = 100  # of a block of the other restarts, per node
MILD = 0.2  # the first coldness of a mild restart, as a fraction of the target's
MILD_JUMPS = 20  # of a block, per node
MILD_COOLING = 36
MOST_DOUBLINGS = 4  # from the third hot restart on, each one cools half as fast: the first two did not agree
MILD_RESTARTS = 2  # of many nodes, before hot ones
POINTS = 25  # per block at the target, at which the class is compared with the best so far

SETTINGS = RunSettings(chains=1, max_classes=2, trace_points=2)


class TimeIsUpError(Exception):
    """The time of the search was over before the end of a restart."""


class Restart(NamedTuple):
    """What one restart of a search reached.

    ``annealed`` is the log weight of the best class at the end of the annealing, or of the start if the restart was not
    annealed; ``polished`` is that of the ``graph`` to which greedy search with retries led from there.

    >>> import causal_zigzag as cz
    >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
    >>> restart = cz.search(score, rng=1).restarts[0]
    >>> restart.polished >= restart.annealed
    True
    """

    graph: ClassGraph
    annealed: float
    polished: float


@dataclass
class Restarts:
    """Makes restarts for one target; ``best`` is the best class so far, at first the result of ges.

    With many nodes the first two are not annealed, and the next two begin at the best class and are heated only a
    little. The ``bar`` shows the number of jumps of all restarts so far, and the number of edges and the log weight of
    the chain.
    """

    target: Target
    best: CPDAG
    deadline: float = math.inf  # of the clock of support.clock
    bar: ProgressBar | None = None
    made: int = 0
    jumps: int = 0
    _plan: ExcursionPlan | None = field(init=False)

    def __post_init__(self) -> None:
        self._plan = order_plan(self.target)

    @property
    def annealed(self) -> int:
        """The number of annealed restarts before the next one; negative if that is not annealed."""
        return self.made - (GREEDY_RESTARTS if len(self.target.nodes) > MANY_NODES else 0)

    @property
    def mild(self) -> bool:
        """Whether the next annealed restart begins at the best class and is heated mildly."""
        n = len(self.target.nodes)
        return n > VERY_MANY_NODES or (n > MANY_NODES and self.annealed < MILD_RESTARTS)

    @property
    def least(self) -> int:
        """The number of restarts before the search can end: one is annealed, since greedy ones can agree on less."""
        n = len(self.target.nodes)
        return GREEDY_RESTARTS + 1 if MANY_NODES < n <= VERY_MANY_NODES else 0

    def schedule(self) -> Cooling:
        """The schedule of the next annealed restart before its first jump."""
        n = len(self.target.nodes)
        if self.mild:
            return Cooling.of_blocks(self.target, MILD_JUMPS * n, hot=MILD, cooling=MILD_COOLING)
        hot_before = self.annealed - (MILD_RESTARTS if n > MANY_NODES else 0)
        slower = 2 ** min(MOST_DOUBLINGS, max(0, hot_before - 1))
        jumps = JUMPS_PER_NODE if n <= MANY_NODES else JUMPS_OF_MANY
        return Cooling.of_blocks(self.target, slower * jumps * n, cooling=COOLING)

    def make(self, rng: np.random.Generator) -> Restart:
        """One restart."""
        if clock.now() >= self.deadline:
            raise TimeIsUpError
        target = self.target
        if self.annealed >= 0:
            start = self._anneal(rng)
        elif self.made == 0:
            start = self.best
        else:
            start = target.sparsest()
        polished = polish(target, start, lambda: clock.now() >= self.deadline)
        self.made += 1
        return Restart(polished, target.log_weight(start), target.log_weight(polished))

    def is_over(self, gained: bool) -> bool:
        """Whether to end although no class was found twice: with many nodes, without a limit of time.

        ``gained`` says whether the last restart improved on those before.
        """
        n = len(self.target.nodes)
        if n <= MANY_NODES or self.annealed < 0 or self.deadline < math.inf:
            return False
        return n > VERY_MANY_NODES or (self.annealed > 0 and not gained)

    def _anneal(self, rng: np.random.Generator) -> CPDAG:
        """The best class that a cooled chain visits at the target."""
        target, schedule = self.target, self.schedule()
        start = self.best if self.mild else target.sparsest()
        chain = make_chain(
            target,
            SETTINGS,
            start,
            rng.integers(0, 2**64, size=4, dtype=np.uint64),
            coldness=schedule.coldness,
            extra_slope=schedule.slope,
            first_score=target.score.total(start),
        )
        best: tuple[float, Graph] | None = None

        def visit() -> None:
            nonlocal best
            if schedule.coldness >= target.coldness:
                best = self._better(chain, best)

        driver = Driver(chain, schedule, target, _BarMeter(restarts=self))
        driver.follow(self.deadline, visit)
        if driver.stopped:
            raise KeyboardInterrupt
        if clock.now() >= self.deadline:
            raise TimeIsUpError
        self.jumps += schedule.made
        if self._walk_among_orders(chain):
            best = self._better(chain, best)
        assert best is not None, "a schedule has blocks at the target"
        return CPDAG.from_core(best[1], start.labels)

    def _walk_among_orders(self, chain: Chain) -> bool:
        """Move to a better class that a walk among orders of the nodes finds, where the tables it needs are small."""
        if self._plan is None:
            return False
        chain.set_excursions(self._plan.core(self.target))
        return chain.anneal_order(POWERS.tolist(), STEPS_PER_NODE * len(self.target.nodes), 0.0)

    def _better(self, chain: Chain, best: tuple[float, Graph] | None) -> tuple[float, Graph]:
        """The class of the chain, or the best one before."""
        value = self._log_weight(chain)
        return best if best is not None and best[0] >= value else (value, chain.graph())

    def _log_weight(self, chain: Chain) -> float:
        return self.log_weight(chain.edge_count, chain.score)

    def log_weight(self, edges: int, score: float) -> float:
        """The log weight of a class with this number of edges and this score."""
        return self.target.coldness * score + self.target.edge_prior.log_weight(edges)


@dataclass
class Cooling(Annealing):
    """An annealing that pauses within the blocks at the target, where the class is compared with the best so far."""

    def pauses(self) -> list[int]:
        """The parity of the jumps is that of the edges, so both are visited."""
        parts = POINTS if self.coldness >= self.target else 1
        return [(self.length * part // parts & ~1) + (part % 2 if part < parts else 0) for part in range(1, parts + 1)]


@dataclass
class _BarMeter(Meter):
    """Shows the jumps of all restarts, and where the chain of the last one is."""

    restarts: Restarts | None = None

    def show(self, jumps: int, edges: int, score: float) -> None:
        assert self.restarts is not None
        if self.restarts.bar is not None:
            words = f"edges {edges}, log weight {self.restarts.log_weight(edges, score):.1f}"
            self.restarts.bar.show(self.restarts.jumps + jumps, words)


def order_plan(target: Target) -> ExcursionPlan | None:
    """The tables for walks among orders, if they can hold all parents at little cost."""
    n = len(target.nodes)
    count = candidate_count(target, DEFAULT_JUMPS) if n > 2 else 0
    if n < 3 or count < n - 1:
        return None
    return ExcursionPlan(choose_candidates(target, (), count), table_slope(target, ()))
