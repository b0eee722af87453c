"""CPDAG as a value: labels, equality and immutability, and sizes from 0 to thousands of nodes."""

from datetime import date
from itertools import combinations

import numpy as np
import pytest

import causal_zigzag as cz
import naive

WORD_BOUNDARIES = [63, 64, 65, 127, 128, 129, 1024, 1025]


def collider() -> cz.CPDAG:
    return cz.CPDAG.from_edges(["a", "b", "c", "d"], directed=[("a", "c"), ("b", "c")])


def test_properties_of_a_graph() -> None:
    g = cz.CPDAG.from_edges(["a", "b", "c", "d", "e"], directed=[("a", "c"), ("b", "c"), ("c", "d")], undirected=[])
    assert g.nodes == ("a", "b", "c", "d", "e")
    assert len(g) == 5
    assert g.edge_count == 3
    assert g.directed_edges == (("a", "c"), ("b", "c"), ("c", "d"))
    assert g.undirected_edges == ()
    assert g.parents("c") == {"a", "b"}
    assert g.children("c") == {"d"}
    assert g.neighbors("c") == frozenset()
    assert g.adjacent("c") == {"a", "b", "d"}
    assert g.adjacent("e") == frozenset()


@pytest.mark.parametrize("n", [2, 3, 5, 64, 65, 130])
def test_a_complete_graph_is_the_one_that_moves_lead_to(n: int) -> None:
    """Its parts are written down, those of a graph after a move are updated."""
    g = cz.CPDAG.complete(n)
    removal = cz.Delete(0, n - 1)
    back = removal.inverse(g).apply(removal.apply(g))
    order = np.random.default_rng(n).permutation(n)
    shuffled = cz.CPDAG.from_dag(np.triu(np.ones((n, n), dtype=np.uint8), 1)[np.ix_(order, order)])
    for other in (back, shuffled, cz.CPDAG.from_matrix(1 - np.eye(n, dtype=np.uint8))):
        assert other == g
        assert hash(other) == hash(g)
        assert cz.count_operators(other) == cz.count_operators(g)
        assert cz.CPDAG.from_dag(other.dag()) == g
    assert removal.apply(shuffled) == removal.apply(g)


def test_empty_and_complete() -> None:
    assert cz.CPDAG.empty(3) == cz.CPDAG.from_edges(3)
    assert cz.CPDAG.empty(["x", "y"]) == cz.CPDAG.from_matrix(np.zeros((2, 2)), nodes=["x", "y"])
    assert cz.CPDAG.complete(3) == cz.CPDAG.from_edges(range(3), undirected=[(0, 1), (0, 2), (1, 2)])
    assert cz.CPDAG.complete(["x", "y"]).neighbors("x") == {"y"}


def test_repr_names_size_and_edges() -> None:
    assert "4 nodes" in repr(collider())
    assert "a -> c" in repr(collider())
    assert "x - y" in repr(cz.CPDAG.complete(["x", "y"]))
    assert len(repr(cz.CPDAG.complete(100))) < 200


def test_the_class_cannot_be_called() -> None:
    with pytest.raises(cz.CausalZigzagError, match="from_edges"):
        cz.CPDAG()


# ---- values ----------------------------------------------------------------------------------------------------------


def test_attributes_cannot_be_changed() -> None:
    g = collider()
    for name in ("nodes", "edge_count", "_graph", "other"):
        with pytest.raises(AttributeError):
            setattr(g, name, 1)
        with pytest.raises(AttributeError):
            delattr(g, name)


def test_changing_a_returned_value_does_not_change_the_graph() -> None:
    g = collider()
    before = g.matrix().copy(), g.dag().copy(), hash(g)
    g.matrix()[:] = 1
    g.dag()[:] = 1
    assert isinstance(g.directed_edges, tuple)
    assert isinstance(g.parents("c"), frozenset)
    assert np.array_equal(g.matrix(), before[0])
    assert np.array_equal(g.dag(), before[1])
    assert hash(g) == before[2]


def test_changing_an_argument_does_not_change_the_graph() -> None:
    matrix, nodes = np.array([[0, 1], [1, 0]], dtype=np.uint8), ["a", "b"]
    g = cz.CPDAG.from_matrix(matrix, nodes)
    matrix[:] = 0
    nodes[0] = "z"
    assert g == cz.CPDAG.complete(["a", "b"])


def test_applying_an_operator_does_not_change_the_graph() -> None:
    g = collider()
    matrix = g.matrix()
    assert cz.Insert("d", "c").apply(g) != g
    assert np.array_equal(g.matrix(), matrix)


def test_equal_graphs_from_different_constructors() -> None:
    steps = cz.Insert("b", "c", tails=["a"]).apply(cz.Insert("a", "c").apply(cz.CPDAG.empty(["a", "b", "c", "d"])))
    others = [
        collider(),
        cz.CPDAG.from_dag([("b", "c"), ("a", "c")], nodes=["a", "b", "c", "d"]),
        cz.CPDAG.from_pdag(collider().matrix(), nodes=["a", "b", "c", "d"]),
        steps,
    ]
    assert len(set(others)) == 1
    assert len({hash(g) for g in others}) == 1
    assert not (others[0] != others[1])  # noqa: SIM202  (!= is an operator of its own)


def test_unequal_in_edges_labels_or_their_order() -> None:
    graphs = [
        collider(),
        cz.CPDAG.empty(["a", "b", "c", "d"]),
        cz.CPDAG.from_edges(["b", "a", "c", "d"], directed=[("a", "c"), ("b", "c")]),
        cz.CPDAG.from_edges(["a", "b", "c", "e"], directed=[("a", "c"), ("b", "c")]),
        cz.CPDAG.from_edges(["a", "b", "c", "d", "e"], directed=[("a", "c"), ("b", "c")]),
        cz.CPDAG.from_edges(["a", "b", "c", "d"], undirected=[("a", "c")]),
        cz.CPDAG.from_edges(["a", "b", "c", "d"], undirected=[("b", "c")]),
    ]
    assert all(g != h for g, h in combinations(graphs, 2))
    assert len(set(graphs)) == len(graphs)
    assert collider() != collider().matrix().tolist()
    assert collider() != "graph"


@pytest.mark.long
def test_hashes_of_all_small_classes_differ() -> None:
    """8782 classes; 64-bit hashes of different graphs coincide once in 10**11 such sets."""
    graphs = [cz.CPDAG.from_matrix(naive.to_matrix(cpdag, 5)) for cpdag in naive.classes(5)]
    assert len({hash(g) for g in graphs}) == len(graphs)


def test_labels_of_any_hashable_type() -> None:
    labels = ["a", "", 7, -1.5, None, True, ("t", 1), frozenset({2}), date(2024, 9, 11), b"x", int, "ß 漢"]
    g = cz.CPDAG.from_dag([(labels[i], labels[i + 1]) for i in range(len(labels) - 1)], nodes=labels)
    assert g.nodes == tuple(labels)
    assert g.neighbors(None) == {-1.5, True}
    op = cz.Insert("ß 漢", ("t", 1), tails=[frozenset({2})])
    assert op.apply(g).parents(("t", 1)) == {"ß 漢", frozenset({2})}
    assert op.inverse(g).apply(op.apply(g)) == g


def test_labels_from_numpy_and_pandas_are_plain_values() -> None:
    g = cz.CPDAG.empty(np.arange(3))
    assert g == cz.CPDAG.empty(3)
    assert type(g.nodes[0]) is int
    assert g.adjacent(np.int64(1)) == frozenset()


# ---- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1])
def test_graphs_without_any_pair_of_nodes(n: int) -> None:
    matrix = np.zeros((n, n), int)
    graphs = [
        cz.CPDAG.empty(n),
        cz.CPDAG.complete(n),
        cz.CPDAG.from_matrix(matrix),
        cz.CPDAG.from_dag(matrix),
        cz.CPDAG.from_pdag(matrix),
        cz.CPDAG.from_edges(n),
    ]
    assert len(set(graphs)) == 1
    g = graphs[0]
    assert len(g) == n
    assert g.edge_count == 0
    assert g.matrix().shape == g.dag().shape == (n, n)
    assert list(cz.list_operators(g)) == []
    assert cz.count_operators(g) == cz.OperatorCounts(0, 0)
    with pytest.raises(cz.OperatorError):
        cz.random_operator(g, rng=0)


@pytest.mark.parametrize("n", WORD_BOUNDARIES)
def test_word_boundaries_empty_and_complete(n: int) -> None:
    empty, complete = cz.CPDAG.empty(n), cz.CPDAG.complete(n)
    assert not empty.matrix().any()
    assert cz.count_operators(empty) == cz.OperatorCounts(n * (n - 1), 0)
    assert np.array_equal(complete.matrix(), ~np.eye(n, dtype=bool))
    assert complete.edge_count == n * (n - 1) // 2
    assert cz.count_operators(complete) == cz.OperatorCounts(0, n * (n - 1) * 2 ** (n - 2))
    assert cz.CPDAG.from_dag(complete.dag()) == complete
    assert complete.neighbors(n - 1) == frozenset(range(n - 1))


@pytest.mark.parametrize("n", WORD_BOUNDARIES)
def test_word_boundaries_path_and_star(n: int) -> None:
    path = cz.CPDAG.from_dag(np.eye(n, k=1, dtype=int))
    assert path.undirected_edges == tuple((v, v + 1) for v in range(n - 1))
    assert cz.CPDAG.from_matrix(path.matrix()) == path
    star = np.zeros((n, n), int)
    star[:-1, -1] = 1  # every node is a parent of the last
    g = cz.CPDAG.from_dag(star)
    assert g.parents(n - 1) == frozenset(range(n - 1))
    assert np.array_equal(g.matrix(), star)
    assert np.array_equal(g.dag(), star)
    assert cz.count_operators(g).deletes == n - 1


@pytest.mark.parametrize("n", WORD_BOUNDARIES)
def test_word_boundaries_single_edges_differ(n: int) -> None:
    empty = cz.CPDAG.empty(n)
    ends = sorted({0, 1, 62, n - 2, n - 1} | {v for v in (63, 64, 126, 127, 128, 1023, 1024) if v < n})
    graphs = {}
    for x in ends:
        for y in ends:
            if x < y:
                g = cz.Insert(x, y).apply(empty)
                assert g == cz.Insert(y, x).apply(empty)
                assert g.undirected_edges == ((x, y),)
                assert cz.Delete(y, x).apply(g) == empty
                graphs[g] = (x, y)
    assert len(graphs) == len(ends) * (len(ends) - 1) // 2


def test_4096_nodes() -> None:
    n, y = 4096, 2000
    assert cz.count_operators(cz.CPDAG.empty(n)) == cz.OperatorCounts(n * (n - 1), 0)
    assert cz.count_operators(cz.CPDAG.complete(n)) == cz.OperatorCounts(0, n * (n - 1) * 2 ** (n - 2))
    path = cz.CPDAG.from_dag(np.eye(n, k=1, dtype=np.uint8))
    assert path.undirected_edges == tuple((v, v + 1) for v in range(n - 1))
    op = cz.Insert(n - 1, y, tails=[y + 1])  # n-1 -> y <- y+1 directs y -> y-1 -> ... -> 0
    g = op.apply(path)
    assert set(g.directed_edges) == {(v + 1, v) for v in range(y + 1)} | {(n - 1, y)}
    assert g.undirected_edges == tuple((v, v + 1) for v in range(y + 1, n - 1))
    assert cz.CPDAG.from_matrix(g.matrix()) == cz.CPDAG.from_dag(g.dag()) == g
    assert op.inverse(g=path).apply(g) == path
