"""RungExcursions: order excursions on the rungs of a tempered chain.

The excursions of a rung leave its target invariant, whatever their rate, so exchanges are not affected by them. The
last rung, whose coldness never changes, makes them from the first interval on, and the window is tuned on it. The other
rungs begin when the ladder is fixed, as their tables depend on the coldness. All rates are then fixed too.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from causal_zigzag._core import ExcursionSettings
from causal_zigzag.sampler.excursions.plan import JUMPS, POWERS, WORSE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag._core import Chain
    from causal_zigzag.sampler.chain_task import ChainTask
    from causal_zigzag.sampler.excursions.plan import ExcursionSetting


class RungExcursions:
    """The excursions of one tempered chain; ``setting`` is None if there are none."""

    def __init__(self, task: ChainTask, saved: ExcursionSetting | None, begun: bool) -> None:
        self._target, self._plan, self._jumps = task.target, task.stage.plan, task.settings.planned_jumps(task.target)
        self.setting = saved
        if not begun and self._plan is not None:
            self.setting = self._plan.first_setting(task.start.log2_pace)

    def arguments(self, rung: int, last: int, coldness: float) -> ExcursionSettings:
        """Those of the chain on a rung when it is made, of which ``last`` is at the target."""
        if self._plan is None or self.setting is None:
            return ExcursionSettings()
        if rung == last:
            return self.setting.core(self._plan.tables(self._target), self.setting.log2_rate)
        if not self.setting.rung_rates:
            return ExcursionSettings()
        tables = self._plan.tables_at(self._target, coldness)
        return self.setting.core(tables, self.setting.rung_rates[rung])

    def walk(self, chain: Chain) -> None:
        """Move the last rung to a class that a walk among orders has found."""
        if self._plan is not None and self.setting is not None:
            chain.anneal_order(POWERS.tolist(), self._plan.steps_of_walk(self._jumps), WORSE)

    def switch_off(self, chain: Chain) -> None:
        """No excursions: a chain from whose class no jump leads has no unit of time to express a rate in."""
        self.setting = None
        chain.set_excursions(ExcursionSettings())

    def tune(self, chain: Chain) -> None:
        """Tune the window, from what the last rung did since the intervals were last set."""
        if self._plan is not None and self.setting is not None:
            self.setting = self._plan.tuned(self.setting, chain)

    def begin(self, chains: Sequence[Chain], coldness: Sequence[float], pace: Sequence[float], fixed: bool) -> None:
        """Set the rates, from the binary logarithms of the time per jump; of all rungs once the ladder is ``fixed``."""
        if self._plan is None or self.setting is None:
            return
        rates = tuple(float(-one - math.log2(JUMPS)) for one in pace)
        every_rung = fixed and self._plan.every_rung
        self.setting = replace(self.setting, log2_rate=rates[-1], rung_rates=rates if every_rung else ())
        tables = self._plan.tables(self._target)
        chains[-1].set_excursions(self.setting.core(tables, rates[-1]))
        if every_rung:
            for chain, at, rate in zip(chains[:-1], coldness, rates, strict=False):
                chain.set_excursions(self.setting.core(tables, rate))
                chain.set_coldness(at, 0.0)  # weighs the tables anew, which is faster than to fill others
