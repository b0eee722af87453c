"""What a posterior without a checkpoint is extended from: the last state of each of its chains."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.posterior.merging import merge_posteriors
from causal_zigzag.posterior.sampled_classes import edge_shares
from causal_zigzag.sampler.chain_task import Start

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.annealing.schedule import AnnealingStatistics

SHORT_RUN = 0.1  # a run with fewer jumps than this share of its extension is left out


@dataclass(frozen=True, eq=False)
class LastState:
    """The class and the direction in which a chain ended, the score of the class, and what the chain has seen."""

    graph: CPDAG
    direction: int
    score: float
    adjacent: NDArray[np.float64]  # share of the time
    log2_pace: float  # binary logarithm of the jumps per unit of time
    annealed: AnnealingStatistics | None
    ladder: tuple[float, ...]  # of a tempered chain
    cells: NDArray[np.float64] | None  # missing ones

    def start(self, relative_to: LastState) -> Start:
        """The start of the chain that continues here."""
        score = self.score - relative_to.score
        return Start(self.graph, score, self.annealed, self.log2_pace, self.direction, True, self.cells)


def last_states(posterior: Posterior) -> list[LastState]:
    """The last states of all chains; an extension begins there."""
    n = len(posterior.nodes)
    found = []
    for result in posterior.results:
        edges = np.zeros(n * n, dtype=np.uint8)
        edges[result.end] = 1
        graph = CPDAG.from_matrix(edges.reshape(n, n), posterior.nodes)
        ran, time = result.statistics, result.total
        tempering = ran.tempering
        found.append(
            LastState(
                graph=graph,
                direction=result.end_direction,
                score=posterior.score.origin(graph),
                adjacent=edge_shares(posterior.nodes, [result]).adjacent if time > 0 else np.zeros((n, n)),
                log2_pace=math.log2(max(1, ran.jumps)) - (math.log2(time) + result.unit) if time > 0 else 0.0,
                annealed=ran.annealing,
                ladder=() if tempering is None else tempering.ladder,
                cells=None if result.tables is None else result.tables.end,
            )
        )
    return found


def joined(earlier: Posterior, later: Posterior) -> Posterior:
    """The chains of a run and of its extension as one posterior, with the record of the run.

    A run that is much shorter than its extension is left out, as if it were part of the warm-up: chains are compared
    over the length of the shortest.
    """
    is_short = _jumps(earlier) < SHORT_RUN * _jumps(later)
    merged = later if is_short else merge_posteriors([earlier, later])
    record, added = earlier.record, later.record
    if record is None or added is None:
        return merged
    return replace(merged, record=replace(record, seconds=record.seconds + added.seconds, extended=True))


def _jumps(posterior: Posterior) -> int:
    return sum(s.jumps for s in posterior.statistics)
