"""Verdict: the problems that diagnostics found in a run, or that they found none, with advice on what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from causal_zigzag.answers.errors.batch_means import LEAST_CHANGES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.diagnostics.exact_check import ExactComparison
    from causal_zigzag.posterior.diagnostics.regions import Regions
    from causal_zigzag.sampler.chain_result import ChainStatistics

FEW = 100  # effective samples
MANY = 1_000_000  # effective samples; larger numbers are dominated by rounding and not shown
SHOWN_CHAINS = 10
HIGH = 1.05  # R-hat
COARSE = 0.05  # a Monte Carlo error of a probability
SHORT = 1000  # jumps of all chains
APART = 0.1  # smaller differences of a probability between chains are not reported
WRONG = 0.1  # no run is sound if a probability of an adjacency differs from the exact one by more than this
LIGHT = 3.0  # log units; regions within this of the largest mass are not reported
BELOW = 5.0  # log units; chains whose best class is within this of the best of all are not reported

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

AdviceKind = Literal["jumps", "ges", "scattered", "tempering", "temperatures", "by chain", "weigh", "exact"]


class Advice(NamedTuple):
    """Something that the user can do.

    ``factor`` is the multiple of jumps that is needed, if it can be estimated, and ``seconds`` the time for it.
    """

    kind: AdviceKind
    factor: int | None = None
    seconds: float | None = None

    @property
    def amount(self) -> str:
        """The multiple of jumps in words."""
        time = f" (about {duration(self.seconds)})" if self.seconds is not None else ""
        return f"about {self.factor:,} times as many jumps{time}"


def duration(seconds: float) -> str:
    """A time with one or two digits: 4 s, 3 min, 2 h."""
    for unit, word in ((3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {word}"
    return f"{max(1.0, seconds):.0f} s"


MORE_JUMPS = Advice("jumps")

PYTHON_ADVICE: dict[AdviceKind, str] = {
    "jumps": "sample more jumps",
    "ges": 'start at the result of a greedy search with start="ges"',
    "scattered": 'start="scattered" is a stronger test',
    "tempering": "use tempering",
    "temperatures": "use more temperatures",
    "by chain": "examine each chain with posterior.by_chain()",
    "weigh": "weight the chains by these masses with posterior.weigh_chains()",
    "exact": "use the exact probabilities of cz.exact_edge_posterior",
}


def python_advice(advice: Advice) -> str:
    """The advice in terms of the Python interface."""
    if advice.factor is not None:
        return f"{advice.amount} are needed, for example by posterior.extend()"
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
    exact: ExactComparison | None = None,
    regions: Regions | None = None,
    weighted: bool = False,
    seconds: float | None = None,
) -> Verdict:
    """The verdict on a run.

    ``classes`` are the numbers of classes that the chains have listed and ``shares`` their shares of the total time;
    ``enough`` says whether there are enough batches for errors, ``same_start`` whether all chains started at one class,
    ``weighted`` whether chains are weighted by the masses of their regions. ``seconds`` is the time of the run.
    """
    if all(s.frozen and math.isinf(s.log_time) for s in ran):
        return Verdict(True, (Remark("The target has only one class, so there is nothing to sample and no error"),))
    faults = _stuck(ran, classes)
    if not enough and not faults:
        faults.append(_too_short(sum(s.jumps for s in ran), shares))
    tempered = any(s.tempering is not None for s in ran)
    if enough:
        faults += _drifting(ran)
        apart = _disagreements(findings, len(ran), tempered)
        if apart and regions is not None:
            apart += _light_regions(regions, weighted)
        faults += apart or _shortage(findings, seconds)
    wrong = exact is not None and not exact.largest_difference <= WRONG
    if exact is not None and wrong:
        faults.append(_far_from_exact(exact, tempered))
    remarks = faults or [*_converged(findings, len(ran)), *([SAME_START] if same_start else [])]
    if regions is not None and faults:  # with many variables, chains that agree have best classes that differ
        remarks += _lower_bests(regions)
    if exact is not None and not wrong:
        instead = (Advice("exact"),) if faults else ()
        remarks.append(Remark(f"Largest difference from the exact probabilities: {_difference(exact)}", instead))
    return Verdict(not faults, tuple(remarks))


def _difference(exact: ExactComparison) -> str:
    return f"{exact.largest_difference:.3f}" if exact.largest_difference >= 0.0005 else "less than 0.001"


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
    annealed = any(s.annealing is not None for s in ran)  # such chains forget their start
    advice = (MORE_JUMPS,) if annealed else (MORE_JUMPS, Advice("ges"))
    return [Remark(f"{_chains(drifting)} still drifted at the end of the longest warm-up", advice)]


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


def _light_regions(regions: Regions, weighted: bool) -> list[Remark]:
    """Which chains are in regions of little mass, and that weights of chains are in use."""
    top, below = _below_highest(regions.log_mass, LIGHT)
    remarks = []
    if below:
        powers = _listed([f"e^-{gap:.0f}" for gap in below.values()])
        where = "is in a region" if len(below) == 1 else "are in regions"
        statement = f"{_chains([*below])} {where} with {powers} of the mass of chain {top}'s"
        remarks.append(Remark(statement, () if weighted else (Advice("weigh"),)))
    if weighted:
        remarks.append(Remark("The chains are weighted by the estimated masses of their regions"))
    return remarks


def _lower_bests(regions: Regions) -> list[Remark]:
    """The chains whose best class is far below the best class of all chains."""
    top, below = _below_highest(regions.log_best, BELOW)
    if not below:
        return []
    whose, gaps = _chains([*below]), _listed([f"{gap:.0f}" for gap in below.values()])
    subject = f"The best {'class' if len(below) == 1 else 'classes'} of {whose[0].lower()}{whose[1:]}"
    verb = "is" if len(below) == 1 else "are"
    return [Remark(f"{subject} {verb} {gaps} log units below the best class of all, which chain {top} found")]


def _below_highest(logs: Sequence[float], limit: float) -> tuple[int, dict[int, float]]:
    """The chain with the highest value, and by how much each chain is lower, if by more than the limit."""
    highest = max(logs)
    return logs.index(highest) + 1, {i + 1: highest - x for i, x in enumerate(logs) if highest - x > limit}


def _listed(numbers: Sequence[str]) -> str:
    """Numbers of different chains as words: one if all are equal, a range if they are many."""
    if len({*numbers}) == 1:
        return numbers[0]
    if len(numbers) > SHOWN_CHAINS:
        ordered = sorted(numbers, key=lambda text: float(text.removeprefix("e^-")))
        return f"{ordered[0]} to {ordered[-1]}"
    return f"{', '.join(numbers[:-1])} and {numbers[-1]}"


def _far_from_exact(exact: ExactComparison, tempered: bool) -> Remark:
    first = exact.table.iloc[0]
    return Remark(
        f"Far from the exact probabilities: that of {exact.pair_in_words} is {first['sampled']:.2f} instead of "
        f"{first['exact']:.2f}, the largest difference",
        (Advice("exact"), MORE_JUMPS, Advice("temperatures" if tempered else "tempering")),
    )


def _more(factor: float, seconds: float | None) -> Advice:
    """Advice to make a run longer by a factor, with a margin of a fifth."""
    times = max(2, math.ceil(1.2 * factor))
    return Advice("jumps", times, None if seconds is None else seconds * times)


def _shortage(findings: Sequence[Finding], seconds: float | None) -> list[Remark]:
    """The first of the kinds of shortage that applies.

    Errors decrease with the square root of the length, and effective samples and 1 / (R-hat - 1) grow in proportion.
    """
    unmixed = [f for f in findings if f.r_hat > HIGH]
    if unmixed:
        worst = max(unmixed, key=lambda f: f.r_hat)
        others = f", and {len(unmixed) - 1:,} more are" if len(unmixed) > 1 else ","
        statement = f"Not mixed yet: the R-hat of {worst.name} is {worst.r_hat:.3f}{others} above {HIGH}"
        return [Remark(statement, (_more((worst.r_hat - 1) / (HIGH - 1), seconds),))]
    few = [f for f in findings if not f.is_probability and f.ess < FEW]
    if few:
        worst = min(few, key=lambda f: f.ess)
        statement = (
            f"Too short to judge: the run has {worst.ess:.0f} effective samples of {worst.name}, and at least {FEW} "
            "are needed"
        )
        return [Remark(statement, (_more(FEW / max(worst.ess, 1), seconds),))]
    coarse = [f for f in findings if f.is_probability and f.mcse > COARSE]
    if coarse:
        worst = max(coarse, key=lambda f: f.mcse)
        statement = (
            f"Some probabilities have errors above {COARSE}; the largest is that of {worst.name}: {worst.mean:.2f} ± "
            f"{worst.mcse:.2f}"
        )
        return [Remark(statement, (_more((worst.mcse / COARSE) ** 2, seconds),))]
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
    weak = [f for f in measured if f.is_probability and f.ess < FEW]
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
    one = len(weak) == 1
    return Remark(
        f"The exception{' has' if one else 's have'} as few as {fewest:,.0f} effective samples, so "
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
