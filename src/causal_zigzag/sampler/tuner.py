"""Tuner: chooses the weight of sqrt and the excursions of a chain, after each block of its warm-up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from causal_zigzag.sampler.balance import SQRT_ALONE, mixes, next_weight

if TYPE_CHECKING:
    from causal_zigzag._core import Chain, Tuning
    from causal_zigzag.sampler.chain_task import ChainTask


@dataclass(frozen=True, eq=False)
class Tuner:
    """Tunes the chain of a task, which makes this number of jumps after its warm-up."""

    task: ChainTask
    jumps: int

    def begin(self, chain: Chain, length: int) -> None:
        """Tune a new chain for its first block, of this length."""
        plan = self.task.stage.plan
        if plan is not None:
            chain.tune(self.limited(plan.begin(chain.tuning, self.task.start.log2_pace), length))

    def tuned(self, chain: Chain, settled: bool) -> Tuning:
        """The tuning for the next block, from what the chain did in the last one; ``settled`` if it did not drift."""
        task, tuning, faster = self.task, chain.tuning, 0.0
        # a chain that was not annealed may still climb
        settled = settled or task.start.sqrt_weight < SQRT_ALONE or task.settings.warmup is not None
        if settled and mixes(task.settings, task.target):
            tuning.sqrt_weight, faster = next_weight(chain, tuning.sqrt_weight, len(task.target.nodes))
        if task.stage.plan is not None:
            if tuning.log2_rate == -math.inf:  # the plan of a resumed run may be its first
                task.stage.plan.begin(tuning, task.start.log2_pace)
            task.stage.plan.tune(tuning, chain.statistics(), faster)
        return tuning

    def limited(self, tuning: Tuning, length: int) -> Tuning:
        """With the most excursions of a block of this length, or of the jumps after the warm-up."""
        if self.task.stage.plan is not None:
            tuning.most_excursions = self.task.stage.plan.most(length or self.jumps)
        return tuning
