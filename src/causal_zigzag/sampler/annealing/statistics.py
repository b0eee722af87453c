"""AnnealingStatistics: how a chain was cooled before it sampled the target."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AnnealingStatistics:
    """How a chain was cooled: from which coldness, as a fraction of the target's, in how many blocks and jumps.

    ``reached`` is the fraction at which it ended: less than 1 if the clock ended the annealing before the target.

    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.datasets.load("alzheimer"), jumps=1000, chains=1, rng=1)
    >>> posterior.statistics[0].annealing.hot < 0.5
    True
    """

    hot: float
    blocks: int
    jumps: int
    reached: float = 1.0
