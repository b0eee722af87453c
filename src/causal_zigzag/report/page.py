"""The page of a report: its first screen, its sections and their order."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag.answers.top_classes import edges_in_words, score_in_words
from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.posterior.diagnostics.verdict import MANY_SAMPLES
from causal_zigzag.posterior.facts import facts
from causal_zigzag.report import repetition
from causal_zigzag.report.assumptions import assumptions_html, preparation_html
from causal_zigzag.report.contradiction import contradiction
from causal_zigzag.report.edge_table import all_edges, most_probable
from causal_zigzag.report.effect_chooser import effects_html
from causal_zigzag.report.given_columns import conditions_html, over_time_html
from causal_zigzag.report.graph_view import Drawings, class_picture, differences, drawings, graph_view
from causal_zigzag.report.heat_map import MOST_MAPPED, heat_map
from causal_zigzag.report.hidden_causes.arrow_tests import arrow_tests, arrow_tests_html, hidden_words
from causal_zigzag.report.known_structure import known_structure, known_structure_html
from causal_zigzag.report.lamps import lamps_html, next_html
from causal_zigzag.report.markup import code, escape, name, node_texts, row, table
from causal_zigzag.report.missing_cells import missing_cells_html
from causal_zigzag.report.model_check import model_check_section, tested_model
from causal_zigzag.report.own_graph import own_graph_html
from causal_zigzag.report.trace_strips import MOST_CHAINS, trace_strips
from causal_zigzag.report.words import term, words_html
from causal_zigzag.support.wording import class_probability, count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from causal_zigzag.ancestral.posterior import AncestralPosterior
    from causal_zigzag.answers.own_graph.judgement import Judgement
    from causal_zigzag.posterior.diagnostics.diagnostics import Diagnostics
    from causal_zigzag.posterior.posterior import Posterior

MOST_QUANTITIES = 12
SCRIPTS = ("edge_table.js", "graph.js", "effect_chooser.js")


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


def page_html(
    posterior: Posterior, hidden: AncestralPosterior | None = None, judgement: Judgement | None = None
) -> str:
    """The whole page."""
    texts = node_texts(posterior.nodes)
    tests = arrow_tests(posterior, hidden)
    withstood = "" if hidden is None else hidden_words(tests, hidden)
    drawn = drawings(posterior, {(one.x, one.y) for one in tests if one.withstands_all})
    known = known_structure(posterior)
    check, against = tested_model(posterior), contradiction(posterior)
    again = f"<p>This code gives the answer again. {repetition.promise(posterior)}</p>"
    again += code(repetition.repetition(posterior))
    sections = [
        Section("known", "Truth", known.heading if known else "", known_structure_html(known) if known else ""),
        Section("own", "Your graph", "What the data say about your graph", own_graph_html(judgement)),
        Section("preparation", "Table", "How the table was prepared", preparation_html(posterior)),
        Section("missing", "Missing", "What was missing", missing_cells_html(posterior)),
        Section(
            "assumptions", "Assumptions", "What is assumed", assumptions_html(posterior, check, withstood, against)
        ),
        Section("fit", "Fit", "Does the model fit?", model_check_section(posterior, check)),
        Section("conditions", "Conditions", "What the conditions act on", conditions_html(posterior)),
        Section("time", "Time", "What causes what over time", over_time_html(posterior)),
        Section("arrows", "Arrows", "What the arrows withstand", arrow_tests_html(tests, texts, posterior.nodes)),
        Section("edges", "Edges", "Probabilities of all edges", all_edges(posterior, texts)),
        Section("what-if", "Effects", "What happens if a variable is changed", effects_html(posterior, texts)),
        Section("classes", "Classes", "The most probable classes", _classes(posterior, texts, drawn)),
        Section("map", "Map", "Heat map of causal paths", _heat_map(posterior, texts)),
        Section("paths", "Traces", "Traces of the chains", _traces(posterior)),
        Section("errors", "Accuracy", "Accuracy of the numbers", _accuracy(posterior.diagnostics())),
        Section("run", "Run", "What was run", _run(posterior)),
        Section("repeat", "Repeat", "Code that repeats the run", again),
        Section("words", "Words", "Words on this page", words_html()),
        Section("cite", "Cite", "How to report and cite it", _citation(posterior)),
    ]
    lede = "".join(f"<span>{escape(word)}</span>" for word in repetition.lede(posterior))
    first = (
        f'<p class="lede">{lede}</p>{lamps_html(posterior, check, against)}'
        f'<div class="first{" broad" if drawn.broad else ""}"><figure class="panel drawing">'
        f"{graph_view(posterior, texts, drawn)}</figure>{most_probable(posterior, texts)}"
        f"{next_html(posterior, check)}</div>"
    )
    version = posterior.record.version if posterior.record else "unknown"
    return filled_page(repetition.title(posterior), version, first, sections, "".join(map(_resource, SCRIPTS)))


def filled_page(title: str, version: str, first: str, sections: Sequence[Section], script: str) -> str:
    """The template with a heading, what comes first, and the sections that have a body."""
    sections = [section for section in sections if section.body]
    return Template(_resource("page.html")).substitute(
        title=escape(title),
        version=escape(version),
        style=_resource("style.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        navigation="".join(f'<li><a href="#{s.anchor}">{s.short}</a></li>' for s in sections),
        body=f"<h1>{name(title)}</h1>{first}" + "".join(section.html() for section in sections),
        footer=f"Made by causal-zigzag {escape(version)}. This page is one file that makes no network requests.",
    )


def _citation(posterior: Posterior) -> str:
    return (
        "<p>A paragraph for the methods section of a paper, with the settings of this run.</p>"
        f"<blockquote>{escape(posterior.methods())}</blockquote>"
        f"<p>The paper of the method.</p>{code(repetition.BIBTEX)}"
    )


def _resource(file: str) -> str:
    return resources.files("causal_zigzag.report").joinpath(file).read_text(encoding="utf-8")


def _classes(posterior: Posterior, texts: Sequence[str], drawn: Drawings) -> str:
    pictures = [class_picture(one, f"Class {rank}") for rank, one in enumerate(drawn.classes, start=1)]
    cards = "".join(
        f'<li class="panel drawing"><h3>Probability {escape(class_probability(p))}'
        f"<span>{edges_in_words(graph)}{score_in_words(score, ', ')}</span></h3>"
        f'<p class="note compared">{_compared(differences(posterior, graph, texts))}</p>'
        f"{pictures[k] if pictures else ''}</li>"
        for k, (graph, p, score) in enumerate(drawn.top)
    )
    together = sum(p for _, p, _ in drawn.top)
    alone = "" if posterior.resampled is None else " of the model, without resampling"
    hint = "" if pictures else " They can be drawn by choosing them above the graph."
    return (
        f"<p>Graphs that no observations can tell apart form one {term('class')}; these are the most probable "
        f"ones{alone}. An arrow has the same direction in all graphs of the class, a dashed line is {term('open')}. "
        f"These {len(drawn.top)} classes together have probability {escape(class_probability(together))}; "
        f"{posterior.class_count:,} classes are stored.{hint}</p>"
        f'<ol class="classes" style="--card:{min(34, 18 + len(texts) // 3)}rem">{cards}</ol>'
    )


def _compared(found: list[str]) -> str:
    """The differences of a class from the consensus, of which at most twelve are listed."""
    if not found:
        return "The same as the consensus."
    more = f"; and {len(found) - 12:,} more" if len(found) > 12 else ""
    return f"{count(len(found), 'difference')} from the consensus: {escape('; '.join(found[:12]))}{more}."


def _heat_map(posterior: Posterior, texts: Sequence[str]) -> str:
    if not 2 <= len(texts) <= MOST_MAPPED:
        return ""
    try:
        paths = (posterior.resampled or posterior).ancestors().to_numpy()
    except CausalZigzagError:  # a class with too many members
        return ""
    drawn = "" if posterior.resampled is None else " when rows are resampled"
    return (
        "<p>What affects what at a glance: the darker a cell, the more probable it is that the variable of its row "
        f"affects that of its column{drawn}, directly or through others. This is the probability of a "
        f"{term('causal path')}.</p>"
        f'<figure class="wide">{heat_map(paths, texts)}</figure>'
    )


def _traces(posterior: Posterior) -> str:
    traces = [trace for trace in posterior.trace() if len(trace.time) > 1]
    if not traces:
        return ""
    cut = f" The first {MOST_CHAINS} of {len(traces)} chains are shown." if len(traces) > MOST_CHAINS else ""
    return (
        f"<p>The answer comes from several independent runs, called {term('chain', 'chains')}; if they agree, these "
        "curves cover the same range. A chain that stays where the others never go does not agree with them. Shown are "
        f"the number of edges and the {term('score')} of each chain after its warm-up, on the same axes.{cut}</p>"
        f'<figure class="wide">{trace_strips(traces)}</figure>'
    )


def _accuracy(found: Diagnostics) -> str:
    shown = found.table.iloc[2:].sort_values("ess", kind="stable", na_position="first").index[: MOST_QUANTITIES - 2]
    rows = found.table.loc[[*found.table.index[:2], *shown]].to_dict("records")
    left = len(found.table) - len(rows)
    more = f" {left:,} quantities with more effective samples are left out." if left else ""
    heads = ("Quantity", "Mean", "± error", "Effective samples", "R-hat", "Note")
    return (
        "<p>How far the numbers on this page may be off because the run was finite. Listed are the number of edges, "
        f"the score, and the edges with the fewest {term('effective samples')}: each with its mean, its "
        f"{term('error')}, the effective samples and {term('R-hat')}.{more}</p>"
        + table("Table of diagnostics", heads, map(_diagnosis, rows))
    )


def _diagnosis(values: Mapping[Any, Any]) -> str:
    forms = {
        "mean": "{:.3f}" if abs(values["mean"]) <= 1 else "{:,.1f}",
        "mcse": "{:.2g}",
        "ess": f"over {MANY_SAMPLES:,}" if values["ess"] > MANY_SAMPLES else "{:,.0f}",
        "r_hat": "{:.3f}",
    }
    cells = (form.format(values[key]) if values[key] == values[key] else "" for key, form in forms.items())
    return row(name(values["quantity"]), *cells, note=escape(values["note"]))


def _run(posterior: Posterior) -> str:
    rows = "".join(f"<dt>{escape(term)}</dt><dd>{name(text)}</dd>" for term, text in facts(posterior))
    return f"<p>All settings of the run, for whoever wants to judge or repeat it.</p><dl>{rows}</dl>"
