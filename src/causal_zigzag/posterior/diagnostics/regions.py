"""The regions that chains are in: estimates of their masses.

The weight w(c) of a class, exp(coldness · score) times the edge prior, is known exactly. A chain that samples a region
correctly spends the share p(c) = w(c) / m of its time in class c, where m is the mass of the region: the sum of its
weights. So every class gives the estimate w(c) / p(c). These are combined as Σ w / Σ p over a set of classes, whose
relative error is that of the time in the whole set; a mean of the ratios would be dominated by classes that were
visited rarely and whose p is therefore uncertain. The set is chosen by weight, not by time, because p is too large on
average for classes that are chosen for their time. It consists of the heaviest classes, which have the most visits, and
has half of the time: with more classes it would include those that happened to be visited once among many that were
not. Masses are relative to the weight of the start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.errors.batches import in_unit, total_times

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.chain_result import ChainResult

HEAVIEST_SHARE = 0.5  # the share of the time in drawn classes that the set of heaviest classes has


def log_mass(run: Posterior, chains: Sequence[int]) -> float:
    """The log of the estimated mass of the region that these chains sample together."""
    results = [run.results[chain] for chain in chains]
    unit, total = total_times(results)
    listed = np.concatenate([r.hashes[:, 0] for r in results])  # 64 of 128 bits are enough to distinguish classes
    times = np.concatenate([in_unit(r.times, r, unit) for r in results]) / total
    names, where = np.unique(listed, return_inverse=True)
    shares = np.bincount(where, times, len(names))
    drawn, log_weights = _drawn_weights(run, results)
    at = np.minimum(np.searchsorted(names, drawn), len(names) - 1)
    known = (names[at] == drawn) & (shares[at] > 0)
    if not known.any():
        return _mass_by_longest(run, chains)
    log_weights, held = log_weights[known], shares[at[known]]
    order = np.argsort(-log_weights, kind="stable")
    together = np.cumsum(held[order])
    size = int(np.searchsorted(together, HEAVIEST_SHARE * together[-1])) + 1
    heaviest = log_weights[order[:size]]
    return float(np.logaddexp.reduce(heaviest) - math.log(together[size - 1]))


def _drawn_weights(run: Posterior, results: Sequence[ChainResult]) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """The classes that were drawn, each once, and the logs of their weights; draws have scores, lists have not."""
    names = np.concatenate([r.draw_hashes[:, 0] for r in results])
    logs = np.concatenate([_trace_weights(run, r)[:: r.draw_stride][: len(r.draw_hashes)] for r in results])
    drawn, first = np.unique(names, return_index=True)
    return drawn, logs[first]


def _trace_weights(run: Posterior, result: ChainResult) -> NDArray[np.float64]:
    """The logs of the weights of the classes of a trace, relative to the score of the start."""
    edges, where = np.unique(result.trace_edges, return_inverse=True)
    priors = np.array([run.target.edge_prior.log_weight(int(m)) for m in edges])
    return np.asarray(run.target.coldness * result.trace_score + priors[where])


def _mass_by_longest(run: Posterior, chains: Sequence[int]) -> float:
    """The estimate w / p from the class with the most time, for chains without draws in listed classes."""
    shares = {chain: run.results[chain].times.max() / run.results[chain].total for chain in chains}
    longest = max(shares, key=lambda chain: shares[chain])
    g = run.listed.lists[longest].graph(int(np.argmax(run.results[longest].times)))
    weight = run.target.log_weight(g) - run.target.coldness * run.target.score.total(run.start)
    return weight - math.log(shares[longest])
