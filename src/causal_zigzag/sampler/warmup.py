"""WarmUp: the length of a warm-up. It stops after two consecutive blocks without drift relative to the previous one.

A block is a number of jumps. The time averages of the number of edges and of the score over a block are compared with
those of the previous block; there is no drift if both have moved by less than half of their spread within the block.
The length of blocks doubles, so that later blocks detect a drift that is too slow for the first ones. The first three
blocks together have at least a tenth of the jumps of the run, because with many nodes chains can stay near a poor class
for thousands of jumps. The length depends on the chain alone, not on the machine, the executor or checkpoints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from causal_zigzag.errors import SettingsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag._core import Chain
    from causal_zigzag.sampler.excursions.plan import ExcursionSetting

FIRST = 200  # least number of jumps of the first and the second block
PER_NODE = 5  # the same per node
PARTS = 40  # and as a part of the jumps of the run
FEWEST_PARTS = 8  # greatest length of the first block, as a part of the jumps of the run
CALM = 2  # consecutive blocks without drift
DRIFT = 0.5  # in units of the spread
NEGLIGIBLE = (0.05, 0.1)  # a smaller drift, in edges and in score, is always ignored


@dataclass
class WarmUp:
    """The state of a warm-up; ``length`` is the number of jumps of the current block, 0 if the warm-up is over."""

    most: int
    length: int
    made: int = 0  # jumps in finished blocks
    blocks: int = 0
    calm: int = 0  # consecutive blocks without drift so far
    edges: float = 0.0  # time averages over the last finished block
    score: float = 0.0
    drifting: bool = False  # it ended at its limit, with drift, or by the clock
    kept: ClassVar[int] = 0  # of the jumps made, those still in the accumulators of the chain
    excursion: ExcursionSetting | None = None  # of the current block, and after the end of the warm-up
    sqrt_weight: float | None = None  # likewise, with balance="auto"

    def __post_init__(self) -> None:
        if min(self.most, self.length, self.made, self.blocks, self.calm) < 0:
            raise SettingsError(f"the state of a warm-up must have numbers of at least 0, not {self!r}")
        if self.sqrt_weight is not None and not self.sqrt_weight > 0:
            raise SettingsError(f"the weight of sqrt must be a number above 0, not {self.sqrt_weight!r}")

    @classmethod
    def begin(cls, nodes: int, jumps: int) -> WarmUp:
        """An automatic warm-up for a graph with this number of nodes; its limit is the number of jumps of the run."""
        return cls(jumps, min(max(FIRST, PER_NODE * nodes, jumps // PARTS), max(1, jumps // FEWEST_PARTS)))

    @classmethod
    def fixed(cls, jumps: int) -> WarmUp:
        """A warm-up of exactly this number of jumps."""
        return cls(jumps, jumps)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.length == 0

    def finish_block(self, chain: Chain, cut: bool = False) -> None:
        """Update from the block that the chain has just finished, and reset the accumulators of the chain.

        If the clock has ``cut`` the block short, the warm-up is over and counts as drifting.
        """
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


def block_averages(chain: Chain) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The time averages of edges and score (relative to the start) since the last reset, and their spreads."""
    integrals: NDArray[Any] = chain.batches()["integrals"]
    _, time, edges, edges2, score, score2 = integrals.reshape(-1, 6).sum(axis=0)
    if not time > 0:
        return np.array([chain.edge_count, chain.score], dtype=np.float64), np.zeros(2)
    means = np.array([edges, score]) / time
    spreads = np.sqrt(np.maximum(0, np.array([edges2, score2]) / time - means**2))
    means[1] += chain.statistics().score_reference
    return means, spreads
