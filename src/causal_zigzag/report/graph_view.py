"""The graphs of a report: the interactive one, with what ``graph.js`` needs to draw it, and those of single classes.

A threshold of the slider shows ``posterior.consensus(threshold)``, which is computed here for every position, so that
an arrowhead has one definition in the whole package. All graphs have the same layout.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.settled_directions import LikeliestEdge, likeliest_edges
from causal_zigzag.figures.label_text import shortened
from causal_zigzag.figures.posterior_scenes import class_edges, consensus_edges, known_arrows, legend, placing
from causal_zigzag.figures.routes import BOX_HEIGHT
from causal_zigzag.figures.scene import BOLD, EDGE_OPACITY, EDGE_WIDTH, MARK_SIZE, DrawnEdge, Scene, scenes
from causal_zigzag.figures.svg import scene_svg
from causal_zigzag.posterior.chain_agreement import edge_strengths
from causal_zigzag.report.markup import escape
from causal_zigzag.support.wording import class_probability, probability

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from causal_zigzag.answers.top_classes import TopClass
    from causal_zigzag.graphs.adjacency_matrix import Edge
    from causal_zigzag.graphs.mixed_graph import MixedGraph
    from causal_zigzag.posterior.posterior import Posterior

THRESHOLDS = (*(k / 20 for k in range(1, 20)), 0.99)
START = THRESHOLDS.index(CONSENSUS_THRESHOLD)
CLASSES_SHOWN = ((15, 6), (30, 4))  # largest number of nodes, number of classes; of larger graphs two
LARGE_GRAPH = 60  # variables; larger graphs open on one variable
DENSE_GRAPH = 3.0, 90  # edges per variable, and edges; denser graphs also do
MOST_PLACED = 300  # edges that the layout takes into account; it is slow with more
MOST_EDGES = 3000
BROAD_PICTURE = 720  # points; wider pictures get the full width of the page
LEAST_SCALE, LARGEST_SCALE, TALLEST_CARD = 0.7, 1.4, 620  # of pictures of classes; points
LONGEST_CHOICE = 40  # letters of a name in a list of choices
CAPTION = "Pairs joined with probability {} or more."
CLASS_CAPTION = "Class {}, of probability {}: graphs that no observations can tell apart."

Marks = dict[tuple[int, int], str]
"""For both orders of each pair of a graph: "-" is i - j, ">" is i -> j and "<" is j -> i; "]" and "[" if known."""


class Drawings(NamedTuple):
    """The scenes of a report, in one layout: the consensus, the most probable classes, and every edge of the page."""

    consensus: Scene
    classes: list[Scene]
    top: Sequence[TopClass]
    listed: list[LikeliestEdge]
    every: Scene

    @property
    def broad(self) -> bool:
        """Whether the graph needs the full width of the page."""
        return self.consensus.width > BROAD_PICTURE or len(self.consensus.boxes) >= LARGE_GRAPH


def drawings(posterior: Posterior, bold: Collection[Edge] = ()) -> Drawings:
    """The scenes of a posterior; the arrows of the consensus that are ``bold`` are drawn so."""
    n = len(posterior.nodes)
    top = posterior.top(next((k for most, k in CLASSES_SHOWN if n <= most), 2))
    summary = [e._replace(bold=(e.x, e.y) in bold) for e in consensus_edges(posterior, CONSENSUS_THRESHOLD)]
    graphs = [summary, *(class_edges(posterior, one.graph) for one in top)]
    if is_large(posterior.consensus()):
        graphs[:] = [sorted(graph, key=lambda edge: -edge.weight)[:MOST_PLACED] for graph in graphs[:1]]
    needed = {frozenset((edge.x, edge.y)) for graph in graphs for edge in graph}
    listed = [
        pair
        for rank, pair in enumerate(likeliest_edges(posterior.edge_probabilities()))
        if (pair.adjacent >= THRESHOLDS[0] and rank < MOST_EDGES) or frozenset((pair.x, pair.y)) in needed
    ]
    every = [DrawnEdge(pair.x, pair.y, directed=False) for pair in listed]
    consensus, *classes, last = scenes(posterior.nodes, [*graphs, every], len(graphs), **placing(posterior))
    return Drawings(consensus, classes, top, listed, last)


def is_large(graph: MixedGraph) -> bool:
    """Whether a picture of the whole graph would not be legible."""
    n, (per_node, edges) = len(graph.nodes), DENSE_GRAPH
    return n >= LARGE_GRAPH or graph.edge_count > max(edges, per_node * n)


def graph_view(posterior: Posterior, texts: Sequence[str], drawn: Drawings) -> str:
    """The interactive graph with its controls; ``texts`` are the names of the variables."""
    is_bold = any(curve.edge.bold for curve in drawn.consensus.curves)
    bold = " Bold: holds when rows are resampled, and when causes may be hidden." if is_bold else ""
    data = escape(json.dumps(_data(posterior, texts, drawn), allow_nan=False, separators=(",", ":")))
    return (
        f'<div id="graph" data-graph="{data}">{_controls(drawn, texts)}'
        f'<div id="graph-stage" class="stage" tabindex="0" role="group" aria-label="Graph of {len(texts)} variables">'
        f"{scene_svg(drawn.consensus, 'Consensus graph')}</div>"
        '<p id="graph-detail" class="note" role="status" aria-live="polite"></p>'
        f'<figcaption><span id="graph-what">{CAPTION.format(f"{CONSENSUS_THRESHOLD:.2f}")}</span> '
        f"<details><summary>How to read it</summary>{escape(legend(posterior))}{bold}</details></figcaption></div>"
    )


def class_picture(drawing: Scene, title: str) -> str:
    """One class in a frame that scrolls, also by keyboard, where letters would otherwise become too small to read."""
    largest = drawing.width * min(LARGEST_SCALE, max(LEAST_SCALE, TALLEST_CARD / drawing.height))
    sizes = f"--least:{drawing.width * LEAST_SCALE:.0f}px;--largest:{largest:.0f}px"
    inside = scene_svg(drawing, title)
    return f'<div class="canvas" tabindex="0" role="group" aria-label="{title}" style="{sizes}">{inside}</div>'


def differences(posterior: Posterior, graph: MixedGraph, texts: Sequence[str]) -> list[str]:
    """The edges of a class that are not in the consensus (+), those that it lacks (−), and those of another kind."""
    now, then = _marks(posterior, graph), _marks(posterior, posterior.consensus())

    def edge(pair: tuple[int, int], mark: str) -> str:
        i, j = pair if mark not in "<[" else pair[::-1]
        return f"{texts[i]} {'–' if mark == '-' else '→'} {texts[j]}"

    found = []
    for pair in sorted(pair for pair in {*now, *then} if pair[0] < pair[1]):
        if pair not in then:
            found.append(f"+ {edge(pair, now[pair])}")
        elif pair not in now:
            found.append(f"− {edge(pair, then[pair])}")
        elif edge(pair, now[pair]) != edge(pair, then[pair]):
            found.append(f"{edge(pair, now[pair])} instead of {edge(pair, then[pair])}")
    return found


def _marks(posterior: Posterior, graph: MixedGraph) -> Marks:
    number = {v: i for i, v in enumerate(graph.nodes)}
    known = known_arrows(posterior, graph)
    marks: Marks = {}
    for x, y in graph.undirected_edges:
        marks[number[x], number[y]] = marks[number[y], number[x]] = "-"
    for x, y in graph.directed_edges:
        marks[number[x], number[y]], marks[number[y], number[x]] = "][" if (x, y) in known else "><"
    return marks


def _data(posterior: Posterior, texts: Sequence[str], drawn: Drawings) -> dict[str, Any]:
    """The scene of every edge of the page, and which of them each position of the controls shows."""
    steps = [_marks(posterior, posterior.consensus(threshold)) for threshold in THRESHOLDS]
    classes = [_marks(posterior, one.graph) for one in drawn.top]
    strengths = edge_strengths(posterior)
    path = {(curve.edge.x, curve.edge.y): curve.points for curve in drawn.every.curves}
    bold = {frozenset((curve.edge.x, curve.edge.y)) for curve in drawn.consensus.curves if curve.edge.bold}
    rows = [
        [
            pair.i,
            pair.j,
            *(round(p, 6) for p in pair.kinds),
            round(min(1.0, max(0.0, float(strengths[pair.i, pair.j]))), 3) if pair.adjacent > 0 else 0,
            *("".join(marks.get((pair.i, pair.j), ".") for marks in views) for views in (steps, classes)),
            [round(float(x), 1) for x in path[pair.x, pair.y].ravel()],
            [round(p, 6) for p in pair.again or ()],
            int(frozenset((pair.x, pair.y)) in bold),
        ]
        for pair in drawn.listed
    ]
    seen = {(pair.i, pair.j) for pair in drawn.listed}
    others = [
        [pair.i, pair.j, *(round(p, 6) for p in pair.kinds), [round(p, 6) for p in pair.again or ()]]
        for pair in likeliest_edges(posterior.edge_probabilities())
        if max(pair.adjacent, pair.again.adjacent if pair.again else 0) > 0 and (pair.i, pair.j) not in seen
    ]
    return {
        "names": list(texts),
        "boxes": [[round(b.x, 1), round(b.y, 1), round(b.width, 1), b.shown] for b in drawn.every.boxes],
        "box_height": BOX_HEIGHT,
        "opacity": EDGE_OPACITY,
        "width": EDGE_WIDTH,
        "bold": BOLD,
        "mark": MARK_SIZE,
        "size": [round(drawn.every.width, 1), round(drawn.every.height, 1)],
        "thresholds": THRESHOLDS,
        "start": START,
        "edges": rows,
        "others": others,
        "caption": CAPTION,
        "captions": [
            CLASS_CAPTION.format(k, class_probability(one.probability)) for k, one in enumerate(drawn.top, start=1)
        ],
        "large": is_large(posterior.consensus()),
    }


def _controls(drawn: Drawings, texts: Sequence[str]) -> str:
    shown = "".join(
        f'<option value="{k}">Class {k + 1} (probability {escape(class_probability(one.probability))})</option>'
        for k, one in enumerate(drawn.top)
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
