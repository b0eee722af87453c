"""WarmUp: the length of a warm-up. It stops after two consecutive blocks without drift relative to the previous one.

A block is a number of jumps. The time averages of the number of edges and of the score over a block are compared with
those of the previous block; there is no drift if both have moved by less than half of their spread within the block.
The length of blocks doubles, so that later blocks detect a drift that is too slow for the first ones. The first three
blocks together have at least a tenth of the jumps of the run, because with many nodes chains can stay near a poor class
for thousands of jumps. The length depends on the chain alone, not on the machine, the executor or checkpoints.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.schedule import Schedule, block_averages

if TYPE_CHECKING:
    from causal_zigzag._core import Chain, Tuning
    from causal_zigzag.sampler.tuner import Tuner

FIRST = 200  # least number of jumps of the first and the second block
PER_NODE = 5  # the same per node
PARTS = 40  # and as a part of the jumps of the run
FEWEST_PARTS = 8  # greatest length of the first block, as a part of the jumps of the run
CALM = 2  # consecutive blocks without drift
DRIFT = 0.5  # in units of the spread
NEGLIGIBLE = (0.05, 0.1)  # a smaller drift, in edges and in score, is always ignored


@dataclass
class WarmUp(Schedule):
    """The state of a warm-up, and the tuner that changes its chain, which is not saved."""

    most: int
    calm: int = 0  # consecutive blocks without drift so far
    edges: float = 0.0  # time averages over the last finished block
    score: float = 0.0
    drifting: bool = False  # it ended at its limit, with drift, or by the clock
    tuner: Tuner | None = field(default=None, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if min(self.most, self.length, self.made, self.blocks, self.calm) < 0:
            raise SettingsError(f"the state of a warm-up must have numbers of at least 0, not {self!r}")
        if self.length > self.most:
            raise SettingsError(f"a block of a warm-up cannot be longer than all of it, as in {self!r}")

    @classmethod
    def begin(cls, nodes: int, jumps: int) -> WarmUp:
        """An automatic warm-up for a graph with this number of nodes; its limit is the number of jumps of the run."""
        length = min(max(FIRST, PER_NODE * nodes, jumps // PARTS), max(1, jumps // FEWEST_PARTS))
        return cls(length, jumps)

    @classmethod
    def fixed(cls, jumps: int) -> WarmUp:
        """A warm-up of exactly this number of jumps."""
        return cls(jumps, jumps)

    def next(self, chain: Chain, cut: bool, jumps_left: float) -> Tuning | None:  # noqa: ARG002 - of a Schedule
        """If the clock has cut the block short, the warm-up is over and counts as drifting."""
        tuning = None if self.tuner is None else self.tuner.tuned(chain, self.calm > 0)
        state = chain.statistics()
        means, spreads = block_averages(chain)
        moved = np.abs(means - (self.edges, self.score))
        still = self.blocks > 0 and bool(np.all(moved <= np.maximum(DRIFT * spreads, NEGLIGIBLE)))
        self.calm = self.calm + 1 if still else 0
        self.made += state.jumps
        self.edges, self.score = means.tolist()
        self.blocks += 1
        if cut:
            self.length, self.drifting = 0, True
        elif self.calm == CALM or state.frozen:
            self.length = 0
        else:
            self.length = min(self.length if self.blocks == 1 else 2 * self.length, max(0, self.most - self.made))
            self.drifting = self.length == 0 and self.blocks > 1
        chain.forget()
        return tuning if self.tuner is None or tuning is None else self.tuner.limited(tuning, self.length)
