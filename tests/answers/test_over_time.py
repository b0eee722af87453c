"""Answers about series: effects of the past, the check of the model, and what is said about ordinary tables."""

from __future__ import annotations

import numpy as np
import pytest

import causal_zigzag as cz


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    """Of two series with x[t-1] -> x, y[t-1] -> x and y[t-1] -> y, sampled with one step of the past."""
    rng = np.random.default_rng(1)
    x, y = np.zeros((2, 2000))
    for t in range(1, 2000):
        x[t] = 0.5 * x[t - 1] + 0.3 * y[t - 1] + rng.normal()
        y[t] = 0.8 * y[t - 1] + rng.normal()
    return cz.sample(cz.lagged({"x": x, "y": y}, lags=1), jumps=5000, chains=2, rng=1)


def test_the_effect_of_the_past_is_adjusted_for_the_rest_of_the_past(posterior: cz.Posterior) -> None:
    # Without adjustment it is 0.5 + 0.3 cov(x, y) / var(x), about 0.7; the standard error is 0.02.
    found = posterior.effect("x[t-1]", "x")
    assert found.mean == pytest.approx(0.5, abs=0.06)
    frame = posterior.effects(causes=["x[t-1]"], outcomes=["x"])
    assert frame["mean"][0] == pytest.approx(found.mean)


def test_the_model_check_does_not_test_the_past(posterior: cz.Posterior) -> None:
    check = posterior.check_model()
    assert {*check.tests["node"]} == {"x", "y"}
    assert check.ok


def test_the_sampled_table_agrees_with_the_exact_one(posterior: cz.Posterior) -> None:
    keys = ["cause", "lag", "outcome"]
    exact = cz.exact_posterior(posterior.score.source_table, edge_prior="auto").over_time().set_index(keys)
    found = posterior.over_time().set_index(keys).loc[exact.index]
    assert np.abs(found - exact).max().max() < 0.03
    assert exact.loc[("y", 1, "x"), "any_lag"] > 0.99


def test_a_saved_run_knows_its_series(posterior: cz.Posterior, tmp_path: object) -> None:
    posterior.save(f"{tmp_path}/run.czz")
    assert cz.load(f"{tmp_path}/run.czz").over_time().equals(posterior.over_time())


def test_other_tables_have_no_series() -> None:
    with pytest.raises(cz.SettingsError, match="lagged"):
        cz.exact_posterior(cz.Uniform(["x", "x[t-1]"])).over_time()
