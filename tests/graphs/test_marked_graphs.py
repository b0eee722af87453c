"""MAG and PAG: what is accepted compared with the definitions on all small graphs; answers and formats."""

import copy
import itertools
import pickle
import re

import networkx as nx
import numpy as np
import pytest

import causal_zigzag as cz
from naive_separation import ancestors_and_self, is_mag, separations

STATES = ((0, 0), (3, 2), (2, 3), (2, 2))  # marks at x and at y: none, -->, <--, <->


def all_marks(n: int) -> list[np.ndarray]:
    pairs = list(itertools.combinations(range(n), 2))
    found = []
    for states in itertools.product(STATES, repeat=len(pairs)):
        marks = np.zeros((n, n), np.int8)
        for (x, y), (at_x, at_y) in zip(pairs, states, strict=True):
            marks[y, x], marks[x, y] = at_x, at_y
        found.append(marks)
    return found


def refusal(marks: np.ndarray) -> str:
    try:
        cz.MAG.from_marks(marks)
    except cz.GraphError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("n", "valid"), [(2, 4), (3, 56), (4, 2492)])
def test_exactly_the_graphs_that_are_ancestral_and_maximal_are_accepted(n: int, valid: int) -> None:
    accepted = [not refusal(marks) for marks in all_marks(n)]
    assert sum(accepted) == valid
    assert accepted == [is_mag(marks) for marks in all_marks(n)]


def test_every_mag_of_three_nodes_says_who_is_what_to_whom() -> None:
    for marks in all_marks(3):
        if refusal(marks):
            continue
        g, reach = cz.MAG.from_marks(marks), ancestors_and_self(marks)
        for v in range(3):
            others = [u for u in range(3) if u != v]
            assert g.ancestors(v) == {u for u in others if reach[u, v]}
            assert g.parents(v) == {u for u in others if (marks[v, u], marks[u, v]) == (3, 2)}
            assert g.children(v) == {u for u in others if (marks[v, u], marks[u, v]) == (2, 3)}
            assert g.spouses(v) == {u for u in others if (marks[v, u], marks[u, v]) == (2, 2)}
            assert g.adjacent(v) == g.parents(v) | g.children(v) | g.spouses(v)
        assert g.edge_count == len(g.edges) == np.count_nonzero(marks) // 2
        directed, bidirected = ([(x, y) for x, word, y in g.edges if word == one] for one in ("-->", "<->"))
        assert cz.MAG.from_edges(3, directed, bidirected) == g
        assert (g.matrix() == marks).all()


def test_the_mag_of_a_dag_with_hidden_nodes_has_its_independences_and_ancestors() -> None:
    rng = np.random.default_rng(7)
    bidirected = 0
    for _ in range(80):
        dag = np.triu(rng.random((6, 6)) < 0.45, 1)
        order = rng.permutation(6)
        dag = dag[np.ix_(order, order)]
        hidden = sorted(rng.choice(6, rng.integers(0, 3), replace=False).tolist())
        seen = [v for v in range(6) if v not in hidden]
        g = cz.MAG.from_dag(dag.astype(int), hidden)
        assert g.nodes == tuple(seen)
        marks = (2 * dag + 3 * dag.T).astype(np.int8)
        of_dag = separations(marks, seen)
        assert of_dag == [
            (seen[x], seen[y], tuple(seen[v] for v in s)) for x, y, s in separations(g.matrix(), range(len(g)))
        ]
        reach = ancestors_and_self(marks)
        assert all(g.ancestors(v) == {u for u in seen if u != v and reach[u, v]} for v in seen)
        bidirected += sum(word == "<->" for _, word, _ in g.edges)
    assert bidirected > 10


def test_a_graph_that_is_not_maximal_is_refused_with_the_path_and_the_edge_that_is_missing() -> None:
    directed, bidirected = [("b", "d"), ("c", "a")], [("a", "b"), ("b", "c"), ("c", "d")]
    with pytest.raises(cz.GraphError) as caught:
        cz.MAG.from_edges([*"abcd"], directed, bidirected)
    assert str(caught.value) == (
        "not maximal: a and d are not joined, but no set separates them, because of the inducing path "
        "a <-> b <-> c <-> d; add a <-> d"
    )
    assert cz.MAG.from_edges([*"abcd"], directed, [*bidirected, ("a", "d")]).spouses("a") == {"b", "d"}


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ([[0, 2, 3], [3, 0, 2], [2, 3, 0]], "directed cycle 0 --> 1 --> 2 --> 0: no ancestral graph contains it"),
        ([[0, 2, 2], [3, 0, 2], [2, 3, 0]], "almost directed cycle: 0 <-> 2, but 0 --> 1 --> 2 makes 0 an ancestor"),
        ([[0, 2], [1, 0]], "a MAG has no circles, but the edge between 0 and 1 has; it may be a PAG"),
        ([[0, 2], [0, 0]], r"the edge between 0 and 1 has a mark at 1 only: set m\[1, 0\], the mark at 0"),
        ([[0, 3], [3, 0]], "0 --- 1 has two tails, which stand for selection"),
        ([[0, 3], [1, 0]], "the edge between 0 and 1 has a tail and a circle"),
        ([[2, 0], [0, 0]], "self-loop at 0"),
        ([[0, 4], [3, 0]], r"a mark must be 0 .* or 3 \(tail\), but m\[0, 1\] is 4"),
        ([[0, "x"], [3, 0]], "the marks must be the numbers 0 to 3, not an array of str"),
        ([[0, 2]], "must be a square matrix, but its shape is"),
        ([[0, 2], [3]], "its rows differ in length"),
    ],
)
def test_marks_that_are_no_mag_are_refused_with_the_nodes_at_fault(marks: object, message: str) -> None:
    with pytest.raises(cz.GraphError, match=message):
        cz.MAG.from_marks(marks)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("a", "-->", "b"), ("b", "-->", "c"), ("a", "<->", "c")], "almost directed cycle: a <-> c"),
        ([("a", "-->", "b"), ("b", "-->", "c"), ("c", "o->", "a")], "almost directed cycle: a <-o c"),
        ([("a", "-->", "b"), ("b", "o-o", "a")], "a and b are joined twice|b and a are joined twice"),
        ([("a", "o--", "b")], r"word is -->, <->, o->, o-o, but one is \('a', 'o--', 'b'\)"),
        ([("a", "o-o", "a")], "self-loop at a"),
        ([("a", "o-o", "z")], "unknown node z"),
    ],
)
def test_edges_that_no_pag_has_are_refused(edges: list[tuple[str, str, str]], message: str) -> None:
    with pytest.raises(cz.GraphError, match=message):
        cz.PAG.from_edges([*"abc"], edges)


def test_the_number_of_nodes_and_edges_of_a_dag_are_checked() -> None:
    with pytest.raises(cz.GraphError, match="has 2 rows, but there are 3 nodes"):
        cz.PAG.from_marks([[0, 1], [1, 0]], [*"abc"])
    with pytest.raises(cz.GraphError, match="directed cycle"):
        cz.MAG.from_dag([("a", "b"), ("b", "c"), ("c", "a")])
    with pytest.raises(cz.GraphError, match="unknown node u"):
        cz.MAG.from_dag([("a", "b")], hidden=["u"])
    for construct in (cz.MAG, cz.PAG):
        with pytest.raises(cz.GraphError, match="construct a"):
            construct()


def pag() -> cz.PAG:
    return cz.PAG.from_edges([*"abcd"], [("b", "o->", "a"), ("c", "o-o", "b"), ("d", "<->", "a"), ("c", "-->", "d")])


def test_graphs_are_immutable_values() -> None:
    g = pag()
    assert g == pag() == pickle.loads(pickle.dumps(g))
    assert copy.copy(g) is copy.deepcopy(g) is g
    assert hash(g) == hash(pag())
    assert g != cz.PAG.from_edges([*"abcd"], g.edges[:-1])
    assert cz.MAG.from_edges(2, [(0, 1)]) != cz.PAG.from_edges(2, [(0, "-->", 1)])
    with pytest.raises(AttributeError, match="immutable"):
        g.marks = g.matrix()
    with pytest.raises(ValueError, match="read-only"):
        g.marks[0, 1] = 0
    g.matrix()[0, 1] = 0
    assert g == pag()


def test_the_formats_have_all_marks() -> None:
    g = pag()
    assert g.edges == (("b", "o->", "a"), ("a", "<->", "d"), ("b", "o-o", "c"), ("c", "-->", "d"))
    assert repr(g) == "PAG(4 nodes, 4 edges: b o-> a, a <-> d, b o-o c, c --> d)"
    assert g.to_tetrad().splitlines()[4:] == ["1. b o-> a", "2. a <-> d", "3. b o-o c", "4. c --> d"]
    assert g.to_dot().splitlines()[5:-1] == [
        '  "b" -> "a" [dir=both, arrowtail=odot];',
        '  "a" -> "d" [dir=both];',
        '  "b" -> "c" [dir=both, arrowtail=odot, arrowhead=odot];',
        '  "c" -> "d";',
    ]
    graph = g.to_networkx()
    assert isinstance(graph, nx.DiGraph)
    kinds = {x + y: kind for x, y, kind in graph.edges(data="kind")}
    assert kinds == {"ad": "<->", "da": "<->", "ba": "o->", "bc": "o-o", "cb": "o-o", "cd": "-->"}
    with pytest.raises(cz.GraphError, match="cannot be written for Tetrad"):
        cz.PAG.from_edges(["a b"], []).to_tetrad()


def test_pictures_have_a_mark_at_each_end() -> None:
    svg = pag()._repr_svg_()
    assert svg is not None
    assert svg.count("<circle") == 3
    assert svg.count("<polygon") == 4
    assert re.findall(r"<title>(\w [^<]*)</title><path", svg) == ["b o→ a", "c → d", "a ↔ d", "b o–o c"]
    assert 'class="edge line"' not in svg
    assert cz.PAG.from_edges(300, [])._repr_svg_() is None
