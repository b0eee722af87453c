"""The parent sets of nodes over the members of weighted classes, with the probability that a node is below.

In a class, the possible parents of x are Pa(x) and a clique K of its neighbors. The number of members of the class with
these parents, and which nodes are then below x, are computed exactly in the core, without drawing DAGs. With knowledge,
only the members that agree with it count.

Given nodes, such as conditions and the past of series, have no parents, but may depend on each other, which no edge
between them shows: treatments that were combined, or one series and the past of another. So in each class the effect of
one on an outcome is adjusted for those others that are ancestors of this outcome, and a row holds for such outcomes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.errors.batch_means import LEAST_CHANGES
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.class_list import ClassList
    from causal_zigzag.answers.weighted_classes import Part, WeightedClasses

MOST_CHOICES = 1 << 14  # parent sets of one node in one class; a complete graph of 15 nodes has as many
MOST_NUMBERS = 1 << 25  # of a table, rows times nodes: 256 MB


@dataclass(frozen=True, eq=False)
class ParentSetTable:
    """One row per distinct (cause, set of parents): its probability, also jointly with each node being below the cause.

    ``cause`` has the number of the cause of each row, ``members[begin[i]:begin[i + 1]]`` are the parents of row i,
    ``weight`` is the probability that the cause has these parents, and ``below[i, y]`` the probability that it has
    them and is an ancestor of y. A ``given`` cause has the other given nodes above y in the place of its parents.
    ``sets`` is the table in the core, whose rows have the same order.
    """

    nodes: tuple[Hashable, ...]
    causes: NDArray[np.int64]
    cause: NDArray[np.int64]
    begin: NDArray[np.int64]
    members: NDArray[np.int32]
    weight: NDArray[np.float64]
    below: NDArray[np.float64]
    given: frozenset[int]
    sets: _core.ParentSets

    def __len__(self) -> int:
        return len(self.cause)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of parents of each row."""
        return np.diff(self.begin)

    def parent_numbers(self, row: int) -> list[int]:
        """The numbers of the parents of a row."""
        found: list[int] = self.members[self.begin[row] : self.begin[row + 1]].tolist()
        return found

    def parents(self, row: int) -> tuple[Hashable, ...]:
        """The labels of the parents of a row."""
        return tuple(self.nodes[v] for v in self.parent_numbers(row))

    def of_size(self, size: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The rows with this number of parents, and their parents, one row each."""
        rows = np.flatnonzero(self.sizes == size)
        return rows, self.members[self.begin[rows][:, None] + np.arange(size)]

    def errors(self, classes: WeightedClasses, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The Monte Carlo errors of Σ below * values and of Σ below over the rows of each cause: causes, nodes, 2.

        They are estimated from batches of draws, as those of statements, and NaN if the values of the draws change
        fewer than ten times; 0 if the probabilities are exact.
        """
        shape = (len(self.causes), len(self.nodes), 2)
        if classes.batches is None:
            return np.zeros(shape)
        coefficients = np.ascontiguousarray(values)
        sums, changes = [], np.zeros(shape, dtype=np.int64)
        for some in classes.batches.draws.chains():
            arrays = some.classes.oriented.arrays
            part, moved = self.sets.batch_sums(*arrays, some.weights, some.batch, some.batches, coefficients)
            sums.append(part.reshape(some.batches, *shape))
            changes += moved.reshape(shape)
        errors = classes.batches.draws.batching.errors(np.concatenate(sums))
        return np.where(changes < LEAST_CHANGES, np.nan, errors)


def parent_set_tables(
    parts: Sequence[Part], causes: Sequence[int] | None = None, merged: bool = False
) -> Iterator[ParentSetTable]:
    """The parent sets of these causes (numbers of nodes; all by default) in as many tables as their size requires.

    Each cause is in one table. With ``merged`` a cause has a single row for all its parent sets.
    """
    todo = [sorted(range(len(parts[0].classes.labels)) if causes is None else causes)]
    while todo:
        some = todo.pop()
        if not some:
            continue
        try:
            table = _table(parts, some, merged)
        except OverflowError as error:
            node, limit = error.args
            if node >= 0 or len(some) == 1:
                raise _too_many(parts[0].classes.labels.names, node, some[0], limit) from None
            middle = len(some) // 2
            todo += [some[middle:], some[:middle]]
        else:
            yield table


def below_shares(classes: ClassList, x: int, y: int) -> NDArray[np.float64]:
    """For each class the share of its DAGs in which x is an ancestor of y."""
    sets = _core.parent_sets(len(classes.labels), [x], given_nodes(classes), True, MOST_CHOICES, MOST_NUMBERS)
    try:
        return sets.below_shares(*classes.oriented.arrays, y)
    except OverflowError as error:
        raise _too_many(classes.labels.names, error.args[0], x, error.args[1]) from None


def given_nodes(classes: ClassList) -> list[int]:
    """The nodes that are never explained, by number."""
    return [] if classes.restriction is None else sorted(classes.restriction.conditions)


def _table(parts: Sequence[Part], causes: list[int], merged: bool) -> ParentSetTable:
    names, total = parts[0].classes.labels.names, sum(part.weights.sum() for part in parts)
    if not total > 0:
        raise SettingsError("no class has a positive probability, so there is nothing to average over")
    sets = _core.parent_sets(len(names), causes, given_nodes(parts[0].classes), merged, MOST_CHOICES, MOST_NUMBERS)
    for part in parts:
        sets.add(*part.classes.oriented.arrays, np.ascontiguousarray(part.weights / total))
    cause, first, members, weight, below = sets.take()
    numbers = np.array(causes, dtype=np.int64)
    return ParentSetTable(
        names,
        numbers,
        numbers[cause],
        first.astype(np.int64),
        members,
        weight,
        below.reshape(-1, len(names)),
        frozenset(given_nodes(parts[0].classes)),
        sets,
    )


def _too_many(names: Sequence[Hashable], node: int, cause: int, limit: int) -> SettingsError:
    if node >= 0:
        fault = f"{show(names[node])} has more than {limit:,} possible sets of parents in one class"
    else:
        fault = f"{show(names[cause])} has more than {limit // len(names):,} sets of parents in the classes"
    return SettingsError(
        f"{fault}, too many to average effects over; ask for other causes, or sample sparser graphs: with a smaller "
        f"max_degree or a stronger edge_prior"
    )
