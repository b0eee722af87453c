"""A run as text for a report: its settings, the code that repeats it, and how to cite it."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from causal_zigzag import datasets
from causal_zigzag.answers.prior_weights import prior_in_words
from causal_zigzag.graphs.mpdag import MPDAG
from causal_zigzag.posterior.diagnostics.goal import distance_to_goal
from causal_zigzag.posterior.summary import annealing_in_words, classes_in_words, excursions_in_words
from causal_zigzag.sampler.record import SCATTERED, SEARCHED
from causal_zigzag.sampler.settings import Settings
from causal_zigzag.sampler.tempering.ladder import in_words
from causal_zigzag.scores.choose import SCORES
from causal_zigzag.scores.uniform import Uniform
from causal_zigzag.support.wording import count
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from causal_zigzag.graphs.adjacency_matrix import Edge
    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.record import RunRecord

PAPER = (
    "M. Schauer and M. Wienöbst. Causal Structure Learning With Momentum: Sampling Distributions Over Markov "
    "Equivalence Classes. Proceedings of The 12th International Conference on Probabilistic Graphical Models, "
    "PMLR 246:382-400, 2024."
)

BIBTEX = """@inproceedings{schauer2024momentum,
  author    = {Schauer, Moritz and Wien{\\"o}bst, Marcel},
  title     = {Causal Structure Learning With Momentum: Sampling Distributions Over {M}arkov Equivalence Classes},
  booktitle = {Proceedings of The 12th International Conference on Probabilistic Graphical Models},
  series    = {Proceedings of Machine Learning Research},
  volume    = {246},
  pages     = {382--400},
  year      = {2024}
}"""

UNKNOWN = "not recorded"


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
    made = [
        count(len(posterior.nodes), "variable"),
        type(posterior.score).__name__,
        count(len(ran), "chain"),
        f"{sum(s.jumps for s in ran):,} jumps",
    ]
    return [*made, posterior.record.started[:10]] if posterior.record else made


def facts(posterior: Posterior) -> list[tuple[str, str]]:
    """The settings and sizes of the run, as names and values."""
    target, settings, ran, record = posterior.target, posterior.settings, posterior.statistics, posterior.record
    names = [str(v) for v in posterior.nodes]
    bounds = [f"at most {target.max_degree} adjacent variables per variable"] if target.max_degree is not None else []
    if target.forbidden:
        bounds.append("never joined: " + "; ".join(f"{names[a]}, {names[b]}" for a, b in target.forbidden))
    warmup, jumps, flips = (sum(column) for column in zip(*((s.warmup, s.jumps, s.flips) for s in ran), strict=True))
    score = f"{target.score!r}, coldness {target.coldness:g}"
    found = [
        ("Data", _data(record) if record else UNKNOWN),
        ("Score", f"{score} ({target.score.reason})" if target.score.reason else score),
        ("Prior", _prior(posterior)),
        ("Edge prior", str(target.edge_prior)),
        ("Bounds", "; ".join(bounds) or "none"),
        *_knowledge(posterior),
        ("Process", f"{_process(settings.momentum)}, balance {settings.balance}"),
        ("Start", _start(posterior)),
        *([("Annealing", annealed)] if (annealed := annealing_in_words(posterior)) else []),
        *([("Excursions", excursions)] if (excursions := excursions_in_words(posterior)) else []),
        ("Run", f"{count(len(ran), 'chain')}, {jumps:,} jumps, {flips:,} flips after {warmup:,} jumps of warm-up"),
        ("Classes", classes_in_words(posterior)),
        ("Seed", UNKNOWN if record is None or record.seed is None else str(record.seed)),
        ("Version", f"causal-zigzag {record.version}" if record else UNKNOWN),
    ]
    tempered = [s.tempering for s in ran if s.tempering is not None]
    if tempered:
        at = [name for name, _ in found].index("Start")
        found.insert(at, ("Tempering", in_words(tempered)))
    if record:
        found.append(("Time", f"{record.started}, {record.seconds:.1f} s"))
    return found


def _knowledge(posterior: Posterior) -> list[tuple[str, str]]:
    """The knowledge, and the arrows of the consensus graph that come from it alone."""
    if posterior.target.knowledge is None:
        return []
    arrows = ", ".join(f"{x} -> {y}" for x, y in arrows_from_knowledge(posterior)) or "none"
    refused = sum(s.refused for s in posterior.statistics)
    return [
        ("Knowledge", str(posterior.target.knowledge)),
        ("From knowledge alone", f"{arrows} (directions in the consensus graph)"),
        ("Refused", f"{count(refused, 'proposal')} of graphs that contradict the knowledge"),
    ]


def arrows_from_knowledge(posterior: Posterior) -> tuple[Edge, ...]:
    """The arrows of the consensus graph whose class alone leaves them undirected."""
    graph = posterior.consensus()
    return graph.edges_from_knowledge if isinstance(graph, MPDAG) else ()


def _data(record: RunRecord) -> str:
    rows = f"; {count(record.left_out, 'row')} with missing cells left out" if record.left_out else ""
    return (f"{record.data}, read with {record.reading}" if record.reading else record.data) + rows


def _prior(posterior: Posterior) -> str:
    words = prior_in_words(posterior.prior)
    if posterior.target.edge_prior.cost or posterior.target.edge_prior.table:
        words += ", before the edge prior"
    if posterior.reweighting is None:
        return words
    return f"{words}; by reweighting, with {posterior.weight_ess:.1%} of the effective sample size left"


def _start(posterior: Posterior) -> str:
    if posterior.starts:
        word = f"{SCATTERED}: " if posterior.record and posterior.record.start == SCATTERED else ""
        return f"{word}{len(posterior.starts)} classes, one per chain"
    return repr(posterior.start) if posterior.start.edge_count else "the graph without edges"


def _process(momentum: float) -> str:
    name = {1.0: " (the Causal Zig-Zag)", 0.0: " (reversible)"}.get(momentum, "")
    return f"momentum {momentum:g}{name}"


def repetition(posterior: Posterior) -> str:
    """Python code that repeats the run, with every setting that differs from its default."""
    target, settings, record = posterior.target, posterior.settings, posterior.record
    score = target.score
    words: list[str] = []  # the arguments after the data
    first = ""  # statements before the call
    if isinstance(score, Uniform):
        data = f"cz.Uniform({_nodes(posterior)})"
    elif record is None or record.origin == "score":
        data = "score"
        first = f"score = ...  # {_one_line(repr(score))}\n"
    else:
        data = _table(record)
        first = f"data = ...  # {_one_line(record.data)}\n" if data == "data" else ""
        data = f"cz.read_table({data}, {record.reading})" if record.reading else data
        named = (repr(name) for name, made in SCORES.items() if made is type(score))
        words.append(f"score={next(named, type(score).__name__)}")
    words += _changed("momentum", settings.momentum, Settings.momentum)
    words += _changed("balance", settings.balance, Settings.balance)
    words += _changed("coldness", target.coldness, Target.coldness)
    prior = target.edge_prior
    if prior.table:
        words.append(f"edge_prior={[*prior.table]}")
    elif not prior.is_default and not isinstance(score, Uniform):
        words.append(f"edge_prior={prior.cost or None}")
    words += _changed("max_degree", target.max_degree, Target.max_degree)
    pairs = [(posterior.nodes[a], posterior.nodes[b]) for a, b in target.forbidden]
    words += _changed("forbidden", pairs, [])
    if target.knowledge is not None:
        words.append(f"knowledge={target.knowledge.code()}")
    if settings.minutes is not None:
        words.append(f"minutes={settings.minutes:g}")
    elif not settings.converge:
        words.append(f"jumps={settings.jumps:_}")
    words += _changed("warmup", settings.warmup, Settings.warmup)
    words.append(f"chains={settings.chains}")
    for name in ("tempering", "anneal", "excursions", "max_classes", "cache_bytes", "trace_points"):
        words += _changed(name, getattr(settings, name), getattr(Settings, name))
    word = record.start if record is not None else ""
    if word == "ges" or (word in (SCATTERED, SEARCHED) and record is not None and record.seed is not None):
        words.append(f"start={word!r}")
    elif posterior.starts:
        first += "start = [\n    " + ",\n    ".join(_class(g) for g in posterior.starts) + ",\n]\n"
        words.append("start=start")
    elif posterior.start.edge_count:
        first += f"start = {_class(posterior.start)}\n"
        words.append("start=start")
    if record is not None and record.seed is not None:
        words.append(f"rng={record.seed}")
    return (
        f"import causal_zigzag as cz\n\n{first}posterior = cz.sample(\n    {data},\n    "
        + ",\n    ".join(words)
        + f',\n){_reweighted(posterior)}\nposterior.report("report.html")'
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
    if posterior.interrupted:
        return "This run was interrupted; the code runs to the end."
    if record.extended:
        return (
            "This run was extended after it had started, and its warm-up is that of the shorter run; in a single run, "
            "the numbers differ within their errors."
        )
    return "With the same version and the same data, the code gives the same numbers."


def _class(g: CPDAG) -> str:
    return f"cz.CPDAG.from_edges({[*g.nodes]}, {[*g.directed_edges]}, {[*g.undirected_edges]})"


def _reweighted(posterior: Posterior) -> str:
    if posterior.reweighting is None:
        return ""
    prior = posterior.prior
    return f"\nposterior = posterior.reweight({repr(prior) if prior == 'dags' else '...'})  # {prior_in_words(prior)}"


def _changed(name: str, value: object, default: object) -> list[str]:
    return [] if value == default else [f"{name}={value!r}"]


def _table(record: RunRecord) -> str:
    """The code for the data: the path of a file, a bundled table, or a variable."""
    if record.origin == "name" and record.data in datasets.names():
        return f"cz.datasets.load({record.data!r})"
    return repr(record.data) if record.origin == "file" else "data"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _nodes(posterior: Posterior) -> str:
    nodes = [*posterior.nodes]
    return str(len(nodes)) if nodes == [*range(len(nodes))] else repr(nodes)
