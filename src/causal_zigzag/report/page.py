"""The sections of a report and the page that they form."""

from __future__ import annotations

import base64
import hashlib
import math
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.settled_directions import LikeliestEdge, likeliest_edges
from causal_zigzag.answers.top_classes import edges_in_words
from causal_zigzag.posterior.chain_agreement import believed_edges
from causal_zigzag.posterior.diagnostics.verdict import MANY
from causal_zigzag.posterior.facts import facts
from causal_zigzag.report import run_description
from causal_zigzag.report.assumptions import assumptions_html
from causal_zigzag.report.charts import MOST_CHAINS, MOST_MAPPED, heat_map, trace_chart
from causal_zigzag.report.effects import effects_html
from causal_zigzag.report.graph_view import differences, graph_view, is_large
from causal_zigzag.report.graphs import class_image, frame
from causal_zigzag.report.known_structure import known_structure, known_structure_html
from causal_zigzag.report.markup import escape, name, node_texts
from causal_zigzag.support.wording import class_probability, count, probability

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.posterior.diagnostics.diagnostics import Diagnostics
    from causal_zigzag.posterior.posterior import Posterior

FIRST_EDGES = 10  # on the first screen
TOP = ((15, 6), (30, 4), (math.inf, 2))  # (largest number of nodes, number of classes shown)
MOST_QUANTITIES = 12
MOST_DIFFERENCES = 12  # of a class from the consensus
LEAST_LISTED = 0.001  # less probable pairs are left out of a table that would be too long
MOST_ROWS = 5000
LEAST_PRINTED = 0.01

HEADS = {  # of the four probabilities of a pair, with explanations
    "Joined": "Probability that an edge of any kind joins the two variables",
    "→": "Probability that the first variable points to the second",
    "←": "Probability that the second variable points to the first",
    "Open": "Probability that an edge joins them whose direction the data cannot determine",
}
LEGEND = (
    '<span class="legend"><i class="this"></i>→ <i class="other"></i>← <i class="open"></i>open (direction cannot be '
    "determined)</span>"
)
MARKS = {"->": "→", "-": "—"}
MARK_WORDS = {"->": "causes", "-": "direction not settled"}


class Section(NamedTuple):
    """A part of the page: its anchor, its entry in the navigation, its heading and its HTML."""

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
    listed = likeliest_edges(edges, least) or likeliest_edges(edges, most=FIRST_EDGES)
    found = posterior.diagnostics()
    sections = [
        _known(posterior),
        _assumptions(posterior),
        _edges(posterior, listed, texts),
        Section("what-if", "Effects", "What happens if a variable is changed", effects_html(posterior, texts)),
        _classes(posterior, texts),
        _heat_map(posterior, texts),
        _traces(posterior),
        _errors_of(found),
        _run(posterior),
        _repeat(posterior),
        _cite(),
    ]
    sections = [section for section in sections if section.body]
    title = run_description.title(posterior)
    script = _resource("script.js") + _resource("graph.js") + _resource("effects.js")
    lede = "".join(f"<span>{escape(word)}</span>" for word in run_description.lede(posterior))
    body = f'<h1>{name(title)}</h1><p class="lede">{lede}</p>{_first(posterior, found, texts)}' + "".join(
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
        footer=f"Made by causal-zigzag {escape(version)}. This page is one file that makes no network requests.",
    )


def _resource(file: str) -> str:
    return resources.files("causal_zigzag.report").joinpath(file).read_text(encoding="utf-8")


def _first(posterior: Posterior, found: Diagnostics, texts: Sequence[str]) -> str:
    """The first screen: verdict, most probable pairs and consensus graph."""
    strong = (
        "Stronger lines are more probable."
        if found.ok
        else "It is provisional, as the run has not settled: a line is only as strong as the chain that gives it the "
        "least probability."
    )
    caption = (
        f"The consensus: the class of all pairs joined with probability {CONSENSUS_THRESHOLD:g} or more. {strong} An "
        "arrowhead is drawn only where the direction is settled: it has more than half of the probability of the pair, "
        "or follows from such directions. A direction that the other edges of the class do not imply is drawn as a "
        "line, which may point either way."
    )
    view = graph_view(posterior, texts, caption)
    layout = "first broad" if view.broad else "first"
    return (
        f'<div class="{layout}"><div>{_verdict(posterior, found)}{_most_probable(posterior, texts)}</div>'
        f'<figure class="panel drawing">{view.html}</figure></div>'
    )


def _verdict(posterior: Posterior, found: Diagnostics) -> str:
    mood = "good" if found.ok else "warn"
    lacks = "".join(f"<li>{escape(line)}</li>" for line in posterior.shortfalls())
    return (
        f'<section class="panel verdict {mood}" aria-labelledby="verdict-h">'
        f'<h2 id="verdict-h">{found.judgement.heading}</h2>'
        f"<p>{escape(_with_arrows(found.verdict))}</p>{f'<ul>{lacks}</ul>' if lacks else ''}</section>"
    )


def _with_arrows(text: str) -> str:
    """The text with real arrows, which are not broken at the end of a line."""
    return text.replace(" -> ", " → ").replace(" -- ", " – ")


def _most_probable(posterior: Posterior, texts: Sequence[str]) -> str:
    believed = believed_edges(posterior, FIRST_EDGES)
    head = '<th scope="col">Edge</th>' + "".join(
        f'<th scope="col" title="{words}">{text}</th>' for text, words in HEADS.items()
    )
    rows = "".join(
        f'<tr><th scope="row">{_edge(pair, texts)}{_bar(pair)}</th>'
        + "".join(f'<td class="num">{probability(p)}</td>' for p in _probabilities(pair))
        + "</tr>"
        for pair in believed.shown(FIRST_EDGES)
    )
    return (
        f'<section class="panel believe" aria-labelledby="believe-h"><h2 id="believe-h">{believed.heading}</h2>'
        f'<p class="note">{believed.text(FIRST_EDGES)}</p>'
        '<div class="probable" tabindex="0" role="region" aria-label="Most probable pairs">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        f'<p class="note">{LEGEND} · <a href="#edges">all edges</a></p></section>'
    )


def _edge(pair: LikeliestEdge, texts: Sequence[str]) -> str:
    mark = f'<span class="mark" role="img" aria-label="{MARK_WORDS[pair.mark]}">{MARKS[pair.mark]}</span>'
    return f"{name(texts[pair.i])}{mark}<wbr>{name(texts[pair.j])}"


def _probabilities(pair: LikeliestEdge) -> tuple[float, float, float, float]:
    """In the order of HEADS."""
    return pair.adjacent, pair.forward, pair.backward, pair.undirected


def _bar(pair: LikeliestEdge) -> str:
    """The probability that the pair is joined, divided into the three kinds of edge."""
    parts = (("this", pair.forward), ("open", pair.undirected), ("other", pair.backward))
    inside = "".join(f'<i class="{kind}" style="width:{100 * p:.1f}%"></i>' for kind, p in parts if p >= 0.002)
    return f'<span class="bar" aria-hidden="true">{inside}</span>'


def _edges(posterior: Posterior, listed: Sequence[LikeliestEdge], texts: Sequence[str]) -> Section:
    rows = listed[:MOST_ROWS]
    errors = posterior.edge_errors[:, :, 0]
    heads = {"Edge": "", **HEADS, "± error": "Monte Carlo standard error of “joined”"}
    head = "".join(
        f'<th scope="col" aria-sort="{"descending" if k == 1 else "none"}" title="{words}">'
        f'<button type="button">{text}</button></th>'
        for k, (text, words) in enumerate(heads.items())
    )
    left_out = _pairs(texts) - len(rows)
    note = f'<span class="on-paper"> Pairs below {LEAST_PRINTED} are not printed.</span>'
    note += f" {left_out:,} improbable pairs are left out." if left_out else ""
    body = (
        "<p>One row per pair of variables, the more probable direction first: the probability that an edge joins them, "
        "and of each of the three kinds of edge. “Open” means that the data cannot determine the direction: graphs "
        "with either direction fit equally well. The edge has an arrow if that direction has more than half of the "
        "probability of the pair. The error is the Monte Carlo standard error of “joined”; it is missing for pairs "
        f'that changed fewer than ten times.{note}</p><p class="note">{LEGEND}</p>'
        '<div class="tools" hidden>'
        '<label>Find variables<input type="search" id="edge-search" autocomplete="off" spellcheck="false"></label>'
        '<label><span>Joined with at least <output id="edge-least-shown" for="edge-least">0.00</output></span>'
        '<input type="range" id="edge-least" min="0" max="1" step="0.01" value="0"></label>'
        '<button type="button" id="edge-reset">Reset</button>'
        '<p id="edge-count" role="status" aria-live="polite"></p></div>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of edges">'
        f'<table id="edge-table"><thead><tr>{head}</tr></thead><tbody>'
        + "".join(_row(pair, texts, float(errors[pair.i, pair.j])) for pair in rows)
        + "</tbody></table></div>"
    )
    return Section("edges", "Edges", "Probabilities of all edges", body)


def _pairs(texts: Sequence[str]) -> int:
    return len(texts) * (len(texts) - 1) // 2


def _row(pair: LikeliestEdge, texts: Sequence[str], error: float) -> str:
    key = f"{texts[pair.i]} {texts[pair.j]}"
    cells = [f'<th scope="row" data-key="{escape(key)}">{_edge(pair, texts)}</th>']
    cells += [
        f'<td class="num" data-value="{p:.6g}">{_bar(pair) if k == 0 else ""}{probability(p)}</td>'
        for k, p in enumerate(_probabilities(pair))
    ]
    shown = "–" if error != error else f"{error:.2g}" if error >= 1e-4 else "< 0.0001"
    cells.append(f'<td class="num small" data-value="{error if error == error else -1:.3g}">{shown}</td>')
    return f"<tr{' class=faint' if pair.adjacent < LEAST_PRINTED else ''}>{''.join(cells)}</tr>"


def _known(posterior: Posterior) -> Section:
    known = known_structure(posterior)
    heading = "The truth beside the answer" if known and known.is_truth else "The literature beside the answer"
    return Section("known", "Truth", heading, known_structure_html(known) if known else "")


def _assumptions(posterior: Posterior) -> Section:
    return Section("assumptions", "Assumptions", "What is assumed", assumptions_html(posterior))


def _classes(posterior: Posterior, texts: Sequence[str]) -> Section:
    top = posterior.top(next(k for most, k in TOP if len(texts) <= most))
    consensus = posterior.consensus()
    cards = "".join(
        f'<li class="panel drawing"><h3>Probability {class_probability(p)}'
        f"<span>{edges_in_words(graph)}, score {score:,.2f}</span></h3>"
        f'<p class="note">{_compared(graph, consensus, texts)}</p>'
        + ("" if is_large(graph) else frame(class_image(graph, texts, f"Class {rank}"), f"Class {rank}"))
        + "</li>"
        for rank, (graph, p, score) in enumerate(top, start=1)
    )
    together = sum(p for _, p, _ in top)
    hint = " They can be drawn by choosing them above the graph." if any(is_large(g) for g, _, _ in top) else ""
    body = (
        "<p>Observations can determine a structure only up to its class: an arrow has the same direction in all DAGs "
        "of the class, a line without an arrowhead may point either way. "
        f"These {len(top)} classes together have probability {class_probability(together)}; {posterior.class_count:,} "
        f"classes are stored.{hint}</p>"
        f'<ol class="classes" style="--card:{min(34, 18 + len(texts) // 3)}rem">{cards}</ol>'
    )
    return Section("classes", "Classes", "The most probable classes", body if top else "")


def _compared(graph: ClassGraph, consensus: ClassGraph, texts: Sequence[str]) -> str:
    """In which edges a class differs from the consensus."""
    found = [escape(text) for text in differences(graph, consensus, texts)]
    if not found:
        return "The same as the consensus."
    more = f"; and {len(found) - MOST_DIFFERENCES:,} more" if len(found) > MOST_DIFFERENCES else ""
    return f"{count(len(found), 'difference')} from the consensus: {'; '.join(found[:MOST_DIFFERENCES])}{more}."


def _heat_map(posterior: Posterior, texts: Sequence[str]) -> Section:
    if len(texts) < 2:
        body = ""
    elif len(texts) > MOST_MAPPED:
        body = f"<p>Not drawn for more than {MOST_MAPPED} variables; see the table above for the numbers.</p>"
    else:
        body = (
            "<p>Row i, column j: the probability that i points to j or that the edge between them is open. A directed "
            "edge is dark on one side of the diagonal, an open edge on both.</p>"
            f'<figure class="wide">{heat_map(posterior.edge_probabilities(), texts)}</figure>'
        )
    return Section("map", "Map", "Heat map of all pairs", body)


def _traces(posterior: Posterior) -> Section:
    traces = [trace for trace in posterior.trace() if len(trace.time) > 1]
    if not traces:
        return Section("paths", "Traces", "Traces of the chains", "")
    cut = f" The first {MOST_CHAINS} of {len(traces)} chains are shown." if len(traces) > MOST_CHAINS else ""
    body = (
        "<p>Number of edges and score of each chain after its warm-up, on the same axes. Chains that agree cover the "
        f"same range repeatedly; a chain that stays where the others never go does not agree with them.{cut}</p>"
        f'<figure class="wide">{trace_chart(traces)}</figure>'
    )
    return Section("paths", "Traces", "Traces of the chains", body)


def _errors_of(found: Diagnostics) -> Section:
    table = found.table
    order = [*range(2), *sorted(range(2, len(table)), key=lambda i: _or_zero(table["ess"].iloc[i]))][:MOST_QUANTITIES]
    heads = ["Quantity", "Mean", "± error", "Effective samples", "R-hat", "Note"]
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    rows = "".join(_diagnosis(row) for row in table.iloc[order].to_dict("records"))
    left = len(table) - len(order)
    more = f" {left:,} quantities with more effective samples are left out." if left else ""
    body = (
        "<p>The number of edges, the score, and the edges with the fewest effective samples: the Monte Carlo standard "
        "error of the mean, the number of independent draws that would give this error, and R-hat, which is 1 if all "
        f"chains agree.{more}</p>"
        '<div class="scroll still" tabindex="0" role="region" aria-label="Table of diagnostics">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    return Section("errors", "Accuracy", "Accuracy of the numbers", body)


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


def _or_zero(ess: float) -> float:
    """Zero where the effective sample size is unknown."""
    return ess if ess == ess else 0.0


def _run(posterior: Posterior) -> Section:
    rows = "".join(f"<dt>{escape(term)}</dt><dd>{name(text)}</dd>" for term, text in facts(posterior))
    return Section("run", "Run", "What was run", f"<dl>{rows}</dl>")


def _repeat(posterior: Posterior) -> Section:
    code = escape(run_description.repetition(posterior))
    body = f'<p>{run_description.promise(posterior)}</p><pre tabindex="0"><code>{code}</code></pre>'
    return Section("repeat", "Repeat", "Code that repeats the run", body)


def _cite() -> Section:
    body = (
        f'<p>{escape(run_description.PAPER)}</p><pre tabindex="0"><code>{escape(run_description.BIBTEX)}</code></pre>'
    )
    return Section("cite", "Cite", "How to cite", body)
