"""The choice of a score by kinds of columns, by name and by class; and invalid arguments."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.scores.choose import as_score, choose_score
from causal_zigzag.scores.discrete import CALIBRATED_SIZE
from causal_zigzag.tables.read_table import read_table
from score_cases import categorical_data, gaussian_data


def test_auto_chooses_by_the_kinds_and_gives_a_reason() -> None:
    x, codes = gaussian_data(2, 60), categorical_data(2, 60)
    continuous, categorical = {"a": x[:, 0], "b": x[:, 1]}, {"c": codes[:, 0], "d": codes[:, 1]}
    cases = [
        (continuous, None, cz.GaussianBIC, "GaussianBIC, as all 2 columns are continuous"),
        (categorical, None, cz.BDeu, "BDeu, as all 2 columns are categorical"),
        (
            continuous | categorical,
            None,
            cz.MixedBIC,
            "MixedBIC, as there are continuous columns (a, b) and categorical ones (c, d)",
        ),
        (categorical, "ordinal", cz.GaussianBIC, "GaussianBIC, as all 2 columns are continuous or ordinal"),
    ]
    for data, kinds, expected, reason in cases:
        chosen = choose_score(read_table(data, kinds=kinds))  # type: ignore[arg-type]
        assert isinstance(chosen, expected)
        assert chosen.reason == reason
    assert as_score(continuous | categorical).reason.startswith("MixedBIC, as")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("gaussian-bic", cz.GaussianBIC), ("bge", cz.BGe), ("mixed-bic", cz.MixedBIC)],
)
def test_by_name_and_by_class(name: str, expected: type) -> None:
    x = gaussian_data(3, 40)
    assert type(as_score(x, score=name)) is expected
    assert type(as_score(x, score=expected)) is expected


def test_discrete_scores_by_name() -> None:
    x = categorical_data(3, 100)
    assert type(as_score(x, score="bdeu")) is cz.BDeu
    assert type(as_score(x, score="discrete-bic")) is cz.DiscreteBIC


def test_a_score_is_returned_unchanged() -> None:
    score = cz.Uniform(3)
    assert as_score(score) is score


@pytest.mark.parametrize(
    ("data", "score", "message"),
    [
        (
            np.eye(3),
            "bic",
            "not 'bic'",
        ),
        (np.eye(3), 7, "or a class of scores, not 7"),
        (np.eye(3), cz.Uniform(3), "pass Uniform(3 nodes) in the place of the data"),
        (cz.Uniform(3), "bge", "score='bge' is for data, but Uniform(3 nodes) is a score already; leave score out"),
        (np.eye(3), cz.Score, "or a class of scores, not <class 'causal_zigzag.scores.base.Score'>"),
        (cz.BGe, "auto", "BGe is a class of scores; make one: BGe(data), or pass the data with score=BGe"),
    ],
)
def test_invalid_arguments(data: object, score: object, message: str) -> None:
    with pytest.raises(cz.SettingsError, match=re.escape(message)):
        as_score(data, score)


MESSY = {
    "id": [f"p{i}" for i in range(40)],
    "dose": [i % 3 for i in range(40)],
    "a": [None, *[(7 * i % 40) / 9 for i in range(1, 40)]],
    "b": [(11 * i % 40) / 7 for i in range(40)],
}
READING: dict[str, Any] = {"kinds": {"dose": "ordinal"}, "drop": "id", "missing": "drop"}


def test_how_a_table_is_read_can_be_given_to_sample_ges_and_search() -> None:
    table = cz.read_table(MESSY, **READING)
    posterior = cz.sample(MESSY, jumps=100, chains=1, rng=1, **READING)
    assert posterior.record is not None
    assert posterior.record.reading == table.source.reading == "kinds={'dose': 'ordinal'}, drop=['id'], missing='drop'"
    assert posterior.record.left_out == 1
    assert posterior.nodes == ("dose", "a", "b")
    assert cz.ges(MESSY, **READING).log_weight == cz.ges(table).log_weight
    assert cz.search(MESSY, rng=1, **READING).log_weight == cz.search(table, rng=1).log_weight
    numbers = [[0.5, 9, 1.5], [1.5, 8, 0.25], [2.5, 7, 1.0]]
    assert cz.ges(numbers, drop=0).graph.nodes == (1, 2)  # a name that is false


def test_how_a_table_is_read_is_refused_for_scores_and_tables() -> None:
    for function in (cz.sample, cz.ges, cz.search):
        with pytest.raises(cz.SettingsError, match=r"drop= is for a table, but Uniform\(3 nodes\) is a score already"):
            function(cz.Uniform(3), drop="a")
        with pytest.raises(cz.DataError, match=r"a Table cannot be read again; pass drop= to the call of read_table"):
            function(cz.read_table(MESSY, **READING), drop="a")


class TestCurves:
    """ "auto" is linear, unless the evidence for curves is overwhelming."""

    RNG = np.random.default_rng(3)
    X, NOISE = RNG.normal(size=(2, 300))

    def test_a_parabola_is_a_curve(self) -> None:
        score = as_score({"x": self.X, "y": self.X**2 + self.NOISE / 2})
        assert isinstance(score, cz.AdditiveGP)
        assert "a curve of x explains" in score.reason
        assert "score='gaussian-bic'" in score.reason

    def test_curves_do_not_replace_what_is_known_about_experiments(self) -> None:
        data = {"x": self.X, "y": self.X**2 + self.NOISE / 2, "drug": np.where(np.arange(300) % 2, "none", "drug")}
        table = read_table(data, contexts=["drug"], targets={"drug": ["y"]})
        score = as_score(table)
        assert isinstance(score, cz.InterventionalBGe)
        assert score.targets == (("drug", ("y",)),)

    def test_with_levels_the_linear_one_is_that_of_mixed_tables(self) -> None:
        group = np.where(self.RNG.random(300) < 0.5, "a", "b")
        score = as_score({"x": self.X, "y": np.cos(2 * self.X) + self.NOISE / 4, "group": group})
        assert "score='mixed-bic'" in score.reason

    @pytest.mark.parametrize(
        "y",
        [
            X + NOISE,
            np.exp(X + NOISE),
            X + RNG.exponential(size=300),
            X + 0.3 * X**2 + NOISE,
            X + RNG.standard_t(3, 300),
        ],
        ids=["line", "exponential", "skewed noise", "slightly curved", "heavy tails"],
    )
    def test_what_stays_linear(self, y: np.ndarray) -> None:
        assert isinstance(as_score({"x": self.X, "y": y}), cz.GaussianBIC)

    def test_skewed_noise_stays_linear(self) -> None:
        """Ranks bend straight lines with skewed noise; 40 tables, of which none may be called curved."""
        rng = np.random.default_rng(1)
        for rows in (100, 1000):
            for _ in range(20):
                x = rng.exponential(size=rows)
                assert isinstance(as_score({"x": x, "y": x + rng.exponential(size=rows)}), cz.GaussianBIC)

    def test_many_columns_stay_linear(self) -> None:
        many = {f"c{i}": column for i, column in enumerate(self.RNG.normal(size=(20, 300)))}
        assert isinstance(as_score({"x": self.X, "y": self.X**2, **many}), cz.GaussianBIC)


def test_by_its_name_bdeu_has_the_size_with_which_it_is_calibrated() -> None:
    data = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "u", "v", "v"] * 10})
    assert cz.BDeu(data).equivalent_sample_size == 1
    for score in ("auto", "bdeu"):
        assert as_score(data, score).equivalent_sample_size == CALIBRATED_SIZE  # type: ignore[attr-defined]
    assert as_score(data, cz.BDeu).equivalent_sample_size == 1  # type: ignore[attr-defined]
    holes = data.mask(pd.DataFrame({"a": [True] + [False] * 39, "b": [False] * 40}))
    assert "equivalent sample size 10" in repr(as_score(holes, "bdeu").completed(np.array([0.0])))
    assert "equivalent sample size 10" in repr(as_score(data).with_row_weights(np.ones(40)))
