"""The results of a run, as text and as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from causal_zigzag.cli.output import heading, paragraph, records, table
from causal_zigzag.cli.remedies import option_advice

if TYPE_CHECKING:
    import causal_zigzag as cz
    from causal_zigzag.answers.resamples.stability import Stability

SHOWN_EDGES = 20
SHOWN_CLASSES = 5


def show_results(posterior: cz.Posterior, err: bool = False, saved: str = "") -> None:
    """Print the run, the most probable edges and classes, and the verdict on convergence; ``saved`` is its file."""
    from causal_zigzag.posterior.facts import facts

    heading("What was run", err)
    table(facts(posterior), err)
    _show_edges(posterior, err)
    _show_classes(posterior, err)
    _show_known_structure(posterior, err)
    show_conclusions(posterior, err, saved)


def show_conclusions(posterior: cz.Posterior, err: bool = False, saved: str = "") -> None:
    """Print what is doubtful in the table, the verdict on convergence, what holds again, and what to do next."""
    from causal_zigzag.posterior.advice import advice
    from causal_zigzag.posterior.stability import stability_of

    checks, found = posterior.audit(), posterior.diagnostics()
    if checks is not None and not checks.ok:
        heading("What to check in the data", err)
        for doubt in checks.doubts:
            paragraph(f"{doubt}{f' ({doubt.flag})' if doubt.flag else ''}", err)
    heading(found.judgement.heading, err)
    paragraph(found.judgement.text(option_advice), err)
    stability = stability_of(posterior)
    if stability is not None:
        heading("Stability: everything holds again" if stability.ok else "Stability: not everything holds again", err)
        paragraph(f"{stability.words}.", err)
        if stability.lost:
            lost = ", ".join(f"{x} -> {y}" for x, y in stability.lost[:SHOWN_EDGES])
            paragraph(f"Arrows of the model that do not hold, the most probable first: {lost}.", err)
    proposals = advice(posterior, saved=saved)
    if proposals:
        heading("What next", err)
    for proposal in proposals:
        paragraph(proposal.text, err)
        if line := proposal.command or proposal.code:
            table([(line, "")], err)


def _show_edges(posterior: cz.Posterior, err: bool) -> None:
    from causal_zigzag.posterior.chain_agreement import believed_edges
    from causal_zigzag.support.wording import probability

    believed = believed_edges(posterior, 5)
    heading(believed.heading, err)
    paragraph(believed.text(SHOWN_EDGES), err)
    shown = believed.shown(SHOWN_EDGES)
    rows = [(str(e), *map(probability, (*e.kinds, *(e.again or ())))) for e in shown]
    heads = ("edge", "joined", "->", "<-", "open")
    again = ("joined again", "-> again", "<- again", "open again") if believed.resampled else ()
    table([(*heads, *again), *rows] if rows else [("none", "")], err)


def _show_classes(posterior: cz.Posterior, err: bool) -> None:
    from causal_zigzag.answers.top_classes import edges_in_words, score_in_words
    from causal_zigzag.support.wording import class_probability

    heading("The most probable classes", err)
    top = posterior.top(SHOWN_CLASSES)
    table([(class_probability(p), edges_in_words(g), score_in_words(score)) for g, p, score in top], err)


def _show_known_structure(posterior: cz.Posterior, err: bool) -> None:
    from causal_zigzag.report.known_structure import HEADS, known_structure

    known = known_structure(posterior)
    if known is not None:
        heading(known.heading, err)
        paragraph(known.text, err)
        rows = [(f"{e.x} {'->' if e.determinable else '-'} {e.y}", *e.numbers, e.outcome) for e in known.edges]
        table([tuple(text.lower() for text in HEADS), *rows], err)


def run_value(posterior: cz.Posterior, saved: str = "") -> dict[str, Any]:
    """A run for JSON."""
    from causal_zigzag.graphs.formats.node_link import json_label
    from causal_zigzag.posterior.advice import advice
    from causal_zigzag.posterior.facts import shortfalls
    from causal_zigzag.posterior.stability import stability_of

    target, record = posterior.target, posterior.record
    found, checks, stability = posterior.diagnostics(), posterior.audit(), stability_of(posterior)
    return {
        "version": record.version if record else None,
        "data": record.data if record else None,
        "reading": record.reading if record else None,
        "rows_left_out": record.left_out if record else None,
        "seed": record.seed if record else None,
        "seconds": record.seconds if record else None,
        "score": repr(target.score),
        "coldness": target.coldness,
        "edge_prior": str(target.edge_prior),
        "prior": posterior.prior,
        "knowledge": None if target.knowledge is None else str(target.knowledge),
        "nodes": [json_label(v) for v in posterior.nodes],
        "chains": len(posterior._results),
        "jumps": sum(s.jumps for s in posterior.statistics),
        "interrupted": posterior._interrupted,
        "shortfalls": shortfalls(posterior),
        "converged": bool(found.ok),
        "verdict": found.verdict,
        "stability": None if stability is None else stability_value(stability),
        "findings": None if checks is None else [asdict(finding) for finding in checks.findings],
        "advice": [proposal._asdict() for proposal in advice(posterior, saved=saved)],
        "classes": posterior.class_count,
        "top": [class_value(g, p, score) for g, p, score in posterior.top(SHOWN_CLASSES)],
        "edges": records(posterior.edge_table()),
    }


def stability_value(found: Stability) -> dict[str, Any]:
    """What holds when rows are resampled."""
    from causal_zigzag.graphs.formats.node_link import json_label

    lost = [[json_label(x), json_label(y)] for x, y in found.lost]
    return found._asdict() | {"lost": lost}


def class_value(graph: cz.CPDAG | cz.MPDAG, probability: float, score: float) -> dict[str, Any]:
    """A class with its probability and its score."""
    from causal_zigzag.graphs.formats.node_link import node_link

    known = None if math.isnan(score) else score  # not known if cells are missing
    return {"probability": probability, "score": known, **node_link(graph)}
