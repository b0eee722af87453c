"""explain(x, y) says what the other queries say about the pair, in numbers and in words."""

from __future__ import annotations

from functools import cache

import pytest

import causal_zigzag as cz


@cache
def sampled() -> cz.Posterior:
    table = cz.datasets.linear_gaussian([("a", "c"), ("b", "c"), ("c", "d"), ("a", "e"), ("d", "e")], 300, rng=2)
    return cz.sample(table, jumps=20_000, rng=1)


@pytest.mark.parametrize(("x", "y"), [("a", "c"), ("c", "a"), ("a", "b"), ("d", "e")])
def test_the_numbers_are_those_of_the_other_queries(x: str, y: str) -> None:
    posterior = sampled()
    pair, edges = posterior.explain(x, y), posterior.edge_probabilities()
    i, j = posterior.nodes.index(x), posterior.nodes.index(y)
    assert (pair.x, pair.y) == (x, y)
    assert pair.joined == pytest.approx(edges.adjacent[i, j])
    assert (pair.forward, pair.backward, pair.undirected) == (
        edges.directed[i, j],
        edges.directed[j, i],
        edges.undirected[i, j],
    )
    assert pair.mcse == pytest.approx(posterior._classes.edge_errors[i, j, 0], nan_ok=True)
    assert pair.by_chain == pytest.approx([one.edge_probabilities().adjacent[i, j] for one in posterior.by_chain()])
    for (p, edge), one in zip(pair.classes, posterior.top(10), strict=True):
        assert p == one.probability
        assert (edge == "no edge") == (y not in one.graph.adjacent(x))
        assert (edge == f"{x} -> {y}") == (y in one.graph.children(x))
    for v, to_x, to_y in pair.common:
        k = posterior.nodes.index(v)
        assert (to_x, to_y) == (edges.adjacent[k, i], edges.adjacent[k, j])
    effect = posterior.effect(x, y)
    assert pair.effects[0].mean == effect.mean
    assert (pair.effects[1].cause, pair.effects[1].outcome) == (y, x)


def test_the_words() -> None:
    text = str(sampled().explain("a", "c"))
    assert text.startswith("a and c are joined with probability ")
    assert "The arrow a -> c has more than half of all probability." in text
    assert "By chain: " in text
    assert "Effect: raising a by 1: with probability" in text
    assert repr(sampled().explain("a", "c")) == text
    assert "They are rather not joined." in str(sampled().explain("a", "b"))
    assert "Joined to both: c (" in str(sampled().explain("a", "b"))


def test_classes_that_disagree_are_listed() -> None:
    pair = cz.exact_posterior(cz.Uniform(["a", "b", "c"])).explain("a", "b")
    assert len(pair.classes) == 10
    first = pair.classes[0][1]
    assert pair.disagreeing == [(k + 1, p, edge) for k, (p, edge) in enumerate(pair.classes) if edge != first]
    assert pair.mcse == 0
    assert pair.by_chain == ()
    assert pair.effects == ()  # a uniform score has no effects
    assert str(pair).count("class ") - 1 == len(pair.disagreeing) <= 5


def test_what_comes_from_knowledge_is_not_taken_for_a_finding() -> None:
    table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], 300, rng=2)
    known = cz.Knowledge(tiers=[["a"], ...], required=[("b", "d")], forbidden=[("d", "c"), ("c", "d")])
    score = cz.GaussianBIC({**{v: table[v] for v in "abc"}, "d": table["a"].to_numpy()[::-1]})
    posterior = cz.exact_posterior(score, knowledge=known, edge_prior=None)

    def said(x: str, y: str) -> tuple[str, ...]:
        pair = posterior.explain(x, y)
        assert all(line in str(pair) for line in pair.known)
        return pair.known

    assert said("b", "d") == said("d", "b") == ("The knowledge requires b -> d.", "The knowledge excludes d -> b.")
    assert said("c", "d") == ("The knowledge excludes c -> d.", "The knowledge excludes d -> c.")
    assert said("b", "a") == ("The knowledge excludes b -> a.",)
    assert said("b", "c") == ()  # b -> c follows in some classes with these edges only
    assert cz.exact_posterior(score, edge_prior=None).explain("a", "b").known == ()


def test_wrong_nodes() -> None:
    with pytest.raises(cz.SettingsError, match="both are a"):
        sampled().explain("a", "a")
    with pytest.raises(cz.GraphError, match="z"):
        sampled().explain("a", "z")
