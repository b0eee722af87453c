"""What each arrow of the model withstands: rows that are resampled, and causes that may be hidden."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.ancestral.classes import forced_shares
from causal_zigzag.ancestral.columns import gaussian_columns
from causal_zigzag.ancestral.posterior import AncestralPosterior
from causal_zigzag.answers.settled_directions import MAJORITY, settled_arrows
from causal_zigzag.errors import CausalZigzagError, SettingsError
from causal_zigzag.report.markup import name, row, table
from causal_zigzag.report.words import term
from causal_zigzag.support.wording import count, probability

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from causal_zigzag.posterior.posterior import Posterior

HEADS = {
    "Arrow": "",
    "Model": "Probability of the arrow in the model",
    "Rows resampled": "Probability of the arrow when rows are resampled",
    "Causes hidden": "Probability that every explanation of the table, with hidden causes or without, has this cause",
}
CONTRADICTED = 0.95  # probability that x does not cause y
LINE = 'hidden = posterior.hidden_causes()\nposterior.report("report.html", hidden=hidden)'


class ArrowTest(NamedTuple):
    """An arrow of the model: its probability, again when rows are resampled, and when causes may be hidden.

    ``hidden`` is the probability of the classes of ancestral graphs in which x causes y in all members, directly or
    through other variables, ``against`` that x does not cause y. None is what was not tested.
    """

    x: Hashable
    y: Hashable
    said: float
    again: float | None
    hidden: float | None
    against: float | None

    @property
    def withstands_all(self) -> bool:
        """Whether both were tested, and the arrow has more than half of all probability in both."""
        return all(p is not None and p > MAJORITY for p in (self.again, self.hidden))


def can_be_hidden(posterior: Posterior) -> bool:
    """Whether ``hidden_causes`` accepts the table of this run."""
    try:
        gaussian_columns(posterior.score, None, "auto", {})
    except CausalZigzagError:
        return False
    return True


def arrow_tests(posterior: Posterior, hidden: AncestralPosterior | None) -> list[ArrowTest]:
    """The arrows that the model says, those that withstand most first; empty without ``hidden``."""
    if hidden is None:
        return []
    if not isinstance(hidden, AncestralPosterior):
        raise SettingsError(f"hidden must be what posterior.hidden_causes() returns, not {hidden!r}")
    if not {*hidden.nodes} <= {*posterior.nodes}:
        raise SettingsError(f"hidden must be about columns of this posterior, unlike {hidden!r}")
    edges, causes, (forced, _) = posterior.edge_probabilities(), hidden.shares.causes, forced_shares(hidden._classes)
    number = {v: i for i, v in enumerate(hidden.nodes)}
    tests = []
    for i, j in np.argwhere(settled_arrows(edges) | settled_arrows(replace(edges, again=None))).tolist():
        x, y = posterior.nodes[i], posterior.nodes[j]
        again = None if edges.again is None else float(edges.again.directed[i, j])
        without: tuple[float | None, float | None] = (None, None)
        if x in number and y in number:
            pair = number[x], number[y]
            without = float(forced[pair]), 1 - float(causes[pair])
        tests.append(ArrowTest(x, y, float(edges.directed[i, j]), again, *without))
    return sorted(tests, key=lambda one: -min(p for p in (one.said, one.again, one.hidden) if p is not None))


def hidden_words(tests: Sequence[ArrowTest], hidden: AncestralPosterior) -> str:
    """How many arrows hold when causes may be hidden, and which do not."""
    tested = [one for one in tests if one.hidden is not None]
    if not tested:
        return "The model has no arrow that a hidden cause could explain."
    held = sum(one.hidden is not None and one.hidden > MAJORITY for one in tested)
    against = [f"{one.x} → {one.y}" for one in tested if one.against is not None and one.against > CONTRADICTED]
    arrows = f"{held} of {count(len(tested), 'arrow')} of the model {'holds' if held == 1 else 'hold'}"
    words = f"{arrows} when causes may be hidden."
    if left := len(tested) - held - len(against):
        words += f" The table leaves open whether {left} {'is' if left == 1 else 'are'} due to a hidden common cause."
    words += f" It speaks against {', '.join(against)}." if against else ""
    return words if hidden.diagnostics().ok else f"{words} This is provisional. {hidden.diagnostics().verdict}."


def arrow_tests_html(tests: Sequence[ArrowTest], texts: Sequence[str], nodes: Sequence[Hashable]) -> str:
    """The table of all arrows with the three marks; empty if there is none."""
    if not tests:
        return ""
    shown = dict(zip(nodes, texts, strict=True))
    rows = []
    for one in tests:
        sign = '<span class="mark" role="img" aria-label="causes">→</span><wbr>'
        arrow = f"{name(shown[one.x])}{sign}{name(shown[one.y])}"
        is_open = one.against is not None and one.against <= CONTRADICTED
        cells = _cell(one.said), _cell(one.again), _cell(one.hidden, "○" if is_open else "✗")
        rows.append(row(f"<strong>{arrow}</strong>" if one.withstands_all else arrow, *cells))
    return (
        "<p>An arrow of the model may depend on which rows were drawn, and on the assumption that no cause is hidden. "
        "✓ marks what has more than half of all probability, ○ where the table fits a hidden cause as well, ✗ what "
        f"does not hold. Bold arrows, also in the graph, {term('withstand all')}."
        f"</p>{table('Arrows and what they withstand', HEADS, rows)}"
    )


def _cell(p: float | None, otherwise: str = "✗") -> str:
    return "not tested" if p is None else f"{'✓' if p > MAJORITY else otherwise} {probability(p)}"
