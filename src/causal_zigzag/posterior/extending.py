"""What a posterior without a checkpoint is extended from: the last state of each of its chains."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.posterior.merging import merge_posteriors
from causal_zigzag.posterior.sampled_classes import edge_shares
from causal_zigzag.sampler.chain_task import Start

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior

SHORT_RUN = 0.1  # a run with fewer jumps than this share of its extension is left out


class LastState(NamedTuple):
    """Where a chain ended and its extension begins, and what the chain has seen."""

    start: Start
    adjacent: NDArray[np.float64]  # share of the time
    ladder: tuple[float, ...]  # of a tempered chain

    @property
    def graph(self) -> CPDAG:
        """The class in which the chain ended."""
        return self.start.graph


def last_states(posterior: Posterior) -> list[LastState]:
    """The last states of all chains, with scores relative to that of the first."""
    n = len(posterior.nodes)
    found: list[LastState] = []
    for result in posterior.results:
        edges = np.zeros(n * n, dtype=np.uint8)
        edges[result.end] = 1
        graph = CPDAG.from_matrix(edges.reshape(n, n), posterior.nodes)
        ran, time = result.statistics, result.total
        score = posterior.score.origin(graph) - posterior.score.origin(found[0].graph if found else graph)
        pace = math.log2(max(1, ran.jumps)) - (math.log2(time) + result.unit) if time > 0 else 0.0
        cells = None if result.tables is None else result.tables.end
        seen = edge_shares(posterior.nodes, [result]).adjacent if time > 0 else np.zeros((n, n))
        ladder = () if ran.tempering is None else ran.tempering.ladder
        found.append(
            LastState(Start(graph, score, ran.annealing, pace, result.end_direction, True, cells), seen, ladder)
        )
    return found


def joined(earlier: Posterior, later: Posterior) -> Posterior:
    """The chains of a run and of its extension as one posterior, with the record of the run.

    A run that is much shorter than its extension is left out, as if it were part of the warm-up: chains are compared
    over the length of the shortest.
    """
    before, after = (sum(s.jumps for s in run.statistics) for run in (earlier, later))
    is_short = before < SHORT_RUN * after
    merged = later if is_short else merge_posteriors([earlier, later])
    record, added = earlier.record, later.record
    if record is None or added is None:
        return merged
    return replace(merged, record=replace(record, seconds=record.seconds + added.seconds, extended=True))
