"""Driver: the loop in which every chain is run, with its deadline, its checkpoint, its progress and Ctrl-C."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from causal_zigzag.sampler.chain_task import SLICE
from causal_zigzag.support import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from causal_zigzag._core import Chain
    from causal_zigzag.sampler.chain_task import Meter, Signal
    from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles, ChainMemory
    from causal_zigzag.sampler.schedule import Schedule
    from causal_zigzag.target.target import Target


class Driver:
    """Runs a chain by a schedule; between slices of time it looks at the clock, and shows and saves where the chain is.

    ``stopped`` says whether it was signalled to stop.
    """

    def __init__(
        self,
        chain: Chain,
        schedule: Schedule,
        target: Target,
        meter: Meter,
        store: ChainFiles | ChainMemory | None = None,
        stop: Signal | None = None,
    ) -> None:
        self.chain, self.schedule, self.stopped = chain, schedule, False
        self._target, self._meter, self._store, self._stop = target, meter, store, stop
        self._pace = math.inf  # jumps per second of the last call

    def follow(self, deadline: float, visit: Callable[[], None] | None = None) -> None:
        """Run one block after another, until the schedule is over, the deadline has passed or the chain is stopped.

        ``visit`` is called where the schedule pauses within blocks, and at their ends.
        """
        while not (self.schedule.over or self.stopped):
            finished = True
            for jumps in self.schedule.pauses():
                finished = finished and self.run(self.schedule.kept + jumps, deadline)
                if finished and visit is not None:
                    visit()
            if not self.stopped:
                tuning = self.schedule.next(self.chain, not finished, self.jumps_until(deadline))
                if tuning is not None:
                    self.chain.tune(tuning)

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
                self.stopped = not at_end and self._stop is not None and self._stop.is_set()
                if not at_end and self._store is not None:
                    self._store.save_if_due(self.chain, self.schedule)
        except KeyboardInterrupt:
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
            raise self._target.too_dense(state.dense_node, state.dense_clique)
        self._meter.show(self.schedule.made - self.schedule.kept + state.jumps, state.edges, state.score)
        return state.jumps >= jumps or state.frozen or state.excursions_spent
