"""Probabilities of statements and credible sets, with bounds for classes that are not listed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.statements import EdgeStatement, Statement, truth, two_nodes
from causal_zigzag.answers.top_classes import TopClass
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.graphs.mpdag import MPDAG, class_of
from causal_zigzag.graphs.node_order import in_node_order
from causal_zigzag.posterior.draws import draw_list
from causal_zigzag.posterior.listed_graphs import class_graphs, class_lists, every_listed_graph, listed_graphs
from causal_zigzag.posterior.weighted_draws import draw_weights, in_listed, unlisted_draw_weights, uses_all_time
from causal_zigzag.scores.totals import class_totals
from causal_zigzag.support.validation import is_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.sampled_run import SampledRun

ROUNDING = 1e-12


class Probability(float):
    """A probability with bounds that account for classes that are not listed.

    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.Uniform(["a", "b"]), jumps=1000, rng=1)
    >>> p = posterior.probability_that(cz.statements.adjacent("a", "b"))
    >>> round(p, 1), p.lower == p == p.upper
    (0.5, True)
    """

    __slots__ = ("_lower", "_upper")
    _lower: float
    _upper: float

    def __new__(cls, value: float, lower: float, upper: float) -> Probability:
        self = super().__new__(cls, value)
        self._lower, self._upper = lower, upper
        return self

    @property
    def lower(self) -> float:
        """The share of the time in listed classes for which the statement holds.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(2), jumps=1000, rng=1)
        >>> p = posterior.probability_that(cz.statements.adjacent(0, 1))
        >>> p.lower <= p
        True
        """
        return self._lower

    @property
    def upper(self) -> float:
        """The probability if the statement held in all classes that are not listed.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(2), jumps=1000, rng=1)
        >>> p = posterior.probability_that(cz.statements.adjacent(0, 1))
        >>> p.upper >= p
        True
        """
        return self._upper

    def __getnewargs__(self) -> tuple[float, float, float]:  # type: ignore[override]  # float's has one
        return float(self), self._lower, self._upper

    def __repr__(self) -> str:
        if self._lower == self._upper:
            return float.__repr__(self)
        bounds = f"between {self._lower:.4g} and {self._upper:.4g}, because of classes that are not listed"
        return f"{float.__repr__(self)} ({bounds})"


@dataclass(frozen=True, eq=False, repr=False)
class CredibleSet(Sequence[TopClass]):
    """The smallest set of classes with a given probability, the most probable first; graphs are decoded on access.

    >>> import causal_zigzag as cz
    >>> classes = cz.sample(cz.Uniform(2), jumps=1000, rng=1).credible_set(0.9)
    >>> classes
    CredibleSet(2 classes, probability 1)
    >>> cz.CPDAG.empty(2) in classes
    True
    """

    posterior: SampledRun
    level: float
    probability: float
    size: int

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[TopClass]:
        return top_classes(self.posterior, range(self.size))

    def __getitem__(self, at: Any) -> Any:
        rows = range(self.size)[at]
        if isinstance(at, slice):
            return [*top_classes(self.posterior, rows)]
        return next(top_classes(self.posterior, [rows]))

    def __contains__(self, g: object) -> bool:
        """Whether a class, or a class with its probability and score, is in the set."""
        graph = g[0] if isinstance(g, tuple) and g else g
        if not isinstance(graph, (CPDAG, MPDAG)):
            return False
        rank = _rank(self.posterior, class_of(graph, "in"))
        return rank is not None and rank < self.size

    def __repr__(self) -> str:
        classes = "1 class" if self.size == 1 else f"{self.size:,} classes"
        return f"CredibleSet({classes}, probability {self.probability:.4g})"


def credible_set(run: SampledRun, level: Any) -> CredibleSet:
    """See ``Posterior.credible_set``."""
    if not is_real(level) or not 0 < level <= 1:
        raise SettingsError(f"level must be a number above 0 and at most 1, not {level!r}")
    shares = run.listed_classes.shares
    held = np.cumsum(shares)
    if held[-1] < level - ROUNDING:
        raise SettingsError(
            f"no set of listed classes has probability {level:g}: all {len(shares):,} together have {held[-1]:.4g}, "
            "and the rest of the time was spent in unlisted classes; use a lower level, or sample with a larger "
            "max_classes"
        )
    count = min(int(np.searchsorted(held, level - ROUNDING)) + 1, len(held))
    return CredibleSet(run, float(level), float(min(held[count - 1], 1.0)), count)


def top_classes(run: SampledRun, ranks: Sequence[int]) -> Iterator[TopClass]:
    """The classes with these ranks in descending order of probability."""
    shares = run.listed_classes.shares
    rows = np.asarray(ranks, dtype=np.int64)
    scored = class_totals(run.target.score, listed_graphs(run, rows))
    for share, (g, total) in zip(shares[rows].tolist(), scored, strict=True):
        yield TopClass(run.target.restrict(g), share, total)


def _rank(run: SampledRun, g: CPDAG) -> int | None:
    """The rank of a class by descending probability, None if it is not listed."""
    if {*g.nodes} != {*run.nodes}:
        return None
    classes = run.listed_classes
    return classes.find(in_node_order(g, run.nodes, "the graph").core.hash)


def probability_that(run: SampledRun, statement: Any) -> Probability:
    """See ``Posterior.probability_that``."""
    shares = run.listed_classes.shares
    unlisted = run.listed_classes.unlisted
    if isinstance(statement, EdgeStatement) and run.unlisted > 0:
        value = _of_edge(run, statement)  # times of edges include unlisted classes
        return Probability(value, value, value)
    lower = min(1.0, math.fsum(shares * _in_listed(run, statement)))
    if run.reweighting is not None:
        return _in_weighted_draws(run, statement, lower)
    if unlisted <= 0:
        return Probability(lower, lower, lower)
    rest = min(unlisted, _in_unlisted_time(run, statement, unlisted, lower))
    return Probability(min(1.0, lower + rest), lower, min(1.0, lower + unlisted))


def _in_weighted_draws(run: SampledRun, statement: Any, lower: float) -> Probability:
    """The probability under another prior; for unlisted classes, only the draws have known weights."""
    draws = run.draws()
    weights = draw_weights(run, draws)
    if uses_all_time(run) or weights is None or not weights.any():
        return Probability(lower, lower, lower)
    weights /= weights.sum()
    holds = weights * draws.values(statement if isinstance(statement, Statement) else partial(truth, statement))
    listed = in_listed(run, draws)
    value, lower, lone = (math.fsum(some) for some in (holds, holds[listed], weights[~listed]))
    return Probability(min(1.0, value), min(1.0, lower), min(1.0, lower + lone))


def _in_listed(run: SampledRun, statement: Any) -> NDArray[np.float64]:
    """For each listed class whether the statement holds, or the share of its DAGs for which it does."""
    classes = run.listed_classes
    if isinstance(statement, Statement):
        found = [statement.shares(some) for some in class_lists(run)]
        first = np.cumsum([0, *(len(one) for one in found)])
        return np.asarray(np.concatenate(found)[first[classes.chain] + classes.record])
    if not callable(statement):
        raise SettingsError(
            f"probability_that needs a statement, such as cz.statements.adjacent(x, y), or a function of a graph, "
            f"not {statement!r}"
        )
    holds = np.zeros(len(classes))
    for row, g in every_listed_graph(run):
        holds[row] = truth(statement, g)
    return holds


def _of_edge(run: SampledRun, statement: EdgeStatement) -> float:
    edges = run.edge_probabilities()
    return float(getattr(edges, statement.kind)[two_nodes(Labels(run.nodes), statement.x, statement.y)])


def _in_unlisted_time(run: SampledRun, statement: Any, unlisted: float, lower: float) -> float:
    """The share of the time that was not recorded for a class and in which the statement holds, from the draws."""
    weights = unlisted_draw_weights(run, unlisted)
    if not any(own.any() for own in weights):
        return unlisted * lower / (1 - unlisted) if unlisted < 1 else unlisted / 2
    found = 0.0
    for r, own in zip(run.weighted_results, weights, strict=True):
        draws = draw_list(run.start.labels, r, run.target.restriction)
        if isinstance(statement, Statement):
            holds = statement.shares(draws)
        else:
            everyone = np.ones(len(own), dtype=np.bool_)
            holds = np.array([truth(statement, g) for _, g in class_graphs(draws, everyone)], dtype=np.float64)
        found += math.fsum(own * holds)
    return found
