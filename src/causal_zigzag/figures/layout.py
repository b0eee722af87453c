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
Layers = list[list[int]]

SWEEPS = 24  # of crossing reduction and of straightening; more change little
WORK = 60_000  # bound on the nodes and bends that all sweeps together visit; there are at least four sweeps
ASPECT = 1.6  # desired ratio of width to height
ROOMY = 14  # if more edges pass a layer, they are drawn closer together
DENSE = 0.5  # undirected graphs with a larger share of all pairs are drawn on a circle


@dataclass(frozen=True, eq=False)
class Layout:
    """Centers of the nodes, n by 2, y downward; and for each edge, in the given order, the points that it passes.

    Nodes in ``circular`` are on circles and have straight edges; all others are in layers.
    """

    positions: NDArray[np.float64]
    bends: tuple[NDArray[np.float64], ...]
    circular: frozenset[int]


def layered(n: int, directed: Iterable[Pair], undirected: Iterable[Pair] = ()) -> NDArray[np.float64]:
    """Positions of nodes 0..n-1, n by 2, at least 1 apart within a layer; layers are 1 apart, arrows point downward.

    >>> from causal_zigzag.figures.layout import layered
    >>> layered(3, [(0, 2), (1, 2)]).tolist()
    [[0.5, 0.5], [1.5, 0.5], [1.0, 1.5]]
    """
    return arrange(n, directed, undirected, gap=0.0).positions


def arrange(
    n: int,
    directed: Iterable[Pair],
    undirected: Iterable[Pair] = (),
    widths: Sequence[float] | None = None,
    gap: float = 0.5,
    height: float = 1.0,
) -> Layout:
    """The layout of nodes with these widths, at least ``gap`` apart within a layer; layers are ``height`` apart.

    Arrows point downward unless they are part of a cycle, which a CPDAG does not have. Connected components are placed
    next to each other. Bends are in the order of the directed, then the undirected edges.
    """
    arrows, lines = [(int(a), int(b)) for a, b in directed], [(int(a), int(b)) for a, b in undirected]
    edges = arrows + lines
    broad = np.ones(n) if widths is None else np.asarray(widths, dtype=np.float64)
    rank = _order(n, arrows, lines)
    down = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in edges]
    positions = np.zeros((n, 2))
    bends: list[NDArray[np.float64]] = [np.zeros((0, 2))] * len(edges)
    boxes = []
    circular: set[int] = set()
    for nodes in _connected(n, edges):
        inside = set(nodes)
        own = [e for e, (a, _) in enumerate(edges) if a in inside]
        dense = len(nodes) > 3 and 2 * len(own) > DENSE * len(nodes) * (len(nodes) - 1)
        if dense and not any(e < len(arrows) for e in own):
            circular.update(nodes)
            positions[nodes] = _circle(len(nodes), float(broad[nodes].max()) + gap, height)
        else:
            _draw_part(nodes, own, down, rank, broad, gap, height, positions, bends)
        boxes.append((nodes, own))
    _pack(boxes, positions, bends, broad, gap, height)
    for e, (edge, drawn) in enumerate(zip(edges, down, strict=True)):
        if edge != drawn:
            bends[e] = bends[e][::-1]
    return Layout(positions, tuple(bends), frozenset(circular))


def _order(n: int, arrows: Sequence[Pair], lines: Sequence[Pair]) -> list[int]:
    """The rank of each node in a total order: along arrows, and outward from the center of an undirected component.

    Nodes that reach each other by arrows and lines form a consecutive run. In a CPDAG the runs are its components,
    which contain no arrows; in other graphs an arrow of a cycle may oppose the order.
    """
    reach = np.eye(n, dtype=bool)
    for a, b in arrows:
        reach[a, b] = True
    for a, b in lines:
        reach[a, b] = reach[b, a] = True
    for _ in range(max(1, n).bit_length()):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    first = (reach & reach.T).argmax(axis=1) if n else np.zeros(0, dtype=int)
    above = reach.sum(axis=0)  # grows along arrows from one run to another
    inner = _inner_rank(n, arrows, lines, first)
    order = sorted(range(n), key=lambda v: (above[v], first[v], inner[v], v))
    rank = [0] * n
    for place, v in enumerate(order):
        rank[v] = place
    return rank


def _inner_rank(n: int, arrows: Sequence[Pair], lines: Sequence[Pair], run: NDArray[np.intp]) -> list[int]:
    """The order inside a run: along its arrows if it has any, otherwise outward by lines from its center."""
    neighbors: list[list[int]] = [[] for _ in range(n)]
    for a, b in lines:
        neighbors[a].append(b)
        neighbors[b].append(a)
    inside = [(a, b) for a, b in arrows if run[a] == run[b]]
    mixed = {int(run[a]) for a, _ in inside}
    inner = [0] * n
    for first in mixed:
        members = np.flatnonzero(run == first).tolist()
        for place, v in enumerate(_along(members, [(a, b) for a, b in inside if run[a] == first])):
            inner[v] = place
    done: set[int] = set()
    for v in range(n):
        if int(run[v]) not in mixed and v not in done:
            from_v = _distances(v, neighbors)
            done |= from_v.keys()
            reached = {u: _distances(u, neighbors) for u in from_v} if len(from_v) <= 60 else {v: from_v}
            middle = min(reached, key=lambda u: (max(reached[u].values()), -len(neighbors[u]), u))
            for u, distance in reached[middle].items():
                inner[u] = distance
    return inner


def _along(members: list[int], arrows: list[Pair]) -> list[int]:
    """An order that few arrows oppose, none without cycles: the greedy algorithm of Eades, Lin and Smyth."""
    outward: dict[int, set[int]] = {v: set() for v in members}
    inward: dict[int, set[int]] = {v: set() for v in members}
    for a, b in arrows:
        outward[a].add(b)
        inward[b].add(a)
    head: list[int] = []
    tail: list[int] = []
    while outward:
        v = next((u for u in outward if not outward[u]), None)
        into = tail
        if v is None:  # no sink: take a source or the node nearest to one
            v = max(outward, key=lambda u: (not inward[u], len(outward[u]) - len(inward[u])))
            into = head
        into.append(v)
        for u in outward.pop(v):
            inward[u].discard(v)
        for u in inward.pop(v):
            outward[u].discard(v)
    return head + tail[::-1]


def _distances(v: int, neighbors: Sequence[Sequence[int]]) -> dict[int, int]:
    distance, queue = {v: 0}, [v]
    for u in queue:
        for w in neighbors[u]:
            if w not in distance:
                distance[w] = distance[u] + 1
                queue.append(w)
    return distance


def _connected(n: int, edges: Sequence[Pair]) -> list[list[int]]:
    """The connected components, the largest first."""
    adjacent: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        adjacent[a].append(b)
        adjacent[b].append(a)
    parts, seen = [], set[int]()
    for v in range(n):
        if v not in seen:
            part = sorted(_distances(v, adjacent))
            seen.update(part)
            parts.append(part)
    return sorted(parts, key=lambda part: (-len(part), part))


def _circle(n: int, width: float, height: float) -> NDArray[np.float64]:
    """Positions on an ellipse: any two nodes are at least a width apart in x or a layer apart in y."""
    turn = 2 * np.pi * np.arange(n) / n
    unit = np.stack([np.sin(turn), -np.cos(turn)], axis=1)
    near = np.abs(unit[:, None] - unit[None]) + np.where(np.eye(n, dtype=bool)[:, :, None], 9.0, 0.0)
    # The smallest scale at which this holds for all pairs.
    scale = 1 / np.maximum(near[..., 0], near[..., 1]).min()
    stretch = np.array([width, max(height, 0.6 * width)])
    return np.asarray(unit * scale * stretch, dtype=np.float64)


def _draw_part(
    nodes: list[int],
    own: list[int],
    down: list[Pair],
    rank: list[int],
    broad: NDArray[np.float64],
    gap: float,
    height: float,
    positions: NDArray[np.float64],
    bends: list[NDArray[np.float64]],
) -> None:
    """Place one connected component. Its nodes are renumbered 0..m-1 by rank; bends have numbers from m."""
    nodes = sorted(nodes, key=lambda v: rank[v])
    number = {v: i for i, v in enumerate(nodes)}
    edges = [(number[down[e][0]], number[down[e][1]]) for e in own]
    layer = _layers(len(nodes), edges)
    segments, chains = [], []
    for a, b in edges:
        chain = [a]
        for between in range(layer[a] + 1, layer[b]):
            chain.append(len(layer))
            layer.append(between)
        chain.append(b)
        chains.append(chain)
        segments += list(pairwise(chain))
    up: list[list[int]] = [[] for _ in layer]
    below: list[list[int]] = [[] for _ in layer]
    for a, b in segments:
        below[a].append(b)
        up[b].append(a)
    rows = _uncross(layer, up, below)
    wide = np.concatenate([broad[nodes], np.zeros(len(layer) - len(nodes))])
    x = _straighten(rows, up, below, wide, gap, len(nodes))
    y = np.array(layer, dtype=np.float64) * height
    positions[nodes] = np.stack([x[: len(nodes)], y[: len(nodes)]], axis=1)
    for e, chain in zip(own, chains, strict=True):
        bends[e] = np.stack([x[chain[1:-1]], y[chain[1:-1]]], axis=1)


def _layers(n: int, edges: Sequence[Pair]) -> list[int]:
    """Layers of nodes that are numbered along the edges: below their parents, of limited size, with short edges."""
    most = max(3, math.ceil(1.4 * math.sqrt(n)))
    up: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        below[a].append(b)
        up[b].append(a)
    layer, taken = [0] * n, [0] * (2 * n + 1)
    for v in range(n):
        layer[v] = max((layer[u] + 1 for u in up[v]), default=0)
        while taken[layer[v]] >= most:
            layer[v] += 1
        taken[layer[v]] += 1
    for _ in range(4):
        for v in reversed(range(n)):
            low = max((layer[u] + 1 for u in up[v]), default=0)
            high = min((layer[u] - 1 for u in below[v]), default=layer[v])
            # The sum of the lengths is linear between these bounds, so it is smallest at one of them.
            best = high if len(below[v]) > len(up[v]) else low if len(below[v]) < len(up[v]) else layer[v]
            if best != layer[v] and taken[best] < most:
                taken[layer[v]] -= 1
                taken[best] += 1
                layer[v] = best
    used = sorted(set(layer))
    return [used.index(at) for at in layer]


def _uncross(layer: Sequence[int], up: list[list[int]], below: list[list[int]]) -> Layers:
    """Rows with few crossings: barycenters, downward and upward in turn; returns the best order that was found."""
    rows: Layers = [[] for _ in range(max(layer) + 1)]
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
    return max(4, min(SWEEPS, WORK // size))


def _swap_neighbors(rows: Layers, up: list[list[int]], below: list[list[int]]) -> None:
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


def _crossings(rows: Layers, below: list[list[int]]) -> int:
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
    rows: Layers, up: list[list[int]], below: list[list[int]], wide: NDArray[np.float64], gap: float, real: int
) -> NDArray[np.float64]:
    """The x of all nodes and bends: each row in turn is moved as near to its neighbors as its order allows."""
    x = np.zeros(len(wide))
    offsets = []
    crowd = max(sum(v >= real for v in row) for row in rows)
    near = gap * min(1.2, max(0.4, ROOMY / max(crowd, 1)))  # distance of a passing edge from the next node
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
    boxes: list[tuple[list[int], list[int]]],
    positions: NDArray[np.float64],
    bends: list[NDArray[np.float64]],
    broad: NDArray[np.float64],
    gap: float,
    height: float,
) -> None:
    """Place the components next to each other in rows, so that the whole is wider than high; single nodes last."""
    sizes = []
    for nodes, own in boxes:
        left, right = positions[nodes, 0] - broad[nodes] / 2, positions[nodes, 0] + broad[nodes] / 2
        xs = np.concatenate([left, right, *(bends[e][:, 0] for e in own)])
        corner = np.array([xs.min(), positions[nodes, 1].min() - height / 2])
        size = np.array([xs.max(), positions[nodes, 1].max() + height / 2]) - corner
        sizes.append((corner, size))
    area = sum(float((size[0] + gap) * size[1]) for _, size in sizes)
    across = max([math.sqrt(ASPECT * area), *(float(size[0]) for _, size in sizes)], default=0.0)
    x = y = tall = 0.0
    lone = sum(len(nodes) > 1 for nodes, _ in boxes)  # the first single node
    for i, ((nodes, own), (corner, size)) in enumerate(zip(boxes, sizes, strict=True)):
        if x and (i == lone or x + size[0] > across * (1 + 1e-9)):
            x, y, tall = 0.0, y + tall, 0.0
        shift = np.array([x, y]) - corner
        positions[nodes] += shift
        for e in own:
            bends[e] = bends[e] + shift
        x, tall = x + float(size[0]) + gap, max(tall, float(size[1]))
