"""sample_ancestral(): what it reads, what it refuses, knowledge, and a posterior over DAGs as its beginning."""

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from mag_cases import hidden_causes_table

STEPS = 2000


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(hidden_causes_table(4, 300, seed=1), columns=list("abcd"))


def test_the_score_of_a_table_is_gaussian_bic(frame: pd.DataFrame) -> None:
    posterior = cz.sample_ancestral(frame, steps=STEPS, rng=1)
    expected = cz.GaussianBIC(frame)
    assert posterior.nodes == tuple("abcd")
    assert posterior.notes == ()
    np.testing.assert_allclose(posterior.score.local("a", ["b", "c"]), expected.local("a", ["b", "c"]), rtol=1e-9)


def test_columns_that_are_far_from_normal_become_normal_scores(frame: pd.DataFrame) -> None:
    skewed = frame.assign(b=np.exp(frame["b"]), c=frame["c"] ** 3)
    posterior = cz.sample_ancestral(skewed, steps=STEPS, rng=1)
    assert posterior.notes == ("normal scores of the ranks of b, c",)
    ranked = cz.sample_ancestral(frame, transform="normal-scores", steps=STEPS, rng=1)
    np.testing.assert_allclose(posterior.score.local("b", ["c"]), ranked.score.local("b", ["c"]))
    assert cz.sample_ancestral(skewed, transform=None, steps=STEPS, rng=1).notes == ()


def test_incomplete_rows_are_left_out(frame: pd.DataFrame) -> None:
    with_gaps = frame.copy()
    with_gaps.loc[:9, "a"] = np.nan
    with_gaps.loc[5:19, "d"] = np.nan
    posterior = cz.sample_ancestral(with_gaps, steps=STEPS, rng=1)
    assert posterior.notes == ("20 incomplete rows of 300 left out",)
    np.testing.assert_allclose(posterior.score.local("a", []), cz.GaussianBIC(frame[20:]).local("a", []))
    assert cz.sample_ancestral(with_gaps, columns=["b", "c"], steps=STEPS, rng=1).notes == ()


def test_columns_that_reading_leaves_out_are_named(frame: pd.DataFrame) -> None:
    (note,) = cz.sample_ancestral(frame.assign(site=1.0), steps=STEPS, rng=1).notes
    assert "site is constant" in note


def test_a_part_of_the_columns_of_tables_and_scores(frame: pd.DataFrame) -> None:
    of_table = cz.sample_ancestral(frame, columns=["d", "a"], steps=STEPS, rng=1)
    of_score = cz.sample_ancestral(cz.GaussianBIC(frame), columns=["d", "a"], steps=STEPS, rng=1)
    assert of_table.nodes == of_score.nodes == ("d", "a")
    np.testing.assert_allclose(of_table.score.local("d", ["a"]), of_score.score.local("d", ["a"]))
    assert of_table.ancestors().equals(of_score.ancestors())


def test_more_columns_than_can_be_sampled() -> None:
    many = np.random.default_rng(1).normal(size=(100, 21))
    with pytest.raises(cz.SettingsError, match="at most 20 columns, not 21") as error:
        cz.sample_ancestral(many, steps=STEPS)
    assert "columns=[" in str(error.value)
    assert len(cz.sample_ancestral(many, columns=range(20), steps=STEPS, rng=1).nodes) == 20


def test_categorical_columns_are_named(frame: pd.DataFrame) -> None:
    mixed = frame.assign(color=["red", "green", "blue"] * 100)
    with pytest.raises(cz.DataError, match="color is categorical") as error:
        cz.sample_ancestral(mixed, steps=STEPS)
    assert "columns=['a', 'b', 'c', 'd']" in str(error.value)


@pytest.mark.parametrize(
    ("keywords", "named"),
    [
        ({"columns": "a"}, "'a'"),
        ({"columns": ["a", "x"]}, "x"),
        ({"columns": ["a"]}, "2 columns"),
        ({"transform": "log"}, "'log'"),
        ({"minutes": 0}, "minutes"),
        ({"minutes": 1, "steps": 10}, "not both"),
        ({"steps": 1}, "steps"),
        ({"chains": 0}, "chains"),
        ({"edge_prior": "bic"}, "'bic'"),
        ({"seed": 1}, "rng=1"),
    ],
)
def test_wrong_arguments(frame: pd.DataFrame, keywords: dict[str, object], named: str) -> None:
    with pytest.raises(cz.SettingsError, match=named):
        cz.sample_ancestral(frame, **keywords)


def test_other_scores_need_their_table(frame: pd.DataFrame) -> None:
    assert cz.sample_ancestral(cz.BGe(frame), steps=STEPS, rng=1).nodes == tuple("abcd")
    with pytest.raises(cz.ScoreError, match="Uniform"):
        cz.sample_ancestral(cz.Uniform(3), steps=STEPS)


def test_lagged_tables_are_refused() -> None:
    series = cz.lagged(pd.DataFrame(np.random.default_rng(1).normal(size=(50, 2)), columns=["x", "y"]), lags=1)
    with pytest.raises(cz.DataError, match="lagged"):
        cz.sample_ancestral(series, steps=STEPS)


def test_a_condition_has_no_causes_and_no_hidden_ones(frame: pd.DataFrame) -> None:
    drug = np.arange(300) % 2
    treated = frame.assign(drug=np.where(drug, "yes", "no"), a=frame["a"] + 2 * drug)
    posterior = cz.sample_ancestral(treated, contexts=["drug"], steps=20_000, rng=1)
    table = posterior.edge_table().set_index(["x", "y"])
    assert posterior.ancestors().loc["drug", "a"] == pytest.approx(table.loc[("a", "drug"), "joined"], abs=1e-9)
    assert posterior.ancestors().loc["drug", "a"] > 0.99
    assert not posterior.ancestors()["drug"].any()


def test_knowledge_about_ancestors(frame: pd.DataFrame) -> None:
    known = cz.Knowledge(required=[("a", "b"), ("b", "c")], forbidden=[("a", "c")])
    with pytest.raises(cz.KnowledgeError, match="a causes c"):
        cz.sample_ancestral(frame, knowledge=known, steps=STEPS)
    tiers = cz.Knowledge(tiers=[["a"], ["b"], ["c", "d"]], neighboring_tiers_only=True)
    with pytest.raises(cz.KnowledgeError, match="neighboring_tiers_only"):
        cz.sample_ancestral(frame, knowledge=tiers, steps=STEPS)
    through = cz.Knowledge(required=[("a", "b"), ("b", "c")])
    part = cz.sample_ancestral(frame, columns=["a", "c", "d"], knowledge=through, steps=STEPS, rng=1)
    assert part.ancestors().loc["a", "c"] == 1


def test_beside_a_posterior_over_dags(frame: pd.DataFrame) -> None:
    known = cz.Knowledge(tiers=[["a"], ...])
    posterior = cz.sample(frame, score="gaussian-bic", knowledge=known, jumps=2000, rng=1)
    hidden = posterior.hidden_causes(steps=STEPS, rng=1)
    assert hidden.score is posterior.score
    assert not hidden.ancestors()["a"].any()
    assert hidden.ancestors().equals(posterior.hidden_causes(steps=STEPS, rng=1).ancestors())
    assert posterior.hidden_causes(columns=["b", "a"], steps=STEPS, rng=1).nodes == ("b", "a")


def test_ranks_beside_a_score_of_curves(frame: pd.DataFrame) -> None:
    posterior = cz.sample(cz.AdditiveGP(frame[:60]), jumps=50, chains=1, rng=1)
    assert posterior.hidden_causes(steps=STEPS, rng=1).score.n_samples == 60
