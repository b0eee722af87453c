"""The assumptions behind the arrows of a run, and what its data look like against each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag.posterior.facts import arrows_of_consensus
from causal_zigzag.report.markup import escape
from causal_zigzag.scores.bge import BGe
from causal_zigzag.scores.discrete import BDeu, DiscreteBIC
from causal_zigzag.scores.gaussian import GaussianBIC
from causal_zigzag.scores.mixed import MixedBIC

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.tables.finding import FindingKind

NUMBERS: tuple[FindingKind, ...] = ("skew", "outliers", "spikes")
LEVELS: tuple[FindingKind, ...] = ("sparse levels",)


class Assumption(NamedTuple):
    """An assumption: its name, what it means, and what was found in the data; None if they were not asked, and why."""

    name: str
    meaning: str
    found: list[str] | None
    unasked: str = "The data cannot show whether this holds."


def assumptions(posterior: Posterior) -> list[Assumption]:
    """The assumptions of a run, in the order of a reader's likely doubts."""
    checks = posterior.audit()

    def found(*about: FindingKind) -> list[str] | None:
        return None if checks is None else [str(finding) for finding in checks.about(*about)]

    form = {
        GaussianBIC: ("Linear effects and normal noise", NUMBERS),
        BGe: ("Linear effects and normal noise", NUMBERS),
        DiscreteBIC: ("Categories", LEVELS),
        BDeu: ("Categories", LEVELS),
        MixedBIC: ("Categories, and linear effects with normal noise", (*LEVELS, *NUMBERS)),
    }.get(type(posterior.score))
    listed = [
        *_knowledge(posterior),
        Assumption(
            "No hidden common causes",
            "No variable outside the table causes two of its columns. Otherwise an edge can mean a common cause.",
            None,
        ),
    ]
    if form is not None:
        name, about = form
        meaning = {
            LEVELS: "Every combination of causes has its own probabilities, which need rows to be estimated.",
            NUMBERS: "A variable is a linear combination of its causes plus normal noise of constant variance.",
        }.get(
            about,
            "Numbers depend linearly on each other, with normal noise; categories have their own probabilities.",
        )
        listed.append(Assumption(name, meaning, found(*about)))
    return [
        *listed,
        Assumption("Independent rows", "Each row is a separate unit; no row influences another.", found("order")),
        Assumption(
            "Enough rows, and no column twice",
            "Columns that say the same make it arbitrary which of them an edge belongs to.",
            found("few rows", "duplicates", "collinear"),
        ),
        Assumption("No feedback", "The causal graph has no directed cycles.", None),
    ]


def _knowledge(posterior: Posterior) -> list[Assumption]:
    if posterior.target.knowledge is None:
        return []
    arrows = ", ".join(f"{x} -> {y}" for x, y in arrows_of_consensus(posterior))
    alone = f" Directions of the consensus graph that come from it alone: {arrows}." if arrows else ""
    return [
        Assumption(
            "What was given as known",
            f"{_capital(str(posterior.target.knowledge))}. Graphs that contradict this have no probability.{alone}",
            None,
            "It was not compared with the data. A run without it shows what the data alone say.",
        )
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def assumptions_html(posterior: Posterior) -> str:
    """The assumptions as a list, with findings highlighted."""
    unknown = posterior.audit() is None
    items = "".join(_item(one, unknown) for one in assumptions(posterior))
    note = " The table was not available for checks, as the run was given a score." if unknown else ""
    return (
        "<p>The probabilities on this page hold under these assumptions. The table was compared with those that data "
        f'can contradict.{note}</p><ul class="assumptions">{items}</ul>'
    )


def _item(one: Assumption, unknown: bool) -> str:
    if one.found:
        state, mark = "".join(f"<p>{escape(text)}</p>" for text in one.found), "warn"
    elif one.found is None:
        state, mark = "" if unknown else f'<p class="soft">{one.unasked}</p>', "open"
    else:
        state, mark = '<p class="soft">Nothing against it was found in the data.</p>', "good"
    return f'<li class="{mark}"><h3>{one.name}</h3><p>{escape(one.meaning)}</p>{state}</li>'
