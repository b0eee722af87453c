"""Contradictions within a Knowledge, and the two lists of arrows that it amounts to."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import numpy as np

from causal_zigzag.errors import KnowledgeError
from causal_zigzag.graphs.labels import show

Arrow = tuple[int, int]


@dataclass(frozen=True)
class NumberedKnowledge:
    """A knowledge about nodes 0..n-1: the tier of each node (None if it is free), and edges as pairs of numbers."""

    names: tuple[Hashable, ...]
    tiers: tuple[int | None, ...]
    required: tuple[Arrow, ...]
    forbidden: frozenset[Arrow]
    apart: frozenset[Arrow]  # the smaller number first
    conditions: frozenset[int]
    no_edges_within: frozenset[int]
    neighboring_tiers_only: bool

    def reason(self, x: int, y: int) -> str:
        """Why tiers or conditions forbid x -> y; an empty string if they do not."""
        first, second = show(self.names[x]), show(self.names[y])
        if y in self.conditions:
            return f"the conditions: {second} is a condition, which no other node causes"
        a, b = self.tiers[x], self.tiers[y]
        if a is None or b is None:
            return ""
        if b < a:
            return f"the tiers: {second} is in an earlier tier than {first}"
        if a == b and a in self.no_edges_within:
            return f"no_edges_within: {first} and {second} are in the same tier, which has no edges within"
        if self.neighboring_tiers_only and b > a + 1:
            return f"neighboring_tiers_only: the tiers of {first} and {second} are not neighbors"
        return ""

    def check(self) -> None:
        """Raise a KnowledgeError that names the nodes of the first contradiction."""
        names = self.names
        for x, y in (*self.required, *self.forbidden, *self.apart):
            if x == y:
                raise KnowledgeError(f"no edge joins a node with itself, such as {show(names[x])}", [names[x]])
        for x, y in self.required:
            arrow = f"{show(names[x])} -> {show(names[y])}"
            if (x, y) in self.forbidden:
                raise KnowledgeError(f"{arrow} is both required and forbidden", [names[x], names[y]])
            if (min(x, y), max(x, y)) in self.apart:
                raise KnowledgeError(f"{arrow} is required, but the pair is apart, never joined", [names[x], names[y]])
            if reason := self.reason(x, y):
                raise KnowledgeError(f"required {arrow} contradicts {reason}", [names[x], names[y]])
        if cycle := [names[v] for v in find_cycle(len(names), self.required)]:
            around = " -> ".join(map(show, [*cycle, cycle[0]]))
            raise KnowledgeError(f"the required arrows form the cycle {around}, which no DAG contains", cycle)

    def arrows(self) -> tuple[list[Arrow], list[Arrow]]:
        """The forbidden and the required arrows; reverses of required arrows and pairs apart are forbidden."""
        free = -1
        tier = np.array([free if t is None else t for t in self.tiers], dtype=np.int64)
        x, y = tier[:, None], tier[None, :]
        excluded = y < x
        excluded |= (x == y) & np.isin(x, sorted(self.no_edges_within))
        if self.neighboring_tiers_only:
            excluded |= y > x + 1
        excluded &= (x != free) & (y != free)
        excluded[:, sorted(self.conditions)] = True
        for u, v in (*self.forbidden, *self.apart, *((v, u) for u, v in (*self.required, *self.apart))):
            excluded[u, v] = True
        np.fill_diagonal(excluded, False)
        return [(u, v) for u, v in np.argwhere(excluded).tolist()], sorted({*self.required})


def find_cycle(n: int, arrows: tuple[Arrow, ...]) -> list[int]:
    """The nodes of a directed cycle, in its order, the smallest first; empty if there is none."""
    parents: dict[int, set[int]] = {v: set() for v in range(n)}
    for x, y in arrows:
        parents[y].add(x)
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        cycle: list[int] = error.args[1][1:]  # along the arrows; the first node is given twice
        first = cycle.index(min(cycle))
        return cycle[first:] + cycle[:first]
    return []
