"""Insert and Delete as values, errors about invalid operators, and listing and counting many operators."""

from collections.abc import Callable
from itertools import islice

import pytest

import causal_zigzag as cz

# ---- values ----------------------------------------------------------------------------------------------------------


def test_operators_are_values() -> None:
    op = cz.Insert("a", "b", tails=["c", "d"])
    assert (op.x, op.y, op.tails) == ("a", "b", frozenset("cd"))
    assert op == cz.Insert("a", "b", ("d", "c"))
    assert hash(op) == hash(cz.Insert("a", "b", {"d", "c"}))
    assert cz.Delete("a", "b", heads=["c"]).heads == {"c"}
    assert cz.Insert("a", "b").tails == cz.Delete("a", "b").heads == frozenset()
    assert len({op, cz.Insert("b", "a", ["c", "d"]), cz.Insert("a", "b"), cz.Delete("a", "b", ["c", "d"])}) == 4


def test_insert_and_delete_of_the_same_nodes_differ() -> None:
    assert cz.Insert(0, 1) != cz.Delete(0, 1)


@pytest.mark.parametrize(("op", "nodes"), [(cz.Insert("a", "b"), "tails"), (cz.Delete("a", "b", ["c"]), "heads")])
def test_operators_cannot_be_changed(op: cz.Insert | cz.Delete, nodes: str) -> None:
    for name in ("x", "y", nodes):
        with pytest.raises(AttributeError):
            setattr(op, name, "z")
        with pytest.raises(AttributeError):
            delattr(op, name)
    with pytest.raises((AttributeError, TypeError)):
        op.other = "z"


def test_repr_is_the_call() -> None:
    for op in (cz.Insert("a", 1), cz.Insert("a", "b", ["d", "c"]), cz.Delete(0, (1,), [2])):
        assert eval(repr(op), {"Insert": cz.Insert, "Delete": cz.Delete}) == op


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cz.Insert("a", "b", tails="c"), ["tails", "'c'"]),
        (lambda: cz.Delete("a", "b", heads="c"), ["heads", "'c'"]),
        (lambda: cz.Insert("a", "b", tails=3), ["tails", "3"]),
        (lambda: cz.Insert(["a"], "b"), ["hashable", "['a']"]),
    ],
)
def test_malformed_operators(make: Callable[[], object], words: list[str]) -> None:
    with pytest.raises(cz.OperatorError) as caught:
        make()
    assert all(word in str(caught.value) for word in words), str(caught.value)


# ---- application -----------------------------------------------------------------------------------------------------


def test_insert_with_and_without_tails() -> None:
    g = cz.CPDAG.from_edges(["a", "b", "c"], undirected=[("b", "c")])
    assert cz.Insert("a", "c").apply(g).undirected_edges == (("a", "c"), ("b", "c"))
    assert cz.Insert("a", "c", tails=["b"]).apply(g).directed_edges == (("a", "c"), ("b", "c"))


def test_delete_with_and_without_heads() -> None:
    triangle = cz.CPDAG.complete(["a", "b", "c"])
    assert cz.Delete("a", "b").apply(triangle).undirected_edges == (("a", "c"), ("b", "c"))
    assert cz.Delete("a", "b", heads=["c"]).apply(triangle).directed_edges == (("a", "c"), ("b", "c"))


def test_one_insert_may_direct_every_edge_and_one_delete_none() -> None:
    g = cz.CPDAG.from_edges(["x", "a", "b", "c", "d"], undirected=[("a", "b"), ("b", "c"), ("c", "d")])
    op = cz.Insert("x", "b", tails=["a"])
    after = op.apply(g)
    assert after.directed_edges == (("x", "b"), ("a", "b"), ("b", "c"), ("c", "d"))
    assert op.inverse(g) == cz.Delete("x", "b")
    assert op.inverse(g).apply(after) == g


def test_every_listed_operator_is_valid_and_inverted() -> None:
    g = cz.CPDAG.from_dag([("a", "b"), ("b", "c"), ("d", "c"), ("c", "e"), ("f", "a")])
    for op in cz.list_operators(g):
        after = op.apply(g)
        assert op.is_valid(g)
        assert op.inverse(g).is_valid(after)
        assert op.inverse(g).apply(after) == g
        assert after.nodes == g.nodes


# ---- operators that are not valid ------------------------------------------------------------------------------------

CHAIN = ["ab", "bc", "cd"]  # a - b - c - d
MIXED = ["ab", "bc", "cd", "ed"]  # a - b - c -> d <- e
KITE = ["ba", "bc", "bd", "ac", "ad"]  # all but c - d, undirected
ARROWS = ["ac", "bc", "cd"]  # a -> c <- b, c -> d


@pytest.mark.parametrize(
    ("dag", "op", "words"),
    [
        (CHAIN, cz.Insert("a", "a"), ["both a"]),
        (CHAIN, cz.Delete("b", "b"), ["both b"]),
        (CHAIN, cz.Insert("a", "b"), ["already adjacent", "a - b"]),
        (ARROWS, cz.Insert("c", "a"), ["already adjacent", "c <- a"]),
        (CHAIN, cz.Delete("a", "c"), ["no edge", "a -> c", "a - c"]),
        (ARROWS, cz.Delete("c", "a"), ["no edge c -> a"]),
        (CHAIN, cz.Insert("d", "b", tails=["c"]), ["tails", "neighbors of b", "not adjacent to d", "c"]),
        (CHAIN, cz.Insert("d", "a", tails=["a"]), ["tails", "neighbors of a", "unlike a"]),
        (CHAIN, cz.Insert("a", "c", tails=["a"]), ["tails", "unlike a"]),
        (CHAIN, cz.Delete("a", "b", heads=["c", "d"]), ["heads", "neighbors of b", "adjacent to a", "c, d"]),
        (CHAIN, cz.Insert("a", "c", tails=["d"]), ["not a clique", "b, d are not adjacent"]),
        (KITE, cz.Delete("a", "b"), ["not a clique", "c, d are not adjacent"]),
        (KITE, cz.Insert("c", "d", tails=["a"]), ["tails", "unlike a"]),
        (CHAIN, cz.Insert("d", "a"), ["semi-directed path", "a - b - c - d"]),
        (MIXED, cz.Insert("d", "a"), ["semi-directed path", "a - b - c -> d"]),
        (ARROWS, cz.Insert("d", "a"), ["semi-directed path", "a -> c -> d"]),
        (CHAIN, cz.Insert("a", "z"), ["unknown node z", "a, b, c, d"]),
        (CHAIN, cz.Delete("z", "a"), ["unknown node z"]),
        (CHAIN, cz.Insert("d", "a", tails=["z"]), ["unknown node z"]),
    ],
)
def test_the_violated_condition_is_named(dag: list[str], op: cz.Insert | cz.Delete, words: list[str]) -> None:
    g = cz.CPDAG.from_dag([tuple(edge) for edge in dag])
    assert not op.is_valid(g)
    for use in (op.apply, op.inverse):
        with pytest.raises(cz.OperatorError) as caught:
            use(g)
        text = str(caught.value)
        assert repr(op) in text
        assert all(word in text for word in words), text
        assert isinstance(caught.value, cz.CausalZigzagError)
        assert isinstance(caught.value, ValueError)


def test_operators_need_a_graph() -> None:
    for use in (cz.Insert(0, 1).apply, cz.Insert(0, 1).is_valid, cz.list_operators, cz.count_operators):
        with pytest.raises(cz.OperatorError, match="CPDAG"):
            use([[0, 1], [0, 0]])


# ---- listing and counting --------------------------------------------------------------------------------------------


def test_complete_graph_of_200_nodes_is_counted_exactly() -> None:
    assert cz.count_operators(cz.CPDAG.complete(200)) == cz.OperatorCounts(inserts=0, deletes=200 * 199 * 2**198)


def test_listing_is_lazy() -> None:
    g = cz.CPDAG.complete(200)
    first = list(islice(cz.list_operators(g), 10_000))
    assert len(set(first)) == 10_000
    assert all(isinstance(op, cz.Delete) for op in first)
    assert all(op.is_valid(g) for op in first[::100])


def test_listing_can_be_interrupted_and_continued() -> None:
    g = cz.CPDAG.from_dag([(v, v + 1) for v in range(40)])
    one, other = cz.list_operators(g), cz.list_operators(g)
    head = list(islice(one, 100))
    everything = list(other)
    assert head + list(one) == everything
    assert next(one, None) is None


def test_clique_with_an_isolated_node_is_counted_in_closed_form() -> None:
    """x outside: into any of k clique nodes with any clique of its k-1 neighbors, or from any of them into x."""
    k = 100
    g = cz.CPDAG.from_edges(k + 1, undirected=[(x, y) for y in range(k) for x in range(y)])
    counts = cz.count_operators(g)
    assert counts.inserts == k * 2 ** (k - 1) + k
    assert counts.deletes == k * (k - 1) * 2 ** (k - 2)
    assert counts.total == counts.inserts + counts.deletes


def test_max_degree_restricts_inserts_to_nodes_below_it() -> None:
    g = cz.CPDAG.from_edges(["a", "b", "c", "d"], undirected=[("a", "b")])
    below_one = {op for op in cz.list_operators(g, max_degree=1) if isinstance(op, cz.Insert)}
    assert below_one == {cz.Insert("c", "d"), cz.Insert("d", "c")}
    assert cz.count_operators(g, max_degree=1) == cz.OperatorCounts(2, 2)
    assert set(cz.list_operators(g, max_degree=2)) == set(cz.list_operators(g))


def test_max_degree_keeps_every_delete() -> None:
    star = cz.CPDAG.from_edges(6, undirected=[(0, v) for v in range(1, 6)])
    deletes = {op for op in cz.list_operators(star) if isinstance(op, cz.Delete)}
    assert {op for op in cz.list_operators(star, max_degree=1) if isinstance(op, cz.Delete)} == deletes
    assert cz.count_operators(star, max_degree=1) == cz.OperatorCounts(0, 10)


@pytest.mark.parametrize("bound", [3, 2**31, 2**63, 2**100])
def test_a_large_max_degree_has_no_effect(bound: int) -> None:
    g = cz.CPDAG.from_edges(["a", "b", "c"], undirected=[("a", "b")])
    assert cz.count_operators(g, max_degree=bound) == cz.count_operators(g)


@pytest.mark.parametrize("bound", [0, -1, 1.5, "3", True])
def test_invalid_max_degree(bound: object) -> None:
    g = cz.CPDAG.empty(3)
    for use in (cz.count_operators, cz.list_operators):
        with pytest.raises(cz.SettingsError, match=f"max_degree.*{bound!r}"):
            use(g, max_degree=bound)
