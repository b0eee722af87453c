"""ChainRunner: runs a chain in slices of time, so that it can be stopped, observed and saved."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from causal_zigzag.errors import CausalZigzagError, CheckpointError
from causal_zigzag.sampler.chain_task import SLICE

if TYPE_CHECKING:
    from collections.abc import Callable

    from causal_zigzag._core import Chain, ChainStatistics
    from causal_zigzag.sampler.annealing.schedule import Annealing
    from causal_zigzag.sampler.chain_task import ChainTask, Meter, Signal
    from causal_zigzag.sampler.warmup import WarmUp


class ChainRunner:
    """Runs a chain; between slices it checks whether to stop, shows progress and saves the state."""

    def __init__(
        self, chain: Chain, stage: WarmUp | Annealing, task: ChainTask, stop: Signal | None, meter: Meter
    ) -> None:
        self.chain, self.stage, self.task, self.stop, self.meter = chain, stage, task, stop, meter
        self.stopped = self.too_dense = False
        self.made = chain.made

    def run(self, jumps: int) -> bool:
        """Run until the chain has made this many jumps since its accumulators were last reset, or can make no more.

        That is where it is frozen, or rests so long in a class that it has made all the excursions it may. Returns
        False if it stopped before.
        """
        try:
            state = self._progress()
            while not (self._at_end(jumps, state) or self.too_dense or self.stopped or self._time_is_up()):
                self.chain.run(jumps - self.made, SLICE)
                state = self._progress()
                self.too_dense = state.dense_node >= 0
                self.stopped = self.stop is not None and self.stop.is_set() and not self._at_end(jumps, state)
                if self.task.files is not None and not self._at_end(jumps, state) and not self.too_dense:
                    self.task.files.save_if_due(self.chain, self.stage)
        except KeyboardInterrupt:
            self.stopped = True
        return self._at_end(jumps, self.chain.statistics())

    def _at_end(self, jumps: int, state: ChainStatistics) -> bool:
        return self.made >= jumps or state.frozen or state.excursions_spent

    def check_density(self) -> None:
        """A SettingsError if the graph became too dense for its operators to be listed."""
        if self.too_dense:
            after = self.chain.statistics()
            raise self.task.target.too_dense(after.dense_node, after.dense_clique)

    def _progress(self) -> ChainStatistics:
        state = self.chain.statistics()
        self.made = state.jumps
        self.meter.show(self.stage.made - self.stage.kept + self.made, self.chain.edge_count, self.chain.score)
        return state

    def _time_is_up(self) -> bool:
        return self.task.deadline is not None and time.time() >= self.task.deadline


def continued(number: int, make: Callable[[], Chain]) -> Chain:
    """The chain that ``make`` returns; a CheckpointError if its saved state belongs to another version."""
    try:
        return make()
    except ValueError as error:
        if isinstance(error, CausalZigzagError):
            raise
        raise CheckpointError(
            f"the checkpoint of chain {number} cannot be continued: {error}; finish it with the version of "
            f"causal-zigzag that wrote it, or start again in another directory"
        ) from None
