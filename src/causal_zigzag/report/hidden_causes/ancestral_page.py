"""The page of a posterior over ancestral graphs: what holds when causes may be hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.report.markup import escape, name, node_texts, row, table
from causal_zigzag.report.page import Section, filled_page
from causal_zigzag.support.version import package_version
from causal_zigzag.support.wording import class_probability, count, probability

if TYPE_CHECKING:
    from causal_zigzag.ancestral.posterior import AncestralPosterior

HEADS = {
    "x, y": "",
    "Joined": "Probability of an edge of any kind",
    "x causes y": "Directly or through other variables",
    "y causes x": "Directly or through other variables",
    "Neither": "Probability that neither causes the other",
    "Forced →": "Probability that all graphs which no data can tell apart have x as a cause of y",
    "Forced ←": "Probability that all graphs which no data can tell apart have y as a cause of x",
}
SHOWN = ("joined", "x_causes_y", "y_causes_x", "neither", "forced_forward", "forced_backward")
CLASSES = 3


def ancestral_page_html(posterior: AncestralPosterior) -> str:
    """The whole page."""
    texts = dict(zip(posterior.nodes, node_texts(posterior.nodes), strict=True))
    rows = []
    for values in posterior.edge_table().to_dict("records"):
        pair = f"{name(texts[values['x']])}, {name(texts[values['y']])}"
        rows.append(row(pair, *(probability(values[word]) for word in SHOWN)))
    pictures = "".join(
        f'<li class="panel drawing"><h3>Probability {escape(class_probability(top.probability))}</h3>'
        f"{top.graph._repr_svg_() or escape(repr(top.graph))}</li>"
        for top in posterior.top(CLASSES)
    )
    sections = [
        Section(
            "pairs", "Pairs", "Who causes whom",
            "<p>Of each pair, how probable it is that x causes y, that y causes x, and that neither causes the other. "
            "What is forced does not depend on how graphs are counted that no data can tell apart. That neither causes "
            f"the other is no proof of a hidden common cause.</p>{table('Pairs of variables', HEADS, rows)}",
        ),
        Section(
            "classes", "Classes", "The most probable classes",
            "<p>A class holds the graphs that no observations can tell apart. A circle at the end of an edge is a mark "
            f'that these graphs do not share.</p><ol class="classes" style="--card:24rem">{pictures}</ol>',
        ),
        Section("run", "Run", "What was run", f"<pre>{escape(posterior.summary())}</pre>"),
    ]  # fmt: skip
    nodes = count(len(posterior.nodes), "variable")
    lede = f'<p class="lede"><span>{escape(nodes)}</span></p><p>{escape(posterior.diagnostics().verdict)}.</p>'
    return filled_page("What holds when causes may be hidden", package_version(), lede, sections, "")
