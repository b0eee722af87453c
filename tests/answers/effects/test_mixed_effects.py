"""Effects in mixed tables: against regressions written out, and Gaussian scores of numbers."""

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from score_cases import gaussian_data

stats = pytest.importorskip("scipy.stats")


def mixed_table(rows: int, seed: int = 1) -> pd.DataFrame:
    """group has three levels; size depends on it, and flag, of two levels, on both."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, size=rows)
    size = 0.8 * group + rng.normal(size=rows)
    flag = rng.random(rows) < np.clip(0.3 + 0.15 * group + 0.1 * size, 0, 1)
    names = np.array(["low", "mid", "top"])[group]
    return pd.DataFrame({"group": names, "size": size, "flag": np.where(flag, "on", "off")})


TABLE = mixed_table(200)
COMPLETE = [("group", "size"), ("group", "flag"), ("size", "flag")]
KNOWN = cz.Knowledge(tiers=[["group"], ["size"], ["flag"]], required=COMPLETE)


def regression(y: np.ndarray, *columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Least squares with an intercept: coefficients, their covariance, and degrees of freedom."""
    design = np.column_stack([np.ones(len(y)), *columns]).astype(float)
    slopes = np.linalg.solve(design.T @ design, design.T @ y)
    freedom = len(y) - design.shape[1]
    return slopes, ((y - design @ slopes) ** 2).sum() / freedom * np.linalg.inv(design.T @ design), freedom


def test_effects_are_those_of_regressions_on_indicators() -> None:
    posterior = cz.exact_posterior(cz.MixedBIC(TABLE), knowledge=KNOWN, edge_prior=None)
    mid, top = (TABLE["group"] == level for level in ("mid", "top"))
    on = (TABLE["flag"] == "on").to_numpy(dtype=float)
    slopes, covariance, freedom = regression(TABLE["size"].to_numpy(), mid, top)
    effect = posterior.effect("group", "size")
    assert effect.contrast("low", "top").mean == pytest.approx(slopes[2])
    found = effect.contrast("mid", "top")
    assert (found.mean, found.change, found.level) == (pytest.approx(slopes[2] - slopes[1]), ("mid", "top"), None)
    scale = np.sqrt(covariance[2, 2] + covariance[1, 1] - 2 * covariance[1, 2])
    assert found.interval() == pytest.approx(stats.t.interval(0.95, freedom, slopes[2] - slopes[1], scale))
    slopes, covariance, _ = regression(on, TABLE["size"], mid, top)
    for level, sign in (("on", 1), ("off", -1)):
        found = posterior.effect("size", "flag").contrast(level=level)
        assert found.mean == pytest.approx(sign * slopes[1])
        # White's error of the slope without parents, relative to that of a regression with one variance
        d = (TABLE["size"] - TABLE["size"].mean()).to_numpy()
        e = on - on.mean() - (d @ on) / (d @ d) * d
        ratio = np.sqrt(len(d) * ((d * e) ** 2).sum() / ((d @ d) * (e @ e)))
        freedom = ((d * e) ** 2).sum() ** 2 / ((d * e) ** 4).sum()
        scale = ratio * np.sqrt(covariance[1, 1])
        assert found.interval() == pytest.approx(stats.t.interval(0.95, freedom, sign * slopes[1], scale))
    # the total effect of the group on the flag, without the size, which it affects
    slopes, *_ = regression(on, mid, top)
    assert posterior.effect("group", "flag").contrast("low", "mid", "on").mean == pytest.approx(slopes[1])


@pytest.mark.parametrize("make", [cz.MixedBIC, cz.MixedBGe, cz.AdditiveGP])
def test_a_difference_of_probabilities_has_the_error_of_two_shares(make) -> None:
    rng = np.random.default_rng(6)
    group = rng.choice(2, size=1000, p=[0.9, 0.1])
    flag = rng.random(1000) < np.array([0.02, 0.5])[group]
    data = {"group": np.array(["a", "b"])[group], "flag": np.where(flag, "on", "off"), "x": rng.normal(size=1000)}
    effect = cz.exact_posterior(
        make(data), knowledge=cz.Knowledge(tiers=[["group"], ["flag"]]), edge_prior=None
    ).effect("group", "flag")
    variance = sum(flag[group == k].var() / (group == k).sum() for k in (0, 1))
    for level in ("on", "off"):
        assert effect.contrast("a", "b", level).sd == pytest.approx(np.sqrt(variance), rel=0.02)


@pytest.mark.parametrize(("mixed", "gaussian"), [(cz.MixedBIC, cz.GaussianBIC), (cz.MixedBGe, cz.BGe)])
def test_of_numbers_they_are_those_of_gaussian_scores(mixed, gaussian) -> None:
    x = gaussian_data(4, 60)
    first, second = (cz.exact_posterior(make(x), edge_prior=None) for make in (mixed, gaussian))
    for standardized in (False, True):
        frames = [p.effects(standardized=standardized).set_index(["cause", "outcome"]) for p in (first, second)]
        columns = ["mean", "sd", "lower", "upper", "probability_nonzero", "probability_positive", "robustness"]
        found, expected = (frame.sort_index()[columns].astype(float) for frame in frames)
        pd.testing.assert_frame_equal(found, expected, rtol=1e-7)
    assert isinstance(first.effect(0, 1), cz.Effect)


def test_changes_of_levels_belong_together() -> None:
    posterior = cz.exact_posterior(cz.MixedBGe(TABLE), knowledge=KNOWN, edge_prior=None)
    effect = posterior.effect("group", "flag")
    assert (effect.cause_levels, effect.outcome_levels) == (("low", "mid", "top"), ("off", "on"))
    there, back = effect.contrast("low", "mid", "on"), effect.contrast("mid", "low", "on")
    assert there.mean == pytest.approx(-back.mean)
    assert there.mean == pytest.approx(-effect.contrast("low", "mid", "off").mean)
    assert effect.contrast().change == ("low", "top")
    largest = effect
    assert largest.level == "on"
    assert abs(largest.mean) == max(abs(effect.contrast("low", b, "on").mean) for b in ("mid", "top"))
    renamed = TABLE.assign(group=TABLE["group"].map({"low": "z", "mid": "b", "top": "a"}))
    again = cz.exact_posterior(cz.MixedBGe(renamed), knowledge=KNOWN, edge_prior=None).effect("group", "flag")
    assert again.contrast("z", "b", "on").interval() == pytest.approx(there.interval(), rel=1e-6)


def test_words_tables_plots_and_files(tmp_path) -> None:
    posterior = cz.sample(TABLE, knowledge=KNOWN, jumps=500, chains=2, rng=1)
    assert "setting group to top instead of low changes size by" in repr(posterior.effect("group", "size"))
    assert "raising size by 1 changes P(flag = on)" in repr(posterior.effect("size", "flag"))
    frame = posterior.effects()
    assert list(frame.columns[:5]) == ["cause", "outcome", "level", "from", "to"]
    row = frame[(frame["cause"] == "size") & (frame["outcome"] == "flag")].iloc[0]
    assert (row["level"], row["from"], row["to"]) == ("on", None, None)
    standardized = posterior.effects("size", "flag", standardized=True)["mean"][0]
    assert standardized == pytest.approx(row["mean"] * TABLE["size"].std(ddof=0))
    axes = posterior.plot.effects("flag")
    assert any("top instead of low" in label.get_text() for label in axes.get_yticklabels())
    label = posterior.effect("group", "flag").contrast("low", "mid", "on").plot().get_xlabel()
    assert label == "change of P(flag = on) if group is set to mid instead of low"
    assert "flag" in posterior.effect("group", "flag")._repr_html_()
    posterior.save(tmp_path / "run.czz")
    pd.testing.assert_frame_equal(cz.load(tmp_path / "run.czz").effects(), frame)
    posterior.report(tmp_path / "page.html")
    assert "</bdi> instead of <bdi>low" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_probability_outside_of_0_to_1_is_noted() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=300)
    steep = pd.DataFrame({"x": x, "y": np.where(x + 0.05 * rng.normal(size=300) > 0, "yes", "no")})
    effect = cz.exact_posterior(
        cz.MixedBIC(steep), knowledge=cz.Knowledge(tiers=[["x"], ["y"]]), edge_prior=None
    ).effect("x", "y")
    assert effect.contrast().note
    assert effect.contrast().note in repr(effect)
    assert not cz.exact_posterior(cz.MixedBIC(TABLE), knowledge=KNOWN, edge_prior=None).effect("group", "flag").note


def test_what_has_no_effect_or_level() -> None:
    posterior = cz.exact_posterior(cz.MixedBIC(TABLE), knowledge=KNOWN, edge_prior=None)
    assert "is not an ancestor" in repr(posterior.effect("flag", "group"))
    for call in (("bad",), ("low", "bad"), ("low", "top", "bad")):
        with pytest.raises(cz.SettingsError, match="bad"):
            posterior.effect("group", "flag").contrast(*call)
    with pytest.raises(cz.SettingsError, match="size is a number"):
        posterior.effect("size", "flag").contrast("low")
    with pytest.raises(cz.SettingsError, match="size is a number"):
        posterior.effect("group", "size").contrast("low", "top", "on")
    with pytest.raises(cz.ScoreError, match="joint"):
        posterior.effect("group", "flag", jointly_with=["size"])


def test_a_direction_that_only_the_model_decides_is_noted() -> None:
    ordered = cz.Knowledge(tiers=[["group"], ["size", "flag"]])
    free = cz.exact_posterior(cz.MixedBIC(TABLE), edge_prior=None)
    assert "the wrong way" in free.effect("group", "size").note
    assert "the wrong way" not in free.effect("group", "flag").note + free.effect("size", "flag").note
    frame = free.effects("group", "size")
    assert (frame["note"] == free.effect("group", "size").note).all()
    assert cz.exact_posterior(cz.MixedBIC(TABLE), knowledge=ordered, edge_prior=None).effect("group", "size").note == ""
