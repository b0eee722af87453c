"""Ancestors, directed cycles and inducing paths of graphs with directed and bidirected edges.

Sets of nodes are Python integers, one bit per node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Arrows = NDArray[np.bool_]
"""[i, j]: whether i -> j; or, of a symmetric matrix, whether i <-> j."""


def nodes_of(mask: int) -> Iterator[int]:
    """The nodes of a set."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def columns_as_masks(matrix: Arrows) -> list[int]:
    """For each node j the set of the i with matrix[i, j]."""
    return [sum(1 << i for i in np.flatnonzero(column).tolist()) for column in matrix.T]


def directed_cycle(arrows: Arrows) -> list[int]:
    """The nodes of a directed cycle in its order; empty if there is none."""
    left = np.ones(len(arrows), dtype=bool)
    while True:  # take away nodes without parents
        sources = left & ~arrows[left].any(axis=0)
        if not sources.any():
            break
        left &= ~sources
    if not left.any():
        return []
    at = int(np.flatnonzero(left)[0])
    walk: list[int] = []
    while at not in walk:
        walk.append(at)
        at = int(np.flatnonzero(left & arrows[:, at])[0])
    return [at, *walk[walk.index(at) + 1 :][::-1]]


def ancestor_masks(arrows: Arrows) -> list[int]:
    """For each node the set of its ancestors, without itself, in a graph without directed cycles."""
    parents = columns_as_masks(arrows)
    found: dict[int, int] = {}
    while len(found) < len(parents):
        for v, mask in enumerate(parents):
            if v not in found and all(p in found for p in nodes_of(mask)):
                found[v] = mask
                for p in nodes_of(mask):
                    found[v] |= found[p]
    return [found[v] for v in range(len(parents))]


def directed_path(arrows: Arrows, x: int, y: int) -> list[int]:
    """The nodes of a shortest directed path from x to y, which must exist."""
    return _path(columns_as_masks(arrows.T), x, 1 << y, (1 << len(arrows)) - 1)


def inducing_path(arrows: Arrows, spouses: Arrows, ancestors: Sequence[int], x: int, y: int) -> list[int]:
    """The nodes of an inducing path between nodes that are not adjacent; empty if there is none.

    All nodes inside the path are colliders and ancestors of x or y. So it is x *-> u, then bidirected edges, then
    v <-* y, and a walk of this form contains such a path.
    """
    zone = (ancestors[x] | ancestors[y]) & ~(1 << x) & ~(1 << y)
    out, across = columns_as_masks((arrows | spouses).T), columns_as_masks(spouses)
    steps = [*across]
    steps[x] = out[x]
    inside = _path(steps, x, out[y] & zone, zone)
    return [*inside, y] if inside else []


def _path(steps: Sequence[int], start: int, goal: int, zone: int) -> list[int]:
    """A shortest path from start to a node of goal whose further nodes are in zone; empty if there is none."""
    before: dict[int, int] = {}
    layer, seen = [start], 1 << start
    while layer:
        following = []
        for u in layer:
            for v in nodes_of(steps[u] & zone & ~seen):
                before[v] = u
                if goal >> v & 1:
                    path = [v]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return path[::-1]
                seen |= 1 << v
                following.append(v)
        layer = following
    return []
