"""Runs on tables with missing cells: repeated, continued, extended, merged and saved, bit for bit."""

import itertools
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.errors import ScoreError, SettingsError
from causal_zigzag.sampler import driver
from causal_zigzag.sampling import resume
from equality import differing
from experts import options
from targets import gaussian_data

SETTINGS = {"jumps": 3000, "chains": 2, "rng": 5, "progress": False}


def table(kind: str) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    x = pd.DataFrame(gaussian_data(5, 120, seed=3), columns=[*"abcde"])
    if kind == "categorical":
        x = x.apply(lambda column: pd.cut(column, [-np.inf, -0.5, 0.8, np.inf], labels=["low", "mid", "high"]))
        x = x.astype(str)
    if kind == "mixed":
        x["b"] = np.where(x["b"] > 0, "yes", "no")
    return x.mask(rng.random(x.shape) < 0.15)


KINDS = ["numbers", "categorical", "mixed"]


def run(kind: str = "numbers", **more: object) -> cz.Posterior:
    return cz.sample(table(kind), **options(**{**SETTINGS, **more}))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole() -> cz.Posterior:
    return run()


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_is_repeated_by_its_seed_and_goes_through_files(kind: str, tmp_path: Path) -> None:
    first = run(kind)
    assert differing(first, run(kind)) == []
    assert differing(first, run(kind, rng=6)) != []
    first.save(tmp_path / "run.czz")
    loaded = cz.load(tmp_path / "run.czz")
    assert differing(first, loaded) == []
    assert repr(loaded.score) == repr(first.score)
    assert [len(r.tables) for r in loaded._results if r.tables is not None] == [len(r.tables) for r in first._results]
    assert all(r.tables.sweeps > 1 for r in first._results)


def test_the_executor_does_not_change_the_result(whole: cz.Posterior) -> None:
    with ProcessPoolExecutor(1) as pool:
        assert differing(run(executor=pool), whole) == []


class HaltError(Exception):
    """Ends a run at an arbitrary point, as a kill does."""


@pytest.mark.parametrize(
    ("kind", "stage"), [("numbers", "anneal"), ("numbers", "sample"), ("categorical", "sample"), ("mixed", "anneal")]
)
def test_a_killed_run_continues_to_the_same_posterior(
    kind: str, stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = 200 if stage == "anneal" else 12
    look = driver.Driver._look

    def tire(self: driver.Driver, jumps: int) -> bool:
        nonlocal left
        left -= self._store.number == 0 and self._store.stage == stage
        if left < 0:
            raise HaltError
        return look(self, jumps)

    with monkeypatch.context() as patch:
        patch.setattr(driver, "SLICE", 0.0)
        patch.setattr(driver.Driver, "_look", tire)
        with pytest.raises(HaltError):
            run(kind, checkpoint=tmp_path / "run", checkpoint_interval=0)
    assert [*(tmp_path / "run").glob(f"{'annealing' if stage == 'anneal' else 'chain'}-00000-*.state")]
    assert differing(resume(tmp_path / "run", progress=False), run(kind)) == []


def test_a_longer_run_is_the_same_as_one_that_was_made_longer(tmp_path: Path) -> None:
    run(checkpoint=tmp_path / "run", warmup=300)
    longer = resume(tmp_path / "run", jumps=6000, progress=False)
    assert differing(longer, run(jumps=6000, warmup=300)) == []


def test_runs_are_extended_and_merged(whole: cz.Posterior) -> None:
    extended = whole.extend(jumps=2000, rng=1, progress=False)
    assert [s.jumps >= 2000 for s in extended.statistics] == [True] * 4
    merged = whole.merge(run(rng=6))
    assert len(merged._results) == 4
    assert np.abs(merged.edge_probabilities().adjacent - whole.edge_probabilities().adjacent).max() < 0.2


def test_knowledge_bounds_and_other_priors_hold() -> None:
    known = cz.Knowledge(tiers=[["a", "b"], ["c", "d", "e"]], apart=[("a", "e")])
    posterior = run(knowledge=known, max_degree=2)
    edges = posterior.edge_probabilities()
    assert edges.directed[2:, :2].max() == 0
    assert edges.adjacent[0, 4] == 0
    assert all(len(graph.adjacent(v)) <= 2 for graph, _, _ in posterior.top(5) for v in graph.nodes)
    assert posterior.reweight("dags").edge_probabilities().adjacent[0, 4] == 0


def test_scores_of_classes_are_not_known(whole: cz.Posterior) -> None:
    assert np.isnan(whole.top(1)[0].score)
    assert "score nan" not in whole.summary()
    assert np.isfinite(whole.trace()[0].score).all()
    with pytest.raises(SettingsError):
        whole.weigh_chains()
    with pytest.raises(SettingsError, match="missing"):
        whole.check_exact()


@pytest.mark.parametrize(("setting", "value"), [("excursions", True), ("coldness", 0.5)])
def test_settings_that_need_a_complete_table_are_refused(setting: str, value: object) -> None:
    with pytest.raises(SettingsError, match=setting):
        run(**{setting: value})


@pytest.mark.parametrize("start", ["ges", "search", "scattered"])
def test_starts_that_need_a_complete_table_are_refused(start: str) -> None:
    with pytest.raises(ScoreError, match="missing"):
        run(start=start)


def test_rows_can_be_dropped_instead() -> None:
    posterior = run(missing="drop")
    assert posterior._results[0].tables is None
    with pytest.raises(cz.DataError):
        run(missing="refuse")


def test_a_run_without_annealing_and_from_a_given_class() -> None:
    start = cz.CPDAG.complete([*"abcde"])
    posterior = run(anneal=False, start=start, jumps=6000)
    assert np.abs(posterior.edge_probabilities().adjacent - run(jumps=6000).edge_probabilities().adjacent).max() < 0.2


def test_a_target_with_a_single_class() -> None:
    posterior = run(knowledge=cz.Knowledge(apart=[*itertools.combinations("abcde", 2)]), jumps=100)
    assert posterior.top(1)[0].graph.edge_count == 0
