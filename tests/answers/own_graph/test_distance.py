"""distance: expectations by enumeration, the sides of the distances of effects, and errors."""

from __future__ import annotations

import sys

import networkx as nx
import numpy as np
import pytest

import causal_zigzag as cz


def random_posterior(seed: int, n: int = 4, knowledge: cz.Knowledge | None = None) -> cz.ExactPosterior:
    values = np.random.default_rng(seed).normal(size=1 << n)
    score = cz.SetFunction(lambda nodes: float(values[sum(1 << v for v in nodes)]), range(n))
    return cz.exact_posterior(score, knowledge=knowledge, edge_prior=None)


def by_pairs(g: cz.CPDAG, h: cz.CPDAG) -> int:
    a, b = g.matrix(), h.matrix()
    return sum((a[i, j], a[j, i]) != (b[i, j], b[j, i]) for i in range(len(g)) for j in range(i))


@pytest.mark.parametrize("knowledge", [None, cz.Knowledge(required=[(2, 1)])])
def test_the_expected_hamming_distance_is_that_of_all_classes(knowledge: cz.Knowledge | None) -> None:
    p, q = random_posterior(1, knowledge=knowledge), random_posterior(2)
    truth = cz.CPDAG.from_dag([(0, 1), (2, 1)], 4)
    expected = sum(one.probability * by_pairs(one.graph, truth) for one in p.top(10**6))
    assert cz.distance(p, truth) == pytest.approx(expected)
    assert cz.distance(truth, p) == pytest.approx(expected)
    both = sum(a.probability * b.probability * by_pairs(a.graph, b.graph) for a in p.top(10**6) for b in q.top(10**6))
    assert cz.distance(p, q) == pytest.approx(both)


def test_dags_are_compared_as_they_are_and_with_classes_as_classes() -> None:
    chain, reverse = [("a", "b"), ("b", "c")], [("c", "b"), ("b", "a")]
    assert cz.distance(chain, reverse) == 2
    assert cz.distance(cz.CPDAG.from_dag(chain), reverse) == 0
    assert cz.distance(cz.CPDAG.from_dag(chain), "a -> b <- c") == 2
    assert cz.distance(nx.DiGraph(chain), "a - b - c") == 0
    assert cz.distance(chain, "a -> b, c") == 1
    assert cz.distance(chain, "a -> b -> c", normalized=True) == 0


def test_the_nodes_must_be_the_same() -> None:
    with pytest.raises(cz.GraphError, match="same nodes"):
        cz.distance(cz.CPDAG.empty(["a", "b"]), "a -> b -> c")
    with pytest.raises(cz.SettingsError, match="kind"):
        cz.distance("a -> b", "a -> b", kind="sid")


def test_distances_of_effects_and_their_sides() -> None:
    pytest.importorskip("gadjid")
    chain, nothing = "a -> b -> c", "a, b, c"
    for kind in ("ancestor", "parent", "oset"):
        assert cz.distance(chain, chain, kind) == 0
        assert cz.distance(nothing, chain, kind) == 3  # it denies three effects
        assert cz.distance(nothing, chain, kind, normalized=True) == 0.5
    assert (
        cz.distance(chain, nothing, "ancestor") == 0
    )  # its adjustment sets are valid, and the effects are estimated as 0
    assert cz.distance("b -> a", "a -> b", "parent") == 2
    assert cz.distance(cz.CPDAG.from_dag([("a", "b")]), "a -> b", "ancestor") > 0  # not identified


def test_expected_distances_of_effects() -> None:
    pytest.importorskip("gadjid")
    posterior, truth = random_posterior(3), "0 -> 1 -> 2, 3"
    expected = sum(one.probability * cz.distance(one.graph, truth, "ancestor") for one in posterior.top(1000))
    assert cz.distance(posterior, truth, "ancestor") == pytest.approx(expected)
    turned = sum(one.probability * cz.distance(truth, one.graph, "parent") for one in posterior.top(1000))
    assert cz.distance(truth, posterior, "parent") == pytest.approx(turned)
    with pytest.raises(cz.SettingsError, match="two posteriors"):
        cz.distance(posterior, posterior, "oset")
    with pytest.raises(cz.SettingsError, match="weighted_dags"):
        cz.distance(random_posterior(3, knowledge=cz.Knowledge(required=[(0, 1)])), truth, "oset")


def test_without_gadjid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gadjid", None)
    with pytest.raises(cz.MissingDependencyError, match=r"causal-zigzag\[distances\]"):
        cz.distance("a -> b", "b -> a", "parent")
