"""Diagnostics in words: what is wrong with a run, or that nothing is, as far as can be told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.posterior.diagnostics.batch_means import LEAST_CHANGES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_result import ChainStatistics

FEW = 100  # effective samples
MANY = 1_000_000  # of them; how many more there are is rounding, and no news
SHOWN_CHAINS = 10
HIGH = 1.05  # R-hat
COARSE = 0.05  # a Monte Carlo error of a probability
SHORT = 1000  # jumps in all
APART = 0.1  # chains that differ by less in a probability are not worth a word

TOGETHER = ' All began at the same class, and agree more easily for it: start="scattered" would be a harder test.'

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, eq=False)
class Finding:
    """What is known of one quantity."""

    name: str
    mean: float
    mcse: float
    ess: float
    r_hat: float
    by_chain: NDArray[np.float64]
    is_constant: bool
    disagrees: bool
    is_seldom: bool  # it changed too seldom for an error

    @property
    def is_probability(self) -> bool:
        """Whether this is about an edge, and not about the number of edges or the score."""
        return self.name not in ("edges", "score")

    @property
    def apart(self) -> bool:
        """Whether the chains disagree beyond chance, by an amount that matters."""
        far = not self.is_probability or float(np.ptp(self.by_chain)) > APART
        return self.disagrees and not self.r_hat <= HIGH and far  # without an R-hat there is nothing to excuse it


def note_of(finding: Finding, enough: bool) -> str:
    """A word about numbers that are missing or small."""
    if finding.is_constant:
        return "constant"
    if not enough:
        return "too short to tell"
    if finding.apart:
        return f"chains disagree: {_span(finding)}"
    if finding.is_seldom:
        return "changed too seldom to tell"
    if math.isnan(finding.ess):
        return "the same in all batches"
    if finding.ess < FEW:
        return "few effective samples"
    return ""


def judge(
    ran: Sequence[ChainStatistics],
    classes: Sequence[int],
    shares: Sequence[float],
    findings: Sequence[Finding],
    enough: bool,
    began_together: bool = False,
) -> tuple[str, bool]:
    """The verdict, and whether the run has converged as far as can be told.

    Of each chain it needs what it did, how many classes it has listed and its share of all the time; of all of them,
    whether they began at one class.
    """
    chains = len(ran)
    if all(s.frozen and math.isinf(s.log_time) for s in ran):
        return "There is only one class to be in: nothing to sample, and no error.", True
    faults = _stuck(ran, classes)
    if not enough and not faults:
        faults.append(_too_short(sum(s.jumps for s in ran), shares))
    if enough:
        faults += _drifting(ran)
        tempered = any(s.tempering is not None for s in ran)
        faults += _disagreements(findings, chains, tempered) or _shortage(findings)
    if faults:
        return ". ".join(_capital(fault) for fault in faults) + ".", False
    return _praise(findings, chains) + (TOGETHER if began_together else ""), True


def _stuck(ran: Sequence[ChainStatistics], classes: Sequence[int]) -> list[str]:
    faults = []
    still = [i + 1 for i, count in enumerate(classes) if count <= 1]
    if still:
        faults.append(f"{_chains(still)} never left {'its' if len(still) == 1 else 'their'} first class")
    frozen = [i + 1 for i, s in enumerate(ran) if s.frozen]
    if frozen:
        faults.append(
            f"{_chains(frozen)} froze, the next jump being over 2**1000 units of time away: "
            "that shows a mode of the target, not its spread"
        )
    return faults


def _drifting(ran: Sequence[ChainStatistics]) -> list[str]:
    drifting = [i + 1 for i, s in enumerate(ran) if s.drifting]
    if not drifting:
        return []
    return [f'{_chains(drifting)} still drifted after the longest warm-up; sample more jumps, or try start="ges"']


def _too_short(jumps: int, shares: Sequence[float]) -> str:
    if jumps < SHORT:
        return f"too short to tell: {jumps:,} jumps in all leave nothing to measure an error by; sample more"
    if not all(map(math.isfinite, shares)):
        return "too short to tell: the prior gives no weight to any of the draws; sample more jumps"
    longest = int(np.argmax(shares))
    whose = f", {shares[longest]:.0%} of it in chain {longest + 1}" if len(shares) > 1 else ""
    return (
        f"too short to tell: almost all of the time passed in a few stretches of the run{whose}, in classes that are "
        "hard to leave; sample more jumps"
    )


def _disagreements(findings: Sequence[Finding], chains: int, tempered: bool) -> list[str]:
    apart = [f for f in findings if f.apart]
    if not apart:
        return []
    edges = [f for f in apart if f.is_probability]
    worst = max(edges, key=lambda f: float(np.ptp(f.by_chain))) if edges else max(apart, key=lambda f: f.r_hat)
    others = f", and on {len(apart) - 1:,} more" if len(apart) > 1 else ""
    r_hat = f" (R-hat {worst.r_hat:.3g})" if math.isfinite(worst.r_hat) else ""
    where = f"{worst.name}: {_span(worst)}{r_hat}{others}"
    temper = "give them more temperatures" if tempered else "temper them"
    remedy = f"they have not mixed, so sample more jumps, {temper}, or look at each by posterior.by_chain()"
    return [f"the {_number(chains)} chains disagree on {where}; {remedy}"]


def _shortage(findings: Sequence[Finding]) -> list[str]:
    faults = []
    unmixed = [f for f in findings if not f.is_probability and f.r_hat > HIGH]
    if unmixed:
        worst = max(unmixed, key=lambda f: f.r_hat)
        faults.append(f"not mixed yet: the R-hat of {worst.name} is {worst.r_hat:.3f}, over {HIGH}; sample more jumps")
    few = [f for f in findings if not f.is_probability and f.ess < FEW]
    if few and not faults:
        worst = min(few, key=lambda f: f.ess)
        faults.append(
            f"too short to tell: the run is worth {worst.ess:.0f} independent draws of {worst.name}, and should be "
            f"worth {FEW}; sample {math.ceil(1.5 * FEW / max(worst.ess, 1)):,} times as many jumps"
        )
    coarse = [f for f in findings if f.is_probability and f.mcse > COARSE]
    if coarse and not faults:
        worst = max(coarse, key=lambda f: f.mcse)
        faults.append(
            f"some probabilities are uncertain by more than {COARSE}, most of all {worst.name}: "
            f"{worst.mean:.2f} ± {worst.mcse:.2f}; sample more jumps"
        )
    seldom = [f for f in findings if f.is_seldom and COARSE < f.mean < 1 - COARSE]
    if seldom and not faults:
        worst = min(seldom, key=lambda f: abs(f.mean - 0.5))
        others = f" and {len(seldom) - 1:,} more were" if len(seldom) > 1 else " was"
        faults.append(
            f"too short to tell: {worst.name} (probability {worst.mean:.2f}){others} seen to change less than "
            f"{LEAST_CHANGES} times in all chains, too seldom for an error; sample more jumps"
        )
    return faults


def _praise(findings: Sequence[Finding], chains: int) -> str:
    measured = [f for f in findings if math.isfinite(f.ess)]
    if not measured and all(f.is_constant for f in findings):
        return "Nothing varies that could be measured: nearly all of the time, edges and score were the same."
    if not measured:  # with two classes there is but one way to go
        return "Every stretch of the run gives the same numbers: there is no error but that of rounding."
    weak = [f for f in measured if f.is_probability and (f.ess < FEW or f.r_hat > HIGH)]
    solid = [f for f in measured if f not in weak] or measured
    who = "one chain can tell, which cannot show a mode that it missed" if chains == 1 else f"{_number(chains)} chains"
    but = f" but {_number(len(weak))}" if weak else ""
    least = min(f.ess for f in solid)
    worth = f"at least {least:,.0f}" if least <= MANY else f"over {MANY:,}"
    found = f"{worth} effective samples of every quantity{but}"
    r_hats = [f.r_hat for f in solid if math.isfinite(f.r_hat)]
    if r_hats:
        found += f", R-hat at most {max(r_hats):.3f}"
    verdict = f"Converged as far as {who}{'' if chains == 1 else ' can tell'}: {found}.{_reserve(weak)}"
    seldom = [f.name for f in findings if f.is_seldom]
    if seldom:
        others = f" and {len(seldom) - 1:,} more" if len(seldom) > 1 else ""
        verdict += f" But {seldom[0]}{others}, near 0 or 1, changed too seldom for an error."
    return verdict


def _reserve(weak: Sequence[Finding]) -> str:
    """The word about probabilities whose errors, small as they are, are not well known themselves."""
    if not weak:
        return ""
    error, fewest = max(f.mcse for f in weak), min(f.ess for f in weak)
    r_hats = [f.r_hat for f in weak if math.isfinite(f.r_hat)]
    differ = f" and R-hat up to {max(r_hats):.3f}" if r_hats and max(r_hats) > HIGH else ""
    which, whose = ("That one", "its error") if len(weak) == 1 else ("Those", "their errors")
    few = f", with as few as {fewest:,.0f}{differ},"
    return f" {which}{few} may be off by more than {whose} of at most {error:.2g}; sample more jumps if that matters."


def _span(finding: Finding) -> str:
    shares = finding.by_chain[np.isfinite(finding.by_chain)]
    digits = ".2g" if finding.is_probability else ".6g"
    low, high = np.round([shares.min(), shares.max()], 6)
    return f"{low:{digits}} to {high:{digits}}"


def _chains(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"chain {numbers[0]}"
    if len(numbers) > SHOWN_CHAINS:
        return f"{len(numbers):,} chains ({', '.join(map(str, numbers[:SHOWN_CHAINS]))}, ...)"
    return f"chains {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else f"{count:,}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
