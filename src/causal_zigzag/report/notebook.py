"""A posterior in a notebook: the lamps, a picture and a short table; and the most probable classes as cards."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.top_classes import edges_in_words, score_in_words
from causal_zigzag.figures.posterior_scenes import consensus_edges, placing
from causal_zigzag.figures.scene import graph_edges, scene
from causal_zigzag.figures.svg import graph_svg, scene_svg
from causal_zigzag.posterior.chain_agreement import believed_edges
from causal_zigzag.posterior.facts import facts, title
from causal_zigzag.report.lamps import Lamp, assumptions_lamp, sampling_lamp
from causal_zigzag.support.wording import class_probability, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.answers.settled_directions import LikeliestEdge
    from causal_zigzag.answers.top_classes import TopClass
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.posterior.posterior import Posterior

EDGES = 6
CARDS = 12
MOST_DRAWN = 40  # nodes; larger pictures are not legible in a cell
SHADE = "rgba(128,128,128,0.35)"  # visible on light and dark backgrounds
CELL = "padding:0.1em 0.8em 0.1em 0;text-align:left;vertical-align:top;background:none;color:inherit"
TABLE = "border-collapse:collapse;border:none;color:inherit;background:none;margin:0"
TEXT = "margin:0.4em 0;max-width:60em"
CARD = f"border:1px solid {SHADE};border-radius:6px;padding:0.6em 0.8em;max-width:28em"
HEADS = ("edge", "joined", "→", "←", "open")
MARKS = {"->": "→", "-": "–"}


def posterior_html(posterior: Posterior) -> str:
    """The lamps, a picture of the consensus and a table of facts; text has the color of the notebook."""
    top = [f"probability {class_probability(p)}, {edges_in_words(g)}" for g, p, _ in posterior.top(1)]
    believed = believed_edges(posterior, EDGES)
    rows = [
        (believed.heading.lower(), f"{escape(believed.text(EDGES))}{_pairs(believed.shown(EDGES))}"),
        ("most probable class", "; ".join(top)),
        *((term.lower(), escape(text)) for term, text in facts(posterior, brief=True)),
    ]
    lines = "\n".join(
        f'<tr style="background:none"><th style="{CELL};font-weight:normal;opacity:0.7">{name}</th>'
        f'<td style="{CELL}">{html}</td></tr>'
        for name, html in rows
    )
    return (
        f'<div style="border-left:3px solid {SHADE};padding-left:0.8em">\n<strong>{escape(title(posterior))}</strong>\n'
        f"{''.join(map(_lamp, (sampling_lamp(posterior), assumptions_lamp(posterior))))}"
        f'{_consensus(posterior)}<table style="{TABLE}">\n{lines}\n</table>\n</div>'
    )


def _lamp(lamp: Lamp) -> str:
    said = " ".join([lamp.sentence, *map(escape, lamp.details)])
    return f'<div style="{TEXT}"><strong>{lamp.heading}.</strong> {said}</div>\n'


def classes_html(classes: Sequence[TopClass]) -> str:
    """The most probable classes as cards: a picture of each, its probability and its score."""
    cards = "\n".join(
        f'<div style="{CARD}"><strong>{rank}. Probability {class_probability(one.probability)}</strong>'
        f'<div style="opacity:0.7">{edges_in_words(one.graph)}{score_in_words(one.score, ", ")}</div>'
        f"{_graph(one.graph)}</div>"
        for rank, one in enumerate(classes[:CARDS], start=1)
    )
    more = f"<div>and {len(classes) - CARDS:,} more</div>" if len(classes) > CARDS else ""
    return f'<div style="display:flex;flex-wrap:wrap;gap:0.8em">{cards}</div>{more}'


def _graph(graph: ClassGraph) -> str:
    if len(graph.nodes) > MOST_DRAWN:
        return ""
    return graph_svg(graph.nodes, graph_edges(graph), "Class")


def _consensus(posterior: Posterior) -> str:
    """A picture of the consensus, unless it is too large for a cell."""
    if not 2 <= len(posterior.nodes) <= MOST_DRAWN:
        return ""
    drawing = scene(posterior.nodes, consensus_edges(posterior, CONSENSUS_THRESHOLD), **placing(posterior))
    return f'<div style="{TEXT}">{scene_svg(drawing, "Consensus graph")}</div>\n'


def _pairs(pairs: Sequence[LikeliestEdge]) -> str:
    """A table of pairs with the probabilities that they are joined and of the three kinds of edge."""
    if not pairs:
        return ""
    head = "".join(f'<th style="{CELL};font-weight:normal;opacity:0.7">{text}</th>' for text in HEADS)
    return f'<table style="{TABLE}"><tr style="background:none">{head}</tr>{"".join(map(_row, pairs))}</table>'


def _row(pair: LikeliestEdge) -> str:
    cells = [f"{_short(pair.x)} {MARKS[pair.mark]} {_short(pair.y)}"]
    cells += [probability(p) for p in (pair.adjacent, pair.forward, pair.backward, pair.undirected)]
    inside = "".join(f'<td style="{CELL}">{escape(cell)}</td>' for cell in cells)
    return f'<tr style="background:none">{inside}</tr>'


def _short(label: object, most: int = 40) -> str:
    text = str(label)
    return text if len(text) <= most else text[: most - 1] + "…"
