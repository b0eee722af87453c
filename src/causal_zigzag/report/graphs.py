"""Pictures of single classes in a report, as SVG in frames that scroll."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.figures.scene import DrawnEdge, graph_edges
from causal_zigzag.figures.svg import SvgImage, graph_image
from causal_zigzag.report.markup import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from causal_zigzag.graphs.mpdag import ClassGraph


LEAST_SCALE, LARGEST_SCALE = 0.7, 1.4
TALLEST = 620  # points on the page, unless letters would become too small


def frame(image: SvgImage, label: str) -> str:
    """The image in a frame that scrolls, also by keyboard, where letters would otherwise become too small to read."""
    scale = min(LARGEST_SCALE, max(LEAST_SCALE, TALLEST / image.height))
    least, largest = image.width * LEAST_SCALE, image.width * scale
    return (
        f'<div class="canvas" tabindex="0" role="group" aria-label="{escape(label)}" '
        f'style="--least:{least:.0f}px;--largest:{largest:.0f}px">{image.text}</div>'
    )


def class_image(graph: ClassGraph, texts: Sequence[str], title: str) -> SvgImage:
    """One class; all its edges are certain within it."""
    return _image(graph, graph_edges(graph), texts, title)


def _image(graph: ClassGraph, edges: Iterable[DrawnEdge], texts: Sequence[str], title: str) -> SvgImage:
    named = dict(zip(graph.nodes, texts, strict=True))
    return graph_image(texts, [edge._replace(x=named[edge.x], y=named[edge.y]) for edge in edges], title)
