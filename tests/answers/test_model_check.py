"""check_model: implied independences by enumeration, statistics by textbook formulas, words, and the rows it tests."""

import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.model_check.implied_regressions import Regression, implied_regressions
from causal_zigzag.answers.model_check.level_tests import level_tests
from causal_zigzag.answers.model_check.residual_tests import residual_tests
from causal_zigzag.scores.mixed import blocks

stats = pytest.importorskip("scipy.stats")

RNG = np.random.default_rng(11)
CURVED = pd.DataFrame({"a": RNG.normal(size=400), "b": RNG.normal(size=400)})
CURVED["c"] = CURVED["a"] ** 2 + 0.5 * RNG.normal(size=400)


def quick(data: object, **options: object) -> cz.Posterior:
    return cz.sample(data, **{"jumps": 1000, "chains": 2, "rng": 1, "progress": False, **options})


def test_the_independences_are_those_of_the_class() -> None:
    for g in cz.enumerate_cpdags(4):
        regressions = implied_regressions([g.dag()])
        pairs = [(r.node, d, r.parents) for r in regressions for d in r.before if d not in r.parents]
        assert len(pairs) == 6 - g.edge_count
        assert {frozenset(pair[:2]) for pair in pairs}.isdisjoint(map(frozenset, g.directed_edges + g.undirected_edges))
        for y, d, parents in pairs:
            assert cz.separated(y, d, parents)(g)


def test_several_dags_share_their_regressions() -> None:
    chain, fork = (np.zeros((3, 3), dtype=np.uint8) for _ in range(2))
    chain[0, 1] = chain[1, 2] = fork[1, 0] = fork[1, 2] = 1
    assert implied_regressions([chain, fork]) == [
        Regression(0, (), ()), Regression(0, (1,), (1,)), Regression(1, (), ()), Regression(1, (0,), (0,)),
        Regression(2, (1,), (0, 1)),
    ]  # fmt: skip


def t_of_last(y: np.ndarray, *columns: np.ndarray) -> tuple[float, float]:
    """The t statistic of the last column in a regression with an intercept, and its two-sided p-value."""
    design = np.column_stack([np.ones(len(y)), *columns])
    slopes, (residual,), *_ = np.linalg.lstsq(design, y, rcond=None)
    freedom = len(y) - design.shape[1]
    error = np.sqrt(residual / freedom * np.linalg.inv(design.T @ design)[-1, -1])
    t = slopes[-1] / error
    return t, 2 * stats.t.sf(abs(t), freedom)


def test_partial_correlations_and_curves_are_those_of_regressions() -> None:
    x = RNG.normal(size=(60, 3)) * [1, 50, 0.01] + [0, 1000, 0]
    found = residual_tests(blocks(cz.read_table(x)), [Regression(2, (0,), (0, 1))]).tests
    by = {(one.kind, one.other): one for one in found}
    assert by.keys() == {("dependence", 1), ("curve", 0), ("curve", 1), ("spread", 0), ("spread", 1), ("outliers", 2)}
    t, p = t_of_last(x[:, 2], x[:, 0], x[:, 1])
    assert (by["dependence", 1].statistic, by["dependence", 1].p_value) == pytest.approx((t, p))
    for other, before in ((0, [x[:, 0]]), (1, [x[:, 0], x[:, 1]])):
        z = stats.norm.ppf((stats.rankdata(x[:, other]) - 0.5) / 60)
        worst = max((t_of_last(x[:, 2], *before, f)[0] for f in (z**2 - 1, z**3 - 3 * z)), key=abs)
        assert by["curve", other].statistic == pytest.approx(worst, rel=0.02)  # degrees of freedom differ by 1 at most
    residual = x[:, 2] - np.polyval(np.polyfit(x[:, 0], x[:, 2], 1), x[:, 0])
    expected = np.abs(residual).max() / np.sqrt((residual**2).sum() / 58)
    assert by["outliers", 2].statistic == pytest.approx(expected)


def test_g_tests_are_those_of_contingency_tables() -> None:
    codes = RNG.integers(0, 3, size=(3, 900))
    dag = np.zeros((3, 3), dtype=np.uint8)
    dag[0, 2] = 1
    tests = level_tests(codes, [dag], lambda _: dag).tests
    found = next(one for one in tests if one.node == 2)
    tables = [pd.crosstab(codes[1, own], codes[2, own]) for own in (codes[0] == s for s in range(3))]
    g = sum(stats.chi2_contingency(one, lambda_="log-likelihood", correction=False).statistic for one in tables)
    assert found.statistic == pytest.approx(g)
    assert found.p_value == pytest.approx(stats.chi2.sf(g, 12), abs=0.08)  # from 199 permutations


def test_a_curve_is_found_and_named() -> None:
    check = quick(CURVED, score="gaussian-bic").check_model()
    assert not check.ok
    assert {check.tests["node"][0], check.tests["other"][0]} == {"a", "c"}
    assert set(check.tests["kind"]) == {"dependence", "curve", "spread", "outliers"}
    assert check.tests["p_value"].is_monotonic_increasing
    assert check.small_share > 0.05
    assert check.worst(1)[0] in str(check)
    assert check.residuals["node"].nunique() == 3
    assert {(one.node, one.other) for one in check.pictures} & {("a", "c"), ("c", "a")}
    assert len(check.pictures[0].values) == len(check.pictures[0].residuals) == 400


@pytest.mark.parametrize("score", ["additive-gp", "basis-bic"])
def test_a_score_of_curves_fits_them(score: str) -> None:
    check = quick(CURVED, score=score).check_model()
    assert check.ok
    assert {*check.tests["kind"]} == {"dependence"}
    check = quick(CURVED, score=score, knowledge=cz.Knowledge(apart=[("a", "c")])).check_model()
    assert not check.ok
    assert {check.tests["node"][0], check.tests["other"][0]} == {"a", "c"}


def test_a_missing_edge_is_found() -> None:
    table = cz.datasets.linear_gaussian([("a", "b")], rows=300, rng=1)
    check = quick(table, knowledge=cz.Knowledge(apart=[("a", "b")])).check_model()
    assert not check.ok
    assert tuple(check.tests.loc[0, ["kind", "given"]]) == ("dependence", ())


def test_mixed_and_categorical_tables() -> None:
    level = RNG.integers(0, 3, size=500)
    mixed = pd.DataFrame({"group": np.array(["x", "y", "z"])[level], "size": level + RNG.normal(size=500)})
    mixed["flag"] = np.where(RNG.random(500) < 0.3, "on", "off")
    check = quick(mixed).check_model()
    assert check.ok
    assert set(check.tests.loc[check.tests["kind"] != "dependence", "node"]) == {"size"}
    changing = mixed.assign(size=level + RNG.normal(size=500) * (1 + 3 * (mixed["flag"] == "on")))
    check = quick(changing).check_model()
    assert not check.ok
    assert check.tests["kind"].iloc[0] in {"spread", "outliers"}
    levels = mixed[["group", "flag"]].assign(copy=np.where(RNG.random(500) < 0.8, mixed["flag"], "off"))
    assert quick(levels).check_model().ok
    check = quick(levels, knowledge=cz.Knowledge(apart=[("flag", "copy")])).check_model()
    assert not check.ok
    assert {check.tests["node"][0], check.tests["other"][0]} == {"flag", "copy"}
    assert check.residuals.empty
    assert not check.pictures


def test_more_classes_are_more_tests_and_exact_posteriors_have_it() -> None:
    posterior = quick(CURVED)
    open_pairs = quick(CURVED[:20], edge_prior=None)
    three, one = (open_pairs.check_model(classes=k) for k in (3, 1))
    assert (three.classes, one.classes) == (3, 1)
    assert len(three.tests) > len(one.tests)
    assert quick(CURVED, edge_prior=20).check_model().classes == 1  # the others are improbable
    exact = cz.exact_posterior(cz.GaussianBIC(CURVED), edge_prior=None)
    assert not exact.check_model(CURVED).ok
    with pytest.raises(cz.SettingsError, match="classes"):
        posterior.check_model(classes=0)


def test_the_rows_are_those_of_the_run_or_given(tmp_path: Path) -> None:
    posterior = quick(CURVED)
    assert posterior.score.source_table is not None
    posterior.save(tmp_path / "run.czz")
    for again in (cz.load(tmp_path / "run.czz"), pickle.loads(pickle.dumps(posterior))):
        with pytest.raises(cz.SettingsError, match="data="):
            again.check_model(classes=1)  # a file has the check of three
        pd.testing.assert_frame_equal(again.check_model(CURVED).tests, again.check_model(data=CURVED).tests)
    pd.testing.assert_frame_equal(
        cz.load(tmp_path / "run.czz").check_model(CURVED).tests, posterior.check_model().tests
    )
    made = quick(cz.GaussianBIC(CURVED))
    pd.testing.assert_frame_equal(made.check_model().tests, made.check_model(CURVED).tests)
    with pytest.raises(cz.SettingsError, match="the columns a, b"):
        posterior.check_model(CURVED[["a", "b"]])
    with pytest.raises(cz.SettingsError, match="Uniform"):
        quick(cz.Uniform(3)).check_model()


def test_a_discrete_score_contains_its_rows(tmp_path: Path) -> None:
    table = cz.datasets.discrete([("a", "b")], 300, rng=1)
    posterior = quick(table)
    posterior.save(tmp_path / "run.czz")
    loaded = cz.load(tmp_path / "run.czz").check_model()
    assert len(loaded.tests) == len(posterior.check_model(table).tests)
    assert loaded.n_rows == 300


def test_incomplete_and_long_tables() -> None:
    holes = CURVED.mask(RNG.random(CURVED.shape) < 0.05)
    check = quick(holes, missing="drop").check_model(holes)
    assert check.n_rows == len(holes.dropna())
    long = cz.datasets.linear_gaussian([("a", "b")], rows=3000, rng=1)
    assert quick(long).check_model().n_rows == 2000


def test_in_a_notebook_names_are_escaped() -> None:
    check = quick(CURVED.rename(columns={"a": "<b>&"}), score="gaussian-bic").check_model()
    page = check._repr_html_()
    assert "<svg" in page
    assert "&lt;b&gt;&amp;" in page
    assert "<b>" not in page
    assert "ModelCheck(p_value=" in repr(check)


def test_a_file_has_the_check_of_its_model(tmp_path: Path) -> None:
    live = quick(CURVED, score="gaussian-bic")
    live.save(tmp_path / "run.czz")
    loaded = cz.load(tmp_path / "run.czz")
    a, b = live.check_model(), loaded.check_model()
    assert str(a) == str(b)
    assert a.tests.equals(b.tests)
    assert a.residuals.equals(b.residuals)
    assert all(np.array_equal(one.residuals, two.residuals) for one, two in zip(a.pictures, b.pictures, strict=True))
    loaded.save(tmp_path / "again.czz")
    assert str(cz.load(tmp_path / "again.czz").check_model()) == str(a)
    pages = []
    for name, posterior in (("live", live), ("loaded", loaded)):
        posterior.report(tmp_path / f"{name}.html")
        pages.append((tmp_path / f"{name}.html").read_text(encoding="utf-8"))
    assert all("The model does not fit" in page for page in pages)
    with pytest.raises(cz.SettingsError, match="data=table"):
        loaded.check_model(classes=1)


def test_a_p_value_that_no_simulation_reached_is_a_bound() -> None:
    check = quick(CURVED, score="gaussian-bic").check_model()
    bound = dataclasses.replace(check, p_value=1 / 200 / 0.95)
    assert "p < 0.006." in str(bound).splitlines()[0]
    assert "p = 0.14." in str(dataclasses.replace(check, p_value=0.14)).splitlines()[0]
