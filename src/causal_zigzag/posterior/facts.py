"""The facts about a run, as names and values: summaries, notebooks, reports and the command line print this list."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from causal_zigzag.answers.prior_weights import prior_in_words
from causal_zigzag.answers.settled_directions import arrows_from_knowledge
from causal_zigzag.posterior.chain_agreement import PROVISIONAL
from causal_zigzag.sampler.run import SCATTERED
from causal_zigzag.sampler.tempering.ladder import in_words
from causal_zigzag.support.wording import count, percentage

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.chain_result import ChainStatistics
    from causal_zigzag.sampler.settings import Settings

UNKNOWN = "not recorded"
ZIGZAG_NAMES = {1.0: " (the Causal Zig-Zag)", 0.0: " (reversible)"}  # of processes, by their momentum


def facts(posterior: Posterior, brief: bool = False) -> list[tuple[str, str]]:
    """The model, the run and the size of the result; ``brief`` leaves out what only the repetition of a run needs."""
    found = [*_model(posterior, brief), *_run(posterior, brief), *_result(posterior)]
    return [(name, text) for name, text in found if text]


def title(posterior: Posterior) -> str:
    """The heading of a summary."""
    return f"Posterior of the classes of {count(len(posterior.nodes), 'node')}"


def one_line(posterior: Posterior) -> str:
    """The repr of a posterior."""
    target, settings = posterior.target, posterior.settings
    process = f"momentum {settings.momentum:g}, balance {settings.balance}, coldness {target.coldness:g}"
    jumps = sum(s.jumps for s in posterior.statistics)
    run = f"{count(len(posterior.results), 'chain')}, {jumps:,} jumps, {count(posterior.class_count, 'class')}"
    state = ", interrupted" if posterior.interrupted else ""
    prior = "" if posterior.reweighting is None else f"{prior_in_words(posterior.prior)}, "
    known = "" if target.knowledge is None else f", knowledge {target.knowledge}"
    return f"Posterior({target.score!r}, {prior}edge prior {target.edge_prior}{known}, {process}: {run}{state})"


def shortfalls(settings: Settings, ran: Sequence[ChainStatistics], interrupted: bool) -> list[str]:
    """See ``Posterior.shortfalls``."""
    found = []
    if interrupted:
        made, asked = sum(s.jumps for s in ran), settings.chains * settings.jumps
        share = f"{made:,} of {asked:,} jumps" if settings.minutes is None else f"{made:,} jumps"
        found.append(
            f"interrupted: {share}, in {len(ran)} of {count(settings.chains, 'chain')} "
            f"(chains that had not finished their warm-up are not included)"
        )
    cut = [s.annealing.reached for s in ran if s.annealing is not None and s.annealing.reached < 1]
    if cut:
        found.append(
            f"the clock ended the annealing of {len(cut)} of {count(len(ran), 'chain')} at {min(cut):.0%} of the "
            'coldness of the target; more minutes, or start="ges" with anneal=False, give better starts'
        )
    frozen = [s for s in ran if s.frozen and math.isfinite(s.log_time)]  # with a single class the time is infinite
    if frozen:
        found.append(
            f"{len(frozen)} of {count(len(ran), 'chain')} froze: the next jump is more than 2**1000 units of time "
            "away. A frozen chain shows a mode of the target, not its spread; a lower coldness or a weaker edge prior "
            "lets it move"
        )
    return found


def _model(posterior: Posterior, brief: bool) -> list[tuple[str, str]]:
    target, record = posterior.target, posterior.record
    names = [str(v) for v in posterior.nodes]
    bounds = [f"at most {target.max_degree} adjacent variables per variable"] if target.max_degree is not None else []
    if target.forbidden:
        bounds.append("never joined: " + "; ".join(f"{names[a]}, {names[b]}" for a, b in target.forbidden))
    data = UNKNOWN
    if record is not None:
        data = f"{record.data}, read with {record.reading}" if record.reading else record.data
        data += f"; {count(record.left_out, 'row')} with missing cells left out" if record.left_out else ""
    audit = posterior.audit()
    found = [
        ("Data", "" if brief else data),
        ("Prepared", "" if audit is None else " ".join(map(str, audit.notes))),
        ("Score", f"{target.score!r}, coldness {target.coldness:g}"),
        ("Missing cells", _missing(posterior)),
        ("Chosen", target.score.reason or ""),
        ("Prior", _prior(posterior)),
        ("Edge prior", str(target.edge_prior)),
        ("Bounds", "; ".join(bounds) or "none"),
    ]
    if target.knowledge is not None:
        arrows = ", ".join(f"{x} -> {y}" for x, y in arrows_of_consensus(posterior)) or "none"
        refused = sum(s.refused for s in posterior.statistics)
        found += [
            ("Knowledge", str(target.knowledge)),
            ("From knowledge alone", "" if brief else f"{arrows} (directions in the consensus graph)"),
            ("Refused", f"{count(refused, 'proposal')} of classes that do not agree with the knowledge"),
        ]
    return found


def _missing(posterior: Posterior) -> str:
    """How missing cells were drawn, if there are any."""
    tables = [result.tables for result in posterior.results if result.tables is not None]
    holes = posterior.score.missing
    return f"{int(holes.sum()):,}, drawn with the graph in {sum(t.sweeps for t in tables):,} sweeps" if tables else ""


def _run(posterior: Posterior, brief: bool) -> list[tuple[str, str]]:
    settings, ran, record = posterior.settings, posterior.statistics, posterior.record
    process = f"momentum {settings.momentum:g}{ZIGZAG_NAMES.get(settings.momentum, '')}, balance {settings.balance}"
    tempered = [s.tempering for s in ran if s.tempering is not None]
    jumps, warmup, flips = (sum(counts) for counts in zip(*((s.jumps, s.warmup, s.flips) for s in ran), strict=True))
    seed = UNKNOWN if record is None or record.seed is None else str(record.seed)
    return [
        ("Process", process),
        ("Tempering", in_words(tempered) if tempered else ""),
        ("Start", "" if brief else _start(posterior)),
        ("Annealing", _annealing(posterior)),
        ("Warm-up", _warmup(posterior)),
        ("Excursions", _excursions(posterior)),
        ("Run", f"{count(len(ran), 'chain')}, {jumps:,} jumps, {flips:,} flips after {warmup:,} jumps of warm-up"),
        ("Seed", "" if brief else seed),
        ("Version", "" if brief else UNKNOWN if record is None else f"causal-zigzag {record.version}"),
        ("Time", "" if brief or record is None else f"{record.started}, {record.seconds:.1f} s"),
    ]


def _result(posterior: Posterior) -> list[tuple[str, str]]:
    provisional = "" if posterior.diagnostics().ok else f" ({PROVISIONAL})"
    hold = "it holds" if posterior.class_count == 1 else "they hold"
    share = percentage(1 - posterior.unlisted)
    return [
        ("Weights", _chain_weights(posterior)),
        ("Edges", f"expected number {posterior.edge_probabilities().adjacent.sum() / 2:.4g}{provisional}"),
        ("Classes", f"{count(posterior.class_count, 'class')} stored; {hold} {share} of the probability"),
    ]


def arrows_of_consensus(posterior: Posterior) -> tuple[tuple[object, object], ...]:
    """The arrows between pairs of the consensus graph whose direction comes from the knowledge, whatever the data."""
    restriction = posterior.target.restriction
    return () if restriction is None else arrows_from_knowledge(posterior.consensus().matrix(), restriction)


def _prior(posterior: Posterior) -> str:
    words = prior_in_words(posterior.prior)
    if posterior.target.edge_prior.cost or posterior.target.edge_prior.table:
        words += ", before the edge prior"
    if posterior.reweighting is None:
        return words
    return f"{words}; reweighted with {posterior.weight_ess:.1%} of the effective sample size left"


def _start(posterior: Posterior) -> str:
    if posterior.starts:
        word = f"{SCATTERED}: " if posterior.record and posterior.record.start == SCATTERED else ""
        return f"{word}{len(posterior.starts)} classes, one per chain"
    return repr(posterior.start) if posterior.start.edge_count else "the graph without edges"


def _warmup(posterior: Posterior) -> str:
    """The lengths of the warm-ups, if the chains chose them."""
    if posterior.settings.warmup is not None or posterior.settings.tempering is not None:
        return ""
    shortest, longest = (choose(s.warmup for s in posterior.statistics) for choose in (min, max))
    span = f"{shortest:,}" if shortest == longest else f"{shortest:,} to {longest:,}"
    return f"chosen by the chains: {span} jumps each"


def _annealing(posterior: Posterior) -> str:
    annealed = [s.annealing for s in posterior.statistics if s.annealing]
    if not annealed:
        return ""
    jumps = sum(a.jumps for a in annealed)
    return f"from {annealed[0].hot:.2g} of the coldness, {jumps:,} jumps before the warm-up"


def _excursions(posterior: Posterior) -> str:
    found = [s.excursions for s in posterior.statistics if s.excursions]
    if not found:
        return ""
    made, accepted, changed = (
        sum(counts) for counts in zip(*((e.made, e.accepted, e.changed) for e in found), strict=True)
    )
    shares = f", {accepted / made:.0%} accepted, {changed / made:.0%} to another class" if made else ""
    everyone = found[0].candidates >= len(posterior.nodes) - 1
    fixed = sum(e.fixed for e in found) / len(found)
    tables = "all parents" if everyone else f"{found[0].candidates} candidate parents, {fixed:.0%} of nodes had others"
    return f"{made:,} made{shares}; {tables}"


def _chain_weights(posterior: Posterior) -> str:
    """The weights of the chains, if they are weighted by the masses of their regions."""
    weights = posterior.chain_weights
    shares = [f"{math.exp(w):.2f}" if w > math.log(0.005) else f"e^{w:.0f}" for w in weights]
    return f"of chains, by the masses of their regions: {', '.join(shares)}" if weights else ""
