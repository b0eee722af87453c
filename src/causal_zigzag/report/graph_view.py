"""The interactive graph of a report: what ``graph.js`` needs to draw it, the controls, and a picture without scripts.

A threshold of the slider shows ``posterior.consensus(threshold)``, which is computed here for every position, so that
an arrowhead has one definition in the whole package.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.settled_directions import likeliest_edges
from causal_zigzag.figures.label_text import shortened
from causal_zigzag.figures.routes import BOX_HEIGHT
from causal_zigzag.figures.scene import EDGE_OPACITY, EDGE_WIDTH, DrawnEdge, graph_edges, scene, weighted_edges
from causal_zigzag.figures.svg import graph_image
from causal_zigzag.posterior.chain_agreement import edge_strengths
from causal_zigzag.report.markup import escape
from causal_zigzag.support.wording import class_probability, probability

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from causal_zigzag.figures.scene import Scene
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.posterior.posterior import Posterior

THRESHOLDS = (*(k / 20 for k in range(1, 20)), 0.99)
START = THRESHOLDS.index(CONSENSUS_THRESHOLD)
LARGE_GRAPH = 60  # variables; larger graphs open on one variable
DENSE_GRAPH = 3.0, 90  # edges per variable, and edges; denser graphs also do
MOST_PLACED = 300  # edges that the layout takes into account; it is slow with more
MOST_EDGES = 3000
CLASSES = 6
BROAD_PICTURE = 520  # points; wider pictures get the full width of the page
LEAST_SCALE, LARGEST_SCALE, TALLEST_CARD = 0.7, 1.4, 620  # of pictures of classes; points
LONGEST_CHOICE = 40  # letters of a name in a list of choices

Marks = dict[tuple[int, int], str]
"""The mark of each pair (i, j) with i < j: ">" is i -> j, "<" is j -> i and "-" is i - j."""


class GraphView(NamedTuple):
    """The HTML of the graph, and whether it needs the full width of the page."""

    html: str
    broad: bool


def graph_view(posterior: Posterior, texts: Sequence[str], caption: str) -> GraphView:
    """The graph with its controls; ``texts`` are the names of the variables."""
    consensus = posterior.consensus()
    drawn = weighted_edges(consensus, posterior.edge_probabilities(), edge_strengths(posterior))
    named = dict(zip(consensus.nodes, texts, strict=True))
    drawn = [edge._replace(x=named[edge.x], y=named[edge.y]) for edge in drawn]
    large = is_large(consensus)
    placed = sorted(drawn, key=lambda edge: -edge.weight)[:MOST_PLACED] if large else drawn
    laid_out = scene(texts, placed)
    data = _data(posterior, texts, laid_out, large)
    fallback = graph_image(texts, placed, "Consensus graph").text
    label = f"Consensus graph of {len(texts)} variables"
    html = (
        f'<div id="graph" data-graph="{escape(json.dumps(data, allow_nan=False, separators=(",", ":")))}">'
        f"{_controls(posterior, texts)}"
        f'<div id="graph-stage" class="stage" tabindex="0" role="group" aria-label="{label}">{fallback}</div>'
        '<p id="graph-detail" class="note" role="status" aria-live="polite"></p>'
        f"<figcaption>{caption}</figcaption></div>"
    )
    return GraphView(html, laid_out.width > BROAD_PICTURE or large)


def class_image(graph: ClassGraph, texts: Sequence[str], title: str) -> str:
    """One class in a frame that scrolls, also by keyboard, where letters would otherwise become too small to read."""
    named = dict(zip(graph.nodes, texts, strict=True))
    image = graph_image(texts, [e._replace(x=named[e.x], y=named[e.y]) for e in graph_edges(graph)], title)
    largest = image.width * min(LARGEST_SCALE, max(LEAST_SCALE, TALLEST_CARD / image.height))
    return (
        f'<div class="canvas" tabindex="0" role="group" aria-label="{title}" '
        f'style="--least:{image.width * LEAST_SCALE:.0f}px;--largest:{largest:.0f}px">{image.text}</div>'
    )


def is_large(graph: ClassGraph) -> bool:
    """Whether a picture of the whole graph would not be legible."""
    return len(graph.nodes) >= LARGE_GRAPH or graph.edge_count > max(DENSE_GRAPH[1], DENSE_GRAPH[0] * len(graph.nodes))


def differences(graph: ClassGraph, consensus: ClassGraph, texts: Sequence[str]) -> list[str]:
    """The edges of a class that are not in the consensus (+), those that it lacks (−), and those of another kind."""
    now, then = _marks(graph), _marks(consensus)

    def edge(pair: tuple[int, int], mark: str) -> str:
        i, j = pair if mark != "<" else pair[::-1]
        return f"{texts[i]} {'–' if mark == '-' else '→'} {texts[j]}"

    found = []
    for pair in sorted({*now, *then}):
        if pair not in then:
            found.append(f"+ {edge(pair, now[pair])}")
        elif pair not in now:
            found.append(f"− {edge(pair, then[pair])}")
        elif now[pair] != then[pair]:
            found.append(f"{edge(pair, now[pair])} instead of {edge(pair, then[pair])}")
    return found


def _data(posterior: Posterior, texts: Sequence[str], laid_out: Scene, large: bool) -> dict[str, Any]:
    edges = posterior.edge_probabilities()
    steps = [_marks(posterior.consensus(threshold)) for threshold in THRESHOLDS]
    top = posterior.top(CLASSES)
    classes = [_marks(one.graph) for one in top]
    needed = {pair for marks in classes for pair in marks}
    strengths = edge_strengths(posterior)
    listed = [
        pair
        for rank, pair in enumerate(likeliest_edges(edges))
        if (pair.adjacent >= THRESHOLDS[0] and rank < MOST_EDGES) or _sorted(pair.i, pair.j) in needed
    ]
    rows = []
    for pair in listed:
        key = _sorted(pair.i, pair.j)
        flip = pair.i > pair.j
        rows.append(
            [
                pair.i,
                pair.j,
                *(round(p, 6) for p in (pair.adjacent, pair.forward, pair.backward, pair.undirected)),
                round(min(1.0, max(0.0, float(strengths[pair.i, pair.j]))), 3) if pair.adjacent > 0 else 0,
                "".join(_seen(marks, key, flip) for marks in steps),
                "".join(_seen(marks, key, flip) for marks in classes),
            ]
        )
    number = {text: i for i, text in enumerate(texts)}
    return {
        "names": list(texts),
        "boxes": [[round(b.x, 1), round(b.y, 1), round(b.width, 1), b.shown] for b in laid_out.boxes],
        "box_height": BOX_HEIGHT,
        "opacity": EDGE_OPACITY,
        "width": EDGE_WIDTH,
        "size": [round(laid_out.width, 1), round(laid_out.height, 1)],
        "thresholds": THRESHOLDS,
        "start": START,
        "edges": rows,
        "paths": dict(_paths(laid_out, number)),
        "large": large,
    }


def _marks(graph: ClassGraph) -> Marks:
    number = {v: i for i, v in enumerate(graph.nodes)}
    marks = {_sorted(number[x], number[y]): "-" for x, y in graph.undirected_edges}
    for x, y in graph.directed_edges:
        marks[_sorted(number[x], number[y])] = ">" if number[x] < number[y] else "<"
    return marks


def _sorted(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)


def _seen(marks: Marks, pair: tuple[int, int], flip: bool) -> str:
    """The mark from the first to the second node of a row, which is (j, i) if ``flip``; "." if there is no edge."""
    mark = marks.get(pair, ".")
    return {">": "<", "<": ">"}.get(mark, mark) if flip else mark


def _paths(laid_out: Scene, number: dict[str, int]) -> Iterable[tuple[str, list[float]]]:
    """The control points of each curve from border to border, without the space for an arrowhead."""
    for curve in laid_out.curves:
        points = curve.points.copy()
        if curve.head is not None:
            points[-2:] += curve.head[0] - points[-1]
        edge: DrawnEdge = curve.edge
        yield f"{number[str(edge.x)]},{number[str(edge.y)]}", [round(float(x), 1) for x in points.ravel()]


def _controls(posterior: Posterior, texts: Sequence[str]) -> str:
    top = posterior.top(CLASSES)
    shown = "".join(
        f'<option value="{k}">Class {k + 1} (probability {class_probability(one.probability)})</option>'
        for k, one in enumerate(top)
    )
    variables = "".join(
        f'<option value="{i}">{escape(shortened(text, LONGEST_CHOICE))}</option>' for i, text in enumerate(texts)
    )
    return (
        '<div class="tools graph-tools" hidden>'
        f'<label>Graph<select id="graph-shown"><option value="">Consensus</option>{shown}</select></label>'
        '<label>Variable<select id="graph-variable"><option value="">All variables</option>'
        f"{variables}</select></label>"
        f'<label><span>Joined with at least <output id="graph-least-shown" for="graph-least">'
        f"{probability(CONSENSUS_THRESHOLD)}</output></span>"
        f'<input type="range" id="graph-least" min="0" max="{len(THRESHOLDS) - 1}" step="1" value="{START}"></label>'
        '<span class="buttons" role="group" aria-label="Zoom"><button type="button" id="graph-in" aria-label="Zoom in">'
        '+</button><button type="button" id="graph-out" aria-label="Zoom out">−</button>'
        '<button type="button" id="graph-fit">Fit</button></span>'
        '<span class="buttons" role="group" aria-label="Download"><button type="button" id="graph-svg">SVG</button>'
        '<button type="button" id="graph-png">PNG</button><button type="button" id="graph-csv">CSV</button>'
        "</span></div>"
    )
