"""Settings: how a target is sampled, read from what the user gave."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from causal_zigzag._core import Chain, make_chain
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.sampler.tempering.ladder import Tempering, read_tempering
from causal_zigzag.sampler.warmup import WarmUp
from causal_zigzag.support.validation import LARGEST, as_whole, is_real, read_count
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

Balance = Literal["sqrt", "metropolis", "barker"]
BALANCES: tuple[Balance, ...] = get_args(Balance)  # in the order of their numbers in the core

# A listed class is a handful of differences from another one; this many on average leave room for some written in full.
DELTAS_PER_CLASS = 64


@dataclass(frozen=True)
class Settings:
    """How the target is sampled: the process, the length of the run and the limits of its memory.

    Where ``minutes`` are given the run ends by the clock, whatever ``jumps`` says.
    """

    momentum: float
    balance: Balance
    jumps: int
    warmup: int | None  # None: chosen from each chain
    chains: int
    max_classes: int
    cache_bytes: int
    trace_points: int
    minutes: float | None = None
    tempering: Tempering | None = None

    def warm_up(self, target: Target) -> WarmUp:
        """The warm-up of a chain at its start."""
        if self.warmup is None:
            return WarmUp.begin(len(target.nodes), self.jumps)
        return WarmUp.fixed(self.warmup)

    @property
    def planned_warmup(self) -> int:
        """What a warm-up is expected to take."""
        return self.jumps // 10 if self.warmup is None else self.warmup

    def chain(
        self,
        target: Target,
        start: CPDAG,
        seed: NDArray[np.uint64],
        direction: Literal[-1, 1] = 1,
        saved: bytes | None = None,
        first_score: float = 0.0,
    ) -> Chain:
        """A chain of the core at its start, whose score is ``first_score``, or where the saved one left off."""
        n = len(target.nodes)
        return make_chain(
            start=start._graph,
            score=target.score._core(),
            balance=BALANCES.index(self.balance),
            coldness=target.coldness,
            prior_slope=-target.edge_prior.cost,
            prior_table=np.array(target.edge_prior.table, dtype=np.float64),
            momentum=self.momentum,
            max_degree=n if target.max_degree is None else min(n, target.max_degree),
            forbidden=list(target.forbidden),
            seed=seed,
            direction=direction,
            first_score=first_score,
            most_classes=self.max_classes,
            most_deltas=self.max_classes * DELTAS_PER_CLASS,
            trace_points=self.trace_points,
            cache_bytes=self.cache_bytes,
            saved=saved,
        )


def read_settings(
    momentum: Any,
    balance: Any,
    jumps: Any,
    warmup: Any,
    chains: Any,
    max_classes: Any,
    cache_bytes: Any,
    trace_points: Any,
    minutes: Any = None,
    tempering: Any = None,
) -> Settings:
    """The settings from what the user gave."""
    if minutes is not None and (not is_real(minutes) or not 0 < minutes < math.inf):
        raise SettingsError(f"minutes must be None or a finite number above 0, not {minutes!r}")
    if not is_real(momentum) or not 0 <= momentum <= 1:
        raise SettingsError(f"momentum must be a number from 0 (reversible) to 1 (Zig-Zag), not {momentum!r}")
    if not isinstance(balance, str) or balance not in BALANCES:
        raise SettingsError(f"balance must be one of {', '.join(map(repr, BALANCES))}, not {balance!r}")
    jumps = read_count("jumps", jumps, 1, most=LARGEST)
    tempering = read_tempering(tempering)
    if tempering is not None and as_whole(warmup) == 0:
        raise SettingsError("tempering tunes itself in the warm-up; leave warmup out or make it a tenth of jumps")
    return Settings(
        momentum=float(momentum),
        balance=balance,
        jumps=jumps,
        warmup=None if warmup is None else read_count("warmup", warmup, 0, "None or ", LARGEST),
        chains=read_count("chains", chains, 1, most=100_000),
        max_classes=read_count("max_classes", max_classes, 2, most=2**25),  # the core numbers deltas with 32 bits
        cache_bytes=read_count("cache_bytes", cache_bytes, 0, most=LARGEST),
        trace_points=read_count("trace_points", trace_points, 2, most=2**24),
        minutes=None if minutes is None else float(minutes),
        tempering=tempering,
    )
