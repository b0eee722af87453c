"""The HTML report of a posterior, one file that works offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.report.hidden_causes.ancestral_page import ancestral_page_html
from causal_zigzag.report.page import page_html
from causal_zigzag.support.atomic_write import write_text

if TYPE_CHECKING:
    import os

    from causal_zigzag.ancestral.posterior import AncestralPosterior
    from causal_zigzag.answers.own_graph.judgement import Judgement
    from causal_zigzag.posterior.posterior import Posterior

__all__ = ["page_html", "write_ancestral_report", "write_report"]


def write_report(
    posterior: Posterior,
    path: str | os.PathLike[str],
    hidden: AncestralPosterior | None = None,
    judgement: Judgement | None = None,
) -> None:
    """Write the page atomically."""
    write_text(path, page_html(posterior, hidden, judgement))


def write_ancestral_report(posterior: AncestralPosterior, path: str | os.PathLike[str]) -> None:
    """Write the page of a posterior over ancestral graphs atomically."""
    write_text(path, ancestral_page_html(posterior))
