"""What is sampled and how: the target distribution and the settings of the chains, checked and ready to be shipped."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from causal_zigzag._core import Chain, make_chain
from causal_zigzag.checks import as_whole, is_real, read_count
from causal_zigzag.edge_prior import EdgePrior, read_edge_prior
from causal_zigzag.errors import SettingsError
from causal_zigzag.graph import CPDAG
from causal_zigzag.labels import Labels, show, show_all
from causal_zigzag.scores.base import Score
from causal_zigzag.scores.uniform import Uniform
from causal_zigzag.starts import SCATTERED, scattered_starts
from causal_zigzag.tempering import Tempering, read_tempering
from causal_zigzag.warmup import WarmUp

if TYPE_CHECKING:
    from numpy.typing import NDArray

Balance = Literal["sqrt", "metropolis", "barker"]
BALANCES: tuple[Balance, ...] = get_args(Balance)  # in the order of their numbers in the core

MOST = 2**62  # of any count, so that sums of two fit the core's

Pairs = Iterable[tuple[Hashable, Hashable]]

# A listed class is a handful of differences from another one; this many on average leave room for some written in full.
DELTAS_PER_CLASS = 64


@dataclass(frozen=True)
class Target:
    """The distribution to sample: exp(coldness · score) · edge prior over the classes within the bounds."""

    score: Score
    coldness: float
    edge_prior: EdgePrior
    max_degree: int | None
    forbidden: tuple[tuple[int, int], ...]

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes."""
        return tuple(self.score.nodes)

    def log_weight(self, g: CPDAG) -> float:
        """The log of the target, up to a constant, of a class within the bounds."""
        return self.coldness * self.score.total(g) + self.edge_prior.log_weight(g.edge_count)

    def check_start(self, start: CPDAG) -> None:
        """An error where the target gives this class no weight."""
        degrees = {v: len(start.adjacent(v)) for v in start.nodes}
        if self.max_degree is not None:
            over = [v for v, degree in degrees.items() if degree > self.max_degree]
            if over:
                raise SettingsError(
                    f"start exceeds max_degree={self.max_degree}: {show(over[0])} has {degrees[over[0]]} adjacent nodes"
                    + (f" (and {show_all(over[1:])} too many as well)" if len(over) > 1 else "")
                    + "; raise max_degree or choose another start"
                )
        for a, b in self.forbidden:
            x, y = start.nodes[a], start.nodes[b]
            if y in start.adjacent(x):
                raise SettingsError(f"start joins {show(x)} and {show(y)}, a forbidden pair; choose another start")
        if self.edge_prior.log_weight(start.edge_count) == -math.inf:
            raise SettingsError(
                f"start has {start.edge_count} edges, to which edge_prior gives no weight "
                f"(it ends at {len(self.edge_prior.table) - 1} edges); lengthen edge_prior or choose another start"
            )

    def too_dense(self, node: int, clique: int) -> SettingsError:
        """The error where the neighbors of a node hold a clique too large for its operators to be listed."""
        bound = "is not set" if self.max_degree is None else f"is {self.max_degree}"
        return SettingsError(
            f"the graph became too dense to list the operators of node {show(self.nodes[node])}: its neighbors hold a "
            f"clique of {clique} nodes, and each of its subsets makes operators; max_degree {bound}, set it to "
            f"{min(10, clique - 1)} or less"
        )

    def __str__(self) -> str:
        bounds = [f"max_degree {self.max_degree}"] if self.max_degree is not None else []
        bounds += [f"forbidden pairs: {len(self.forbidden)}"] if self.forbidden else []
        chosen = [f"chosen      {self.score.reason}"] if self.score.reason else []
        return "\n".join(
            [
                f"score       {self.score!r}, coldness {self.coldness:g}",
                *chosen,
                f"edge prior  {self.edge_prior}",
                f"bounds      {', '.join(bounds) or 'none'}",
            ]
        )


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


def read_target(score: Score, coldness: Any, edge_prior: Any, max_degree: Any, forbidden: Any) -> Target:
    """The target from what the user gave."""
    n = len(score.nodes)
    if not is_real(coldness) or not 0 <= coldness < math.inf:
        raise SettingsError(f"coldness must be a finite number of at least 0, not {coldness!r}")
    if max_degree is not None:
        max_degree = read_count("max_degree", max_degree, 1, "None or ", MOST)
    bound = n - 1 if max_degree is None else min(max_degree, n - 1)
    prior = read_edge_prior(edge_prior, n, max(0, n * bound // 2), isinstance(score, Uniform))
    pairs = _read_forbidden(forbidden, Labels(score.nodes))
    return Target(score, float(coldness), prior, max_degree, pairs)


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
    jumps = read_count("jumps", jumps, 1, most=MOST)
    tempering = read_tempering(tempering)
    if tempering is not None and as_whole(warmup) == 0:
        raise SettingsError("tempering tunes itself in the warm-up; leave warmup out or make it a tenth of jumps")
    return Settings(
        momentum=float(momentum),
        balance=balance,
        jumps=jumps,
        warmup=None if warmup is None else read_count("warmup", warmup, 0, "None or ", MOST),
        chains=read_count("chains", chains, 1, most=100_000),
        max_classes=read_count("max_classes", max_classes, 2, most=2**25),  # the core numbers deltas with 32 bits
        cache_bytes=read_count("cache_bytes", cache_bytes, 0, most=MOST),
        trace_points=read_count("trace_points", trace_points, 2, most=2**24),
        minutes=None if minutes is None else float(minutes),
        tempering=tempering,
    )


def read_start(start: Any, target: Target) -> CPDAG:
    """The class where the chains begin, with the nodes in the order of the score's."""
    if start is None or (isinstance(start, str) and start == "empty"):
        return CPDAG.empty(target.nodes)
    if isinstance(start, str) and start == "ges":
        from causal_zigzag.greedy import ges_start  # which itself reads targets

        return ges_start(target)
    if not isinstance(start, CPDAG):
        raise SettingsError(f'start must be None, "empty", "ges" or a CPDAG, not {start!r}')
    graph = in_node_order(start, target.nodes, "start")
    target.check_start(graph)
    return graph


def read_starts(start: Any, target: Target, chains: int, entropy: NDArray[np.uint32]) -> list[CPDAG]:
    """The class where each of the chains begins; scattered ones are drawn by the entropy of the run."""
    expected = 'None, "empty", "ges", "scattered", a CPDAG or a sequence of classes, one a chain'
    if isinstance(start, str) and start == SCATTERED:
        return scattered_starts(target, chains, entropy)
    if isinstance(start, str) and start not in ("empty", "ges"):
        raise SettingsError(f"start must be {expected}, not {start!r}")
    if start is None or isinstance(start, (str, CPDAG)):
        return [read_start(start, target)] * chains
    if not isinstance(start, Sequence):
        raise SettingsError(f"start must be {expected}, not {start!r}")
    starts = [read_start(one, target) for one in start]
    if len(starts) != chains:
        raise SettingsError(f"start has {len(starts)} classes for {chains} chains; give one a chain, or one for all")
    return starts


def in_node_order(g: CPDAG, nodes: tuple[Hashable, ...], name: str) -> CPDAG:
    """The same class with its nodes in this order; an error where it has other nodes."""
    if g.nodes == nodes:
        return g
    extra, missing = [v for v in g.nodes if v not in nodes], [v for v in nodes if v not in g.nodes]
    if extra or missing:
        faults = [f"{show_all(extra)} {'is' if len(extra) == 1 else 'are'} not among them"] if extra else []
        faults += [f"{show_all(missing)} {'is' if len(missing) == 1 else 'are'} missing"] if missing else []
        raise SettingsError(f"{name} must have the nodes {show_all(nodes)}, but {' and '.join(faults)}")
    number = {v: i for i, v in enumerate(g.nodes)}
    order = [number[v] for v in nodes]
    return CPDAG.from_matrix(g.matrix()[np.ix_(order, order)], nodes)


def _read_forbidden(forbidden: Any, labels: Labels) -> tuple[tuple[int, int], ...]:
    expected = 'forbidden must be a collection of pairs of nodes such as [("a", "b")]'
    if isinstance(forbidden, (str, bytes)) or not isinstance(forbidden, Iterable):
        raise SettingsError(f"{expected}, not {forbidden!r}")
    pairs = set()
    for pair in forbidden:
        if isinstance(pair, (str, bytes)) or not isinstance(pair, Iterable) or len(ends := tuple(pair)) != 2:
            raise SettingsError(f"{expected}, but {pair!r} is in it")
        numbers = [labels.find(v) for v in ends]
        for v, number in zip(ends, numbers, strict=True):
            if number is None:
                raise SettingsError(f"forbidden has the pair {pair!r}: {labels.unknown(v)}")
        a, b = sorted(v for v in numbers if v is not None)
        if a == b:
            raise SettingsError(f"forbidden has the pair {pair!r}: no node is ever joined with itself; leave it out")
        pairs.add((a, b))
    return tuple(sorted(pairs))
