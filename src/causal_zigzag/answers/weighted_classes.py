"""WeightedClasses: a distribution over classes, sampled or exact; every answer is a function of this value."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag._core import edge_sums
from causal_zigzag.answers.class_list import ClassList, graphs_in
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.answers.errors.batches import edge_errors
from causal_zigzag.graphs.cpdag import CPDAG, in_node_order
from causal_zigzag.scores.equivalence import check_score_equivalence
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.completions import Completions
    from causal_zigzag.answers.errors.batches import Batches
    from causal_zigzag.answers.resamples.mixture import Resamples
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.scores.base import Score
    from causal_zigzag.scores.responses.response import ResponseModel
    from causal_zigzag.target.target import Target

SORTED_BYTES = 1 << 26  # of graphs that are held to be put in order; each such block needs a pass over the whole list
FEW_ROWS = 16  # so few rows are decoded one by one, without a pass over the list


class Part(NamedTuple):
    """Classes with their probabilities, by which averages are computed.

    They are ``listed`` if they are in the table of classes, and ``drawn`` if the probabilities are those of draws.
    """

    classes: ClassList
    weights: NDArray[np.float64]
    listed: bool = True
    drawn: bool = False


class Group(NamedTuple):
    """Classes and the score of the table that they and their parameters follow from.

    An effect is a mixture over groups: one for a table, one per completed table if cells are missing, one per resample.
    """

    weight: float
    score: Score
    parts: tuple[Part, ...]


MOST_COMPLETED = 100  # completed tables of which effects are a mixture


class ClassTable(NamedTuple):
    """Distinct classes by descending probability: their names, two numbers each, their shares of the probability, and
    where they are, at ``record`` of the list with the number ``place``.
    """

    names: NDArray[np.uint64]
    shares: NDArray[np.float64]
    place: NDArray[np.int64]
    record: NDArray[np.int64]

    def ranked(self) -> ClassTable:
        """The same table in order."""
        order = np.lexsort((self.names[:, 1], self.names[:, 0], -self.shares))
        return ClassTable(self.names[order], self.shares[order], self.place[order], self.record[order])


@dataclass(frozen=True, eq=False, repr=False)
class WeightedClasses:
    """The classes of a posterior and their probabilities.

    ``table`` has the classes of the ``lists``; those that are not listed have the probability ``unlisted``. ``parts``
    has everything for averages over classes: the listed ones, and draws in place of the others. Its weights add up to
    1, or to less if there are no such draws. Both are made when they are first needed. Monte Carlo errors are estimated
    from ``batches``, which is None if the probabilities are exact. ``known_edges`` are probabilities of edges that were
    added up while sampling. A ``mixture`` of resamples has its errors from their differences.
    """

    target: Target
    lists: tuple[ClassList, ...]
    unlisted: float
    make_table: Callable[[], ClassTable]
    make_parts: Callable[[WeightedClasses], tuple[Part, ...]]
    batches: Batches | None = None
    known_edges: EdgeProbabilities | None = None
    name: Callable[[CPDAG], tuple[int, int]] = lambda g: g.core.hash
    make_completions: Callable[[], Completions | None] = lambda: None
    resampled: WeightedClasses | None = None  # the same for resampled rows
    mixture: Resamples | None = None  # if these are the classes of all resamples

    def __len__(self) -> int:
        return len(self.shares)

    @cached_property
    def table(self) -> ClassTable:
        """The distinct listed classes, by descending probability."""
        return self.make_table()

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All classes, for averages."""
        return self.make_parts(self)

    @cached_property
    def completions(self) -> Completions | None:
        """Completed tables, if cells are missing."""
        return self.make_completions()

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups of which effects are a mixture; their weights add up to 1."""
        if self.mixture is not None:
            members = [group for member in self.mixture.members for group in member.groups]
            return tuple(group._replace(weight=group.weight / len(self.mixture.members)) for group in members)
        tables = self.completions
        if tables is None:
            return (Group(1.0, self.target.score, self.parts),)
        held = np.flatnonzero(tables.weights > 0)
        chosen = held[np.linspace(0, len(held) - 1, min(MOST_COMPLETED, len(held))).astype(int)]
        total = tables.weights[chosen].sum()
        return tuple(
            Group(float(tables.weights[k] / total), tables.completed(k), (Part(tables.only(k), np.ones(1)),))
            for k in chosen.tolist()
        )

    @cached_property
    def response_models(self) -> tuple[ResponseModel | None, ...]:
        """The models of the groups, by which effects are computed."""
        return tuple(group.score.response_model() for group in self.groups)

    @property
    def is_exact(self) -> bool:
        """Whether there are no Monte Carlo errors."""
        return self.batches is None and self.mixture is None

    @property
    def names(self) -> NDArray[np.uint64]:
        """The names of the classes of the table."""
        return self.table.names

    @property
    def shares(self) -> NDArray[np.float64]:
        """Their probabilities."""
        return self.table.shares

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes."""
        return self.target.nodes

    def find(self, g: CPDAG) -> int | None:
        """The row of a class, None if it is not listed."""
        name = self.name(in_node_order(g, self.nodes, "the graph"))
        rows = np.flatnonzero((self.names[:, 0] == name[0]) & (self.names[:, 1] == name[1]))
        return int(rows[0]) if len(rows) else None

    def graph(self, row: int) -> CPDAG:
        """The class of one row, as a CPDAG also if there is knowledge."""
        return self.lists[int(self.table.place[row])].graph(int(self.table.record[row]))

    def graphs(self, rows: NDArray[np.int64]) -> Iterator[CPDAG]:
        """The classes of these rows, in this order, as CPDAGs also if there is knowledge."""
        if len(rows) <= FEW_ROWS:
            yield from (self.graph(int(row)) for row in rows)
            return
        step = graphs_in(SORTED_BYTES, len(self.nodes))
        for begin in range(0, len(rows), step):
            some = rows[begin : begin + step]
            graphs = dict(self._unordered(some))
            for row in some.tolist():
                yield graphs[row]

    def every_graph(self) -> Iterator[tuple[int, ClassGraph]]:
        """All listed classes with their rows, in arbitrary order; with knowledge, as MPDAGs."""
        return ((row, self.target.restrict(g)) for row, g in self._unordered(np.arange(len(self))))

    def by_record(self, values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Values of the rows of the table at the places of the classes in their lists, 0 elsewhere."""
        found = []
        for number, some in enumerate(self.lists):
            own = self.table.place == number
            found.append(np.zeros(len(some)))
            found[-1][self.table.record[own]] = values[own]
        return found

    @cached_property
    def edges(self) -> EdgeProbabilities:
        """The probability of every edge, again when rows are resampled if they were."""
        own = self._own_edges()
        return own if self.resampled is None else replace(own, again=self.resampled.edges)

    def _own_edges(self) -> EdgeProbabilities:
        if self.known_edges is not None:
            return self.known_edges
        n = len(self.nodes)
        directed, undirected = np.zeros(n * n), np.zeros(n * n)
        for part in self.parts:
            arrows, lines = edge_sums(n, *part.classes.oriented.arrays, np.ascontiguousarray(part.weights))
            directed += arrows
            undirected += lines
        square = undirected.reshape(n, n)
        return EdgeProbabilities(self.nodes, read_only(directed.reshape(n, n)), read_only(square + square.T))

    @cached_property
    def edge_errors(self) -> NDArray[np.float64]:
        """The Monte Carlo errors of the adjacency of i and j and of i -> j, j -> i and i - j: n by n by 4."""
        if self.mixture is not None:
            return self.mixture.edge_errors
        return edge_errors(self.batches, len(self.nodes))

    def check_members(self) -> None:
        """Raise a ScoreError if DAGs of one class differ in score; this is tested before a run is sampled."""
        if self.is_exact:
            check_score_equivalence(self.target.score)

    def _unordered(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, CPDAG]]:
        for number, some in enumerate(self.lists):
            own = rows[self.table.place[rows] == number]
            row_of = np.full(len(some), -1)
            row_of[self.table.record[own]] = own
            row = row_of.tolist()
            for place, g in some.cpdags(row_of >= 0):
                yield row[place], g
