"""Resampled posteriors: equal to the average of exact posteriors of the same resamples, and all that goes with them."""

from __future__ import annotations

import math
import multiprocessing
import pickle
import re
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.errors import DataError, ScoreError, SettingsError
from causal_zigzag.resampling import pool
from causal_zigzag.resampling.chains import run_resample
from causal_zigzag.resampling.resample import resample, resampled_posterior
from causal_zigzag.resampling.schemes import SCHEMES
from causal_zigzag.resampling.units import read_units

ROWS = 120
NAMES = ("gaussian", "bge", "mixed-bic", "mixed-bge", "bdeu", "discrete-bic", "gp", "basis", "experiment", "treated")


def table(name: str) -> pd.DataFrame:
    """Four columns of the kinds that this score takes, in 24 groups of 5 rows."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(ROWS, 4)) + 0.5 * np.repeat(rng.normal(size=(ROWS // 5, 4)), 5, axis=0)
    x[:, 1] += 0.4 * x[:, 0]
    x[:, 3] += 0.5 * x[:, 1] + 0.3 * x[:, 2]
    columns = dict(zip("abcd", x.T, strict=True))
    if name in ("mixed-bic", "mixed-bge", "bdeu", "discrete-bic", "treated"):
        columns["a"], columns["b"] = np.digitize(x[:, 0], [-0.5, 0.5]).astype(str), x[:, 1] > 0
    if name in ("bdeu", "discrete-bic", "treated"):
        columns["c"], columns["d"] = x[:, 2] > 0.3, x[:, 3] > 0
    if name in ("experiment", "treated"):
        columns["a"] = np.tile([0, 1], ROWS // 2)
    return pd.DataFrame(columns)


SCORES = {
    "gaussian": cz.GaussianBIC,
    "bge": cz.BGe,
    "mixed-bic": cz.MixedBIC,
    "mixed-bge": cz.MixedBGe,
    "bdeu": cz.BDeu,
    "discrete-bic": cz.DiscreteBIC,
    "gp": cz.AdditiveGP,
    "basis": lambda data: cz.BasisBIC(data, terms=2),
    "experiment": lambda data: cz.InterventionalBGe(data, contexts="a"),
    "treated": lambda data: cz.InterventionalBDeu(data, contexts="a"),
}


def assert_is_the_average_of_exact_posteriors(posterior: cz.Posterior) -> None:
    """Edges, classes and ancestors are those of exact posteriors of the same rows, to Monte Carlo error.

    The errors of the resamples are independent; 6 of their standard errors have a false-alarm rate below 1e-6 for the
    few numbers here, and 0.003 is added for edges that have changed too rarely for an error.
    """
    resampled = posterior.resampled
    assert resampled is not None
    exact = [
        cz.exact_posterior(run.score, edge_prior=run.target.edge_prior.cost, knowledge=run.target.knowledge)
        for run in resampled.runs
    ]
    share = 1 / len(exact)
    expected = share * sum(one.edge_probabilities().directed for one in exact)
    joined = share * sum(one.edge_probabilities().adjacent for one in exact)
    errors = np.nan_to_num(np.array([run._classes.edge_errors for run in resampled.runs]), nan=0.02)
    bound = 6 * share * np.sqrt((errors**2).sum(axis=0)) + 0.003
    edges = resampled.edge_probabilities()
    assert (np.abs(edges.directed - expected) <= bound[:, :, 1]).all()
    assert (np.abs(edges.adjacent - joined) <= bound[:, :, 0]).all()
    best = exact[0].top(1)[0].graph
    assert abs(resampled.probability(best) - share * sum(one.probability(best) for one in exact)) < 0.03
    above = share * sum(one.ancestors() for one in exact)
    assert float((resampled.ancestors() - above).abs().max(axis=None)) < 0.03
    spread = np.array([one.edge_probabilities().adjacent for one in exact]).std(axis=0)
    assert spread.max() > 0.05  # the resamples differ, or the test would say nothing


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_average_of_exact_posteriors(name: str) -> None:
    score = SCORES[name](table(name))
    assert_is_the_average_of_exact_posteriors(cz.sample(score, jumps=4000, chains=2, resamples=12, rng=3))


@pytest.mark.parametrize("columns", ["abd", "abcd"])
def test_it_is_that_with_knowledge_as_well(columns: str) -> None:
    knowledge = cz.Knowledge(tiers=[["b"], ["d"]], forbidden=[("a", "d")])
    score = cz.GaussianBIC(table("gaussian")[[*columns]])
    settings: dict[str, Any] = {"jumps": 4000, "chains": 2, "resamples": 12, "rng": 3}
    assert_is_the_average_of_exact_posteriors(cz.sample(score, knowledge=knowledge, **settings))


@pytest.mark.parametrize("scheme", ["halves", "subset-0.7", "bayesian"])
def test_other_schemes(scheme: str) -> None:
    posterior = cz.sample(cz.GaussianBIC(table("gaussian")), jumps=4000, chains=2, rng=3)
    assert_is_the_average_of_exact_posteriors(resample(posterior, 12, rng=1, scheme=SCHEMES[scheme]))


def test_groups_are_drawn_together() -> None:
    data = table("gaussian").assign(person=np.repeat([f"p{i}" for i in range(ROWS // 5)], 5))
    posterior = cz.sample(data, by="person", jumps=4000, chains=2, resamples=12, rng=3)
    assert posterior.nodes == tuple("abcd")
    assert posterior.resampled is not None
    assert posterior.resampled.by == ("person",)
    assert "groups of rows with the same person" in posterior.resampled.scheme
    assert_is_the_average_of_exact_posteriors(posterior)
    plain = cz.sample(data.drop(columns="person"), jumps=4000, chains=2, rng=3)
    for by in (data["person"], data["person"].to_numpy(), [*data["person"]]):
        again = plain.resample(12, by, rng=1)
        assert again.resampled is not None
        for run in again.resampled.runs:
            total = run.score.n_samples  # type: ignore[attr-defined]
            assert total == 85  # 17 of 24 groups
        assert again.edge_table().equals(plain.resample(12, "person", data=data, rng=1).edge_table())


def small(**settings: object) -> cz.Posterior:
    return cz.sample(table("gaussian"), jumps=4000, chains=2, rng=3, **settings)  # type: ignore[arg-type]


def test_every_executor_gives_the_same() -> None:
    posterior = small()
    alone = posterior.resample(6, rng=1)
    with ThreadPoolExecutor(3) as threads:
        assert posterior.resample(6, rng=1, executor=threads).edge_table().equals(alone.edge_table())
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as processes:
        assert posterior.resample(6, rng=1, executor=processes).edge_table().equals(alone.edge_table())
    assert not posterior.resample(6, rng=2).edge_table().equals(alone.edge_table())


def test_more_resamples_begin_with_the_same_ones() -> None:
    few, many = (small().resample(number, rng=1).resampled for number in (4, 6))
    assert few is not None
    assert many is not None
    np.testing.assert_array_equal(many.edge_values[:4], few.edge_values)
    assert many.edge_values.shape == (6, 4, 4, 3)
    np.testing.assert_allclose(many.edge_values[..., 0].mean(axis=0), many.edge_probabilities().directed, atol=1e-12)


def test_halves_are_complementary() -> None:
    resampled = resample(small(), 4, rng=1, scheme=SCHEMES["halves"]).resampled
    assert resampled is not None
    whole = np.cov(table("gaussian").to_numpy(), rowvar=False, ddof=0)
    halves = [run.score.regression_moments() for run in resampled.runs[:2]]
    means = np.mean([half.mean for half in halves if half is not None], axis=0)
    np.testing.assert_allclose(means, table("gaussian").mean(), atol=1e-12)
    spread = sum(np.exp(2 * half.log_deviation) + half.mean**2 for half in halves if half is not None)
    np.testing.assert_allclose(spread / 2 - means**2, np.diag(whole), atol=1e-12)


def test_errors_between_resamples_cover_what_many_give() -> None:
    """The mean of 16 resamples is within 6 of its errors of the mean of 160 others, for every edge."""
    posterior = small()
    few, many = posterior.resample(16, rng=1).resampled, posterior.resample(160, rng=2).resampled
    assert few is not None
    assert many is not None
    apart = np.abs(few.edge_probabilities().directed - many.edge_probabilities().directed)
    assert (apart <= 6 * few._classes.edge_errors[:, :, 1] + 0.01).all()
    assert many.diagnostics().mcse < few.diagnostics().mcse
    statement = cz.statements.adjacent("c", "d")
    assert few.mcse(statement) == pytest.approx(few._classes.edge_errors[2, 3, 0], rel=0.2)


def test_it_goes_with_the_posterior(tmp_path: Path) -> None:
    posterior = small(resamples=6)
    posterior.save(tmp_path / "run.czz")
    for again in (cz.load(tmp_path / "run.czz"), pickle.loads(pickle.dumps(posterior))):
        assert again.resampled is not None
        assert again.edge_table().equals(posterior.edge_table())
        assert again.resampled.top(3) == posterior.resampled.top(3)  # type: ignore[union-attr]
        assert again.resampled.effects().equals(posterior.resampled.effects())  # type: ignore[union-attr]
    other = cz.sample(table("gaussian"), jumps=4000, chains=2, rng=4, resamples=4)
    merged = posterior.merge(other)
    assert merged.resampled is not None
    assert merged.resampled.resamples == 10
    both = (posterior.resampled, other.resampled)
    expected = sum(one.resamples * one.edge_probabilities().directed for one in both if one is not None) / 10
    np.testing.assert_allclose(merged.resampled.edge_probabilities().directed, expected, atol=1e-12)
    assert posterior.by_chain()[0].resampled is None
    assert posterior.extend(jumps=1000, rng=1).resampled is not None
    assert posterior.resample(0).resampled is None
    dags = posterior.reweight("dags")
    assert dags.resampled is not None
    expected = np.mean([run.reweight("dags").edge_probabilities().directed for run in posterior.resampled.runs], axis=0)  # type: ignore[union-attr]
    np.testing.assert_allclose(dags.resampled.edge_probabilities().directed, expected, atol=1e-12)
    assert dags.reweight("classes").edge_table().equals(posterior.edge_table())


def test_arviz_has_the_edges_of_each_resample() -> None:
    pytest.importorskip("arviz_base")
    posterior = small(resamples=6)
    found = posterior.to_arviz()["resampled"]["directed"].sel(arrow="a -> b")
    assert posterior.resampled is not None
    np.testing.assert_array_equal(found.to_numpy()[0], posterior.resampled.edge_values[:, 0, 1, 0])


def test_a_file_of_continuous_columns_asks_for_its_rows(tmp_path: Path) -> None:
    posterior, data = small(), table("gaussian")
    posterior.save(tmp_path / "run.czz")
    loaded = cz.load(tmp_path / "run.czz")
    with pytest.raises(SettingsError, match="pass the same table"):
        loaded.resample(4)
    assert loaded.resample(4, data=data, rng=1).edge_table().equals(posterior.resample(4, rng=1).edge_table())
    with pytest.raises(SettingsError, match="not those that the posterior was sampled from"):
        loaded.resample(4, data=data * [1, 1, 1, 1] + np.eye(len(data), 4))
    with pytest.raises(SettingsError, match="data have the columns a, b"):
        loaded.resample(4, data=data[["a", "b"]])
    discrete = cz.sample(table("bdeu"), jumps=4000, chains=2, rng=3)
    discrete.save(tmp_path / "discrete.czz")
    assert (
        cz.load(tmp_path / "discrete.czz")
        .resample(4, rng=1)
        .edge_table()
        .equals(discrete.resample(4, rng=1).edge_table())
    )


def test_what_cannot_be_resampled_is_named() -> None:
    posterior = small()
    for resamples in (-1, 1.5, "many", True):
        with pytest.raises(SettingsError, match="resamples must be"):
            posterior.resample(resamples)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="by names the column nobody"):
        posterior.resample(4, "nobody")
    with pytest.raises(DataError, match="at least 4 are needed"):
        posterior.resample(4, np.repeat([0, 1], ROWS // 2))
    with pytest.raises(DataError, match="one value for each of 120 rows, not 40"):
        posterior.resample(4, np.zeros(40))
    with pytest.raises(DataError, match="row 2 is missing"):
        posterior.resample(4, [1, 2, None, *range(ROWS - 3)])
    with pytest.raises(SettingsError, match="has no rows to resample"):
        cz.sample(cz.Uniform(3), jumps=1000, rng=1).resample(4)
    with pytest.raises(SettingsError, match="minutes must be"):
        posterior.resample(4, minutes=-1)
    with pytest.raises(SettingsError, match="write rng=1"):
        posterior.resample(4, seed=1)  # type: ignore[call-arg]


class Slopes(cz.Score):
    """A score of one's own, of the rows of a table."""

    def __init__(self, data: pd.DataFrame, weights: np.ndarray | None = None) -> None:
        super().__init__([*data.columns])
        self._inner = cz.GaussianBIC(data)
        self._used = self._inner if weights is None else self._inner.with_row_weights(weights)

    def local(self, node: object, parents: object) -> float:
        return self._used.local(node, parents)  # type: ignore[arg-type]


class Resampling(Slopes):
    """The same with rows that can be resampled."""

    def __init__(self, data: pd.DataFrame, weights: np.ndarray | None = None) -> None:
        super().__init__(data, weights)
        self._data = data

    @property
    def row_count(self) -> int:
        return len(self._data)

    def with_row_weights(self, weights: np.ndarray) -> cz.Score:
        return Resampling(self._data, weights)


def test_a_score_of_ones_own_says_what_it_needs() -> None:
    mine = cz.sample(Slopes(table("gaussian")), jumps=2000, chains=2, rng=3)
    with pytest.raises(ScoreError, match=r"row_count.*with_row_weights"):
        mine.resample(2)
    again = cz.sample(Resampling(table("gaussian")), jumps=2000, chains=2, rng=3).resample(2, rng=1).resampled
    builtin = small().resample(2, rng=1).resampled
    assert again is not None
    assert builtin is not None
    apart = again.edge_probabilities().adjacent - builtin.edge_probabilities().adjacent
    assert np.abs(apart).max() < 0.1


def test_series_are_resampled_in_blocks() -> None:
    rng = np.random.default_rng(1)
    x = np.zeros((200, 2))
    for t in range(1, 200):
        x[t] = 0.9 * x[t - 1] + rng.normal(size=2)
    long = pd.DataFrame({"x": x[:, 0], "y": x[:, 1], "country": np.repeat(["A", "B"], 100)})
    lagged = cz.lagged(long, lags=1, by="country")
    resampled = cz.sample(lagged, jumps=2000, chains=2, rng=1, resamples=4).resampled
    assert resampled is not None
    found = re.search(r"blocks of (\d+) successive rows", resampled.scheme)
    assert found is not None
    length = int(found[1])
    assert 4 <= length <= 24
    assert lagged.groups is not None
    units = read_units(None, lagged, lagged.n_rows)
    for unit in range(units.number):
        rows = np.flatnonzero(units.of_row == unit)
        assert len(rows) <= length
        assert (np.diff(rows) == 1).all()
        assert len({*lagged.groups[rows].tolist()}) == 1


def test_rows_that_are_left_out_or_counted_keep_their_groups() -> None:
    data = table("gaussian").assign(person=np.repeat(range(ROWS // 5), 5), count=np.tile([1, 2], ROWS // 2))
    data.loc[7, "a"] = None
    read = cz.read_table(data, by="person", missing="drop", weights="count")
    assert read.groups is not None
    expected = np.repeat(data["person"].drop(index=7), data["count"].drop(index=7)).to_numpy()
    np.testing.assert_array_equal(read.groups, expected)
    assert read.nodes == tuple("abcd")


def test_a_deadline_ends_it() -> None:
    posterior = small()
    with pytest.warns(cz.SamplingWarning, match="resamples are missing|no rows were resampled"):
        few = posterior.resample(5000, minutes=0.01, rng=1)
    assert few.resampled is None or few.resampled.lost + few.resampled.resamples <= 5000


def test_missing_cells_are_drawn_again() -> None:
    data = table("gaussian").mask(np.random.default_rng(1).random((ROWS, 4)) < 0.05)
    resampled = cz.sample(data, jumps=4000, chains=2, rng=3, resamples=4).resampled
    assert resampled is not None
    assert all(run.score.is_incomplete for run in resampled.runs)
    assert resampled.edge_probabilities().adjacent[2, 3] > 0.2


@pytest.mark.parametrize("name", ["gaussian", "mixed-bge"])
def test_a_resample_may_lack_all_cells_of_a_column(name: str, tmp_path: Path) -> None:
    """One of 24 groups has them."""
    data = table(name).assign(group=np.repeat(range(ROWS // 5), 5)).astype({"a": object})
    data.loc[:1, "a"] = [*{*data["a"]}][:2]  # so that it is no constant
    data.loc[5:, "a"] = None
    posterior = cz.sample(data, by="group", jumps=500, chains=2, rng=4, resamples=3)
    resampled = posterior.resampled
    assert resampled is not None
    assert any(run.score.missing[:, 0].all() for run in resampled.runs)  # type: ignore[attr-defined]
    effects = resampled.effects()
    assert np.isfinite(effects["mcse"]).all()
    posterior.save(tmp_path / "run.czz")
    pd.testing.assert_frame_equal(cz.load(tmp_path / "run.czz").resampled.effects(), effects)  # type: ignore[union-attr]


def test_effects_where_a_resample_has_one_level_left() -> None:
    data = table("mixed-bge").assign(c=np.where(np.arange(ROWS) < 2, "rare", np.where(np.arange(ROWS) < 60, "x", "y")))
    data.loc[60:61, "c"] = "z"
    resampled = cz.sample(data, jumps=2000, chains=2, rng=3, resamples=12).resampled
    assert resampled is not None
    assert np.isfinite(resampled.effect("d", "c").mean)


def test_auto_is_for_runs_by_the_clock() -> None:
    assert small().resampled is None
    converged = cz.sample(table("gaussian"), rng=3, chains=2)
    assert converged.resampled is not None
    assert converged.resampled.diagnostics().mcse <= 0.05
    assert cz.sample(table("gaussian"), rng=3, chains=2, resamples=0).resampled is None


def test_a_checkpoint_keeps_finished_resamples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, settings = table("gaussian"), {"jumps": 2000, "chains": 2, "rng": 3, "checkpoint": tmp_path / "run"}
    alone = cz.sample(data, jumps=2000, chains=2, rng=3, resamples=6)
    assert cz.sample(data, resamples=4, **settings).resampled is not None
    assert len([*(tmp_path / "run").glob("resample-*.czz")]) == 4
    begun: list[int] = []
    monkeypatch.setattr(pool, "run_resample", lambda task, stop: begun.append(task.number) or run_resample(task, stop))
    again = cz.sample(data, resamples=6, **settings)
    assert sorted(begun) == [4, 5]
    assert again.edge_table().equals(alone.edge_table())
    (tmp_path / "run" / "resample-1.czz").write_bytes(b"damaged")
    begun.clear()
    assert cz.sample(data, resamples=6, **settings).edge_table().equals(alone.edge_table())
    assert begun == [1]


@pytest.mark.parametrize("name", ["gaussian", "bdeu"])
def test_a_run_that_is_resumed_is_resampled(name: str, tmp_path: Path) -> None:
    data = table(name).assign(person=np.repeat(range(ROWS // 5), 5))
    settings: dict[str, Any] = {"by": "person", "jumps": 2000, "chains": 2, "rng": 3, "checkpoint": tmp_path / "run"}
    whole = cz.sample(data, resamples=6, **settings)
    for _ in range(2):
        again = cz.resume(tmp_path / "run")
        assert again.resampled is not None
        assert again.resampled.by == ("person",)
        assert again.edge_table().equals(whole.edge_table())
        for path in (tmp_path / "run").glob("resample-*.czz"):
            path.unlink()  # so that they are drawn again
    (tmp_path / "run" / "rows.czz").write_bytes(b"damaged")
    assert cz.resume(tmp_path / "run").resampled is None
    assert cz.sample(data, resamples=0, **settings).resampled is None
    assert cz.resume(tmp_path / "run").resampled is None


class InterruptedSoon:
    """Ctrl-C that is pressed after a number of looks."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def noted(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def test_after_an_interrupt_there_is_what_was_finished() -> None:
    posterior = small()
    with pytest.warns(cz.SamplingWarning, match="of 500 resamples are missing"):
        some = resampled_posterior(posterior, 500, None, None, [1], math.inf, None, False, InterruptedSoon(6))  # type: ignore[arg-type]
    assert some.resampled is not None
    assert 0 < some.resampled.resamples < 500
    assert some.resampled.lost == 500 - some.resampled.resamples
    whole = posterior.resample(4, rng=1)
    with pytest.warns(cz.SamplingWarning, match="no rows were resampled: Ctrl-C was pressed"):
        none = resampled_posterior(whole, 4, None, None, [1], math.inf, None, False, InterruptedSoon(0))  # type: ignore[arg-type]
    assert none.resampled is whole.resampled


def test_a_lost_pool_of_workers_leaves_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(ThreadPoolExecutor):
        def submit(self, function: Any, /, *given: Any, **named: Any) -> Any:
            if function is pool.run_resample:
                raise BrokenExecutor("a worker was killed")
            return super().submit(function, *given, **named)

    with Broken(2) as broken:
        with pytest.raises(cz.WorkerError, match="the worker of resample 0 died"):
            small().resample(4, executor=broken)
        with pytest.warns(cz.SamplingWarning, match="rows were not resampled: the worker of resample 0 died"):
            assert small(resamples=4, executor=broken).resampled is None


def test_too_few_groups_are_refused_before_the_run() -> None:
    data = table("gaussian").assign(half=np.repeat(["x", "y"], ROWS // 2))
    with pytest.raises(DataError, match="at least 4 are needed"):
        cz.sample(data, by="half", jumps=10**12, resamples=4)


def test_resamples_without_the_few_rows_that_have_missing_cells(tmp_path: Path) -> None:
    table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=200, rng=1)
    table.loc[3, "a"] = np.nan
    posterior = cz.sample(table, jumps=2000, chains=2, resamples=8, rng=1, progress=False)
    holes = [len(member.target.score._holes) for member in posterior.resampled._classes.mixture.members]
    assert 0 in holes
    assert any(holes)
    posterior.save(tmp_path / "run.czz")
    loaded = cz.load(tmp_path / "run.czz").resampled
    effects = loaded.effects()
    pd.testing.assert_frame_equal(effects, posterior.resampled.effects())
    assert (effects["mcse"] > 0).all()
    assert loaded.effect("b", "c").mcse.mean == pytest.approx(effects.set_index(["cause", "outcome"]).mcse["b", "c"])
