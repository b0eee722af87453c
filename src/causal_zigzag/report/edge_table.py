"""Pairs of variables on a report: the most probable ones first, and the table of all of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from causal_zigzag.answers.effects.queries import sign_of
from causal_zigzag.answers.settled_directions import likeliest_edges
from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.posterior.chain_agreement import believed_edges
from causal_zigzag.report.markup import escape, name, row, table
from causal_zigzag.report.words import term
from causal_zigzag.support.wording import probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.answers.settled_directions import LikeliestEdge
    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.posterior.posterior import Posterior

FIRST_EDGES = 10  # on the first screen
MOST_ROWS = 5000
LEAST_LISTED = 0.001  # less probable pairs are left out of a table that would be too long
LEAST_PRINTED = 0.01
MOST_STRENGTHS, MOST_SLOW = 120, 40  # variables, with levels or curves fewer, up to which strengths are on the page
SIGN_FILTER = (
    '<label>Strength<select id="edge-sign"><option value="">any</option><option value="+">+ raises</option>'
    '<option value="−">− lowers</option><option value="±">± unclear, several levels</option></select></label>'
)

HEADS = {  # of the four probabilities of a pair, with explanations
    "Joined": "Probability that an edge of any kind joins the two variables",
    "→": "Forward: probability of an arrow from the first variable to the second",
    "←": "Backward: probability of an arrow from the second variable to the first",
    "Open": "Probability of an edge whose direction observations cannot determine",
}
AGAIN = " when rows are resampled"
SHORT_HEADS = {  # of what the model says of a pair, and what of it holds
    "Joined": HEADS["Joined"],
    "again": HEADS["Joined"] + AGAIN,
    "→": HEADS["→"],
    "→ again": HEADS["→"] + AGAIN,
}
HEADS_AGAIN = {f"{head} again": words + AGAIN for head, words in HEADS.items()}
LEGEND = (
    '<span class="legend"><i class="this"></i>forward <i class="other"></i>backward <i class="open"></i>'
    f"{term('open')}</span>"
)
MARKS = {"->": ("→", "causes"), "-": ("—", "no direction has more than half of all probability")}


def most_probable(posterior: Posterior, texts: Sequence[str]) -> str:
    """The panel of the pairs to believe: what the model says, and what of it holds when rows are resampled."""
    believed = believed_edges(posterior, FIRST_EDGES)
    rows = [
        row(f"{_edge(pair, texts)}{_bar(pair)}", *map(probability, _said_and_held(pair)))
        for pair in believed.shown(FIRST_EDGES)
    ]
    heads = SHORT_HEADS if believed.resampled else HEADS
    bars = "Bars: again. " if believed.resampled else ""
    return (
        f'<section class="panel believe" aria-labelledby="believe-h"><h2 id="believe-h">{believed.heading}</h2>'
        f'<p class="note">{believed.text(FIRST_EDGES)}</p>'
        f"{table('Most probable pairs', {'Edge': '', **heads}, rows, 'probable')}"
        f'<p class="note">{bars}{LEGEND} · <a href="#edges">all edges</a></p></section>'
    )


def all_edges(posterior: Posterior, texts: Sequence[str]) -> str:
    """The table of all pairs, which a reader can sort and filter."""
    edges = posterior.edge_probabilities()
    pairs = len(texts) * (len(texts) - 1) // 2
    listed = likeliest_edges(edges, LEAST_LISTED if pairs > MOST_ROWS else 0.0) or likeliest_edges(edges, most=1)
    rows = listed[:MOST_ROWS]
    errors = [posterior._classes.edge_errors[:, :, 0]]
    heads = {"Edge": "", **HEADS, "± error": "Monte Carlo standard error of “joined”"}
    said = ""
    if posterior._classes.resampled is not None:
        errors.append(posterior._classes.resampled.edge_errors.max(axis=-1))
        heads |= HEADS_AGAIN | {"± again": "The largest Monte Carlo standard error of the four"}
        said = (
            f" Columns with “again” have the same when rows are resampled; an edge {term('holds again')} if it has "
            "more than half of all probability there too."
        )
    strengths = _strengths(posterior)
    if strengths:
        heads["Strength"] = (
            "Of the likelier arrow, if it is there: the change of the second variable, in standard deviations or as a "
            "probability, if the first is raised by one standard deviation or set to another level, its other causes "
            "held; sorted by size; ± if the 95 % interval includes 0, or there are more than two levels"
        )
    head = "".join(
        f'<th scope="col" aria-sort="{"descending" if k == 1 else "none"}" title="{words}">'
        f'<button type="button">{text}</button></th>'
        for k, (text, words) in enumerate(heads.items())
    )
    note = f'<span class="on-paper"> Pairs below {LEAST_PRINTED} are not printed.</span>'
    note += f" {pairs - len(rows):,} improbable pairs are left out." if pairs > len(rows) else ""
    return (
        "<p>For each pair of variables: how probable it is that they are joined, and in which direction. The "
        f"more probable direction is first. “{term('joined', 'Joined')}” is the sum of forward (→), backward (←) and "
        f"{term('open')}. The edge has an arrow if that direction has more than half of all probability, also "
        f"when rows are resampled if they were.{said} The {term('error')} is that of “joined”; it is missing for "
        f"pairs that changed fewer than ten times.{note}</p>"
        f'<p class="note">{"Bars: again. " if said else ""}{LEGEND}</p>'
        '<div class="tools" hidden>'
        '<label>Find variables<input type="search" id="edge-search" autocomplete="off" spellcheck="false"></label>'
        '<label><span>Joined with at least <output id="edge-least-shown" for="edge-least">0.00</output></span>'
        '<input type="range" id="edge-least" min="0" max="1" step="0.01" value="0"></label>'
        + (SIGN_FILTER if strengths else "")
        + '<button type="button" id="edge-reset">Reset</button>'
        '<p id="edge-count" role="status" aria-live="polite"></p></div>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of edges">'
        f'<table id="edge-table"><thead><tr>{head}</tr></thead><tbody>'
        + "".join(
            _row(
                pair,
                texts,
                [float(each[pair.i, pair.j]) for each in errors],
                _strength(pair, strengths, posterior._classes) if strengths else "",
            )
            for pair in rows
        )
        + "</tbody></table></div>"
    )


def _edge(pair: LikeliestEdge, texts: Sequence[str]) -> str:
    sign, words = MARKS[pair.mark]
    mark = f'<span class="mark" role="img" aria-label="{words}">{sign}</span>'
    return f"{name(texts[pair.i])}{mark}<wbr>{name(texts[pair.j])}"


def _said_and_held(pair: LikeliestEdge) -> tuple[float, ...]:
    """In the order of SHORT_HEADS; in that of HEADS if rows were not resampled."""
    if pair.again is None:
        return pair.kinds
    return pair.adjacent, pair.again.adjacent, pair.forward, pair.again.forward


def _bar(pair: LikeliestEdge) -> str:
    """The probability that the pair is joined, again if rows were resampled, divided into the three kinds of edge."""
    kinds = pair.again or pair.kinds
    parts = (("this", kinds.forward), ("open", kinds.undirected), ("other", kinds.backward))
    inside = "".join(f'<i class="{kind}" style="width:{100 * p:.1f}%"></i>' for kind, p in parts if p >= 0.002)
    return f'<span class="bar" aria-hidden="true">{inside}</span>'


def _strengths(posterior: Posterior) -> dict[tuple[int, int], dict[Any, Any]]:
    """The strengths of arrows by the numbers of their nodes; empty if there are none, or too many for a page."""
    model, n = posterior._classes.response_models[0], len(posterior.nodes)
    if model is None or n > (MOST_SLOW if any(model.levels) or model.is_curved(0) else MOST_STRENGTHS):
        return {}
    try:
        rows = posterior.strengths(standardized=True).to_dict("records")
    except CausalZigzagError:  # such as too few rows
        return {}
    number = {v: k for k, v in enumerate(posterior.nodes)}
    return {(number[row["cause"]], number[row["outcome"]]): row for row in rows}


def _strength(pair: LikeliestEdge, strengths: dict[tuple[int, int], dict[Any, Any]], classes: WeightedClasses) -> str:
    """The cell of the strength of the likelier arrow."""
    row = strengths.get((pair.i, pair.j)) or strengths.get((pair.j, pair.i))
    if row is None or math.isnan(row["mean"]):
        return '<td class="num small" data-value="-1" data-sign="">–</td>'
    sign = sign_of(classes, row)
    low, high = (f"{row[end]:.2f}".replace("-", "−") for end in ("lower", "upper"))
    return (
        f'<td class="num small" data-value="{abs(row["mean"]):.4g}" data-sign="{sign}">{sign} '
        f"{abs(row['mean']):.2f} ({low} to {high})</td>"
    )


def _row(pair: LikeliestEdge, texts: Sequence[str], errors: Sequence[float], strength: str) -> str:
    key = f"{texts[pair.i]} {texts[pair.j]}"
    cells = [f'<th scope="row" data-key="{escape(key)}">{_edge(pair, texts)}</th>']
    for kinds, error in zip(filter(None, (pair.kinds, pair.again)), errors, strict=True):
        for p in kinds:
            bar = _bar(pair) if len(cells) == 1 else ""
            cells.append(f'<td class="num" data-value="{p:.6g}">{bar}{escape(probability(p))}</td>')
        shown = "–" if error != error else f"{error:.2g}" if error >= 1e-4 else "&lt; 0.0001"
        cells.append(f'<td class="num small" data-value="{error if error == error else -1:.3g}">{shown}</td>')
    cells.append(strength)
    return f"<tr{' class=faint' if pair.adjacent < LEAST_PRINTED else ''}>{''.join(cells)}</tr>"
