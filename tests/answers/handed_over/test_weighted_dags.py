"""weighted_dags against the exact probabilities of all DAGs of 3 and 4 nodes."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest

import causal_zigzag as cz
import naive


def random_score(n: int, seed: int, spread: float = 1.0) -> cz.SetFunction:
    values = np.random.default_rng(seed).normal(size=1 << n) * spread
    return cz.SetFunction(lambda nodes: float(values[sum(1 << v for v in nodes)]), range(n))


def by_enumeration(posterior: cz.ExactPosterior, knowledge: cz.Knowledge | None = None) -> dict[bytes, float]:
    """The probability of every DAG: that of its class, shared by the members that agree with the knowledge."""
    n, found = len(posterior.nodes), {}
    required = () if knowledge is None else knowledge.required
    for cpdag, every in naive.classes(n).items():
        members = [dag for dag in every if {*required} <= dag]
        share = posterior.probability(cz.CPDAG.from_matrix(naive.to_matrix(cpdag, n).astype(int))) if members else 0.0
        for dag in members:
            found[naive.to_matrix(dag, n).astype(np.uint8).tobytes()] = share / len(members)
    return found


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("knowledge", [None, cz.Knowledge(required=[(0, 1)])])
def test_all_dags_have_their_probabilities_if_there_is_room(n: int, knowledge: cz.Knowledge | None) -> None:
    posterior = cz.exact_posterior(random_score(n, 1), knowledge=knowledge, edge_prior=None)
    expected = by_enumeration(posterior, knowledge)
    found = posterior.weighted_dags(1000, rng=1)
    assert len(found) == len(expected)
    for dag, weight in zip(found.dags, found.weights, strict=True):
        assert weight == pytest.approx(expected[dag.tobytes()], rel=1e-9)


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("k", [1, 2, 7, 20, 24])
def test_k_different_dags_of_which_the_probable_ones_have_their_probability(n: int, k: int) -> None:
    posterior = cz.exact_posterior(random_score(n, 2, spread=3.0), edge_prior=None)
    expected = by_enumeration(posterior)
    found = posterior.weighted_dags(k, rng=1)
    assert len(found) == len({dag.tobytes() for dag in found.dags}) == k
    assert found.weights.sum() == pytest.approx(1.0)
    assert (np.diff(found.weights) <= 0).all()
    least = found.weights.min()
    for dag, weight in zip(found.dags, found.weights, strict=True):
        p = expected[dag.tobytes()]
        assert weight == pytest.approx(max(p, least), rel=1e-9)
    kept = {dag.tobytes() for dag in found.dags}
    assert all(dag in kept for dag, p in expected.items() if p > least * (1 + 1e-9))


@pytest.mark.parametrize("n", [3, 4])
def test_weights_are_unbiased(n: int) -> None:
    """False alarms: 1e-6, by a normal bound for each of 25 or 543 means of bounded numbers, Bonferroni."""
    posterior = cz.exact_posterior(random_score(n, 3), edge_prior=None)
    expected = by_enumeration(posterior)
    rng, draws, k = np.random.default_rng(1), 3000, 10
    sums: dict[bytes, float] = dict.fromkeys(expected, 0.0)
    for _ in range(draws):
        found = posterior.weighted_dags(k, rng=rng)
        for dag, weight in zip(found.dags, found.weights, strict=True):
            sums[dag.tobytes()] += weight
    c = found.weights.min()  # the weight of the DAGs that were drawn
    limit = 6.5  # standard errors; two-sided 8e-11, times 543
    for dag, p in expected.items():
        if p < c:
            error = c * math.sqrt(p / c * (1 - p / c) / draws)
            assert abs(sums[dag] / draws - p) < limit * error + 5 * c / draws
        else:
            assert sums[dag] / draws == pytest.approx(p)


def test_an_average_of_regressions_in_all_dags_is_the_effect() -> None:
    """Adjusting for the parents of the cause, 0 where it is no ancestor: what another package computes from one DAG."""
    table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c"), ("a", "d"), ("d", "c")], rows=60, rng=2)
    posterior = cz.exact_posterior(cz.GaussianBIC(table))
    X, nodes, dags = (table - table.mean()).to_numpy(), posterior.nodes, posterior.weighted_dags(1000)

    def slope(dag: np.ndarray, x: int, y: int) -> float:
        if not np.linalg.matrix_power(np.eye(4) + dag, 4)[x, y]:
            return 0.0
        return float(np.linalg.lstsq(X[:, [x, *np.flatnonzero(dag[:, x])]], X[:, y], rcond=None)[0][0])

    for x, y in [(0, 1), (1, 0), (0, 2), (3, 1), (2, 3)]:
        average = sum(weight * slope(dag, x, y) for dag, weight in zip(dags.dags, dags.weights, strict=True))
        assert average == pytest.approx(posterior.effect(nodes[x], nodes[y]).mean, rel=1e-9)


def test_what_is_handed_on_agrees() -> None:
    table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet"), ("wet", "ice")], rows=400, rng=1)
    posterior = cz.sample(table, jumps=5000, resamples=0, rng=1)
    dags = posterior.weighted_dags(12, rng=3)
    graphs, formulas = dags.to_networkx(), dags.formulas()
    for (edges, weight), (graph, same), (text, again), dag in zip(dags, graphs, formulas, dags.dags, strict=True):
        assert weight == same == again
        assert set(graph.nodes) == set(posterior.nodes)
        assert nx.is_directed_acyclic_graph(graph)
        assert set(graph.edges) == set(edges)
        assert len(edges) == dag.sum()
        parsed = [
            (x.strip(), line.split("~")[0].strip()) for line in text.splitlines() for x in line.split("~")[1].split("+")
        ]
        assert set(parsed) == set(edges)
    first, second = (posterior.weighted_dags(12, rng=3).dags for _ in range(2))
    assert (first == second).all()


def test_a_name_that_a_formula_cannot_have_is_refused() -> None:
    dags = cz.exact_posterior(cz.Uniform(["a b", "c"])).weighted_dags(3)
    with pytest.raises(cz.GraphError, match="'a b'"):
        dags.formulas()


def test_large_classes_are_not_enumerated() -> None:
    posterior = cz.sample(cz.Uniform(["a", "b", "c", "d", "e", "f"]), jumps=20_000, rng=1).reweight("dags")
    found = posterior.weighted_dags(500, rng=1)
    assert len(found) == 500
    assert found.weights.sum() == pytest.approx(1.0)


def test_k_must_be_a_number_of_dags() -> None:
    for k in (0, -1, 1.5, "many"):
        with pytest.raises(cz.SettingsError):
            cz.exact_posterior(cz.Uniform(3)).weighted_dags(k)
