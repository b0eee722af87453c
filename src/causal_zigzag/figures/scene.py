"""Scenes: a graph as boxes with labels, curves and arrowheads in points, which every backend draws as it is."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag.figures.label_text import printable, shortened, text_width
from causal_zigzag.figures.layout import arrange
from causal_zigzag.figures.routes import ARC_DEPTH, BOX_HEIGHT, NODE_GAP, Box, route, route_around
from causal_zigzag.graphs.labels import Labels, distinct_texts
from causal_zigzag.graphs.marked_graph import MarkedGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.mixed_graph import MixedGraph

# Sizes in points.
LABEL_PADDING = 10.0  # left and right of a label in its box
LAYER_DISTANCE = 60.0  # between the middles of two layers
COLUMN_GAP = 90.0  # between the boxes of two columns of a grid
SCENE_MARGIN = 12.0
ARROW_LENGTH, ARROW_WIDTH = 9.0, 8.0
CIRCLE_RADIUS = 3.0
SYMBOLS = {"-->": "→", "<->": "↔", "o->": "o→", "o-o": "o–o"}  # of edges of a MAG or PAG, in names
MARK_SIZE = 4.5  # from the middle to a corner of the mark of an arrow that comes from knowledge
# The opacity and the width of an edge are linear in its weight: at weight 0, and the difference to weight 1.
EDGE_OPACITY, EDGE_WIDTH = (0.2, 0.8), (0.6, 1.5)
BOLD = 2.0  # times as wide


class DrawnEdge(NamedTuple):
    """An edge to draw between two nodes, by their labels: ``x -> y``, or ``x - y`` if it is not directed.

    Undirected edges are dashed. An edge of a MAG or PAG has its ``word``, such as ``o->``; it is drawn with these
    marks and never dashed. ``weight`` is between 0 and 1; edges of larger weight are wider and darker, and those that
    are ``bold`` twice as wide. ``note`` is added to the name of the edge in tooltips and descriptions. An edge with
    ``known`` carries a mark in its middle. ``sign`` is "+" or "−" if the sign of its strength is clear, "±" if it is
    not, and empty if it is not asked for.

    >>> from causal_zigzag.figures.scene import DrawnEdge
    >>> DrawnEdge("a", "b", directed=False).weight
    1.0
    """

    x: Hashable
    y: Hashable
    directed: bool = True
    weight: float = 1.0
    note: str = ""
    known: bool = False
    sign: str = ""
    word: str = ""
    bold: bool = False


def edge_style(weight: float, bold: bool = False) -> tuple[float, float]:
    """The opacity and the width in points of an edge of this weight."""
    width = EDGE_WIDTH[0] + EDGE_WIDTH[1] * weight
    return EDGE_OPACITY[0] + EDGE_OPACITY[1] * weight, width * BOLD if bold else width


class Curve(NamedTuple):
    """An edge: control points of joined cubic Bézier curves (3k + 1 by 2), corners of arrowheads and of its mark.

    ``head`` is the arrowhead at its end, ``tail`` one at its start; ``circles`` has the centers of circles.
    """

    edge: DrawnEdge
    name: str
    points: NDArray[np.float64]
    head: NDArray[np.float64] | None
    mark: NDArray[np.float64] | None
    tail: NDArray[np.float64] | None = None
    circles: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Scene:
    """Boxes and curves in points; y grows downward."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]


def graph_edges(g: MixedGraph | MarkedGraph) -> list[DrawnEdge]:
    """The edges of a graph, all of weight 1.

    >>> import causal_zigzag as cz
    >>> from causal_zigzag.figures.scene import graph_edges
    >>> [(edge.x, edge.y, edge.directed) for edge in graph_edges(cz.CPDAG.complete(["a", "b"]))]
    [('a', 'b', False)]
    """
    if isinstance(g, MarkedGraph):
        return [DrawnEdge(x, y, directed=word in ("-->", "o->"), word=word) for x, word, y in g.edges]
    arrows = [DrawnEdge(x, y) for x, y in g.directed_edges]
    return arrows + [DrawnEdge(x, y, directed=False) for x, y in g.undirected_edges]


def scene(nodes: Sequence[Hashable], edges: Iterable[DrawnEdge], **placing: Any) -> Scene:
    """The scene of these nodes and edges, laid out in layers; ``placing`` as in ``scenes``."""
    return scenes(nodes, [edges], **placing)[0]


def scenes(
    nodes: Sequence[Hashable],
    graphs: Iterable[Iterable[DrawnEdge]],
    laid_out: int | None = None,
    order: Sequence[float] | None = None,
    tiers: Sequence[int] | None = None,
    grid: Sequence[tuple[int, int]] | None = None,
) -> list[Scene]:
    """Scenes of several graphs with these nodes at the same positions, so that the graphs can be compared.

    The layout is that of all edges of the first ``laid_out`` graphs together, each as in the first graph
    that has it; the other edges are routed around the nodes. ``order`` and ``tiers`` are those of ``arrange``. With a
    ``grid``, the column and the row of each node, the nodes are there, and all edges are routed around them.
    """
    labels = Labels(nodes)
    full = [printable(text) for text in distinct_texts(labels.names)]
    drawn = [[*edges] for edges in graphs]
    numbered = [[(labels.number(edge.x), labels.number(edge.y), edge.directed) for edge in edges] for edges in drawn]
    boxes, paths = _placed(full, numbered[:laid_out], order, tiers) if grid is None else _in_grid(full, numbered, grid)
    for a, b, _ in (edge for pairs in numbered[len(numbered[:laid_out]) :] for edge in pairs):
        if (a, b) not in paths and (b, a) not in paths:
            paths[a, b] = route_around(boxes[a], boxes[b], boxes)
    shift, width, height = _frame(boxes, paths)
    boxes = [box._replace(x=box.x + float(shift[0]), y=box.y + float(shift[1])) for box in boxes]
    found = []
    for edges, pairs in zip(drawn, numbered, strict=True):
        curves = []
        for edge, (a, b, directed) in sorted(zip(edges, pairs, strict=True), key=lambda one: not one[0].directed):
            path = paths[a, b] if (a, b) in paths else paths[b, a][::-1]
            symbol = SYMBOLS[edge.word] if edge.word else "→" if directed else "–"
            name = f"{full[a]} {symbol} {full[b]}"
            curves.append(_curve(edge, name, path + shift))
        found.append(Scene(width, height, tuple(boxes), tuple(curves)))
    return found


def _placed(
    labels: list[str],
    graphs: list[list[tuple[int, int, bool]]],
    order: Sequence[float] | None,
    tiers: Sequence[int] | None,
) -> tuple[list[Box], dict[tuple[int, int], NDArray[np.float64]]]:
    """The boxes of the nodes and the paths of the edges of all graphs."""
    seen: dict[tuple[int, int], tuple[int, int, bool]] = {}
    for a, b, directed in (edge for graph in graphs for edge in graph):
        seen.setdefault((min(a, b), max(a, b)), (a, b, directed))
    arrows, lines = ([(a, b) for a, b, directed in seen.values() if directed is wanted] for wanted in (True, False))
    shown, widths = _shown(labels)
    layout = arrange(len(labels), arrows, lines, widths, NODE_GAP, LAYER_DISTANCE, order, tiers)
    at = layout.positions
    boxes = [Box(float(at[v, 0]), float(at[v, 1]), widths[v], shown[v], labels[v]) for v in range(len(labels))]
    paths = {
        (a, b): route(boxes[a], boxes[b], bends) for (a, b), bends in zip(arrows + lines, layout.bends, strict=True)
    }
    return boxes, paths


def _in_grid(
    labels: list[str], graphs: list[list[tuple[int, int, bool]]], grid: Sequence[tuple[int, int]]
) -> tuple[list[Box], dict[tuple[int, int], NDArray[np.float64]]]:
    """The same in a grid of boxes of one width. Routes lead downward, so they are found with x and y exchanged."""
    shown, widths = _shown(labels)
    widest = max(widths, default=BOX_HEIGHT)
    stretch = widest / BOX_HEIGHT
    across, down = (widest + COLUMN_GAP) / stretch, BOX_HEIGHT + NODE_GAP
    turned = [Box(row * down, column * across, BOX_HEIGHT, "", "") for column, row in grid]
    paths: dict[tuple[int, int], NDArray[np.float64]] = {}
    for a, b, _ in (edge for graph in graphs for edge in graph):
        if (b, a) not in paths:
            depth = ARC_DEPTH * abs(grid[a][1] - grid[b][1]) / stretch  # so that arcs have different depths
            paths[a, b] = route_around(turned[a], turned[b], turned, depth)[:, ::-1] * [stretch, 1.0]
    boxes = [Box(at.y * stretch, at.x, widest, *texts) for at, *texts in zip(turned, shown, labels, strict=True)]
    return boxes, paths


def _shown(labels: list[str]) -> tuple[list[str], list[float]]:
    """The labels as shown, and the widths of their boxes."""
    shown = [shortened(text) for text in labels]
    return shown, [max(BOX_HEIGHT, text_width(text) + 2 * LABEL_PADDING) for text in shown]


def _frame(
    boxes: list[Box], paths: dict[tuple[int, int], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], float, float]:
    """The shift that moves everything into a frame at the origin, and the size of the frame."""
    half = np.array([[box.width / 2, BOX_HEIGHT / 2] for box in boxes]).reshape(-1, 2)
    middles = np.array([[box.x, box.y] for box in boxes]).reshape(-1, 2)
    ends = np.vstack([middles - half, middles + half, *paths.values()])
    if not len(ends):
        return np.zeros(2), 2 * SCENE_MARGIN, 2 * SCENE_MARGIN
    shift = SCENE_MARGIN - ends.min(axis=0)
    width, height = (ends.max(axis=0) + shift + SCENE_MARGIN).tolist()
    return shift, width, height


def _curve(edge: DrawnEdge, name: str, path: NDArray[np.float64]) -> Curve:
    """The path, shortened by the arrowheads and circles at its ends."""
    mark = _middle(path) + MARK_SIZE * np.array([[0, -1], [1, 0], [0, 1], [-1, 0]]) if edge.known else None
    path, head, at_end = _ended(path, edge.word[-1:] or ("-", ">")[edge.directed])
    back, tail, at_start = _ended(path[::-1], edge.word[:1].replace("<", ">"))
    return Curve(edge, name, back[::-1], head, mark, tail, (*at_start, *at_end))


def _ended(
    path: NDArray[np.float64], end: str
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, list[tuple[float, float]]]:
    """The path, shortened by this mark at its end; the corners of an arrowhead, the center of a circle."""
    if end not in (">", "o"):
        return path, None, []
    tip, along = path[-1], path[-1] - path[-2]
    along = along / max(float(np.hypot(*along)), 1e-9)
    # A line ends inside its arrowhead, and at the rim of its circle.
    back = along * (ARROW_LENGTH - 1 if end == ">" else 2 * CIRCLE_RADIUS)
    shortened_path = np.vstack([path[:-2], path[-2:] - back])
    if end == "o":
        x, y = (tip - along * CIRCLE_RADIUS).tolist()
        return shortened_path, None, [(x, y)]
    across = np.array([-along[1], along[0]]) * ARROW_WIDTH / 2
    base = tip - along * ARROW_LENGTH
    return shortened_path, np.array([tip, base + across, base - across]), []


def _middle(path: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point in the middle of the middle part of a path."""
    first = 3 * ((len(path) - 1) // 6)
    return np.asarray(np.array([1, 3, 3, 1]) / 8 @ path[first : first + 4], dtype=np.float64)
