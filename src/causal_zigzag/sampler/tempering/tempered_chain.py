"""Runs one tempered chain: replicas on a ladder of coldness, which is tuned in the warm-up and then fixed."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from causal_zigzag._core import Chain, Ensemble
from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.balance import SQRT_ALONE, mixes, tune
from causal_zigzag.sampler.chain_result import Outcome, collect
from causal_zigzag.sampler.chain_task import SLICE, UNLIMITED, ChainTask, Meter, Signal
from causal_zigzag.sampler.checkpoint.chain_files import restoring
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.tempering.ladder import TemperingStatistics, adapted, first_ladder
from causal_zigzag.sampler.tempering.rung_excursions import RungExcursions
from causal_zigzag.sampler.warmup import WarmUp

JUMPS = 25  # average number on each rung between two exchanges; half the number of nodes if that is more
LEAST_WARMUP = 256  # exchanges; fewer cannot tune a ladder
CUT = 20  # in the warm-up, an interval ends after this multiple of its expected number of jumps
LONGEST = 900.0  # binary logarithm of the longest time per jump, for a rung on which nothing moves


def run_tempered_chain(task: ChainTask, stop: Signal | None, meter: Meter) -> Outcome:
    """Run a tempered chain as ``run_chain`` does an ordinary one.

    The length of the run is a number of exchanges, which stand for an expected number of jumps each, so that the end of
    the run does not depend on its path. A checkpoint holds the chain after its warm-up; an interrupted warm-up is
    repeated.
    """
    late = task.time_is_up
    run = _TemperedRun(task, stop, meter)
    try:
        if not run.warmup.over:
            run.warm_up()
        if run.warmup.over:
            run.sample()
    except KeyboardInterrupt:  # in a worker process
        run.stopped = True
    result = state = None
    if run.warmup.over:
        state = task.store.save(run, run.warmup, run.ladder.tolist())  # before collect: it counts the unfinished visit
        if run.chains[-1].statistics().time.expected > 0:
            sampled = collect(task, run.chains[-1], run.warmup, run.stopped)
            statistics = replace(sampled.statistics, complete=run.complete(), tempering=run.tempering())
            result = replace(sampled, statistics=statistics)
    return Outcome(result, tuple(task.store.notes), state, late)


class _TemperedRun:
    def __init__(self, task: ChainTask, stop: Signal | None, meter: Meter) -> None:
        assert task.settings.tempering is not None
        self.task, self.stop, self.meter = task, stop, meter
        self.stopped = False
        self.jumps = max(JUMPS, len(task.target.nodes) // 2)  # one exchange takes the time of 15 at n = 200
        saved = task.store.load(tempered=True)
        if saved is None:
            self.warmup = WarmUp.fixed(max(1, task.settings.planned_warmup(task.target)))
            self.ladder = first_ladder(task.settings.tempering, task.stage.ladder)
            if mixes(task.settings, task.target):
                self.warmup.sqrt_weights = (task.start.sqrt_weight,) * len(self.ladder)
        else:
            assert isinstance(saved.warmup, WarmUp)
            self.warmup, self.ladder = saved.warmup, np.array(saved.ladder)
        count = len(self.ladder)
        states = [None if saved is None else saved.state(at) for at in range(count + 1)]
        self.excursions = RungExcursions(task, self.warmup.excursion, begun=saved is not None)
        streams = np.random.SeedSequence([int(word) for word in task.seed]).spawn(count + 1)
        seeds = [stream.generate_state(4, np.uint64).astype(np.uint64) for stream in streams]
        settings = replace(task.settings, cache_bytes=task.settings.cache_bytes // count)
        weights = self.warmup.sqrt_weights or (SQRT_ALONE,) * count
        self.chains: list[Chain] = []
        with restoring(task.number):
            for k, coldness in enumerate(self._coldness()):
                chain = make_chain(
                    task.target, settings, task.start.graph, seeds[k], states[k],
                    coldness=coldness, sqrt_weight=weights[k], first_score=task.start.score,
                    direction=task.start.direction,
                    most_classes=settings.max_classes if k == count - 1 else 0,
                    excursions=self.excursions.arguments(k, count - 1, coldness),
                )  # fmt: skip
                self.chains.append(chain)
            self.ensemble = Ensemble(self.chains, self._coldness(), seeds[-1], states[-1])
        if saved is None and not task.start.continues:
            self.excursions.walk(self.chains[-1])
        self.pace = np.zeros(count)  # binary logarithm of the time of a jump on each rung

    # ---- the stages

    def warm_up(self) -> None:
        """Tune the ladder and the intervals in rounds of doubling length; the last quarter runs without tuning.

        A warm-up without a fixed length then goes on until the coldest chain no longer drifts. The scale of time is
        unknown at first, so that the first few exchanges follow a number of jumps, not a time. If the clock ends
        it, the ladder stays as it is.
        """
        exchanges = max(LEAST_WARMUP, math.ceil(self.task.settings.planned_warmup(self.task.target) / self.jumps))
        explored, settling, made = min(16, exchanges // 8), exchanges // 4, 0
        seen: list[list[float]] = []
        while len(seen) < explored and not (seen and self._must_sample()):
            seen.append(self.ensemble.explore(self.jumps))
            self._progress(len(seen))
            if self.stopped:
                return
        made += self.chains[-1].made
        times = np.array(seen[len(seen) // 2 :])
        self.pace = np.median(np.where(np.isfinite(times), times, LONGEST), axis=0) - math.log2(self.jumps)
        if self.pace.max() >= LONGEST - math.log2(self.jumps):
            self.excursions.switch_off(self.chains[-1])
        done, length = explored, explored
        while done < exchanges and not self._must_sample():
            left = exchanges - done
            if left <= settling:
                length = left
            elif left - settling < 3 * length:
                length = left - settling
            self.excursions.begin(self.chains, self._coldness(), self.pace.tolist(), fixed=left <= settling)
            self._set_intervals()
            self._exchange(length, CUT * self.jumps, done, self.task.stage.warm_by)
            if self.stopped:
                return
            made += self.chains[-1].made
            if left > settling and not self._must_sample():
                self._tune(last=left - length <= settling)
            done += length
            length *= 2
        if self._must_sample():
            self.warmup.drifting = True
        elif self.task.settings.warmup is None and not self._settle(settling, done):
            return
        self.warmup.made, self.warmup.length = self.warmup.made + made, 0
        self.warmup.excursion = self.excursions.setting
        self._set_intervals()

    def _settle(self, exchanges: int, done: int) -> bool:
        """Run on, without tuning, until the coldest chain no longer drifts, in blocks as those of ``WarmUp``.

        Returns False if the chain was stopped before.
        """
        target, settings = self.task.target, self.task.settings
        drift = WarmUp(settings.planned_jumps(target), exchanges * self.jumps)
        while not drift.over:
            block = math.ceil(drift.length / self.jumps)
            self._set_intervals()
            self._exchange(block, CUT * self.jumps, done, self.task.stage.warm_by)
            done += block
            if self.stopped:
                return False
            if not self.chains[-1].statistics().time.expected > 0:
                break
            drift.finish_block(self.chains[-1], cut=self._must_sample())
        self.warmup.made, self.warmup.drifting = drift.made, drift.drifting
        return True

    def sample(self) -> None:
        """Run the exchanges after the warm-up, until something has been accumulated, however late it is."""
        before = math.ceil(self.task.settings.planned_warmup(self.task.target) / self.jumps)
        self._exchange(self._asked(), UNLIMITED, before, self.task.stage.deadline)
        while not self.chains[-1].statistics().time.expected > 0 and not self.stopped:
            self._exchange(self.ensemble.exchanges + 1, UNLIMITED, before, math.inf)

    def complete(self) -> bool:
        """Whether the run has its full length."""
        timed = self.task.stage.deadline < math.inf and not self.stopped
        return timed or self.ensemble.exchanges >= math.ceil(self.task.settings.jumps / self.jumps)

    def tempering(self) -> TemperingStatistics:
        """The statistics of the exchanges."""
        return TemperingStatistics(
            ladder=tuple(self.ladder.tolist()),
            swap_rates=self._swap_rates(),
            jumps=tuple(chain.made for chain in self.chains),
            exchanges=self.ensemble.exchanges,
            round_trips=self.ensemble.round_trips,
        )

    # ---- the state in a checkpoint

    @property
    def made(self) -> int:
        """Its progress in jumps."""
        return self.ensemble.exchanges * self.jumps

    def save(self) -> list[bytes]:
        """The states of the chains on all rungs and of the exchanges."""
        return [*(chain.save() for chain in self.chains), self.ensemble.save()]

    # ---- steps

    def _asked(self) -> int:
        fixed = self.task.settings.minutes is None or self.task.settings.converge
        return math.ceil(self.task.settings.jumps / self.jumps) if fixed else UNLIMITED

    def _exchange(self, exchanges: int, most_jumps: int, before: int, deadline: float) -> None:
        """Run until this number of exchanges since the intervals were set; fewer if the chain is stopped."""
        while self.ensemble.exchanges < exchanges and not self.stopped and time.time() < deadline:
            self.ensemble.run(exchanges - self.ensemble.exchanges, SLICE, most_jumps)
            self._progress(before + self.ensemble.exchanges, self.ensemble.exchanges < exchanges)
            if self.warmup.over:
                self.task.store.save_if_due(self, self.warmup, self.ladder.tolist())

    def _must_sample(self) -> bool:
        """Whether the warm-up must be over."""
        return time.time() >= self.task.stage.warm_by

    def _progress(self, exchanges: int, unfinished: bool = True) -> None:
        """Show the progress, and check whether to stop."""
        rung = self.ensemble.stuck_rung
        if rung >= 0:
            s = self.chains[rung].statistics()
            error = self.task.target.too_dense(s.dense_node, s.dense_clique)
            if rung == len(self.chains) - 1:
                raise error
            higher = np.linspace(0.5, 1, len(self.ladder)).round(3).tolist()
            raise SettingsError(
                f"on the rung at {self.ladder[rung]:.2g} of the coldness, {error}, or give a ladder that starts "
                f"higher, such as tempering={higher}"
            )
        self.meter.show(exchanges * self.jumps, self.chains[-1].edge_count, self.chains[-1].score)
        self.stopped = unfinished and self.stop is not None and self.stop.is_set()

    def _tune(self, last: bool) -> None:
        self.excursions.tune(self.chains[-1])
        for k, chain in enumerate(self.chains):
            s = chain.statistics()
            spent = math.log2(s.time.expected) + s.unit if s.time.expected > 0 else self.pace[k] - 100
            self.pace[k] = min(spent - math.log2(max(s.jumps, 0.5)), LONGEST)
        self._tune_balance()
        if isinstance(self.task.settings.tempering, tuple):
            return
        rejected = [1 - rate for rate in self._swap_rates()]
        auto = self.task.settings.tempering == "auto"
        ladder = adapted(self.ladder, rejected, lengthen=not last, same_ends=auto)
        self.pace = np.interp(ladder, self.ladder, self.pace)
        self.ladder = ladder
        self.ensemble.set_coldness(self._coldness())

    def _tune_balance(self) -> None:
        found = []
        for k, weight in enumerate(self.warmup.sqrt_weights):
            chosen, faster = tune(self.chains[k], weight, len(self.task.target.nodes))
            found.append(chosen)
            self.pace[k] -= faster
        self.warmup.sqrt_weights = tuple(found)

    def _set_intervals(self) -> None:
        self.ensemble.set_intervals((self.pace + math.log2(self.jumps)).tolist())

    def _coldness(self) -> list[float]:
        return [float(fraction) * self.task.target.coldness for fraction in self.ladder]

    def _swap_rates(self) -> tuple[float, ...]:
        return tuple(accepted / tried if tried else 1.0 for tried, accepted in self.ensemble.swaps())
