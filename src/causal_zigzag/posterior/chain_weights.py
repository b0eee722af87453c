"""weigh_chains(): chains weighted by the masses of the regions they are in, instead of by their times.

Chains that sample the same region are weighted by their times: the share of a class is its time in all of them divided
by their total time. If no chain moves between two regions, times say nothing about their masses; the masses are then
estimated from exact weights, see ``diagnostics.regions``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.posterior.diagnostics.regions import log_mass
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.chain_result import ChainResult

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
        return replace(run, chain_weights=())
    logs = np.full(len(run.results), -np.inf)
    for region in regions:
        times = np.array([_log_time(run.results[chain]) for chain in region])
        logs[region] = log_mass(run, region) + times - np.logaddexp.reduce(times)
    return replace(run, chain_weights=tuple((logs - np.logaddexp.reduce(logs)).tolist()))


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
    group = np.arange(len(run.results))
    shares = [_shares(r) for r in run.results]
    edges = [chain.edge_probabilities() for chain in replace(run, reweighting=None).by_chain()]
    for i in range(len(group)):
        for j in range(i):
            if group[i] == group[j]:
                continue
            apart = [np.abs(getattr(edges[i], kind) - getattr(edges[j], kind)) for kind in ("adjacent", "directed")]
            alike = float(np.max(apart, initial=0.0)) <= ALIKE_EDGES
            if alike or _overlap(shares[i], shares[j]) >= SAME_CLASSES:
                group[group == group[i]] = group[j]
    return [np.flatnonzero(group == number).tolist() for number in np.unique(group)]


Shares = tuple["NDArray[np.uint64]", "NDArray[np.float64]"]
"""Listed classes, ascending by the first half of their hashes, and their shares of the time of a chain."""


def _shares(result: ChainResult) -> Shares:
    order = np.argsort(result.hashes[:, 0], kind="stable")
    return result.hashes[order, 0], result.times[order] / result.total


def _overlap(a: Shares, b: Shares) -> float:
    _, at_a, at_b = np.intersect1d(a[0], b[0], assume_unique=True, return_indices=True)
    return float(np.minimum(a[1][at_a], b[1][at_b]).sum())
