"""Automatic warm-ups: the same with any executor, within their limits, and long enough to forget the start."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.sampler.schedule import block_averages
from causal_zigzag.sampler.warmup import WarmUp
from targets import Case, gaussian_data


def warm(case: Case, start: cz.CPDAG, jumps: int, piece: int = 10**9) -> tuple[WarmUp, object]:
    """A warm-up that is interrupted and continued after every ``piece`` jumps."""
    chain, state = case.chain(start), WarmUp.begin(case.n, jumps)
    while not state.over:
        left = state.length - chain.statistics().jumps
        if left > 0 and not chain.statistics().frozen:
            chain.run(min(left, piece), 1e9)
            state = replace(state)  # its fields are its whole state
        else:
            state.next(chain, False, math.inf)
    return state, chain


@pytest.mark.parametrize("case", [Case(8), Case(9, rows=500), Case(9, rows=500, momentum=0.0)], ids=str)
def test_interruptions_do_not_change_it(case: Case) -> None:
    start = cz.CPDAG.complete(case.n)
    whole, chain = warm(case, start, 5000)
    cut, other = warm(case, start, 5000, piece=37)
    assert whole == cut
    assert chain.graph() == other.graph()
    assert chain.statistics() == other.statistics()
    assert chain.statistics().jumps == 0
    assert 800 <= whole.made <= 5000


def test_every_executor_gives_the_same_warm_up() -> None:
    run = {"jumps": 3000, "chains": 3, "rng": 5, "progress": False}
    score = cz.GaussianBIC(gaussian_data(9, 500, seed=9))
    mine = cz.sample(score, **run)
    with ThreadPoolExecutor(1) as pool:
        theirs = cz.sample(score, executor=pool, **run)
    assert mine.statistics == theirs.statistics
    assert [t.score.tolist() for t in mine.trace()] == [t.score.tolist() for t in theirs.trace()]


@pytest.mark.parametrize("complete", [False, True])
def test_its_length_suffices_to_forget_a_far_start(complete: bool) -> None:
    n = 10
    score = cz.GaussianBIC(gaussian_data(n, 1000, seed=1, degree=1.5))  # from the far starts to the only mode
    start = cz.CPDAG.complete(n) if complete else cz.CPDAG.empty(n)
    run = {"jumps": 20_000, "chains": 4, "rng": 2, "progress": False, "start": start}
    reference = cz.sample(score, jumps=50_000, rng=3, progress=False)
    level, spread = (
        [f(np.concatenate([getattr(t, name) for t in reference.trace()])) for name in ("edges", "score")]
        for f in (np.mean, np.std)
    )
    kept, forgotten = (cz.sample(score, **run, settings=cz.Settings(warmup=warmup)) for warmup in (0, None))
    for posterior, spoilt in ((kept, True), (forgotten, False)):
        assert (min(t.score.min() for t in posterior.trace()) < level[1] - 20 * spread[1]) == spoilt
    for i, name in enumerate(("edges", "score")):
        first = [np.mean(getattr(t, name)[: len(t.time) // 100 + 1]) for t in forgotten.trace()]
        # a mean of four, each with at most this spread: false alarms are six standard deviations away
        assert abs(np.mean(first) - level[i]) < 3 * spread[i]
    assert all(s.warmup >= 400 for s in forgotten.statistics)
    assert not any(s.drifting for s in forgotten.statistics)


def test_a_drift_that_does_not_end_is_reported() -> None:
    score = cz.GaussianBIC(gaussian_data(40, 1000, seed=40))
    run = {"jumps": 400, "chains": 2, "rng": 1, "progress": False}
    posterior = cz.sample(
        score, momentum=0.0, balance="metropolis", max_degree=12, settings=cz.Settings(anneal=False), **run
    )
    assert all(s.drifting and s.warmup == 400 for s in posterior.statistics)
    d = posterior.diagnostics()
    assert not d.ok
    assert "Chains 1, 2 still drifted at the end of the longest warm-up; sample more jumps" in d.verdict


def test_limits() -> None:
    assert (WarmUp.begin(5, 200_000).length, WarmUp.begin(5, 200_000).most) == (5000, 200_000)
    assert WarmUp.begin(2000, 200_000).length == 10_000
    assert WarmUp.begin(5, 8000).length == 200
    assert WarmUp.begin(5, 1).length == 1
    assert WarmUp.fixed(0).over


@pytest.mark.parametrize("jumps", [1, 2, 7, 100])
def test_short_runs(jumps: int) -> None:
    posterior = cz.sample(cz.Uniform(4), jumps=jumps, chains=2, rng=1, progress=False)
    for s in posterior.statistics:
        assert 1 <= s.warmup <= jumps
        assert s.jumps == jumps


def test_it_is_reported() -> None:
    posterior = cz.sample(cz.Uniform(4), jumps=2000, rng=1, progress=False)
    assert f"after {sum(s.warmup for s in posterior.statistics):,} jumps of warm-up" in posterior.summary()
    assert posterior.settings.warmup is None


def test_averages_of_a_block() -> None:
    chain = Case(5, rows=50).chain(cz.CPDAG.complete(5))
    chain.run(300, 1e9)
    before = chain.score
    chain.forget()
    chain.run(20_000, 1e9)
    means, spreads = block_averages(chain)
    _, edges, score, _ = chain.trace()
    assert means == pytest.approx([edges.mean(), score.mean()], abs=0.3)
    assert spreads == pytest.approx([edges.std(), score.std()], rel=0.2)
    assert before != 0
