"""annealed_ladder: the ladder of ``tempering="auto"``, from the scores that annealed chains had at every coldness.

Where scores are nearly normal with standard deviation σ(β), an exchange between β and β + dβ is rejected with
probability σ(β) dβ / √π. The integral Λ of this rate over the coldness is the communication barrier, and about 2Λ
rungs at equal steps of it are best (Syed et al. 2022, section 4). The annealing has measured σ on its way from the
coldness at which chains move freely to the target, so the barrier is known before the first exchange.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.sampler.annealing.schedule import cost_per_edge
from causal_zigzag.sampler.tempering.ladder import REJECTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.sampler.annealing.annealed_chain import AnnealedChain
    from causal_zigzag.target.target import Target

MOST_RUNGS = 64
SHORTEST = (0.5, 1.0)  # for targets at which chains move freely
LEAST_STEP = 1e-6  # of the barrier, relative to the largest, so that no two rungs coincide
MANY_NODES = 16  # with more, graphs without a cost per edge are too dense at a low coldness
LOWEST_DENSE = 0.3  # fraction of the coldness at which the score alone keeps such graphs sparse


def annealed_ladder(target: Target, annealed: Sequence[AnnealedChain]) -> tuple[float, ...]:
    """The coldness of each rung as a fraction of the target's; the same for all chains."""
    paths = [chain.path for chain in annealed]
    dense = len(target.nodes) > MANY_NODES and cost_per_edge(target) <= 0
    return equal_steps(paths, target.coldness, LOWEST_DENSE * target.coldness if dense else 0.0)


def equal_steps(paths: Sequence[NDArray[np.float64]], coldness: float, lowest: float = 0.0) -> tuple[float, ...]:
    """A ladder at equal steps of the barrier, down to the first coldness of the paths, but not below ``lowest``.

    A path has rows of coldness, mean and standard deviation of the score, with increasing coldness.

    >>> path = np.array([[0.25, 0.0, 4.0], [0.5, 4.0, 4.0], [1.0, 12.0, 4.0]])
    >>> np.round(equal_steps([path], 1.0), 3).tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    grid, barrier = pooled_barrier(paths, lowest)
    if not len(grid) or not barrier[-1] > 0:
        return SHORTEST
    pairs = min(max(1, round(barrier[-1] / REJECTED)), MOST_RUNGS - 1)
    inner = np.interp(np.linspace(0, barrier[-1], pairs + 1)[:-1], barrier, grid) / coldness
    return (*(float(fraction) for fraction in inner), 1.0)


def pooled_barrier(
    paths: Sequence[NDArray[np.float64]], lowest: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Every coldness of any path, and the barrier from the first one to it, on average over the chains."""
    barriers = [_barrier(path) for path in paths if len(path)]
    if not barriers:
        return np.empty(0), np.empty(0)
    grid = np.unique(np.concatenate([coldness for coldness, _ in barriers]))
    low = min(max(grid[0], lowest), grid[-1])
    grid = np.concatenate([[low], grid[grid > low]])
    barrier = np.mean([np.interp(grid, *one) for one in barriers], axis=0)
    return grid, barrier - barrier[0]


def _barrier(path: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The coldness of each step of a path, and the barrier from the first one to it.

    In equilibrium the mean of the score grows by σ² dβ. Where it grows faster, the blocks were too short to show all of
    σ, and the difference of the means counts. Of several blocks at one coldness, the last is nearest to equilibrium.
    """
    coldness, means, deviations = path[np.append(path[1:, 0] > path[:-1, 0], True)].T
    widths = np.diff(coldness)
    seen = widths * (deviations[1:] + deviations[:-1]) / 2
    lengths = np.maximum(seen, np.sqrt(widths * np.maximum(0, np.diff(means))))
    if len(lengths):
        lengths = np.maximum(lengths, LEAST_STEP * lengths.max())
    return coldness, np.concatenate([[0.0], np.cumsum(lengths)]) / math.sqrt(math.pi)
