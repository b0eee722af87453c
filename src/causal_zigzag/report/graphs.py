"""The graphs of a report: the edges to believe, and single classes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag.figures.svg import graph_svg
from causal_zigzag.report.markup import escape, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.answers.likeliest_edges import Belief
    from causal_zigzag.graphs.cpdag import CPDAG


BROAD = 620  # points, at the least legible scale: wider ones get a row of the page for themselves
LEAST_SCALE, LARGEST_SCALE = 0.7, 1.4
TALLEST = 620  # points on the page, unless that makes letters too small


class Drawing(NamedTuple):
    """A graph as SVG, and its size by nature."""

    svg: str
    width: float
    height: float

    @property
    def is_broad(self) -> bool:
        """Whether half a page is too narrow for it."""
        return self.width * LEAST_SCALE > BROAD

    def html(self, label: str) -> str:
        """The image in a frame that scrolls, by keyboard too, where letters would become too small to read."""
        scale = min(LARGEST_SCALE, max(LEAST_SCALE, TALLEST / self.height))
        least, largest = self.width * LEAST_SCALE, self.width * scale
        return (
            f'<div class="canvas" tabindex="0" role="group" aria-label="{escape(label)}" '
            f'style="--least:{least:.0f}px;--largest:{largest:.0f}px">{self.svg}</div>'
        )


def _drawing(svg: str) -> Drawing:
    size = re.search(r'width="(\d+)" height="(\d+)"', svg)
    assert size is not None
    return Drawing(svg, float(size[1]), float(size[2]))


def belief_drawing(drawn: Sequence[Belief], texts: Sequence[str]) -> Drawing:
    """The likeliest edges, the stronger the more probable."""
    edges = [
        (
            texts[b.i],
            texts[b.j],
            b.mark == "->",
            min(1.0, b.adjacent),
            f"joined with probability {probability(b.adjacent)}",
        )
        for b in drawn
    ]
    return _drawing(graph_svg(texts, edges, title="Consensus graph"))


def class_drawing(graph: CPDAG, texts: Sequence[str], title: str) -> Drawing:
    """One class; all its edges are certain within it."""
    named = dict(zip(graph.nodes, texts, strict=True))
    edges = [(named[x], named[y], True) for x, y in graph.directed_edges]
    edges += [(named[x], named[y], False) for x, y in graph.undirected_edges]
    return _drawing(graph_svg(texts, edges, title=title))
