"""A run as text for a report: its title, the code that repeats it, and how to cite it."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from causal_zigzag import datasets
from causal_zigzag.answers.prior_weights import prior_in_words
from causal_zigzag.posterior.diagnostics.goal import distance_to_goal
from causal_zigzag.sampler.run import SCATTERED, SEARCHED
from causal_zigzag.sampler.settings import DEFAULT_MINUTES, RunSettings
from causal_zigzag.support.wording import count, one_line
from causal_zigzag.tables.names_in_words import read_options, reading_call
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.run import RunRecord

BIBTEX = """@inproceedings{schauer2024momentum,
  author    = {Schauer, Moritz and Wien{\\"o}bst, Marcel},
  title     = {Causal Structure Learning With Momentum: Sampling Distributions Over {M}arkov Equivalence Classes},
  booktitle = {Proceedings of The 12th International Conference on Probabilistic Graphical Models},
  series    = {Proceedings of Machine Learning Research},
  volume    = {246},
  pages     = {382--400},
  year      = {2024}
}"""


def title(posterior: Posterior) -> str:
    """The title of the page: the name of the data, if they have one."""
    record = posterior.record
    if record is not None and record.origin == "file":
        return PurePath(record.data).name or record.data
    if record is not None and record.origin == "name":
        return record.data
    return f"The causal structure of {count(len(posterior.nodes), 'variable')}"


def lede(posterior: Posterior) -> list[str]:
    """The run in one line."""
    ran = posterior.statistics
    audit = posterior.audit()
    made = [
        count(len(posterior.nodes), "variable"),
        *([] if audit is None else [count(audit.rows, "row")]),
        posterior.score.model_name(),
        count(len(ran), "chain"),
        f"{sum(s.jumps for s in ran):,} jumps",
    ]
    return [*made, posterior.record.started[:10]] if posterior.record else made


def repetition(posterior: Posterior) -> str:
    """Python code that repeats the run, with every setting that differs from its default."""
    target, settings, record = posterior.target, posterior.settings, posterior.record
    score = target.score
    words: list[str] = []  # the arguments after the data
    first = ""  # statements before the call
    made = score.code()
    if made is not None:
        data = made
    elif record is None or record.origin == "score":
        data = "score"
        first = f"score = ...  # put your score here: {one_line(repr(score))}\n"
    else:
        data = _table(record)
        first = f"data = ...  # put your table here: {one_line(record.data)}\n" if data == "data" else ""
        data = reading_call(data, read_options(record.reading))
        words.append(f"score={repr(score.requested_name()) if score.score_name else type(score).__name__}")
    for name in ("momentum", "balance"):
        words += _changed(name, getattr(settings, name), getattr(RunSettings, name))
    words += _changed("coldness", target.coldness, Target.coldness)
    if target.edge_prior.table:
        words.append(f"edge_prior={[*target.edge_prior.table]}")
    elif not target.edge_prior.is_default and not score.is_flat:
        words.append(f"edge_prior={target.edge_prior.cost or None}")
    words += _changed("max_degree", target.max_degree, Target.max_degree)
    if target.knowledge is not None:
        words.append(f"knowledge={target.knowledge.code()}")
    if settings.converge:
        words += _changed("minutes", settings.minutes, DEFAULT_MINUTES)
    else:
        words.append(f"jumps={settings.jumps:_}")
    words.append(f"chains={settings.chains}")
    if posterior.resampled is None:
        words += ["resamples=0"] if settings.converge and not score.is_flat else []
    elif not settings.converge:
        words.append(f"resamples={posterior.resampled.resamples}")
    word = record.start if record is not None else ""
    if word == "ges" or (word in (SCATTERED, SEARCHED) and record is not None and record.seed is not None):
        words.append(f"start={word!r}")
    elif posterior._starts:
        first += "start = [\n    " + ",\n    ".join(_class(g) for g in posterior._starts) + ",\n]\n"
        words.append("start=start")
    elif posterior._start.edge_count:
        first += f"start = {_class(posterior._start)}\n"
        words.append("start=start")
    if record is not None and record.seed is not None:
        words.append(f"rng={record.seed}")
    if settings.code():
        words.append(f"settings={settings.code()}")
    prior, weighed = posterior.prior, ""
    if posterior._reweighting is not None:
        given = repr(prior) if prior == "dags" else "..."
        weighed = f"\nposterior = posterior.reweight({given})  # {one_line(prior_in_words(prior))}"
    return (
        f"import causal_zigzag as cz\n\n{first}posterior = cz.sample(\n    {data},\n    "
        + ",\n    ".join(words)
        + f',\n){weighed}\nposterior.report("report.html")'
    )


def promise(posterior: Posterior) -> str:
    """A sentence that compares the result of the code with the result of the run."""
    record = posterior.record
    if posterior.settings.converge and not distance_to_goal(posterior).reached:
        return "This run ended by the clock, so its number of jumps depends on the speed of the machine."
    if posterior.settings.minutes is not None and not posterior.settings.converge:
        return "The number of jumps in that time depends on the machine."
    if record is None or record.seed is None:
        return ""
    if posterior._interrupted:
        return "This run was interrupted; the code runs to the end."
    if record.extended:
        return (
            "This run was extended after it had started, and its warm-up is that of the shorter run; in a single run, "
            "the numbers differ within their errors."
        )
    slower = ", unless a slower machine has to make the start shorter" if posterior.settings.converge else ""
    return f"With the same version and the same data, the code gives the same numbers{slower}."


def _class(g: CPDAG) -> str:
    return f"cz.CPDAG.from_edges({[*g.nodes]}, {[*g.directed_edges]}, {[*g.undirected_edges]})"


def _changed(name: str, value: object, default: object) -> list[str]:
    return [] if value == default else [f"{name}={value!r}"]


def _table(record: RunRecord) -> str:
    """The code for the data: the path of a file, a bundled table, or a variable."""
    if record.origin == "name" and record.data in datasets.names():
        return f"cz.datasets.load({record.data!r})"
    return repr(record.data) if record.origin == "file" else "data"
