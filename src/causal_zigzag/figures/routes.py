"""Routes of edges: smooth paths between the boxes of two nodes that do not pass behind other boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BOX_HEIGHT = 26.0
NODE_GAP = 22.0  # between boxes of a layer
STEEPEST = 0.55  # largest dx/dy of an edge where it passes a layer
CLEARANCE = 9.0  # of an edge that passes a box
ARC_DEPTH = 30.0  # of the control points of an edge between two boxes of one row


class Box(NamedTuple):
    """A node: its center, its width, the label as shown and in full."""

    x: float
    y: float
    width: float
    shown: str
    label: str


def route(start: Box, end: Box, bends: NDArray[np.float64]) -> NDArray[np.float64]:
    """The path from border to border through the bends; straight if no other box can be in between."""
    way = abs(end.x - start.x) / max(abs(end.y - start.y), 1e-9)
    free = way * (BOX_HEIGHT / 2 + 1) < min(start.width, end.width) / 2 + 0.8 * NODE_GAP
    if free and not len(bends):
        first, last = _border(start, end), _border(end, start)
        return np.array([first, first + (last - first) / 3, last - (last - first) / 3, last])
    if start.y <= end.y:
        return _downward(start, end, bends)
    return _downward(end, start, bends[::-1])[::-1]


def route_around(start: Box, end: Box, boxes: Sequence[Box], depth: float = ARC_DEPTH) -> NDArray[np.float64]:
    """The path between two boxes that were placed without regard to it: through the nearest gap of each row between.

    Two boxes of one row are joined by an arc of this depth below the row.
    """
    if start.y > end.y:
        return route_around(end, start, boxes, depth)[::-1]
    if end.y - start.y < BOX_HEIGHT:
        first, last = (np.array([box.x, box.y + BOX_HEIGHT / 2 + 1]) for box in (start, end))
        down = np.array([0.0, max(first[1], last[1]) + depth])
        return np.array([first, first * [1, 0] + down, last * [1, 0] + down, last])
    bends, x, y = [], start.x, start.y
    for row in sorted({box.y for box in boxes if start.y + BOX_HEIGHT <= box.y <= end.y - BOX_HEIGHT}):
        if row - y < BOX_HEIGHT:
            continue  # part of the row before
        blocked = [
            (box.x - box.width / 2 - CLEARANCE, box.x + box.width / 2 + CLEARANCE)
            for box in boxes
            if abs(box.y - row) < BOX_HEIGHT
        ]
        wish = x + (end.x - x) * (row - y) / (end.y - y)
        gaps = [wish, *(side for span in blocked for side in span)]
        x = min((at for at in gaps if not any(a < at < b for a, b in blocked)), key=lambda at: abs(at - wish))
        y = row
        bends.append([x, y])
    return route(start, end, np.array(bends).reshape(-1, 2))


def _downward(start: Box, end: Box, bends: NDArray[np.float64]) -> NDArray[np.float64]:
    """A smooth path that moves sideways only between layers, so that it does not pass behind a box.

    Within a layer, half a box above and below its center, the path is a steep straight line; between two layers it is a
    cubic curve with the slopes of these lines at its ends. If all slopes agree, the whole path is straight.
    """
    middles = np.array([[start.x, start.y], *bends.tolist(), [end.x, end.y]])
    half = BOX_HEIGHT / 2 + 1.0
    ways = np.diff(middles, axis=0)
    slopes = ways[:, 0] / ways[:, 1]  # dx/dy
    at = np.concatenate([slopes[:1], (slopes[1:] + slopes[:-1]) / 2, slopes[-1:]])
    most = np.full(len(middles), STEEPEST)
    most[0], most[-1] = (0.36 * box.width / half for box in (start, end))  # inside the round corners
    at = most * np.tanh(at / most)  # a smooth bound, so that edges from one side do not end at one point
    step = np.stack([at * half, np.full(len(at), half)], axis=1)
    control = [middles[0] + step[0]]
    for k in range(len(ways)):
        leave, arrive = middles[k] + step[k], middles[k + 1] - step[k + 1]
        way = arrive - leave
        reach = way[1] * min(0.55, 1 / 3 + 0.05 * abs(way[0] / way[1] - (at[k] + at[k + 1]) / 2))
        control += [leave + step[k] * reach / half, arrive - step[k + 1] * reach / half, arrive]
        if k < len(ways) - 1:
            control += [arrive + 2 * step[k + 1] / 3, arrive + 4 * step[k + 1] / 3, arrive + 2 * step[k + 1]]
    return np.array(control)


def _border(box: Box, toward: Box) -> NDArray[np.float64]:
    """The point where the line from the center of a box toward another leaves the box, plus a small distance."""
    half = np.array([box.width / 2, BOX_HEIGHT / 2]) + 1.0
    way = np.array([toward.x - box.x, toward.y - box.y])
    scale = float((np.abs(way) / half).max())
    return np.asarray(np.array([box.x, box.y]) + way / max(scale, 1.0), dtype=np.float64)
