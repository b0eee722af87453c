"""The assumptions behind the arrows of a run, and what its data look like against each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from causal_zigzag.posterior.stability import arrows_of_consensus
from causal_zigzag.report.hidden_causes.arrow_tests import LINE, can_be_hidden
from causal_zigzag.report.markup import code, escape
from causal_zigzag.tables.lagged import past_columns

if TYPE_CHECKING:
    from causal_zigzag.answers.model_check.model_check import ModelCheck
    from causal_zigzag.posterior.posterior import Posterior


UNTESTED = "It was not tested which arrows hold without this. The table can say:"
UNASKED = "Which arrows hold without this can be asked of tables of 2 to 20 numeric columns."


class Assumption(NamedTuple):
    """An assumption: its name, what it means, and what was found in the data; None if they were not asked, and why."""

    name: str
    meaning: str
    found: list[str] | None
    unasked: str = "This table cannot show whether it holds."
    line: str = ""  # code that asks


def assumptions(
    posterior: Posterior, check: ModelCheck | None = None, hidden: str = "", against: str = ""
) -> list[Assumption]:
    """The assumptions of a run, in the order of a reader's likely doubts.

    ``check`` is that of the model, ``hidden`` says which arrows hold when causes may be hidden, if this was tested, and
    ``against`` how the data contradict what was given as known.
    """
    checks = posterior.audit()
    left = [] if checks is None else [*checks.doubts]  # that belong to none of the assumptions so far

    def found(*about: Any) -> list[str] | None:
        own = [finding for finding in left if finding.kind in about]
        left[:] = [finding for finding in left if finding not in own]
        return None if checks is None else [str(finding) for finding in own]

    listed, knowledge = [], posterior.target.knowledge
    if knowledge is not None:
        known = str(knowledge)
        arrows = ", ".join(f"{x} -> {y}" for x, y in arrows_of_consensus(posterior))
        alone = f" Directions of the consensus graph that come from it alone: {arrows}." if arrows else ""
        meaning = f"{known[:1].upper()}{known[1:]}. Graphs that contradict this have no probability.{alone}"
        unasked = "A run without it shows what the data alone say."
        listed.append(Assumption("What was given as known", meaning, [against] if against else None, unasked))
    meaning = "No variable outside the table causes two of its columns. Otherwise an edge can mean a common cause."
    if hidden:
        listed.append(Assumption("No hidden common causes", meaning, None, hidden))
    elif can_be_hidden(posterior):
        listed.append(Assumption("No hidden common causes", meaning, None, UNTESTED, LINE))
    else:
        listed.append(Assumption("No hidden common causes", meaning, None, UNASKED))
    if posterior.score.is_incomplete:
        meaning = "Whether a cell is missing may depend on observed cells, but not on the value that is missing."
        listed.append(Assumption("Missing at random", meaning, None))
    form = posterior.score.assumption()
    if form is not None:
        of_form = found(*form.checks)
        if check is not None and not check.ok:
            of_form = [f"The model does not fit: {check.reason}. See Fit.", *(of_form or [])]
        listed.append(Assumption(form.name, form.meaning, of_form))
    if past_columns(posterior.nodes, () if knowledge is None else knowledge.conditions):
        name = "Rows that depend on their past alone"
        meaning = "Given its columns of the past, no row depends on others, and effects are the same at all times."
    else:
        name, meaning = "Independent rows", "Each row is a separate unit; no row influences another."
    listed.append(Assumption(name, meaning, found("order", "drift", "groups", "counts", "design")))
    meaning = "Columns that say the same make it arbitrary which of them an edge belongs to."
    same = found("few rows", "duplicates", "collinear", "function")
    listed.append(Assumption("Enough rows, and no column twice", meaning, same))
    listed.append(Assumption("No feedback", "The causal graph has no directed cycles.", None))
    meaning = "What decides whether a row is in the table depends on at most one column; two that decide look joined."
    unasked = "Compare the rows with those that are not in the table, or with the population, column by column."
    listed.append(Assumption("No selection of rows", meaning, None, unasked))
    meaning = "Columns are what they are called. Errors of a cause leave edges to what else is related to it."
    unasked = "Repeated measurements of some rows show how large errors are."
    listed.append(Assumption("No errors of measurement", meaning, None, unasked))
    if left:
        listed.append(Assumption("Anything else", "What else speaks against the method.", [*map(str, left)]))
    return listed


def assumptions_html(posterior: Posterior, check: ModelCheck | None = None, hidden: str = "", against: str = "") -> str:
    """The assumptions as a list, with findings highlighted."""
    unknown = posterior.audit() is None
    items = "".join(_item(one, unknown) for one in assumptions(posterior, check, hidden, against))
    note = " The table was not available for checks, as the run was given a score." if unknown else ""
    return (
        "<p>The probabilities are right only if these assumptions hold. Those that data can contradict were compared "
        f'with the table.{note}</p><ul class="assumptions">{items}</ul>'
    )


def _item(one: Assumption, unknown: bool) -> str:
    if one.found:
        state, mark = "".join(f"<p>{escape(text)}</p>" for text in one.found), "warn"
    elif one.found is None:
        state, mark = (
            "" if unknown else f'<p class="soft">{escape(one.unasked)}</p>{code(one.line) if one.line else ""}',
            "open",
        )
    else:
        state, mark = '<p class="soft">Nothing against it was found in the data.</p>', "good"
    return f'<li class="{mark}"><h3>{one.name}</h3><p>{escape(one.meaning)}</p>{state}</li>'


def preparation_html(posterior: Posterior) -> str:
    """What reading the table left out or changed, each with the option that decides otherwise."""
    audit = posterior.audit()
    if audit is None or not audit.notes:
        return ""
    options = [f" To decide otherwise: <code>{escape(n.option)}</code>" if n.option else "" for n in audit.notes]
    items = "".join(f"<li>{escape(str(note))}{how}</li>" for note, how in zip(audit.notes, options, strict=True))
    return f"<p>The table was not used exactly as it is.</p><ul>{items}</ul>"
