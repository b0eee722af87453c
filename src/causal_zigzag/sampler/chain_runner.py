"""ChainRunner: runs a chain in slices of time, so that it can be stopped, observed and saved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from causal_zigzag.sampler.chain_task import SLICE
from causal_zigzag.support import clock

if TYPE_CHECKING:
    from causal_zigzag._core import Chain
    from causal_zigzag.sampler.annealing.schedule import Annealing
    from causal_zigzag.sampler.chain_task import ChainTask, Meter, Signal
    from causal_zigzag.sampler.warmup import WarmUp


class ChainRunner:
    """Runs a chain; between slices it checks whether to stop, shows progress and saves the state.

    ``stopped`` says whether it was signalled to stop.
    """

    def __init__(
        self, chain: Chain, stage: WarmUp | Annealing, task: ChainTask, stop: Signal | None, meter: Meter
    ) -> None:
        self.chain, self.stage, self.task, self.stop, self.meter = chain, stage, task, stop, meter
        self.stopped = False
        self._pace = math.inf  # jumps per second of the last call

    def run(self, jumps: int, deadline: float) -> bool:
        """Run until the chain has made this many jumps since its accumulators were last reset, or can make no more.

        That is where it is frozen, or rests so long in a class that it has made all the excursions it may. Returns
        False if it stopped before. A SettingsError if the graph becomes too dense for its operators to be listed.
        """
        begun, before = clock.now(), self.chain.made
        at_end = False
        try:
            at_end = self._look(jumps)
            while not (at_end or self.stopped or clock.now() >= deadline):
                self.chain.run(jumps - self.chain.made, SLICE)
                at_end = self._look(jumps)
                self.stopped = not at_end and self.stop is not None and self.stop.is_set()
                if not at_end:
                    self.task.store.save_if_due(self.chain, self.stage)
        except KeyboardInterrupt:  # in a worker process
            self.stopped = True
        if self.chain.made > before:
            self._pace = (self.chain.made - before) / max(clock.now() - begun, 1e-9)
        return at_end

    def jumps_until(self, deadline: float) -> float:
        """The number of jumps that can be made until then at the present pace, infinite if that is not known yet."""
        return self._pace * max(0.0, deadline - clock.now()) if self._pace < math.inf else math.inf

    def first_event(self) -> None:
        """Run until something has been accumulated, however late it is."""
        state = self.chain.statistics()
        while not state.time.expected > 0 and not state.frozen and not self.stopped:
            self.run(self.chain.made + 1, clock.now() + SLICE)
            state = self.chain.statistics()

    def _look(self, jumps: int) -> bool:
        """Show where the chain is; whether it is at its end."""
        state = self.chain.statistics()
        if state.dense_node >= 0:
            raise self.task.target.too_dense(state.dense_node, state.dense_clique)
        self.meter.show(self.stage.made - self.stage.kept + state.jumps, self.chain.edge_count, self.chain.score)
        return state.jumps >= jumps or state.frozen or state.excursions_spent
