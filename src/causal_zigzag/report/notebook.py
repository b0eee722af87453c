"""A posterior in a notebook: a short HTML table with the settings, the verdict and the most probable pairs."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from causal_zigzag.answers.prior_weights import prior_in_words
from causal_zigzag.answers.settled_directions import likeliest_edges
from causal_zigzag.posterior.summary import classes_in_words
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.answers.settled_directions import LikeliestEdge
    from causal_zigzag.posterior.posterior import Posterior

EDGES = 6
SHADE = "rgba(128,128,128,0.35)"  # visible on light and dark backgrounds
CELL = "padding:0.1em 0.8em 0.1em 0;text-align:left;vertical-align:top;background:none;color:inherit"
TABLE = "border-collapse:collapse;border:none;color:inherit;background:none;margin:0"
HEADS = ("edge", "joined", "→", "←", "open")
MARKS = {"->": "→", "-": "–"}


def posterior_html(posterior: Posterior) -> str:
    """The table; text has the color of the notebook."""
    target, ran = posterior.target, posterior.statistics
    jumps = sum(s.jumps for s in ran)
    top = [f"probability {p:.3g}, {count(g.edge_count, 'edge')}" for g, p, _ in posterior.top(1)]
    edges = posterior.edge_probabilities()
    rows = [
        ("score", escape(f"{target.score!r}, coldness {target.coldness:g}")),
        ("prior", escape(f"{prior_in_words(posterior.prior)}; edge prior {target.edge_prior}")),
        ("run", escape(f"{count(len(ran), 'chain')}, {jumps:,} jumps, momentum {posterior.settings.momentum:g}")),
        ("classes", classes_in_words(posterior)),
        ("most probable class", "; ".join(top)),
        ("expected number of edges", f"{edges.adjacent.sum() / 2:.4g}"),
        ("most probable pairs", _pairs([e for e in likeliest_edges(edges, most=EDGES) if e.adjacent > 0])),
        ("verdict", escape(posterior.diagnostics().verdict)),
    ]
    notes = posterior.shortfalls()
    rows += [("note", escape(" ".join(notes)))] if notes else []
    title = f"Posterior of the classes of {count(len(posterior.nodes), 'node')}"
    lines = "\n".join(
        f'<tr style="background:none"><th style="{CELL};font-weight:normal;opacity:0.7">{name}</th>'
        f'<td style="{CELL}">{html}</td></tr>'
        for name, html in rows
    )
    return (
        f'<div style="border-left:3px solid {SHADE};padding-left:0.8em">\n<strong>{escape(title)}</strong>\n'
        f'<table style="{TABLE}">\n{lines}\n</table>\n</div>'
    )


def _pairs(pairs: Sequence[LikeliestEdge]) -> str:
    """A table of pairs with the probabilities that they are joined and of the three kinds of edge."""
    if not pairs:
        return "none"
    head = "".join(f'<th style="{CELL};font-weight:normal;opacity:0.7">{text}</th>' for text in HEADS)
    return f'<table style="{TABLE}"><tr style="background:none">{head}</tr>{"".join(map(_row, pairs))}</table>'


def _row(pair: LikeliestEdge) -> str:
    cells = [f"{_short(pair.x)} {MARKS[pair.mark]} {_short(pair.y)}"]
    cells += [f"{p:.2f}" for p in (pair.adjacent, pair.forward, pair.backward, pair.undirected)]
    inside = "".join(f'<td style="{CELL}">{escape(cell)}</td>' for cell in cells)
    return f'<tr style="background:none">{inside}</tr>'


def _short(label: object, most: int = 40) -> str:
    text = str(label)
    return text if len(text) <= most else text[: most - 1] + "…"
