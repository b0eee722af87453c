"""A posterior in a notebook: the lamps, a picture and a short table; and the most probable classes as cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.top_classes import edges_in_words, score_in_words
from causal_zigzag.figures.posterior_scenes import consensus_edges, placing
from causal_zigzag.figures.scene import graph_edges, scene
from causal_zigzag.figures.svg import graph_svg, scene_svg
from causal_zigzag.posterior.chain_agreement import believed_edges
from causal_zigzag.posterior.facts import facts, title
from causal_zigzag.report.lamps import all_lamps
from causal_zigzag.support.notebook_view import view
from causal_zigzag.support.wording import class_probability, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.answers.top_classes import TopClass
    from causal_zigzag.posterior.posterior import Posterior

EDGES, CARDS = 6, 12  # shown at most
MOST_DRAWN = 40  # nodes; larger pictures are not legible in a cell


def posterior_html(posterior: Posterior) -> str:
    """The lamps, a picture of the consensus, the edges to believe and the facts of the run."""
    import pandas as pd

    said = [" ".join([f"{lamp.heading}.", lamp.sentence, lamp.line, *lamp.details]) for lamp in all_lamps(posterior)]
    picture = ""
    if 2 <= len(posterior.nodes) <= MOST_DRAWN:
        drawing = scene(posterior.nodes, consensus_edges(posterior, CONSENSUS_THRESHOLD), **placing(posterior))
        picture = scene_svg(drawing, "Consensus graph")
    believed = believed_edges(posterior, EDGES)
    shown = believed.shown(EDGES)
    pairs = [(str(e), *map(probability, (*e.kinds, *(e.again or ())))) for e in shown]
    kinds = ["joined", "→", "←", "open"]
    again = [f"{kind} again" for kind in kinds] if believed.resampled else []
    table = pd.DataFrame(pairs, columns=["edge", *kinds, *again])
    top = [f"Most probable class: {class_probability(p)}, {edges_in_words(g)}" for g, p, _ in posterior.top(1)]
    run = [f"{name}: {text}" for name, text in facts(posterior, brief=True)]
    edges = view(believed.heading, [believed.text(EDGES)], table)
    return view(title(posterior), said) + picture + edges + view("The run", top + run)


def classes_html(classes: Sequence[TopClass]) -> str:
    """The most probable classes as cards: a picture of each, its probability and its score."""
    cards = "".join(
        view(
            f"{rank}. Probability {class_probability(one.probability)}",
            [f"{edges_in_words(one.graph)}{score_in_words(one.score, ', ')}"],
        )
        + (graph_svg(one.graph.nodes, graph_edges(one.graph), "Class") if len(one.graph.nodes) <= MOST_DRAWN else "")
        for rank, one in enumerate(classes[:CARDS], start=1)
    )
    return cards + (f"<div>and {len(classes) - CARDS:,} more</div>" if len(classes) > CARDS else "")
