"""advice(): what to do next, at most three proposals that follow from the result, with the line to paste."""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from causal_zigzag.answers.model_check.model_check import ModelCheck
from causal_zigzag.answers.resamples.stability import RESAMPLED
from causal_zigzag.errors import SettingsError
from causal_zigzag.posterior.stability import groups_apart, is_untested, stability_of
from causal_zigzag.support.notebook_view import view
from causal_zigzag.support.wording import count
from causal_zigzag.tables.names_in_words import (
    as_flags,
    listed,
    read_options,
    reading_call,
    sampling_call,
    with_options,
)
from causal_zigzag.target.knowledge import Knowledge

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from causal_zigzag.graphs.edge_graph import EdgeGraph
    from causal_zigzag.posterior.posterior import Posterior

MOST_PROPOSALS = 3
LEAST_MINUTES = 5  # of an extension whose length cannot be estimated
MANY_OPEN = 1 / 3  # share of the edges of the consensus without a direction
NAMED_ARROWS = 3  # implausible ones
MOST_NAMED = 8  # columns of a proposed tier

PLACEHOLDERS = {
    "RUN.czz": "RUN.czz is the file that the run is saved in.",
    "(data": "In Python, data is your table.",
    "(score,": "In Python, score is the score of this run.",
    " DATA ": "DATA is the file of your table.",
    "...": "The dots stand for all other columns.",
}

EARLY = (
    "age sex gender male female race ethnicity ethnic birth born birthyear birthplace country nationality religion "
    "genotype gene snp allele parent parents father mother sibling siblings year month season"
)
"""Words in the names of columns that nothing else in a table usually causes: they raise a question, no more."""


class Proposal(NamedTuple):
    """One thing to do next: the reason in ``text``, the ``code`` in Python, and the ``command`` for the shell.

    ``kind`` is "sampling", "stability", "data" or "directions". What only the user can decide about a table has no line
    to paste.
    """

    kind: Literal["sampling", "stability", "data", "directions"]
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


def advice(posterior: Posterior, check: ModelCheck | None = None) -> Proposals:
    """See ``Posterior.advice``."""
    if not (check is None or isinstance(check, ModelCheck)):
        raise SettingsError(f"check must be None or what posterior.check_model() returns, not {check!r}")
    found = [
        *_sampling(posterior),
        *_stability(posterior),
        *_directions(posterior),
        *_fit(posterior, check),
        *_data(posterior),
    ]
    distinct = {proposal.code or proposal.text: proposal for proposal in reversed(found)}  # one remedy for two doubts
    kept = [proposal for proposal in found if distinct[proposal.code or proposal.text] is proposal]
    first = sorted(kept, key=lambda proposal: not proposal.code)[:MOST_PROPOSALS]
    return Proposals(proposal._replace(text=proposal.text + _explained(proposal)) for proposal in first)


def _explained(proposal: Proposal) -> str:
    """What to put in the place of names in the lines to paste that this package cannot know."""
    return "".join(
        f" {words}" for sign, words in PLACEHOLDERS.items() if sign in f"{proposal.code}\n{proposal.command}\n"
    )


def _sampling(posterior: Posterior) -> Iterator[Proposal]:
    judgement = posterior.diagnostics().judgement
    if judgement.ok:
        return
    text = f"Sampling has not converged. {judgement.remarks[0].statement}."
    given = [advice for remark in judgement.remarks for advice in remark.advice]
    seconds = max((advice.seconds for advice in given if advice.seconds is not None), default=0.0)
    minutes = max(LEAST_MINUTES, math.ceil(seconds / 60))
    code = f"posterior = posterior.extend(minutes={minutes})"
    yield Proposal("sampling", text, code, f"causal-zigzag extend RUN.czz --minutes {minutes} --out RUN.czz")


def _stability(posterior: Posterior) -> Iterator[Proposal]:
    """Resampling, if it was not done: of whole groups of rows, if the audit found such groups."""
    groups = groups_apart(posterior)
    if groups is not None:
        text = f"Resample the rows of each {groups.columns[0]} together: {groups}"
        yield Proposal("stability", text, *_sample(posterior, options=read_options(groups.option)))
        return
    if not posterior.diagnostics().ok or not is_untested(posterior) or not posterior.consensus().edge_count:
        return
    text = f"It was not tested which arrows hold {RESAMPLED}."
    yield Proposal("stability", text, *resampling(posterior))


def resampling(posterior: Posterior) -> tuple[str, str]:
    """The line that resamples the rows of a run, and the command."""
    data, path = _given(posterior)
    known = posterior.score.row_count is not None  # a posterior from a file may lack its rows
    table = "" if known or data == "score" else f"data={data}"
    option = f"--data {path} " if path else ""
    return f"posterior = posterior.resample({table})", f"causal-zigzag resample RUN.czz {option}--out RUN.czz"


def _fit(posterior: Posterior, check: ModelCheck | None) -> Iterator[Proposal]:
    score = posterior.score
    if not score.score_name or score.is_incomplete:
        return  # models are compared on complete rows
    ending = "the best one is listed first, and can be sampled by its name."
    curves = score.curve_table() if score.reason else None
    if curves is not None:
        other = "mixed-bic" if any(curves.levels) else "gaussian-bic"
        text = f"The score is {score.reason}. Compare it with the linear one; {ending}"
    elif check is not None and not check.ok and check.pictures:
        other = "additive-gp"
        text = (
            "The model does not fit: relations are curved, or their noise is not the same everywhere. Compare it with "
            f"a model of curves; {ending}"
        )
    else:
        return
    data = reading_call(_given(posterior)[0], _reading(posterior))
    yield Proposal("data", text, f"cz.compare_scores({data}, [{score.score_name!r}, {other!r}])")


def _data(posterior: Posterior) -> Iterator[Proposal]:
    audit = posterior.audit()
    for doubt in () if audit is None else audit.doubts:
        options = read_options(doubt.option)
        yield Proposal("data", str(doubt), *(_sample(posterior, options=options) if options else ()))


def _directions(posterior: Posterior) -> Iterator[Proposal]:
    graph, known = posterior.consensus(), posterior.target.knowledge
    lines, edges = len(graph.undirected_edges), graph.edge_count
    given = {*(known.conditions if known is not None else ())}  # by themselves before the others
    early = [v for v in graph.nodes if _may_be_early(v) and v not in given]
    odd = [f"{x} -> {y}" for x, y in graph.directed_edges if y in early and x not in given and x not in early]
    if not edges or (known is not None and known.tiers) or not (odd or lines >= max(1, MANY_OPEN * edges)):
        return
    reasons = [f"{lines:,} of {count(edges, 'edge')} without a direction"] if lines else []
    stability = stability_of(posterior)
    if stability is not None and stability.lost:
        do = "does" if len(stability.lost) == 1 else "do"
        reasons.append(f"{count(len(stability.lost), 'arrow')} of the model that {do} not hold {RESAMPLED}")
    reasons += [f"arrows that need a second look: {', '.join(odd[:NAMED_ARROWS])}"] if odd else []
    if early:
        tiers: list[Any] = [early[:MOST_NAMED], ...]
        first = listed([str(v) for v in early[:MOST_NAMED]])
        question = f"Can anything in this table cause {first}? If not, say so"
    else:
        x, y = _example(posterior, graph)
        tiers = [[x], [y]]
        question = f"Is {x} before {y}, or after it? Say what comes first"
    text = f"{question}: the data alone cannot, and there are {' and '.join(reasons)}."
    flag = ";".join("..." if tier is ... else ",".join(map(str, tier)) for tier in tiers)
    yield Proposal("directions", text, *_sample(posterior, flag=f"--tiers {shlex.quote(flag)}", tiers=tiers))


def _example(posterior: Posterior, graph: EdgeGraph) -> tuple[Hashable, Hashable]:
    """The most probable edge without a direction."""
    edges, number = posterior.edge_probabilities(), {v: i for i, v in enumerate(graph.nodes)}
    shares = [edges.undirected[number[x], number[y]] for x, y in graph.undirected_edges]
    return graph.undirected_edges[int(np.argmax(shares))]


def _may_be_early(column: Hashable) -> bool:
    """Whether a word in the name of a column is one of EARLY.

    >>> [_may_be_early(name) for name in ("AgeAtDiagnosis", "family_income", "birth.year", "stage")]
    [True, False, True, False]
    """
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", str(column))}
    return bool(words & {*EARLY.split()})


def _sample(
    posterior: Posterior, argument: str = "", flag: str = "", options: Mapping[str, Any] | None = None, tiers: Any = ()
) -> tuple[str, str]:
    """The call of ``sample`` with the table, score and knowledge of the run and with more, and the command."""
    data, path = _given(posterior)
    score, known = posterior.score, posterior.target.knowledge or Knowledge()
    arguments = [argument] if argument else []
    if path and score.score_name and not score.reason:
        options = {"score": score.requested_name(), **(options or {})}
    told, targets = {*score.contexts}, {*dict(score.targets)}  # by options of reading
    known = replace(
        known,
        conditions=tuple(v for v in known.conditions if v not in told),
        required=tuple(arrow for arrow in known.required if arrow[0] not in targets),
        forbidden=tuple(arrow for arrow in known.forbidden if arrow[0] not in targets),
    )
    if known:
        path = ""  # what is known may be long
    if known or tiers:
        arguments.append(f"knowledge={replace(known, tiers=tiers or known.tiers).code()}")
    made = with_options(_reading(posterior), options or {})
    command = " ".join(["causal-zigzag sample", path, *as_flags(made), *([flag] if flag else [])]) if path else ""
    return f"posterior = {sampling_call(data, made, *arguments)}", command


def _reading(posterior: Posterior) -> dict[str, Any]:
    """The options with which the table was read."""
    return {} if posterior.record is None else read_options(posterior.record.reading)


def _given(posterior: Posterior) -> tuple[str, str]:
    """The table or score of the run, in Python and for the shell."""
    record = posterior.record
    if record is None or record.origin == "score":
        return "score", ""
    if record.origin == "file":
        return repr(record.data), shlex.quote(record.data)
    bundled = record.origin == "name"
    return (f"cz.datasets.load({record.data!r})", shlex.quote(record.data)) if bundled else ("data", "DATA")
