"""A graph as a picture in points: boxes with labels, curves and arrowheads, for SVG and matplotlib alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.errors import GraphError
from causal_zigzag.labels import Labels
from causal_zigzag.layout import arrange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.edge_probabilities import EdgeProbabilities
    from causal_zigzag.graph import CPDAG

FONT = 13.0
BOX_HEIGHT = 26.0
BOX_PADDING = 10.0  # left and right of the label
GAP = 22.0  # between boxes of a layer
LAYER = 74.0  # between the middles of two layers
MARGIN = 12.0
ARROW_LENGTH, ARROW_WIDTH = 9.0, 8.0
STEEP = 0.55  # x for each y, at most, where an edge passes a layer
LONGEST_LABEL = 22  # letters of usual width


class DrawnEdge(NamedTuple):
    """An edge to draw between two nodes, by their labels: ``x -> y``, or ``x - y`` if it is not directed.

    ``weight`` is between 0 and 1 and makes the edge thin and pale or strong; ``note`` is told beside its name.

    >>> from causal_zigzag.drawing import DrawnEdge
    >>> DrawnEdge("a", "b", directed=False).weight
    1.0
    """

    x: Hashable
    y: Hashable
    directed: bool = True
    weight: float = 1.0
    note: str = ""


class Box(NamedTuple):
    """A node: its middle, its width, the label as it is shown and in full."""

    x: float
    y: float
    width: float
    shown: str
    label: str


class Curve(NamedTuple):
    """An edge: control points of joined cubic Bézier curves (3k + 1 by 2), and the arrowhead's corners or None."""

    edge: DrawnEdge
    name: str
    points: NDArray[np.float64]
    head: NDArray[np.float64] | None


@dataclass(frozen=True)
class Picture:
    """What to draw, in points; y grows downward."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]


def cpdag_edges(g: CPDAG) -> list[DrawnEdge]:
    """The edges of a class, all of full weight.

    >>> import causal_zigzag as cz
    >>> from causal_zigzag.drawing import cpdag_edges
    >>> [(edge.x, edge.y, edge.directed) for edge in cpdag_edges(cz.CPDAG.complete(["a", "b"]))]
    [('a', 'b', False)]
    """
    arrows = [DrawnEdge(x, y) for x, y in g.directed_edges]
    return arrows + [DrawnEdge(x, y, directed=False) for x, y in g.undirected_edges]


def consensus_edges(edges: EdgeProbabilities, least: float = 0.1) -> list[DrawnEdge]:
    """An edge for each pair that is adjacent with at least this probability, its weight; of the kind most probable.

    >>> import causal_zigzag as cz
    >>> from causal_zigzag.drawing import consensus_edges
    >>> posterior = cz.sample(cz.Uniform(["a", "b"]), jumps=1000, rng=1)
    >>> [edge.directed for edge in consensus_edges(posterior.edge_probabilities())]
    [False]
    """
    drawn = []
    for i, j in zip(*np.nonzero(np.triu(edges.adjacent, k=1) >= max(least, 1e-12)), strict=True):
        x, y = edges.nodes[i], edges.nodes[j]
        forward, backward, line = edges.directed[i, j], edges.directed[j, i], edges.undirected[i, j]
        weight = min(1.0, float(edges.adjacent[i, j]))
        note = f"adjacent {weight:.2f}: → {forward:.2f}, – {line:.2f}, ← {backward:.2f}"
        if line >= max(forward, backward):
            drawn.append(DrawnEdge(x, y, False, weight, note))
        elif forward >= backward:
            drawn.append(DrawnEdge(x, y, True, weight, note))
        else:
            note = f"adjacent {weight:.2f}: → {backward:.2f}, – {line:.2f}, ← {forward:.2f}"
            drawn.append(DrawnEdge(y, x, True, weight, note))
    return drawn


def picture(nodes: Sequence[Hashable], edges: Iterable[DrawnEdge]) -> Picture:
    """The picture of these nodes and edges, laid out in layers."""
    labels = Labels(nodes)
    drawn = sorted((_checked(edge, labels) for edge in edges), key=lambda edge: not edge.directed)
    pairs = [(labels.number(edge.x), labels.number(edge.y)) for edge in drawn]
    arrows = sum(edge.directed for edge in drawn)
    full = [printable(str(label)) for label in labels.names]
    shown = [shortened(text) for text in full]
    widths = [max(BOX_HEIGHT, text_width(text) + 2 * BOX_PADDING) for text in shown]
    layout = arrange(len(labels), pairs[:arrows], pairs[arrows:], widths, GAP, LAYER)
    at = layout.positions
    boxes = [Box(float(at[v, 0]), float(at[v, 1]), widths[v], shown[v], full[v]) for v in range(len(labels))]
    curves = []
    for edge, (a, b), bends in zip(drawn, pairs, layout.bends, strict=True):
        name = f"{full[a]} {'→' if edge.directed else '–'} {full[b]}"
        curves.append(_curve(edge, name, boxes[a], boxes[b], bends, a in layout.circular))
    return _framed(boxes, curves)


def _framed(boxes: list[Box], curves: list[Curve]) -> Picture:
    """The picture moved to where all of it is inside its frame."""
    half = np.array([[box.width / 2, BOX_HEIGHT / 2] for box in boxes]).reshape(-1, 2)
    middles = np.array([[box.x, box.y] for box in boxes]).reshape(-1, 2)
    ends = np.vstack([np.zeros((0, 2)), middles - half, middles + half, *(curve.points for curve in curves)])
    if not len(ends):
        return Picture(2 * MARGIN, 2 * MARGIN, (), ())
    shift = MARGIN - ends.min(axis=0)
    width, height = (ends.max(axis=0) + shift + MARGIN).tolist()
    moved = [box._replace(x=box.x + float(shift[0]), y=box.y + float(shift[1])) for box in boxes]
    drawn = [
        curve._replace(points=curve.points + shift, head=None if curve.head is None else curve.head + shift)
        for curve in curves
    ]
    return Picture(width, height, tuple(moved), tuple(drawn))


def _checked(edge: DrawnEdge, labels: Labels) -> DrawnEdge:
    edge = DrawnEdge(*edge)
    if labels.number(edge.x) == labels.number(edge.y):
        raise GraphError(f"an edge joins two nodes, but both ends of {tuple(edge)!r} are the same")
    if not 0 <= edge.weight <= 1:
        raise GraphError(f"the weight of an edge must be between 0 and 1, not {edge.weight!r}")
    return edge


def _curve(edge: DrawnEdge, name: str, start: Box, end: Box, bends: NDArray[np.float64], straight: bool) -> Curve:
    """From border to border through the bends, and short of the end by the length of the arrowhead if there is one."""
    if straight:
        first, last = _border(start, end), _border(end, start)
        points = np.array([first, first + (last - first) / 3, last - (last - first) / 3, last])
    elif start.y <= end.y:
        points = _downward(start, end, bends)
    else:
        points = _downward(end, start, bends[::-1])[::-1]
    head = None
    if edge.directed:
        tip, along = points[-1], points[-1] - points[-2]
        along = along / max(float(np.hypot(*along)), 1e-9)
        across = np.array([-along[1], along[0]]) * ARROW_WIDTH / 2
        base = tip - along * ARROW_LENGTH
        head = np.array([tip, base + across, base - across])
        back = along * (ARROW_LENGTH - 1)  # the line ends inside its head
        points = np.vstack([points[:-2], points[-2:] - back])
    return Curve(edge, name, points, head)


def _downward(start: Box, end: Box, bends: NDArray[np.float64]) -> NDArray[np.float64]:
    """A smooth way that goes sideways only between the layers, so that it hides behind no box it passes.

    It passes a layer, half a box above and below its middle, in a straight line that is steep; between two layers it
    is a cubic curve with these slopes at its ends. Where the slopes agree, the whole is straight.
    """
    middles = np.array([[start.x, start.y], *bends.tolist(), [end.x, end.y]])
    half = BOX_HEIGHT / 2 + 1.0
    ways = np.diff(middles, axis=0)
    slopes = ways[:, 0] / ways[:, 1]  # x for each y
    at = np.concatenate([slopes[:1], (slopes[1:] + slopes[:-1]) / 2, slopes[-1:]])
    most = np.full(len(middles), STEEP)
    most[0], most[-1] = (0.36 * box.width / half for box in (start, end))  # inside the round corners
    at = most * np.tanh(at / most)  # a soft bound, so that edges from one side do not all arrive at one point
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
    """Where the way from the middle of a box toward another leaves the box, with a little air."""
    half = np.array([box.width / 2, BOX_HEIGHT / 2]) + 1.0
    way = np.array([toward.x - box.x, toward.y - box.y])
    scale = float((np.abs(way) / half).max())
    return np.asarray(np.array([box.x, box.y]) + way / max(scale, 1.0), dtype=np.float64)


def printable(text: str) -> str:
    """The text without what no XML or font can show: control characters, halves of characters, changes of direction."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _unprintable(c) else c for c in " ".join(text.split())) or " "


def _unprintable(c: str) -> bool:
    return (
        unicodedata.category(c) in ("Cc", "Cs", "Cn") or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )


def shortened(text: str, longest: float = LONGEST_LABEL) -> str:
    """A long text with its middle left out: names in a table often differ at their ends."""
    most = longest * FONT * 0.6
    if text_width(text) <= most:
        return text
    keep = len(text)
    while keep > 2 and text_width(text[: (keep + 1) // 2] + "…" + text[len(text) - keep // 2 :]) > most:
        keep -= max(1, keep // 8)
    return text[: (keep + 1) // 2] + "…" + text[len(text) - keep // 2 :]


def text_width(text: str) -> float:
    """How wide a text is in a usual sans-serif font, rather too wide than too narrow."""
    return FONT * sum(_letter_width(c) for c in text)


def _letter_width(c: str) -> float:
    if unicodedata.east_asian_width(c) in "WF":
        return 1.05
    if unicodedata.combining(c):
        return 0.0
    if c in "ijl.,:;|!'()[] ft":
        return 0.4
    if c in "mwMW@%—…":
        return 0.98
    return 0.7 if c.isupper() else 0.62
