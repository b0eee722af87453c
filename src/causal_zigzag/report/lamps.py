"""The lamps of a report, side by side: has the sampling converged, do the assumptions hold, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag.report.markup import code, escape
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from causal_zigzag.answers.model_check.model_check import ModelCheck
    from causal_zigzag.posterior.posterior import Posterior

DOUBTS_SHOWN = 3  # the others are in the section on assumptions


class Lamp(NamedTuple):
    """One statement about a run: good, warn, or dark if nothing is known; its heading, one sentence, and details."""

    name: str
    mood: str
    heading: str
    sentence: str
    details: list[str]

    def html(self) -> str:
        """The lamp as a panel."""
        more = "".join(f"<li>{escape(text)}</li>" for text in self.details)
        return (
            f'<section class="panel lamp {self.mood}" aria-labelledby="{self.name}-lamp"><h2 id="{self.name}-lamp">'
            f"{self.heading}</h2><p>{self.sentence}</p>{f'<ul>{more}</ul>' if more else ''}</section>"
        )


def sampling_lamp(posterior: Posterior) -> Lamp:
    """Whether the numbers would change in a longer run."""
    found = posterior.diagnostics()
    verdict = found.verdict.replace(" -> ", " → ").replace(" -- ", " – ")  # which are not broken at the end of a line
    if found.ok:
        heading, sentence = "Sampling: converged", "A longer run would hardly change the numbers on this page."
    else:
        heading, sentence = "Sampling: not converged", "The numbers are provisional: a longer run may change them."
    return Lamp("sampling", "good" if found.ok else "warn", heading, sentence, [verdict, *posterior.shortfalls()])


def assumptions_lamp(posterior: Posterior, check: ModelCheck | None = None) -> Lamp:
    """Whether the table, or the ``check`` of the model, shows anything against the assumptions, the worst first."""
    audit = posterior.audit()
    if audit is None:
        sentence = "The run was given a score and not a table, so nothing could be compared with the assumptions."
        return Lamp("assumptions", "dark", "Assumptions: not checked", sentence, [])
    doubts = [finding.words for finding in audit.doubts]
    if check is not None and not check.ok:
        doubts.insert(0, f"{str(check).splitlines()[0]} See Fit.")
    found = len(doubts)
    if not doubts:
        sentence = (
            "The table shows nothing against what the method assumes. Some of it no table can show, above all that "
            "there are no hidden common causes."
        )
        return Lamp("assumptions", "good", "Assumptions: nothing found against them", sentence, [])
    sentence = "What the table shows against the method, the worst first; edges may be wrong because of it."
    if found > DOUBTS_SHOWN:
        doubts[DOUBTS_SHOWN:] = [f"And {count(found - DOUBTS_SHOWN, 'more finding')} below."]
    return Lamp("assumptions", "warn", f"Assumptions: {count(found, 'doubt')}", sentence, doubts)


def lamps_html(posterior: Posterior, check: ModelCheck | None) -> str:
    """Both lamps, and what to do next with the lines to paste."""
    assumptions = assumptions_lamp(posterior, check)
    items = ""
    for proposal in posterior.advice(check):
        lines = "\n".join(filter(None, (proposal.code, proposal.command)))
        items += f"<li><p>{escape(proposal.text)}</p>{code(lines) if lines else ''}</li>"
    fine = "Nothing needs to be done first. Read on."
    nothing = "Judge the doubts before you rely on an edge." if assumptions.mood == "warn" else fine
    return (
        f'<div class="lamps">{sampling_lamp(posterior).html()}{assumptions.html()}<section class="panel lamp next" '
        'aria-labelledby="next"><h2 id="next">What next</h2>'
        f"{f'<ol>{items}</ol>' if items else f'<p>{nothing}</p>'}</section></div>"
    )
