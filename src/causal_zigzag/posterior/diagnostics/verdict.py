"""Verdict: the problems that diagnostics found in a run, or that they found none, with advice on what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from causal_zigzag.answers.errors.batch_means import LEAST_CHANGES
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.diagnostics.exact_check import ExactComparison
    from causal_zigzag.sampler.chain_result import ChainStatistics

FEW_SAMPLES = 100  # effective ones
MANY_SAMPLES = 1_000_000  # effective ones; larger numbers are dominated by rounding and not shown
HIGH_R_HAT = 1.05
GOAL_WIDTH = 0.02  # two standard errors of the probability of every adjacency, at which a default run ends
LARGE_ERROR = 0.05  # a Monte Carlo error of a probability
FEW_JUMPS = 1000  # of all chains
FAR_APART = 0.1  # the negligible difference of a probability between chains
SAME_AS_EXACT = 1e-6  # a difference that shows that a target has one class up to rounding
FAR_FROM_EXACT = 0.1  # no run is sound if a probability of an adjacency differs from the exact one by more than this
LIGHT_REGION = 3.0  # log units; regions within this of the largest mass are not reported

AdviceKind = Literal["jumps", "ges", "scattered", "by chain", "weigh", "exact", "resample"]


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
        time = f" (about {max(1, round(self.seconds / 60))} min)" if self.seconds is not None else ""
        return f"about {self.factor:,} times as many jumps{time}"


PYTHON_ADVICE: dict[AdviceKind, str] = {
    "jumps": "sample more jumps",
    "ges": 'start at the result of a greedy search with start="ges"',
    "scattered": 'start="scattered" is a stronger test',
    "by chain": "examine each chain with posterior.by_chain()",
    "weigh": "weight the chains by these masses with posterior.weigh_chains()",
    "exact": "use the exact probabilities of cz.exact_edge_posterior",
    "resample": "posterior.resample() shows it",
}
MORE_JUMPS = Advice("jumps")


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
        return "Sampling: converged" if self.ok else "Sampling: not converged"

    def text(self, wording: Callable[[Advice], str] = python_advice) -> str:
        """All remarks; ``wording`` expresses advice for the interface that shows the verdict."""
        return " ".join(remark.text(wording) for remark in self.remarks)


@dataclass(frozen=True, eq=False)
class Finding:
    """The diagnostics of one quantity."""

    name: str
    is_probability: bool  # of an edge; the other quantities are the number of edges and the score
    negligible: float  # smaller differences between chains are not reported
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
        far = float(np.ptp(self.by_chain[np.isfinite(self.by_chain)])) > self.negligible
        return self.disagrees and not self.r_hat <= HIGH_R_HAT and far  # an unknown R-hat excuses nothing

    @property
    def span(self) -> str:
        """The smallest and the largest mean of a chain."""
        shares = self.by_chain[np.isfinite(self.by_chain)]
        digits = ".2g" if self.is_probability else ".6g"
        low, high = np.round([shares.min(), shares.max()], 6)
        return f"{low:{digits}} to {high:{digits}}"


def note_of(finding: Finding, enough: bool) -> str:
    """Why a number is missing or not reliable; empty if all numbers are."""
    reasons = (
        (finding.is_constant, "constant"),
        (not enough, "too short to judge"),
        (finding.is_apart, "chains disagree: " + (finding.span if finding.is_apart else "")),
        (finding.is_rare, "changed too rarely"),
        (math.isnan(finding.ess), "the same in all batches"),
        (finding.ess < FEW_SAMPLES, "few effective samples"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def judge(
    ran: Sequence[ChainStatistics],
    classes: Sequence[int],
    shares: Sequence[float],
    findings: Sequence[Finding],
    enough: bool,
    same_start: bool = False,
    exact: ExactComparison | None = None,
    masses: Sequence[float] = (),
    weighted: bool = False,
    seconds: float | None = None,
) -> Verdict:
    """The verdict on a run.

    ``classes`` are the numbers of classes that the chains have listed and ``shares`` their shares of the total time;
    ``enough`` says whether there are enough batches for errors, ``same_start`` whether all chains started at one class,
    ``masses`` are the logs of the masses of the regions of the chains, ``weighted`` says whether these are the weights
    of the chains. ``seconds`` is the time of the run.
    """
    if all(s.frozen and math.isinf(s.log_time) for s in ran):
        return Verdict(True, (Remark("The target has only one class, so there is nothing to sample and no error"),))
    faults = _stuck(ran, classes)
    resting = all(s.frozen or listed <= 1 for s, listed in zip(ran, classes, strict=True))
    if faults and resting and exact is not None and exact.largest_difference <= SAME_AS_EXACT:
        found = "Converged: the chains stayed in one class, and the exact probabilities of adjacencies agree with it"
        return Verdict(True, (Remark(f"{found} (largest difference {exact.largest_difference:.1g})"),))
    drift = _drifting(ran) if enough else []
    if enough:
        apart = _disagreements(findings)
        faults += [*apart, *_light_regions(masses, weighted)] if apart else _shortage(findings, seconds)
    elif not faults:
        faults.append(_too_short(sum(s.jumps for s in ran), shares))
    wrong = exact is not None and not exact.largest_difference <= FAR_FROM_EXACT
    if exact is not None and wrong:
        first = exact.table.iloc[0]
        instead = f"that of {exact.pair_in_words} is {first['sampled']:.2f} instead of {first['exact']:.2f}"
        faults.append(Remark(f"Far from the exact probabilities: {instead}", (Advice("exact"), MORE_JUMPS)))
    # a drift that leaves chains which agree, with enough effective samples, is over or too slow to matter
    remarks = [*drift, *faults] if faults else [*_converged(findings, len(ran)), *drift]
    if same_start and not faults:
        weaker = "All chains started at the same class, so their agreement is weaker evidence"
        remarks.append(Remark(weaker, (Advice("scattered"),)))
    if exact is not None and not wrong:
        largest = f"Largest difference from the exact probabilities: {exact.largest_difference:.3f}"
        remarks.append(Remark(largest, (Advice("exact"),) if faults else ()))
    return Verdict(not faults, tuple(remarks))


def _stuck(ran: Sequence[ChainStatistics], classes: Sequence[int]) -> list[Remark]:
    still = [i for i, listed in enumerate(classes) if listed <= 1]
    frozen = [i for i, s in enumerate(ran) if s.frozen]
    far = "the next jump is more than 2**1000 units of time away, so this shows a mode of the target, not its spread"
    both = ((still, "never left the first class"), (frozen, f"froze: {far}"))
    return [Remark(f"{_chains(who)} {what}") for who, what in both if who]


def _drifting(ran: Sequence[ChainStatistics]) -> list[Remark]:
    drifting = [i for i, s in enumerate(ran) if s.drifting]
    annealed = any(s.annealing is not None for s in ran)  # such chains forget their start
    advice = (MORE_JUMPS,) if annealed else (MORE_JUMPS, Advice("ges"))
    what = "still drifted at the end of the longest warm-up"
    return [Remark(f"{_chains(drifting)} {what}", advice)] if drifting else []


def _too_short(jumps: int, shares: Sequence[float]) -> Remark:
    if jumps < FEW_JUMPS:
        reason = f"{jumps:,} jumps of all chains are too few to estimate an error"
    elif not all(map(math.isfinite, shares)):
        reason = "the prior gives zero weight to all draws"
    else:
        whose = f"{max(shares):.0%} of it in chain {int(np.argmax(shares)) + 1}"
        reason = (
            f"almost all of the time ({whose}) was spent in a few parts of the run, in classes that are hard to leave"
        )
    return Remark(f"Too short to judge: {reason}", (MORE_JUMPS,))


def _disagreements(findings: Sequence[Finding]) -> list[Remark]:
    apart = [f for f in findings if f.is_apart]
    if not apart:
        return []
    edges = [f for f in apart if f.is_probability]
    worst = max(edges, key=lambda f: float(np.ptp(f.by_chain))) if edges else max(apart, key=lambda f: f.r_hat)
    r_hat = f" (R-hat {worst.r_hat:.3g})" if math.isfinite(worst.r_hat) else ""
    disagree = f"The chains disagree on {worst.name}: {worst.span}{r_hat}{_more(apart)}. They have not mixed"
    return [Remark(disagree, (MORE_JUMPS, Advice("by chain")))]


def _light_regions(masses: Sequence[float], weighted: bool) -> list[Remark]:
    """Which chains are in regions of little mass, and that weights of chains are in use."""
    most = max(masses, default=0.0)
    below = {i: round(most - mass) for i, mass in enumerate(masses) if most - mass > LIGHT_REGION}
    remarks = []
    if below:
        least, largest = min(below.values()), max(below.values())
        share = f"e^-{least}" + (f" to e^-{largest}" if largest > least else "")
        statement = (
            f"{_chains([*below])}: a region with {share} of the mass of that of chain {[*masses].index(most) + 1}"
        )
        remarks.append(Remark(statement, () if weighted else (Advice("weigh"),)))
    if weighted:
        remarks.append(Remark("The chains are weighted by the estimated masses of their regions"))
    return remarks


def _shortage(findings: Sequence[Finding], seconds: float | None) -> list[Remark]:
    """The first of the kinds of shortage that applies.

    Errors decrease with the square root of the length, and effective samples and 1 / (R-hat - 1) grow in proportion.
    """

    def more(statement: str, factor: float) -> list[Remark]:
        times = max(2, math.ceil(1.2 * factor))  # with a margin of a fifth
        return [Remark(statement, (Advice("jumps", times, None if seconds is None else seconds * times),))]

    if unmixed := [f for f in findings if f.r_hat > HIGH_R_HAT]:
        worst = max(unmixed, key=lambda f: f.r_hat)
        statement = f"Not mixed yet: the R-hat of {worst.name} is {worst.r_hat:.3f}, above {HIGH_R_HAT}{_more(unmixed)}"
        return more(statement, (worst.r_hat - 1) / (HIGH_R_HAT - 1))
    if few := [f for f in findings if not f.is_probability and f.ess < FEW_SAMPLES]:
        worst = min(few, key=lambda f: f.ess)
        has = f"the run has {worst.ess:.0f} effective samples of {worst.name}, and at least {FEW_SAMPLES} are needed"
        return more(f"Too short to judge: {has}", FEW_SAMPLES / max(worst.ess, 1))
    if coarse := [f for f in findings if f.is_probability and f.mcse > LARGE_ERROR]:
        worst = max(coarse, key=lambda f: f.mcse)
        largest = f"the largest is that of {worst.name}: {worst.mean:.2f} ± {worst.mcse:.2f}"
        return more(f"Some probabilities have errors above {LARGE_ERROR}; {largest}", (worst.mcse / LARGE_ERROR) ** 2)
    if rare := [f for f in findings if f.is_rare and LARGE_ERROR < f.mean < 1 - LARGE_ERROR]:
        worst = min(rare, key=lambda f: abs(f.mean - 0.5))
        rarely = f"changed fewer than {LEAST_CHANGES} times in all chains, too rarely to estimate an error"
        statement = f"Too short to judge: {worst.name} (probability {worst.mean:.2f}{_more(rare)}) {rarely}"
        return [Remark(statement, (MORE_JUMPS,))]
    return []


def _converged(findings: Sequence[Finding], chains: int) -> list[Remark]:
    measured = [f for f in findings if math.isfinite(f.ess)]
    if not measured:  # constant, or two classes: the only jump from each has the same expected time always
        return [Remark("All parts of the run give the same numbers, so there is no error except rounding")]
    weak = [f for f in measured if f.is_probability and f.ess < FEW_SAMPLES]
    solid = [f for f in measured if f not in weak] or measured
    alone = " (one cannot reveal modes that it missed)" if chains == 1 else ""
    least = min(f.ess for f in solid)
    samples = f"at least {least:,.0f}" if least <= MANY_SAMPLES else f"over {MANY_SAMPLES:,}"
    besides = f" except {len(weak)}" if weak else ""
    r_hats = [f.r_hat for f in solid if math.isfinite(f.r_hat)]
    agree = f", R-hat at most {max(r_hats):.3f}" if r_hats else ""
    shown = f"Converged as far as {count(chains, 'chain')} can show{alone}"
    remarks = [Remark(f"{shown}: {samples} effective samples of every quantity{besides}{agree}")]
    if weak:  # probabilities with small errors, which are themselves uncertain
        error, fewest = max(f.mcse for f in weak), min(f.ess for f in weak)
        few = f"Of those there are as few as {fewest:,.0f}, so their errors of at most {error:.2g} are uncertain"
        remarks.append(Remark(few, (MORE_JUMPS,)))
    widest = max((f for f in measured if f.is_probability), key=lambda f: f.mcse, default=None)
    if widest is not None and 2 * widest.mcse > GOAL_WIDTH:  # in a default run one of a direction
        known = f"{widest.mean:.2f} with a standard error of {widest.mcse:.2g}, {widest.ess:,.0f} effective samples"
        remarks.append(Remark(f"The least certain probability is that of {widest.name}: {known}", (MORE_JUMPS,)))
    if rare := [f for f in findings if f.is_rare]:
        changed = "with probabilities near 0 or 1, changed too rarely to estimate an error"
        remarks.append(Remark(f"However, {rare[0].name}{_more(rare)}, {changed}"))
    return remarks


def _chains(numbers: Sequence[int]) -> str:
    """Chains by their numbers, from 1; the first ten of many."""
    named = ", ".join(str(i + 1) for i in numbers[:10])
    many = "" if len(numbers) == 1 else "s"
    return f"Chain{many} {named}" if len(numbers) <= 10 else f"{len(numbers)} chains ({named}, ...)"


def _more(findings: Sequence[Finding]) -> str:
    """How many there are besides the one that is named."""
    return f" and {len(findings) - 1:,} more" if len(findings) > 1 else ""
