"""The heat map of a report: a table whose cells are as dark as causal paths are probable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.figures.label_text import shortened
from causal_zigzag.report.markup import escape
from causal_zigzag.support.wording import probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

MOST_NUMBERED = 14  # nodes; cells of larger maps are too small for digits
MOST_MAPPED = 100  # nodes; larger maps are not legible and make the file large


def heat_map(paths: NDArray[np.float64], texts: Sequence[str]) -> str:
    """Row i, column j: the probability of a causal path from i to j."""
    n = len(texts)
    labels = [f'<span title="{escape(text)}">{escape(shortened(text, 18))}</span>' for text in texts]

    def cell(i: int, j: int) -> str:
        if i == j or paths[i, j] < 0.005:
            return "<td></td>" if i != j else '<td class="self"></td>'
        look = ' class="dark"' if paths[i, j] > 0.6 else ""
        number = f"{paths[i, j]:.2f}" if n <= MOST_NUMBERED else ""
        said = escape(f"{texts[i]} affects {texts[j]}: {probability(paths[i, j])}")
        return f'<td{look} style="--p:{100 * paths[i, j]:.0f}%" title="{said}">{number}</td>'

    head = "".join(f'<th scope="col">{label}</th>' for label in labels)
    rows = "".join(
        f'<tr><th scope="row">{labels[i]}</th>{"".join(cell(i, j) for j in range(n))}</tr>' for i in range(n)
    )
    size = min(44.0, max(11.0, 700 / n))
    return (
        f'<table class="map" style="--cell:{size:.0f}px" aria-label="Probabilities of causal paths"><thead><tr>'
        f"<td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
