"""Edge probabilities of a run: the shares of the time of all chains with each edge."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.posterior.listed_classes import in_unit, total_times
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_result import ChainResult

Matrices = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""Times of i -> j, and of i - j for i < j, n by n."""


def expected_edge_times(result: ChainResult, n: int) -> Matrices:
    """The expected times of the edges of one chain, which it accumulated while it ran."""
    times = np.zeros((n, n)), np.zeros((n, n))
    for dense, (at, held) in zip(times, (result.directed, result.undirected), strict=True):
        dense.ravel()[at] = held
    return times


def edge_shares(
    nodes: tuple[Hashable, ...], results: Sequence[ChainResult], times: Sequence[Matrices]
) -> EdgeProbabilities:
    """Probabilities from the times of the edges of each chain."""
    unit, total = total_times(results)
    n = len(nodes)
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    for result, (arrows, lines) in zip(results, times, strict=True):
        directed += in_unit(arrows, result, unit)
        undirected += in_unit(lines, result, unit)
    directed /= total
    undirected /= total
    return EdgeProbabilities(nodes, read_only(directed), read_only(undirected + undirected.T))
