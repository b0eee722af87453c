"""A posterior as text: its summary, its repr, and sentences about what the run did not complete."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from causal_zigzag.answers.prior_weights import prior_in_words
from causal_zigzag.answers.top_classes import TOP, top_lines
from causal_zigzag.posterior.chain_agreement import PROVISIONAL
from causal_zigzag.sampler.tempering.ladder import in_words
from causal_zigzag.support.wording import count, percentage

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.chain_result import ChainStatistics
    from causal_zigzag.sampler.settings import Settings


def summary(posterior: Posterior) -> str:
    """See ``Posterior.summary``."""
    settings, ran = posterior.settings, posterior.statistics
    jumps, warmup, flips = (sum(counts) for counts in zip(*((s.jumps, s.warmup, s.flips) for s in ran), strict=True))
    run = f"{count(len(ran), 'chain')}, {jumps:,} jumps, {flips:,} flips after {warmup:,} jumps of warm-up"
    provisional = "" if posterior.diagnostics().ok else f" ({PROVISIONAL})"
    lines = [
        f"Posterior of the classes of {count(len(posterior.nodes), 'node')}, prior {prior_in_words(posterior.prior)}",
        str(posterior.target),
        f"process     momentum {settings.momentum:g}, balance {settings.balance}",
        f"run         {run}",
        *refused_line(posterior),
        *([f"tempering   {in_words(tempered)}"] if (tempered := [s.tempering for s in ran if s.tempering]) else []),
        *([f"annealing   {annealed}"] if (annealed := annealing_in_words(posterior)) else []),
        *warm_up_line(posterior),
        *([f"excursions  {excursions}"] if (excursions := excursions_in_words(posterior)) else []),
        *chain_weights_line(posterior),
        f"edges       expected number {posterior.edge_probabilities().adjacent.sum() / 2:.4g}{provisional}",
        f"classes     {classes_in_words(posterior)}",
    ]
    if posterior.reweighting is not None:
        lines.append(f"reweighted  with {posterior.weight_ess:.1%} of the effective sample size left")
    lines += top_lines(posterior.top(TOP))
    lines += [f"note        {shortfall}" for shortfall in posterior.shortfalls()]
    return "\n".join(lines)


def refused_line(posterior: Posterior) -> list[str]:
    """The number of proposals that knowledge refused, if there is any."""
    if posterior.target.knowledge is None:
        return []
    refused = sum(s.refused for s in posterior.statistics)
    return [f"refused     {count(refused, 'proposal')} of classes that do not agree with the knowledge"]


def classes_in_words(posterior: Posterior) -> str:
    """The number of stored classes and their share of the probability."""
    hold = "it holds" if posterior.class_count == 1 else "they hold"
    share = percentage(1 - posterior.unlisted)
    return f"{count(posterior.class_count, 'class')} stored; {hold} {share} of the probability"


def warm_up_line(posterior: Posterior) -> list[str]:
    """The lengths of the warm-ups, if the chains chose them."""
    if posterior.settings.warmup is not None or posterior.settings.tempering is not None:
        return []
    shortest, longest = (choose(s.warmup for s in posterior.statistics) for choose in (min, max))
    span = f"{shortest:,}" if shortest == longest else f"{shortest:,} to {longest:,}"
    return [f"warm-up     chosen by the chains: {span} jumps each"]


def annealing_in_words(posterior: Posterior) -> str:
    """From where and in how many jumps the chains were cooled, if they were; else an empty string."""
    annealed = [s.annealing for s in posterior.statistics if s.annealing]
    if not annealed:
        return ""
    jumps = sum(a.jumps for a in annealed)
    return f"from {annealed[0].hot:.2g} of the coldness, {jumps:,} jumps before the warm-up"


def chain_weights_line(posterior: Posterior) -> list[str]:
    """The weights of the chains, if they are weighted by the masses of their regions."""
    weights = posterior.chain_weights
    if not weights:
        return []
    shares = [f"{math.exp(w):.2f}" if w > math.log(0.005) else f"e^{w:.0f}" for w in weights]
    return [f"weights     of chains, by the masses of their regions: {', '.join(shares)}"]


def excursions_in_words(posterior: Posterior) -> str:
    """How many order excursions were made and accepted, if any; else an empty string."""
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
    frozen = [
        s for s in ran if s.frozen and math.isfinite(s.log_time)
    ]  # an infinite time means that the target has only one class
    if frozen:
        found.append(
            f"{len(frozen)} of {count(len(ran), 'chain')} froze: the next jump is more than 2**1000 units of time "
            "away. A frozen chain shows a mode of the target, not its spread; a lower coldness or a weaker edge prior "
            "lets it move"
        )
    return found
