"""Tempering after annealing: the automatic ladder, excursions on every rung, and continued runs."""

import math
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.sampler.excursions import plan
from causal_zigzag.sampler.tempering import tempered_chain
from causal_zigzag.sampler.tempering.ladder import equal_steps, pooled_barrier
from targets import gaussian_data

SCORE = cz.GaussianBIC(gaussian_data(7, 600, seed=3))


def sample(**settings: object) -> cz.Posterior:
    chosen: dict = {"jumps": 4000, "chains": 2, "tempering": 4, "rng": 5, "progress": False} | settings
    return cz.sample(chosen.pop("score", SCORE), **chosen)


def same(a: cz.Posterior, b: cz.Posterior) -> bool:
    return all(
        x.statistics == y.statistics and (x.hashes == y.hashes).all() and (x.times == y.times).all()
        for x, y in zip(a.results, b.results, strict=True)
    )


# ---- the automatic ladder


def test_an_automatic_ladder_has_two_rungs_per_unit_of_the_barrier_at_equal_steps_of_it() -> None:
    grid = np.geomspace(0.01, 2.0, 400)
    path = np.column_stack([grid, np.zeros(400), 6 / grid])  # the barrier is 6 / √π · log(200)
    ladder = np.array(equal_steps([path], 2.0))
    assert len(ladder) == round(2 * 6 / math.sqrt(math.pi) * math.log(200)) + 1
    assert (ladder[0], ladder[-1]) == (pytest.approx(0.005), 1)
    assert np.diff(np.log(ladder)) == pytest.approx(math.log(200) / (len(ladder) - 1), rel=1e-3)
    assert equal_steps([path], 2.0, lowest=0.5)[0] == pytest.approx(0.25)
    assert len(equal_steps([path * (1, 1, 100)], 2.0)) == 64
    assert len(equal_steps([path * (1, 1, 0.001)], 2.0)) == 2


def test_the_barrier_is_the_mean_over_chains_of_deviations_or_of_growth_if_that_is_larger() -> None:
    first = np.array([[0.1, 0, 99], [0.1, 0, 3], [1.1, 0, 3]], dtype=float)  # of two blocks the last counts
    second = np.array([[0.1, 0, 3], [0.6, 0, 3], [1.1, 50, 3]], dtype=float)
    grid, barrier = pooled_barrier([first, second])
    assert grid.tolist() == [0.1, 0.6, 1.1]
    assert barrier * math.sqrt(math.pi) == pytest.approx([0, 1.5, (3 + 1.5 + 5) / 2])


@pytest.mark.parametrize("path", [[], [np.array([[1.0, 5.0, 2.0]])], [np.array([[0.1, 5.0, 0], [1.0, 5.0, 0]])]])
def test_an_automatic_ladder_has_two_rungs_where_nothing_was_measured(path: list[np.ndarray]) -> None:
    assert equal_steps(path, 1.0) == (0.5, 1.0)


def test_automatic_tempering_begins_where_the_annealing_did_and_exchanges_on_every_rung() -> None:
    posterior = sample(jumps=20_000, tempering="auto")
    assert posterior.settings.tempering == "auto"
    for s in posterior.statistics:
        assert s.tempering.ladder[0] == pytest.approx(s.annealing.hot)
        assert s.tempering.ladder[-1] == 1
        assert 2 <= len(s.tempering.ladder) <= 64
        assert min(s.tempering.swap_rates) > 0.25
        assert s.tempering.round_trips > 0
    one = sample(score=cz.GaussianBIC.from_covariance([[1.0]], n_samples=10), jumps=100, tempering="auto")
    assert one.statistics[0].tempering.ladder == (0.5, 1)


def test_automatic_tempering_without_a_cost_per_edge_does_not_begin_at_dense_graphs() -> None:
    score = cz.GaussianBIC(gaussian_data(20, 300, seed=1))
    free = sample(score=score, jumps=1000, tempering="auto", edge_prior=None)
    assert free.statistics[0].tempering.ladder[0] == pytest.approx(0.3)


def test_the_automatic_ladder_needs_annealed_chains() -> None:
    for fixed in ({"anneal": False}, {"warmup": 100}):
        with pytest.raises(cz.SettingsError, match=r"tempering=.*anneal and warmup"):
            sample(tempering="auto", **fixed)


# ---- excursions


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tempered_chain._TemperedRun]:
    """The tempered chains that are run from now on."""
    seen: list[tempered_chain._TemperedRun] = []
    begin = tempered_chain._TemperedRun.sample

    def noted(self: tempered_chain._TemperedRun) -> None:
        seen.append(self)
        begin(self)

    monkeypatch.setattr(tempered_chain._TemperedRun, "sample", noted)
    return seen


def excursions_per_jump(run: tempered_chain._TemperedRun) -> list[float]:
    return [chain.statistics().excursions.made / chain.statistics().jumps for chain in run.chains]


@pytest.mark.parametrize("tempering", ["auto", 3, (0.1, 0.4, 1.0)])
def test_every_rung_makes_excursions_at_the_rate_of_its_jumps(
    tempering: object, runs: list[tempered_chain._TemperedRun]
) -> None:
    posterior = sample(tempering=tempering, jumps=20_000)
    assert len(runs) == 2
    for run in runs:
        assert all(0.003 < share < 0.03 for share in excursions_per_jump(run))
    assert all(s.excursions.made > 0 for s in posterior.statistics)
    runs.clear()
    sample(tempering=tempering, jumps=2000, excursions=False)
    assert all(share == 0 for run in runs for share in excursions_per_jump(run))


def test_only_the_last_rung_makes_excursions_if_memory_is_short(
    runs: list[tempered_chain._TemperedRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = 4 * 2 * 7 * 2**6 * plan.ENTRY_BYTES  # rungs, chains, nodes, sets of candidates
    for memory, every in ((tables, True), (tables - 1, False)):
        monkeypatch.setattr(plan, "RUNG_BYTES", memory)
        sample(jumps=4000)
        assert [all(share > 0 for share in excursions_per_jump(run)) for run in runs] == [every] * 2
        assert all(excursions_per_jump(run)[-1] > 0 for run in runs)
        runs.clear()


def test_a_target_of_one_class_is_tempered_without_excursions() -> None:
    pairs = [(a, b) for b in range(7) for a in range(b)]
    posterior = sample(forbidden=pairs, jumps=500)
    assert posterior.top(1)[0].probability == 1
    assert all(s.excursions is None for s in posterior.statistics)


# ---- checkpoints


@pytest.mark.parametrize("tempering", ["auto", 3, (0.1, 0.4, 1.0)])
def test_an_annealed_run_continues_from_the_middle_to_the_same_result(
    tempering: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class HaltError(Exception):
        pass

    settings = {"tempering": tempering, "chains": 1, "jumps": 10_000}
    whole = sample(**settings)
    warm_up = tempered_chain._TemperedRun.warm_up
    progress = tempered_chain._TemperedRun._progress
    warmed_up, left = 0, 0

    def counted(self: tempered_chain._TemperedRun) -> None:
        nonlocal warmed_up
        warmed_up += 1
        warm_up(self)

    def halting(self: tempered_chain._TemperedRun, *at: object) -> None:
        nonlocal left
        left -= self.warmup.over
        if left < 0:
            raise HaltError
        progress(self, *at)

    settings |= {"checkpoint": tmp_path / "run", "checkpoint_interval": 0}
    with monkeypatch.context() as patch:
        patch.setattr(tempered_chain, "SLICE", 0.0)  # one exchange per slice
        patch.setattr(tempered_chain._TemperedRun, "warm_up", counted)
        patch.setattr(tempered_chain._TemperedRun, "_progress", halting)
        for left in (50, 70):  # noqa: B007 # read by halting
            with pytest.raises(HaltError):
                sample(**settings)
    again = sample(**settings)
    assert warmed_up == 1  # the other calls began with a checkpoint
    assert same(again, whole)
    assert same(cz.resume(tmp_path / "run", progress=False), whole)
    with pytest.raises(cz.CheckpointError, match=r"tempering was .* and is 4"):
        sample(**settings | {"tempering": 4})
