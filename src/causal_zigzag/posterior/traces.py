"""Trace and draws: the paths of the chains on regular grids of times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.draws import ChainDraws, Draws
from causal_zigzag.answers.errors.batches import in_unit, total_times
from causal_zigzag.posterior.sampled_classes import draw_list
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.chain_result import ChainResult

PLAIN_EXPONENT = 900  # times between 2**-900 and 2**900 are given in unit 1


@dataclass(frozen=True, eq=False)
class Trace:
    """The path of one chain after its warm-up, on a regular grid of times.

    ``time`` is in units of 2**log2_unit, which is 1 unless times are extremely long or short.

    >>> import causal_zigzag as cz
    >>> trace = cz.sample(cz.Uniform(3), jumps=1000, rng=1).trace()[0]
    >>> len(trace.time) == len(trace.edges) == len(trace.score) == len(trace.direction)
    True
    """

    time: NDArray[np.float64]
    edges: NDArray[np.int32]
    score: NDArray[np.float64]
    direction: NDArray[np.int8]
    log2_unit: int = 0


def end_of(traces: Sequence[Trace]) -> float:
    """The time at which the longest trace ends, by which figures divide; 1 if no time has passed.

    The time of a process depends on how improbable the neighbors of its classes are, and can be 10**30 or more.
    """
    return max(float(trace.time[-1]) for trace in traces) or 1.0


def traces(results: Sequence[ChainResult], first_score: float) -> tuple[Trace, ...]:
    """The trace of each chain; ``first_score`` is the score of the start."""
    longest, _ = total_times(results)
    unit = 0 if abs(longest) < PLAIN_EXPONENT else int(longest)
    return tuple(
        Trace(
            read_only(in_unit(np.arange(len(r.trace_edges), dtype=np.float64) * r.trace_step, r, unit)),
            read_only(r.trace_edges),
            read_only(first_score + r.trace_score),
            read_only(r.trace_direction),
            unit,
        )
        for r in results
    )


def draws_of(run: Posterior, first_score: float) -> Draws:
    """The draws of all chains on the coarsest of their grids; ``first_score`` is the score of the start."""
    results = run._results
    logs = [r.unit + math.log2(r.trace_step * r.draw_stride) if len(r.draw_hashes) else -math.inf for r in results]
    longest = max((log for log in logs if math.isfinite(log)), default=0.0)
    unit = 0 if abs(longest) < PLAIN_EXPONENT else int(longest)
    chains = []
    for r, own in zip(results, logs, strict=True):
        every = 2 ** int(min(longest - own, max(1, len(r.draw_hashes)).bit_length()))
        point = every * r.draw_stride
        score = read_only(first_score + r.trace_score[::point])
        edges, direction = read_only(r.trace_edges[::point]), read_only(r.trace_direction[::point])
        hashes = read_only(r.draw_hashes[::every])
        chains.append(ChainDraws(draw_list(run, r), every, hashes, edges, score, direction))
    return Draws(run.nodes, math.ldexp(1.0, int(longest - unit)), unit, _without_drift(chains))


def _without_drift(chains: Sequence[ChainDraws]) -> tuple[ChainDraws, ...]:
    """The draws with one score per class, that of its first draw.

    A chain adds up score differences, so the score of a class drifts by rounding, differently in each chain. Without
    this, ranks of scores would show a disagreement between chains that is only rounding.
    """
    names = np.concatenate([c.hashes[:, 0] for c in chains])  # 64 of 128 bits are enough to distinguish the few draws
    _, first, where = np.unique(names, return_index=True, return_inverse=True)
    scores = np.concatenate([c.score for c in chains])[first][where]
    ends = np.cumsum([len(c) for c in chains])[:-1]
    return tuple(replace(c, score=read_only(s)) for c, s in zip(chains, np.split(scores, ends), strict=True))
