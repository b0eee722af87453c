"""The sections of a report, and the page they make."""

from __future__ import annotations

import base64
import hashlib
import math
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag.answers.likeliest_edges import BELIEVED, Belief, beliefs, believed
from causal_zigzag.posterior.diagnostics.diagnostics import edge_errors
from causal_zigzag.posterior.diagnostics.verdict import MANY
from causal_zigzag.report import words
from causal_zigzag.report.drawings import MOST_CHAINS, MOST_MAPPED, heat_map, paths
from causal_zigzag.report.graphs import belief_drawing, class_drawing
from causal_zigzag.report.markup import class_probability, escape, name, node_texts, probability
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from causal_zigzag.posterior.diagnostics.diagnostics import Diagnostics
    from causal_zigzag.posterior.posterior import Posterior

FIRST_EDGES = 10  # on the first screen
TOP = ((15, 6), (30, 4), (math.inf, 2))  # up to so many nodes, so many classes: large ones are hard to tell apart
CONSENSUS = 0.5
MOST_QUANTITIES = 12
LEAST_LISTED = 0.001  # pairs below this are left out of the table where it would be long
MOST_ROWS = 5000
LEAST_PRINTED = 0.01

WAYS = ("this", "open", "other")  # x -> y, x - y, y -> x
LEGEND = (
    '<span class="legend"><i class="this"></i>this way <i class="open"></i>direction open '
    '<i class="other"></i>the other way</span>'
)
MARKS = {"->": "→", "-": "—"}
MARK_WORDS = {"->": "causes", "-": "direction open"}


class Section(NamedTuple):
    """A part of the page; without a ``heading`` it has no entry in the navigation."""

    anchor: str
    short: str
    heading: str
    body: str

    def html(self) -> str:
        key = f"{self.anchor}-h"
        heading = f'<h2 id="{key}">{self.heading}</h2>'
        return f'<section id="{self.anchor}" aria-labelledby="{key}">{heading}{self.body}</section>'


def page_html(posterior: Posterior) -> str:
    """The whole page."""
    texts = node_texts(posterior.nodes)
    edges = posterior.edge_probabilities()
    least = LEAST_LISTED if _pairs(texts) > MOST_ROWS else 0.0
    listed = beliefs(edges, least) or beliefs(edges, most=FIRST_EDGES)
    found = posterior.diagnostics()
    sections = [
        _edges(posterior, listed, texts),
        _classes(posterior, texts),
        _heat_map(posterior, texts),
        _paths(posterior),
        _errors_of(found),
        _run(posterior),
        _repeat(posterior),
        _cite(),
    ]
    sections = [section for section in sections if section.body]
    title = words.title(posterior)
    script = _resource("script.js")
    lede = "".join(f"<span>{escape(word)}</span>" for word in words.lede(posterior))
    body = f'<h1>{name(title)}</h1><p class="lede">{lede}</p>{_first(posterior, found, listed, texts)}' + "".join(
        section.html() for section in sections
    )
    version = posterior.record.version if posterior.record else "unknown"
    return Template(_resource("page.html")).substitute(
        title=escape(title),
        version=escape(version),
        style=_resource("style.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        navigation="".join(f'<li><a href="#{s.anchor}">{s.short}</a></li>' for s in sections),
        body=body,
        footer=f"Made by causal-zigzag {escape(version)}. This page is one file and asks the network for nothing.",
    )


def _resource(file: str) -> str:
    return resources.files("causal_zigzag.report").joinpath(file).read_text(encoding="utf-8")


def _first(posterior: Posterior, found: Diagnostics, listed: Sequence[Belief], texts: Sequence[str]) -> str:
    drawing = belief_drawing([belief for belief in listed if belief.adjacent >= CONSENSUS], texts)
    layout = "first broad" if drawing.is_broad else "first"
    caption = (
        "The consensus: every edge more probable than not. The stronger it is drawn, the more probable; a line without "
        "an arrowhead may point either way." + (" It scrolls sideways." if drawing.is_broad else "")
    )
    return (
        f'<div class="{layout}"><div>{_verdict(posterior, found)}{_believed(listed, texts)}</div>'
        f'<figure class="panel drawing">{drawing.html("Consensus graph")}<figcaption>{caption}</figcaption></figure>'
        "</div>"
    )


def _verdict(posterior: Posterior, found: Diagnostics) -> str:
    mood, heading = ("good", "This run looks sound") if found.ok else ("warn", "Not settled yet")
    lacks = "".join(f"<li>{escape(line)}</li>" for line in posterior.shortfalls())
    return (
        f'<section class="panel verdict {mood}" aria-labelledby="verdict-h"><h2 id="verdict-h">{heading}</h2>'
        f"<p>{escape(found.verdict)}</p>{f'<ul>{lacks}</ul>' if lacks else ''}</section>"
    )


def _believed(listed: Sequence[Belief], texts: Sequence[str]) -> str:
    certain = believed(listed)
    shown = (certain or listed)[:FIRST_EDGES]
    if certain:
        text = f"{count(len(certain), 'pair')} joined with probability {BELIEVED:g} or more"
        text += f", the first {len(shown)} here." if len(certain) > len(shown) else "."
    else:
        text = f"No pair is joined with probability {BELIEVED:g} or more. The likeliest:"
    rows = "".join(
        f'<li><span class="edge">{_edge(belief, texts)}</span>{_bar(belief)}'
        f'<span class="num">{probability(belief.adjacent)}</span></li>'
        for belief in shown
    )
    return (
        f'<section class="panel" aria-labelledby="believe-h"><h2 id="believe-h">The edges to believe</h2>'
        f'<p class="note">{text}</p><ol class="beliefs">{rows}</ol><p class="note">{LEGEND} · '
        f'<a href="#edges">all edges</a></p></section>'
    )


def _edge(belief: Belief, texts: Sequence[str]) -> str:
    mark = f'<span class="mark" role="img" aria-label="{MARK_WORDS[belief.mark]}">{MARKS[belief.mark]}</span>'
    return f"{name(texts[belief.i])}{mark}{name(texts[belief.j])}"


def _bar(belief: Belief) -> str:
    """The probability of the pair to be joined, split into the three ways."""
    parts = zip(WAYS, (belief.forward, belief.undirected, belief.backward), strict=True)
    inside = "".join(f'<i class="{way}" style="width:{100 * p:.1f}%"></i>' for way, p in parts if p >= 0.002)
    return f'<span class="bar" aria-hidden="true">{inside}</span>'


def _edges(posterior: Posterior, listed: Sequence[Belief], texts: Sequence[str]) -> Section:
    rows = listed[:MOST_ROWS]
    errors = edge_errors(posterior)[:, :, 0]
    heads = ["Edge", "Joined", "This way →", "Open —", "Other way ←", "± error"]
    head = "".join(
        f'<th scope="col" aria-sort="{"descending" if k == 1 else "none"}"><button type="button">{text}</button></th>'
        for k, text in enumerate(heads)
    )
    left_out = _pairs(texts) - len(rows)
    note = f'<span class="on-paper"> Pairs below {LEAST_PRINTED} are not printed.</span>'
    note += f" {left_out:,} improbable pairs are left out here." if left_out else ""
    body = (
        "<p>Each pair of variables once, in its likelier order: the probability that they are joined, and of the three "
        "ways to be joined. “Open” means that the data cannot tell the direction: graphs with either fit equally "
        "well. The error is the Monte Carlo standard error of “joined”; pairs that changed too seldom have none."
        f'{note}</p><p class="note">{LEGEND}</p>'
        '<div class="tools" hidden>'
        '<label>Find variables<input type="search" id="edge-search" autocomplete="off" spellcheck="false"></label>'
        '<label><span>Joined with at least <output id="edge-least-shown" for="edge-least">0.00</output></span>'
        '<input type="range" id="edge-least" min="0" max="1" step="0.01" value="0"></label>'
        '<button type="button" id="edge-reset">Reset</button>'
        '<p id="edge-count" role="status" aria-live="polite"></p></div>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of edges">'
        f'<table id="edge-table"><thead><tr>{head}</tr></thead><tbody>'
        + "".join(_row(belief, texts, float(errors[belief.i, belief.j])) for belief in rows)
        + "</tbody></table></div>"
    )
    return Section("edges", "Edges", "How probable every edge is", body)


def _pairs(texts: Sequence[str]) -> int:
    return len(texts) * (len(texts) - 1) // 2


def _row(belief: Belief, texts: Sequence[str], error: float) -> str:
    key = f"{texts[belief.i]} {texts[belief.j]}"
    cells = [
        f'<th scope="row" data-key="{escape(key)}">{_edge(belief, texts)}</th>',
        f'<td class="num" data-value="{belief.adjacent:.6g}">{_bar(belief)}{probability(belief.adjacent)}</td>',
    ]
    cells += [
        f'<td class="num" data-value="{p:.6g}">{probability(p)}</td>'
        for p in (belief.forward, belief.undirected, belief.backward)
    ]
    shown = "–" if error != error else f"{error:.2g}" if error >= 1e-4 else "< 0.0001"
    cells.append(f'<td class="num small" data-value="{error if error == error else -1:.3g}">{shown}</td>')
    return f"<tr{' class=faint' if belief.adjacent < LEAST_PRINTED else ''}>{''.join(cells)}</tr>"


def _classes(posterior: Posterior, texts: Sequence[str]) -> Section:
    top = posterior.top(next(k for most, k in TOP if len(texts) <= most))
    cards = "".join(
        f'<li class="panel drawing"><h3>Probability {class_probability(p)}'
        f"<span>{count(graph.edge_count, 'edge')}, score {score:,.2f}</span></h3>"
        f"{class_drawing(graph, texts, f'Class {rank}').html(f'Class {rank}')}</li>"
        for rank, (graph, p, score) in enumerate(top, start=1)
    )
    together = sum(p for _, p, _ in top)
    body = (
        "<p>A class is all that observations can tell: arrows are certain within it, plain lines may point either way. "
        f"These {len(top)} have probability {class_probability(together)} together, of {posterior.class_count:,} "
        "classes visited and listed.</p>"
        f'<ol class="classes" style="--card:{min(34, 18 + len(texts) // 3)}rem">{cards}</ol>'
    )
    return Section("classes", "Classes", "The most probable classes", body if top else "")


def _heat_map(posterior: Posterior, texts: Sequence[str]) -> Section:
    if len(texts) < 2:
        body = ""
    elif len(texts) > MOST_MAPPED:
        body = f"<p>Not drawn for more than {MOST_MAPPED} variables; the table above has the numbers.</p>"
    else:
        body = (
            "<p>Row i, column j: how probable it is that i points to j, or that the edge between them is open. An "
            "arrow is dark on one side of the diagonal only, an open edge on both.</p>"
            f'<figure class="wide">{heat_map(posterior.edge_probabilities(), texts)}</figure>'
        )
    return Section("map", "Map", "All pairs at a glance", body)


def _paths(posterior: Posterior) -> Section:
    traces = [trace for trace in posterior.trace() if len(trace.time) > 1]
    if not traces:
        return Section("paths", "Paths", "The paths of the chains", "")
    cut = f" The first {MOST_CHAINS} of {len(traces)} chains." if len(traces) > MOST_CHAINS else ""
    body = (
        "<p>What each chain did after its warm-up, one strip a chain, on the same axes. Chains that wander over the "
        f"same range, again and again, agree; one that stays where the others never go does not.{cut}</p>"
        f'<figure class="wide">{paths(traces)}</figure>'
    )
    return Section("paths", "Paths", "The paths of the chains", body)


def _errors_of(found: Diagnostics) -> Section:
    table = found.table
    order = [*range(2), *sorted(range(2, len(table)), key=lambda i: _or_less(table["ess"].iloc[i]))][:MOST_QUANTITIES]
    heads = ["Quantity", "Mean", "± error", "Effective samples", "R-hat", "Note"]
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    rows = "".join(_diagnosis(row) for row in table.iloc[order].to_dict("records"))
    left = len(table) - len(order)
    more = f" {left:,} with more effective samples are left out." if left else ""
    body = (
        "<p>The number of edges, the score, and the edges that are least well known: how far a mean may be off (one "
        "standard error), how many independent draws the run is worth, and R-hat, which is 1 where all chains tell the "
        f"same.{more}</p>"
        '<div class="scroll still" tabindex="0" role="region" aria-label="Table of diagnostics">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    return Section("errors", "Errors", "How exact the numbers are", body)


def _diagnosis(row: Mapping[Any, Any]) -> str:
    forms = {
        "mean": "{:.3f}" if abs(row["mean"]) <= 1 else "{:,.1f}",
        "mcse": "{:.2g}",
        "ess": f"over {MANY:,}" if row["ess"] > MANY else "{:,.0f}",
        "r_hat": "{:.3f}",
    }
    cells = (form.format(row[key]) if row[key] == row[key] else "" for key, form in forms.items())
    return (
        f'<tr><th scope="row">{name(row["quantity"])}</th>'
        + "".join(f'<td class="num">{cell}</td>' for cell in cells)
        + f'<td class="small">{escape(row["note"])}</td></tr>'
    )


def _or_less(ess: float) -> float:
    """What cannot be told counts as nothing."""
    return ess if ess == ess else 0.0


def _run(posterior: Posterior) -> Section:
    rows = "".join(f"<dt>{escape(term)}</dt><dd>{name(text)}</dd>" for term, text in words.facts(posterior))
    return Section("run", "Run", "What was run", f"<dl>{rows}</dl>")


def _repeat(posterior: Posterior) -> Section:
    body = (
        f'<p>{words.promise(posterior)}</p><pre tabindex="0"><code>{escape(words.repetition(posterior))}</code></pre>'
    )
    return Section("repeat", "Repeat", "The code that repeats it", body)


def _cite() -> Section:
    body = f'<p>{escape(words.PAPER)}</p><pre tabindex="0"><code>{escape(words.BIBTEX)}</code></pre>'
    return Section("cite", "Cite", "How to cite", body)
