"""weigh_chains(): chains weighted by the masses of the regions they are in, instead of by their times.

Chains that sample the same region are weighted by their times: the share of a class is its time in all of them divided
by their total time. If no chain moves between two regions, times say nothing about their masses; the masses are then
estimated from exact weights.

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
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.errors.batches import in_unit, total_times
from causal_zigzag.errors import SettingsError
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.chain_result import ChainResult

HEAVIEST_SHARE = 0.5  # the share of the time in drawn classes that the set of heaviest classes has
SAME_CLASSES = 0.2  # chains with this much of their time in common, Σ min(p, q) over classes, are in the same region
ALIKE_EDGES = 0.5  # so are chains whose edge probabilities all differ by at most this
# The second rule is for wide regions, of which each chain visits a small part, so that chains in the same one share
# few classes. Edges that are uncertain within a region can mix slowly and differ by more than 0.1 between its chains;
# regions that chains do not leave usually differ in edges that are probable in one and improbable in the other.


def weigh_chains(run: Posterior) -> Posterior:
    """See ``Posterior.weigh_chains``."""
    if run.score.is_incomplete:
        raise SettingsError(
            f"the weights of classes are not known under {run.score!r}, so chains cannot be weighted by the masses of "
            f"their regions; sample longer, or with more chains"
        )
    regions = _same_region(run)
    if len(regions) < 2:
        return replace(run, _chain_weights=())
    logs = np.full(len(run._results), -np.inf)
    for region in regions:
        times = np.array([_log_time(run._results[chain]) for chain in region])
        logs[region] = log_mass(run, region) + times - np.logaddexp.reduce(times)
    return replace(run, _chain_weights=tuple((logs - np.logaddexp.reduce(logs)).tolist()))


def weighted_results(results: tuple[ChainResult, ...], weights: Sequence[float]) -> tuple[ChainResult, ...]:
    """The results of the chains, with times scaled so that the total time of a chain is its weight, if it has one."""
    return tuple(_scaled(r, weight) for r, weight in zip(results, weights, strict=True)) if weights else results


def log_factors(results: Sequence[ChainResult], weights: Sequence[float]) -> NDArray[np.float64]:
    """The logs of the factors by which the weights of chains multiply the times of chains; 0 without such weights."""
    return np.array(
        [w - _log_time(r) for r, w in zip(results, weights, strict=True)] if weights else [0.0] * len(results)
    )


def _log_time(result: ChainResult) -> float:
    return math.log(result.total) + result.unit * math.log(2)


def _scaled(result: ChainResult, log_weight: float) -> ChainResult:
    unit = math.floor(log_weight / math.log(2))
    factor = math.exp(log_weight - unit * math.log(2)) / result.total
    (directed, arrows), (undirected, lines) = result.directed, result.undirected
    integrals = result.batch_integrals.copy()
    integrals[:, 1:] *= factor  # column 0 is a number of jumps
    return replace(
        result,
        unit=float(unit),
        total=result.total * factor,
        unlisted=result.unlisted * factor,
        times=read_only(result.times * factor),
        directed=(directed, read_only(arrows * factor)),
        undirected=(undirected, read_only(lines * factor)),
        trace_step=result.trace_step * factor,
        batch_integrals=read_only(integrals),
        batch_times=read_only(result.batch_times * factor),
    )


def _same_region(run: Posterior) -> list[list[int]]:
    """The chains in groups: two chains that overlap are in the same group, and so are all that overlap with either."""
    group = np.arange(len(run._results))
    edges = [chain.edge_probabilities() for chain in replace(run, _reweighting=None).by_chain()]
    for i in range(len(group)):
        for j in range(i):
            if group[i] == group[j]:
                continue
            apart = [np.abs(getattr(edges[i], kind) - getattr(edges[j], kind)) for kind in ("adjacent", "directed")]
            alike = float(np.max(apart, initial=0.0)) <= ALIKE_EDGES
            if alike or _overlap(run._results[i], run._results[j]) >= SAME_CLASSES:
                group[group == group[i]] = group[j]
    return [np.flatnonzero(group == number).tolist() for number in np.unique(group)]


def _overlap(a: ChainResult, b: ChainResult) -> float:
    """The share of the time that two chains have in common."""
    names = a.hashes[:, 0], b.hashes[:, 0]  # 64 of 128 bits are enough to distinguish classes
    _, at_a, at_b = np.intersect1d(*names, assume_unique=True, return_indices=True)
    return float(np.minimum(a.times[at_a] / a.total, b.times[at_b] / b.total).sum())


def log_mass(run: Posterior, chains: Sequence[int]) -> float:
    """The log of the estimated mass of the region that these chains sample together."""
    results = [run._results[chain] for chain in chains]
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
    shares = {chain: run._results[chain].times.max() / run._results[chain].total for chain in chains}
    longest = max(shares, key=lambda chain: shares[chain])
    g = run._listed.lists[longest].graph(int(np.argmax(run._results[longest].times)))
    weight = run.target.log_weight(g) - run.target.coldness * run.target.score.total(run._start)
    return weight - math.log(shares[longest])
