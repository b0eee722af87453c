"""The section about missing cells: how many there are and where, what predicts that, and what is assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.answers.missing_data import ASSUMPTION
from causal_zigzag.report.markup import escape, row, table
from causal_zigzag.support.wording import count, percentage

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior

MOST_PATTERNS, MOST_COLUMNS, MOST_PREDICTORS = 6, 40, 10


def missing_cells_html(posterior: Posterior) -> str:
    """The section; empty if no cell was missing."""
    found = posterior.missing
    if found is None:
        return ""
    worst = sorted(((share, str(name)) for name, share in found.shares.items() if share > 0), reverse=True)
    shares = [row(escape(name), percentage(share)) for share, name in worst[:MOST_COLUMNS]]
    columns = table("Missing cells by column", ["Column", "Missing"], shares)
    some = [(", ".join(map(str, names)) or "nothing", rows) for names, rows in found.patterns[:MOST_PATTERNS]]
    together = [row(escape(names), f"{rows:,}") for names, rows in some]
    patterns = table("The most frequent patterns", ["Missing together", "Rows"], together)
    related = "".join(
        f"<li>Whether {escape(str(one.column))} is missing is related to {escape(str(one.predictor))} "
        f"({one.relation:.2f}).</li>"
        for one in found.predictors.head(MOST_PREDICTORS).itertuples()
    )
    test = escape(str(found.little))
    if found.little.freedom:
        test += " A small p-value is no reason for concern: the analysis does not assume this."
    return (
        f"<p>Some cells were not observed, and what they may have been is part of every answer. "
        f"{found.complete_rows:,} of {count(found.rows, 'row')} are complete.</p>{columns}{patterns}"
        f"<p>{test}</p>{f'<ul>{related}</ul>' if related else ''}<p>{escape(ASSUMPTION)}</p>"
    )
