"""The probability of a statement, with bounds for classes that are not listed."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.errors.batch_means import draw_errors
from causal_zigzag.answers.statements import EDGE_KINDS, PairStatement, Statement, truth, two_nodes
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import Labels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import Part, WeightedClasses
    from causal_zigzag.graphs.mpdag import ClassGraph


ROUNDING = 1e-9  # of the sum of all weights


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
        self = super().__new__(cls, min(1.0, value))
        self._lower, self._upper = min(1.0, lower), min(1.0, upper)
        return self

    @property
    def lower(self) -> float:
        """The probability of the listed classes for which the statement holds.

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


def probability_that(classes: WeightedClasses, statement: Any) -> Probability:
    """See ``Posterior.probability_that``."""
    if not callable(statement):
        raise SettingsError(
            f"probability_that needs a statement, such as cz.statements.adjacent(x, y), or a function of a graph, "
            f"not {statement!r}"
        )
    is_edge = isinstance(statement, PairStatement) and statement.kind in EDGE_KINDS
    if is_edge and classes.unlisted > 0 and classes.known_edges is not None:
        ends = two_nodes(Labels(classes.nodes), statement.x, statement.y)
        value = float(getattr(classes.known_edges, statement.kind)[ends])  # times of edges include unlisted classes
        return Probability(value, value, value)
    parts = classes.parts
    held = [math.fsum(part.weights * _shares(part, statement)) for part in parts]
    total = math.fsum(math.fsum(part.weights) for part in parts)
    lower = math.fsum(own for part, own in zip(parts, held, strict=True) if part.listed)
    if total >= 1 - ROUNDING and all(part.listed for part in parts):
        return Probability(lower, lower, lower)
    listed = math.fsum(math.fsum(part.weights) for part in parts if part.listed)
    value = math.fsum(held) / total if total > 0 else 0.5  # nothing is known if no class is listed or drawn
    return Probability(value, lower, lower + 1 - listed)


def statement_error(classes: WeightedClasses, statement: Any) -> float:
    """See ``Posterior.mcse``; 0 if the probabilities are exact."""
    if classes.mixture is not None:
        return float(classes.mixture.error(_mean(member, statement) for member in classes.mixture.members))
    if classes.batches is None:
        return 0.0
    source = classes.batches.draws
    values = source.draws.values(statement)
    return float(draw_errors(source.draws.counts, values, source.weights, source.independent))


def _mean(classes: WeightedClasses, statement: Any) -> float:
    """The mean of a statement or function over the draws of a resample."""
    assert classes.batches is not None
    draws, weights = classes.batches.draws.draws, classes.batches.draws.weights
    return float(np.average(draws.values(statement), weights=weights))


def _shares(part: Part, statement: Any) -> NDArray[np.float64]:
    """For each class whether the statement holds, or the share of its DAGs for which it does."""
    if isinstance(statement, Statement):
        return statement.shares(part.classes)
    ask: Callable[[ClassGraph], bool] = partial(truth, statement)
    ask = cache(ask) if part.drawn else ask  # a class is listed once, but can be drawn often
    found = np.zeros(len(part.classes))
    for place, g in part.classes.graphs(part.weights > 0):
        found[place] = ask(g)
    return found
