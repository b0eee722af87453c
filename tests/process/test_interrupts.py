"""Ctrl-C: a run stops, returns what it has, and leaves no thread running."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.search import greedy_search
from causal_zigzag.support.interrupts import Interrupts
from milestones import at_jumps, environment
from targets import gaussian_data

pytestmark = [
    pytest.mark.nosanitize,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of this kind are POSIX"),
]

ENDLESS = 10**9  # jumps, or searches: far more than the time limit of a test allows
WARMUP = 1000


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Processes in the background may have been started with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def alarm() -> Iterator[Callable[[float], object]]:
    """Sends Ctrl-C after a number of seconds."""
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def press_ctrl_c() -> None:
    """As a terminal does, and from any thread."""
    os.kill(os.getpid(), signal.SIGINT)


def press_ctrl_c_at(jumps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, when the first chain has made this many jumps."""
    pressed: list[object] = []

    def press(meter: object) -> None:
        pressed.append(meter)
        if len(pressed) == 1:
            press_ctrl_c()

    at_jumps(jumps, press, monkeypatch)


def wait_for_threads() -> None:
    """A thread that was interrupted while it was being started takes a moment to notice."""
    while any(t.name.startswith("causal-zigzag") for t in threading.enumerate()):
        time.sleep(0.01)


def check(posterior: cz.Posterior) -> None:
    assert posterior._interrupted
    assert posterior._results
    assert "interrupted" in repr(posterior)
    assert "interrupted" in posterior.summary()
    for r in posterior._results:
        assert not r.statistics.complete
        assert r.times.sum() + r.unlisted == pytest.approx(r.total)
    assert posterior.edge_probabilities().adjacent.max() <= 1 + 1e-9


def sample(score: cz.Score) -> cz.Posterior:
    """A run that only an interrupt can end, and its one warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        posterior = cz.sample(
            score, jumps=ENDLESS, settings=cz.Settings(warmup=WARMUP), chains=2, max_degree=5, rng=1, progress=False
        )
    assert [w.category for w in caught] == [cz.SamplingWarning]
    assert "interrupted" in str(caught[0].message)
    return posterior


SCORES = [
    pytest.param(cz.Uniform(30), id="uniform"),
    pytest.param(cz.GaussianBIC(gaussian_data(30, 200, seed=1)), id="gaussian"),
]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("jumps", [1, 20_000])
def test_a_run_returns_what_it_has(score: cz.Score, jumps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    press_ctrl_c_at(WARMUP + jumps, monkeypatch)
    check(sample(score))
    wait_for_threads()


@pytest.mark.parametrize("score", SCORES)
def test_a_run_may_be_interrupted_at_any_moment(score: cz.Score, alarm: Callable[[float], object]) -> None:
    for seconds in np.random.default_rng(7).uniform(0.001, 0.2, size=4):
        try:
            alarm(seconds)
            posterior = sample(score)
        except KeyboardInterrupt:
            pass  # before the chains began, or while all were in their warm-up
        else:
            check(posterior)
        wait_for_threads()


def test_an_interrupt_in_the_warm_up_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    press_ctrl_c_at(1000, monkeypatch)
    with pytest.raises(KeyboardInterrupt, match="the warm-up was not over"):
        cz.sample(cz.Uniform(10), jumps=10, settings=cz.Settings(warmup=ENDLESS), progress=False)


def test_the_second_ctrl_c_raises_an_exception() -> None:
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        assert interrupts.noted()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_handler_of_the_user_is_kept() -> None:
    calls = []
    signal.signal(signal.SIGINT, lambda *_: calls.append("theirs"))
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
    assert calls == ["theirs"]
    assert not interrupts.noted()


def test_a_greedy_search_stops_within_a_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    """The core runs in slices, and Python notices the signal between two of them."""
    ends: list[bool] = []  # of each slice: whether the phase was over

    class Search:
        def __init__(self, *arguments: Any) -> None:
            self._search = make(*arguments)

        def run(self, phase: int, seconds: float) -> bool:
            assert seconds <= 1
            if len(ends) == 2:
                press_ctrl_c()
            ends.append(self._search.run(phase, 0.0))
            return ends[-1]

    make = greedy_search.greedy
    monkeypatch.setattr(greedy_search, "greedy", Search)
    with pytest.raises(KeyboardInterrupt):
        cz.ges(cz.GaussianBIC(gaussian_data(200, 1000, seed=1)), edge_prior=None)
    assert ends[:2] == [False, False]
    assert len(ends) <= 3


SCRIPT = """
import signal, sys, warnings
import causal_zigzag as cz
from causal_zigzag.sampler.parallel import workers
from milestones import when_all
workers.GRACE_PERIOD = 300  # seconds: however busy the machine is
signal.signal(signal.SIGINT, signal.default_int_handler)
warnings.simplefilter("ignore")
executor = None
if sys.argv[1] == "processes":
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    executor = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
when_all(2, 11, lambda: print("sampling", flush=True))
posterior = cz.sample(cz.Uniform(20), jumps=10**9, settings=cz.Settings(warmup=10), chains=2,
                      executor=executor, rng=1, progress=False)
print(posterior._interrupted, len(posterior._results), min(s.jumps for s in posterior.statistics) > 0, flush=True)
"""


@pytest.mark.parametrize("where", ["threads", "processes"])
def test_ctrl_c_from_a_terminal(where: str) -> None:
    command = [sys.executable, "-c", SCRIPT, where]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment()
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "sampling\n"
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the workers as well
        assert process.stdout.readline() == "True 2 True\n"


def test_an_interrupt_between_two_stages_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops a KeyboardInterrupt that reaches it inside a destructor, such as that of an annealed chain."""

    class Dying:
        def __del__(self) -> None:
            press_ctrl_c()

    def plan(*_: object) -> None:
        Dying()

    monkeypatch.setattr("causal_zigzag.sampler.stages.choose_plan", plan)
    with pytest.raises(KeyboardInterrupt, match="the warm-up was not over"):
        cz.sample(SCORES[1].values[0], jumps=ENDLESS, settings=cz.Settings(anneal=True), progress=False, rng=1)
