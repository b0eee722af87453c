"""The section of a report about effects: for each outcome, its causes with intervals and probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.figures.label_text import shortened
from causal_zigzag.report.markup import escape, name, plain
from causal_zigzag.support.wording import count, probability

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd

    from causal_zigzag.posterior.posterior import Posterior

MOST_VARIABLES = 120  # more make the file large; all effects of 100 variables take about 2 s
MOST_CATEGORICAL = 40
MOST_SETS = 3000  # of parents, for categorical columns; all their effects take about 5 s
MOST_ROWS = 1500  # of all outcomes together, about 0.6 MB
MOST_CAUSES = 20  # of an outcome
LEAST_PROBABLE = 0.01  # of effects, for a cause to be listed
LONGEST_CHOICE = 40  # letters of a name in the list of choices


def effects_html(posterior: Posterior, texts: Sequence[str]) -> str:
    """The section; empty for scores without effects. ``texts`` are the names of the variables."""
    score = posterior.score
    discrete = score.categorical_rows() is not None
    if len(texts) < 2 or not (discrete or score.regression_moments() is not None):
        return ""
    most = MOST_CATEGORICAL if discrete else MOST_VARIABLES
    if len(texts) > most:
        return _too_many(f"the table has {count(len(texts), 'variable')}, and a page has them for up to {most}")
    try:
        if discrete:
            sets = sum(len(table) for table in parent_set_tables(posterior.classes.parts))
            if sets > MOST_SETS:
                return _too_many(f"the variables have {sets:,} possible sets of causes, and a page takes {MOST_SETS:,}")
        table = posterior.effects()
    except CausalZigzagError as error:
        return _absent(str(error))
    table = table[table["probability_nonzero"] >= LEAST_PROBABLE]
    named = dict(zip(posterior.nodes, texts, strict=True))
    if table.empty:
        return "<p>No variable has an effect on another with a probability of 0.01 or more.</p>"
    first = table["outcome"].iloc[0]  # that of the largest effect
    own = dict([*table.groupby("outcome", sort=False)])
    outcomes = [outcome for outcome in posterior.nodes if outcome in own]
    limit = max(3, min(MOST_CAUSES, MOST_ROWS // len(outcomes)))
    choices = "".join(
        f'<option value="{k}"{" selected" if outcome == first else ""}>{_short(named[outcome])}</option>'
        for k, outcome in enumerate(outcomes)
    )
    parts = "".join(
        _outcome(f"effects-on-{k}", own[outcome], named, limit, outcome == first) for k, outcome in enumerate(outcomes)
    )
    return (
        f"<p>{_meaning(discrete)} Each effect is averaged over all graphs and all values of their parameters: the dot "
        "is the mean, the bar holds 95 % of the probability, and the last column has the probability that there is an "
        "effect at all. All of it assumes that no variable outside the table causes two of its columns.</p>"
        f"{'' if posterior.diagnostics().ok else PROVISIONAL}"
        '<div id="effects"><div class="tools" hidden><label>What happens to'
        f'<select id="effect-outcome">{choices}</select></label></div>{parts}</div>'
    )


PROVISIONAL = '<p class="note">These numbers are provisional, as the run has not settled.</p>'


def _short(text: str) -> str:
    return escape(shortened(text, LONGEST_CHOICE))


def _meaning(discrete: bool) -> str:
    if discrete:
        return (
            "By how much the probability of a level of the outcome increases if an intervention sets the cause to one "
            "level instead of another, for the levels with the largest increase."
        )
    return (
        "By how much the mean of the outcome changes if an intervention raises the cause by 1, in the units of the "
        "table. Effects of causes in different units cannot be compared by size."
    )


def _absent(reason: str, remedy: str = "") -> str:
    return f"<p>Effects are not on this page: {escape(reason)}.{remedy}</p>"


def _too_many(reason: str) -> str:
    return _absent(reason, " <code>posterior.effects(outcomes=...)</code> computes those on chosen variables.")


def _outcome(anchor: str, table: pd.DataFrame, named: dict[Hashable, str], limit: int, is_open: bool) -> str:
    rows: list[dict[str, Any]] = table.head(limit).to_dict("records")  # type: ignore[assignment]
    low = min(0.0, *(row["lower"] for row in rows), *(row["mean"] for row in rows))
    high = max(0.0, *(row["upper"] for row in rows), *(row["mean"] for row in rows))
    outcome = named[rows[0]["outcome"]]
    what = "Increase" if "level" in table else "Change"
    heads = ("Cause", "", what, "95 % interval", "Probability of an effect")
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    body = "".join(_row(row, named, low, high) for row in rows)
    left = len(table) - len(rows)
    verb = "is" if left == 1 else "are"
    more = f'<p class="note">{count(left, "cause")} with smaller effects {verb} left out.</p>' if left else ""
    return (
        f'<details class="effects-on" id="{anchor}"{" open" if is_open else ""}>'
        f"<summary>What happens to {name(outcome)} if another variable is changed</summary>"
        '<div class="scroll still" tabindex="0" role="region" aria-label="Table of effects">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{more}</details>"
    )


def _row(row: dict[str, Any], named: dict[Hashable, str], low: float, high: float) -> str:
    cause = name(named[row["cause"]])
    if "level" in row:
        cause += f": {name(plain(row['from']))} → {name(plain(row['to']))}"
        cause += f' <span class="soft">P({name(named[row["outcome"]])} = {name(plain(row["level"]))})</span>'
    width = high - low or 1.0

    def at(value: float) -> float:
        return 100 * (min(max(value, low), high) - low) / width

    left, right = at(row["lower"]), at(row["upper"])
    bar = (
        f'<span class="interval" aria-hidden="true"><i class="zero" style="left:{at(0):.1f}%"></i>'
        f'<i class="range" style="left:{left:.1f}%;width:{right - left:.1f}%"></i>'
        f'<i class="dot" style="left:{at(row["mean"]):.1f}%"></i></span>'
    )
    numbers = (_number(row["mean"]), f"{_number(row['lower'])} to {_number(row['upper'])}")
    cells = "".join(f'<td class="num">{text}</td>' for text in (*numbers, probability(row["probability_nonzero"])))
    return f'<tr><th scope="row">{cause}</th><td class="bars">{bar}</td>{cells}</tr>'


def _number(value: float) -> str:
    """Three significant digits, without an exponent for numbers of common sizes.

    >>> [_number(value) for value in (0.0, 0.12345, -1234.5, 1e9, 0.00001)]
    ['0', '0.123', '−1,234', '1e+09', '1e-05']
    """
    size = abs(value)
    if size == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(size)))
    text = f"{size:,.{digits}f}" if 1e-3 <= size < 1e6 else f"{size:.3g}"
    return f"−{text}" if value < 0 else text
