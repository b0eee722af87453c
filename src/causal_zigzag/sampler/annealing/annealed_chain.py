"""run_annealing: cools one chain from its hot start to the target, where it ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.sampler.annealing.schedule import Annealing
from causal_zigzag.sampler.annealing.statistics import AnnealingStatistics
from causal_zigzag.sampler.chain_runner import ChainRunner, continued
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_task import ChainTask, Meter, Signal

HOT_CLASSES = 2  # the number of classes that a hot chain lists: none are wanted


@dataclass(frozen=True, eq=False)
class AnnealedChain:
    """Where an annealed chain ended: a class, its score relative to that of the run's start, and what it saw there.

    ``adjacent`` has the share of the time at the target's coldness in which each pair of nodes was adjacent, and
    ``log2_pace`` the binary logarithm of the jumps per unit of time. ``path`` is that of ``Annealing``.
    """

    graph: CPDAG
    score: float
    adjacent: NDArray[np.float64]
    log2_pace: float
    path: NDArray[np.float64]
    statistics: AnnealingStatistics


@dataclass(frozen=True)
class AnnealingOutcome:
    """An annealed chain, None if it was stopped, and the problems that did not stop it."""

    result: AnnealedChain | None
    notes: tuple[str, ...] = ()


def run_annealing(task: ChainTask, stop: Signal | None, meter: Meter) -> AnnealingOutcome:
    """Anneal a chain from its start, or from its last checkpoint, to the target or until ``stop`` is set."""
    files = task.files
    saved = files.load() if files is not None else None
    if saved is None:
        schedule = Annealing.begin(task.target, task.settings.planned_jumps(task.target))
    else:
        assert isinstance(saved.warmup, Annealing)
        schedule = saved.warmup
    chain = continued(
        task.number,
        lambda: make_chain(
            task.target,
            task.settings,
            task.start.graph,
            task.seed,
            coldness=schedule.coldness,
            extra_slope=schedule.slope,
            first_score=task.start.score,
            saved=None if saved is None else saved.state(),
            max_classes=HOT_CLASSES,
        ),
    )
    runner = ChainRunner(chain, schedule, task, stop, meter)
    while not schedule.over and runner.run(schedule.kept + schedule.length):
        schedule.finish_block(chain)
    runner.check_density()
    if files is not None:
        files.save(chain, schedule)
    notes = tuple(files.notes) if files is not None else ()
    if not schedule.over:
        return AnnealingOutcome(None, notes)
    state, n = chain.statistics(), len(task.target.nodes)
    directed, undirected = (np.asarray(times).reshape(n, n) for times in chain.edge_times())
    time = state.time.expected
    adjacent = (directed + directed.T + undirected) / time if time > 0 else np.zeros((n, n))
    pace = math.log2(max(1.0, state.jumps)) - (math.log2(time) + state.unit) if time > 0 else 0.0
    matrix = np.asarray(chain.graph().matrix()).reshape(n, n)
    result = AnnealedChain(
        graph=CPDAG.from_matrix(matrix, task.target.nodes),
        score=chain.score,
        adjacent=read_only(adjacent),
        log2_pace=pace,
        path=read_only(np.array(schedule.path)),
        statistics=AnnealingStatistics(schedule.hot / schedule.target, schedule.blocks, schedule.made),
    )
    return AnnealingOutcome(result, notes)
