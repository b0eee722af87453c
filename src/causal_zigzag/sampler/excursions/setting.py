"""ExcursionSetting and ExcursionStatistics: the length and the rate of excursions, and what came of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from causal_zigzag._core import ExcursionSettings, OrderTables
from causal_zigzag.errors import SettingsError
from causal_zigzag.support.validation import LARGEST, is_integer, is_real


@dataclass(frozen=True)
class ExcursionSetting:
    """The length of an excursion and the binary logarithm of the number of excursions per unit of time.

    ``rung_rates`` has this logarithm for all rungs of a tempered chain, and is empty if only its last rung makes
    excursions.
    """

    steps: int
    window: int
    log2_rate: float
    rung_rates: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not (is_integer(self.steps) and is_integer(self.window) and min(self.steps, self.window) > 0):
            raise SettingsError(f"an excursion needs steps and a window of at least 1, not {self!r}")
        for rate in (self.log2_rate, *self.rung_rates):
            if not is_real(rate) or math.isnan(rate):
                raise SettingsError(f"the rate of excursions must be a number, not {rate!r}")

    def core(self, tables: OrderTables, log2_rate: float, most: int = LARGEST) -> ExcursionSettings:
        """Excursions in the core at this rate; a run ends after ``most`` of them, an interval of time never does."""
        return ExcursionSettings(tables=tables, steps=self.steps, window=self.window, log2_rate=log2_rate, most=most)


@dataclass(frozen=True)
class ExcursionStatistics:
    """The excursions of a chain after its warm-up.

    ``changed`` is the number of those that led to another class. A share ``fixed`` of the nodes that took part had
    parents outside their ``candidates`` (per node), which stayed where they were.

    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.datasets.load("alzheimer"), jumps=20_000, chains=1, rng=1)
    >>> posterior.statistics[0].excursions.changed > 0
    True
    """

    made: int
    accepted: int
    changed: int
    fixed: float
    candidates: int
    steps: int
    window: int
