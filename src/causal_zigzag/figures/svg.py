"""Graphs as self-contained SVG, for light and dark pages and screen readers; any node label is safe.

SVG is written here, without Graphviz or a browser, so that a report is one offline page made without a binary.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from causal_zigzag.figures.label_text import FONT, printable
from causal_zigzag.figures.routes import BOX_HEIGHT
from causal_zigzag.figures.scene import CIRCLE_RADIUS, DrawnEdge, edge_style, graph_edges, scene
from causal_zigzag.graphs.marked_graph import MarkedGraph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.figures.routes import Box
    from causal_zigzag.figures.scene import Curve, Scene
    from causal_zigzag.graphs.mixed_graph import MixedGraph

MOST_DESCRIBED = 100
"""The largest number of edges in the description for screen readers."""

MOST_NODES, MOST_EDGES = 200, 600
"""Notebooks show larger graphs as text, since a picture would not be legible."""

# A page can set --czz-ink, --czz-paper, --czz-node and --czz-edge; a single SVG follows the color scheme of the system.
STYLE = """
.czz-graph { --ink: var(--czz-ink, #1b1f24); --paper: var(--czz-paper, #ffffff); --node: var(--czz-node, #e8f1f8);
  --edge: var(--czz-edge, #0b5c8f); font: 13px system-ui, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) { .czz-graph { --ink: var(--czz-ink, #eceff3); --paper: var(--czz-paper, #15191e);
  --node: var(--czz-node, #22313d); --edge: var(--czz-edge, #7cc4f0); } }
.czz-graph .paper { fill: var(--paper); }
.czz-graph .node rect { fill: var(--node); stroke: var(--edge); }
.czz-graph .node text { fill: var(--ink); text-anchor: middle; }
.czz-graph .edge path { fill: none; stroke: var(--edge); stroke-linecap: round; }
.czz-graph .line path { stroke-dasharray: 5 4; }
.czz-graph .edge polygon { fill: var(--edge); }
.czz-graph .edge circle { fill: var(--paper); stroke: var(--edge); stroke-width: 1.5px; }
"""


def graph_svg(nodes: Sequence[Hashable], edges: Iterable[DrawnEdge | tuple[object, ...]], title: str = "Graph") -> str:
    """The graph as the text of a self-contained SVG image.

    ``edges`` are ``DrawnEdge`` or plain tuples ``(x, y)``, ``(x, y, directed)``, ``(x, y, directed, weight)``, with
    nodes by their labels. Edges of larger weight, between 0 and 1, are wider and darker.

    >>> from causal_zigzag.figures.svg import graph_svg
    >>> text = graph_svg(["a", "b", "<c>"], [("a", "b"), ("b", "<c>", False, 0.5)], title="Three nodes")
    >>> text.startswith("<svg xmlns") and "&lt;c&gt;" in text
    True
    """
    return scene_svg(scene(nodes, [DrawnEdge(*edge) for edge in edges]), title)


def scene_svg(drawing: Scene, title: str) -> str:
    """The scene as the text of a self-contained SVG image."""
    described = _description(drawing)
    body = "".join([*map(_edge, drawing.curves), *map(_node, drawing.boxes)])
    size = f"{drawing.width:.0f}", f"{drawing.height:.0f}"
    # Images on one page must have different ids.
    key = "czz-" + hashlib.sha256((title + described + body).encode("utf-8", "replace")).hexdigest()[:12]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="czz-graph" role="img" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" style="max-width: 100%; height: auto" '
        f'aria-labelledby="{key}-title {key}-desc">'
        f'<title id="{key}-title">{_text(title)}</title><desc id="{key}-desc">{_text(described)}</desc>'
        f"<style>{STYLE}</style>"
        f'<rect class="paper" width="100%" height="100%" rx="6"/>{body}</svg>'
    )


def notebook_svg(g: MixedGraph | MarkedGraph) -> str | None:
    """The image of a graph for notebooks; None if the graph is too large.

    >>> import causal_zigzag as cz
    >>> from causal_zigzag.figures.svg import notebook_svg
    >>> notebook_svg(cz.CPDAG.complete(3)).count("<path")
    3
    """
    if len(g.nodes) > MOST_NODES or g.edge_count > MOST_EDGES:
        return None
    title = f"Graph of {len(g.nodes)} nodes, {g.edge_count} edges"
    if not isinstance(g, MarkedGraph):
        arrows, lines = len(g.directed_edges), len(g.undirected_edges)
        title = f"Graph of {len(g.nodes)} nodes, {arrows} directed and {lines} undirected edges"
    return graph_svg(g.nodes, graph_edges(g), title)


def _description(drawing: Scene) -> str:
    names = [curve.name + (f" ({printable(curve.edge.note)})" if curve.edge.note else "") for curve in drawing.curves]
    if len(names) > MOST_DESCRIBED:
        names[MOST_DESCRIBED:] = [f"and {len(names) - MOST_DESCRIBED} more"]
    return "Edges: " + "; ".join(names) if names else "There are no edges."


def _edge(curve: Curve) -> str:
    opacity, width = edge_style(curve.edge.weight, curve.edge.bold)
    first, *rest = _points(curve.points).split()
    note = f", {curve.edge.note}" if curve.edge.note else ""
    shapes = "".join(f'<polygon points="{_points(corners)}"/>' for corners in (curve.head, curve.tail, curve.mark)
                     if corners is not None)  # fmt: skip
    shapes += "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{CIRCLE_RADIUS:g}"/>' for x, y in curve.circles)
    return (
        f'<g class="edge {"arrow" if curve.edge.directed or curve.edge.word else "line"}" opacity="{opacity:.2f}">'
        f"<title>{_text(curve.name + note)}</title>"
        f'<path d="M{first} C{" ".join(rest)}" stroke-width="{width:.2f}"/>{shapes}</g>'
    )


def _points(points: NDArray[np.float64]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _node(box: Box) -> str:
    left, top = box.x - box.width / 2, box.y - BOX_HEIGHT / 2
    return (
        f'<g class="node"><title>{_text(box.label)}</title>'
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{BOX_HEIGHT:g}" rx="{BOX_HEIGHT / 2:g}"/>'
        f'<text x="{box.x:.1f}" y="{box.y + 0.35 * FONT:.1f}">{_text(box.shown)}</text></g>'
    )


def _text(text: str) -> str:
    return escape(printable(text))
