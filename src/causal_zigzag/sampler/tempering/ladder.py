"""Ladders of coldness for parallel tempering: the setting, the measured ladder, its adaptation and its statistics.

The ladder of ``tempering="auto"`` comes from the scores that annealed chains had at every coldness. Where scores are
nearly normal with standard deviation σ(β), an exchange between β and β + dβ is rejected with probability σ(β) dβ / √π.
The integral Λ of this rate over the coldness is the communication barrier, and about 2Λ rungs at equal steps of it are
best (Syed et al. 2022, section 4). The annealing has measured σ on its way from the coldness at which chains move
freely to the target, so the barrier is known before the first exchange.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.annealing.schedule import cost_per_edge
from causal_zigzag.support.validation import as_whole, is_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.sampler.annealing.annealed_chain import AnnealedChain
    from causal_zigzag.target.target import Target

Tempering = int | tuple[float, ...] | Literal["auto"]
"""The number of temperatures, their coldness as fractions of the target's, increasing to 1, or "auto"."""

REJECTED = 0.5  # fraction of rejected swaps for which states travel fastest per work (Syed et al. 2022, section 4)
MOST = 1000  # temperatures
FIRST_RATIO = 0.8  # of the coldness of neighboring rungs, on the ladder that the warm-up starts with
STEEPEST = 4.0  # a ladder is lengthened downwards by at most this factor at a time
LEAST_REJECTED = 0.01  # so that no two rungs coincide
MOST_RUNGS = 64
SHORTEST = (0.5, 1.0)  # for targets at which chains move freely
LEAST_STEP = 1e-6  # of the barrier, relative to the largest, so that no two rungs coincide
MANY_NODES = 16  # with more, graphs without a cost per edge are too dense at a low coldness
LOWEST_DENSE = 0.3  # fraction of the coldness at which the score alone keeps such graphs sparse


@dataclass(frozen=True)
class TemperingStatistics:
    """The exchanges of one tempered chain after its warm-up.

    ``ladder`` has the coldness of each rung as a fraction of the target's, the target last; ``swap_rates`` the expected
    fraction of accepted swaps between neighbors, and ``jumps`` the number of jumps on each rung. ``round_trips`` counts
    how often the target received a state that had been on the first rung since it was last at the target.

    >>> import causal_zigzag as cz
    >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100)
    >>> posterior = cz.sample(score, jumps=1000, chains=1, tempering=(0.0, 1.0), rng=1)
    >>> posterior.statistics[0].tempering.ladder
    (0.0, 1.0)
    """

    ladder: tuple[float, ...]
    swap_rates: tuple[float, ...]
    jumps: tuple[int, ...]
    exchanges: int
    round_trips: int

    @property
    def barrier(self) -> float:
        """The communication barrier of the ladder: the sum of its rejection rates, which hardly depends on the rungs.

        About twice as many temperatures are best; with far fewer, no state travels from one end to the other.

        >>> from causal_zigzag import TemperingStatistics
        >>> TemperingStatistics((0.0, 0.5, 1.0), (0.75, 0.5), (9, 9, 9), 10, 2).barrier
        0.75
        """
        return sum(1 - rate for rate in self.swap_rates)


def read_tempering(tempering: Any) -> Tempering | None:
    """The validated setting."""
    if tempering is None or (isinstance(tempering, str) and tempering == "auto"):
        return tempering  # type: ignore[return-value] # a str that equals "auto"
    expected = (
        'tempering must be None, "auto", a number of temperatures of at least 2, or a ladder of coldness values that '
        "increase from at least 0 to 1, the target's"
    )
    number = as_whole(tempering)
    if number is not None:
        if not 2 <= number <= MOST:
            raise SettingsError(f"{expected}, not {tempering!r}" + (f"; at most {MOST}" if number > MOST else ""))
        return number
    if isinstance(tempering, (str, bytes)) or not isinstance(tempering, Iterable):
        raise SettingsError(f"{expected}, not {tempering!r}")
    ladder = tuple(tempering)
    grows = all(is_real(b) for b in ladder) and all(a < b for a, b in pairwise(ladder))
    if not grows or not 2 <= len(ladder) <= MOST or not ladder[0] >= 0 or ladder[-1] != 1:
        raise SettingsError(f"{expected}, not {list(ladder)!r}")
    return tuple(float(b) for b in ladder)


def first_ladder(tempering: Tempering, measured: Sequence[float] = ()) -> NDArray[np.float64]:
    """The ladder that a warm-up starts with; for "auto" the one that the annealing has ``measured``."""
    if not isinstance(tempering, int):
        return np.array(measured if tempering == "auto" else tempering, dtype=np.float64)
    return FIRST_RATIO ** np.arange(tempering - 1.0, -1.0, -1.0)


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


def adapted(
    ladder: NDArray[np.float64], rejected: Sequence[float], lengthen: bool = True, same_ends: bool = False
) -> NDArray[np.float64]:
    """A ladder with the same number of rungs and more equal rejection rates, from the rates observed on this one.

    Rejection rates add up to the barrier Λ(β), a property of the target (Syed et al. 2022, theorem 2): swaps between
    rungs at equal steps of it are rejected equally often. The ladder extends down as far as its rungs reach with
    ``REJECTED`` per step, at most to 0, where the target is the edge prior. Below the present ladder the barrier is
    extrapolated, so the last change of a ladder must not ``lengthen`` it. With ``same_ends`` it keeps its length.

    >>> adapted(np.array([0.25, 0.5, 1.0]), [0.2, 0.8]).round(3).tolist()
    [0.25, 0.688, 1.0]
    """
    steps = np.maximum(rejected, LEAST_REJECTED)
    barrier = np.concatenate([[0.0], np.cumsum(steps)])
    missing = REJECTED * len(steps) - barrier[-1]
    begin = 0.0 if same_ends else max(0.0, -missing)
    if missing > 0 and ladder[0] > 0 and lengthen and not same_ends:
        begin, lowest = _extended(ladder, float(steps[0]), float(missing))
        barrier, ladder = np.concatenate([[begin], barrier]), np.concatenate([[lowest], ladder])
    return np.asarray(np.interp(np.linspace(begin, barrier[-1], len(steps) + 1), barrier, ladder))


def _extended(ladder: NDArray[np.float64], step: float, missing: float) -> tuple[float, float]:
    """A point of the barrier below the ladder: at 0 if linear growth reaches it, else by growth with log β."""
    rest = step * ladder[0] / (ladder[1] - ladder[0])
    if rest <= missing:
        return -rest, 0.0
    ratio = math.log(ladder[1] / ladder[0])
    down = min(missing / step * ratio, math.log(STEEPEST))
    return -down / ratio * step, ladder[0] * math.exp(-down)


def in_words(ran: Sequence[TemperingStatistics]) -> str:
    """The exchanges of all chains in one line."""
    low = min(s.ladder[0] for s in ran)
    rates = [rate for s in ran for rate in s.swap_rates]
    trips = sum(s.round_trips for s in ran)
    return (
        f"{len(ran[0].ladder)} temperatures from {low:.3g} of the coldness, swaps accepted {min(rates):.0%} to "
        f"{max(rates):.0%}, {trips:,} round trips, barrier {max(s.barrier for s in ran):.2g}"
    )
