"""``minutes`` is a promise: all that a run does ends by then, and whatever it has sampled is returned."""

import math
import pickle
import time
from typing import Any

import pytest

import causal_zigzag as cz
from causal_zigzag import sampling
from causal_zigzag.posterior.diagnostics.goal import Distance
from causal_zigzag.sampler import driver
from causal_zigzag.sampler.annealing.schedule import FEWEST_JUMPS, Annealing
from causal_zigzag.sampler.stages import ANNEALING_SHARE
from causal_zigzag.support import clock as clock_module
from causal_zigzag.support.clock import NEVER, Moment
from causal_zigzag.target.target import Target
from targets import gaussian_data

SCORE = cz.GaussianBIC(gaussian_data(8, 400, seed=3))
TICK = 0.05  # seconds that pass whenever somebody looks at the clock


def run(**settings: Any) -> cz.Posterior:
    return cz.sample(SCORE, rng=1, progress=False, resamples=0, **settings)


@pytest.mark.parametrize(
    "settings",
    [{}, {"start": "search"}, {"start": "scattered"}],
    ids=str,
)
def test_a_run_without_any_time_returns_a_posterior_that_is_not_sound(settings: Any) -> None:
    with pytest.warns(cz.SamplingWarning, match="annealing of 2 of 2 chains"):
        posterior = run(minutes=1e-9, chains=2, **settings)
    assert [s.chain for s in posterior.statistics] == [0, 1]
    assert all(s.jumps > 0 and s.drifting for s in posterior.statistics)
    assert all(s.annealing is not None and s.annealing.reached < 1 for s in posterior.statistics)
    assert not posterior.diagnostics().ok
    assert posterior.edge_probabilities().adjacent.shape == (8, 8)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A clock that advances by a tick whenever it is looked at, and chains that look at it after every few jumps."""
    now = 1e9

    def tick() -> float:
        nonlocal now
        now += TICK
        return now

    monkeypatch.setattr(clock_module, "now", tick)
    monkeypatch.setattr(driver, "SLICE", 0.0)
    monkeypatch.setattr(sampling, "distance_to_goal", lambda _: Distance(1.0, 2.0, False))
    return tick


def test_all_stages_together_take_the_minutes_of_a_run(clock: Any) -> None:
    begun = clock()
    posterior = run(minutes=1, chains=1)
    assert 60 <= clock() - begun < 61
    ran = posterior.statistics[0]
    assert ran.annealing is not None
    assert ran.annealing.reached == 1  # its blocks became shorter
    assert ran.jumps > 1000


def test_a_run_with_more_than_enough_time_does_not_notice_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "distance_to_goal", lambda _: Distance(0.0, 1.0, True))
    with monkeypatch.context() as patch:
        patch.setattr("causal_zigzag.sampler.settings.STRETCH", 3000)
        patch.setattr("causal_zigzag.sampler.settings.STRETCH_PER_NODE", 0)
        timed = run(minutes=10_000)
    fixed = run(jumps=3000)
    assert timed.top(5) == fixed.top(5)
    assert timed.statistics[0].annealing == fixed.statistics[0].annealing


def test_blocks_become_as_short_as_the_time_requires() -> None:
    schedule = Annealing.begin(Target.read(SCORE), 100_000)
    planned = schedule.length
    schedule.fit(math.inf)
    assert schedule.length == planned
    schedule.fit(planned * 44 / 2)  # of 44 blocks
    assert schedule.length == planned // 2
    schedule.fit(-5.0)
    assert schedule.length == FEWEST_JUMPS
    schedule.fit(math.inf)  # the first jumps, with empty caches, were slow
    assert schedule.length == planned
    assert 0 < ANNEALING_SHARE < 1


@pytest.mark.parametrize("minutes", [1e-9, 0.001])
def test_a_search_ends_by_the_clock(minutes: float) -> None:
    found = cz.search(SCORE, minutes=minutes, rng=1)
    assert found.log_weight >= found.greedy


def test_setting_the_time_of_the_machine_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = iter(range(0, 10**9, 1000))
    monkeypatch.setattr(time, "time", lambda: 1e9 - next(steps))  # back by a quarter of an hour with each look
    monkeypatch.setattr(sampling, "distance_to_goal", lambda _: Distance(1.0, 2.0, False))
    posterior = run(minutes=1 / 60, chains=1)
    assert posterior.record is not None
    assert 1 <= posterior.record.seconds < 60
    assert posterior.statistics[0].jumps > 0


def test_a_deadline_that_is_sent_to_another_machine_is_as_far_away(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = pickle.dumps(Moment(clock_module.now() + 100))
    assert pickle.loads(sent) == Moment(pickle.loads(sent))
    here = clock_module.now
    monkeypatch.setattr(clock_module, "_machine", lambda: "another")
    monkeypatch.setattr(clock_module, "now", lambda: here() - 5000)
    assert abs(pickle.loads(sent) - clock_module.now() - 100) < 60
    assert pickle.loads(pickle.dumps(NEVER)) == math.inf
