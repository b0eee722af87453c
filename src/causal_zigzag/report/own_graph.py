"""The section of a page on a graph of the user: its picture, what the data say in words, and the pairs that matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.errors import SettingsError
from causal_zigzag.figures.scene import DrawnEdge
from causal_zigzag.figures.svg import MOST_EDGES, MOST_NODES, graph_svg
from causal_zigzag.report.markup import escape, name, row, table
from causal_zigzag.support.wording import probability

if TYPE_CHECKING:
    from causal_zigzag.answers.own_graph.judgement import Judgement

MARKS = {"->": "→", "<-": "←", "-": "—", "": "·"}
HEADS = ("Pair in your graph", "Joined", "Forward", "Backward", "Open", "Verdict")


def own_graph_html(judgement: Judgement | None) -> str:
    """The section of the page; empty if no graph was given."""
    if judgement is None:
        return ""
    if not hasattr(judgement, "edges") or not hasattr(judgement, "log_odds"):
        raise SettingsError(f"judgement must be what posterior.judge(graph) returns, not {judgement!r}")
    first, *lines = str(judgement).splitlines()
    violated = "".join(f"<li>{escape(line.strip())}</li>" for line in lines if line.startswith(" "))
    shown = judgement.edges[judgement.edges["verdict"] != "absent"].to_dict("records")
    rows = [
        row(
            f'{name(one["x"])}<span class="mark">{MARKS[one["edge"]]}</span>{name(one["y"])}',
            *(probability(one[kind]) for kind in ("adjacent", "forward", "backward", "undirected")),
            note=escape(one["verdict"]),
        )
        for one in shown
    ]
    drawn = [
        DrawnEdge(*ends, one["edge"] != "-", float(one["adjacent"]), one["verdict"])
        for one in shown
        if one["edge"]
        for ends in [(one["y"], one["x"]) if one["edge"] == "<-" else (one["x"], one["y"])]
    ]
    picture = ""
    if len(judgement.graph.nodes) <= MOST_NODES and len(drawn) <= MOST_EDGES:
        legend = "Your graph. The stronger an edge, the more probable it is that the pair is joined."
        drawing = graph_svg(judgement.graph.nodes, drawn, "Your graph")
        picture = f'<figure class="wide">{drawing}<figcaption>{legend}</figcaption></figure>'
    said = "".join(f"<p>{escape(line)}</p>" for line in lines if not line.startswith(" "))
    said += f"<ul>{violated}</ul>" if violated else ""
    return f"<p><strong>{escape(first)}</strong></p>{said}{picture}{table('Pairs of your graph', HEADS, rows)}"
