"""Statements about a class, whose probabilities can be queried: edges, paths, ancestors, separations, combinations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from causal_zigzag._core import pair_marks, relation
from causal_zigzag._core import separated as separated_in
from causal_zigzag.answers.class_list import ClassList, one_class
from causal_zigzag.answers.effects.parent_sets import below_shares
from causal_zigzag.errors import GraphError, SettingsError
from causal_zigzag.graphs.labels import Labels, show, show_all
from causal_zigzag.graphs.mpdag import ClassGraph
from causal_zigzag.graphs.pairs import pair_number

__all__ = [
    "Statement",
    "adjacent",
    "ancestor",
    "certain_ancestor",
    "directed",
    "in_blanket",
    "path",
    "possible_ancestor",
    "separated",
    "undirected",
]

EdgeKind = Literal["adjacent", "directed", "undirected"]
EDGE_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)
Kind = EdgeKind | Literal["path", "possible_ancestor", "certain_ancestor", "in_blanket", "ancestor", "separated"]
RELATIONS = ("path", "possible_ancestor", "certain_ancestor", "in_blanket")  # in the order of their numbers in the core
ORIENTED = {"possible_ancestor": 4, "certain_ancestor": 5}  # numbers for oriented graphs


class Statement(ABC):
    """A statement about a class, which is true or false for it, or about a DAG; ``&``, ``|`` and ``~`` combine them.

    Statements about a class are made by ``adjacent``, ``directed``, ``undirected``, ``path``, ``certain_ancestor``,
    ``possible_ancestor``, ``separated`` and ``in_blanket``. Call one with a graph, or pass it to
    ``Posterior.probability_that``.

    >>> import causal_zigzag as cz
    >>> g = cz.CPDAG.from_dag([("a", "c"), ("b", "c"), ("c", "d")])
    >>> statement = cz.statements.path("a", "d") & ~cz.statements.adjacent("a", "b")
    >>> statement
    path('a', 'd') & ~adjacent('a', 'b')
    >>> statement(g)
    True

    ``ancestor`` makes a statement about a DAG, which can differ between the DAGs of a class: its probability is that
    of a DAG that is drawn uniformly from the class. A combination can contain one such statement.

    >>> (cz.ancestor("a", "b") & cz.statements.undirected("a", "b")).share(cz.CPDAG.from_dag([("a", "b")]))
    0.5
    """

    @property
    def about_dags(self) -> bool:
        """Whether the statement can be true for some DAGs of a class and false for others.

        >>> import causal_zigzag as cz
        >>> cz.ancestor("a", "b").about_dags, cz.statements.path("a", "b").about_dags
        (True, False)
        """
        return any(part.about_dags for part in vars(self).values() if isinstance(part, Statement))

    def __call__(self, g: ClassGraph) -> bool:
        """Whether the statement holds in this class."""
        return bool(self.among(one_class(g))[0])

    def share(self, g: ClassGraph) -> float:
        """The share of the DAGs of the class for which the statement is true: 0 or 1 unless it is about DAGs.

        >>> import causal_zigzag as cz
        >>> cz.ancestor("a", "b").share(cz.CPDAG.from_dag([("a", "b")]))
        0.5
        """
        return float(self.shares(one_class(g))[0])

    @abstractmethod
    def among(self, classes: ClassList) -> NDArray[np.bool_]:
        """In which of the classes the statement holds."""

    def shares(self, classes: ClassList) -> NDArray[np.float64]:
        """For each of the classes the share of its DAGs for which the statement is true."""
        return self.among(classes).astype(np.float64)

    def __and__(self, other: object) -> Statement:
        if not isinstance(other, Statement):
            return NotImplemented
        if self.about_dags and other.about_dags:
            raise SettingsError(
                f"{self!r} and {other!r} are both about DAGs: draw DAGs with posterior.sample_dags, and count them"
            )
        return Both(self, other)

    def __or__(self, other: object) -> Statement:
        return ~(~self & ~other) if isinstance(other, Statement) else NotImplemented

    def __invert__(self) -> Statement:
        return self.inner if isinstance(self, Not) else Not(self)


@dataclass(frozen=True, repr=False)
class PairStatement(Statement):
    """A statement about two nodes: their edge, paths between them, the Markov blanket, or d-separation by others."""

    kind: Kind
    x: Hashable
    y: Hashable
    given: tuple[Hashable, ...] = ()

    @property
    def about_dags(self) -> bool:
        """Whether it is about ancestors in a DAG."""
        return self.kind == "ancestor"

    def among(self, classes: ClassList) -> NDArray[np.bool_]:
        """In which of the classes the statement holds; a GraphError if the DAGs of a class can differ."""
        labels = classes.labels
        i, j = two_nodes(labels, self.x, self.y)
        if self.about_dags:
            raise GraphError(
                f"{self!r} is about DAGs, and those of a class can differ; .share(g) has the share of them"
            )
        if self.kind == "separated":
            given = sorted({labels.number(v) for v in self.given})
            if i in given or j in given:
                raise GraphError(
                    f"given must not contain {show(self.x)} or {show(self.y)}, but has {show_all(self.given)}"
                )
            return separated_in(len(labels), *classes.arrays, i, j, given).astype(np.bool_)
        some = classes if self.kind in ("adjacent", "in_blanket") else classes.oriented
        if self.kind in EDGE_KINDS:
            marks = pair_marks(*some.arrays, int(pair_number(i, j)))
            exact = np.equal(marks, 3 if self.kind == "undirected" else 1 if i < j else 2)
            return np.greater(marks, 0) if self.kind == "adjacent" else exact
        number = RELATIONS.index(self.kind)
        if classes.arrows is not None:
            number = ORIENTED.get(self.kind, number)
        return relation(len(labels), *some.arrays, number, i, j).astype(np.bool_)  # type: ignore[arg-type]

    def shares(self, classes: ClassList) -> NDArray[np.float64]:
        """For each of the classes the share of its DAGs for which the statement is true."""
        if self.about_dags:
            return below_shares(classes, *two_nodes(classes.labels, self.x, self.y))
        return super().shares(classes)

    def __repr__(self) -> str:
        given = f", {[*self.given]!r}" if self.kind == "separated" else ""
        return f"{self.kind}({self.x!r}, {self.y!r}{given})"


@dataclass(frozen=True, repr=False)
class Both(Statement):
    """The conjunction of two statements."""

    left: Statement
    right: Statement

    def among(self, classes: ClassList) -> NDArray[np.bool_]:
        """In which of the classes both hold."""
        return self.left.among(classes) & self.right.among(classes)

    def shares(self, classes: ClassList) -> NDArray[np.float64]:
        """For each of the classes the share of its DAGs for which both are true; one is the same for all of them."""
        return self.left.shares(classes) * self.right.shares(classes)

    def __repr__(self) -> str:
        return f"{self.left!r} & {self.right!r}"


@dataclass(frozen=True, repr=False)
class Not(Statement):
    """The negation of a statement."""

    inner: Statement

    def among(self, classes: ClassList) -> NDArray[np.bool_]:
        """In which of the classes the inner statement does not hold."""
        return ~self.inner.among(classes)

    def shares(self, classes: ClassList) -> NDArray[np.float64]:
        """For each of the classes the share of its DAGs for which the inner statement is false."""
        return 1.0 - self.inner.shares(classes)

    def __repr__(self) -> str:
        if isinstance(self.inner, Both):  # made by |
            sides = [~side for side in (self.inner.left, self.inner.right)]
            return f"({' | '.join(map(repr, sides))})"
        return f"~{self.inner!r}"


def adjacent(x: Hashable, y: Hashable) -> Statement:
    """An edge of any kind joins x and y.

    >>> import causal_zigzag as cz
    >>> cz.statements.adjacent("a", "b")(cz.CPDAG.from_dag([("a", "b")]))
    True
    """
    return PairStatement("adjacent", x, y)


def directed(x: Hashable, y: Hashable) -> Statement:
    """The class has the edge x -> y: it is in every DAG of the class.

    >>> import causal_zigzag as cz
    >>> cz.statements.directed("a", "b")(cz.CPDAG.from_dag([("a", "b")]))
    False
    """
    return PairStatement("directed", x, y)


def undirected(x: Hashable, y: Hashable) -> Statement:
    """The class has the edge x - y: some of its DAGs have x -> y, the others y -> x.

    >>> import causal_zigzag as cz
    >>> cz.statements.undirected("a", "b")(cz.CPDAG.from_dag([("a", "b")]))
    True
    """
    return PairStatement("undirected", x, y)


def path(x: Hashable, y: Hashable) -> Statement:
    """The class has a directed path x -> ... -> y, which is then in every DAG of the class.

    >>> import causal_zigzag as cz
    >>> cz.statements.path("a", "d")(cz.CPDAG.from_dag([("a", "c"), ("b", "c"), ("c", "d")]))
    True
    """
    return PairStatement("path", x, y)


def ancestor(x: Hashable, y: Hashable) -> Statement:
    """X is an ancestor of y: a directed path leads from x to y, so that changing x can change y.

    This is a statement about the DAG, and the DAGs of a class can differ. Its probability is the mean over classes of
    the share of their DAGs in which it is true, as in ``Posterior.ancestors``.

    >>> import causal_zigzag as cz
    >>> g = cz.CPDAG.from_dag([("a", "b"), ("b", "c")])
    >>> g.count_dags(), round(cz.ancestor("a", "b").share(g), 3)
    (3, 0.333)
    """
    return PairStatement("ancestor", x, y)


def certain_ancestor(x: Hashable, y: Hashable) -> Statement:
    """X is an ancestor of y in every DAG of the class, possibly by different paths.

    >>> import causal_zigzag as cz
    >>> g = cz.CPDAG.from_dag([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    >>> g
    CPDAG(4 nodes, 2 directed and 2 undirected edges: b -> d, c -> d, a - b, a - c)
    >>> cz.statements.certain_ancestor("a", "d")(g), cz.statements.path("a", "d")(g)
    (True, False)
    """
    return PairStatement("certain_ancestor", x, y)


def possible_ancestor(x: Hashable, y: Hashable) -> Statement:
    """X is an ancestor of y in some DAG of the class.

    >>> import causal_zigzag as cz
    >>> cz.statements.possible_ancestor("b", "a")(cz.CPDAG.from_dag([("a", "b")]))
    True
    """
    return PairStatement("possible_ancestor", x, y)


def separated(x: Hashable, y: Hashable, given: Iterable[Hashable] = ()) -> Statement:
    """X and y are d-separated by the nodes ``given``, in every DAG of the class: all have the same separations.

    The class then implies that x and y are independent given these nodes.

    >>> import causal_zigzag as cz
    >>> g = cz.CPDAG.from_dag([("a", "c"), ("b", "c")])
    >>> cz.separated("a", "b")(g), cz.separated("a", "b", ["c"])(g)
    (True, False)
    """
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise GraphError(f"given must be a sequence of nodes, not {given!r}; write [{given!r}] for one node")
    return PairStatement("separated", x, y, tuple(given))


def in_blanket(x: Hashable, y: Hashable) -> Statement:
    """X is in the Markov blanket of y: a parent, a child or another parent of a child of y, in every DAG of the class.

    The blanket is the smallest set of nodes given which y is independent of all others. It is the same for all DAGs of
    a class, and x is in that of y exactly if y is in that of x.

    >>> import causal_zigzag as cz
    >>> cz.in_blanket("a", "b")(cz.CPDAG.from_dag([("a", "c"), ("b", "c")]))
    True
    """
    return PairStatement("in_blanket", x, y)


def two_nodes(labels: Labels, x: Hashable, y: Hashable) -> tuple[int, int]:
    """The numbers of two nodes, which must differ."""
    i, j = labels.number(x), labels.number(y)
    if i == j:
        raise GraphError(f"a statement is about two nodes, but both are {show(x)}")
    return i, j


def truth(statement: Callable[[Any], object], g: ClassGraph) -> bool:
    """The value of a user's function for a class."""
    said = statement(g)
    if not isinstance(said, (bool, np.bool_)):
        raise SettingsError(
            f"the statement must return True or False for every class, but for {g!r} it returned {said!r}"
        )
    return bool(said)
