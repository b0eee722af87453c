"""resample(): a posterior with the average of the posteriors of its resampled tables."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SamplingWarning, SettingsError
from causal_zigzag.posterior.merging import last_states
from causal_zigzag.posterior.resampled import Resampled
from causal_zigzag.resampling.chains import ResampleTask
from causal_zigzag.resampling.kept_resamples import KeptResamples, Number
from causal_zigzag.resampling.pool import Pool
from causal_zigzag.resampling.schemes import DEFAULT, Scheme
from causal_zigzag.resampling.score_rows import score_with_rows
from causal_zigzag.resampling.units import Units, read_units
from causal_zigzag.sampler.chain_task import Start
from causal_zigzag.sampler.excursions.plan import FEWEST_CANDIDATES, MOST_NODES, ExcursionPlan, choose_plan
from causal_zigzag.sampler.parallel.progress import ProgressBar, is_shown
from causal_zigzag.sampler.run import ENTROPY, drawn_seed
from causal_zigzag.sampler.settings import DEFAULT_MINUTES, RunSettings
from causal_zigzag.support import clock
from causal_zigzag.support.clock import Moment
from causal_zigzag.support.interrupts import Interrupts
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.user_warnings import warn_user
from causal_zigzag.support.validation import is_integer, is_real, is_word

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.scores.base import Score
    from causal_zigzag.target.target import Target

FIRST, STEP, MOST = 32, 16, 256  # resamples until the errors are judged for the first time, and between, and in all
MOST_ASKED = 100_000
CHAINS = 2
JUMPS, JUMPS_PER_NODE = 4000, 100  # of each chain
LISTED, POINTS = 256, 256  # classes and points of the trace that a chain keeps
CACHE_BYTES = 16 * 2**20  # of each chain
ENTRIES = 2**16  # of the tables of excursions of a resample, divided by the relative cost of the score


def resample(
    posterior: Posterior,
    resamples: Number = "auto",
    by: Any = None,
    data: Any = None,
    minutes: float | None = None,
    rng: Rng = None,
    executor: Any = None,
    progress: bool | None = None,
    scheme: Scheme = DEFAULT,
) -> Posterior:
    """See ``Posterior.resample``; ``scheme`` is what is drawn."""
    begun = clock.now()
    number = read_resamples(resamples)
    if minutes is not None and (not is_real(minutes) or not 0 < minutes < math.inf):
        raise SettingsError(f"minutes must be None or a finite number above 0, not {minutes!r}")
    if number == 0:
        return replace(posterior, resampled=None)
    entropy = as_generator(drawn_seed(rng)).integers(0, 2**32, size=ENTROPY, dtype=np.uint32).tolist()
    limit = minutes if minutes is not None else DEFAULT_MINUTES if number == "auto" else math.inf
    end = Moment(begun + 60 * limit)
    with Interrupts() as interrupts:
        return resampled_posterior(
            posterior, number, by, data, entropy, end, executor, is_shown(progress), interrupts, scheme
        )


def read_resamples(resamples: Any) -> Number:
    """The number of resamples, or "auto"."""
    if is_word(resamples, "auto"):
        return "auto"
    if not is_integer(resamples) or not 0 <= resamples <= MOST_ASKED:
        raise SettingsError(f'resamples must be "auto" or a number from 0 to {MOST_ASKED:,}, not {resamples!r}')
    return int(resamples)


def can_resample(score: Score) -> bool:
    """Whether the rows of a score are known; a user's own score need not have any."""
    return not (score.is_flat or score.is_partial) and score.row_count is not None


def resampled_posterior(
    posterior: Posterior,
    number: Number,
    by: Any,
    data: Any,
    entropy: list[int],
    deadline: Moment,
    executor: Any,
    shown: bool,
    interrupts: Interrupts,
    scheme: Scheme = DEFAULT,
    folder: Path | None = None,
) -> Posterior:
    """The posterior with ``resampled``, from these random numbers and until this time at most.

    Resamples that are finished are kept in the ``folder`` of a checkpoint.
    """
    if posterior._reweighting is not None and posterior.prior != "dags":
        raise SettingsError(f"it was reweighted by {posterior.prior}; resample it as it was sampled, then reweight")
    score = score_with_rows(posterior, data, by)
    units = read_units(by, score.source_table, score.row_count or 0)
    plan = _Plan.of(posterior, score, units, scheme, entropy, deadline)
    most = MOST if number == "auto" else number
    found: dict[int, tuple[Posterior, float]] = {}
    bar = ProgressBar(shown, most, "resampling", " resamples")
    drawn = 0
    with Pool(executor, interrupts, None if folder is None else KeptResamples(folder), deadline) as pool:
        try:
            while drawn < most and not interrupts.noted() and pool.failure is None and clock.now() < deadline:
                end = min(most, max(FIRST, drawn + STEP)) if number == "auto" else most
                new = pool.run(range(drawn, end), plan.task, lambda finished: bar.show(finished, ""), len(found))
                found |= {number: (one.posterior(task), one.r_hat) for number, (task, one) in new.items()}
                drawn = end
                if number == "auto" and found and plan.value(found, drawn).diagnostics().accurate:
                    break
        finally:
            bar.close()
    if pool.failure is not None:
        if not found:
            raise pool.failure
        warn_user(f"{pool.failure}; {len(found)} resamples were finished", SamplingWarning)
    if not found:
        if number != "auto":
            words = "Ctrl-C was pressed" if interrupts.noted() else "the time was over"
            warn_user(f"no rows were resampled: {words} before the first resample was finished", SamplingWarning)
        return posterior
    value = plan.value(found, drawn)
    if value.lost and number != "auto":
        remedy = "Ctrl-C was pressed" if interrupts.noted() else "give it more minutes"
        warn_user(f"{value.lost} of {drawn} resamples are missing; {remedy}", SamplingWarning)
    return replace(posterior, resampled=value if posterior._reweighting is None else value.reweight("dags"))


@dataclass(frozen=True, eq=False)
class _Plan:
    """What all resamples share."""

    target: Target
    settings: RunSettings
    units: Units
    scheme: Scheme
    entropy: list[int]
    ends: Sequence[Start]
    excursions: ExcursionPlan | None
    deadline: Moment

    @classmethod
    def of(
        cls, posterior: Posterior, score: Score, units: Units, scheme: Scheme, entropy: list[int], deadline: Moment
    ) -> _Plan:
        target = replace(posterior.target, score=score)
        settings = RunSettings(
            momentum=posterior.settings.momentum,
            balance=posterior.settings.balance,
            jumps=max(JUMPS, JUMPS_PER_NODE * len(target.nodes)),
            chains=CHAINS,
            max_classes=LISTED,
            trace_points=POINTS,
            cache_bytes=min(CACHE_BYTES, posterior.settings.cache_bytes),
            excursions=posterior.settings.excursions,
        )
        ends = last_states(posterior)
        return cls(
            target, settings, units, scheme, entropy, ends, _excursions(target, settings, ends, deadline), deadline
        )

    def task(self, number: int) -> ResampleTask:
        """The task of the resample with this number."""
        weights = self.scheme.weights(self.units.number, [*self.entropy, 0], number)[self.units.of_row]
        score = self.target.score.with_row_weights(weights)
        target = replace(self.target, score=score)
        streams = np.random.SeedSequence([*self.entropy, 1, number]).spawn(CHAINS)
        chosen = [self.ends[(CHAINS * number + chain) % len(self.ends)] for chain in range(CHAINS)]
        origin = score.origin(chosen[0].graph)
        starts = tuple(
            Start(
                start.graph,
                score.origin(start.graph) - origin,
                log2_pace=start.log2_pace,
                direction=start.direction,
                continues=True,
                sqrt_weight=start.sqrt_weight,
            )
            for start in chosen
        )
        own = self.excursions
        tables = None if own is None else ExcursionPlan(own.candidates, own.slope, region_weights=own.region_weights)
        seeds = tuple(stream.generate_state(4, np.uint64).astype(np.uint64) for stream in streams)
        numbers = [np.array([*self.entropy, number]), weights, *seeds, np.array([start.score for start in starts])]
        key = hashlib.sha256(b"".join(part.tobytes() for part in numbers)).hexdigest()
        return ResampleTask(number, target, self.settings, starts, tables, seeds, self.deadline, key)

    def value(self, found: dict[int, tuple[Posterior, float]], drawn: int) -> Resampled:
        """The average of these resamples, of those that were drawn."""
        numbers = tuple(sorted(found))
        return Resampled(
            self.target,
            tuple(found[number][0] for number in numbers),
            numbers,
            self.scheme.words.format(units=self.units.words),
            self.scheme.together,
            self.units.by,
            tuple(found[number][1] for number in numbers),
            drawn - len(found),
        )


def _excursions(target: Target, settings: RunSettings, ends: Sequence[Start], by: Moment) -> ExcursionPlan | None:
    """The plan of a run from these ends, with fewer candidates, as the tables are filled for each resample."""
    n = len(target.nodes)
    planned = choose_plan(target, settings, ends, by)
    if n > MOST_NODES or planned is None:
        return planned
    cost = target.score.relative_cost()
    if cost is None:
        return None
    count = min(len(planned.candidates[0]), (int(ENTRIES / cost) // n).bit_length() - 1)
    if count < min(n - 1, FEWEST_CANDIDATES):
        return None
    return replace(planned, candidates=tuple(own[:count] for own in planned.candidates))
