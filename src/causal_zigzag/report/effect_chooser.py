"""The chooser of effects in a report: for each outcome its causes, how probable and how large their effects are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.effects.queries import several_effects
from causal_zigzag.answers.resamples.stability import RESAMPLED
from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.figures.label_text import shortened
from causal_zigzag.report.effect_picture import curve_picture, effect_picture
from causal_zigzag.report.markup import escape, name
from causal_zigzag.report.words import term
from causal_zigzag.scores.responses.cells import CellModel
from causal_zigzag.support.shown_text import plain
from causal_zigzag.support.wording import count, probability

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd

    from causal_zigzag.answers.distribution import Distribution
    from causal_zigzag.answers.effects.effect import Effect
    from causal_zigzag.posterior.posterior import Posterior

MOST_VARIABLES = 120  # more make the file large; all effects of 100 variables take about 2 s
MOST_CATEGORICAL = 40
MOST_SETS = 3000  # of parents, for categorical columns; all their effects take about 5 s
MOST_AGAIN = {"lines": 10_000, "lines and levels": 5000, "levels": 300}  # sets in all resamples; about 5 s as well
MOST_ROWS = 1500  # of all outcomes together, about 0.6 MB
MOST_CAUSES = 20  # of an outcome
MOST_PICTURES = 400  # with densities or curves; the others are intervals
LEAST_SHOWN = 0.05  # change of a probability that an axis shows
MOST_ALL_LEVELS = 60  # pairs of which all levels are listed; of the others, those with the largest effect
LEAST_PROBABLE = 0.01  # of causal paths, for a cause to be listed
NEARLY_CERTAIN = 0.975  # of a causal path; below, "none" is part of the answer
LONGEST_CHOICE = 40  # letters of a name in the list of choices

PROVISIONAL = '<p class="note">These numbers are provisional, as the run has not converged.</p>'
HEADS = {
    "Cause": "",
    "": "",
    "Effect, with 95 % interval": "Over all graphs in which there is a causal path; “none” are the others",
    "Causal path": "Probability that the cause affects the outcome at all, directly or through others",
    "Effect > 0": "Probability that raising the cause raises the outcome",
    "Robustness": "Share of the remaining variance of cause and outcome that a hidden common cause would have to "
    "explain to bring the estimate to 0; in brackets, to make the interval include 0",
}
HIDDEN = (
    f"no hidden variable causes two columns; the {term('robustness value')} says how strong one would have to be, to "
    "bring the estimate to 0 (and the interval to include it)."
)


class Line(NamedTuple):
    """An effect in the table of its outcome: what it is of, its picture, its size in words, and its probabilities."""

    cause: str
    picture: str
    size: str
    numbers: tuple[str, ...]
    level: str = ""


def effects_html(posterior: Posterior, texts: Sequence[str]) -> str:
    """The section. ``texts`` are the names of the variables."""
    if len(texts) < 2 or posterior.score.is_flat:
        return ""
    model = posterior._classes.response_models[0]
    if model is None:
        return _absent(posterior.score.no_effects)
    variables = range(len(texts))
    discrete = isinstance(model, CellModel)
    curved = any(model.is_curved(v) for v in variables)
    slow = curved or any(model.levels)
    most = MOST_CATEGORICAL if slow else MOST_VARIABLES
    if len(texts) > most:
        return _too_many(f"the table has {count(len(texts), 'variable')}, and a page has them for up to {most}")
    try:
        if slow:
            sets = sum(len(table) for table in parent_set_tables(posterior._classes.parts))
            if sets > MOST_SETS:
                return _too_many(f"the variables have {sets:,} possible sets of causes, and a page takes {MOST_SETS:,}")
        kind = "curves" if curved else "levels" if discrete else "lines and levels" if slow else "lines"
        source = _averaged(posterior, kind)
        table = source.effects(standardized=True)
    except CausalZigzagError as error:
        return _absent(str(error))
    table = table[(table["probability_nonzero"] >= LEAST_PROBABLE) & table["mean"].notna()]
    if table.empty:
        return "<p>No variable affects another with a probability of 0.01 or more.</p>"
    own = dict([*table.groupby("outcome", sort=False)])
    limit = max(3, min(MOST_CAUSES, MOST_ROWS // len(own)))
    listed = {outcome: some.head(limit) for outcome, some in own.items()}
    named = dict(zip(posterior.nodes, texts, strict=True))
    lines = _lines(source, listed, named, discrete, with_units=not slow)
    outcomes = [outcome for outcome in posterior.nodes if outcome in own]
    first = table["outcome"].iloc[0]  # that of the largest effect
    choices = "".join(
        f'<option value="{k}"{" selected" if outcome == first else ""}>{_short(named[outcome])}</option>'
        for k, outcome in enumerate(outcomes)
    )
    parts = "".join(
        _outcome(f"effects-on-{k}", named[outcome], lines[outcome], len(own[outcome]) - limit, outcome == first)
        for k, outcome in enumerate(outcomes)
    )
    units = (
        ""
        if slow
        else (
            '<label>In<select id="effect-unit"><option value="per-sd">standard deviations</option>'
            '<option value="per-unit">units of the table</option></select></label>'
        )
    )
    return (
        f"{_meaning(discrete, slow, curved)}{_average_of(source, posterior)}"
        f"{'' if posterior.diagnostics().ok else PROVISIONAL}"
        '<div id="effects" class="per-sd"><div class="tools" hidden><label>What happens to'
        f'<select id="effect-outcome">{choices}</select></label>{units}</div>{parts}</div>'
    )


def _averaged(posterior: Posterior, kind: str) -> Distribution:
    """What the effects are averages over: the resamples, unless this would take long, or the model alone."""
    again = posterior.resampled
    if again is None or kind not in MOST_AGAIN:
        return posterior
    sets = sum(len(table) for table in parent_set_tables(again._classes.parts))
    return again if sets <= MOST_AGAIN[kind] else posterior


def _average_of(source: Distribution, posterior: Posterior) -> str:
    """Whether rows were resampled for these effects."""
    if posterior.resampled is None:
        return ""
    if source is posterior:
        return (
            '<p class="note">These effects are those of the model alone, which are too certain where its arrows do not '
            f"hold {RESAMPLED}; <code>posterior.resampled.effects()</code> computes them with resampled rows.</p>"
        )
    return f'<p class="note">They are averages over resampled rows too: of {escape(posterior.resampled.scheme)}.</p>'


def _meaning(discrete: bool, has_levels: bool, curved: bool) -> str:
    if curved:
        what = (
            "Relations are curves. Listed is the mean slope of each: by how much the mean of the outcome, or the "
            "probability of one of its levels, changes on average if the cause is raised by one standard deviation, or "
            "set to another level than its first one. Means are in standard deviations of the outcome. The picture has "
            "the curve over the middle 98 % of the cause with 95 % intervals; a curve can matter though its mean slope "
            "is 0."
        )
        hidden = "no hidden variable causes two columns."
    elif has_levels and not discrete:
        what = (
            "Listed is by how much the mean of the outcome, or the probability of one of its levels, changes if the "
            "cause is raised by one standard deviation, or set to another level than its first one. Means are in "
            "standard deviations of the outcome. Of several levels, the one with the largest change is listed."
        )
        hidden = HIDDEN
    elif discrete:
        what = (
            "Listed is by how much the probability of a level of the outcome changes if the cause is set to a level "
            "instead of its first one."
        )
        hidden = "no hidden variable causes two columns."
    else:
        what = (
            "Listed is by how much the mean of the outcome changes if the cause is raised by one standard deviation, "
            "or by one unit. Pictures are in standard deviations, so that causes can be compared."
        )
        hidden = HIDDEN
    return (
        "<p>What would happen to one variable if you changed another by hand and nothing else.</p>"
        f'<p class="note">{what} Each effect is averaged over all graphs: the bar at 0 is the probability that there '
        f"is no {term('causal path')}, the shape is the effect otherwise. For an {term('open')} edge, the probability "
        "of a causal path counts graphs that fit equally well; it is not evidence for a direction. All of it assumes "
        f"that {hidden}</p>"
    )


def _short(text: str) -> str:
    return escape(shortened(text, LONGEST_CHOICE))


def _absent(reason: str, remedy: str = "") -> str:
    return f"<p>Effects are not on this page: {escape(reason)}.{remedy}</p>"


def _too_many(reason: str) -> str:
    return _absent(reason, " <code>posterior.effects(outcomes=...)</code> computes those on chosen variables.")


def _lines(
    source: Distribution,
    listed: dict[Hashable, pd.DataFrame],
    named: dict[Hashable, str],
    every_level: bool,
    with_units: bool,
) -> dict[Hashable, list[Line]]:
    """The lines of each outcome, in standard deviations; with ``every_level`` all changes of the first pairs."""
    pairs = [(row["cause"], outcome) for outcome, table in listed.items() for row in _records(table)]
    pictured = several_effects(source._classes, pairs[: MOST_ALL_LEVELS if every_level else MOST_PICTURES])
    lines: dict[Hashable, list[Line]] = {}
    for outcome, table in listed.items():
        rows: list[dict[Any, Any]] = []
        for row in _records(table):
            effect = pictured.get((row["cause"], outcome))
            rows += _changes(effect) if every_level and effect is not None else [row]
        low, high = min([0.0, *(row["path_lower"] for row in rows)]), max([0.0, *(row["path_upper"] for row in rows)])
        if every_level:
            low, high = min(low, -LEAST_SHOWN), max(high, LEAST_SHOWN)
        ends = low - 0.08 * (high - low), high + 0.08 * (high - low)
        lines[outcome] = [
            _line(row, named, ends, pictured.get((row["cause"], outcome)), every_level, with_units) for row in rows
        ]
    return lines


def _changes(effect: Effect) -> list[dict[str, Any]]:
    """The rows of the changes from the first level of the cause to all others, of every level of the outcome."""
    first, *others = effect.cause_levels
    return [
        effect.contrast(first, other, level).row(mcse=math.nan) for level in effect.outcome_levels for other in others
    ]


def _line(
    row: dict[Any, Any],
    named: dict[Hashable, str],
    ends: tuple[float, float],
    effect: Effect | None,
    every_level: bool,
    with_units: bool,
) -> Line:
    """The change of a mean, or of the probability of a level; levels of numbers are None."""
    level, cause = "" if row["level"] is None else _level(row["level"]), name(named[row["cause"]])
    if row["to"] is not None:
        cause += f": {name(_level(row['to']))} instead of {name(_level(row['from']))}"
    if row["level"] is not None:
        cause += f' <span class="soft">P({name(named[row["outcome"]])} = {name(level)})</span>'
    path, given = row["probability_nonzero"], (row["path_lower"], row["path_upper"])
    values = np.array([row["mean"] / path, *given])
    size, picture = _size(path, *values), ""
    if effect is not None and effect.is_curved:
        picture = curve_picture(effect.curve())
    elif effect is not None and with_units:
        unit = effect.unit
        scales = (("per-sd", 1.0), ("per-unit", 1 / unit))
        size = "".join(f'<span class="{kind}">{_size(path, *(scale * values))}</span>' for kind, scale in scales)
        picture = effect_picture(path, given, ends, effect.mixture.density(np.linspace(*ends, 81), unit=unit))
    numbers = probability(path), probability(row["probability_positive"]), *([] if every_level else [_robustness(row)])
    return Line(cause, picture or effect_picture(path, given, ends), size, numbers, level if every_level else "")


def _outcome(anchor: str, outcome: str, lines: list[Line], left: int, is_open: bool) -> str:
    heads = dict([*HEADS.items()][: 3 + len(lines[0].numbers)])
    top = "".join(f'<th scope="col" title="{escape(words)}">{escape(text)}</th>' for text, words in heads.items())
    body = "".join(
        f'<tr data-level="{escape(one.level)}"><th scope="row">{one.cause}</th>'
        f'<td class="bars">{one.picture}</td><td>{one.size}</td>'
        + "".join(
            f'<td class="num" data-head="{escape(head)}">{escape(text)}</td>'
            for head, text in zip([*heads][3:], one.numbers, strict=True)
        )
        + "</tr>"
        for one in lines
    )
    levels = [*dict.fromkeys(one.level for one in lines if one.level)]
    chooser = "".join(f"<option>{escape(level)}</option>" for level in levels)
    chooser = f'<option value="">all levels</option>{chooser}'
    chooser = f'<div class="tools levels"><label>Level of {_short(outcome)}<select>{chooser}</select></label></div>'
    verb = "is" if left == 1 else "are"
    more = f'<p class="note">{count(left, "cause")} with smaller effects {verb} left out.</p>' if left > 0 else ""
    return (
        f'<details class="effects-on" id="{anchor}"{" open" if is_open else ""}>'
        f"<summary>What happens to {name(outcome)} if another variable is changed</summary>"
        f"{chooser if levels else ''}"
        '<div class="scroll still" tabindex="0" role="region" aria-label="Table of effects">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>{more}</details>"
    )


def _records(table: pd.DataFrame) -> list[dict[Any, Any]]:
    return table.to_dict("records")


def _size(path: float, estimate: float, low: float, high: float) -> str:
    """The size of an effect in words; ``path`` is the probability that there is one.

    >>> _size(1.0, 0.5, 0.25, 0.75), _size(0.5, -0.7, -0.82, -0.6)
    ('0.500 (0.250 to 0.750)', '−0.700 (−0.820 to −0.600) with probability 0.500, otherwise none')
    """
    text = f"{_number(estimate)} ({_number(low)} to {_number(high)})"
    return text if path >= NEARLY_CERTAIN else f"{text} with probability {probability(path)}, otherwise none"


def _robustness(row: dict[Any, Any]) -> str:
    return f"{_share(row['robustness'])} ({_share(row['robustness_interval'])})"


def _level(value: Hashable) -> str:
    """A level; numbers with four digits."""
    return f"{value:.4g}" if isinstance(value, float) else plain(value)


def _share(value: float) -> str:
    return "–" if value != value else f"{100 * value:.0f} %"


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
