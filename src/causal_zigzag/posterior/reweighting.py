"""Another prior: listed classes and draws of a posterior weighed by the number of their DAGs, or by any function."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag._core import edge_sums, log_class_sizes
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.answers.prior_weights import log_weight_by, log_weights_by, name_of
from causal_zigzag.answers.statements import ClassList
from causal_zigzag.errors import SamplingWarning, SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.node_order import in_node_order
from causal_zigzag.posterior.draws import draw_list
from causal_zigzag.posterior.listed_graphs import class_graphs, every_listed_graph
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.listed_classes import Classes
    from causal_zigzag.posterior.posterior import Posterior

NEGLIGIBLE = 1e-3  # of the time, in classes that are not listed: less is passed over in silence


@dataclass(frozen=True, eq=False)
class Reweighting:
    """The name of a prior, and the log of its ratio to the uniform one for every listed class and draw of a chain."""

    prior: str
    log_weights: tuple[NDArray[np.float64], ...]
    draw_log_weights: tuple[NDArray[np.float64], ...]

    def of_chain(self, number: int) -> Reweighting:
        """What it is for one chain by itself."""
        return replace(self, log_weights=(self.log_weights[number],), draw_log_weights=(self.draw_log_weights[number],))

    def of_classes(self, classes: Classes) -> NDArray[np.float64]:
        """The log weights of these classes, which the chains have listed."""
        first = np.cumsum([0, *(len(logs) for logs in self.log_weights)])
        return np.concatenate(self.log_weights)[first[classes.chain] + classes.record]

    def apply(self, classes: Classes) -> Classes:
        """The same classes with their shares under the prior; those that are not listed get none."""
        logs = self.of_classes(classes)
        with np.errstate(divide="ignore"):
            both = np.log(classes.shares) + logs[:, None]
        most = both.max(axis=0, initial=-np.inf)
        shares = np.exp(both - np.where(np.isfinite(most), most, 0.0))
        shares /= np.maximum(shares.sum(axis=0), 1e-300)  # a chain by itself may have no class with any weight
        ranked = np.lexsort((classes.hashes[:, 1], classes.hashes[:, 0], -shares[:, 0]))
        return replace(
            classes,
            hashes=classes.hashes[ranked],
            shares=shares[ranked],
            chain=classes.chain[ranked],
            record=classes.record[ranked],
            unlisted=(0.0, 0.0),
        )


def reweight(posterior: Posterior, prior: Any) -> Posterior:
    """See ``Posterior.reweight``."""
    sampled = replace(posterior, reweighting=None)
    if isinstance(prior, str) and prior == "classes":
        return sampled
    if isinstance(prior, str) and prior == "dags":
        n, labels = len(posterior.nodes), posterior.start.labels
        lists = [ClassList(labels, r.origin, r.begin, r.deltas) for r in posterior.results]
        drawn = [draw_list(labels, r) for r in posterior.results]
        logs, draw_logs = (
            tuple(read_only(log_class_sizes(n, some.origin, some.begin, some.deltas)) for some in each)
            for each in (lists, drawn)
        )
        reweighting = Reweighting("dags", logs, draw_logs)
    elif callable(prior) and not isinstance(prior, str):
        reweighting = _by_function(sampled, prior)
    else:
        raise SettingsError(
            f'prior must be "dags", "classes" or a function that gives the log weight of a graph, not {prior!r}'
        )
    weighed = replace(sampled, reweighting=reweighting)
    if sampled.unlisted > NEGLIGIBLE:
        from causal_zigzag.posterior.weighted_draws import unlisted_weight  # which itself asks for weights

        missing = unlisted_weight(weighed)
        held = "which have" if math.isnan(missing) else f"which have, by the draws, {missing:.1%} of"
        warn_of_unlisted(
            sampled,
            f"{held} the probability under this prior. top, probability, credible_set and sample_dags leave them out "
            "and give it to the listed ones; edges and statements are told from the draws, which are of all classes",
            depth=4,
        )
    return weighed


def warn_of_unlisted(posterior: Posterior, fate: str, depth: int) -> None:
    """A warning, so many calls above, unless next to all the time was spent in classes that are listed."""
    if posterior.unlisted > NEGLIGIBLE:
        most, made = posterior.settings.max_classes, max(s.jumps for s in posterior.statistics)
        warnings.warn(
            f"{posterior.unlisted:.2%} of the time was spent in classes that are not listed, {fate}. To list more, "
            f"sample with a larger max_classes (now {most:,}; no chain sees more classes than it makes "
            f"jumps, here {made:,})",
            SamplingWarning,
            stacklevel=depth,
        )


def _by_function(sampled: Posterior, prior: Callable[[CPDAG], float]) -> Reweighting:
    """One call a class, however many chains have listed or drawn it."""
    classes = sampled._classes
    values = log_weights_by(prior, every_listed_graph(sampled), len(classes))
    order = np.lexsort((classes.hashes[:, 1], classes.hashes[:, 0]))
    table = classes.hashes[order]  # it has every class of every chain
    logs = tuple(read_only(values[order[_places(table, r.hashes)]]) for r in sampled.results)
    known: dict[bytes, float] = {}  # of classes that are drawn and not listed
    draw_logs = []
    for r in sampled.results:
        at = _places(table, r.draw_hashes)
        own = values[order[at]]
        for i, g in class_graphs(draw_list(sampled.start.labels, r), at < 0):
            name = r.draw_hashes[i].tobytes()
            if name not in known:
                known[name] = log_weight_by(prior, g)
            own[i] = known[name]
        draw_logs.append(read_only(own))
    return Reweighting(name_of(prior), logs, tuple(draw_logs))


def _places(table: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Where these hashes stand in a sorted table of different ones; -1 where they do not."""
    if not len(table):
        return np.full(len(hashes), -1)
    at = np.searchsorted(table[:, 0], hashes[:, 0])
    found = np.full(len(hashes), -1)
    while True:  # more than once only where the first 64 of 128 bits agree by chance
        inside = at < len(table)
        rows = np.minimum(at, len(table) - 1)
        alike = inside & (table[rows, 0] == hashes[:, 0])
        hit = alike & (table[rows, 1] == hashes[:, 1])
        found[hit] = rows[hit]
        if not (alike & ~hit).any():
            return found
        at = np.where(alike & ~hit, at + 1, len(table))


def weight_ess(posterior: Posterior) -> float:
    """See ``Posterior.weight_ess``."""
    if posterior.reweighting is None:
        return 1.0
    classes = posterior._sampled
    shares = classes.shares[:, 0]
    logs = np.where(shares > 0, posterior.reweighting.of_classes(classes), -np.inf)
    if logs.max(initial=-np.inf) == -np.inf:
        return 0.0
    weights = np.exp(logs - logs.max())
    return float((shares @ weights) ** 2 / (shares @ weights**2) / shares.sum())


def weighed_edges(posterior: Posterior, column: int) -> EdgeProbabilities:
    """The probabilities of edges from the listed classes and their shares."""
    n = len(posterior.nodes)
    classes = posterior._classes
    directed, undirected = np.zeros(n * n), np.zeros(n * n)
    for number, r in enumerate(posterior.results):
        own = classes.chain == number
        values = np.zeros(len(r.hashes))
        values[classes.record[own]] = classes.shares[own, column]
        arrows, lines = edge_sums(n, r.origin, r.begin, r.deltas, values)
        directed += arrows
        undirected += lines
    square = undirected.reshape(n, n)
    return EdgeProbabilities(posterior.nodes, read_only(directed.reshape(n, n)), read_only(square + square.T))


def log_weight_of(posterior: Posterior, graphs: Iterable[CPDAG]) -> NDArray[np.float64]:
    """See ``Posterior.log_weight_of``."""
    names = [in_node_order(g, posterior.nodes, "the graph").core.hash for g in graphs]
    return log_weights_by_name(posterior, np.array(names, dtype=np.uint64).reshape(-1, 2))


def log_weights_by_name(posterior: Posterior, hashes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The log weights of the classes with these hashes: all 0 without reweighting, else -inf for unlisted classes."""
    if posterior.reweighting is None:
        return np.zeros(len(hashes))
    classes = posterior._classes
    order = np.lexsort((classes.hashes[:, 1], classes.hashes[:, 0]))
    at = _places(classes.hashes[order], hashes)
    return np.where(at >= 0, posterior.reweighting.of_classes(classes)[order[at]], -np.inf)
