"""advice(): what to do next, at most three proposals that follow from the result, with lines that were tried."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from causal_zigzag.answers.model_check.model_check import ModelCheck
from causal_zigzag.answers.resamples.stability import RESAMPLED
from causal_zigzag.errors import SettingsError
from causal_zigzag.posterior.next_run import NextRun
from causal_zigzag.posterior.questions import dated_tiers, implausible, treatments
from causal_zigzag.posterior.stability import groups_apart, is_untested, stability_of
from causal_zigzag.support.notebook_view import view
from causal_zigzag.support.wording import count
from causal_zigzag.tables.early_names import may_be_early
from causal_zigzag.tables.finding import Finding
from causal_zigzag.tables.names_in_words import enumerated, listed, read_options, with_options
from causal_zigzag.tables.proposed_reading import combined, is_question

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from causal_zigzag.graphs.edge_graph import EdgeGraph
    from causal_zigzag.posterior.posterior import Posterior

MOST_PROPOSALS = 3
LEAST_MINUTES = 5  # of an extension whose length cannot be estimated
MOST_LEFT = 0.9  # share of the rows that a proposal leaves, if it is said
MANY_OPEN = 1 / 3  # share of the edges of the consensus without a direction
NAMED_ARROWS = 3  # implausible ones
MOST_NAMED = 8  # columns of a proposed tier
CHANGING = ("order", "groups", "counts")
"""Doubts about what a row is: a run with another reading comes before a longer one."""

SAID = ("order", "groups", "curve", "outliers", "zeros", "spikes", "sparse levels")
"""Doubts that are said by other proposals, or that no line can mend."""

ENDINGS = {"extend": "longer", "resample": "resampled"}
"""Of the names of files in which commands save: they do not replace the run that they read."""

CHANGED_ROWS = ("lags", "by", "weights")
"""Options that change what a row is."""

PLACEHOLDERS = {"(data": "In Python, data is your table.", "(score,": "In Python, score is the score of this run."}


class Proposal(NamedTuple):
    """One thing to do next: the reason in ``text``, the ``code`` in Python, and the ``command`` for the shell.

    ``kind`` is "sampling", "stability", "data", "directions" or "model". What only the user can decide about a table
    has no line to paste, and what needs a file that the run was not given has no command.
    """

    kind: Literal["sampling", "stability", "data", "directions", "model"]
    text: str
    code: str = ""
    command: str = ""

    @property
    def brief(self) -> str:
        """The reason up to its first colon or full stop."""
        return f"{re.split(r': |[.] (?=[A-Z])', self.text)[0].rstrip('.')}."

    def __str__(self) -> str:
        return f"{self.text}\n    {self.code}" if self.code else self.text


class Proposals(list[Proposal]):
    """What to do next, the most urgent first; ``print`` shows it, and so do notebooks.

    >>> import causal_zigzag as cz
    >>> print(cz.sample(cz.Uniform(3), jumps=10, rng=1).advice()[0].code)
    posterior = posterior.extend(minutes=5)
    """

    def __str__(self) -> str:
        return "\n".join(f"{i}. {one}" for i, one in enumerate(self, 1)) or "Nothing: no problem was found."

    def _repr_html_(self) -> str:
        return view("What next", str(self).splitlines())


def advice(posterior: Posterior, check: ModelCheck | None = None, saved: str = "") -> Proposals:
    """See ``Posterior.advice``; ``saved`` is the file that the run was saved in, for the commands that continue it."""
    if not (check is None or isinstance(check, ModelCheck)):
        raise SettingsError(f"check must be None or what posterior.check_model() returns, not {check!r}")
    now = NextRun.after(posterior)
    audit = posterior.audit()
    doubts = () if audit is None else audit.doubts
    options, used = combined(now.options, () if audit is None else audit.to_mend, now.works)
    also = _also(now, options, used)
    directions = [*_directions(posterior, now, options, also)]
    said = bool(also) and any(proposal.text.endswith(also) for proposal in directions)
    found = [
        *_data(now, options, used, changing=True),
        *_sampling(posterior, now, saved),
        *([] if any(doubt.kind in CHANGING for doubt in used) else _stability(posterior, saved)),
        *directions,
        *_in_time(now, options, doubts),
        *([] if said else _data(now, options, used, changing=False)),
        *_model(posterior, now, options, check, doubts),
        *(Proposal("data", str(doubt)) for doubt in doubts if doubt not in used and doubt.kind not in SAID),
    ]
    first = sorted(found, key=lambda proposal: not proposal.code)[:MOST_PROPOSALS]
    return Proposals(proposal._replace(text=proposal.text + _explained(proposal)) for proposal in first)


def _explained(proposal: Proposal) -> str:
    """What to put in the place of names in the lines to paste that this package cannot know."""
    return "".join(f" {words}" for sign, words in PLACEHOLDERS.items() if sign in f"{proposal.code}\n")


def _data(now: NextRun, options: Mapping[str, Any], used: Sequence[Finding], changing: bool) -> Iterator[Proposal]:
    """One run with all that the doubts propose, in the order of what it changes."""
    if not used or (used[0].kind in CHANGING) != changing:
        return
    first, *others = (doubt.words for doubt in used)
    more = f" {' '.join(f'({i}) {words}' for i, words in enumerate(others, 2))}" if others else ""
    also = f", and {count(len(others), 'more change')}" if others else ""
    text = f"{_heading(used[0])}{also}: {first}{more}{_fewer(now, options)}"
    yield Proposal("data", text, *now.lines(options))


def _also(now: NextRun, options: Mapping[str, Any], used: Sequence[Finding]) -> str:
    """What a line with these options does, after what else it is proposed for; empty if that is its own proposal."""
    if not used or used[0].kind in CHANGING:
        return ""
    return f" In the same run: {' '.join(f'{_heading(one)}: {one.words}' for one in used)}{_fewer(now, options)}"


def _fewer(now: NextRun, options: Mapping[str, Any]) -> str:
    before, after = now.rows(now.options), now.rows(options)
    if before and after and after < MOST_LEFT * before:
        return f" It leaves {after:,} of {count(before, 'row')}."
    return ""


def _heading(doubt: Finding) -> str:
    """What the option of a doubt does, in a few words."""
    options, name = read_options(doubt.option), doubt.columns[0]
    if "lags" in options:
        series = f" of each {listed([str(v) for v in options['by']])}" if "by" in options else ""
        return f"Use the rows{series} as a series in time"
    if "by" in options:
        return f"Resample the rows of each {name} together"
    if "missing" in options:
        return "Leave out the few rows with missing cells, which exclude models and effects"
    if "weights" in options:
        return f"Use {options['weights']} as the number of equal rows"
    if "drop" in options:
        return f"Leave out {listed([str(v) for v in options['drop']])}, which others nearly determine"
    return f"Take logarithms of {listed([str(v) for v in options['transform']])}"


def _in_time(now: NextRun, options: Mapping[str, Any], doubts: Sequence[Finding]) -> Iterator[Proposal]:
    """The line for rows that are in the order of time, if no column says so."""
    doubt = next((doubt for doubt in doubts if doubt.kind == "order" and doubt.option and is_question(doubt)), None)
    if doubt is not None and "by" not in {*options} - {*now.options}:
        more = read_options(doubt.option)
        own = {word: value for word, value in options.items() if word != "drop"}  # series are alike by their trends
        own |= {"drop": now.options["drop"]} if "drop" in now.options else {}
        for tried in (with_options(own, more), with_options(now.options, more)):
            if now.works(tried):
                text = f"Are the rows in the order of time? If so, take their past into account: {doubt.words}"
                yield Proposal("data", text, *now.lines(tried))
                return


def _sampling(posterior: Posterior, now: NextRun, saved: str) -> Iterator[Proposal]:
    judgement = posterior.diagnostics().judgement
    if judgement.ok:
        return
    text = f"Sample longer, as the run has not converged: {judgement.remarks[0].statement}."
    given = [advice for remark in judgement.remarks for advice in remark.advice]
    seconds = max((advice.seconds for advice in given if advice.seconds is not None), default=0.0)
    minutes = max(LEAST_MINUTES, math.ceil(seconds / 60))
    command = _continued("extend", saved, f"--minutes {minutes}")
    if not saved and (again := now.lines(now.options)[1]):
        command = f"{again} --minutes {minutes}"
    yield Proposal("sampling", text, f"posterior = posterior.extend(minutes={minutes})", command)


def _continued(word: str, saved: str, flags: str) -> str:
    """The command that continues a saved run and saves it in another file; empty if it was not saved."""
    if not saved:
        return ""
    longer = Path(saved).with_stem(f"{Path(saved).stem}-{ENDINGS[word]}")
    return " ".join(filter(None, ["causal-zigzag", word, shlex.quote(saved), flags, "--out", shlex.quote(str(longer))]))


def _stability(posterior: Posterior, saved: str) -> Iterator[Proposal]:
    """Resampling, if it was not done."""
    if groups_apart(posterior) is not None:
        return  # of which the audit told, and rows alone would be too certain
    if not posterior.diagnostics().ok or not is_untested(posterior) or not posterior.consensus().edge_count:
        return
    text = f"It was not tested which arrows hold {RESAMPLED}."
    yield Proposal("stability", text, *resampling(posterior, saved))


def resampling(posterior: Posterior, saved: str = "") -> tuple[str, str]:
    """The line that resamples the rows of a run, and the command."""
    now = NextRun.after(posterior)
    known = posterior.score.row_count is not None  # a posterior from a file may lack its rows
    table = "" if known or now.data == "score" else f"data={now.data}"
    option = f"--data {shlex.quote(now.path)}" if now.path else ""
    return f"posterior = posterior.resample({table})", _continued("resample", saved, option)


def _model(
    posterior: Posterior, now: NextRun, options: Mapping[str, Any], check: ModelCheck | None, doubts: Sequence[Finding]
) -> Iterator[Proposal]:
    """A comparison of the model with one of curves, or of curves that were chosen with a line."""
    score = posterior.score
    if not score.score_name or score.is_incomplete:
        return  # models are compared on complete rows
    ending = "the best one is listed first, and can be sampled by its name."
    curves = score.curve_table() if score.reason else None
    curved = next((doubt for doubt in doubts if doubt.kind == "curve"), None)
    if curves is not None:
        other = "mixed-bic" if any(curves.levels) else "gaussian-bic"
        text = f"The score is {score.reason}. Compare it with the linear one; {ending}"
    elif (check is not None and {"curve", "spread"} & {*check.found}) or curved is not None:
        other = "additive-gp"
        first = str(curved) if check is None or check.ok else f"The model does not fit: {check.reason}"
        text = f"{first.rstrip('.')}. Compare it with a model of curves; {ending}"
    else:
        return
    scores = [score.score_name, other]
    reading = {word: value for word, value in options.items() if word != "score"}
    for tried in (reading, now.reading()):
        if now.works(tried, scores=scores):
            yield Proposal("model", text, f"cz.compare_scores({now.table(tried)}, {scores!r})")
            return


def _directions(posterior: Posterior, now: NextRun, options: Mapping[str, Any], also: str) -> Iterator[Proposal]:
    """One question about what comes first, with the line for the answer yes; ``also`` is what the options do."""
    graph, known, table = posterior.consensus(), posterior.target.knowledge, posterior.score.source_table
    lines, edges = len(graph.undirected_edges), graph.edge_count
    if not edges or (known is not None and known.tiers):
        return
    given = {*(known.conditions if known is not None else ())}  # by themselves before the others
    assigned = [] if table is None or given else [v for v in treatments(table) if graph.adjacent(v)]
    dated = dated_tiers(graph.nodes)
    early = [v for v in graph.nodes if may_be_early(v) and v not in given]
    # what is joined with a column such as age was not assigned at random
    assigned = [v for v in assigned if not {*early} & {*graph.adjacent(v)}]
    if assigned:
        contexts = with_options(options, {"contexts": assigned})
        were = f"{'Was' if len(assigned) == 1 else 'Were'} {enumerated([str(v) for v in assigned])}"
        text = f"{were} assigned, and not caused by anything in this table? If so, say so: it decides directions."
        for more in (contexts, with_options(now.options, {"contexts": assigned})):
            if now.works(more):
                yield Proposal("directions", text + (also if more is contexts else ""), *now.lines(more))
                return
    time = {v: i for i, tier in enumerate(dated) for v in tier}
    odd = implausible(graph.directed_edges, early, given)
    odd += [f"{x} -> {y}" for x, y in graph.directed_edges if x in time and y in time and time[x] > time[y]]
    if not (odd or (dated and lines) or lines >= max(1, MANY_OPEN * edges)):
        return
    reasons = [f"{lines:,} of {count(edges, 'edge')} without a direction"] if lines else []
    stability = stability_of(posterior)
    if stability is not None and stability.lost:
        do = "does" if len(stability.lost) == 1 else "do"
        reasons.append(f"{count(len(stability.lost), 'arrow')} of the model that {do} not hold {RESAMPLED}")
    reasons += [f"arrows that need a second look: {', '.join(odd[:NAMED_ARROWS])}"] if odd else []
    tiers: list[Any]
    if dated:
        tiers = dated
        question = f"Were {enumerated([str(tier[0]) for tier in dated])} measured in this order? If so, say so"
    elif early:
        tiers = [early[:MOST_NAMED], ...]
        question = f"Can anything in this table cause {listed([str(v) for v in early[:MOST_NAMED]])}? If not, say so"
    else:
        x, y = _example(posterior, graph)
        tiers = [[x], [y]]
        question = f"Is {x} before {y}, or after it? Say what comes first"
    text = f"{question}: the data alone cannot, and there are {' and '.join(reasons)}."
    another_reading = {*CHANGED_ROWS} & ({*options} - {*now.options})  # in which columns may be times or names of rows
    for tried in (options,) if another_reading else (options, now.options):
        if now.works(tried, tiers):
            yield Proposal("directions", text + (also if tried is options else ""), *now.lines(tried, tiers))
            return


def _example(posterior: Posterior, graph: EdgeGraph) -> tuple[Hashable, Hashable]:
    """The most probable edge without a direction, in its more probable direction."""
    edges, number = posterior.edge_probabilities(), {v: i for i, v in enumerate(graph.nodes)}
    shares = [edges.undirected[number[x], number[y]] for x, y in graph.undirected_edges]
    x, y = graph.undirected_edges[int(np.argmax(shares))]
    return (x, y) if edges.directed[number[x], number[y]] >= edges.directed[number[y], number[x]] else (y, x)
