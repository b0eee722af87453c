"""Answers for tables with missing cells: effects over completed tables, imputed tables, and what was missing."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import causal_zigzag as cz
from causal_zigzag.answers.missing_data import chi_square_tail
from causal_zigzag.errors import ScoreError, SettingsError

KNOWN = cz.Knowledge(required=[("a", "b"), ("b", "c")], forbidden=[("a", "c"), ("c", "a")])


def table(share: float = 0.25, rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    a = rng.normal(10.0, 2.0, rows)
    b = 0.8 * a + rng.normal(size=rows)
    c = -50 * b + 30 * rng.normal(size=rows)
    made = pd.DataFrame({"a": a, "b": b, "c": c})
    return made.mask(rng.random(made.shape) < share)


@pytest.fixture(scope="module")
def sampled() -> cz.Posterior:
    return cz.sample(table(), jumps=4000, chains=2, rng=1, progress=False)


@pytest.fixture(scope="module")
def certain() -> cz.Posterior:
    """A run whose graph is known."""
    return cz.sample(table(), jumps=2000, chains=2, rng=1, knowledge=KNOWN, progress=False)


def test_effects_are_pooled_over_completed_tables(certain: cz.Posterior) -> None:
    found = certain.effect("a", "c")
    every = [cells for result in certain._results for cells in result.tables.cells]
    chosen = [every[i] for i in np.linspace(0, len(every) - 1, min(100, len(every))).astype(int)]
    parts = [
        cz.exact_posterior(certain.score.completed(cells), edge_prior=None, knowledge=KNOWN).effect("a", "c")
        for cells in chosen
    ]
    means = np.array([part.mean for part in parts])
    assert found.mean == pytest.approx(means.mean(), rel=1e-9)
    assert found.sd**2 == pytest.approx(np.mean([part.sd**2 for part in parts]) + means.var(), rel=1e-9)
    assert found.probability_nonzero == pytest.approx(1.0)
    assert means.std() > 0.1 * found.sd  # cells matter


def test_effects_cover_the_truth_and_are_in_the_units_of_the_data(sampled: cz.Posterior) -> None:
    effect = sampled.effect("b", "c")
    lower, upper = effect.interval(0.999)
    assert lower < -50 < upper or effect.probability_nonzero < 0.99
    assert effect.components["probability"].sum() == pytest.approx(1.0)
    frame = sampled.effects()
    assert set(zip(frame["cause"], frame["outcome"], strict=True)) >= {("a", "b"), ("b", "c")}
    row = frame[(frame["cause"] == "b") & (frame["outcome"] == "c")].iloc[0]
    assert row["mean"] == pytest.approx(effect.mean)
    assert np.isfinite(sampled.effects(standardized=True)["mean"]).all()
    assert sampled.ancestors().loc["b", "c"] == pytest.approx(effect.probability_nonzero)
    assert effect.robustness is not None


def test_effects_under_another_prior(sampled: cz.Posterior) -> None:
    other = sampled.reweight("dags")
    assert other.effect("a", "b").mean != sampled.effect("a", "b").mean
    assert other._classes.completions.weights.sum() == pytest.approx(1.0)


def test_joint_effects_need_complete_rows_and_others_do_not(sampled: cz.Posterior) -> None:
    with pytest.raises(ScoreError, match="missing"):
        sampled.effect("a", "c", jointly_with=["b"])
    mixed = table().assign(d=np.where(np.arange(300) % 2, "x", "y"))
    posterior = cz.sample(mixed, jumps=500, chains=1, rng=1, progress=False)
    assert posterior.effect("a", "d").probability_nonzero == pytest.approx(posterior.ancestors().loc["a", "d"])


def test_effects_of_categories_are_mixtures_over_completed_tables() -> None:
    levels = table().apply(lambda column: pd.cut(column, 3, labels=[*"xyz"]).astype(object))
    known = cz.sample(levels, jumps=500, chains=1, rng=1, knowledge=KNOWN, progress=False)
    cells = known._results[0].tables.cells
    chosen = [cells[i] for i in np.linspace(0, len(cells) - 1, min(100, len(cells))).astype(int)]
    parts = [
        cz.exact_posterior(known.score.completed(each), edge_prior=None, knowledge=KNOWN).effect("b", "c")
        for each in chosen
    ]
    found = known.effect("b", "c")
    mean = np.mean([part.levels["mean"] for part in parts], axis=0)
    assert found.levels["mean"].to_numpy() == pytest.approx(mean, abs=1e-12)
    one = found.contrast("x", "z", level="x")
    others = [part.contrast("x", "z", level="x") for part in parts]
    spread = np.var([other.mean for other in others])
    assert one.sd**2 == pytest.approx(np.mean([other.sd**2 for other in others]) + spread, rel=1e-9)
    lower, upper = one.interval()
    assert lower < one.mean < upper
    sampled = cz.sample(levels, jumps=1000, chains=2, rng=1, progress=False)
    assert len(sampled.effects()) == 6
    assert sampled.effect("a", "b").probability_nonzero == pytest.approx(sampled.ancestors().loc["a", "b"])


def test_intervals_of_tables_with_levels_are_said_to_be_narrow() -> None:
    """See benchmarks/coverage.py."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 80)
    table = pd.DataFrame({"a": a, "b": a ^ (rng.random(80) < 0.1), "x": rng.normal(size=80)}).astype(
        {"a": str, "b": str}
    )
    run = cz.sample(table.mask(rng.random((80, 3)) < 0.05), "mixed-bge", jumps=200, chains=1, rng=1, progress=False)
    assert "cells are missing, so the interval is somewhat too narrow" in run.effect("a", "b").note
    assert run.effects("a", "b")["note"][0] == run.effect("a", "b").note
    assert run.effect("a", "x").note.startswith(run.effect("a", "b").note if run.effect("a", "x").parents else "")
    numbers = pd.DataFrame(rng.normal(size=(80, 2)), columns=["x", "y"])
    run = cz.sample(numbers.mask(rng.random((80, 2)) < 0.05), "bge", jumps=200, chains=1, rng=1, progress=False)
    assert (run.effects()["note"] == "").all()


def test_a_single_completed_table_has_paths_of_the_whole_run_and_no_error() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 3))
    x[:, 1] += x[:, 0]
    table = pd.DataFrame(x, columns=[*"abc"]).mask(rng.random((60, 3)) < 0.1)
    run = cz.sample(table, "bge", jumps=60, chains=1, rng=1, settings=cz.Settings(warmup=20), progress=False)
    assert len(run._classes.groups) == 1
    effect, row = run.effect("a", "b"), run.effects("a", "b").iloc[0]
    path = run.ancestors().loc["a", "b"]
    assert (effect.probability_nonzero, row["probability_nonzero"]) == (pytest.approx(path), pytest.approx(path))
    assert np.isnan(effect.mcse.mean)
    assert np.isnan(row["mcse"])


def test_imputed_tables_keep_what_was_observed(sampled: cz.Posterior) -> None:
    data = table()
    data = data[~data.isna().all(axis=1)].reset_index(drop=True)
    found = sampled.imputed(6, rng=3)
    assert len(found) == 6
    for completed, graph in found:
        assert list(completed.columns) == [*"abc"]
        assert not completed.isna().any().any()
        assert np.allclose(completed.to_numpy()[data.notna()], data.to_numpy()[data.notna()])
        assert sampled.probability(graph) >= 0
    assert len({completed.to_numpy().tobytes() for completed, _ in found}) == 6
    again = sampled.imputed(6, rng=3)
    assert all(a.table.equals(b.table) for a, b in zip(found, again, strict=True))
    with pytest.raises(SettingsError, match="kept"):
        sampled.imputed(10_000)


def test_imputed_cells_follow_their_neighbors(certain: cz.Posterior) -> None:
    """Where b is missing and a and c are observed, the mean of the drawn b is near its regression on them."""
    data = table()
    data = data[~data.isna().all(axis=1)].reset_index(drop=True)
    whole = data.dropna()
    beta = np.linalg.lstsq(np.column_stack([np.ones(len(whole)), whole[["a", "c"]]]), whole["b"], rcond=None)[0]
    rows = data["b"].isna() & data["a"].notna() & data["c"].notna()
    expected = np.column_stack([np.ones(rows.sum()), data.loc[rows, ["a", "c"]]]) @ beta
    drawn = np.mean([completed.loc[rows, "b"] for completed, _ in certain.imputed(20, rng=1)], axis=0)
    # The residual deviation is about 0.45; of a mean of 20 draws that is 0.1, and of 50 rows together 0.015.
    assert abs((drawn - expected).mean()) < 0.1
    assert np.corrcoef(drawn, expected)[0, 1] > 0.95


def test_a_table_without_missing_cells_has_nothing_to_impute() -> None:
    posterior = cz.sample(table(0.0), jumps=200, chains=1, rng=1, progress=False)
    assert posterior.missing is None
    with pytest.raises(SettingsError):
        posterior.imputed(1)


def test_what_was_missing(sampled: cz.Posterior) -> None:
    data = table()
    data = data[~data.isna().all(axis=1)]
    missing = sampled.missing
    assert missing.shares == pytest.approx(data.isna().mean().to_dict())
    assert missing.complete_rows == len(data.dropna())
    assert sum(rows for _, rows in missing.patterns) == missing.rows == len(data)
    assert missing.patterns == sorted(missing.patterns, key=lambda pattern: -pattern[1])
    assert 0.001 < missing.little.p_value <= 1  # cells are missing completely at random; false alarm rate 0.1 %
    assert len(missing.predictors) == 0
    assert "missing at random" in repr(missing)


def test_missing_cells_that_depend_on_another_column_are_noticed() -> None:
    data = table(0.0)
    data["d"] = np.where(data["a"] > 11, "high", "low")
    data.loc[data["a"] > 11, "c"] = np.where(np.arange((data["a"] > 11).sum()) % 4 > 0, np.nan, 1.0)
    missing = cz.sample(data, jumps=500, chains=1, rng=1, progress=False).missing
    assert missing.little.p_value < 1e-6
    assert {*zip(missing.predictors["column"], missing.predictors["predictor"], strict=True)} >= {
        ("c", "a"),
        ("c", "d"),
    }


@pytest.mark.parametrize("freedom", [1, 2, 5, 40, 400])
def test_tails_of_the_chi_square_distribution(freedom: int) -> None:
    for x in np.linspace(0, 3 * freedom + 20, 15):
        assert chi_square_tail(float(x), freedom) == pytest.approx(stats.chi2.sf(x, freedom), rel=1e-8, abs=1e-12)
