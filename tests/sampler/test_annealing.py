"""Annealed starts: the schedule, its cost, and that runs are the same wherever and however they are computed."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.facts import shortfalls
from causal_zigzag.sampler import driver, stages
from causal_zigzag.sampler.annealing import schedule as schedule_module
from causal_zigzag.sampler.annealing.annealed_chain import run_annealing
from causal_zigzag.sampler.annealing.schedule import BLOCKS, Annealing, cost_per_edge, hot_coldness
from causal_zigzag.sampler.chain_task import ChainTask, Meter, Stage, Start
from causal_zigzag.sampler.checkpoint.chain_files import ChainMemory
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.sampler.warmup import WarmUp
from causal_zigzag.target.target import Target
from experts import options
from targets import gaussian_data

SCORE = cz.GaussianBIC(gaussian_data(7, 600, seed=3))
SETTINGS = {"jumps": 3000, "chains": 2, "rng": 5, "progress": False}


def run(**settings: object) -> cz.Posterior:
    return cz.sample(settings.pop("score", SCORE), **options(**{**SETTINGS, **settings}))


def same(a: cz.Posterior, b: cz.Posterior) -> bool:
    return (
        a.statistics == b.statistics
        and a.top(10) == b.top(10)
        and np.array_equal(a.edge_probabilities().directed, b.edge_probabilities().directed)
    )


def test_a_default_run_is_annealed_and_says_so() -> None:
    posterior = run()
    for s in posterior.statistics:
        assert s.annealing is not None
        assert s.annealing.hot == pytest.approx(30 / 600)
        assert s.annealing.jumps <= 1.2 * SETTINGS["jumps"]  # it costs about as much as the run, at most
        assert s.excursions is not None
        assert s.excursions.candidates == 6
    assert "annealing   from 0.05 of the coldness" in posterior.summary()
    assert "excursions " in posterior.summary()


@pytest.mark.parametrize("settings", [{"anneal": False}, {"warmup": 300}, {"score": cz.Uniform(7)}, {"coldness": 0}])
def test_what_switches_it_off(settings: dict[str, object]) -> None:
    for s in run(**settings).statistics:
        assert s.annealing is None
        assert s.excursions is None


def test_excursions_can_be_switched_off_alone() -> None:
    for s in run(excursions=False).statistics:
        assert s.annealing is not None
        assert s.excursions is None


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(cz.SettingsError, match=r"anneal .*'yes'"):
        run(anneal="yes")
    with pytest.raises(cz.SettingsError, match="excursions must be"):
        run(excursions=3)
    with pytest.raises(cz.SettingsError, match=r"excursions .*anneal"):
        run(excursions=True, warmup=100)


def test_executors_give_the_same_run() -> None:
    with ProcessPoolExecutor(2) as pool:
        assert same(run(executor=pool), run())


@pytest.mark.parametrize("prefix", ["annealing", "climb"])
def test_a_run_continues_from_the_middle_of_its_annealing(
    prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class HaltError(Exception):
        pass

    if prefix == "climb":
        monkeypatch.setattr(schedule_module, "UNPOLISHED_NODES", 6)
    whole = run()
    look, left = driver.Driver._look, 40

    def halting(self: driver.Driver, jumps: int) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise HaltError
        return look(self, jumps)

    stages = set()
    for _ in range(30):
        with monkeypatch.context() as patch:
            patch.setattr(driver, "SLICE", 0.0)  # 32 events a slice
            patch.setattr(driver.Driver, "_look", halting)
            left = 40
            try:
                again = run(checkpoint=tmp_path / "run", checkpoint_interval=0)
            except HaltError:
                stages |= {path.name.split("-")[0] for path in (tmp_path / "run").glob("*.state")}
                continue
        assert same(again, whole)
        break
    else:
        again = run(checkpoint=tmp_path / "run", checkpoint_interval=0)
        assert same(again, whole)
    assert prefix in stages


def test_the_schedule_ends_at_the_target_after_a_bounded_number_of_blocks() -> None:
    for rows in (20, 600, 100_000):
        cov = np.cov(gaussian_data(7, 600, seed=3).T, bias=True)
        score = cz.GaussianBIC.from_covariance(cov, n_samples=rows)
        annealed = run(score=score, chains=1).statistics[0].annealing
        assert annealed is not None
        assert annealed.blocks <= BLOCKS


def test_an_auxiliary_cost_keeps_hot_graphs_sparse_under_a_flat_prior() -> None:
    target = Target.read(SCORE, 1.0, None)
    schedule = Annealing.begin(target, 10_000)
    assert schedule.slope == pytest.approx(-np.log(7))
    schedule.coldness = schedule.target
    assert schedule.slope == 0
    assert Annealing.begin(Target.read(SCORE), 10_000).cost == 0  # the default prior makes edges costly enough


def test_the_cost_per_edge_of_a_table_of_weights_is_its_mean_slope() -> None:
    assert cost_per_edge(Target.read(SCORE, edge_prior=lambda m: -2.0 * m)) == pytest.approx(2)
    assert cost_per_edge(Target.read(SCORE, edge_prior=[0.0])) == 0


def test_a_score_without_a_number_of_rows_is_heated_until_its_differences_are_of_order_one() -> None:
    class Own(cz.Score):
        def __init__(self) -> None:
            super().__init__(range(4))

        def local(self, node, parents):  # type: ignore[no-untyped-def]
            return 1000.0 * len(parents)

    assert hot_coldness(Target.read(Own())) == pytest.approx(5 / 1000)


def test_gaussian_scores_of_the_same_data_begin_at_the_same_heat() -> None:
    data = np.random.default_rng(1).normal(size=(600, 3))
    assert hot_coldness(Target.read(cz.GaussianBIC(data))) == hot_coldness(Target.read(cz.BGe(data))) == 30 / 600


def test_a_large_sparse_table_is_heated_although_nearly_all_pairs_of_its_columns_are_independent() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, (200, 20))
    second = first ^ (rng.random((200, 20)) < 0.1)
    assert hot_coldness(Target.read(cz.BDeu(np.hstack([first, second]).astype(str)))) < 0.2


@pytest.fixture
def annealed(monkeypatch: pytest.MonkeyPatch) -> Start:
    """The end of a chain that is cooled far too fast, as if the nodes were many."""
    monkeypatch.setattr(schedule_module, "UNPOLISHED_NODES", 6)
    target = Target.read(SCORE)
    stage = Stage("anneal", target, RunSettings(jumps=100), (Start(cz.CPDAG.empty(7)),))
    seed = np.array([1, 2, 3, 4], dtype=np.uint64)
    found = run_annealing(ChainTask(0, stage, seed, ChainMemory()), None, Meter()).result
    assert isinstance(found, Start)
    return found


def test_with_many_nodes_greedy_search_goes_on_where_the_annealing_ends(annealed: Start) -> None:
    assert cz.ges(SCORE, start=annealed.graph, phases="until-stable").graph == annealed.graph
    assert annealed.score == pytest.approx(SCORE.total(annealed.graph) - SCORE.total(cz.CPDAG.empty(7)))


def test_a_chain_far_below_a_class_that_two_others_found_begins_there(annealed: Start) -> None:
    def moved(*below: float) -> list[float]:
        ends = {number: replace(annealed, score=annealed.score - by) for number, by in enumerate(below)}
        return [annealed.score - one.score for one in stages._without_far(Target.read(SCORE), ends).values()]

    assert moved(0, 0.5, 5, 20) == pytest.approx([0, 0.5, 5, 0])
    assert moved(0, 5, 20) == pytest.approx([0, 5, 20])  # one chain alone may be the one that is wrong
    assert moved(0) == pytest.approx([0])


def test_chains_that_climb_to_the_same_weight_are_not_heated(annealed: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target.read(SCORE)

    def agree(*below: float) -> bool:
        return stages._agree(target, {k: replace(annealed, score=annealed.score - by) for k, by in enumerate(below)})

    assert agree(0, 0.5, 5)
    assert not agree(0, 5, 5)  # the best was found once
    assert not agree(0, 0, 20)  # sampling could not cross from the last one
    assert not agree(0)

    climbed = cz.sample(SCORE, jumps=2000, rng=1).statistics[0].annealing
    assert climbed is not None
    assert climbed.climbed
    monkeypatch.setattr(stages, "_agree", lambda *_: False)
    cooled = cz.sample(SCORE, jumps=2000, rng=1).statistics[0].annealing
    assert cooled is not None
    assert not cooled.climbed
    assert cooled.hot < 1


def test_greedy_search_from_the_same_class_is_no_agreement(annealed: Start) -> None:
    still = replace(annealed, annealed=replace(annealed.annealed, jumps=3))
    assert not stages._agree(Target.read(SCORE), {0: still, 1: still})


def test_chains_that_disagree_and_cannot_be_heated_in_time_are_a_shortfall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule_module, "UNPOLISHED_NODES", 6)
    monkeypatch.setattr(stages, "_agree", lambda *_: False)
    monkeypatch.setattr(stages, "ANNEALING_SHARE", 0.0)
    with pytest.warns(cz.SamplingWarning):
        posterior = cz.sample(SCORE, minutes=0.5, rng=1, resamples=0, progress=False)  # it converges long before
    assert "left no time to anneal 4 of 4 chains" in shortfalls(posterior)[0]


def test_a_table_of_few_rows_did_not_climb() -> None:
    posterior = cz.sample(gaussian_data(4, 25, seed=1), score="gaussian-bic", jumps=1000, rng=1, progress=False)
    assert "without heat" not in posterior.summary()


def test_a_schedule_without_heat_plans_its_own_blocks_only() -> None:
    climb = Annealing.begin(Target.read(SCORE), 10**6, climbs=True)
    climb.planned = 1000
    climb.fit(400)
    assert climb.length == 100


def test_excursions_that_could_not_be_planned_in_time_are_made_when_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class HaltError(Exception):
        pass

    def halt(*_: object, **__: object) -> None:
        raise HaltError

    with monkeypatch.context() as patch:
        patch.setattr(stages, "choose_plan", lambda *_: None)
        patch.setattr(driver, "SLICE", 0.0)
        patch.setattr(WarmUp, "next", halt)
        with pytest.raises(HaltError):
            run(checkpoint=tmp_path / "run", checkpoint_interval=0)
    assert [*(tmp_path / "run").glob("chain-*.state")]  # in the middle of the warm-up, without excursions
    resumed = run(checkpoint=tmp_path / "run")
    assert all(s.excursions is not None and s.excursions.made > 0 for s in resumed.statistics)
