"""Runs chains of ancestral graphs in threads, in rounds, until they agree or the time is over."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.ancestral.agreement import STOPPING, largest_difference
from causal_zigzag.sampler.parallel.progress import ProgressBar
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.interrupts import Interrupts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.ancestral.target import AncestralTarget

HOT, HOT_ROWS = 0.3, 300  # a round begins at this coldness, or that at which the rows are worth this number of rows
ANNEALED, DISCARDED = 0.2, 0.2  # shares of the steps of a round
FIRST_ROUND = 20_000  # steps per node
KEPT = 2000  # graphs of a chain and round
GROWTH = 2.0  # of the steps of a round relative to the previous one
SLICE = 0.1  # seconds between looks at Ctrl-C, the clock and the progress bar
FEWEST = 1000  # steps that count in any case


@dataclass(frozen=True)
class AncestralChain:
    """What one chain has counted in its last round."""

    states: NDArray[np.float64]  # [x, y, state]: the share of the steps with the pair x < y in this state
    ancestors: NDArray[np.float64]  # [x, y]: with x an ancestor of y
    kept: NDArray[np.uint8]  # graphs at regular steps, as rows of the states of their pairs
    steps: int  # in all rounds
    counted: int  # those of the last round that count
    jumps: int
    fits: int  # of districts


@dataclass(frozen=True)
class ChainsRun:
    """The chains, how many rounds they made, how far apart they were after each, and whether Ctrl-C ended them."""

    chains: tuple[AncestralChain, ...]
    differences: tuple[float, ...]
    seconds: float
    interrupted: bool = False


class _StoppedError(Exception):
    """The time is over, or Ctrl-C was pressed."""


class _Rounds:
    """Chains that run together, each in a thread."""

    def __init__(
        self, chains: list[core.MagChain], hot: float, ends: float, interrupts: Interrupts, bar: ProgressBar
    ) -> None:
        self.chains, self.hot, self.ends, self.interrupts, self.bar = chains, hot, ends, interrupts, bar
        self.pool = ThreadPoolExecutor(len(chains))
        self.differences: list[float] = []

    def run(self, steps: int) -> None:
        """Make this number of steps of every chain, or raise _StoppedError."""
        left = [steps] * len(self.chains)
        while any(left):
            if self.interrupts.noted() or time.monotonic() > self.ends:
                raise _StoppedError
            made = self.pool.map(lambda chain, own: chain.run(own, SLICE), self.chains, left)
            left = [own - done for own, done in zip(left, made, strict=True)]
            said = f"chains differ by {self.differences[-1]:.2f}" if self.differences else "first round"
            self.bar.show(sum(chain.steps for chain in self.chains), said)

    def round(self, steps: int) -> tuple[AncestralChain, ...] | None:
        """Anneal, discard and count; None if the time is over before half of what counts is counted."""
        annealed, discarded = math.ceil(ANNEALED * steps), math.ceil(DISCARDED * steps)
        counted = max(1, steps - annealed - discarded)
        for chain in self.chains:
            chain.thin(0)
            chain.anneal(annealed, self.hot)
        try:
            self.run(annealed + discarded)
            for chain in self.chains:
                chain.forget()
                chain.thin(max(1, counted // KEPT))
            self.run(counted)
        except _StoppedError:
            if any(2 * chain.times()[0] < counted for chain in self.chains):
                return None
        return self.results()

    def longer(self, steps: int) -> tuple[AncestralChain, ...]:
        """Count this number of further steps, or as many as there is time for."""
        with suppress(_StoppedError):
            self.run(steps)
        return self.results()

    def cut_short(self) -> tuple[AncestralChain, ...]:
        """What there is if even the first round was not completed: the graphs where the chains are."""
        for chain in self.chains:
            chain.anneal(0, 1.0)
            chain.forget()
            chain.thin(1)
            chain.run(FEWEST, math.inf)
        return self.results()

    def results(self) -> tuple[AncestralChain, ...]:
        found = tuple(_result(chain) for chain in self.chains)
        self.differences.append(largest_difference(found))
        return found

    def until_agreed(self, length: int) -> tuple[AncestralChain, ...]:
        """Rounds, each longer than the previous one; the last one is made longer by what is left of the time."""
        found = None
        while True:
            begun = time.monotonic()
            made = self.round(length)
            if made is None:
                return found or self.cut_short()
            found = made
            took, left = time.monotonic() - begun, self.ends - time.monotonic()
            if self.differences[-1] <= STOPPING or self.interrupts.noted():
                return found
            if left < took:
                return self.longer(math.ceil(length * left / took))
            length = math.ceil(length * min(GROWTH, left / took))


def run_chains(
    target: AncestralTarget,
    starts: Sequence[NDArray[np.uint8]],
    generator: np.random.Generator,
    steps: int | None,
    seconds: float,
    shown: bool,
) -> ChainsRun:
    """One round of this number of steps; without one, rounds of increasing length until the chains agree.

    A round anneals every chain again, so that chains that agree have found the same graphs independently, and only its
    second half counts.
    """
    begun = time.monotonic()
    chains = [
        core.MagChain(target.core(), start[None, :], generator.integers(0, 2**64, size=4, dtype=np.uint64))
        for start in starts
    ]
    bar = ProgressBar(shown, None if steps is None else steps * len(chains), "hidden causes", " steps")
    with Interrupts() as interrupts:
        hot = min(HOT, HOT_ROWS / target.score.n_samples)
        rounds = _Rounds(chains, hot, math.inf if steps is not None else begun + seconds, interrupts, bar)
        try:
            if steps is None:
                found = rounds.until_agreed(FIRST_ROUND * len(target.nodes))
            else:
                found = rounds.round(steps) or rounds.cut_short()
        finally:
            rounds.pool.shutdown()
            bar.close()
        return ChainsRun(found, tuple(rounds.differences), time.monotonic() - begun, interrupts.noted())


def _result(chain: core.MagChain) -> AncestralChain:
    total, states, ancestors = chain.times()
    n = math.isqrt(len(ancestors))
    return AncestralChain(
        read_only(states.reshape(n, n, 4) / total),
        read_only(ancestors.reshape(n, n) / total),
        read_only(chain.kept().reshape(-1, n * (n - 1) // 2)),
        chain.steps,
        total,
        chain.jumps,
        chain.fits,
    )
