"""A graph as a picture: boxes with labels, curves and arrowheads in points, for SVG and matplotlib."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.errors import GraphError
from causal_zigzag.figures.layout import arrange
from causal_zigzag.graphs.labels import Labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.graphs.mixed_graph import MixedGraph

FONT = 13.0
BOX_HEIGHT = 26.0
BOX_PADDING = 10.0  # left and right of the label
GAP = 22.0  # between boxes of a layer
LAYER = 74.0  # between the middles of two layers
MARGIN = 12.0
ARROW_LENGTH, ARROW_WIDTH = 9.0, 8.0
STEEP = 0.55  # largest dx/dy of an edge where it passes a layer
LONGEST_LABEL = 26  # letters of average width


class DrawnEdge(NamedTuple):
    """An edge to draw between two nodes, by their labels: ``x -> y``, or ``x - y`` if it is not directed.

    ``weight`` is between 0 and 1; edges of larger weight are wider and darker. ``note`` is added to the name of the
    edge in tooltips and descriptions.

    >>> from causal_zigzag.figures.graph_picture import DrawnEdge
    >>> DrawnEdge("a", "b", directed=False).weight
    1.0
    """

    x: Hashable
    y: Hashable
    directed: bool = True
    weight: float = 1.0
    note: str = ""


class Box(NamedTuple):
    """A node: its center, its width, the label as shown and in full."""

    x: float
    y: float
    width: float
    shown: str
    label: str


class Curve(NamedTuple):
    """An edge: control points of joined cubic Bézier curves (3k + 1 by 2), and the corners of its arrowhead or None."""

    edge: DrawnEdge
    name: str
    points: NDArray[np.float64]
    head: NDArray[np.float64] | None


@dataclass(frozen=True)
class Picture:
    """Boxes and curves in points; y grows downward."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]


def graph_edges(g: MixedGraph) -> list[DrawnEdge]:
    """The edges of a graph, all of weight 1.

    >>> import causal_zigzag as cz
    >>> from causal_zigzag.figures.graph_picture import graph_edges
    >>> [(edge.x, edge.y, edge.directed) for edge in graph_edges(cz.CPDAG.complete(["a", "b"]))]
    [('a', 'b', False)]
    """
    arrows = [DrawnEdge(x, y) for x, y in g.directed_edges]
    return arrows + [DrawnEdge(x, y, directed=False) for x, y in g.undirected_edges]


def weighted_edges(
    g: MixedGraph, edges: EdgeProbabilities, strengths: NDArray[np.float64] | None = None
) -> list[DrawnEdge]:
    """The edges of a graph such as the consensus, each with the probability that its pair is adjacent as its weight.

    ``strengths``, n by n, are used as weights instead if they are given.

    The notes give the probabilities of all three kinds of edge; an arrow alone would suggest that its direction has
    the probability of the adjacency.

    >>> import causal_zigzag as cz
    >>> from causal_zigzag.figures.graph_picture import weighted_edges
    >>> posterior = cz.exact_posterior(cz.Uniform(["a", "b"]))
    >>> [edge.note for edge in weighted_edges(posterior.consensus(), posterior.edge_probabilities())]
    ['joined 0.50: → 0.00, ← 0.00, open 0.50']
    """
    number = {v: i for i, v in enumerate(edges.nodes)}
    drawn = []
    for edge in graph_edges(g):
        i, j = number[edge.x], number[edge.y]
        joined = min(1.0, float(edges.adjacent[i, j]))
        ways = f"→ {edges.directed[i, j]:.2f}, ← {edges.directed[j, i]:.2f}, open {edges.undirected[i, j]:.2f}"
        weight = joined if strengths is None else float(np.clip(np.nan_to_num(strengths[i, j]), 0, 1))
        drawn.append(edge._replace(weight=weight, note=f"joined {joined:.2f}: {ways}"))
    return drawn


def picture(nodes: Sequence[Hashable], edges: Iterable[DrawnEdge]) -> Picture:
    """The picture of these nodes and edges, laid out in layers."""
    return pictures(nodes, [edges])[0]


def pictures(nodes: Sequence[Hashable], graphs: Iterable[Iterable[DrawnEdge]]) -> list[Picture]:
    """Pictures of several graphs with these nodes at the same positions, so that the graphs can be compared.

    The layout is that of all edges together, each of its most frequent kind.
    """
    labels = Labels(nodes)
    full = [printable(str(label)) for label in labels.names]
    drawn = [[_checked(edge, labels) for edge in edges] for edges in graphs]
    numbered = [[(labels.number(edge.x), labels.number(edge.y), edge.directed) for edge in edges] for edges in drawn]
    boxes, paths = _placed(full, numbered)
    shift, width, height = _frame(boxes, paths)
    boxes = [box._replace(x=box.x + float(shift[0]), y=box.y + float(shift[1])) for box in boxes]
    found = []
    for edges, pairs in zip(drawn, numbered, strict=True):
        curves = []
        for edge, (a, b, directed) in sorted(zip(edges, pairs, strict=True), key=lambda one: not one[0].directed):
            path = paths[a, b] if (a, b) in paths else paths[b, a][::-1]
            name = f"{full[a]} {'→' if directed else '–'} {full[b]}"
            curves.append(_curve(edge, name, path + shift))
        found.append(Picture(width, height, tuple(boxes), tuple(curves)))
    return found


def _placed(
    labels: list[str], graphs: list[list[tuple[int, int, bool]]]
) -> tuple[list[Box], dict[tuple[int, int], NDArray[np.float64]]]:
    """The boxes of the nodes and the paths of the edges of all graphs."""
    seen: dict[tuple[int, int], Counter[tuple[int, int, bool]]] = {}
    for a, b, directed in (edge for graph in graphs for edge in graph):
        kind = (a, b, True) if directed else (min(a, b), max(a, b), False)
        seen.setdefault((min(a, b), max(a, b)), Counter())[kind] += 1
    kinds = [kind.most_common(1)[0][0] for kind in seen.values()]
    arrows, lines = ([(a, b) for a, b, directed in kinds if directed is wanted] for wanted in (True, False))
    shown = [shortened(text) for text in labels]
    widths = [max(BOX_HEIGHT, text_width(text) + 2 * BOX_PADDING) for text in shown]
    layout = arrange(len(labels), arrows, lines, widths, GAP, LAYER)
    at = layout.positions
    boxes = [Box(float(at[v, 0]), float(at[v, 1]), widths[v], shown[v], labels[v]) for v in range(len(labels))]
    paths = {
        (a, b): _path(boxes[a], boxes[b], bends, a in layout.circular)
        for (a, b), bends in zip(arrows + lines, layout.bends, strict=True)
    }
    return boxes, paths


def _frame(
    boxes: list[Box], paths: dict[tuple[int, int], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], float, float]:
    """The shift that moves everything into a frame at the origin, and the size of the frame."""
    half = np.array([[box.width / 2, BOX_HEIGHT / 2] for box in boxes]).reshape(-1, 2)
    middles = np.array([[box.x, box.y] for box in boxes]).reshape(-1, 2)
    ends = np.vstack([middles - half, middles + half, *paths.values()])
    if not len(ends):
        return np.zeros(2), 2 * MARGIN, 2 * MARGIN
    shift = MARGIN - ends.min(axis=0)
    width, height = (ends.max(axis=0) + shift + MARGIN).tolist()
    return shift, width, height


def _checked(edge: DrawnEdge, labels: Labels) -> DrawnEdge:
    edge = DrawnEdge(*edge)
    if labels.number(edge.x) == labels.number(edge.y):
        raise GraphError(f"an edge joins two nodes, but both ends of {tuple(edge)!r} are the same")
    if not 0 <= edge.weight <= 1:
        raise GraphError(f"the weight of an edge must be between 0 and 1, not {edge.weight!r}")
    return edge


def _curve(edge: DrawnEdge, name: str, path: NDArray[np.float64]) -> Curve:
    """The path, shortened by the arrowhead if there is one."""
    if not edge.directed:
        return Curve(edge, name, path, None)
    tip, along = path[-1], path[-1] - path[-2]
    along = along / max(float(np.hypot(*along)), 1e-9)
    across = np.array([-along[1], along[0]]) * ARROW_WIDTH / 2
    base = tip - along * ARROW_LENGTH
    back = along * (ARROW_LENGTH - 1)  # the line ends inside the arrowhead
    return Curve(edge, name, np.vstack([path[:-2], path[-2:] - back]), np.array([tip, base + across, base - across]))


def _path(start: Box, end: Box, bends: NDArray[np.float64], straight: bool) -> NDArray[np.float64]:
    """The path from border to border through the bends; straight if no other box can be in between."""
    way = abs(end.x - start.x) / max(abs(end.y - start.y), 1e-9)
    free = way * (BOX_HEIGHT / 2 + 1) < min(start.width, end.width) / 2 + 0.8 * GAP
    if straight or (free and not len(bends)):
        first, last = _border(start, end), _border(end, start)
        return np.array([first, first + (last - first) / 3, last - (last - first) / 3, last])
    if start.y <= end.y:
        return _downward(start, end, bends)
    return _downward(end, start, bends[::-1])[::-1]


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
    most = np.full(len(middles), STEEP)
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


def printable(text: str) -> str:
    """The text with unprintable characters replaced: controls, lone surrogates and changes of writing direction."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _unprintable(c) else c for c in " ".join(text.split())) or " "


def _unprintable(c: str) -> bool:
    turns = "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"
    return turns or unicodedata.category(c) in ("Cc", "Cs", "Cn")


def shortened(text: str, longest: float = LONGEST_LABEL) -> str:
    """A long text without its middle; names in a table often differ at their ends."""
    most = longest * FONT * 0.6
    if text_width(text) <= most:
        return text
    keep = len(text)
    while keep > 2 and text_width(text[: (keep + 1) // 2] + "…" + text[len(text) - keep // 2 :]) > most:
        keep -= max(1, keep // 8)
    return text[: (keep + 1) // 2] + "…" + text[len(text) - keep // 2 :]


def text_width(text: str) -> float:
    """An upper estimate of the width of a text in a usual sans-serif font."""
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
