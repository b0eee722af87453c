"""Reweighting: the weights of listed classes and draws under another prior, and the probabilities that result."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import edge_sums
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.errors import SamplingWarning
from causal_zigzag.graphs.mpdag import class_of
from causal_zigzag.graphs.node_order import in_node_order
from causal_zigzag.posterior.listed_graphs import class_lists
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.posterior.listed_classes import Classes
    from causal_zigzag.posterior.sampled_run import SampledRun

NEGLIGIBLE = 1e-3  # no warning if unlisted classes took at most this share of the time


@dataclass(frozen=True, eq=False)
class Reweighting:
    """The name of a prior, and per chain the log of its ratio to the uniform prior for listed classes and draws."""

    prior: str
    log_weights: tuple[NDArray[np.float64], ...]
    draw_log_weights: tuple[NDArray[np.float64], ...]

    def of_chain(self, number: int) -> Reweighting:
        """The weights of one chain."""
        return replace(self, log_weights=(self.log_weights[number],), draw_log_weights=(self.draw_log_weights[number],))

    def of_classes(self, classes: Classes) -> NDArray[np.float64]:
        """The log weights of these listed classes."""
        first = np.cumsum([0, *(len(logs) for logs in self.log_weights)])
        return np.concatenate(self.log_weights)[first[classes.chain] + classes.record]

    def apply(self, classes: Classes) -> Classes:
        """The same classes with their probabilities under the prior; unlisted classes get none."""
        logs = self.of_classes(classes)
        with np.errstate(divide="ignore"):
            both = np.log(classes.shares) + logs
        most = both.max(initial=-np.inf)
        shares = np.exp(both - (most if np.isfinite(most) else 0.0))
        shares /= max(shares.sum(), 1e-300)  # all classes of a single chain may have zero weight
        ranked = np.lexsort((classes.hashes[:, 1], classes.hashes[:, 0], -shares))
        return replace(
            classes,
            hashes=classes.hashes[ranked],
            shares=shares[ranked],
            chain=classes.chain[ranked],
            record=classes.record[ranked],
            unlisted=0.0,
        )


def warn_of_unlisted(run: SampledRun, fate: str, depth: int) -> None:
    """Warn, ``depth`` calls up the stack, if more than NEGLIGIBLE of the time was spent in unlisted classes."""
    if run.unlisted > NEGLIGIBLE:
        most, made = run.settings.max_classes, max(s.jumps for s in run.statistics)
        warnings.warn(
            f"{run.unlisted:.2%} of the time was spent in classes that are not listed, {fate}. To list more, "
            f"sample with a larger max_classes (now {most:,}; a chain visits at most as many classes as it makes "
            f"jumps, here {made:,})",
            SamplingWarning,
            stacklevel=depth,
        )


def places(table: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The positions of hashes in a sorted table of distinct ones; -1 for those that are not in it."""
    if not len(table):
        return np.full(len(hashes), -1)
    at = np.searchsorted(table[:, 0], hashes[:, 0])
    found = np.full(len(hashes), -1)
    while True:  # repeated only if the first 64 of 128 bits agree by chance
        inside = at < len(table)
        rows = np.minimum(at, len(table) - 1)
        alike = inside & (table[rows, 0] == hashes[:, 0])
        hit = alike & (table[rows, 1] == hashes[:, 1])
        found[hit] = rows[hit]
        if not (alike & ~hit).any():
            return found
        at = np.where(alike & ~hit, at + 1, len(table))


def weight_ess(run: SampledRun) -> float:
    """See ``Posterior.weight_ess``."""
    if run.reweighting is None:
        return 1.0
    classes = run.sampled_classes
    shares = classes.shares
    logs = np.where(shares > 0, run.reweighting.of_classes(classes), -np.inf)
    if logs.max(initial=-np.inf) == -np.inf:
        return 0.0
    weights = np.exp(logs - logs.max())
    return float((shares @ weights) ** 2 / (shares @ weights**2) / shares.sum())


def weighted_edges(run: SampledRun) -> EdgeProbabilities:
    """Edge probabilities from the probabilities of the listed classes."""
    n = len(run.nodes)
    classes = run.listed_classes
    directed, undirected = np.zeros(n * n), np.zeros(n * n)
    for number, some in enumerate(class_lists(run)):
        own = classes.chain == number
        values = np.zeros(len(some.origin))
        values[classes.record[own]] = classes.shares[own]
        _, origin, begin, deltas, _ = some.oriented()
        arrows, lines = edge_sums(n, origin, begin, deltas, values)
        directed += arrows
        undirected += lines
    square = undirected.reshape(n, n)
    return EdgeProbabilities(run.nodes, read_only(directed.reshape(n, n)), read_only(square + square.T))


def log_weight_of(run: SampledRun, graphs: Iterable[ClassGraph]) -> NDArray[np.float64]:
    """See ``Posterior.log_weight_of``."""
    classes = (class_of(g, "log_weight_of") for g in graphs)
    names = [in_node_order(g, run.nodes, "the graph").core.hash for g in classes]
    return log_weights_by_name(run, np.array(names, dtype=np.uint64).reshape(-1, 2))


def log_weights_by_name(run: SampledRun, hashes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The log weights of the classes with these hashes: all 0 without reweighting, else -inf for unlisted classes."""
    if run.reweighting is None:
        return np.zeros(len(hashes))
    classes = run.listed_classes
    order = np.lexsort((classes.hashes[:, 1], classes.hashes[:, 0]))
    at = places(classes.hashes[order], hashes)
    return np.where(at >= 0, run.reweighting.of_classes(classes)[order[at]], -np.inf)
