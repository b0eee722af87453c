"""AncestralDiagnostics: whether the chains of ancestral graphs agree."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.ancestral.agreement import AGREED, differences
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from causal_zigzag.ancestral.chains import ChainsRun


@dataclass(frozen=True)
class AncestralDiagnostics:
    """Whether a run has converged, as far as its chains can show.

    ``largest_difference`` is that between two chains, of any probability of a pair, and ``pair`` is this pair. With one
    chain nothing is known.
    """

    chains: int
    largest_difference: float
    pair: tuple[Hashable, Hashable]
    steps: int
    rounds: int
    interrupted: bool

    @property
    def ok(self) -> bool:
        """Whether the chains agree: no probability differs by more than 0.05."""
        return self.chains > 1 and self.largest_difference <= AGREED and not self.interrupted

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        if self.chains == 1:
            return "Not converged, as far as is known: one chain cannot be compared with another; use chains=2"
        x, y = self.pair
        said = f"the {self.chains} chains differ by up to {self.largest_difference:.2f}, for {show(x)} and {show(y)}"
        if self.ok:
            return f"Converged: {said}"
        ended = "; Ctrl-C ended the run" if self.interrupted else ""
        return f"Not converged: {said}{ended}. Give it more time: minutes=..., or fewer columns: columns=[...]"

    def __str__(self) -> str:
        return f"{self.verdict} ({count(self.steps, 'step')} in {count(self.rounds, 'round')})"


def diagnose(run: ChainsRun, nodes: tuple[Hashable, ...]) -> AncestralDiagnostics:
    """The diagnostics of a run."""
    apart = differences(run.chains)
    x, y = np.unravel_index(int(np.triu(np.maximum(apart, apart.T)).argmax()), apart.shape)
    if x == y:  # no difference at all
        x, y = np.intp(0), np.intp(1)
    steps = sum(chain.steps for chain in run.chains)
    return AncestralDiagnostics(
        len(run.chains), float(apart.max()), (nodes[x], nodes[y]), steps, len(run.differences), run.interrupted
    )
