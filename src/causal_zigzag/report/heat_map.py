"""The heat map of a report: a table whose cells are as dark as the edges are probable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.figures.label_text import shortened
from causal_zigzag.report.markup import escape
from causal_zigzag.support.wording import probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities

MOST_NUMBERED = 14  # nodes; cells of larger maps are too small for digits
MOST_MAPPED = 150  # nodes; larger maps are not legible and make the file large
LONGEST_NAME = 18  # letters
LEAST_SHOWN = 0.005  # cells of smaller probabilities are blank


def heat_map(edges: EdgeProbabilities, texts: Sequence[str]) -> str:
    """Row i, column j: the probability of i -> j or i - j; a settled direction is dark on one side only."""
    n = len(texts)
    may = edges.directed + edges.undirected
    labels = [f'<span title="{escape(text)}">{escape(shortened(text, LONGEST_NAME))}</span>' for text in texts]

    def cell(i: int, j: int) -> str:
        if i == j or may[i, j] < LEAST_SHOWN:
            return "<td></td>" if i != j else '<td class="self"></td>'
        ways = f"{probability(edges.directed[i, j])}, open: {probability(edges.undirected[i, j])}"
        look = ' class="dark"' if may[i, j] > 0.6 else ""
        number = f"{may[i, j]:.2f}" if n <= MOST_NUMBERED else ""
        said = escape(f"{texts[i]} → {texts[j]}: {ways}")
        return f'<td{look} style="--p:{100 * may[i, j]:.0f}%" title="{said}">{number}</td>'

    head = "".join(f'<th scope="col">{label}</th>' for label in labels)
    rows = "".join(
        f'<tr><th scope="row">{labels[i]}</th>{"".join(cell(i, j) for j in range(n))}</tr>' for i in range(n)
    )
    size = min(44.0, max(11.0, 700 / n))
    return (
        f'<table class="map" style="--cell:{size:.0f}px" aria-label="Probabilities of edges"><thead><tr><td></td>{head}'
        f"</tr></thead><tbody>{rows}</tbody></table>"
    )
