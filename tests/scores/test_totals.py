"""class_totals agrees with the total of each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import islice
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
import score_cases
from causal_zigzag._core import dag_parents
from causal_zigzag.answers.top_classes import AT_ONCE, class_totals
from random_graphs import KINDS


def parents(graphs: list[cz.CPDAG]) -> np.ndarray:
    n = len(graphs[0])
    rows = dag_parents(n, [g.core for g in graphs]).reshape(len(graphs), n, -1)
    return np.unpackbits(rows, axis=2, count=n, bitorder="little")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_dags_of_all_small_classes(n: int) -> None:
    graphs = [*cz.enumerate_cpdags(n)]
    np.testing.assert_array_equal(parents(graphs), [g.dag().T for g in graphs])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [7, 8, 9, 31, 63, 64, 65, 129])
def test_dags_of_larger_classes(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    graphs = [cz.CPDAG.from_matrix(cz.CPDAG.from_dag(KINDS[kind](n, rng)).matrix()) for _ in range(10)]
    np.testing.assert_array_equal(parents(graphs), [g.dag().T for g in graphs])


@pytest.mark.parametrize("family", ["GaussianBIC", "BGe", "BDeu", "MixedBIC", "user"])
def test_the_score_of_a_top_class_is_its_total(family: str) -> None:
    score = score_cases.make_score(family, 9, 40)
    posterior = cz.sample(score, edge_prior=None, jumps=2000, chains=2, rng=1)
    top = posterior.top(2 * AT_ONCE + 7)
    assert len(top) > AT_ONCE
    assert [t.score for t in top] == [score.total(t.graph) for t in top]


def test_exact_top_classes_have_their_totals() -> None:
    score = score_cases.make_score("GaussianBIC", 4, 30)
    top = cz.exact_posterior(score, edge_prior=None).top(185)
    assert len(top) == 185
    assert [t.score for t in top] == [score.total(t.graph) for t in top]


class Counted(cz.Score):
    """Counts its calls, and raises an error for more parents than allowed."""

    def __init__(self, nodes: int, most: int) -> None:
        super().__init__(nodes)
        self.asked: Counter[tuple[Hashable, Iterable[Hashable]]] = Counter()
        self.most = most

    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        self.asked[node, tuple(parents)] += 1
        if len([*parents]) > self.most:
            raise cz.ScoreError("too many")
        return 0.1 * len([*parents])


def test_each_local_score_is_computed_once() -> None:
    score = Counted(5, most=4)
    assert [round(total, 9) for _, total in class_totals(score, cz.enumerate_cpdags(5))] == [
        round(0.1 * g.edge_count, 9) for g in cz.enumerate_cpdags(5)
    ]
    assert {*score.asked.values()} == {1}


def test_an_error_is_raised_when_its_class_is_reached() -> None:
    few = [cz.CPDAG.empty(4), cz.CPDAG.from_edges(4, [(0, 2), (1, 2)], [])]
    graphs = [*few, cz.CPDAG.from_edges(4, [(0, 3), (1, 3), (2, 3)], [])]
    totals = class_totals(Counted(4, most=2), graphs)
    assert [*islice(totals, 2)] == [(few[0], 0.0), (few[1], 0.2)]
    with pytest.raises(cz.ScoreError, match="too many"):
        next(totals)


def test_an_overridden_total_is_used() -> None:
    class Flat(Counted):
        def total(self, graph: Any) -> float:
            return 7.0

    posterior = cz.sample(Flat(3, most=2), jumps=100, chains=1, rng=1)
    assert {t.score for t in posterior.top()} == {7.0}
