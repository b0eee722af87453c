"""Densities of held-out rows: ratios of marginal likelihoods, regression, GridSearchCV, and errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz

pytest.importorskip("sklearn", minversion="1.6")
scipy_stats = pytest.importorskip("scipy.stats")
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402

from causal_zigzag.interop.held_out import log_predictive  # noqa: E402

pytestmark = pytest.mark.nosanitize

RNG = np.random.default_rng(5)
DAGS = np.array(
    [[[0, 1, 1], [0, 0, 1], [0, 0, 0]], [[0, 0, 1], [0, 0, 0], [0, 0, 0]], np.zeros((3, 3))], dtype=np.uint8
)


def test_bge_is_the_ratio_of_marginal_likelihoods() -> None:
    """Without standardization, adding a row to centered data changes the score by its log predictive density."""
    data = RNG.normal(size=(12, 3)) @ RNG.normal(size=(3, 3))
    data -= data.mean(axis=0)
    row = RNG.normal(size=(1, 3))
    before, after = (cz.BGe(x, standardize=False) for x in (data, np.vstack([data, row])))
    for dag in DAGS:
        found = log_predictive(before, dag[None], row)
        assert found[0] == pytest.approx(after.total(dag) - before.total(dag), abs=1e-9)


def test_bdeu_is_the_ratio_of_marginal_likelihoods() -> None:
    data = RNG.integers(0, 3, size=(20, 3))
    data[:3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]  # every level occurs
    row = np.array([[2, 1, 0]])
    kinds = {"kinds": "categorical"}
    before = cz.BDeu(cz.read_table(data, **kinds), equivalent_sample_size=2.5)
    after = cz.BDeu(cz.read_table(np.vstack([data, row]), **kinds), equivalent_sample_size=2.5)
    for dag in DAGS:
        found = log_predictive(before, dag[None], row)
        assert found[0] == pytest.approx(after.total(dag) - before.total(dag), abs=1e-9)


def test_gaussian_bic_predicts_by_least_squares() -> None:
    """The textbook prediction of a regression, in the units of the data."""
    data = RNG.normal(size=(15, 3)) * [1, 20, 0.1] + [5, 0, -3]
    rows = RNG.normal(size=(4, 3)) * [1, 20, 0.1] + [5, 0, -3]
    dag = DAGS[1]
    expected = np.zeros(4)
    for y in range(3):
        parents = np.flatnonzero(dag[:, y])
        design, new = (np.column_stack([np.ones(len(x)), x[:, parents]]) for x in (data, rows))
        slopes, *_ = np.linalg.lstsq(design, data[:, y], rcond=None)
        freedom = len(data) - design.shape[1]
        variance = ((data[:, y] - design @ slopes) ** 2).sum() / freedom
        spread = 1 + np.einsum("ij,jk,ik->i", new, np.linalg.inv(design.T @ design), new)
        expected += scipy_stats.t.logpdf(rows[:, y], freedom, new @ slopes, np.sqrt(variance * spread))
    found = log_predictive(cz.GaussianBIC(data), dag[None], rows)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_densities_are_averaged_over_dags() -> None:
    data, rows = RNG.normal(size=(30, 3)), RNG.normal(size=(5, 3))
    score = cz.GaussianBIC(data)
    each = np.exp([log_predictive(score, dag[None], rows) for dag in DAGS])
    np.testing.assert_allclose(log_predictive(score, DAGS, rows), np.log(each.mean(axis=0)), rtol=1e-9)


def test_grid_search_prefers_the_true_structure() -> None:
    X = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=240, rng=2)
    search = GridSearchCV(cz.CausalZigZag(jumps=500, chains=2, random_state=1), {"edge_prior": [None, 300]}, cv=3)
    search.fit(X)
    assert search.best_params_ == {"edge_prior": None}
    assert search.best_score_ > search.cv_results_["mean_test_score"][1]
    words = pd.DataFrame({"a": ["u", "v"] * 60, "b": ["x", "x", "y", "y"] * 30})
    model = cz.CausalZigZag("bdeu", jumps=300, chains=2, random_state=1)
    assert cross_val_score(model, words, cv=3).mean() == pytest.approx(2 * np.log(0.5), abs=0.1)


def test_tempering_and_an_executor_are_passed_on() -> None:
    from concurrent.futures import ThreadPoolExecutor

    X = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=200, rng=2)
    with ThreadPoolExecutor(2) as pool:
        model = cz.CausalZigZag(jumps=500, chains=2, random_state=1, tempering=3, executor=pool).fit(X)
    assert model.posterior_.settings.tempering == 3
    assert np.isfinite(model.score(X[:50]))


def test_rows_that_have_no_density() -> None:
    words = pd.DataFrame({"a": ["u", "v"] * 30, "b": ["x", "x", "y", "y"] * 15})
    model = cz.CausalZigZag("bdeu", jumps=300, chains=2, random_state=1).fit(words)
    with pytest.raises(cz.DataError, match="column a of the held-out rows contains 'w', which the rows of fit do not"):
        model.score(pd.DataFrame({"a": ["u", "w"], "b": ["x", "y"]}))
    mixed = words.assign(c=RNG.normal(size=60))
    model = cz.CausalZigZag(jumps=300, chains=2, random_state=1).fit(mixed)
    with pytest.raises(cz.SettingsError, match="MixedBIC"):
        model.score(mixed)
    numbers = pd.DataFrame(RNG.normal(size=(30, 2)), columns=["a", "b"])
    model = cz.CausalZigZag(jumps=300, chains=2, random_state=1).fit(numbers)
    with pytest.raises(cz.DataError, match="column b of the held-out rows has cells that are missing or no finite"):
        model.score(pd.DataFrame({"a": [0.5, 1.5], "b": [None, 2.0]}))
