"""Schedule: in which blocks a chain is run, and how it is tuned after each; warm-ups and annealings are schedules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from causal_zigzag._core import Chain, Tuning


@dataclass
class Schedule:
    """Blocks of jumps; ``length`` is the number of jumps of the current block, 0 at the end.

    Its state is saved with that of the chain, so that both continue together.
    """

    length: int
    made: int = field(default=0, kw_only=True)  # jumps in finished blocks
    kept: int = field(default=0, kw_only=True)  # of them, those still in the accumulators of the chain
    blocks: int = field(default=0, kw_only=True)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.length == 0

    def pauses(self) -> list[int]:
        """The numbers of jumps in the current block after which the chain is looked at; the last is its length."""
        return [self.length]

    def next(self, chain: Chain, cut: bool, jumps_left: float) -> Tuning | None:
        """Begin the block after the one that the chain has made; returns its tuning, None if that stays.

        What the chain has accumulated in blocks that count no longer is cleared. The clock may have ``cut`` the block
        short; until the deadline there is time for about ``jumps_left`` jumps.
        """
        raise NotImplementedError


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
