"""The lamps of a report: has the sampling converged, what holds when rows are resampled, do the assumptions hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag.answers.resamples.stability import RESAMPLED
from causal_zigzag.answers.settled_directions import HIGHLY_PROBABLE, MAJORITY
from causal_zigzag.posterior.advice import resampling
from causal_zigzag.posterior.facts import shortfalls
from causal_zigzag.posterior.stability import groups_apart, is_untested, stability_of
from causal_zigzag.report.markup import code, escape
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from causal_zigzag.answers.model_check.model_check import ModelCheck
    from causal_zigzag.posterior.posterior import Posterior

DOUBTS_SHOWN = 3  # the others are in the section on assumptions
ARROWS_NAMED = 12


class Lamp(NamedTuple):
    """One statement about a run: good, warn, or dark if nothing is known; its heading, one sentence, and details.

    ``line`` is code to paste.
    """

    name: str
    mood: str
    heading: str
    sentence: str
    details: list[str]
    line: str = ""

    def html(self) -> str:
        """The lamp as a panel, whose details unfold."""
        more = "".join(f"<li>{escape(text)}</li>" for text in self.details)
        sentence = escape(self.sentence)
        said = f"<details><summary>{sentence}</summary><ul>{more}</ul></details>" if more else f"<p>{sentence}</p>"
        return (
            f'<section class="panel lamp {self.mood}" aria-labelledby="{self.name}-lamp"><h2 id="{self.name}-lamp">'
            f"{self.heading}</h2>{said}{code(self.line) if self.line else ''}</section>"
        )


def sampling_lamp(posterior: Posterior) -> Lamp:
    """Whether the numbers would change in a longer run."""
    found = posterior.diagnostics()
    verdict = found.verdict.replace(" -> ", " → ").replace(" -- ", " – ")  # which are not broken at the end of a line
    if found.ok:
        heading = "Sampling: converged"
        sentence = "A longer run would hardly change the numbers, right or wrong."
    else:
        heading, sentence = "Sampling: not converged", "The numbers are provisional: a longer run may change them."
    return Lamp("sampling", "good" if found.ok else "warn", heading, sentence, [verdict, *shortfalls(posterior)])


def stability_lamp(posterior: Posterior) -> Lamp | None:
    """What holds when rows are resampled; dark if this was not tested, and None if there are no rows."""
    if is_untested(posterior):
        sentence = f"It is not known which arrows hold {RESAMPLED}. This tests it:"
        return Lamp("stability", "dark", "Stability: not tested", sentence, [], resampling(posterior)[0])
    found, resampled = stability_of(posterior), posterior.resampled
    if found is None or resampled is None:
        return None
    accuracy, groups = resampled.diagnostics(), groups_apart(posterior)
    edges = f"{found.edges_again:,} of {count(found.edges, 'edge')}"
    arrows = f"{found.arrows_again:,} of {count(found.arrows, 'arrow')}"
    if found.ok:
        which = f"{_all(found.arrows, 'arrow') if found.arrows else _all(found.edges, 'edge')} hold"
        sentence = f"What the model says also holds {RESAMPLED}."
    elif found.certain_again < found.certain:
        certain = f"{found.certain_again:,} of {count(found.certain, 'arrow')}"
        which = f"{certain} {'stays' if found.certain == 1 else 'stay'} above {HIGHLY_PROBABLE:g}"
        sentence = f"{RESAMPLED.capitalize()}, {arrows} and {edges} stay above {MAJORITY:g}."
    elif found.arrows_again < found.arrows:
        which, sentence = f"{arrows} hold", f"{RESAMPLED.capitalize()}, {edges} hold."
    else:
        which = f"{edges} hold"
        sentence = f"{RESAMPLED.capitalize()}, {arrows} hold." if found.arrows else "There was no arrow to test."
    details = []
    if found.lost:
        named = [f"{x} → {y}" for x, y in found.lost[:ARROWS_NAMED]]
        more = f" and {len(found.lost) - ARROWS_NAMED:,} more" if len(found.lost) > ARROWS_NAMED else ""
        details.append(f"Drawn as lines, as these arrows do not hold: {', '.join(named)}{more}.")
    if groups is not None:
        sentence += f" Rows of the same {groups.columns[0]} were drawn apart, so that too much holds."
    if not accuracy.accurate:
        sentence += " More resamples are needed."
    elif not accuracy.ok:
        sentence += f" The chains of {count(accuracy.disagree, 'resample')} disagree."
    details += [f"{found.words}.", f"Drawn: {resampled.scheme}. {accuracy.verdict}"]
    return Lamp(
        "stability",
        "good" if found.ok and accuracy.ok and groups is None else "warn",
        f"Stability: {which}",
        sentence,
        details,
    )


def _all(number: int, what: str) -> str:
    return f"{'all ' if number > 1 else f'{number} of '}{count(number, what)}"


def assumptions_lamp(posterior: Posterior, check: ModelCheck | None = None, against: str = "") -> Lamp:
    """Whether the table, or the ``check`` of the model, shows anything against the assumptions, the worst first.

    ``against`` says how the data contradict what was given as known.
    """
    audit = posterior.audit()
    if audit is None:
        sentence = "The run was given a score and not a table, so nothing could be compared with the assumptions."
        return Lamp("assumptions", "dark", "Assumptions: not checked", sentence, [])
    doubts = [finding.words for finding in audit.doubts]
    if check is not None and not check.ok:
        doubts.insert(0, f"{str(check).splitlines()[0]} See Fit.")
    doubts[:0] = [f"What was given as known: {against[:1].lower()}{against[1:]}"] if against else []
    found = len(doubts)
    if not doubts and check is None and posterior.score.assumption() is not None:
        sentence = "The table shows nothing against them; whether the model fits was not tested."
        return Lamp("assumptions", "good", "Assumptions: nothing found against them", sentence, [])
    if not doubts:
        sentence = "The table shows nothing against them; hidden common causes are a test of their own."
        return Lamp("assumptions", "good", "Assumptions: nothing found against them", sentence, [])
    sentence = "Edges may be wrong because of what the table shows against the method."
    if found > DOUBTS_SHOWN:
        doubts[DOUBTS_SHOWN:] = [f"And {count(found - DOUBTS_SHOWN, 'more finding')} below."]
    return Lamp("assumptions", "warn", f"Assumptions: {count(found, 'doubt')}", sentence, doubts)


def all_lamps(posterior: Posterior, check: ModelCheck | None = None, against: str = "") -> list[Lamp]:
    """The lamps of a run; the second one only if it has rows."""
    lamps = sampling_lamp(posterior), stability_lamp(posterior), assumptions_lamp(posterior, check, against)
    return [lamp for lamp in lamps if lamp is not None]


def lamps_html(posterior: Posterior, check: ModelCheck | None, against: str = "") -> str:
    """The lamps side by side."""
    return f'<div class="lamps">{"".join(lamp.html() for lamp in all_lamps(posterior, check, against))}</div>'


def next_html(posterior: Posterior, check: ModelCheck | None) -> str:
    """The first thing to do next, in one sentence with its line, and all proposals in full below it."""
    proposals = posterior.advice(check)
    if proposals:
        first = proposals[0]
        steps = f"<p>{escape(first.brief)}</p>{code(first.code) if first.code else ''}"
        items = ""
        for one in proposals:
            lines = "\n".join(filter(None, (one.code, one.command)))
            items += f"<li><p>{escape(one.text)}</p>{code(lines) if lines else ''}</li>"
        others = f" and {count(len(proposals) - 1, 'more proposal')}" if len(proposals) > 1 else ""
        shell = ", for the shell" if any(one.command for one in proposals) else ""
        steps += f"<details><summary>Why{shell}{others}</summary><ol>{items}</ol></details>"
    elif all(lamp.mood == "good" for lamp in all_lamps(posterior, check)):
        steps = "<p>Nothing needs to be done first. Read on.</p>"
    else:
        steps = "<p>Judge the doubts before you rely on an edge.</p>"
    return f'<section class="panel next" aria-labelledby="next"><h2 id="next">What next</h2>{steps}</section>'
