"""Layered layout (Sugiyama) of graphs with directed and undirected edges; arrows point downward.

It is implemented here because Graphviz would be needed as a binary, and reports must be written offline without one.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pair = tuple[int, int]
Rows = list[list[int]]

MOST_SWEEPS = 24  # of crossing reduction and of straightening; more change little
MOST_VISITS = 60_000  # of nodes and bends by all sweeps together; there are at least four sweeps
ASPECT_RATIO = 1.6  # desired ratio of width to height
ROOMY_CROWD = 14  # if more edges pass a layer, they are drawn closer together


@dataclass(frozen=True, eq=False)
class Layout:
    """Centers of the nodes, n by 2, y downward; and for each edge, in the given order, the points that it passes."""

    positions: NDArray[np.float64]
    bends: tuple[NDArray[np.float64], ...]


def arrange(
    n: int,
    directed: Iterable[Pair],
    undirected: Iterable[Pair] = (),
    widths: Sequence[float] | None = None,
    gap: float = 0.5,
    height: float = 1.0,
    order: Sequence[float] | None = None,
    tiers: Sequence[int] | None = None,
) -> Layout:
    """The layout of nodes with these widths, at least ``gap`` apart within a layer; layers are ``height`` apart.

    Arrows point downward unless they are part of a cycle. A line leads from the node with the smaller number in
    ``order`` down to the other. If there are ``tiers``, all nodes of a tier are above those of later tiers; otherwise
    connected components are placed next to each other. Bends are in the order of the directed, then the undirected
    edges.
    """
    arrows, lines = [(int(a), int(b)) for a, b in directed], [(int(a), int(b)) for a, b in undirected]
    edges = arrows + lines
    broad = np.ones(n) if widths is None else np.asarray(widths, dtype=np.float64)
    tier = [0] * n if tiers is None else [int(t) for t in tiers]
    wish = [(t, x) for t, x in zip(tier, [0.0] * n if order is None else order, strict=True)]
    rank = _ranks(n, arrows, lines, wish)
    down = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in edges]
    positions = np.zeros((n, 2))
    bends: list[NDArray[np.float64]] = [np.zeros((0, 2))] * len(edges)
    parts = []
    for nodes in _connected(n, edges) if tiers is None else [[*range(n)]] * (n > 0):
        inside = set(nodes)
        own = [e for e, (a, _) in enumerate(edges) if a in inside]
        nodes = sorted(nodes, key=rank.__getitem__)
        placed, own_bends = _placed_in_layers(nodes, [down[e] for e in own], tier, broad, gap)
        positions[nodes] = placed * [1.0, height]
        for e, points in zip(own, own_bends, strict=True):
            bends[e] = points * [1.0, height]
        parts.append((nodes, own))
    _pack(parts, positions, bends, broad, gap, height)
    for e, (edge, drawn) in enumerate(zip(edges, down, strict=True)):
        if edge != drawn:
            bends[e] = bends[e][::-1]
    return Layout(positions, tuple(bends))


def _ranks(n: int, arrows: Sequence[Pair], lines: Sequence[Pair], wish: Sequence[tuple[int, float]]) -> list[int]:
    """The rank of each node in an order along the arrows, and along most of those of a cycle.

    Of the nodes that may come next, the one with the smallest wish does; of equal ones, the one that lines join to
    most nodes that are already in the order, so that undirected components are followed outward.
    """
    below: list[set[int]] = [set() for _ in range(n)]
    above: list[set[int]] = [set() for _ in range(n)]
    beside: list[list[int]] = [[] for _ in range(n)]
    for a, b in arrows:
        below[a].add(b)
        above[b].add(a)
    for a, b in lines:
        beside[a].append(b)
        beside[b].append(a)
    rank, met, left = [0] * n, [0] * n, set(range(n))
    for place in range(n):
        free = [v for v in left if not above[v]]
        # In a cycle none is free; the greedy choice of Eades, Lin and Smyth opposes few arrows.
        v = min(free or [max(left, key=lambda u: (len(below[u]) - len(above[u]), -u))],
                key=lambda u: (wish[u], -met[u], -len(beside[u]), u))  # fmt: skip
        left.remove(v)
        rank[v] = place
        for u in below[v]:
            above[u].discard(v)
        for u in above[v]:
            below[u].discard(v)
        for u in beside[v]:
            met[u] += 1
    return rank


def _connected(n: int, edges: Sequence[Pair]) -> list[list[int]]:
    """The connected components, the largest first."""
    part = [{v} for v in range(n)]
    for a, b in edges:
        if part[a] is not part[b]:
            part[a] |= part[b]
            for v in part[b]:
                part[v] = part[a]
    parts = [sorted(own) for own in {id(own): own for own in part}.values()]
    return sorted(parts, key=lambda own: (-len(own), own))


def _placed_in_layers(
    nodes: list[int], down: list[Pair], tier: list[int], broad: NDArray[np.float64], gap: float
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Positions of these nodes, which are sorted by rank, and bends of their edges; layers are 1 apart.

    Inside, the nodes are numbered 0..m-1 and bends from m.
    """
    m, number = len(nodes), {v: i for i, v in enumerate(nodes)}
    edges = [(number[a], number[b]) for a, b in down]
    layer = _layers([tier[v] for v in nodes], edges)
    chains = []
    for a, b in edges:
        between = range(layer[a] + 1, layer[b])
        chains.append([a, *range(len(layer), len(layer) + len(between)), b])
        layer += between
    up: list[list[int]] = [[] for _ in layer]
    below: list[list[int]] = [[] for _ in layer]
    for a, b in (segment for chain in chains for segment in pairwise(chain)):
        below[a].append(b)
        up[b].append(a)
    wide = np.concatenate([broad[nodes], np.zeros(len(layer) - m)])
    x = _straighten(_uncross(layer, up, below), up, below, wide, gap, m)
    points = np.stack([x, np.array(layer, dtype=np.float64)], axis=1)
    return points[:m], [points[chain[1:-1]] for chain in chains]


def _layers(tier: list[int], edges: Sequence[Pair]) -> list[int]:
    """Layers of nodes that are numbered along the edges: below their parents, of limited size, with short edges."""
    n = len(tier)
    most = max(3, math.ceil(1.4 * math.sqrt(n)))
    up: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        below[a].append(b)
        up[b].append(a)
    layer, taken = [0] * n, [0] * (2 * n + 1)
    first: dict[int, int] = {}  # layer of each tier; nodes of a tier are consecutive
    for v in range(n):
        start = first.setdefault(tier[v], max(layer[:v], default=-1) + 1)
        layer[v] = max((layer[u] + 1 for u in up[v]), default=start)
        layer[v] = max(layer[v], start)
        while taken[layer[v]] >= most:
            layer[v] += 1
        taken[layer[v]] += 1
    last = {t: max(at for at, own in zip(layer, tier, strict=True) if own == t) for t in first}
    for _ in range(4):
        for v in reversed(range(n)):
            low = max((layer[u] + 1 for u in up[v]), default=0)
            low = max(low, first[tier[v]])
            high = min((layer[u] - 1 for u in below[v]), default=layer[v])
            high = min(high, last[tier[v]])
            # The sum of the lengths is linear between these bounds, so it is smallest at one of them.
            best = high if len(below[v]) > len(up[v]) else low if len(below[v]) < len(up[v]) else layer[v]
            if best != layer[v] and taken[best] < most:
                taken[layer[v]] -= 1
                taken[best] += 1
                layer[v] = best
    used = sorted(set(layer))
    return [used.index(at) for at in layer]


def _uncross(layer: Sequence[int], up: list[list[int]], below: list[list[int]]) -> Rows:
    """Rows with few crossings: barycenters, downward and upward in turn; returns the best order that was found."""
    rows: Rows = [[] for _ in range(max(layer) + 1)]
    for v in _walk(len(layer), up, below):
        rows[layer[v]].append(v)
    best, fewest = [row[:] for row in rows], _crossings(rows, below)
    for sweep in range(_sweeps(len(layer))):
        if not fewest:
            break
        downward = sweep % 2 == 0
        for at in range(1, len(rows)) if downward else range(len(rows) - 2, -1, -1):
            beside, links = rows[at - 1 if downward else at + 1], up if downward else below
            place = {v: i for i, v in enumerate(beside)}
            # Reversing the order of equal barycenters now and then leaves local optima.
            row = rows[at][::-1] if sweep % 4 >= 2 else rows[at]
            own = {v: i for i, v in enumerate(rows[at])}
            mean = {v: sum(place[u] for u in links[v]) / len(links[v]) if links[v] else float(own[v]) for v in row}
            rows[at] = sorted(row, key=mean.__getitem__)
        _swap_neighbors(rows, up, below)
        crossings = _crossings(rows, below)
        if crossings < fewest:
            best, fewest = [row[:] for row in rows], crossings
    return best


def _sweeps(size: int) -> int:
    return max(4, min(MOST_SWEEPS, MOST_VISITS // size))


def _swap_neighbors(rows: Rows, up: list[list[int]], below: list[list[int]]) -> None:
    """Swap adjacent nodes where this removes crossings, row by row, twice."""
    place = {v: i for row in rows for i, v in enumerate(row)}
    for row in rows * 2:
        for i in range(len(row) - 1):
            v, w = row[i], row[i + 1]
            gain = 0
            for links in (up, below):
                left, right = sorted(place[u] for u in links[v]), sorted(place[u] for u in links[w])
                # Crossings are pairs of ends with that of v to the right of that of w; after a swap, to the left.
                gain += sum(len(left) - bisect_right(left, end) - bisect_left(left, end) for end in right)
            if gain > 0:
                row[i], row[i + 1] = w, v
                place[v], place[w] = i + 1, i


def _walk(n: int, up: list[list[int]], below: list[list[int]]) -> list[int]:
    """All nodes in depth-first order, so that connected nodes are near each other initially."""
    seen: dict[int, None] = {}
    stack = list(reversed(range(n)))
    while stack:
        v = stack.pop()
        if v not in seen:
            seen[v] = None
            stack += [u for u in reversed([*below[v], *up[v]]) if u not in seen]
    return list(seen)


def _crossings(rows: Rows, below: list[list[int]]) -> int:
    total = 0
    for upper, lower in pairwise(rows):
        place = {v: i for i, v in enumerate(lower)}
        met: list[int] = []  # sorted lower ends of the edges so far
        for v in upper:
            ends = [place[u] for u in below[v]]
            total += sum(len(met) - bisect_right(met, end) for end in ends)
            for end in ends:
                insort(met, end)
    return total


def _straighten(
    rows: Rows, up: list[list[int]], below: list[list[int]], wide: NDArray[np.float64], gap: float, real: int
) -> NDArray[np.float64]:
    """The x of all nodes and bends: each row in turn is moved as near to its neighbors as its order allows."""
    x = np.zeros(len(wide))
    offsets = []
    crowd = max(sum(v >= real for v in row) for row in rows)
    near = gap * min(1.2, max(0.4, ROOMY_CROWD / max(crowd, 1)))  # distance of a passing edge from the next node
    for row in rows:
        w, bend = wide[row], np.array(row) >= real
        between = np.where(bend[1:] | bend[:-1], near, gap)
        apart = np.concatenate([[0.0], (w[1:] + w[:-1]) / 2 + between])
        offsets.append(np.cumsum(apart))
        x[row] = offsets[-1] - offsets[-1][-1] / 2
    # Long edges should be straight, so bends have larger weights, and most of all connections between two bends.
    weight = np.where(np.arange(len(wide)) < real, 1.0, 4.0)
    sweeps = _sweeps(len(wide))
    for sweep in range(sweeps):
        downward = sweep % 2 == 0
        last = sweep >= sweeps - 2
        for at in range(len(rows)) if downward else range(len(rows) - 1, -1, -1):
            row, wish = rows[at], []
            for v in rows[at]:
                links = (
                    up[v] + below[v] if last or not (up[v] if downward else below[v]) else (up, below)[not downward][v]
                )
                pull = weight[links] * (2.0 if v >= real else 1.0)
                wish.append(float(x[links] @ pull / pull.sum()) if links else float(x[v]))
            x[row] = _monotone(np.array(wish) - offsets[at], weight[row]) + offsets[at]
    return x


def _monotone(wish: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weighted least-squares fit of a nondecreasing sequence, by the pool-adjacent-violators algorithm."""
    pools: list[tuple[float, float, int]] = []
    for value, w in zip(wish.tolist(), weight.tolist(), strict=True):
        pool = (value, w, 1)
        while pools and pools[-1][0] > pool[0]:
            (a, wa, ka), (b, wb, kb) = pools.pop(), pool
            pool = ((a * wa + b * wb) / (wa + wb), wa + wb, ka + kb)
        pools.append(pool)
    return np.repeat([value for value, _, _ in pools], [k for _, _, k in pools])


def _pack(
    parts: list[tuple[list[int], list[int]]],
    positions: NDArray[np.float64],
    bends: list[NDArray[np.float64]],
    broad: NDArray[np.float64],
    gap: float,
    height: float,
) -> None:
    """Place the components next to each other in rows, so that the whole is wider than high; single nodes last."""
    sizes = []
    for nodes, own in parts:
        left, right = positions[nodes, 0] - broad[nodes] / 2, positions[nodes, 0] + broad[nodes] / 2
        xs = np.concatenate([left, right, *(bends[e][:, 0] for e in own)])
        corner = np.array([xs.min(), positions[nodes, 1].min() - height / 2])
        size = np.array([xs.max(), positions[nodes, 1].max() + height / 2]) - corner
        sizes.append((corner, size))
    area = sum(float((size[0] + gap) * size[1]) for _, size in sizes)
    across = max([math.sqrt(ASPECT_RATIO * area), *(float(size[0]) for _, size in sizes)], default=0.0)
    x = y = tall = 0.0
    lone = sum(len(nodes) > 1 for nodes, _ in parts)  # the first single node
    for i, ((nodes, own), (corner, size)) in enumerate(zip(parts, sizes, strict=True)):
        if x and (i == lone or x + size[0] > across * (1 + 1e-9)):
            x, y, tall = 0.0, y + tall, 0.0
        shift = np.array([x, y]) - corner
        positions[nodes] += shift
        for e in own:
            bends[e] = bends[e] + shift
        x, tall = x + float(size[0]) + gap, max(tall, float(size[1]))
