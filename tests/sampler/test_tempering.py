"""Parallel tempering: adaptation of the ladder, accumulators through exchanges, statistics, checkpoints, settings."""

import math
import re
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag._core import Chain, Ensemble, testing
from causal_zigzag.posterior.facts import facts
from causal_zigzag.report.repetition import repetition
from causal_zigzag.sampler import warmup
from causal_zigzag.sampler.chain import run_chain
from causal_zigzag.sampler.chain_result import ChainStatistics
from causal_zigzag.sampler.chain_task import ChainTask, Meter, Stage, Start
from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles, ChainMemory
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import Settings
from causal_zigzag.sampler.tempering import tempered_chain
from causal_zigzag.sampler.tempering.ladder import adapted, first_ladder
from causal_zigzag.target.target import Target
from milestones import let_time_run_out
from targets import gaussian_data

SCORE = cz.GaussianBIC(gaussian_data(7, 60, seed=3))


def sample(**settings: object) -> cz.Posterior:
    chosen: dict = {"jumps": 4000, "chains": 2, "tempering": 4, "rng": 5, "progress": False} | settings
    return cz.sample(chosen.pop("score", SCORE), **chosen)


def words(*seed: int) -> np.ndarray:
    return np.random.SeedSequence(seed).generate_state(4, np.uint64)


# ---- the ladder


@pytest.mark.parametrize(
    ("barrier", "lowest"),
    [
        (lambda b: 2 * b**0.5, 0.0),  # a barrier of 4.5 covers all of it
        (lambda b: 4.4 * b, 0.0),
        (lambda b: 9 * b, 0.5),  # half of it
        (lambda b: 9 * b**2, math.sqrt(0.5)),
        (lambda b: 20 * math.log(1 + 50 * b), None),
    ],
)
def test_a_ladder_adapts_to_equal_rejections_and_reaches_as_far_as_it_can(
    barrier: object, lowest: float | None
) -> None:
    ladder = first_ladder(10)
    for _ in range(12):
        rejected = [min(1, barrier(b) - barrier(a)) for a, b in pairwise(ladder)]
        ladder = adapted(ladder, rejected)
        assert ladder[-1] == 1
        assert ladder[0] >= 0
        assert (np.diff(ladder) > 0).all()
    steps = np.diff([barrier(b) for b in ladder])
    assert steps == pytest.approx(steps.mean(), rel=0.05)
    if lowest is not None:
        assert ladder[0] == pytest.approx(lowest, abs=0.02)
    if ladder[0] > 0:
        assert steps.mean() == pytest.approx(0.5, rel=0.05)


def test_a_given_ladder_is_kept_and_a_number_becomes_one_with_equal_rates() -> None:
    given = (0.1, 0.2, 0.7, 1)
    assert all(s.tempering.ladder == given for s in sample(tempering=list(given), jumps=500).statistics)
    for s in sample(jumps=20_000, warmup=20_000, tempering=5).statistics:
        assert s.tempering.ladder[-1] == 1
        assert max(s.tempering.swap_rates) - min(s.tempering.swap_rates) < 0.2


# ---- accumulators


def random_chains(rng: np.random.Generator, n: int, rungs: int) -> tuple[cz.Score, list[Chain], list[float]]:
    score = cz.GaussianBIC(gaussian_data(n, int(rng.choice([n + 5, 60, 400])), seed=int(rng.integers(1000))))
    priors = [None, "auto", lambda m: -0.02 * m**2, [-0.3 * m for m in range(2 * n)]]
    prior, bound = priors[rng.integers(4)], [None, 2, 4][rng.integers(3)]
    forbidden = [(0, 1), (2, n - 1)] if rng.random() < 0.5 else []
    momentum, balance = float(rng.choice([0, 0.4, 1])), str(rng.choice(["sqrt", "metropolis", "barker", "auto"]))
    settings = Settings(momentum=momentum, balance=balance, max_classes=1000, cache_bytes=2**20, trace_points=64)
    coldness = np.linspace(0.2, 1, rungs).tolist()
    chains = [
        make_chain(Target.read(score, c, prior, bound, forbidden), settings, cz.CPDAG.empty(n), words(k, n))
        for k, c in enumerate(coldness)
    ]
    return score, chains, coldness


@pytest.mark.parametrize("seed", range(8))
def test_after_every_exchange_the_state_equals_one_built_from_scratch(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    n = int(rng.integers(4, 11)) if seed < 6 else 70
    score, chains, coldness = random_chains(rng, n, 3)
    together = Ensemble(chains, coldness, words(seed))
    together.explore(20)
    together.set_intervals([-6.0] * 3)
    empty = score.total(cz.CPDAG.empty(n))
    for _ in range(40 if n < 70 else 5):
        assert together.run(1, 60.0, 2**62) == 1
        for chain in chains:
            assert testing.audit(chain) == ""
            here = cz.CPDAG.from_matrix(chain.graph().matrix())
            assert chain.score == pytest.approx(score.total(here) - empty, abs=1e-7 * abs(empty))
    assert sum(accepted for _, accepted in together.swaps()) > 0
    together.set_coldness([0.1, 0.5, 1.0])
    for chain in chains:
        assert testing.audit(chain) == ""


def test_classes_edges_draws_and_batches_describe_the_same_path() -> None:
    posterior = sample(chains=1, jumps=20_000, max_classes=100_000)
    assert posterior.statistics[0].tempering.round_trips > 0
    n, [result] = len(posterior.nodes), posterior.results
    assert posterior.unlisted == 0
    adjacent, directed = np.zeros((n, n)), np.zeros((n, n))
    for graph, probability, _ in posterior.top(posterior.class_count):
        m = graph.matrix()
        adjacent += probability * (m | m.T)
        directed += probability * (m & ~m.T & 1)
    edges = posterior.edge_probabilities()
    assert adjacent == pytest.approx(edges.adjacent, abs=1e-9)
    assert directed == pytest.approx(edges.directed, abs=1e-9)

    # batches: their integrals add up to those of all classes
    jumps, time, count, _, score, _ = result.batch_integrals.sum(axis=0)
    assert (jumps, time) == pytest.approx((posterior.statistics[0].jumps, result.total))
    assert count / time == pytest.approx(adjacent.sum() / 2)
    first = posterior.score.total(posterior.start) + result.score_reference
    mean = sum(probability * value for _, probability, value in posterior.top(posterior.class_count))
    assert first + score / time == pytest.approx(mean)

    # draws: at every point of the grid the class has the edges and the score of the trace
    [trace], chain = posterior.trace(), posterior.draws()
    for graph, at in zip(chain, range(len(trace.edges)), strict=False):
        assert graph.edge_count == trace.edges[at]
        assert posterior.score.total(graph) == pytest.approx(trace.score[at], abs=1e-7)


def test_times_are_those_of_the_exchanges() -> None:
    [s] = sample(chains=1, jumps=10_000).statistics
    [result] = sample(chains=1, jumps=10_000).results
    assert 0.9 < result.total / s.tempering.exchanges < 2.1  # the unit of time is between the interval and its half
    assert s.jumps == s.tempering.jumps[-1]
    assert s.tempering.exchanges == 10_000 / tempered_chain.JUMPS
    assert all(0.3 * s.jumps < jumps < 3 * s.jumps for jumps in s.tempering.jumps)


# ---- same seed, same result


def same(a: cz.Posterior, b: cz.Posterior) -> bool:
    return all(
        x.statistics == y.statistics and (x.hashes == y.hashes).all() and (x.times == y.times).all()
        for x, y in zip(a.results, b.results, strict=True)
    )


def test_the_number_of_threads_does_not_change_the_posterior() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert same(sample(), sample(executor=pool))
    assert not same(sample(), sample(rng=6))


@pytest.mark.nosanitize
def test_other_processes_give_the_same_posterior() -> None:
    with ProcessPoolExecutor(2) as pool:
        assert same(sample(), sample(executor=pool))


def test_a_saved_posterior_contains_the_statistics_of_its_tempering(tmp_path: Path) -> None:
    posterior = sample(jumps=500)
    posterior.save(tmp_path / "tempered.cz")
    assert cz.load(tmp_path / "tempered.cz").statistics == posterior.statistics


# ---- stopping


def task(**settings: object) -> ChainTask:
    chosen = {"jumps": 10**9, "warmup": 5000} | settings
    read = Settings(
        jumps=chosen["jumps"],
        warmup=chosen["warmup"],
        max_classes=1000,
        cache_bytes=2**20,
        trace_points=64,
        tempering=3,
    )
    target = Target.read(SCORE)
    stage = Stage("sample", target, read, (Start(cz.CPDAG.empty(7)),))
    return ChainTask(0, stage, words(1), chosen.get("files", ChainMemory()))


class Later:
    """A signal that is set when a chain has made this number of jumps."""

    def __init__(self, meter: Meter, jumps: int) -> None:
        self.meter, self.jumps = meter, jumps

    def is_set(self) -> bool:
        return self.meter.jumps >= self.jumps


def test_a_stopped_chain_returns_what_it_has_accumulated() -> None:
    meter = Meter()
    result = run_chain(task(), Later(meter, 20_000), meter).result
    assert result is not None
    assert not result.statistics.complete
    assert result.statistics.jumps > 0
    assert result.statistics.warmup > 0
    assert result.statistics.tempering is not None


def test_a_chain_that_is_stopped_in_its_warm_up_has_no_result() -> None:
    stop = threading.Event()
    stop.set()
    assert run_chain(task(), stop).result is None
    meter = Meter()
    assert run_chain(task(warmup=10**9), Later(meter, 5000), meter).result is None


def test_a_chain_without_jumps_ends() -> None:
    posterior = sample(coldness=1e5, tempering=(0.5, 1), jumps=500, chains=1, start="ges", warmup=50)
    assert posterior.statistics[0].complete
    assert posterior.top(1)[0].probability == pytest.approx(1)
    one = sample(score=cz.GaussianBIC.from_covariance([[1.0]], n_samples=10), jumps=100, chains=1)
    assert one.top(1)[0].probability == 1


def test_the_error_for_a_rung_that_becomes_too_dense_names_it_and_a_remedy() -> None:
    score = cz.GaussianBIC(gaussian_data(40, 100, seed=1))
    with pytest.raises(cz.SettingsError, match=r"rung at 0 .*tempering="):
        sample(score=score, tempering=(0.0, 1.0), start=[cz.CPDAG.complete(40)] * 2, anneal=False)


# ---- checkpoints and minutes


def test_a_run_with_a_checkpoint_can_be_extended(tmp_path: Path) -> None:
    sample(jumps=1000, warmup=500, checkpoint=tmp_path / "run")
    longer = sample(jumps=4000, warmup=500, checkpoint=tmp_path / "run")
    assert same(longer, sample(jumps=4000, warmup=500))
    with pytest.raises(cz.CheckpointError, match="tempering was 4 and is 3"):
        sample(jumps=4000, warmup=500, checkpoint=tmp_path / "run", tempering=3)


def test_a_run_that_was_stopped_within_an_interval_continues_to_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempered_chain, "SLICE", 0.0)  # else a fast machine makes all jumps before it sees the signal
    (tmp_path / "run.czz").touch()
    files = ChainFiles(str(tmp_path), "run", 0, 3600.0)  # a stopped chain writes its state at once
    for far in (8000, 12_000, 20_000, 10**9):
        meter = Meter()
        result = run_chain(task(jumps=40_000, files=files), Later(meter, far), meter).result
        assert result is not None
        assert result.statistics.complete == (far == 10**9)
        assert [*tmp_path.glob("chain-00000-*.state")]
    whole = run_chain(task(jumps=40_000)).result
    assert whole.statistics.tempering == result.statistics.tempering
    assert (whole.hashes == result.hashes).all()
    assert (whole.times == result.times).all()
    assert (whole.batch_times == result.batch_times).all()


def test_minutes_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempered_chain, "LEAST_WARMUP", 16)
    let_time_run_out(1, 5000, monkeypatch)
    posterior = sample(minutes=10, jumps=10**9, warmup=100, chains=1)
    assert posterior.statistics[0].complete
    assert 0 < posterior.statistics[0].jumps < 10**8


def test_starts_are_part_of_a_run(tmp_path: Path) -> None:
    apart = {"start": [cz.CPDAG.empty(7), cz.CPDAG.complete(7)], "jumps": 500, "checkpoint": tmp_path / "run"}
    assert same(sample(**apart), sample(**apart))
    with pytest.raises(cz.CheckpointError, match="starts"):
        sample(**apart | {"start": None})


# ---- settings and summary


@pytest.mark.parametrize(
    "bad", [1, 0, True, 2.5, "many", [1.0], [0.5, 0.4, 1], [0.1, 0.9], [-0.1, 1], [0.1, "a"], 5000]
)
def test_bad_ladders(bad: object) -> None:
    with pytest.raises(cz.SettingsError, match="tempering must be"):
        sample(tempering=bad)


def test_tempering_needs_a_score_and_a_warm_up() -> None:
    with pytest.raises(cz.SettingsError, match="that of this target is flat already"):
        sample(score=cz.Uniform(4))
    with pytest.raises(cz.SettingsError, match="that of this target is flat already"):
        sample(coldness=0.0)
    with pytest.raises(cz.SettingsError, match="tempering tunes itself in the warm-up"):
        sample(warmup=0)


def test_the_summary_has_one_line_on_tempering() -> None:
    lines = [line for line in sample().summary().splitlines() if line.startswith("tempering")]
    assert len(lines) == 1
    assert re.fullmatch(
        r"tempering   4 temperatures from [\d.]+ of the coldness, swaps accepted \d+% to \d+%, [\d,]+ round trips, "
        r"barrier [\d.]+",
        lines[0],
    )
    assert "tempering" not in sample(tempering=None).summary()


# ---- one start per chain


@pytest.mark.parametrize("tempering", [None, 3])
def test_each_chain_may_have_its_own_start_and_scores_have_one_reference(tempering: int | None) -> None:
    starts = [cz.CPDAG.empty(7), cz.CPDAG.complete(7), "ges"]
    posterior = sample(start=starts, chains=3, jumps=300, warmup=10, tempering=tempering)
    assert posterior.start == starts[0]
    for chain in posterior.by_chain():
        [trace] = chain.trace()
        for graph, score in zip(chain.draws(), trace.score, strict=False):
            assert posterior.score.total(graph) == pytest.approx(score, abs=1e-8)


def test_starts_are_saved_and_reported(tmp_path: Path) -> None:
    starts = [cz.CPDAG.empty(7), cz.CPDAG.complete(7)]
    posterior = sample(start=starts, jumps=300, tempering=None)
    assert posterior.starts == (*starts,)
    posterior.save(tmp_path / "apart.cz")
    assert cz.load(tmp_path / "apart.cz").starts == (*starts,)
    assert dict(facts(posterior))["Start"] == "2 classes, one per chain"
    begin = repetition(posterior).split("start = ")[1].split("posterior = ")[0]
    assert eval(begin, {"cz": cz}) == starts
    assert sample(start=starts[1], jumps=300).starts == ()


def test_bad_starts() -> None:
    with pytest.raises(cz.SettingsError, match="1 class for 2 chains"):
        sample(start=[cz.CPDAG.empty(7)])
    with pytest.raises(cz.SettingsError, match=r"start must be None, .* not 7"):
        sample(start=[None, 7])
    with pytest.raises(cz.SettingsError, match=r"start must be .*7"):
        sample(start=7)


def test_a_tempered_warm_up_goes_on_while_the_coldest_chain_drifts(monkeypatch: pytest.MonkeyPatch) -> None:
    score = cz.GaussianBIC(gaussian_data(5, 60, seed=3))

    def run(**settings: Any) -> ChainStatistics:
        return cz.sample(score, jumps=20_000, chains=1, tempering=3, rng=1, **settings).statistics[0]

    usual, fixed = run(), run(warmup=5000)
    assert not usual.drifting
    monkeypatch.setattr(warmup, "DRIFT", -1.0)  # every block differs from the one before
    monkeypatch.setattr(warmup, "NEGLIGIBLE", (-1.0, -1.0))
    drifting = run()
    assert drifting.drifting
    assert drifting.warmup > 20_000 > usual.warmup
    assert run(warmup=5000).warmup == fixed.warmup
