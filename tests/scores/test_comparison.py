"""score_differences: when two scores count as the same."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.scores.comparison import score_differences
from causal_zigzag.scores.stored import StoredScore
from score_cases import FAMILIES, gaussian_data, make_score

BUILTIN = [family for family in FAMILIES if family not in ("user", "SetFunction")]


class Linear(cz.Score):
    """A user's own score."""

    def __init__(self, nodes: list[str], slope: float) -> None:
        super().__init__(nodes)
        self.slope = slope

    def local(self, node: object, parents: tuple) -> float:
        return self.slope * len(parents)


def stored(slope: float, *graphs: cz.CPDAG, nodes: str = "abc") -> StoredScore:
    return StoredScore.of(Linear([*nodes], slope), [*graphs] or [cz.CPDAG.complete([*nodes])])


@pytest.mark.parametrize("family", BUILTIN)
def test_a_built_in_score_is_the_same_as_one_of_the_same_data(family: str) -> None:
    first, second = make_score(family, 4, 60), make_score(family, 4, 60)
    assert first is not second
    assert score_differences(first, second) == []


@pytest.mark.parametrize("family", BUILTIN)
def test_a_built_in_score_differs_from_one_of_other_data(family: str) -> None:
    assert score_differences(make_score(family, 4, 60), make_score(family, 4, 60, seed=9)) != []


def test_rounding_is_no_difference_and_more_is() -> None:
    cov = np.cov(gaussian_data(4, 60, seed=1).T)
    first = cz.GaussianBIC.from_covariance(cov, 60)
    scale = 1 + 1e-6 * np.outer([1, 0, 0, 0], [0, 1, 0, 0])
    assert score_differences(first, cz.GaussianBIC.from_covariance(cov * (1 + 1e-14), 60)) == []
    other = cz.GaussianBIC.from_covariance(cov * scale * scale.T, 60)
    assert score_differences(first, other) == [f"the data of {other!r} have changed (their correlation)"]


def test_classes_nodes_and_attributes_are_compared() -> None:
    data = gaussian_data(3, 60, seed=1)
    first = cz.GaussianBIC(data)
    assert score_differences(first, cz.BGe(data)) == [f"the score was {first!r} and is {cz.BGe(data)!r}"]
    assert score_differences(first, cz.GaussianBIC(data, penalty=2.0)) == [
        "the penalty of the score was 1.0 and is 2.0"
    ]
    assert score_differences(cz.Uniform(2), cz.Uniform(["a", "b"])) == ["the nodes were 0, 1 and are a, b"]


def test_a_users_score_is_compared_with_stored_values() -> None:
    score = Linear([*"abc"], -2.0)
    assert score_differences(stored(-2.0), score) == []
    assert score_differences(score, stored(-2.0)) == []
    [text] = score_differences(stored(-2.0), Linear([*"abc"], -3.0))
    assert "Linear.local of node" in text
    assert score_differences(score, stored(-2.0 - 1e-6)) != []
    assert score_differences(stored(-2.0), cz.Uniform([*"abc"])) != []


def test_stored_values_are_compared_on_what_they_have_in_common() -> None:
    empty = cz.CPDAG.empty([*"abc"])
    assert score_differences(stored(-2.0), stored(-2.0)) == []
    assert score_differences(stored(-2.0), stored(-2.0, empty)) == []
    assert score_differences(stored(-2.0), stored(-3.0)) == ["the values of Linear(3 nodes) have changed"]
    assert score_differences(stored(-2.0), stored(-2.0, nodes="abd")) != []


def test_two_scores_of_a_users_own_are_the_same_only_if_they_are_one_object() -> None:
    score = Linear([*"abc"], -2.0)
    assert score_differences(score, score) == []
    assert score_differences(score, Linear([*"abc"], -2.0)) == [
        "the score was Linear(3 nodes) and is Linear(3 nodes), another object"
    ]
