"""Trace: the path of a chain on a regular grid of times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.posterior.listed_classes import in_unit, total_times
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_result import ChainResult

PLAIN = 900  # times between 2**-PLAIN and 2**PLAIN are given in unit 1


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


def traces(results: Sequence[ChainResult], first_score: float) -> tuple[Trace, ...]:
    """The trace of each chain; ``first_score`` is the score of the start."""
    longest, _ = total_times(results)
    unit = 0 if abs(longest) < PLAIN else int(longest)
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
