"""The mixture of the weighted classes of resamples, each with the same weight, and its errors between resamples.

Resamples of one block, such as the two halves of a table, depend on each other, so that the blocks are what the errors
are estimated from: with the mean m_b of a quantity over block b of B, the error of their mean is that of B independent
numbers. What chains within a resample have not averaged out is part of these differences, so nothing is added for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.answers.weighted_classes import ClassTable, Part, WeightedClasses
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.target.target import Target


@dataclass(frozen=True, eq=False)
class Resamples:
    """The weighted classes of all resamples; ``blocks`` has the number of the block of each."""

    members: Sequence[WeightedClasses]
    blocks: Sequence[int]

    def error(self, values: Iterable[NDArray[np.float64] | float]) -> NDArray[np.float64]:
        """The Monte Carlo error of the mean of a quantity, from its values in the resamples; NaN with one block.

        Blocks that lack a member count with those that they have.
        """
        sizes = np.bincount(self.blocks)
        sums: dict[int, NDArray[np.float64]] = {}
        for block, value in zip(self.blocks, values, strict=True):
            sums[block] = sums.get(block, 0.0) + np.asarray(value, dtype=np.float64)
        held = sizes[[*sums]].astype(np.float64)
        total, number = held.sum(), len(sums)
        mean = np.sum([*sums.values()], axis=0) / total
        if number < 2:
            return np.full_like(mean, np.nan)
        squares = np.sum(
            [(own - size * mean) ** 2 for own, size in zip(sums.values(), held.tolist(), strict=True)], axis=0
        )
        return np.asarray(np.sqrt(squares * number / (number - 1)) / total)

    @cached_property
    def edge_errors(self) -> NDArray[np.float64]:
        """The errors of the adjacency of i and j and of i -> j, j -> i and i - j: n by n by 4."""
        return read_only(self.error(_kinds(member.edges) for member in self.members))


def mixed_classes(target: Target, resamples: Resamples) -> WeightedClasses:
    """The mixture of all resamples; ``target`` is that of the whole table."""
    members = resamples.members
    share = 1 / len(members)
    first = np.cumsum([0, *(len(member.lists) for member in members)])

    def make_table() -> ClassTable:
        tables = [member.table for member in members]
        names = np.concatenate([own.names for own in tables])
        shares = np.concatenate([own.shares for own in tables]) * share
        place = np.concatenate([own.place + at for own, at in zip(tables, first, strict=False)])
        record = np.concatenate([own.record for own in tables])
        order = np.lexsort((place, names[:, 1], names[:, 0]))
        names = names[order]
        begin = np.flatnonzero(np.r_[True, (names[1:] != names[:-1]).any(axis=1)])
        summed = np.add.reduceat(shares[order], begin)
        return ClassTable(names[begin], summed, place[order[begin]], record[order[begin]]).ranked()

    def make_parts(_: WeightedClasses) -> tuple[Part, ...]:
        return tuple(part._replace(weights=part.weights * share) for member in members for part in member.parts)

    return WeightedClasses(
        target,
        tuple(own for member in members for own in member.lists),
        share * sum(member.unlisted for member in members),
        make_table,
        make_parts,
        known_edges=_mean_edges(members),
        mixture=resamples,
    )


def _mean_edges(members: Sequence[WeightedClasses]) -> EdgeProbabilities:
    n, share = len(members[0].nodes), 1 / len(members)
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    for member in members:
        directed += share * member.edges.directed
        undirected += share * member.edges.undirected
    return EdgeProbabilities(members[0].nodes, read_only(directed), read_only(undirected))


def _kinds(edges: EdgeProbabilities) -> NDArray[np.float64]:
    return np.stack([edges.adjacent, edges.directed, edges.directed.T, edges.undirected], axis=-1)
