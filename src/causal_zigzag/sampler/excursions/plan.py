"""ExcursionPlan: the candidate parents of order excursions, and how often and how long excursions are made.

An excursion (core/sampler/excursions/excursions.hpp) looks up the weights of parent sets in tables with one entry for
every set of candidate parents of a node. Up to about 17 nodes all other nodes are candidates. Beyond that the
candidates are chosen from the annealed starts of all chains: the nodes that were adjacent most of the time, then those
with the largest difference of the score. A parent that is not a candidate stays where it is during an excursion, so
the choice changes what excursions can move, never the target.

The window of an excursion (the number of consecutive places of the order in which nodes are moved) and the rate are
tuned after every block of the warm-up, from counts of the chain alone, and fixed when sampling starts.

With many nodes a window hardly ever contains nodes that have to do with each other. Excursions are then made within
regions (core/sampler/excursions/region_excursions.hpp), each a node with its candidates, unless no proposal of any
region leads far away.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag._core import ExcursionSettings, OrderTables, Regions
from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.annealing.schedule import cost_per_edge
from causal_zigzag.support import clock
from causal_zigzag.support.validation import LARGEST

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from causal_zigzag._core import ChainStatistics, Tuning
    from causal_zigzag.sampler.chain_task import Start
    from causal_zigzag.sampler.settings import RunSettings
    from causal_zigzag.target.target import Target


# For a score of continuous columns; the number is divided by the relative cost of other scores.
ENTRIES = 2**21  # of all tables, for a run of DEFAULT_JUMPS; they take 20 bytes each and about half a second
DEFAULT_JUMPS = 200_000
MOST_ENTRIES = 2**24  # for a run of any length
PYTHON_ENTRIES = 2**11  # for scores written in Python
MOST_CANDIDATES = 20
FEWEST_CANDIDATES = 4  # tables that hold fewer are not worth their time
MOST_NODES = 128  # with more nodes excursions are made within regions
REGION, SMALLEST_REGION = 8, 4  # nodes of a region; a score that allows only smaller ones has none
DRAWS = 32  # proposals per region; half of all excursions are in any region, half by the share of these that lead far
REGION_ENTRIES = 2**13  # of the tables of a region, divided like ENTRIES

JUMPS = 100  # jumps per excursion
REGION_JUMPS = 100_000  # above 1,000 nodes this over the number of nodes, at least JUMPS / 5: regions are many then
MOST = 20  # times the planned number of excursions
STEPS = 10  # steps per place of the window
SMALLEST_WINDOW = 6
LOW, HIGH = 0.15, 0.5  # a share of accepted excursions outside halves or doubles the window
FEWEST = 20  # excursions in a block from which the window is tuned

POWERS = np.linspace(0.02, 1.0, 50)  # of the weights of orders, in the walk from hot to cold
STEPS_PER_NODE = 400  # most steps of that walk at each power
WORSE = 10.0  # the class that it has found is taken unless its log weight is lower by more than this


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


@dataclass(frozen=True, eq=False)
class ExcursionPlan:
    """The candidates of each node, the most useful first, and the log weight per edge in the tables."""

    candidates: tuple[tuple[int, ...], ...]
    slope: float
    region_weights: tuple[float, ...] = ()  # if excursions are made within regions
    _lock: Any = field(default_factory=threading.Lock, init=False, repr=False)
    _tables: list[OrderTables | Regions] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        n = len(self.candidates)
        if not all(0 <= u < n and u != v for v, some in enumerate(self.candidates) for u in some):
            raise SettingsError("the candidates of a plan of excursions must be other nodes of its graph")
        weights = np.array(self.region_weights)
        positive = bool(np.all((weights > 0) & (weights < np.inf)))
        if len(weights) not in (0, n) or not positive or not math.isfinite(self.slope):
            raise SettingsError("a plan of excursions has a finite weight per edge, and one above 0 per region")

    def __reduce__(self) -> tuple[Any, ...]:
        return ExcursionPlan, (self.candidates, self.slope, self.region_weights)

    def tables(self, target: Target) -> OrderTables | Regions:
        """The tables, or the regions, computed once for all chains of this process."""
        with self._lock:
            if not self._tables:
                make = self._regions if self.region_weights else self._order_tables
                self._tables.append(make(target))
            return self._tables[0]

    def _order_tables(self, target: Target) -> OrderTables:
        core, n = target.score.core_score(), len(target.nodes)
        assert core is not None  # a plan is made for targets with a score only
        most = n if target.max_degree is None else min(n, target.max_degree)
        candidates, required = [list(some) for some in self.candidates], _parents(target, target.required_arrows)
        return OrderTables(core, candidates, most, target.coldness, self.slope, required)

    def _regions(self, target: Target) -> Regions:
        core = target.score.core_score()
        assert core is not None  # as above
        regions = [[v, *some] for v, some in enumerate(self.candidates)]
        barred, required = _parents(target, target.forbidden_arrows), _parents(target, target.required_arrows)
        return Regions(core, regions, target.coldness, self.slope, barred, required, [*self.region_weights])

    @property
    def jumps_between(self) -> int:
        """The planned number of jumps per excursion."""
        return max(JUMPS // 5, min(JUMPS, REGION_JUMPS // len(self.candidates)))

    def begin(self, tuning: Tuning, log2_pace: float) -> Tuning:
        """Excursions for the first block of a warm-up, from the jumps per unit of time."""
        tuning.window = len(self.candidates)
        tuning.steps, tuning.log2_rate = STEPS * tuning.window, log2_pace - math.log2(self.jumps_between)
        return tuning

    def tune(self, tuning: Tuning, state: ChainStatistics, faster: float) -> Tuning:
        """Excursions for the next block, from what the chain did in the last one.

        ``faster`` is the binary logarithm of the factor by which its jumps become more frequent.
        """
        made, between = state.excursions.made, self.jumps_between
        if made >= FEWEST and not self.region_weights:
            accepted = state.excursions.accepted / made
            if accepted < LOW:
                tuning.window = max(min(SMALLEST_WINDOW, tuning.window), tuning.window // 2)
            elif accepted > HIGH:
                tuning.window = min(len(self.candidates), 2 * tuning.window)
        few = state.jumps < between and not state.excursions_spent  # a few jumps may miss where the chain rests
        if state.time.expected > 0 and not few:
            log2_time = math.log2(state.time.expected) + state.unit
            tuning.log2_rate = math.log2(max(1.0, state.jumps) / between) - log2_time
        tuning.steps, tuning.log2_rate = STEPS * tuning.window, tuning.log2_rate + faster
        return tuning

    def most(self, jumps: int) -> int:
        """The number of excursions after which a block of this number of jumps ends.

        A chain that rests much longer in a class than those from which the rate was chosen makes more than planned.
        """
        return min(LARGEST, MOST * (1 + jumps // self.jumps_between))

    def core(self, target: Target) -> ExcursionSettings:
        """The tables as the core takes them."""
        tables = self.tables(target)
        return ExcursionSettings(regions=tables) if isinstance(tables, Regions) else ExcursionSettings(tables=tables)

    def steps_of_walk(self, jumps: int) -> int:
        """The steps at each power of the walk from hot to cold before a run of this number of jumps."""
        return max(1, min(STEPS_PER_NODE * len(self.candidates), jumps // len(POWERS)))


def choose_plan(
    target: Target, settings: RunSettings, seen: Sequence[Start], by: float = math.inf
) -> ExcursionPlan | None:
    """The plan of a run, None if excursions are switched off or would not pay.

    Regions are looked at until the time ``by``.
    """
    n = len(target.nodes)
    if settings.excursions is False or n < 3 or target.coldness == 0 or target.score.is_incomplete:
        return None
    auto = settings.excursions == "auto"
    if auto and n > MOST_NODES:
        size = region_size(target)
        if size < SMALLEST_REGION:
            return None
        candidates, slope = choose_candidates(target, seen, size - 1), table_slope(target, seen)
        shares = _far_shares(ExcursionPlan(candidates, slope, region_weights=(1.0,) * n), target, seen, by)
        if not shares.any():
            return None
        return ExcursionPlan(candidates, slope, region_weights=tuple((shares + shares.mean()).tolist()))
    count = candidate_count(target, settings.planned_jumps(target))
    if count < min(n - 1, FEWEST_CANDIDATES):
        if auto:
            return None
        raise SettingsError(
            f"excursions=True needs tables of at least {FEWEST_CANDIDATES} candidate parents per node, which "
            f"{target.score!r} takes too long to fill; leave excursions out"
        )
    return ExcursionPlan(choose_candidates(target, seen, count), table_slope(target, seen))


def region_size(target: Target) -> int:
    """The number of nodes of a region that the time for their tables allows; 0 for scores written in Python."""
    cost = target.score.relative_cost()
    if cost is None:
        return 0
    return max((k for k in range(1, REGION + 1) if k * 2 ** (k - 1) * cost <= REGION_ENTRIES), default=0)


def _far_shares(plan: ExcursionPlan, target: Target, seen: Sequence[Start], by: float) -> NDArray[np.float64]:
    """For each region the share of proposals that lead far from the last classes of the chains; 0 if time is over."""
    regions = plan.tables(target)
    assert isinstance(regions, Regions)
    shares = np.zeros(len(target.nodes))
    for number, graph in enumerate({chain.graph: None for chain in seen}):
        parents = [np.flatnonzero(column).tolist() for column in graph.dag().T]
        seed, seconds = np.array([number, 1, 2, 3], np.uint64), by - clock.now()
        shares += np.array(regions.far_shares(parents, DRAWS, seed, seconds)) / len(seen)
    return shares


def _parents(target: Target, arrows: Collection[tuple[int, int]]) -> list[list[int]]:
    """The parents of each node by these arrows, ascending; an empty list if there are no arrows."""
    parents: list[list[int]] = [[] for _ in target.nodes] if arrows else []
    for x, y in sorted(arrows):
        parents[y].append(x)
    return parents


def candidate_count(target: Target, jumps: int) -> int:
    """The number of candidates per node that the time and the memory of a run of this length allow."""
    n, score = len(target.nodes), target.score
    cost = score.relative_cost()
    entries = PYTHON_ENTRIES
    if cost is not None:
        entries = int(min(MOST_ENTRIES, ENTRIES * max(1, jumps // DEFAULT_JUMPS)) / cost)
    return min(n - 1, MOST_CANDIDATES, max(0, (entries // n).bit_length() - 1))


def choose_candidates(target: Target, seen: Sequence[Start], count: int) -> tuple[tuple[int, ...], ...]:
    """The candidates of each node: those adjacent most of the time, then those with the largest score difference."""
    n = len(target.nodes)
    pairs = np.concatenate([np.zeros(0, np.int64), *(chain.adjacent[0] for chain in seen)])
    shares = np.concatenate([np.zeros(0), *(chain.adjacent[1] for chain in seen)])
    ends = np.concatenate([pairs // n, pairs % n])
    order = np.argsort(ends, kind="stable")
    others, shares = np.roll(ends, len(pairs))[order], np.tile(shares, 2)[order]
    begin = np.searchsorted(ends[order], np.arange(n + 1))
    never: list[list[int]] = [[y] for y in range(n)]
    for x, y in (*target.forbidden_arrows, *target.required_arrows):  # required parents are never drawn
        never[y].append(x)
    chosen = []
    for y, gain in enumerate(target.score.first_parent_differences()):
        share, own = np.zeros(n), slice(begin[y], begin[y + 1])
        np.add.at(share, others[own], shares[own])
        share[never[y]] = gain[never[y]] = -np.inf
        some = np.union1d(np.argpartition(-gain, count)[:count], np.flatnonzero(share > 0))
        rank = share[some] + 1e-3 / n * (gain < gain[some][:, None]).sum(axis=1)
        best = some[np.argsort(-rank, kind="stable")][:count]
        chosen.append(tuple(int(u) for u in best if share[u] > -np.inf))
    return tuple(chosen)


def table_slope(target: Target, seen: Sequence[Start]) -> float:
    """The log weight per edge in the tables: that of the prior; for a table of weights, its slope where chains are."""
    prior = target.edge_prior
    if not prior.table:
        return -prior.cost
    edges = round(float(np.mean([chain.graph.edge_count for chain in seen]))) if seen else 0
    low, high = max(0, edges - 1), min(len(prior.table) - 1, edges + 1)
    return (prior.table[high] - prior.table[low]) / (high - low) if high > low else -cost_per_edge(target)
