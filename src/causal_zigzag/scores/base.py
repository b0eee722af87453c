"""Score: the interface of all scores, and the base class of user-defined scores."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import GraphError, ScoreError
from causal_zigzag.graphs.adjacency_matrix import read_dag
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.error_messages import graph_error
from causal_zigzag.graphs.labels import Labels, Nodes, read_nodes, show, show_all
from causal_zigzag.scores.cached_values import CachedValues

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    from causal_zigzag.scores.regression import RegressionMoments

Self = TypeVar("Self", bound="Score")


class Score(ABC):
    """A score: the log weight of every node with every set of parents. Subclass it to define your own score.

    A subclass calls ``super().__init__(nodes)`` and implements ``local(node, parents)``, where ``parents`` is a tuple
    of nodes in node order. The total of a DAG is the sum of its local scores, and all DAGs of a class must have the
    same total (*score equivalence*): this is tested before a run. A score must not change: the values that ``local``
    returns are cached. Implement ``row`` as well if its numbers are cheaper to compute together.

    >>> import causal_zigzag as cz
    >>> class FewerEdges(cz.Score):
    ...     def local(self, node, parents):
    ...         return -2.0 * len(parents)
    >>> score = FewerEdges(["a", "b", "c"])
    >>> score.total([("a", "b"), ("b", "c")])
    -4.0
    """

    _labels: Labels

    def __init__(self, nodes: Nodes) -> None:
        object.__setattr__(self, "_labels", read_nodes(nodes))

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes, in order.

        >>> import causal_zigzag as cz
        >>> cz.Uniform(3).nodes
        (0, 1, 2)
        """
        return self._node_labels().names

    @nodes.setter
    def nodes(self, _: object) -> NoReturn:
        name = type(self).__name__
        raise ScoreError(f"the nodes of {name} cannot be set; its __init__ must call super().__init__(nodes) instead")

    @abstractmethod
    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        """The log weight of ``node`` with these parents."""

    def row(self, node: Hashable, parents: Iterable[Hashable]) -> NDArray[np.float64]:
        """The change of ``local(node, parents)`` if x is added to or removed from the parents, for each node x.

        The entry of ``node`` itself is 0.

        >>> import causal_zigzag as cz
        >>> class FewerEdges(cz.Score):
        ...     def local(self, node, parents):
        ...         return -2.0 * len(parents)
        >>> FewerEdges(["a", "b", "c"]).row("a", ("b",)).tolist()
        [0.0, 2.0, -2.0]
        """
        names = self.nodes
        y, present = self._numbers(node, parents)
        base = self.local(node, tuple(names[p] for p in present))
        row = np.zeros(len(names))
        for x in range(len(names)):
            if x != y:
                toggled = sorted({*present} ^ {x})
                row[x] = self.local(node, tuple(names[p] for p in toggled)) - base
        return row

    def total(self, graph: Any) -> float:
        """The score of a class, given as a ``CPDAG``, or of a DAG: a matrix, a list of edges or a networkx.DiGraph.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> round(score.total([("a", "b")]), 3) == round(score.total(cz.CPDAG.complete(["a", "b"])), 3)
        True
        """
        parents: list[list[int]] = [[] for _ in self.nodes]
        for x, y in np.argwhere(self._dag(graph)).tolist():
            parents[y].append(x)
        return math.fsum(self.local_by_number(y, before) for y, before in enumerate(parents))

    @property
    def reason(self) -> str:
        """Why ``score="auto"`` chose this score; empty if it was not chosen so.

        >>> import causal_zigzag as cz
        >>> cz.Uniform(2).reason
        ''
        """
        return str(getattr(self, "_reason", ""))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._nodes_in_words()})"

    def _nodes_in_words(self) -> str:
        """The number of nodes in words; works also for a score whose __init__ has not finished."""
        labels: Labels | None = getattr(self, "_labels", None)
        return "no nodes" if labels is None else f"{len(labels)} node{'s' * (len(labels) != 1)}"

    def local_by_number(self, y: int, parents: list[int]) -> float:
        """The local score of a node, given the numbers of the node and of its parents in increasing order.

        :meta private:
        """
        names = self.nodes
        return self.cached_values().checked(y, parents, self.local(names[y], tuple(names[p] for p in parents)))

    def core_score(self) -> core.Score | None:
        """The score object of the compiled core; None for the uniform target.

        :meta private:
        """
        memo = self.cached_values()
        return core.python_score(len(self.nodes), memo.local, memo.row)

    def cached_values(self) -> CachedValues:
        """The values that were computed so far, one cache for all callers.

        :meta private:
        """
        memo: CachedValues | None = self.__dict__.get("_asked")
        if memo is None:
            memo = CachedValues(self, has_row=type(self).row is not Score.row)
            object.__setattr__(self, "_asked", memo)
        return memo

    def regression_moments(self) -> RegressionMoments | None:
        """What the posteriors of regression coefficients follow from; None if this is not a Gaussian score.

        :meta private:
        """
        return None

    def _node_labels(self) -> Labels:
        labels: Labels | None = getattr(self, "_labels", None)
        if labels is None:
            name = type(self).__name__
            raise ScoreError(f"{name} has no nodes; its __init__ must call super().__init__(nodes)")
        return labels

    def _numbers(self, node: Hashable, parents: Iterable[Hashable]) -> tuple[int, list[int]]:
        """The number of the node, and the numbers of its parents in increasing order."""
        labels = self._node_labels()
        if isinstance(parents, str) and labels.find(parents) is not None:
            raise ScoreError(f"parents must be a sequence of nodes; write [{parents!r}] for one parent")
        try:
            y, numbers = labels.number(node), [labels.number(p) for p in parents]
        except GraphError as error:
            raise ScoreError(str(error)) from None
        if y in numbers:
            raise ScoreError(f"{show(node)} cannot be its own parent")
        ordered = sorted({*numbers})
        if len(ordered) != len(numbers):
            raise ScoreError(f"a parent of {show(node)} is given twice: {show_all(labels.names[p] for p in numbers)}")
        return y, ordered

    def _dag(self, graph: Any) -> NDArray[np.uint8]:
        """The matrix of the DAG, or of a DAG of the class, in the order of the nodes of the score."""
        labels = self._node_labels()
        if isinstance(graph, CPDAG):
            if {*graph.nodes} != {*labels.names}:
                raise ScoreError(
                    f"the graph has the nodes {show_all(graph.nodes)}, but the score has {show_all(labels.names)}"
                )
            if graph.nodes == labels.names:
                return graph.dag()
            order = [graph.labels.number(v) for v in labels.names]
            return graph.dag()[np.ix_(order, order)]
        matrix, own = read_dag(graph, labels.names)
        made = core.Graph.from_dag(matrix)
        if isinstance(made, tuple):
            raise graph_error(made, own)
        return matrix


class BuiltinScore(Score):
    """A score that is computed in the core. It is immutable; its core object is not pickled but created again."""

    _made: core.Score

    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        """The log weight of ``node`` with these parents."""
        return self._made.local(*self._numbers(node, parents))

    def row(self, node: Hashable, parents: Iterable[Hashable]) -> NDArray[np.float64]:
        """The change of ``local(node, parents)`` if x is added to or removed from the parents, for each node x."""
        y, numbers = self._numbers(node, parents)
        row = self._made.row(y, numbers)
        row[y] = 0
        return row

    def core_score(self) -> core.Score | None:
        return self._made

    def local_by_number(self, y: int, parents: list[int]) -> float:
        return self._made.local(y, parents)

    def relative_cost(self) -> float:
        """The time of a local score relative to that of a continuous column, about 0.25 microseconds."""
        return 1.0

    def _make(self) -> core.Score:
        """The core object, from the attributes."""
        raise NotImplementedError

    def _fill(self, labels: Labels, **attributes: Any) -> None:
        """Set the attributes, once, and create the core object."""
        for name, value in {"_labels": labels, **attributes}.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_made", self._make())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_made"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        labels = state.pop("_labels")
        self._fill(labels, **state)

    def __copy__(self: Self) -> Self:
        return self

    def __deepcopy__(self: Self, memo: object) -> Self:
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable, {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable, {name!r} cannot be deleted")
