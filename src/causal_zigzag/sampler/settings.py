"""Settings, which experts set, and RunSettings, all of how a target is sampled; validated on construction."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.annealing.schedule import UNPOLISHED_NODES
from causal_zigzag.sampler.warmup import WarmUp
from causal_zigzag.support.validation import LARGEST, is_real, is_word, read_count

if TYPE_CHECKING:
    from causal_zigzag.target.target import Target

Balance = Literal["sqrt", "metropolis", "barker", "auto"]
BALANCES: tuple[Balance, ...] = get_args(Balance)  # in the order of their numbers in the core

# The first stretch of a run until converged, for which its annealing is planned.
STRETCH = 200_000
STRETCH_PER_NODE = 5_000
POLISHED_PER_NODE = 200  # where greedy search does what a longer annealing would do
DEFAULT_MINUTES = 1.0  # limit of a run until converged


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What only experts set: how chains begin, and the limits of their memory; the argument ``settings`` of ``sample``.

    ``warmup`` is the number of jumps that each chain discards before those that count. By default each chain chooses
    it: at least a tenth of its jumps, until the number of edges and the score no longer drift, and at most all of them.

    ``anneal``: before its warm-up each chain begins hot, at a coldness at which scores hardly differ, and is cooled to
    the target in at most as many jumps as the run has, so that chains find where the probability is, each by itself.
    With more than 128 nodes chains climb instead, without heat, by jumps and by greedy search with retries. They are
    cooled fast, and search again, only if they end apart; a chain that ends far below a class that two others have
    found then begins at that class.

    ``excursions``: at random times a chain leaves its class for an order of its nodes, moves nodes within the order,
    and returns to a class, with an acceptance that keeps the target exact. This crosses between modes that single edges
    do not connect. "auto" makes them wherever the tables they need are affordable; with more than 128 nodes, within
    regions of eight nodes. A ``warmup`` of fixed length switches annealing and excursions off.

    Memory is bounded for any number of jumps: each chain lists up to ``max_classes`` classes (the time in others is
    ``posterior.unlisted``), caches rows of scores in ``cache_bytes``, and traces up to ``trace_points`` points.
    With ``checkpoint``, each chain saves its state every ``checkpoint_interval`` seconds.

    >>> import causal_zigzag as cz
    >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1, settings=cz.Settings(warmup=100)).statistics[0].warmup
    100
    """

    warmup: int | None = None
    anneal: bool = True
    excursions: Literal["auto"] | bool = "auto"
    max_classes: int = 100_000
    cache_bytes: int = 64 * 2**20
    trace_points: int = 4096
    checkpoint_interval: float = 30.0

    def __post_init__(self) -> None:
        given: Any = self  # fields of any type, until they are validated
        if not isinstance(given.anneal, bool):
            raise SettingsError(f"anneal must be True or False, not {given.anneal!r}")
        if not isinstance(given.excursions, bool) and not is_word(given.excursions, "auto"):
            raise SettingsError(f'excursions must be "auto", True or False, not {given.excursions!r}')
        if given.excursions is True and (not given.anneal or given.warmup is not None):
            raise SettingsError("excursions are planned from annealed starts; leave anneal and warmup out")
        interval = given.checkpoint_interval
        if not is_real(interval) or not 0 <= interval < math.inf:
            raise SettingsError(f"checkpoint_interval must be a number of seconds of at least 0, not {interval!r}")
        self._set(
            warmup=None if given.warmup is None else read_count("warmup", given.warmup, 0, "None or ", LARGEST),
            max_classes=read_count("max_classes", given.max_classes, 2, most=2**25),  # deltas have 32-bit numbers
            cache_bytes=read_count("cache_bytes", given.cache_bytes, 0, most=LARGEST),
            trace_points=read_count("trace_points", given.trace_points, 2, most=2**24),
            checkpoint_interval=float(interval),
        )

    def _set(self, **valid: Any) -> None:
        for name, value in valid.items():
            object.__setattr__(self, name, value)

    def code(self) -> str:
        """Python code with what differs from the defaults, empty if nothing does.

        >>> import causal_zigzag as cz
        >>> cz.Settings(anneal=False, max_classes=100).code()
        'cz.Settings(anneal=False, max_classes=100)'
        """
        changed = [(field.name, getattr(self, field.name)) for field in fields(Settings)]
        words = [f"{name}={value!r}" for name, value in changed if value != getattr(Settings, name)]
        return f"cz.Settings({', '.join(words)})" if words else ""


@dataclass(frozen=True, kw_only=True)
class RunSettings(Settings):
    """All of how a target is sampled: the settings of experts, the process, and the length of the run.

    Every way to make a value validates it: the constructor, ``dataclasses.replace`` and reading a file. If ``minutes``
    is set, the run ends by the clock and ``jumps`` only sets the length of the warm-up. With ``converge``, ``jumps`` is
    the length so far of a run that is made longer until it has converged, and ``minutes`` its limit.

    >>> from dataclasses import replace
    >>> replace(RunSettings(), jumps=1e6).jumps
    1000000
    >>> replace(RunSettings(), momentum=2)
    Traceback (most recent call last):
    causal_zigzag.errors.SettingsError: momentum must be a number from 0 (reversible) to 1 (Zig-Zag), not 2
    """

    momentum: float = 1.0
    balance: Balance = "auto"
    jumps: int = STRETCH
    chains: int = 4
    minutes: float | None = None
    converge: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self
        if given.minutes is not None and (not is_real(given.minutes) or not 0 < given.minutes < math.inf):
            raise SettingsError(f"minutes must be None or a finite number above 0, not {given.minutes!r}")
        if not is_real(given.momentum) or not 0 <= given.momentum <= 1:
            raise SettingsError(f"momentum must be a number from 0 (reversible) to 1 (Zig-Zag), not {given.momentum!r}")
        if not isinstance(given.balance, str) or given.balance not in BALANCES:
            raise SettingsError(f"balance must be one of {', '.join(map(repr, BALANCES))}, not {given.balance!r}")
        if not isinstance(given.converge, bool):
            raise SettingsError(f"converge must be True or False, not {given.converge!r}")
        self._set(
            momentum=float(given.momentum),
            minutes=None if given.minutes is None else float(given.minutes),
            jumps=read_count("jumps", given.jumps, 1, most=LARGEST),
            chains=read_count("chains", given.chains, 1, most=100_000),
        )

    @classmethod
    def of(cls, settings: Any, **own: Any) -> Self:
        """These settings of experts, None for the defaults, and the fields of a run."""
        if settings is None:
            return cls(**own)
        if not isinstance(settings, Settings):
            raise SettingsError(f"settings must be None or a cz.Settings, not {settings!r}")
        return cls(**{field.name: getattr(settings, field.name) for field in fields(Settings)}, **own)

    @property
    def seconds(self) -> float:
        """The time that the whole run may take."""
        return math.inf if self.minutes is None else 60 * self.minutes

    def warm_up(self, target: Target) -> WarmUp:
        """The state of a warm-up before its first jump."""
        if self.warmup is None:
            return WarmUp.begin(len(target.nodes), self.planned_jumps(target))
        return WarmUp.fixed(self.warmup)

    def anneals(self, target: Target) -> bool:
        """Whether chains are annealed: by default, unless the warm-up has a fixed length or there is no score."""
        flat = target.coldness == 0 or target.score.is_flat
        return self.anneal and self.warmup is None and not flat and len(target.nodes) > 1

    def planned_jumps(self, target: Target) -> int:
        """The number of jumps for which annealing, warm-up and excursions are planned.

        It stays the same when a run until converged is made longer, so that the run can be repeated.
        """
        return first_stretch(len(target.nodes)) if self.converge else self.jumps

    def planned_warmup(self, target: Target) -> int:
        """The expected number of jumps of a warm-up."""
        return self.planned_jumps(target) // 10 if self.warmup is None else self.warmup


def first_stretch(nodes: int) -> int:
    """The number of jumps of each chain after which a run until converged is judged for the first time."""
    return max(STRETCH, (POLISHED_PER_NODE if nodes > UNPOLISHED_NODES else STRETCH_PER_NODE) * nodes)
