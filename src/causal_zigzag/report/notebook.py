"""A posterior in a notebook: the essentials in ten lines of HTML, with the likeliest edges and the verdict."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior

EDGES = 6
SHADE = "rgba(128,128,128,0.35)"  # seen on light and on dark ground


def posterior_html(posterior: Posterior) -> str:
    """A table of ten lines; colors are those of the page."""
    target, ran = posterior.target, posterior.statistics
    jumps = sum(s.jumps for s in ran)
    best = posterior.top(1)
    rows = [
        ("score", f"{target.score!r}, coldness {target.coldness:g}"),
        ("prior", f"{_prior(posterior)}; edge prior {target.edge_prior}"),
        ("run", f"{count(len(ran), 'chain')}, {jumps:,} jumps, momentum {posterior.settings.momentum:g}"),
        ("classes", f"{posterior.class_count:,} listed, {posterior.unlisted:.2%} of the time in others"),
        ("likeliest class", "; ".join(f"probability {p:.3g}, {count(g.edge_count, 'edge')}" for g, p, _ in best)),
        ("edges", f"{posterior.edge_probabilities().adjacent.sum() / 2:.4g} expected; the likeliest:"),
        ("", ", ".join(_likeliest(posterior)) or "none"),
        ("verdict", posterior.diagnostics().verdict),
    ]
    notes = posterior.shortfalls()
    rows += [("note", " ".join(notes))] if notes else []
    title = f"Posterior of the classes of {count(len(posterior.nodes), 'node')}"
    cell = "padding:0.1em 0.8em 0.1em 0;text-align:left;vertical-align:top;background:none;color:inherit"
    lines = "\n".join(
        f'<tr style="background:none"><th style="{cell};font-weight:normal;opacity:0.7">{escape(name)}</th>'
        f'<td style="{cell}">{escape(text)}</td></tr>'
        for name, text in rows
    )
    return (
        f'<div style="border-left:3px solid {SHADE};padding-left:0.8em">\n<strong>{escape(title)}</strong>\n'
        f'<table style="border-collapse:collapse;border:none;color:inherit;background:none">\n{lines}\n</table>\n</div>'
    )


def _prior(posterior: Posterior) -> str:
    from causal_zigzag.answers.prior_weights import prior_in_words

    return prior_in_words(posterior.reweighting.prior if posterior.reweighting else "classes")


def _likeliest(posterior: Posterior) -> list[str]:
    """The likeliest adjacencies, each as the kind of edge that it most often is."""
    edges = posterior.edge_probabilities()
    i, j = np.triu_indices(len(edges.nodes), 1)
    adjacent = edges.adjacent[i, j]
    found = []
    for k in np.argsort(-adjacent, kind="stable")[:EDGES]:
        if adjacent[k] <= 0:
            break
        a, b = int(i[k]), int(j[k])
        ways = {
            f"{_short(edges.nodes[a])} - {_short(edges.nodes[b])}": edges.undirected[a, b],
            f"{_short(edges.nodes[a])} → {_short(edges.nodes[b])}": edges.directed[a, b],
            f"{_short(edges.nodes[b])} → {_short(edges.nodes[a])}": edges.directed[b, a],
        }
        way = max(ways, key=lambda name: ways[name])
        found.append(f"{way} ({adjacent[k]:.2f})")
    return found


def _short(label: object, most: int = 40) -> str:
    text = str(label)
    return text if len(text) <= most else text[: most - 1] + "…"
