"""ChainResult: what a chain has accumulated, as plain arrays that any process can return."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.annealing.schedule import AnnealingStatistics
from causal_zigzag.sampler.balance import mixes
from causal_zigzag.sampler.excursions.plan import ExcursionStatistics
from causal_zigzag.sampler.missing_cells import CompletedTables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag._core import Chain
    from causal_zigzag.sampler.chain_task import ChainTask, Start
    from causal_zigzag.sampler.checkpoint.chain_files import SavedChain
    from causal_zigzag.sampler.warmup import WarmUp

NO_EVENT = 1e15  # the core's binary exponent of the unit of time if no event is possible


@dataclass(frozen=True)
class ChainStatistics:
    """What one chain did after its warm-up.

    ``log_time`` is the natural logarithm of the time it spent, infinite for a chain that can never leave its class.
    A chain is ``frozen`` if the next event is more than 2**1000 units of time away; it then ended early. The cache of
    score differences had ``row_lookups``, ``row_misses`` and ``row_evictions`` since the start of the warm-up. A chain
    is ``drifting`` if its automatic warm-up reached its limit while edges or score still drifted. ``refused`` is the
    number of proposals of classes that do not agree with the knowledge. ``sqrt_weight`` is the c of ``balance="auto"``,
    g(t) = min(1, t) w(t) + c sqrt(t), infinite for sqrt(t) alone.
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
    drifting: bool = False
    annealing: AnnealingStatistics | None = None
    excursions: ExcursionStatistics | None = None
    refused: int = 0
    sqrt_weight: float | None = None

    def __post_init__(self) -> None:
        if self.sqrt_weight is not None and not self.sqrt_weight >= 0:
            raise SettingsError(f"sqrt_weight of a chain must be at least 0, not {self.sqrt_weight!r}")


@dataclass(frozen=True, eq=False)
class ChainResult:
    """What one chain has accumulated after its warm-up. All times are in units of 2**unit.

    Times are sums of expected holding times. Classes are rows of ``hashes`` with their ``times``; ``origin``, ``begin``
    and ``deltas`` are what ``decode_class`` needs. Edges are listed sparsely: ``i * n + j`` with the time of i -> j
    (``directed``) or of i - j (``undirected``, i < j).

    Every ``draw_stride``-th point of the trace has a draw, its class: ``draw_hashes``, and ``draw_deltas`` from
    ``draw_begin[i]`` on as differences from the previous draw. The run is also divided into batches.
    ``batch_integrals`` has the jumps, the time and the time integrals of edges, edges**2, score and score**2 of each;
    scores are relative to ``score_reference``, which, like ``trace_score``, is relative to the start. From
    ``batch_begin[i]`` on, the pairs that changed in batch i are listed with their marks at its ends
    (before << 2 | after) and the times of a -> b, b -> a and a - b.

    The chain ended in a class with the edges ``end``, ``i * n + j`` for i -> j or i - j, and in a direction.
    """

    statistics: ChainStatistics
    unit: float
    total: float
    unlisted: float
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
    end: NDArray[np.int64]
    end_direction: int
    tables: CompletedTables | None = None  # of a table with missing cells

    @property
    def jumps_in_all(self) -> int:
        """The jumps of the warm-up included."""
        return self.statistics.warmup + self.statistics.jumps


@dataclass(frozen=True)
class Outcome:
    """What a stage of a chain returns.

    The result is None if the chain was stopped before it had one; ``notes`` are the problems that did not stop it. A
    chain is ``late`` if it began after the deadline, so that it had no time. It has ``stopped`` in a worker that saw
    the signal to stop, or nothing where that is expected.
    """

    result: ChainResult | Start | None
    notes: tuple[str, ...] = ()
    state: SavedChain | None = None  # from which the chain continues, if it has no files
    late: bool = False
    stopped: bool = False


def collect(task: ChainTask, chain: Chain, warmup: WarmUp, stopped: bool) -> ChainResult:
    """The result of a chain after its warm-up."""
    classes: dict[str, NDArray[Any]] = chain.classes()  # first: it also counts the current, unfinished visit
    s = chain.statistics()
    arrows, arrow_times, lines, line_times = chain.edge_times()
    step, edges, score, direction = chain.trace()
    stride, draw_hashes, draw_begin, draw_deltas = chain.draws()
    batches: dict[str, NDArray[Any]] = chain.batches()
    frozen = s.frozen
    absorbed = frozen and s.unit >= NO_EVENT
    return ChainResult(
        statistics=ChainStatistics(
            chain=task.number,
            jumps=s.jumps,
            inserts=s.inserts,
            flips=s.flips,
            warmup=warmup.made,
            log_time=math.inf if absorbed else math.log(s.time.expected) + s.unit * math.log(2),
            frozen=frozen,
            complete=frozen or s.jumps >= task.settings.jumps or (task.stage.deadline < math.inf and not stopped),
            row_lookups=s.row_lookups,
            row_misses=s.row_misses,
            row_evictions=s.row_evictions,
            drifting=warmup.drifting,
            annealing=task.start.annealed,
            excursions=_excursions(task, chain),
            refused=s.refused,
            sqrt_weight=chain.tuning.sqrt_weight if mixes(task.settings, task.target) else None,
        ),
        unit=s.unit,
        total=s.time.expected,
        unlisted=s.unlisted,
        hashes=classes["hash"].reshape(-1, 2),
        times=classes["time"],
        origin=classes["from"],
        begin=classes["begin"],
        deltas=classes["deltas"],
        directed=(arrows, arrow_times),
        undirected=(lines, line_times),
        trace_step=step,
        trace_edges=edges,
        trace_score=score,
        trace_direction=direction,
        draw_stride=stride,
        draw_hashes=draw_hashes.reshape(-1, 2),
        draw_begin=draw_begin,
        draw_deltas=draw_deltas,
        score_reference=s.score_reference,
        batch_integrals=batches["integrals"].reshape(-1, 6),
        batch_begin=batches["begin"],
        batch_pairs=batches["pairs"],
        batch_marks=batches["marks"],
        batch_times=batches["held"].reshape(-1, 3),
        end=np.flatnonzero(chain.graph().matrix()),
        end_direction=chain.direction,
        tables=CompletedTables.of(chain),
    )


def _excursions(task: ChainTask, chain: Chain) -> ExcursionStatistics | None:
    plan, tuning = task.stage.plan, chain.tuning
    if plan is None or tuning.log2_rate == -math.inf:
        return None
    counts = chain.statistics().excursions
    return ExcursionStatistics(
        made=counts.made,
        accepted=counts.accepted,
        changed=counts.changed,
        fixed=counts.fixed / max(1.0, counts.window_nodes),
        candidates=max(len(some) for some in plan.candidates),
        steps=tuning.steps,
        window=tuning.window,
    )
