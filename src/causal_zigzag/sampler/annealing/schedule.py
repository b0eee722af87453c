"""Annealing: the schedule by which a chain is cooled from a hot start to the target.

At the coldness c a chain samples exp(c · score) · edge prior. It starts at a coldness at which scores differ by little,
and is cooled in blocks of jumps. After a block, the coldness increases by one over the standard deviation of the score
within the block: the distributions of two consecutive blocks then overlap by the same amount everywhere
(constant thermodynamic speed). Lower and upper limits of the factor bound the number of blocks and the size of a step.

Only the score is scaled. Where the edge prior does not make edges costly, hot graphs would be dense and slow, so an
auxiliary cost per edge is added at the hot end, which decreases to 0 on the way to the target.

The schedule depends on the chain alone, not on the machine, the executor or checkpoints.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.missing_cells import ROUND_JUMPS_PER_NODE, ROUNDS
from causal_zigzag.sampler.schedule import Schedule, block_averages

if TYPE_CHECKING:
    from causal_zigzag._core import Chain, Tuning
    from causal_zigzag.target.target import Target

JUMPS_PER_NODE = 200  # of a block; fewer do not reach equilibrium on dense graphs
BLOCKS = 50  # the number of blocks that a run of the same length as the sampling pays for
FEWEST_JUMPS = 20  # of a block
COOLING = 36  # most blocks between the hot coldness and the target's before a run
FASTEST = 1.4  # largest factor of the coldness between two blocks
HOT_BLOCKS, COLD_BLOCKS = 4, 4  # before the first step, and at the target
UNPOLISHED_NODES = 128  # above it greedy search goes on where a chain was cooled to, which may then be done fast:
POLISHED_JUMPS, POLISHED_BLOCKS, POLISHED_COOLING = 5, 40, 24  # as JUMPS_PER_NODE, BLOCKS and COOLING
CLIMBING_JUMPS = 2  # per node, of a block of chains that are not heated before greedy search goes on


@dataclass
class Annealing(Schedule):
    """The state of a schedule."""

    hot: float
    target: float
    cost: float = 0.0  # the auxiliary cost per edge at the hot end
    coldness: float = 0.0
    cold_blocks: int = 0
    cooling: int = COOLING  # most blocks between hot and the target
    rounds: int = 0  # still to come, from the hot coldness on, with new missing cells before each
    planned: int = 0  # the length of blocks in this round if there is time for it
    last_length: int = 0  # the same in the last round

    def __post_init__(self) -> None:
        counts = (
            self.length, self.blocks, self.cold_blocks, self.made, self.cooling, self.rounds, self.planned,
            self.last_length,
        )  # fmt: skip
        if not all(v >= 0 for v in (*counts, self.hot, self.target, self.cost, self.coldness)):
            raise SettingsError(f"the state of an annealing must have numbers of at least 0, not {self!r}")

    @classmethod
    def begin(cls, target: Target, jumps: int, climbs: bool = False) -> Self:
        """The schedule for a run of this number of jumps; it makes at most about as many.

        A chain that ``climbs`` is at the target's coldness from its first jump on.
        """
        n = len(target.nodes)
        if climbs:
            return cls.of_blocks(target, min(CLIMBING_JUMPS * n, jumps // POLISHED_BLOCKS), hot=1.0)
        if is_polished(target):
            length = min(POLISHED_JUMPS * n, jumps // POLISHED_BLOCKS)
            return cls.of_blocks(target, length, cooling=POLISHED_COOLING)
        made = cls.of_blocks(target, min(JUMPS_PER_NODE * n, jumps // BLOCKS))
        if target.score.is_incomplete:
            made.rounds, made.last_length = ROUNDS - 1, made.length
            made.length = made.planned = max(FEWEST_JUMPS, min(ROUND_JUMPS_PER_NODE * n, jumps // BLOCKS // ROUNDS))
        return made

    @classmethod
    def of_blocks(cls, target: Target, length: int, *, hot: float | None = None, cooling: int = COOLING) -> Self:
        """The schedule with blocks of this number of jumps.

        ``hot`` is the first coldness as a fraction of the target's; by default one at which the differences of the
        score are of order one. ``cooling`` is the largest number of blocks between it and the target.
        """
        hot = min(target.coldness, hot_coldness(target) if hot is None else hot * target.coldness)
        cost = max(0.0, math.log(max(2, len(target.nodes))) - cost_per_edge(target)) if hot < target.coldness else 0.0
        length = max(FEWEST_JUMPS, length)
        return cls(
            hot=hot, target=target.coldness, length=length, cost=cost, coldness=hot, cooling=cooling, planned=length
        )

    @property
    def slope(self) -> float:
        """The auxiliary log weight per edge at the present coldness."""
        if self.coldness >= self.target or self.cost == 0:
            return 0.0
        return -self.cost * math.log(self.target / self.coldness) / math.log(self.target / self.hot)

    def next(self, chain: Chain, cut: bool, jumps_left: float) -> Tuning | None:
        """The accumulators of the last blocks, at the target, are kept together."""
        self.made += chain.made - self.kept
        if cut:  # it ends at the present coldness, in the middle of a block
            self.length = 0
            return None
        _, spreads = block_averages(chain)
        frozen, coldness = chain.statistics().frozen, self.coldness
        self.kept = chain.made if self.cold_blocks > 0 else 0
        self.blocks += 1
        if self.coldness >= self.target:
            self.cold_blocks += 1
            if self.cold_blocks >= COLD_BLOCKS or frozen:
                self._begin_round(chain)
        elif self.blocks >= HOT_BLOCKS or frozen:
            slowest = (self.target / self.hot) ** (1 / self.cooling)
            step = self.coldness + 1 / max(float(spreads[1]), 1e-300)
            self.coldness = min(self.target, FASTEST * self.coldness, max(slowest * self.coldness, step))
        self.fit(jumps_left)
        if self.cold_blocks > 1:
            return None
        chain.forget()
        return None if self.coldness == coldness else self.tuned(chain.tuning)

    def tuned(self, tuning: Tuning) -> Tuning:
        """With the present coldness and cost per edge."""
        tuning.coldness, tuning.extra_slope = self.coldness, self.slope
        return tuning

    def _begin_round(self, chain: Chain) -> None:
        """The end, or with missing cells the next round."""
        if self.rounds == 0:
            self.length = 0
            return
        self.rounds -= 1
        self.length = self.planned = self.planned if self.rounds else self.last_length
        self.blocks = self.cold_blocks = self.kept = 0
        self.coldness = self.hot
        chain.draw_cells()

    def fit(self, jumps: float) -> None:
        """Make the blocks as long as planned, or so short that the rest of the schedule takes this number of jumps.

        The pace from which the number is computed may grow: the first jumps of a chain fill its cache of rows.
        """
        if not self.over:
            each = COLD_BLOCKS if self.hot >= self.target else HOT_BLOCKS + self.cooling + COLD_BLOCKS
            most = jumps / max(1, each * (1 + self.rounds) - self.blocks)
            self.length = max(FEWEST_JUMPS, int(min(self.planned, most)))


@dataclass(frozen=True)
class AnnealingStatistics:
    """How a chain was cooled: from which coldness, as a fraction of the target's, in how many blocks and jumps.

    ``reached`` is the fraction at which it ended: less than 1 if the clock ended the annealing before the target, and 0
    if there was no time to heat the chain. ``climbed`` says whether it was not heated: with many nodes chains climb
    first, and are heated only if they do not agree.

    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.datasets.load("alzheimer"), jumps=1000, chains=1, rng=1)
    >>> posterior.statistics[0].annealing.hot < 0.5
    True
    """

    hot: float
    blocks: int
    jumps: int
    reached: float = 1.0
    climbed: bool = False


def is_polished(target: Target) -> bool:
    """Whether greedy search goes on where the annealing ends: with many nodes, if no cells are missing."""
    return len(target.nodes) > UNPOLISHED_NODES and not target.score.is_incomplete


def hot_coldness(target: Target) -> float:
    """The coldness, at most that of the target, at which the differences of the score are of order one."""
    return min(target.coldness, target.score.hot_coldness())


def cost_per_edge(target: Target) -> float:
    """The log weight that a graph loses with an edge, on average over the first edges, one per node."""
    prior = target.edge_prior
    if not prior.table:
        return prior.cost
    edges = min(len(prior.table) - 1, len(target.nodes))
    return (prior.table[0] - prior.table[edges]) / edges if edges > 0 else 0.0
