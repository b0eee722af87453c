"""Ctrl-C: a run ends soon, hands back what it has, and leaves no thread behind."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.support.interrupts import Interrupts
from targets import gaussian_data

pytestmark = [
    pytest.mark.nosanitize,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of this kind are POSIX"),
]

SOON = 20.0  # seconds; far beyond what an idle machine takes, which is below 0.2


@pytest.fixture
def alarm():  # type: ignore[no-untyped-def]
    """Presses Ctrl-C after so many seconds. A process in the background may have been told to ignore that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    alarm_before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, alarm_before)
    signal.signal(signal.SIGINT, before)


def no_threads_within(seconds: float) -> bool:
    """One that was interrupted while it was being started takes a moment to see that nobody waits for it."""
    end = time.monotonic() + seconds
    while any(t.name.startswith("causal-zigzag") for t in threading.enumerate()):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def check(posterior: cz.Posterior) -> None:
    assert posterior.interrupted
    assert posterior.results
    assert "interrupted" in repr(posterior)
    assert "interrupted" in posterior.summary()
    for r in posterior.results:
        assert not r.statistics.complete
        assert r.times[:, 0].sum() + r.unlisted[0] == pytest.approx(r.total[0])
    assert posterior.edge_probabilities().adjacent.max() <= 1 + 1e-9


@pytest.mark.parametrize("scored", [False, True])
def test_a_run_stopped_at_any_moment(alarm, scored: bool) -> None:  # type: ignore[no-untyped-def]
    score = cz.GaussianBIC(gaussian_data(30, 200, seed=1)) if scored else cz.Uniform(30)
    returned = 0
    # the last moment comes after the warm-up on a slow machine, too
    for seconds in [*np.random.default_rng(7).uniform(0.001, 0.2, size=25), 2.0]:
        begun = time.monotonic()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                alarm(seconds)
                posterior = cz.sample(score, jumps=10**9, warmup=1000, chains=2, max_degree=5, rng=1, progress=False)
            check(posterior)
            assert [w.category for w in caught] == [cz.SamplingWarning]
            assert "interrupted" in str(caught[0].message)
            returned += 1
        except KeyboardInterrupt:
            pass  # all chains were in their warm-up
        assert time.monotonic() - begun < seconds + SOON
        assert no_threads_within(SOON)
    assert returned


def test_in_the_warm_up_the_interrupt_goes_on(alarm) -> None:  # type: ignore[no-untyped-def]
    alarm(0.1)
    with pytest.raises(KeyboardInterrupt):
        cz.sample(cz.Uniform(10), jumps=10, warmup=10**9, progress=False)


def test_the_second_control_c_is_an_exception_as_ever() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)
            assert interrupts.noted()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_of_somebody_else_stays() -> None:
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("theirs"))
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)
        assert heard == ["theirs"]
        assert not interrupts.noted()
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_greedy_search_ends_at_once(alarm) -> None:  # type: ignore[no-untyped-def]
    score = cz.GaussianBIC(gaussian_data(200, 1000, seed=1))
    searches = (cz.ges(score, edge_prior=None, phases="until-stable") for _ in range(10**9))
    begun = time.monotonic()
    alarm(0.3)
    with pytest.raises(KeyboardInterrupt):
        max(found.score for found in searches)
    assert time.monotonic() - begun < SOON


SCRIPT = """
import signal, sys, warnings
import causal_zigzag as cz
signal.signal(signal.SIGINT, signal.default_int_handler)
warnings.simplefilter("ignore")
executor = None
if sys.argv[1] == "processes":
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    executor = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
print("ready", flush=True)
posterior = cz.sample(cz.Uniform(20), jumps=10**9, warmup=10, chains=2, executor=executor, rng=1, progress=False)
print(posterior.interrupted, len(posterior.results), min(s.jumps for s in posterior.statistics) > 0, flush=True)
"""


@pytest.mark.parametrize("where", ["threads", "processes"])
def test_control_c_from_outside(where: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, where], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(2.0)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers as well
        begun = time.monotonic()
        # a worker on a busy machine may miss the last call
        assert process.stdout.readline() in ("True 2 True\n", "True 1 True\n")
        assert time.monotonic() - begun < SOON
