"""Densities of held-out rows: ratios of marginal likelihoods, regression, GridSearchCV, and errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz

pytest.importorskip("sklearn", minversion="1.6")
scipy_stats = pytest.importorskip("scipy.stats")
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402

from causal_zigzag.answers.held_out import log_predictive  # noqa: E402

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


def mixed_table(rows: int, seed: int) -> pd.DataFrame:
    """a is the size plus noise in three levels, b depends on a, and size on nothing."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=rows)
    a = np.digitize(size + 0.5 * rng.normal(size=rows), [-0.5, 0.5])
    b = rng.random(rows) < np.array([0.2, 0.5, 0.9])[a]
    return pd.DataFrame({"a": np.array(["low", "mid", "high"])[a], "b": np.where(b, "yes", "no"), "size": size})


MIXED_DAGS = {"size -> a -> b": [(2, 0), (0, 1)], "b -> a -> size <- b": [(1, 0), (0, 2), (1, 2)]}


@pytest.mark.parametrize("make", [cz.MixedBIC, cz.MixedBGe])
@pytest.mark.parametrize("edges", MIXED_DAGS.values(), ids=MIXED_DAGS.keys())
def test_densities_of_mixed_rows_add_up_to_one(make, edges) -> None:
    score = make(mixed_table(80, 1))
    dag = np.zeros((1, 3, 3), dtype=np.uint8)
    dag[0][tuple(zip(*edges, strict=True))] = 1
    grid = np.linspace(-60, 60, 6001)
    total = 0.0
    for a in ("low", "mid", "high"):
        for b in ("no", "yes"):
            rows = pd.DataFrame({"a": [a] * len(grid), "b": [b] * len(grid), "size": grid})
            total += np.exp(log_predictive(score, dag, rows)).sum() * (grid[1] - grid[0])
    assert total == pytest.approx(1, abs=1e-6)


def test_levels_are_predicted_by_their_shares_and_the_density_of_the_parents() -> None:
    """The rule of Bayes, written out for one number that points to a column of three levels."""
    data = mixed_table(50, 2)
    score = cz.MixedBIC(data)
    dag = np.array([[[0, 0, 0], [0, 0, 0], [1, 0, 0]]], dtype=np.uint8)
    row = pd.DataFrame({"a": ["mid"], "b": ["no"], "size": [0.3]})
    levels = sorted({*data["a"]})
    design = np.array([data["a"] == level for level in levels], dtype=float).T
    means = np.linalg.solve(design.T @ design, design.T @ data["size"])
    counts, freedom = design.sum(axis=0), len(data) - 3
    variance = ((data["size"] - design @ means) ** 2).sum() / freedom
    densities = scipy_stats.t.pdf(0.3, freedom, means, np.sqrt(variance * (1 + 1 / counts)))
    joint = (counts + 1 / 3) * densities
    expected = np.log(joint[levels.index("mid")] / joint.sum())
    expected += np.log(((data["b"] == "no").sum() + 0.5) / 51)
    mean, deviation = data["size"].mean(), np.sqrt(data["size"].var(ddof=1) * (1 + 1 / 50))
    expected += scipy_stats.t.logpdf(0.3, 49, mean, deviation)
    assert log_predictive(score, dag, row)[0] == pytest.approx(expected, abs=1e-9)


def test_mixed_scores_predict_numbers_as_gaussian_scores_do() -> None:
    data, rows = RNG.normal(size=(30, 3)) * [1, 5, 0.1], RNG.normal(size=(4, 3)) * [1, 5, 0.1]
    for mixed, gaussian in ((cz.MixedBIC, cz.GaussianBIC), (cz.MixedBGe, cz.BGe)):
        found, expected = (log_predictive(make(data), DAGS, rows) for make in (mixed, gaussian))
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_names_and_order_of_levels_do_not_matter_to_mixed_predictions() -> None:
    data = mixed_table(90, 3)
    renamed = data.assign(a=data["a"].map({"low": "2", "mid": "0", "high": "1"}))
    for make in (cz.MixedBIC, cz.MixedBGe):
        found, again = (log_predictive(make(x[:60]), DAGS, x[60:]) for x in (data, renamed))
        np.testing.assert_allclose(found, again, rtol=1e-8)


def test_grid_search_for_mixed_tables() -> None:
    search = GridSearchCV(cz.CausalZigZag(jumps=500, chains=2, random_state=1), {"edge_prior": [None, 300]}, cv=3)
    search.fit(mixed_table(240, 4))
    assert search.best_params_ == {"edge_prior": None}


def test_an_executor_is_passed_on() -> None:
    from concurrent.futures import ThreadPoolExecutor

    X = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=200, rng=2)
    with ThreadPoolExecutor(2) as pool:
        model = cz.CausalZigZag(jumps=500, chains=2, random_state=1, executor=pool).fit(X)
    assert np.isfinite(model.score(X[:50]))


def test_rows_that_have_no_density() -> None:
    words = pd.DataFrame({"a": ["u", "v"] * 30, "b": ["x", "x", "y", "y"] * 15})
    model = cz.CausalZigZag("bdeu", jumps=300, chains=2, random_state=1).fit(words)
    with pytest.raises(cz.DataError, match="column a of the held-out rows contains 'w', which the rows of fit do not"):
        model.score(pd.DataFrame({"a": ["u", "w"], "b": ["x", "y"]}))
    mixed = words.assign(c=RNG.normal(size=60))
    model = cz.CausalZigZag(jumps=300, chains=2, random_state=1).fit(mixed)
    with pytest.raises(cz.DataError, match=r"column a .* contains 'w'"):
        model.score(pd.DataFrame({"a": ["u", "w"], "b": ["x", "y"], "c": [0.5, 1.0]}))
    with pytest.raises(cz.DataError, match="column c"):
        model.score(pd.DataFrame({"a": ["u", "v"], "b": ["x", "y"], "c": [0.5, None]}))
    with pytest.raises(cz.DataError, match="column c"):
        cz.MixedBIC(mixed).prediction(words)
    numbers = pd.DataFrame(RNG.normal(size=(30, 2)), columns=["a", "b"])
    model = cz.CausalZigZag(jumps=300, chains=2, random_state=1).fit(numbers)
    with pytest.raises(cz.DataError, match="column b of the held-out rows has cells that are missing or no finite"):
        model.score(pd.DataFrame({"a": [0.5, 1.5], "b": [None, 2.0]}))
