"""Chickering's operators Insert and Delete: list, count, draw, apply and invert them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from causal_zigzag.errors import GraphError, OperatorError, SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.error_messages import invalidity
from causal_zigzag.support.rng import Rng, seed_words
from causal_zigzag.support.validation import is_hashable, read_count

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from causal_zigzag._core import Operator as CoreOperator
    from causal_zigzag._core import Operators
    from causal_zigzag.graphs.labels import Labels

Kind = Literal["insert", "delete"]

# Small first batches return the first operators quickly; large later ones amortize the calls of the core.
FIRST_BATCH, LARGEST_BATCH = 16, 4096


@dataclass(frozen=True, repr=False)
class _Operator:
    """The common part of Insert and Delete: two nodes and a set of nodes, in the field ``_others``."""

    x: Hashable
    y: Hashable
    _others: ClassVar[str]

    def _fill(self, x: Hashable, y: Hashable, others: Iterable[Hashable]) -> None:
        try:
            if isinstance(others, (str, bytes)):
                raise TypeError(others)
            values = x, y, frozenset(others)
            hash(values)
        except TypeError:
            given = f"{x!r}, {y!r} and {others!r}"
            raise OperatorError(f"x, y and those in a list of {self._others} must be hashable, not {given}") from None
        for name, value in zip(("x", "y", self._others), values, strict=True):
            object.__setattr__(self, name, value)

    def apply(self, g: CPDAG) -> CPDAG:
        """The class after the operator; if it is not valid, an OperatorError names the violated condition.

        >>> import causal_zigzag as cz
        >>> cz.Insert("a", "b").apply(cz.CPDAG.empty(["a", "b"]))
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        operator = self._checked(g)
        return CPDAG.from_core(g.core.apply(*operator), g.labels)

    def inverse(self, g: CPDAG) -> Insert | Delete:
        """The operator on ``self.apply(g)`` that leads back to ``g``.

        >>> import causal_zigzag as cz
        >>> g = cz.CPDAG.from_dag([("a", "b"), ("b", "c")])
        >>> op = cz.Insert("a", "c")
        >>> op.inverse(g).apply(op.apply(g)) == g
        True
        """
        operator = self._checked(g)
        return named_operator(g.core.inverse(*operator), g.labels)

    def is_valid(self, g: CPDAG) -> bool:
        """Whether the operator is valid: it adds or removes exactly one edge in some DAG of the class.

        >>> import causal_zigzag as cz
        >>> cz.Delete("a", "b").is_valid(cz.CPDAG.empty(["a", "b"]))
        False
        """
        try:
            numbers = self._numbers(g)
        except GraphError:
            return False
        return g.core.fault(*numbers) is None

    def __repr__(self) -> str:
        arguments = [repr(self.x), repr(self.y)]
        if others := getattr(self, self._others):
            arguments.append("{" + ", ".join(sorted(map(repr, others))) + "}")
        return f"{type(self).__name__}({', '.join(arguments)})"

    def _numbers(self, g: CPDAG) -> CoreOperator:
        """The operator with node numbers; a GraphError if the graph does not have a node."""
        _checked_graph(g)
        others = sorted(map(g.labels.number, getattr(self, self._others)))
        return isinstance(self, Insert), g.labels.number(self.x), g.labels.number(self.y), others

    def _checked(self, g: CPDAG) -> CoreOperator:
        try:
            numbers = self._numbers(g)
        except GraphError as error:
            raise OperatorError(f"{self!r} is not valid: {error}") from None
        fault = g.core.fault(*numbers)
        if fault is not None:
            raise OperatorError(f"{self!r} is not valid: {invalidity(fault, numbers, g.core, g.labels)}")
        return numbers


@dataclass(frozen=True, init=False, repr=False)
class Insert(_Operator):
    """Insert(x, y, T): insert ``x -> y`` and direct ``t -> y`` for the ``tails`` t in T, then complete.

    The tails are neighbors of y that are not adjacent to x. In terms of DAGs: in some DAG of the class, in which y
    has the parents Pa(y) ∪ (Ne(y) ∩ Adj(x)) ∪ T, the edge ``x -> y`` is inserted.

    >>> import causal_zigzag as cz
    >>> g = cz.CPDAG.from_edges(["a", "b", "c"], undirected=[("b", "c")])
    >>> cz.Insert("a", "c", tails=["b"]).apply(g)
    CPDAG(3 nodes, 2 directed and 0 undirected edges: a -> c, b -> c)
    """

    tails: frozenset[Hashable]
    _others: ClassVar[str] = "tails"

    def __init__(self, x: Hashable, y: Hashable, tails: Iterable[Hashable] = ()) -> None:
        self._fill(x, y, tails)


@dataclass(frozen=True, init=False, repr=False)
class Delete(_Operator):
    """Delete(x, y, H): delete ``x -> y`` or ``x - y`` and direct ``y -> h``, ``x -> h`` for the ``heads`` h in H.

    The heads are neighbors of y that are adjacent to x. In terms of DAGs: in some DAG of the class, in which y has
    the parents x and Pa(y) ∪ (Ne(y) ∩ Adj(x)) without H, the edge ``x -> y`` is deleted.

    >>> import causal_zigzag as cz
    >>> cz.Delete("a", "b", heads=["c"]).apply(cz.CPDAG.complete(["a", "b", "c"]))
    CPDAG(3 nodes, 2 directed and 0 undirected edges: a -> c, b -> c)
    """

    heads: frozenset[Hashable]
    _others: ClassVar[str] = "heads"

    def __init__(self, x: Hashable, y: Hashable, heads: Iterable[Hashable] = ()) -> None:
        self._fill(x, y, heads)


@dataclass(frozen=True)
class OperatorCounts:
    """The numbers of valid operators of each kind.

    >>> import causal_zigzag as cz
    >>> cz.OperatorCounts(inserts=6, deletes=0).total
    6
    """

    inserts: int
    deletes: int

    @property
    def total(self) -> int:
        """The number of inserts and deletes together.

        >>> import causal_zigzag as cz
        >>> cz.count_operators(cz.CPDAG.empty(3)).total
        6
        """
        return self.inserts + self.deletes


def list_operators(g: CPDAG, max_degree: int | None = None) -> Iterator[Insert | Delete]:
    """A lazy iterator over all valid operators.

    ``max_degree`` restricts inserts to those whose two nodes have fewer adjacent nodes than that; deletes are not
    restricted.

    >>> import causal_zigzag as cz
    >>> sorted(cz.list_operators(cz.CPDAG.empty(2)), key=repr)
    [Insert(0, 1), Insert(1, 0)]
    """
    cursor = _checked_graph(g).core.operators(_degree_bound(g, max_degree))
    return _drain(cursor, g.labels)


def count_operators(g: CPDAG, max_degree: int | None = None) -> OperatorCounts:
    """The exact numbers of operators that ``list_operators`` would list, in polynomial time.

    >>> import causal_zigzag as cz
    >>> cz.count_operators(cz.CPDAG.complete(200)) == cz.OperatorCounts(0, 200 * 199 * 2**198)
    True
    """
    inserts, deletes = _checked_graph(g).core.count_operators(_degree_bound(g, max_degree))
    return OperatorCounts(_from_powers(inserts), _from_powers(deletes))


def random_operator(g: CPDAG, kind: Kind | None = None, rng: Rng = None) -> Insert | Delete:
    """A uniformly random valid operator: an insert, a delete or (``kind=None``) either.

    ``rng`` is a seed or a numpy Generator. If there is no operator of this kind, an OperatorError is raised.

    >>> import causal_zigzag as cz
    >>> cz.random_operator(cz.CPDAG.complete(2), kind="delete", rng=1) in {cz.Delete(0, 1), cz.Delete(1, 0)}
    True
    """
    signs: dict[object, Literal[-1, 0, 1]] = {"insert": 1, "delete": -1, None: 0}
    if not is_hashable(kind) or kind not in signs:
        raise SettingsError(f"kind must be 'insert', 'delete' or None, not {kind!r}")
    graph = _checked_graph(g).core
    drawn = graph.random_operator(signs[kind], _degree_bound(g, None), seed_words(rng))
    if drawn is None:
        reason = "fewer than two nodes" if len(g) < 2 else "no edges" if kind == "delete" else "no two nodes to join"
        raise OperatorError(f"there is no valid {kind or 'operator'}, the graph has {reason}: {g!r}")
    return named_operator(drawn, g.labels)


def _checked_graph(g: CPDAG) -> CPDAG:
    if not isinstance(g, CPDAG):
        raise OperatorError(f"a CPDAG is needed, not {type(g).__name__}")
    return g


def _degree_bound(g: CPDAG, max_degree: int | None) -> int:
    """The bound for the core; a degree is below n, so n is no bound."""
    if max_degree is None:
        return len(g)
    return min(read_count("max_degree", max_degree, 1, "None or "), len(g))


def _drain(cursor: Operators, labels: Labels) -> Iterator[Insert | Delete]:
    size = FIRST_BATCH
    while batch := cursor.take(size):
        for operator in batch:
            yield named_operator(operator, labels)
        size = min(2 * size, LARGEST_BATCH)


def named_operator(operator: CoreOperator, labels: Labels) -> Insert | Delete:
    """The operator of the core with the labels of its nodes."""
    is_insert, x, y, nodes = operator
    names = labels.names
    kind = Insert if is_insert else Delete
    return kind(names[x], names[y], [names[v] for v in nodes])


def _from_powers(coefficients: list[int]) -> int:
    return sum(c << power for power, c in enumerate(coefficients))
