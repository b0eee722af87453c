"""When a chain is warm: blocks of jumps of growing length, until two in a row show no drift beside the one before.

Of a block count the time averages of the number of edges and of the score. Where both have moved by less than half of
their spread within the block, twice, there is nothing left to forget that could be seen. Lengths double, so that a
drift too slow for the first blocks is seen by later ones; and the first ones are such that three make a tenth of the
jumps to come, for a long run must be warm on a long scale: among many nodes chains rest for thousands of jumps near a
poor class. All depends on the chain alone: any machine, executor or checkpoint gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag._core import Chain

FIRST = 200  # jumps of the first block, and of the second, at least
PER_NODE = 20  # or this many for a node
PARTS = 40  # or this part of the jumps to come
FEWEST_PARTS = 8  # but no more than this part
CALM = 2  # blocks without drift in a row
DRIFT = 0.5  # in units of the spread
FAINT = (0.05, 0.1)  # less drift than this, in edges and in score, is none


@dataclass
class WarmUp:
    """The state of a warm-up in plain numbers; ``length`` is that of the present block, 0 where it is over."""

    most: int
    length: int
    made: int = 0  # jumps in finished blocks
    blocks: int = 0
    calm: int = 0  # of them the last so many showed no drift
    edges: float = 0.0  # time averages over the last finished block
    score: float = 0.0
    drifting: bool = False  # it ended since it had to

    @classmethod
    def begin(cls, nodes: int, jumps: int) -> WarmUp:
        """The warm-up of a chain on so many nodes, for so many jumps to come, which are also its limit."""
        return cls(jumps, min(max(FIRST, PER_NODE * nodes, jumps // PARTS), max(1, jumps // FEWEST_PARTS)))

    @classmethod
    def fixed(cls, jumps: int) -> WarmUp:
        """A warm-up of just so many jumps, whatever the chain does."""
        return cls(jumps, jumps)

    @property
    def over(self) -> bool:
        """Whether nothing of it is left."""
        return self.length == 0

    def finish_block(self, chain: Chain) -> None:
        """Hear what the chain has accumulated in the present block, let it forget that, and set the next block."""
        state = chain.statistics()
        means, spreads = block_averages(chain)
        moved = np.abs(means - (self.edges, self.score))
        still = self.blocks > 0 and bool(np.all(moved <= np.maximum(DRIFT * spreads, FAINT)))
        self.calm = self.calm + 1 if still else 0
        self.made += int(state["jumps"])
        self.edges, self.score = means.tolist()
        self.blocks += 1
        if self.calm == CALM or state["frozen"]:
            self.length = 0
        else:
            self.length = min(self.length if self.blocks == 1 else 2 * self.length, self.most - self.made)
            self.drifting = self.length == 0 and self.blocks > 1
        chain.forget()


def block_averages(chain: Chain) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The time averages of edges and score (relative to the start) since the chain last forgot, and their spreads."""
    integrals: NDArray[Any] = chain.batches()["integrals"]
    _, time, edges, edges2, score, score2 = integrals.reshape(-1, 6).sum(axis=0)
    if not time > 0:
        return np.array([chain.edge_count, chain.score], dtype=np.float64), np.zeros(2)
    means = np.array([edges, score]) / time
    spreads = np.sqrt(np.maximum(0, np.array([edges2, score2]) / time - means**2))
    means[1] += chain.statistics()["score_reference"]
    return means, spreads
