"""Score: the interface of all scores, and the base class of user-defined scores."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import GraphError, ScoreError, SettingsError
from causal_zigzag.graphs.adjacency_matrix import read_dag
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.error_messages import graph_error
from causal_zigzag.graphs.labels import Labels, Nodes, read_nodes, show, show_all
from causal_zigzag.scores.cached_values import CachedValues
from causal_zigzag.scores.curves.curve_responses import CurveModel
from causal_zigzag.scores.prediction import BlockPrediction, CategoricalPrediction
from causal_zigzag.scores.registry import register, registered
from causal_zigzag.scores.regression import BlockMoments
from causal_zigzag.scores.responses.cells import CellModel
from causal_zigzag.scores.responses.linear import LinearModel
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.scores.curves.curve_table import CurveTable
    from causal_zigzag.scores.discrete import CategoricalRows
    from causal_zigzag.scores.prediction import Prediction
    from causal_zigzag.scores.regression import RegressionMoments
    from causal_zigzag.scores.responses.response import ResponseModel
    from causal_zigzag.tables.table import Table


HOT_DIFFERENCE = 5.0  # to which hot_coldness scales a large difference
HOT_ROWS = 30.0  # scores that grow in proportion to the rows are made as flat as with this number of rows


def hot_coldness_of_rows(rows: float) -> float:
    """The hot coldness of a score of this number of rows of numbers."""
    return min(1.0, HOT_ROWS / max(1.0, rows))


class ModelAssumption(NamedTuple):
    """What a score assumes about the form of the relations: a name, a sentence, and the checks of data about it."""

    name: str
    meaning: str
    checks: tuple[str, ...]


Given = tuple[tuple["Hashable", ...], tuple[tuple["Hashable", tuple["Hashable", ...]], ...]]


class Score(ABC):
    """A score: the log weight of every node with every set of parents. Subclass it to define your own score.

    A subclass calls ``super().__init__(nodes)`` and implements ``local(node, parents)``, where ``parents`` is a tuple
    of nodes in node order. The total of a DAG is the sum of its local scores, and all DAGs of a class must have the
    same total (*score equivalence*): this is tested before a run. A score must not change: the values that ``local``
    returns are cached. Implement ``row`` as well if its numbers are cheaper to compute together.

    ``class MyScore(cz.Score, name="my-score")`` makes the score available as ``score="my-score"``, if its constructor
    takes a table. What else the package asks of a score is a method with a default: ``state`` and ``from_state`` for
    files, ``regression_moments`` or ``categorical_rows`` for effects and held-out rows, ``response_model`` for effects
    of another kind.

    >>> import causal_zigzag as cz
    >>> class FewerEdges(cz.Score):
    ...     def local(self, node, parents):
    ...         return -2.0 * len(parents)
    >>> score = FewerEdges(["a", "b", "c"])
    >>> score.total([("a", "b"), ("b", "c")])
    -4.0
    """

    score_name: ClassVar[str] = ""
    """The name in the registry; empty if there is none."""

    in_core: ClassVar[bool] = False
    """Whether its values are computed in the compiled core, without Python."""

    is_flat: ClassVar[bool] = False
    """Whether it is always 0."""

    has_one_model: ClassVar[bool] = True
    """Whether a variable depends on its parents in the same way in all rows."""

    is_partial: ClassVar[bool] = False
    """Whether it has only the values that a file contains."""

    is_incomplete: ClassVar[bool] = False
    """Whether its table has missing cells, which a run draws together with the graph."""

    incomplete_name: ClassVar[str] = ""
    """The name in the registry of the same score for tables with missing cells; empty if there is none."""

    no_effects: ClassVar[str] = "it has neither regression moments nor categorical rows"
    """Why there are no effects, if it has neither of these."""

    _labels: Labels
    _given: Given = ((), ())  # contexts and targets of the table, which are saved with the score

    def __init_subclass__(cls, name: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.score_name = name
        if name:
            register(name, cls)

    def __init__(self, nodes: Nodes) -> None:
        object.__setattr__(self, "_labels", read_nodes(nodes))

    @classmethod
    def calibrated(cls, table: Any) -> Self:
        """The score of a table, with the parameters for which its probabilities are right on average.

        ``score="auto"`` and the name of a score, such as ``score="bdeu"``, make a score in this way.

        :meta private:
        """
        return cls(table)

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes, in order.

        >>> import causal_zigzag as cz
        >>> cz.Uniform(3).nodes
        (0, 1, 2)
        """
        return self._node_labels().names

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
    def missing(self) -> NDArray[np.bool_]:
        """Which cells of its table are missing, by row and column; empty if none is.

        :meta private:
        """
        return np.zeros((0, len(self.nodes)), dtype=np.bool_)

    def completed_table(self, seed: NDArray[np.uint64]) -> core.CompletedTable | None:  # noqa: ARG002
        """The table of one chain, whose missing cells are drawn; None if no cell is missing.

        :meta private:
        """
        return None

    def completed(self, cells: NDArray[np.float64]) -> Score:  # noqa: ARG002
        """The score of the table with these cells in the place of the missing ones.

        :meta private:
        """
        return self

    def completed_columns(self, cells: NDArray[np.float64]) -> dict[Hashable, NDArray[Any]]:  # noqa: ARG002
        """The columns of its table with these cells; none if no cell was missing.

        :meta private:
        """
        return {}

    @property
    def row_count(self) -> int | None:
        """The number of rows of data whose weights ``with_row_weights`` takes; None if they are not known.

        >>> import causal_zigzag as cz
        >>> cz.GaussianBIC([[1.0, 2.0], [0.5, 0.25], [2.0, 0.0]]).row_count
        3
        """
        return None

    def with_row_weights(self, weights: Any) -> Score:  # noqa: ARG002
        """The same score of the same columns with a weight for each row, of at least 0: how often it counts.

        The values are those of a table in which the rows are repeated, but weights need not be whole numbers, and a
        level or a variance that is lost with rows of weight 0 does no harm. ``posterior.resample`` calls it. A score of
        your own implements it, and ``row_count``, to be resampled.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC([[1.0, 2.0], [0.5, 0.25], [2.0, 0.0], [4.0, 1.0]])
        >>> twice = cz.GaussianBIC([[1.0, 2.0], [1.0, 2.0], [2.0, 0.0], [4.0, 1.0]])
        >>> abs(score.with_row_weights([2, 0, 1, 1]).local(0, [1]) - twice.local(0, [1])) < 1e-10
        True
        """
        raise ScoreError(
            f"{self!r} cannot be computed for resampled rows; implement its method with_row_weights(weights), which "
            f"returns the score with a weight for each row, and its property row_count"
        )

    def origin(self, graph: Any) -> float:
        """What the scores that a run from this start reports are relative to: the score of the start.

        :meta private:
        """
        return self.total(graph)

    def model_name(self) -> str:
        """The class of the score; for a table with missing cells, that of its completed table.

        :meta private:
        """
        return type(self).__name__

    def requested_name(self) -> str:
        """The name with which ``sample`` makes this score from its table; empty if there is none.

        :meta private:
        """
        return self.score_name.removeprefix("incomplete-") if self.is_incomplete else self.score_name

    @property
    def reason(self) -> str:
        """Why ``score="auto"`` chose this score; empty if it was not chosen so.

        >>> import causal_zigzag as cz
        >>> cz.Uniform(2).reason
        ''
        """
        return str(getattr(self, "_reason", ""))

    @property
    def source_table(self) -> Table | None:
        """The table that the score was computed from; it is not saved or pickled.

        >>> import causal_zigzag as cz
        >>> cz.sample({"a": [0.5, 1.5, 0.1], "b": [1.0, 2.5, 0.7]}, jumps=10, chains=1, rng=1).score.source_table
        Table(3 rows, 2 columns: 2 continuous)
        """
        found: Table | None = getattr(self, "_table", None)
        return found

    @property
    def contexts(self) -> tuple[Hashable, ...]:
        """The nodes that are given and not explained, since its table says so: conditions, or the past of a series.

        >>> import causal_zigzag as cz
        >>> cz.Uniform(2).contexts
        ()
        """
        return self._given[0]

    @property
    def targets(self) -> tuple[tuple[Hashable, tuple[Hashable, ...]], ...]:
        """The variables that a condition is known to set, and no others, since its table says so.

        :meta private:
        """
        return self._given[1]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._nodes_in_words()})"

    def _nodes_in_words(self) -> str:
        return count(len(self.nodes), "node")

    def local_by_number(self, y: int, parents: list[int]) -> float:
        """The local score of a node, given the numbers of the node and of its parents in increasing order.

        :meta private:
        """
        return self.cached_values().computed(y, parents)

    def core_score(self) -> core.Score | None:
        """The score object of the compiled core; None for the uniform target.

        :meta private:
        """
        memo = self.cached_values()
        return core.python_score(len(self.nodes), memo.local, memo.row, memo.has_row)

    def cached_values(self) -> CachedValues:
        """The values that were computed so far, one cache for all callers.

        :meta private:
        """
        memo: CachedValues | None = self.__dict__.get("_asked")
        if memo is None:
            memo = CachedValues(self, has_row=type(self).row is not Score.row)
            object.__setattr__(self, "_asked", memo)
        return memo

    def relative_cost(self) -> float | None:
        """The time of a local score relative to a continuous column, about 0.25 microseconds; None if it is unknown."""
        return None

    def first_parent_differences(self) -> Iterator[NDArray[np.float64]]:
        """For each node y the differences that the parents x make to its score without parents.

        :meta private:
        """
        core, n = self.core_score(), len(self.nodes)
        return (np.zeros(n) if core is None else core.row(y, []) for y in range(n))

    def hot_coldness(self) -> float:
        """The coldness, at most 1, at which its differences are of order one.

        The largest difference that a first parent makes to a node, for the median of the nodes, does not depend on how
        many pairs of nodes are independent, which with many nodes nearly all are.

        :meta private:
        """
        rows = (np.abs(np.delete(row, y)) for y, row in enumerate(self.first_parent_differences()))
        large = float(np.median([row.max(initial=0.0) for row in rows])) if len(self.nodes) else 0.0
        return min(1.0, HOT_DIFFERENCE / large) if large > 0 else 1.0

    def state(self) -> dict[str, Any] | None:
        """What a file contains of this score besides its nodes: numbers, texts, tuples and arrays by name.

        None, the default, if it cannot be saved: a file then has its values for the most probable classes only.
        """
        return None

    @classmethod
    def from_state(cls, nodes: Sequence[Hashable], state: dict[str, Any]) -> Self:  # noqa: ARG003
        """The score with this state. Errors in the state should raise a ``ValueError``."""
        raise ScoreError(f"{cls.__name__}.state is implemented, but from_state is not")

    def stored(self, graphs: Sequence[CPDAG]) -> Score:
        """What a file can hold: the score itself, or its values for these classes.

        :meta private:
        """
        if self.state() is not None:
            return self
        kind: Any = registered("stored")
        made: Score = kind.of(self, graphs)
        return made

    def regression_moments(self) -> RegressionMoments | None:
        """What the posteriors of regression coefficients follow from; None if this is not a Gaussian score."""
        return None

    def block_moments(self) -> BlockMoments | None:
        """The regression moments of numbers and indicators of levels; None if this is not a score of mixed tables."""
        return None

    def curve_table(self) -> CurveTable | None:
        """What regressions on curves are computed from; None if relations are not curves."""
        return None

    def categorical_rows(self) -> CategoricalRows | None:
        """The data of a discrete score, from which P(y | do(x)) follows; None if this is not one."""
        return None

    def response_model(self) -> ResponseModel | None:
        """The posteriors of E[g(y) | do(x = a)], by which effects are computed; None if there are none.

        By default they follow from ``regression_moments``, ``block_moments``, ``curve_table`` or ``categorical_rows``.
        """
        moments, blocks, curves = self.regression_moments(), self.block_moments(), self.curve_table()
        rows = self.categorical_rows()
        if blocks is not None:
            return LinearModel(self.nodes, blocks)
        if curves is not None:
            return CurveModel(self.nodes, curves)
        if rows is not None:
            return CellModel(self.nodes, rows)
        return None if moments is None else LinearModel.of_numbers(self.nodes, moments)

    def with_codes(self, codes: NDArray[np.int64]) -> Score:  # noqa: ARG002
        """The same discrete score of other rows, one per column of codes of its levels."""
        raise ScoreError(f"{self!r} cannot be computed for other rows: it has no with_codes")

    def prediction(self, data: Any) -> Prediction:
        """The densities of held-out rows, given those that the score was computed from."""
        moments, rows = self.regression_moments(), self.categorical_rows()
        if moments is not None and len(moments.mean):
            n = len(self.nodes)
            return BlockPrediction(self.nodes, BlockMoments(tuple(range(n + 1)), ((),) * n, 0, moments), data)
        if rows is not None:
            return CategoricalPrediction(self.nodes, rows, data)
        raise SettingsError(f"held-out rows have no density under {self!r}, which is not computed from their columns")

    def log_jacobian(self) -> float | None:
        """What makes a total the log marginal likelihood of the columns on their own scale; None if it is not one."""
        return None

    def evidence_note(self) -> str:
        """Why ``log_jacobian`` is None, or what the marginal likelihood is of, if not of the columns themselves."""
        return "" if self.log_jacobian() is not None else "no log_evidence: the score is not a marginal likelihood"

    def curves(self, table: Table) -> list[NDArray[np.float64]] | None:  # noqa: ARG002
        """The columns by which nodes depend on each node, the response first; None if relations are straight lines."""
        return None

    def assumption(self) -> ModelAssumption | None:
        """What the score assumes about the form of the relations; None if that is not known.

        :meta private:
        """
        return None

    def harmless(self) -> tuple[str, ...]:
        """The kinds of findings about a table that do not speak against this score.

        :meta private:
        """
        return ()

    def code(self) -> str | None:
        """Python code that makes this score without data; None if it needs data.

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
        if (
            not hasattr(parents, "__iter__")
            or isinstance(parents, type)
            or (isinstance(parents, str) and labels.find(parents) is not None)
        ):
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
