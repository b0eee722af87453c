"""The facts about a run, as names and values: summaries, notebooks, reports and the command line print this list."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from causal_zigzag.answers.prior_weights import prior_in_words
from causal_zigzag.answers.resamples.stability import RESAMPLED
from causal_zigzag.posterior.chain_agreement import PROVISIONAL
from causal_zigzag.posterior.reweighting import weight_ess
from causal_zigzag.posterior.stability import arrows_of_consensus, is_untested, stability_of
from causal_zigzag.sampler.run import SCATTERED
from causal_zigzag.support.wording import count, percentage

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior

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
    run = f"{count(len(posterior._results), 'chain')}, {jumps:,} jumps, {count(posterior.class_count, 'class')}"
    state = ", interrupted" if posterior._interrupted else ""
    prior = "" if posterior._reweighting is None else f"{prior_in_words(posterior.prior)}, "
    known = "" if target.knowledge is None else f", knowledge {target.knowledge}"
    return f"Posterior({target.score!r}, {prior}edge prior {target.edge_prior}{known}, {process}: {run}{state})"


def shortfalls(posterior: Posterior) -> list[str]:
    """Sentences about what the run did not complete, such as an interruption; empty if it completed everything."""
    found, settings, ran = [], posterior.settings, posterior.statistics
    if posterior._interrupted and len(ran) == settings.chains and all(s.complete for s in ran):
        found.append("interrupted when all chains had ended: rows were not resampled, or fewer times than asked")
    elif posterior._interrupted:
        made, asked = sum(s.jumps for s in ran), settings.chains * settings.jumps
        share = f"{made:,} of {asked:,} jumps" if settings.minutes is None else f"{made:,} jumps"
        found.append(
            f"interrupted: {share}, in {len(ran)} of {count(settings.chains, 'chain')} "
            f"(chains that had not finished their warm-up are not included)"
        )
    elif len(ran) < settings.chains:
        found.append(
            f"{len(ran)} of {settings.chains} chains had time to run, and the others are missing; more minutes, or an "
            f"executor with a worker for each chain, give all of them time"
        )
    cut = [s.annealing.reached for s in ran if s.annealing is not None and s.annealing.reached < 1]
    if cut:
        chains = f"{len(cut)} of {count(len(ran), 'chain')}"
        where = f"ended the annealing of {chains} at {min(cut):.0%} of the coldness of the target"
        if min(cut) == 0:
            where = f"left no time to anneal {chains}, which did not agree without"
        found.append(f'the clock {where}; more minutes, or start="ges" with anneal=False, give better starts')
    frozen = [s for s in ran if s.frozen and math.isfinite(s.log_time)]  # with a single class the time is infinite
    if frozen and not posterior.diagnostics().ok:
        found.append(
            f"{len(frozen)} of {count(len(ran), 'chain')} froze: its next jump is more than 2**1000 units of time "
            "away. A frozen chain finds one mode and says nothing about other classes; it moves with a lower coldness "
            "or a weaker edge prior"
        )
    return found


def _model(posterior: Posterior, brief: bool) -> list[tuple[str, str]]:
    target, record = posterior.target, posterior.record
    data = UNKNOWN
    if record is not None:
        data = f"{record.data}, read with {record.reading}" if record.reading else record.data
        data += f"; {count(record.left_out, 'row')} left out" if record.left_out else ""
    audit = posterior.audit()
    sweeps = sum(result.tables.sweeps for result in posterior._results if result.tables is not None)
    found = [
        ("Data", "" if brief else data),
        ("Prepared", "" if audit is None else " ".join(map(str, audit.notes))),
        ("Score", f"{target.score!r}, coldness {target.coldness:g}"),
        (
            "Missing cells",
            f"{int(target.score.missing.sum()):,}, drawn with the graph in {sweeps:,} sweeps" * bool(sweeps),
        ),
        ("Chosen", target.score.reason or ""),
        ("Prior", _prior(posterior)),
        ("Edge prior", str(target.edge_prior)),
        (
            "Bounds",
            "none" if target.max_degree is None else f"at most {target.max_degree} adjacent variables per variable",
        ),
    ]
    if target.knowledge is not None:
        found.append(("Knowledge", str(target.knowledge)))
    if target.restriction is not None:
        arrows = ", ".join(f"{x} -> {y}" for x, y in arrows_of_consensus(posterior)) or "none"
        refused = sum(s.refused for s in posterior.statistics)
        found += [
            ("From knowledge alone", "" if brief else f"{arrows} (directions in the consensus graph)"),
            ("Refused", f"{count(refused, 'proposal')} of classes that do not agree with the knowledge"),
        ]
    return found


def _run(posterior: Posterior, brief: bool) -> list[tuple[str, str]]:
    settings, ran, record = posterior.settings, posterior.statistics, posterior.record
    process = f"momentum {settings.momentum:g}{ZIGZAG_NAMES.get(settings.momentum, '')}, balance {settings.balance}"
    annealed = [s.annealing for s in ran if s.annealing]
    jumps, warmup, flips = (sum(getattr(s, what) for s in ran) for what in ("jumps", "warmup", "flips"))
    found = [("Process", process)]
    if annealed:
        cooled = sum(a.jumps for a in annealed)
        hot = "without heat" if annealed[0].climbed else f"from {annealed[0].hot:.2g} of the coldness"
        found.append(("Annealing", f"{hot}, {cooled:,} jumps before the warm-up"))
    found += [
        ("Excursions", _excursions(posterior)),
        ("Run", f"{count(len(ran), 'chain')}, {jumps:,} jumps, {flips:,} flips after {warmup:,} jumps of warm-up"),
    ]
    if brief:
        return found
    return [
        *found,
        ("Start", _start(posterior)),
        ("Settings", settings.code()),
        ("Seed", UNKNOWN if record is None or record.seed is None else str(record.seed)),
        ("Version", UNKNOWN if record is None else f"causal-zigzag {record.version}"),
        ("Time", "" if record is None else f"{record.started}, {record.seconds:.1f} s"),
    ]


def _stability(posterior: Posterior) -> str:
    if is_untested(posterior):
        return f"not tested: what holds {RESAMPLED} is not known"
    found = stability_of(posterior)
    return "" if found is None else found.words


def _resampled(posterior: Posterior) -> str:
    resampled = posterior.resampled
    return "" if resampled is None else f"{resampled.scheme}; {resampled.diagnostics().verdict.rstrip('.')}"


def _result(posterior: Posterior) -> list[tuple[str, str]]:
    provisional = "" if posterior.diagnostics().ok else f" ({PROVISIONAL})"
    weights = ", ".join(f"{math.exp(log):.2g}" for log in posterior._chain_weights)
    held = percentage(1 - posterior.unlisted)
    return [
        ("Weights", f"of chains, by the masses of their regions: {weights}" if weights else ""),
        ("Edges", f"expected number {posterior.edge_probabilities().adjacent.sum() / 2:.4g}{provisional}"),
        ("Classes", f"{count(posterior.class_count, 'class')} stored, with {held} of the probability"),
        ("Stability", _stability(posterior)),
        ("Resampled", _resampled(posterior)),
    ]


def _prior(posterior: Posterior) -> str:
    words = prior_in_words(posterior.prior)
    if posterior._reweighting is None:
        return words
    return f"{words}; reweighted with {weight_ess(posterior):.1%} of the effective sample size left"


def _start(posterior: Posterior) -> str:
    if posterior._starts:
        word = f"{SCATTERED}: " if posterior.record and posterior.record.start == SCATTERED else ""
        return f"{word}{len(posterior._starts)} classes, one per chain"
    return repr(posterior._start) if posterior._start.edge_count else "the graph without edges"


def _excursions(posterior: Posterior) -> str:
    found = [s.excursions for s in posterior.statistics if s.excursions]
    made, accepted, changed = (sum(getattr(e, what) for e in found) for what in ("made", "accepted", "changed"))
    if not made:
        return ""
    return f"{made:,} made, {accepted / made:.0%} accepted, {changed / made:.0%} to another class"
