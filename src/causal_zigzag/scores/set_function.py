"""SetFunction: the score of a user's function of sets of nodes, computed through the core."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, final

from causal_zigzag import _core as core
from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import read_nodes, show_all
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.cached_values import finite_number, in_brief
from causal_zigzag.scores.gaussian import positive
from causal_zigzag.tables.cell_types import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from causal_zigzag.graphs.labels import Nodes


@final
class SetFunction(BuiltinScore):
    """The score s(y, P) = f(P and y) - f(P) of a function of sets, with 0 for the empty set.

    Every such score is score-equivalent: the reversal of a covered edge leaves the sum over a DAG as it is. The log
    marginal likelihood of the columns of a set, under any model of all columns, is an example. ``f`` gets a frozenset
    of nodes and returns a finite number, which is kept. If many sets can be computed together, ``f_many`` gets a list
    of frozensets and returns as many numbers; it is then called in place of ``f``.

    ``relative_cost`` is the time of a call per set in units of 0.25 microseconds: a larger number makes the tables for
    order excursions smaller.

    >>> import causal_zigzag as cz
    >>> pairs = {frozenset("ab"), frozenset("bc")}
    >>> score = cz.SetFunction(lambda nodes: 3.0 * sum(pair <= nodes for pair in pairs), ["a", "b", "c"])
    >>> score.local("b", ["a", "c"]), score.local("a", ["c"])
    (6.0, 0.0)
    """

    def __init__(
        self,
        f: Callable[[frozenset[Any]], float],
        nodes: Nodes,
        *,
        f_many: Callable[[list[frozenset[Any]]], Sequence[float]] | None = None,
        relative_cost: float = 8.0,
    ) -> None:
        if not callable(f):
            raise ScoreError(f"SetFunction needs a function of a set of nodes, not {f!r}")
        if f_many is not None and not callable(f_many):
            raise ScoreError(f"f_many must be None or a function of a list of sets of nodes, not {f_many!r}")
        cost = positive(relative_cost, "relative_cost")
        self._fill(read_nodes(nodes), _f=f, _f_many=f_many, _cost=cost)

    def relative_cost(self) -> float:
        return float(vars(self)["_cost"])

    def state(self) -> None:  # type: ignore[override]
        """A function cannot be saved: a file has its values for the most probable classes."""

    def _make(self) -> core.Score:
        own = vars(self)
        return core.python_set_function(len(self.nodes), partial(_values, self.nodes, own["_f"], own["_f_many"]))

    def __repr__(self) -> str:
        return f"SetFunction({getattr(vars(self)['_f'], '__name__', 'a function')}, {self._nodes_in_words()})"


def _values(names: tuple[Hashable, ...], f: Any, f_many: Any, sets: list[list[int]]) -> list[float]:
    """The values of the function; no method, since the core object would then keep its score alive for ever."""
    given = [frozenset(names[v] for v in some) for some in sets]
    found = [_value(f, some) for some in given] if f_many is None else _values_together(f_many, given)
    numbers = [finite_number(value) for value in found]
    if None in numbers:
        at = numbers.index(None)
        words = f"must be a finite number, but is {brief(found[at])}"
        raise ScoreError(f"the function of the set {show_all(given[at])} {words}")
    return numbers  # type: ignore[return-value]


def _value(f: Any, some: frozenset[Any]) -> Any:
    try:
        return f(some)
    except Exception as error:
        raise ScoreError(f"the function of the set {show_all(some)} raised {in_brief(error)}") from error


def _values_together(f_many: Any, sets: list[frozenset[Any]]) -> list[Any]:
    try:
        found = [*f_many(sets)]
    except Exception as error:
        raise ScoreError(f"f_many of {len(sets)} sets did not return their numbers: {in_brief(error)}") from error
    if len(found) != len(sets):
        raise ScoreError(f"f_many returned {len(found)} numbers for {len(sets)} sets")
    return found
