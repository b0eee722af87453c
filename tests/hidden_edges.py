"""Edges of a picture that pass behind a node, for tests of layouts and routes."""

import numpy as np

from causal_zigzag.figures.routes import BOX_HEIGHT
from causal_zigzag.figures.scene import Scene


def hidden(drawn: Scene) -> int:
    """The number of edges that pass through the box of a node that they do not join."""
    middles = np.array([[box.x, box.y] for box in drawn.boxes])
    half = np.array([[box.width / 2, BOX_HEIGHT / 2] for box in drawn.boxes])
    number = {box.label: i for i, box in enumerate(drawn.boxes)}
    count = 0
    for curve in drawn.curves:
        path = bezier(curve.points)
        inside = (np.abs(path[:, None] - middles[None]) < half[None]).all(axis=2).any(axis=0)
        inside[[number[str(curve.edge.x)], number[str(curve.edge.y)]]] = False
        count += bool(inside.any())
    return count


def bezier(points: np.ndarray) -> np.ndarray:
    t = np.linspace(0, 1, 21)[:, None]
    parts = []
    for k in range(0, len(points) - 1, 3):
        a, b, c, d = points[k : k + 4]
        parts.append((1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d)
    return np.concatenate(parts)
