"""Verdict: the problems that diagnostics found in a run, or that they found none, with advice on what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from causal_zigzag.posterior.diagnostics.batch_means import LEAST_CHANGES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.sampler.chain_result import ChainStatistics

FEW = 100  # effective samples
MANY = 1_000_000  # effective samples; larger numbers are dominated by rounding and not shown
SHOWN_CHAINS = 10
HIGH = 1.05  # R-hat
COARSE = 0.05  # a Monte Carlo error of a probability
SHORT = 1000  # jumps of all chains
APART = 0.1  # smaller differences of a probability between chains are not reported

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

AdviceKind = Literal["jumps", "ges", "scattered", "tempering", "temperatures", "by chain"]


class Advice(NamedTuple):
    """Something that the user can do; ``factor`` is the multiple of jumps that is needed, if it is known."""

    kind: AdviceKind
    factor: int | None = None


MORE_JUMPS = Advice("jumps")

PYTHON_ADVICE: dict[AdviceKind, str] = {
    "jumps": "sample more jumps",
    "ges": 'start at the result of a greedy search with start="ges"',
    "scattered": 'start="scattered" is a stronger test',
    "tempering": "use tempering",
    "temperatures": "use more temperatures",
    "by chain": "examine each chain with posterior.by_chain()",
}


def python_advice(advice: Advice) -> str:
    """The advice in terms of the Python interface."""
    if advice.factor is not None:
        return f"sample {advice.factor:,} times as many jumps"
    return PYTHON_ADVICE[advice.kind]


class Remark(NamedTuple):
    """A sentence of a verdict, without its full stop, and advice that belongs to it."""

    statement: str
    advice: tuple[Advice, ...] = ()

    def text(self, wording: Callable[[Advice], str] = python_advice) -> str:
        """The sentence with its advice; advice for which the wording is empty is left out."""
        words = [text for text in map(wording, self.advice) if text]
        return f"{self.statement}{'; ' if words else ''}{' or '.join(words)}."


@dataclass(frozen=True)
class Verdict:
    """Whether a run has converged as far as the chains can show, and remarks that give the reasons."""

    ok: bool
    remarks: tuple[Remark, ...]

    @property
    def heading(self) -> str:
        """The verdict in a few words."""
        return "This run looks sound" if self.ok else "Not settled yet"

    def text(self, wording: Callable[[Advice], str] = python_advice) -> str:
        """All remarks; ``wording`` expresses advice for the interface that shows the verdict."""
        return " ".join(remark.text(wording) for remark in self.remarks)


@dataclass(frozen=True, eq=False)
class Finding:
    """The diagnostics of one quantity."""

    name: str
    is_probability: bool  # of an edge; the other quantities are the number of edges and the score
    mean: float
    mcse: float
    ess: float
    r_hat: float
    by_chain: NDArray[np.float64]
    is_constant: bool
    disagrees: bool
    is_rare: bool  # it changed too rarely to estimate an error

    @property
    def is_apart(self) -> bool:
        """Whether the chains disagree by more than chance explains and by an amount that matters."""
        far = not self.is_probability or float(np.ptp(self.by_chain)) > APART
        return self.disagrees and not self.r_hat <= HIGH and far  # an unknown R-hat does not excuse a disagreement


def note_of(finding: Finding, enough: bool) -> str:
    """Why a number is missing or not reliable; empty if all numbers are."""
    if finding.is_constant:
        return "constant"
    if not enough:
        return "too short to judge"
    if finding.is_apart:
        return f"chains disagree: {_span(finding)}"
    if finding.is_rare:
        return "changed too rarely"
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
    same_start: bool = False,
) -> Verdict:
    """The verdict on a run.

    ``classes`` are the numbers of classes that the chains have listed and ``shares`` their shares of the total time;
    ``enough`` says whether there are enough batches for errors, ``same_start`` whether all chains started at one class.
    """
    if all(s.frozen and math.isinf(s.log_time) for s in ran):
        return Verdict(True, (Remark("The target has only one class, so there is nothing to sample and no error"),))
    faults = _stuck(ran, classes)
    if not enough and not faults:
        faults.append(_too_short(sum(s.jumps for s in ran), shares))
    if enough:
        faults += _drifting(ran)
        tempered = any(s.tempering is not None for s in ran)
        faults += _disagreements(findings, len(ran), tempered) or _shortage(findings)
    if faults:
        return Verdict(False, tuple(faults))
    return Verdict(True, (*_converged(findings, len(ran)), *([SAME_START] if same_start else [])))


SAME_START = Remark(
    "All chains started at the same class, so their agreement is weaker evidence", (Advice("scattered"),)
)


def _stuck(ran: Sequence[ChainStatistics], classes: Sequence[int]) -> list[Remark]:
    faults = []
    still = [i + 1 for i, count in enumerate(classes) if count <= 1]
    if still:
        faults.append(Remark(f"{_chains(still)} never left {'its' if len(still) == 1 else 'their'} first class"))
    frozen = [i + 1 for i, s in enumerate(ran) if s.frozen]
    if frozen:
        faults.append(
            Remark(
                f"{_chains(frozen)} froze: the next jump is more than 2**1000 units of time away, so this shows a mode "
                "of the target, not its spread"
            )
        )
    return faults


def _drifting(ran: Sequence[ChainStatistics]) -> list[Remark]:
    drifting = [i + 1 for i, s in enumerate(ran) if s.drifting]
    if not drifting:
        return []
    return [Remark(f"{_chains(drifting)} still drifted at the end of the longest warm-up", (MORE_JUMPS, Advice("ges")))]


def _too_short(jumps: int, shares: Sequence[float]) -> Remark:
    if jumps < SHORT:
        reason = f"{jumps:,} jumps of all chains are too few to estimate an error"
    elif not all(map(math.isfinite, shares)):
        reason = "the prior gives zero weight to all draws"
    else:
        longest = int(np.argmax(shares))
        whose = f" ({shares[longest]:.0%} of it in chain {longest + 1})" if len(shares) > 1 else ""
        reason = f"almost all of the time{whose} was spent in a few parts of the run, in classes that are hard to leave"
    return Remark(f"Too short to judge: {reason}", (MORE_JUMPS,))


def _disagreements(findings: Sequence[Finding], chains: int, tempered: bool) -> list[Remark]:
    apart = [f for f in findings if f.is_apart]
    if not apart:
        return []
    edges = [f for f in apart if f.is_probability]
    worst = max(edges, key=lambda f: float(np.ptp(f.by_chain))) if edges else max(apart, key=lambda f: f.r_hat)
    others = f", and on {len(apart) - 1:,} more" if len(apart) > 1 else ""
    r_hat = f" (R-hat {worst.r_hat:.3g})" if math.isfinite(worst.r_hat) else ""
    statement = (
        f"The {_number(chains)} chains disagree on {worst.name}: {_span(worst)}{r_hat}{others}. They have not mixed"
    )
    return [Remark(statement, (MORE_JUMPS, Advice("temperatures" if tempered else "tempering"), Advice("by chain")))]


def _shortage(findings: Sequence[Finding]) -> list[Remark]:
    """The first of the kinds of shortage that applies."""
    unmixed = [f for f in findings if not f.is_probability and f.r_hat > HIGH]
    if unmixed:
        worst = max(unmixed, key=lambda f: f.r_hat)
        return [Remark(f"Not mixed yet: the R-hat of {worst.name} is {worst.r_hat:.3f}, above {HIGH}", (MORE_JUMPS,))]
    few = [f for f in findings if not f.is_probability and f.ess < FEW]
    if few:
        worst = min(few, key=lambda f: f.ess)
        statement = (
            f"Too short to judge: the run has {worst.ess:.0f} effective samples of {worst.name}, and at least {FEW} "
            "are needed"
        )
        return [Remark(statement, (Advice("jumps", math.ceil(1.5 * FEW / max(worst.ess, 1))),))]
    coarse = [f for f in findings if f.is_probability and f.mcse > COARSE]
    if coarse:
        worst = max(coarse, key=lambda f: f.mcse)
        statement = (
            f"Some probabilities have errors above {COARSE}; the largest is that of {worst.name}: {worst.mean:.2f} ± "
            f"{worst.mcse:.2f}"
        )
        return [Remark(statement, (MORE_JUMPS,))]
    rare = [f for f in findings if f.is_rare and COARSE < f.mean < 1 - COARSE]
    if rare:
        worst = min(rare, key=lambda f: abs(f.mean - 0.5))
        others = f" and {len(rare) - 1:,} more" if len(rare) > 1 else ""
        statement = (
            f"Too short to judge: {worst.name} (probability {worst.mean:.2f}){others} changed fewer than "
            f"{LEAST_CHANGES} times in all chains, too rarely to estimate an error"
        )
        return [Remark(statement, (MORE_JUMPS,))]
    return []


def _converged(findings: Sequence[Finding], chains: int) -> list[Remark]:
    measured = [f for f in findings if math.isfinite(f.ess)]
    if not measured and all(f.is_constant for f in findings):
        return [Remark("Nothing varied that could be measured: edges and score were the same nearly all of the time")]
    if not measured:  # two classes: there is one possible jump from each, and its expected time is always the same
        return [Remark("All parts of the run give the same numbers, so there is no error except rounding")]
    weak = [f for f in measured if f.is_probability and (f.ess < FEW or f.r_hat > HIGH)]
    solid = [f for f in measured if f not in weak] or measured
    who = (
        "one chain can show (it cannot reveal modes that it missed)"
        if chains == 1
        else f"{_number(chains)} chains can show"
    )
    least = min(f.ess for f in solid)
    samples = f"at least {least:,.0f}" if least <= MANY else f"over {MANY:,}"
    statement = f"Converged as far as {who}: {samples} effective samples of every quantity"
    if weak:
        statement += f" except {_number(len(weak))}"
    r_hats = [f.r_hat for f in solid if math.isfinite(f.r_hat)]
    if r_hats:
        statement += f", R-hat at most {max(r_hats):.3f}"
    remarks = [Remark(statement)]
    if weak:
        remarks.append(_exceptions(weak))
    rare = [f.name for f in findings if f.is_rare]
    if rare:
        others = f" and {len(rare) - 1:,} more, with probabilities" if len(rare) > 1 else ", with a probability"
        remarks.append(Remark(f"However, {rare[0]}{others} near 0 or 1, changed too rarely to estimate an error"))
    return remarks


def _exceptions(weak: Sequence[Finding]) -> Remark:
    """Probabilities with small errors, which are themselves uncertain."""
    error, fewest = max(f.mcse for f in weak), min(f.ess for f in weak)
    r_hats = [f.r_hat for f in weak if math.isfinite(f.r_hat)]
    r_hat = f" and R-hat up to {max(r_hats):.3f}" if r_hats and max(r_hats) > HIGH else ""
    one = len(weak) == 1
    return Remark(
        f"The exception{' has' if one else 's have'} as few as {fewest:,.0f} effective samples{r_hat}, so "
        f"{'it' if one else 'they'} may be off by more than {'its error' if one else 'their errors'} of at most "
        f"{error:.2g}",
        (MORE_JUMPS,),
    )


def _span(finding: Finding) -> str:
    shares = finding.by_chain[np.isfinite(finding.by_chain)]
    digits = ".2g" if finding.is_probability else ".6g"
    low, high = np.round([shares.min(), shares.max()], 6)
    return f"{low:{digits}} to {high:{digits}}"


def _chains(numbers: Sequence[int]) -> str:
    """The subject of a sentence."""
    if len(numbers) == 1:
        return f"Chain {numbers[0]}"
    if len(numbers) > SHOWN_CHAINS:
        return f"{len(numbers):,} chains ({', '.join(map(str, numbers[:SHOWN_CHAINS]))}, ...)"
    return f"Chains {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else f"{count:,}"
