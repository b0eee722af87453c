"""Errors about invalid graphs name the nodes at fault, and the remedy if there is one."""

from collections.abc import Callable, Iterable

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz

Edges = Iterable[tuple[str, str]]


def message(make: Callable[[], object]) -> str:
    """The message of the GraphError that is raised."""
    with pytest.raises(cz.GraphError) as caught:
        make()
    assert isinstance(caught.value, cz.CausalZigzagError)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


def ways(nodes: str, directed: str = "", undirected: str = "") -> list[Callable[[], object]]:
    """The graph as edges, as a matrix and in networkx; edges are written "ab cd"."""
    names = nodes.split()
    arrows, lines = [tuple(edge) for edge in directed.split()], [tuple(edge) for edge in undirected.split()]
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from([*arrows, *lines, *((y, x) for x, y in lines)])
    return [
        lambda: cz.CPDAG.from_edges(names, arrows, lines),
        lambda: cz.CPDAG.from_matrix(nx.to_numpy_array(graph), names),
        lambda: cz.CPDAG.from_networkx(graph),
    ]


# ---- not a graph -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", ways("a b c", directed="ab bb"))
def test_self_loop(make: Callable[[], object]) -> None:
    text = message(make)
    assert "self-loop" in text
    assert "at b" in text


@pytest.mark.parametrize("read", [cz.CPDAG.from_matrix, cz.CPDAG.from_dag, cz.CPDAG.from_pdag])
def test_self_loop_in_a_matrix(read: Callable[..., object]) -> None:
    text = message(lambda: read([[0, 0], [0, 1]], ["left", "right"]))
    assert "self-loop" in text
    assert "right" in text
    assert "left" not in text


def test_self_loop_in_edges() -> None:
    assert "self-loop at 'b c'" in message(lambda: cz.CPDAG.from_edges(["a", "b c"], undirected=[("b c", "b c")]))
    assert "self-loop at a" in message(lambda: cz.CPDAG.from_dag([("a", "a")]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: cz.CPDAG.from_edges(["a", "b"], directed=[("a", "z")]),
        lambda: cz.CPDAG.from_edges(["a", "b"], undirected=[("z", "a")]),
        lambda: cz.CPDAG.from_dag([("a", "z")], nodes=["a", "b"]),
        lambda: cz.CPDAG.empty(["a", "b"]).parents("z"),
        lambda: cz.CPDAG.empty(["a", "b"]).children("z"),
        lambda: cz.CPDAG.empty(["a", "b"]).neighbors("z"),
        lambda: cz.CPDAG.empty(["a", "b"]).adjacent("z"),
    ],
)
def test_an_unknown_label_is_named_with_the_known_ones(make: Callable[[], object]) -> None:
    text = message(make)
    assert "unknown node z" in text
    assert "a, b" in text


def test_an_unknown_label_of_another_type() -> None:
    assert "unknown node '1'" in message(lambda: cz.CPDAG.empty(3).parents("1"))
    assert "unknown node -1" in message(lambda: cz.CPDAG.empty(3).parents(-1))
    assert "unknown node [0]" in message(lambda: cz.CPDAG.empty(3).parents([0]))


@pytest.mark.parametrize(
    "make", [lambda: cz.CPDAG.empty(["a", "b", "a"]), lambda: cz.CPDAG.from_matrix(np.zeros((3, 3)), ["a", "b", "a"])]
)
def test_duplicate_label(make: Callable[[], object]) -> None:
    text = message(make)
    assert "duplicate" in text
    assert "label a" in text


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        (-1, ["-1"]),
        ("abc", ["'abc'", "['abc']"]),
        ([["a"], "b"], ["hashable", "['a']"]),
        ({"a", "b"}, ["order"]),
        (2.5, ["2.5"]),
        (True, ["True"]),
        ([float("nan"), 1.0], ["nan"]),
    ],
)
def test_invalid_nodes(nodes: object, words: list[str]) -> None:
    text = message(lambda: cz.CPDAG.empty(nodes))
    assert all(word in text for word in words), text


@pytest.mark.parametrize("read", [cz.CPDAG.from_matrix, cz.CPDAG.from_dag, cz.CPDAG.from_pdag])
@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.zeros((2, 3)), ["square", "(2, 3)"]),
        (np.zeros(4), ["square", "(4,)"]),
        (np.zeros((2, 2, 2)), ["square", "(2, 2, 2)"]),
        ([[0, 1], [0]], ["square"]),
        ([[0, 2], [0, 0]], ["0 or 1", "[0, 1]", "2"]),
        ([[0, 0], [-1, 0]], ["0 or 1", "[1, 0]", "-1"]),
        ([[0, 0.5], [0, 0]], ["0 or 1", "[0, 1]", "0.5"]),
        ([[0, float("nan")], [0, 0]], ["0 or 1", "[0, 1]", "nan"]),
        (np.array([["0", "x"], ["0", "0"]]), ["0 or 1"]),
    ],
)
def test_invalid_matrices(read: Callable[..., object], matrix: object, words: list[str]) -> None:
    text = message(lambda: read(matrix))
    assert all(word in text for word in words), text


def test_matrix_and_nodes_of_different_sizes() -> None:
    text = message(lambda: cz.CPDAG.from_matrix(np.zeros((3, 3)), ["a", "b"]))
    assert "3" in text
    assert "2" in text
    frame = pd.DataFrame(np.zeros((2, 2)), index=["a", "b"], columns=["b", "a"])
    assert "index" in message(lambda: cz.CPDAG.from_matrix(frame))


@pytest.mark.parametrize(
    ("directed", "undirected", "words"),
    [
        ([("a", "b"), ("b", "a")], [], ["b and a", "twice", "undirected"]),
        ([("a", "b")], [("b", "a")], ["b and a", "twice"]),
        ([("a", "b"), ("a", "b")], [], ["a and b", "twice"]),
        ([], [("a", "b"), ("b", "a")], ["b and a", "twice"]),
        ([("a", "b", "c")], [], ["pair", "('a', 'b', 'c')"]),
        (["ab"], [], ["pair", "'ab'"]),
        ("ab", [], ["pairs", "'ab'"]),
    ],
)
def test_contradicting_and_invalid_edges(directed: Edges, undirected: Edges, words: list[str]) -> None:
    text = message(lambda: cz.CPDAG.from_edges(["a", "b", "c"], directed, undirected))
    assert all(word in text for word in words), text


def test_networkx_graphs_of_unsupported_kinds() -> None:
    assert "networkx" in message(lambda: cz.CPDAG.from_networkx([[0]]))
    assert "multigraph" in message(lambda: cz.CPDAG.from_networkx(nx.MultiDiGraph([("a", "b")])))
    assert "from_networkx" in message(lambda: cz.CPDAG.from_dag(nx.path_graph(3)))


# ---- not a CPDAG -----------------------------------------------------------------------------------------------------


CYCLE = [[0, 1, 0, 0, 1], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]


@pytest.mark.parametrize(
    "make",
    [
        *ways("a b c d e", directed="ab bc cd db ae"),
        lambda: cz.CPDAG.from_dag([("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("a", "e")]),
        lambda: cz.CPDAG.from_dag(CYCLE, ["a", "b", "c", "d", "e"]),
        lambda: cz.CPDAG.from_pdag(CYCLE, ["a", "b", "c", "d", "e"]),
    ],
)
def test_a_directed_cycle_is_shown(make: Callable[[], object]) -> None:
    text = message(make)
    assert "cycle" in text
    assert any(cycle in text for cycle in ("b -> c -> d -> b", "c -> d -> b -> c", "d -> b -> c -> d")), text


@pytest.mark.parametrize("make", ways("a b c d e f", undirected="ab bc cd de ea ac ef"))
def test_a_chordless_cycle_is_shown(make: Callable[[], object]) -> None:
    """a - c cuts the five-cycle into a triangle and the four-cycle a - c - d - e."""
    text = message(make)
    assert "chord" in text
    assert "chordal" in text
    cycle = text[text.index("cycle ") + 6 : text.index(" has no chord")].split(" - ")
    assert cycle[0] == cycle[-1]
    assert set(cycle) == set("acde")
    assert len(cycle) == 5


@pytest.mark.parametrize("make", ways("p u v w", directed="pu", undirected="uv vw"))
def test_different_parents_within_a_component(make: Callable[[], object]) -> None:
    text = message(make)
    assert "p -> u" in text
    assert "not p -> v" in text
    assert "u - v" in text
    assert "same parents" in text
    assert "from_pdag" in text


@pytest.mark.parametrize("make", ways("a b c d", directed="ab cd bd"))
def test_arrow_that_is_not_compelled(make: Callable[[], object]) -> None:
    text = message(make)
    assert "a -> b" in text
    assert "not compelled" in text
    assert "from_pdag" in text
    assert "from_dag" in text


def test_remedies_work() -> None:
    expected = cz.CPDAG.from_edges(["a", "b", "c", "d"], directed=[("c", "d"), ("b", "d")], undirected=[("a", "b")])
    matrix = [[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert cz.CPDAG.from_dag(matrix, ["a", "b", "c", "d"]) == expected
    assert cz.CPDAG.from_pdag(matrix, ["a", "b", "c", "d"]) == expected


# ---- not a DAG, not extendable ---------------------------------------------------------------------------------------


def test_a_dag_with_an_undirected_edge() -> None:
    text = message(lambda: cz.CPDAG.from_dag([[0, 1], [1, 0]], ["a", "b"]))
    assert "a - b" in text
    assert "from_pdag" in text


@pytest.mark.parametrize(
    "pdag",
    [
        [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]],  # a chordless cycle
        [[0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0]],  # 0 -> 1 - 2 <- 3: a v-structure either way
    ],
)
def test_pdag_without_consistent_extension(pdag: list[list[int]]) -> None:
    text = message(lambda: cz.CPDAG.from_pdag(pdag))
    assert "no DAG" in text
    assert "v-structure" in text


def test_long_lists_of_labels_are_abbreviated() -> None:
    assert len(message(lambda: cz.CPDAG.empty(1000).parents(1000))) < 300
