"""The section of a page on whether the model fits: verdict, most extreme tests, and small pictures of residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.model_check.model_check import MOST_NODES
from causal_zigzag.errors import DataError, ScoreError, SettingsError
from causal_zigzag.report.markup import code, escape, name
from causal_zigzag.tables.names_in_words import listed

if TYPE_CHECKING:
    from causal_zigzag.answers.model_check.model_check import ModelCheck, ResidualPicture
    from causal_zigzag.posterior.posterior import Posterior

MOST_CATEGORICAL = 20  # more take several seconds
WIDTH, HEIGHT = 180, 120
BINS = 12  # of the line through the means of residuals


def tested_model(posterior: Posterior) -> ModelCheck | None:
    """The check that the page shows; None if the rows are not known, too few are complete, or it takes too long."""
    if (posterior.score.source_table or posterior._checked) is None or len(posterior.nodes) > _most_nodes(posterior):
        return None
    try:
        return posterior.check_model()
    except (DataError, ScoreError, SettingsError):  # too few complete rows, no one model of all, or other classes now
        return None


def model_check_section(posterior: Posterior, check: ModelCheck | None) -> str:
    """The section of the page; empty if nothing could be tested."""
    if check is not None:
        return model_check_html(check)
    most = _most_nodes(posterior)
    if posterior.score.source_table is None or len(posterior.nodes) <= most:
        return ""
    return f"<p>Not tested here for more than {most} variables:</p>{code('print(posterior.check_model())')}"


def _most_nodes(posterior: Posterior) -> int:
    return MOST_NODES if posterior.score.categorical_rows() is None else MOST_CATEGORICAL


def model_check_html(check: ModelCheck) -> str:
    """The verdict in words, the most extreme tests and the pictures of residuals."""
    first, second = str(check).split("\n")[:2]
    worst = "".join(f"<li>{escape(words)}</li>" for words in check.worst())
    pictures = "" if check.ok else "".join(_picture(one, _given(one, check)) for one in check.pictures)
    row = f'<div style="display:flex;flex-wrap:wrap;gap:1rem">{pictures}</div>' if pictures else ""
    return f"<p><strong>{escape(first)}</strong> {escape(second)}</p>{f'<ul>{worst}</ul>' if worst else ''}{row}"


def _given(one: ResidualPicture, check: ModelCheck) -> list[str]:
    """The other columns that were given in the most extreme test that a picture shows."""
    tests = check.tests[(check.tests["node"] == one.node) & (check.tests["kind"] == one.kind)]
    if one.kind != "outliers":
        tests = tests[tests["other"] == one.other]
    given = tests.sort_values("p_value", kind="stable")["given"].iloc[0]
    return [str(v) for v in given if v != one.other]


def _picture(one: ResidualPicture, given: list[str]) -> str:
    """A scatter plot of a residual, with the means of residuals along the other column as a line."""
    x, y = _scaled(one.values, WIDTH), HEIGHT - _scaled(one.residuals, HEIGHT)
    dots = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x, y, strict=True))
    groups = np.array_split(np.argsort(one.values, kind="stable"), min(BINS, len(x)))
    line = " ".join(f"{x[own].mean():.1f},{y[own].mean():.1f}" for own in groups if len(own))
    also = f", given {listed(given)}" if given else ""
    label = f"Residual of {one.node} against {one.other}{also}"
    return (
        f'<figure style="margin:0;max-width:{WIDTH + 8}px"><svg role="img" aria-label="{escape(label)}" '
        f'width="{WIDTH}" height="{HEIGHT}" viewBox="-4 -4 {WIDTH + 8} {HEIGHT + 8}">'
        f'<path d="{dots}" fill="none" stroke="currentColor" '
        'stroke-opacity="0.35" stroke-width="3" stroke-linecap="round"/><polyline '
        f'points="{line}" fill="none" stroke="#c2410c" stroke-width="2"/></svg>'
        f"<figcaption>Residual of {name(one.node)} against {name(one.other)}{escape(also)}</figcaption></figure>"
    )


def _scaled(values: np.ndarray, size: int) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    return np.asarray((values - low) / (high - low or 1.0) * size)
