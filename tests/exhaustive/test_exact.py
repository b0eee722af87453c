"""Exact methods give the same results as sums and maxima over a list of all DAGs."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

import causal_zigzag as cz
import naive
from bridge import graph_of
from local_scores import TableScore, random_gaussian


@cache
def all_dags(n: int) -> NDArray[np.bool_]:
    return np.array([naive.to_matrix(dag, n) for dag in naive.all_dags(n)]).reshape(-1, n, n)


def shares(log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def has_path(dags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    paths = dags
    for _ in range(dags.shape[1]):
        paths = paths | (paths @ dags)
    return paths


SCORES = {
    "gaussian": lambda n: random_gaussian(n, 50, seed=n),
    "gaussian, many rows": lambda n: random_gaussian(n, 100_000, seed=n),
    "uniform": cz.Uniform,
    "table": lambda n: TableScore(n, 2.0, seed=n),
    "steep table": lambda n: TableScore(n, 500.0, seed=n),
}


def totals(score: cz.Score) -> NDArray[np.float64]:
    """The score of every DAG."""
    n = len(score.nodes)
    table = {
        (y, parents): score.local(y, parents)
        for y in range(n)
        for k in range(n)
        for parents in combinations([x for x in range(n) if x != y], k)
    }
    return np.array([sum(table[y, tuple(np.flatnonzero(dag[:, y]))] for y in range(n)) for dag in all_dags(n)])


@cache
def case(kind: str, n: int) -> tuple[cz.Score, NDArray[np.float64]]:
    """A score, and that of every DAG."""
    score = SCORES[kind](n)
    return score, totals(score)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_classes_and_their_sizes_equal_the_reference(n: int) -> None:
    posterior = cz.exact_posterior(cz.Uniform(n))
    graphs = list(cz.enumerate_cpdags(n))
    assert {graph_of(g): int(size) for g, size in zip(graphs, posterior.sizes, strict=True)} == {
        cpdag: len(dags) for cpdag, dags in naive.classes(n).items()
    }
    assert [g.edge_count for g in graphs] == sorted(g.edge_count for g in graphs)


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("n", [2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
@pytest.mark.parametrize(("coldness", "cost"), [(1.0, None), (0.3, 1.7)])
def test_edges_and_paths_are_sums_over_all_dags(kind: str, n: int, coldness: float, cost: float | None) -> None:
    score, scores = case(kind, n)
    dags = all_dags(n)
    weights = shares(coldness * scores - (cost or 0) * dags.sum(axis=(1, 2)))
    rounding = max(1e-12, np.spacing(np.abs(scores).max()))  # scores of 100,000 rows are rounded this much
    edges = cz.exact_edge_posterior(score, edge_prior=cost, coldness=coldness)
    directed = np.tensordot(weights, dags, 1)
    np.testing.assert_allclose(edges.directed, directed, atol=rounding, rtol=0)
    np.testing.assert_allclose(edges.adjacent, directed + directed.T, atol=rounding, rtol=0)
    np.testing.assert_allclose(edges.path, np.tensordot(weights, has_path(dags), 1), atol=rounding, rtol=0)
    assert edges.error < rounding

    posterior = cz.exact_posterior(score, prior="dags", edge_prior=cost, coldness=coldness)
    np.testing.assert_allclose(posterior.edge_probabilities().adjacent, edges.adjacent, atol=1e-10, rtol=0)


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("prior", ["classes", "dags"])
def test_the_weight_of_a_class_is_that_of_its_dags(kind: str, prior: str) -> None:
    n = 4
    score, scores = case(kind, n)
    if prior == "classes" and "table" in kind:  # not score-equivalent: no class has a score
        with pytest.raises(cz.ScoreError, match="not score-equivalent"):
            cz.exact_posterior(score, prior=prior, edge_prior=None)
        return
    log_weights = {naive.to_graph(dag): total for dag, total in zip(all_dags(n), scores, strict=True)}
    members = naive.classes(n)
    weights = [
        np.logaddexp.reduce([log_weights[dag] for dag in dags]) - (np.log(len(dags)) if prior == "classes" else 0)
        for dags in members.values()
    ]
    expected = dict(zip(members, shares(np.array(weights)), strict=True))
    posterior = cz.exact_posterior(score, prior=prior, edge_prior=None)
    for g, probability in zip(cz.enumerate_cpdags(n), posterior.probabilities, strict=True):
        assert probability == pytest.approx(expected[graph_of(g)], rel=1e-9, abs=1e-300)
        assert posterior.probability(g) == probability


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("n", [2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
@pytest.mark.parametrize("cost", [None, 0.8])
def test_the_best_graph_has_the_largest_weight(kind: str, n: int, cost: float | None) -> None:
    score, scores = case(kind, n)
    weights = scores - (cost or 0) * all_dags(n).sum(axis=(1, 2))
    best = cz.best_graph(score, edge_prior=cost)
    assert best.log_weight == pytest.approx(weights.max(), rel=1e-12, abs=1e-9)
    assert best.score == pytest.approx(best.log_weight + (cost or 0) * best.graph.edge_count, rel=1e-12, abs=1e-9)
    if kind != "uniform":
        assert best.graph == cz.CPDAG.from_dag(all_dags(n)[weights.argmax()].astype(np.uint8))


@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_bound_on_parents_holds_for_the_dags(most: int) -> None:
    n = 4
    score = TableScore(n, 3.0, seed=most)
    within = (all_dags(n).sum(axis=1) <= most).all(axis=1)
    weights = np.where(within, totals(score), -np.inf)
    assert cz.best_graph(score, edge_prior=None, max_parents=most).log_weight == pytest.approx(weights.max(), rel=1e-12)
    directed = np.tensordot(shares(weights), all_dags(n), 1)
    edges = cz.exact_edge_posterior(score, max_parents=most, edge_prior=None)
    np.testing.assert_allclose(edges.directed, directed, atol=1e-12, rtol=0)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_bound_on_parents_changes_the_best_graph(most: int) -> None:
    n = 4
    score = random_gaussian(n, 10_000, seed=20)
    scores = totals(score)
    parents = all_dags(n).sum(axis=1).max(axis=1)
    assert parents[scores.argmax()] == 3  # without a bound
    best = cz.best_graph(score, edge_prior=None, max_parents=most)
    members = [dag for dag in all_dags(n) if cz.CPDAG.from_dag(dag.astype(np.uint8)) == best.graph]
    assert min(dag.sum(axis=0).max() for dag in members) == most
    assert best.log_weight == pytest.approx(scores[parents <= most].max(), rel=1e-12)
