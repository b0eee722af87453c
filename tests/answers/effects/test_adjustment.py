"""What effects are adjusted for, and what they say where rows do not determine them: simulated tables, known truths."""

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.held_out import log_predictive


def binary_series(count: int, seed: int, rows: int = 402) -> cz.Table:
    """Independent coins, but for the second series, which follows the first one of the time before."""
    rng = np.random.default_rng(seed)
    cells = (rng.random((rows, count)) < 0.5).astype(int)
    cells[1:, 1] = rng.random(rows - 1) < 0.2 + 0.6 * cells[:-1, 0]
    return cz.lagged({f"s{k}": np.array(["no", "yes"])[cells[:, k]] for k in range(count)}, lags=2)


@pytest.mark.parametrize("count", [3, 6])
def test_a_past_column_is_adjusted_for_the_past_that_matters(count: int) -> None:
    """The risk difference is 0.6. With six series, adjusting for all twelve columns of the past would give 0.33."""
    inside, means = 0, []
    for seed in range(8):
        posterior = cz.sample(binary_series(count, seed), "bdeu", jumps=1500, chains=1, rng=1, progress=False)
        effect = posterior.effect("s0[t-1]", "s1")
        assert (effect.level, effect.change) == ("yes", ("no", "yes"))
        low, high = effect.interval()
        inside += low <= 0.6 <= high
        means.append(effect.mean)
    # The error of a mean of 8 is 0.04 / sqrt(8) = 0.014, so 0.09 are 6 errors; fewer than 4 of 8 intervals of 95 % that
    # contain the truth have the probability 2e-5 * 1e-3: both less than 1e-6.
    assert np.mean(means) == pytest.approx(0.6, abs=0.09)
    assert inside >= 4


def test_randomised_treatments_are_not_adjusted_for_those_without_an_effect() -> None:
    rng = np.random.default_rng(1)
    treatments = rng.integers(0, 2, size=(400, 8))
    cured = rng.random(400) < 0.2 + 0.6 * treatments[:, 0]
    names = [f"t{k}" for k in range(8)]
    table = cz.read_table({**dict(zip(names, treatments.T, strict=True)), "cured": cured.astype(int)}, contexts=names)
    posterior = cz.sample(table, "bdeu", jumps=2000, chains=1, rng=1, progress=False)
    effect = posterior.effect("t0", "cured")
    assert effect.mean == pytest.approx(0.6, abs=0.2)  # 5 errors of 0.04
    likely = effect.components["parents"].iloc[0]
    assert len(likely) <= 2


@pytest.mark.parametrize(("make", "parents"), [(cz.DiscreteBIC, 4), (cz.BDeu, 5)])
def test_configurations_without_rows_do_not_shrink_an_effect(make: type, parents: int) -> None:
    """With 3 levels each, most of the 81 or 243 configurations have no rows with both levels of the cause."""
    rng = np.random.default_rng(3)
    names = [f"p{k}" for k in range(parents)]
    levels = rng.integers(0, 3, size=(400, parents))
    x = (rng.random(400) < 0.3 + 0.2 * (levels[:, 0] > 0)).astype(int)
    y = (rng.random(400) < 0.1 + 0.6 * x + 0.1 * levels[:, 0]).astype(int)
    known = cz.Knowledge(
        required=[*((name, "x") for name in names), ("x", "y")],
        forbidden=[(a, b) for a in names for b in names if a != b],
    )
    score = make({**dict(zip(names, levels.T, strict=True)), "x": x, "y": y})
    posterior = cz.sample(score, knowledge=known, jumps=300, chains=1, rng=1, progress=False)
    effect = posterior.effect("x", "y")
    low, high = effect.interval()
    assert low <= 0.6 <= high
    assert effect.mean == pytest.approx(0.6, abs=0.25)  # 5 errors
    assert "no overlap: in" in effect.note
    assert effect.note in posterior.effects("x", "y")["note"][0]


def test_without_overlap_the_interval_is_that_of_the_prior() -> None:
    """Nobody of the second stratum is untreated: half of the mean of the untreated is unknown."""
    rng = np.random.default_rng(1)
    stratum = np.repeat([0, 1, 0, 1], [150, 150, 1, 0])
    treated = np.where(stratum == 1, 1, rng.integers(0, 2, len(stratum)))
    well = (rng.random(len(stratum)) < 0.3 + 0.4 * treated).astype(int)
    known = cz.Knowledge(required=[("stratum", "treated"), ("treated", "well"), ("stratum", "well")])
    data = {"stratum": stratum, "treated": treated, "well": well}
    for make in (cz.BDeu, cz.DiscreteBIC):
        effect = cz.exact_posterior(make(data), knowledge=known, edge_prior=None).effect("treated", "well")
        low, high = effect.interval()
        assert high - low > 0.4  # by half of 0 to 1
        assert low < 0.4 < high
        assert "stratum" in effect.note


@pytest.mark.parametrize(("share", "strength"), [(0.02, 0.107), (0.1, 0.17)])
def test_robustness_of_rare_levels_is_that_of_the_regression(share: float, strength: float) -> None:
    """The t statistic of the regression on the indicator, with all rows: not the degrees of freedom of the few."""
    rng = np.random.default_rng(2)
    treated = rng.random(2000) < share
    cured = rng.random(2000) < 0.3 + 0.3 * treated
    data = {
        "treated": np.where(treated, "yes", "no"), "cured": np.where(cured, "yes", "no"), "age": rng.normal(size=2000),
    }  # fmt: skip
    known = cz.Knowledge(required=[("treated", "cured")], tiers=[["treated", "age"], ["cured"]])
    effect = cz.exact_posterior(cz.MixedBIC(data), knowledge=known, edge_prior=None).effect("treated", "cured")
    design = np.column_stack([np.ones(2000), treated])
    slopes = np.linalg.lstsq(design, cured.astype(float), rcond=None)[0]
    left = cured - design @ slopes
    t = slopes[1] / np.sqrt(left @ left / 1998 * np.linalg.inv(design.T @ design)[1, 1])
    f = abs(t) / np.sqrt(1998)
    assert effect.robustness.estimate == pytest.approx((np.sqrt(f**4 + 4 * f**2) - f**2) / 2, rel=0.05)
    assert effect.robustness.estimate == pytest.approx(strength, abs=0.06)


def test_effects_of_a_lagged_table_with_few_rows() -> None:
    """Regressions on all columns of the past would need more rows than there are."""
    cells = np.random.default_rng(1).normal(size=(16, 6))
    cells[1:, 1] += 2 * cells[:-1, 0]
    table = cz.lagged({f"s{k}": cells[:, k] for k in range(6)}, lags=2)
    with warnings.catch_warnings(action="ignore", category=cz.DataWarning):  # few rows
        posterior = cz.sample(table, "gaussian-bic", jumps=500, chains=1, rng=1, max_degree=3, progress=False)
    frame = posterior.effects()
    assert len(frame) == 18 * 17
    row = frame[(frame["cause"] == "s0[t-1]") & (frame["outcome"] == "s1")].iloc[0]
    assert row["probability_nonzero"] > 0.9
    unknown = frame["mean"].isna()
    assert frame.loc[unknown, "note"].str.contains("rows are too few for effects").all()
    assert (frame.loc[~unknown, "note"] == "").all()


def test_contexts_are_saved_with_the_score(tmp_path: Path) -> None:
    cells = np.random.default_rng(1).normal(size=(400, 2))
    for t in range(1, 400):
        cells[t] += 0.9 * cells[t - 1, ::-1]
    table, held_out = (cz.lagged({"x": part[:, 0], "y": part[:, 1]}, lags=1) for part in (cells[:300], cells[300:]))
    posterior = cz.sample(table, "bge", jumps=500, chains=1, rng=1, progress=False)
    posterior.save(tmp_path / "run.czz")
    dags = posterior.sample_dags(5, rng=1)
    expected = log_predictive(posterior.score, dags, held_out)
    for score in (cz.load(tmp_path / "run.czz").score, pickle.loads(pickle.dumps(posterior.score))):
        assert score.contexts == ("x[t-1]", "y[t-1]")
        assert log_predictive(score, dags, held_out) == pytest.approx(expected)
