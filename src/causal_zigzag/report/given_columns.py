"""The sections about columns that are given and not explained: experimental conditions, and the past of a series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causal_zigzag.answers.acts_on import conditions_of
from causal_zigzag.report.markup import escape, row, table
from causal_zigzag.support.wording import probability
from causal_zigzag.tables.lagged import past_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import pandas as pd

    from causal_zigzag.posterior.posterior import Posterior

SHOWN = 0.05  # rows of at least this probability
MOST_ROWS = 40


def conditions_html(posterior: Posterior) -> str:
    """What each experimental condition acts on, and the arrows that it directs; empty without conditions."""
    if not conditions_of(posterior._classes):
        return ""
    acts, directed = _likely(posterior.acts_on()), _likely(posterior.directed_by_conditions())
    resampled = posterior.resampled
    again = _again(None if resampled is None else resampled.acts_on(), ["condition", "variable"])
    rows = [
        row(_arrow(one["condition"], one["variable"]), probability(one["probability"]), *again(one)) for one in acts
    ]
    heads = ["Acts on", "Probability", *([] if resampled is None else ["again"])]
    html = (
        "<p>How probable it is that a condition acts on a variable directly, and not only through other variables. "
        f"Rows below {SHOWN} are left out.</p>" + table("What conditions act on", heads, rows)
    )
    if not directed:
        return html
    rows = [
        row(
            _arrow(one["cause"], one["outcome"]),
            probability(one["probability"]),
            probability(one["without_conditions"]),
        )
        for one in directed
    ]
    heads = ["Arrow", "Probability", "Without conditions"]
    return (
        f"{html}<p>Arrows between variables that are directed because of the conditions, and how probable it is, in "
        "the same graphs, that observations alone would direct them.</p>" + table("Directed arrows", heads, rows)
    )


def over_time_html(posterior: Posterior) -> str:
    """Which series causes which, and at which lag; empty unless the table is one of ``lagged``."""
    known = posterior.target.knowledge
    if known is None or not past_columns(posterior.nodes, known.conditions):
        return ""
    resampled = posterior.resampled
    again = _again(None if resampled is None else resampled.over_time(), ["cause", "lag", "outcome"])
    rows = [
        row(
            _arrow(one["cause"], one["outcome"]),
            str(one["lag"]),
            *map(probability, (one["probability"], one["open"], one["any_lag"])),
            *again(one),
        )
        for one in _likely(posterior.over_time())
    ]
    heads = ["Arrow", "Lag", "Probability", "Open", "Any lag", *([] if resampled is None else ["Probability again"])]
    return (
        "<p>Which series causes which, and how many steps later; lag 0 is within the same time. “Any lag” is the "
        f"probability of an arrow at one lag or more. Rows below {SHOWN} are left out.</p>"
        + table("Causes over time", heads, rows)
    )


def _again(found: pd.DataFrame | None, keys: list[str]) -> Callable[[dict[Hashable, Any]], list[str]]:
    """For a row, its probability when rows are resampled; nothing if they were not."""
    if found is None:
        return lambda _: []
    held = found.set_index(keys)["probability"]
    return lambda one: [probability(float(held.loc[tuple(one[key] for key in keys)]))]


def _arrow(cause: object, outcome: object) -> str:
    return f"{escape(str(cause))} → {escape(str(outcome))}"


def _likely(found: pd.DataFrame) -> list[dict[Hashable, Any]]:
    return found[found["probability"] >= SHOWN].head(MOST_ROWS).to_dict("records")
