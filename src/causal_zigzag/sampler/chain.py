"""One chain from its start to its end: a task that any process can run, and the plain arrays it hands back."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from causal_zigzag.errors import CausalZigzagError, CheckpointError
from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles
from causal_zigzag.sampler.checkpoint.saved_chain import SavedChain
from causal_zigzag.sampler.core_chain import make_chain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag._core import Chain
    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.sampler.tempering.ladder import TemperingStatistics
    from causal_zigzag.sampler.warmup import WarmUp
    from causal_zigzag.target.target import Target

SLICE = 0.03  # seconds between two looks at the stop signal
ENDLESS_JUMPS = 2**62
ENDLESS = 1e15  # the core's binary exponent of the unit of time where nothing can ever happen


class Signal(Protocol):
    """Tells a chain when to stop; a threading.Event is one."""

    def is_set(self) -> bool: ...


@dataclass
class Meter:
    """What a running chain shows to those who watch it."""

    jumps: int = 0
    edges: int = 0
    score: float = 0.0

    def show(self, jumps: int, edges: int, score: float) -> None:
        """Where the chain is now."""
        self.jumps, self.edges, self.score = jumps, edges, score


@dataclass(frozen=True, eq=False)
class ChainTask:
    """All that a chain needs; it can be pickled. A ``deadline`` is a time as time.time() tells it."""

    number: int
    target: Target
    settings: Settings
    start: CPDAG
    seed: NDArray[np.uint64]
    files: ChainFiles | None = None
    deadline: float | None = None
    first_score: float = 0.0  # of the start, relative to that of the posterior


@dataclass(frozen=True)
class ChainStatistics:
    """What one chain did after its warm-up.

    ``log_time`` is the natural logarithm of the time it spent, infinite for a chain that can never leave its class.
    A chain is ``frozen`` where the next event is more than 2**1000 units of time away; it then ended early. Rows of
    score differences were looked up, computed (misses) and let go (evictions) since the start of the warm-up. A chain
    is ``drifting`` where the warm-up that was chosen for it reached its limit before the drift had ended.
    """

    chain: int
    jumps: int
    inserts: int
    flips: int
    warmup: int
    log_time: float
    frozen: bool
    complete: bool
    row_lookups: int
    row_misses: int
    row_evictions: int
    tempering: TemperingStatistics | None = None
    drifting: bool = False


@dataclass(frozen=True, eq=False)
class ChainResult:
    """What one chain has accumulated after its warm-up. All times are in units of 2**unit.

    A pair of times is (expected, drawn). Classes are rows of ``hashes`` with their ``times``; ``origin``, ``begin``
    and ``deltas`` are what ``decode_class`` needs. Edges are listed sparsely: ``i * n + j`` with the time of i -> j
    (``directed``) or of i - j (``undirected``, i < j).

    Every ``draw_stride``-th point of the trace has a draw, its class: ``draw_hashes``, and ``draw_deltas`` from
    ``draw_begin[i]`` on as differences from the draw before. The run is also cut in batches: ``batch_integrals`` has
    jumps, time and the time integrals of edges, edges**2, score and score**2, scores told from ``score_reference`` (as
    ``trace_score``, relative to the start); from ``batch_begin[i]`` on, the pairs that changed in batch i are listed
    with their marks at its ends (before << 2 | after) and the times of a -> b, b -> a and a - b.
    """

    statistics: ChainStatistics
    unit: float
    total: tuple[float, float]
    unlisted: tuple[float, float]
    hashes: NDArray[np.uint64]
    times: NDArray[np.float64]
    origin: NDArray[np.int64]
    begin: NDArray[np.uint64]
    deltas: NDArray[np.uint32]
    directed: tuple[NDArray[np.int64], NDArray[np.float64]]
    undirected: tuple[NDArray[np.int64], NDArray[np.float64]]
    trace_step: float
    trace_edges: NDArray[np.int32]
    trace_score: NDArray[np.float64]
    trace_direction: NDArray[np.int8]
    draw_stride: int
    draw_hashes: NDArray[np.uint64]
    draw_begin: NDArray[np.uint64]
    draw_deltas: NDArray[np.uint32]
    score_reference: float
    batch_integrals: NDArray[np.float64]
    batch_begin: NDArray[np.uint64]
    batch_pairs: NDArray[np.uint32]
    batch_marks: NDArray[np.uint8]
    batch_times: NDArray[np.float64]


@dataclass(frozen=True)
class ChainOutcome:
    """What a chain hands in, None where there is nothing yet, and what went wrong on the way and was overcome."""

    result: ChainResult | None
    notes: tuple[str, ...] = ()


def run_chain(task: ChainTask, stop: Signal | None = None, meter: Meter | None = None) -> ChainOutcome:
    """Run a chain from its start, or its last checkpoint, to its end, or until ``stop`` is set.

    The result is None where that was before anything could be accumulated. Ctrl-C in a worker process reaches the
    chain as a KeyboardInterrupt and stops it likewise.
    """
    settings, files = task.settings, task.files
    if settings.tempering is not None:
        from causal_zigzag.sampler.tempering.tempered_chain import run_ensemble  # which itself is made of chains

        return run_ensemble(task, stop, meter or Meter())
    saved = files.load() if files is not None else None
    chain, warmup = _begin(task, saved)
    watch = _Watch(chain, warmup, task, stop, meter or Meter())
    while not warmup.over and watch.run(warmup.length):
        warmup.finish_block(chain)
    if warmup.over:
        watch.run(settings.jumps if settings.minutes is None else ENDLESS_JUMPS)
    if watch.too_dense:
        after = chain.statistics()
        raise task.target.too_dense(int(after["dense_node"]), int(after["dense_clique"]))
    if files is not None:
        files.save(chain, warmup)  # before the results are collected, which books the visit that is not over
    notes = tuple(files.notes) if files is not None else ()
    if not warmup.over or not chain.statistics()["expected_time"] > 0:
        return ChainOutcome(None, notes)
    return ChainOutcome(collect(task, chain, warmup, watch.stopped), notes)


def _begin(task: ChainTask, saved: SavedChain | None) -> tuple[Chain, WarmUp]:
    if saved is None:
        chain = make_chain(task.target, task.settings, task.start, task.seed, first_score=task.first_score)
        return chain, task.settings.warm_up(task.target)
    try:
        chain = make_chain(task.target, task.settings, task.start, task.seed, saved=saved.state())
    except ValueError as error:
        if isinstance(error, CausalZigzagError):
            raise
        raise CheckpointError(
            f"the checkpoint of chain {task.number} cannot be continued: {error}; finish it with the version of "
            f"causal-zigzag that wrote it, or begin anew in another directory"
        ) from None
    return chain, saved.warmup


class _Watch:
    """Runs a chain in slices of time, between which it looks whether to stop, lets others look, and keeps its state."""

    def __init__(self, chain: Chain, warmup: WarmUp, task: ChainTask, stop: Signal | None, meter: Meter) -> None:
        self.chain, self.warmup, self.task, self.stop, self.meter = chain, warmup, task, stop, meter
        self.stopped = self.too_dense = False
        self.made = int(chain.statistics()["jumps"])

    def run(self, jumps: int) -> bool:
        """Until the chain has made so many jumps since it last forgot, or is frozen; False where it ended before."""
        try:
            state = self._look()
            while not (self.made >= jumps or state["frozen"] or self.too_dense or self.stopped or self._time_is_up()):
                self.chain.run(jumps - self.made, SLICE)
                state = self._look()
                self.too_dense = state["dense_node"] >= 0
                self.stopped = self.stop is not None and self.stop.is_set() and self.made < jumps
                if self.task.files is not None and self.made < jumps and not self.too_dense:
                    self.task.files.save_if_due(self.chain, self.warmup)
        except KeyboardInterrupt:
            self.stopped = True
        return self.made >= jumps or bool(self.chain.statistics()["frozen"])

    def _look(self) -> dict[str, float]:
        state = self.chain.statistics()
        self.made = int(state["jumps"])
        self.meter.show(self.warmup.made + self.made, self.chain.edge_count, self.chain.score)
        return state

    def _time_is_up(self) -> bool:
        return self.task.deadline is not None and time.time() >= self.task.deadline


def collect(task: ChainTask, chain: Chain, warmup: WarmUp, stopped: bool) -> ChainResult:
    """What a chain has accumulated after its warm-up."""
    classes: dict[str, NDArray[Any]] = chain.classes()  # first of all: it books the visit that is not over
    s = chain.statistics()
    n = len(task.target.nodes)
    directed, undirected = chain.edge_times()
    step, edges, score, direction = chain.trace()
    stride, draw_hashes, draw_begin, draw_deltas = chain.draws()
    batches: dict[str, NDArray[Any]] = chain.batches()
    frozen = bool(s["frozen"])
    endless = frozen and s["unit"] >= ENDLESS
    return ChainResult(
        statistics=ChainStatistics(
            chain=task.number,
            jumps=int(s["jumps"]),
            inserts=int(s["inserts"]),
            flips=int(s["flips"]),
            warmup=warmup.made,
            log_time=math.inf if endless else math.log(s["expected_time"]) + s["unit"] * math.log(2),
            frozen=frozen,
            complete=frozen or s["jumps"] >= task.settings.jumps or (task.deadline is not None and not stopped),
            row_lookups=int(s["row_lookups"]),
            row_misses=int(s["row_misses"]),
            row_evictions=int(s["row_evictions"]),
            drifting=warmup.drifting,
        ),
        unit=s["unit"],
        total=(s["expected_time"], s["drawn_time"]),
        unlisted=(s["unlisted_expected"], s["unlisted_drawn"]),
        hashes=classes["hash"].reshape(-1, 2),
        times=np.column_stack([classes["expected"], classes["drawn"]]),
        origin=classes["from"],
        begin=classes["begin"],
        deltas=classes["deltas"],
        directed=_sparse(directed),
        undirected=_sparse(undirected, above_diagonal_of=n),
        trace_step=step,
        trace_edges=edges,
        trace_score=score,
        trace_direction=direction,
        draw_stride=stride,
        draw_hashes=draw_hashes.reshape(-1, 2),
        draw_begin=draw_begin,
        draw_deltas=draw_deltas,
        score_reference=s["score_reference"],
        batch_integrals=batches["integrals"].reshape(-1, 6),
        batch_begin=batches["begin"],
        batch_pairs=batches["pairs"],
        batch_marks=batches["marks"],
        batch_times=batches["held"].reshape(-1, 3),
    )


def _sparse(
    times: NDArray[np.float64], above_diagonal_of: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    at = np.flatnonzero(times)
    if above_diagonal_of is not None:
        at = at[at // above_diagonal_of < at % above_diagonal_of]
    return at, times[at]
