"""Conversions to and from a CPDAG: round trips give the same graph."""

import copy
import pickle
import re
from collections.abc import Hashable

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import causal_zigzag as cz
import naive
from causal_zigzag import _core
from reasons import assert_flaw_is_real
from strategies import cpdags, dags, labelled, pdags, texts

Labelled = tuple[naive.Matrix, list[Hashable]]


def arrows_of(dag: np.ndarray, nodes: list[Hashable]) -> list[tuple[Hashable, Hashable]]:
    return [(nodes[i], nodes[j]) for i, j in np.argwhere(dag)]


@given(labelled())
def test_matrix(drawn: Labelled) -> None:
    dag, nodes = drawn
    matrix = naive.completion(dag)
    g = cz.CPDAG.from_matrix(matrix, nodes)
    assert g.nodes == tuple(nodes)
    assert np.array_equal(g.matrix(), matrix)
    assert g.matrix().dtype == np.uint8
    assert cz.CPDAG.from_matrix(g.matrix(), g.nodes) == g


@given(dags())
def test_matrices_of_any_type(dag: naive.Matrix) -> None:
    m = naive.completion(dag)
    g = cz.CPDAG.from_matrix(m)
    assert g.nodes == tuple(range(len(m)))
    for same in (m.astype(int), m.astype(float), m.astype(object), m.tolist(), np.asfortranarray(m), m[::-1][::-1]):
        assert cz.CPDAG.from_matrix(same) == g
    frame = pd.DataFrame(m.astype(int), index=g.nodes, columns=g.nodes)
    assert cz.CPDAG.from_matrix(frame) == g
    if len(m):  # scipy has no sparse matrices without rows
        assert cz.CPDAG.from_matrix(sparse.csr_matrix(m.astype(int))) == g


@given(cpdags())
def test_edges(g: cz.CPDAG) -> None:
    assert cz.CPDAG.from_edges(g.nodes, g.directed_edges, g.undirected_edges) == g
    backwards = [(y, x) for x, y in reversed(g.undirected_edges)]
    assert cz.CPDAG.from_edges(list(g.nodes), directed=reversed(g.directed_edges), undirected=backwards) == g


@given(cpdags())
def test_edges_agree_with_the_matrix_and_the_sets_of_a_node(g: cz.CPDAG) -> None:
    graph = naive.Relations(g.matrix())
    number = {v: i for i, v in enumerate(g.nodes)}
    assert len(g) == len(g.nodes) == graph.n
    assert g.edge_count == len(g.directed_edges) + len(g.undirected_edges)
    assert {(number[x], number[y]) for x, y in g.directed_edges} == {
        (x, y) for y in range(graph.n) for x in graph.parents[y]
    }
    assert [(number[x], number[y]) for x, y in g.undirected_edges] == sorted(
        (x, y) for y in range(graph.n) for x in graph.neighbors[y] if x < y
    )
    for v in g.nodes:
        assert {number[u] for u in g.parents(v)} == graph.parents[number[v]]
        assert {number[u] for u in g.children(v)} == graph.children[number[v]]
        assert {number[u] for u in g.neighbors(v)} == graph.neighbors[number[v]]
        assert {number[u] for u in g.adjacent(v)} == graph.adjacent[number[v]]


@given(cpdags(labels=texts))
def test_networkx(g: cz.CPDAG) -> None:
    graph = g.to_networkx()
    assert isinstance(graph, nx.DiGraph)
    assert tuple(graph) == g.nodes
    assert graph.number_of_edges() == len(g.directed_edges) + 2 * len(g.undirected_edges)
    assert np.array_equal(nx.to_numpy_array(graph), g.matrix())
    assert cz.CPDAG.from_networkx(graph) == g


def test_networkx_graph_without_directions_is_read_as_undirected() -> None:
    g = cz.CPDAG.from_networkx(nx.path_graph(["a", "b", "c"]))
    assert g.undirected_edges == (("a", "b"), ("b", "c"))


@given(cpdags(labels=texts))
def test_dot(g: cz.CPDAG) -> None:
    assert read_dot(g.to_dot()) == (list(g.nodes), list(g.directed_edges), list(g.undirected_edges))


NAME = r'"((?:[^"\\]|\\.)*)"'
STATEMENT = re.compile(rf"\s*{NAME}(?:( -> ){NAME}( \[dir=none\])?)?;", flags=re.DOTALL)


def read_dot(text: str) -> tuple[list[str], list[tuple[str, str]], list[tuple[str, str]]]:
    """Nodes, directed and undirected edges of a digraph with one statement for each."""
    nodes, directed, undirected = [], [], []
    assert text.startswith("digraph {")
    at = len("digraph {")
    while found := STATEMENT.match(text, at):
        x, arrow, y, no_heads = found.groups()
        if not arrow:
            nodes.append(unescaped(x))
        else:
            (undirected if no_heads else directed).append((unescaped(x), unescaped(y)))
        at = found.end()
    assert text[at:].strip() == "}"
    return nodes, directed, undirected


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text)


def test_dot_distinguishes_labels_with_the_same_text() -> None:
    nodes, _, edges = read_dot(cz.CPDAG.complete([1, "1"]).to_dot())
    assert len(set(nodes)) == 2
    assert edges == [tuple(nodes)]


@given(labelled())
def test_dag_as_matrix_edges_and_networkx(drawn: Labelled) -> None:
    dag, nodes = drawn
    g = cz.CPDAG.from_matrix(naive.completion(dag), nodes)
    edges = arrows_of(dag, nodes)
    assert cz.CPDAG.from_dag(dag, nodes) == g
    assert cz.CPDAG.from_dag(dag.astype(int).tolist(), nodes) == g
    assert cz.CPDAG.from_dag(edges, nodes) == g
    if None not in nodes:  # networkx keeps None for itself
        graph = nx.DiGraph()
        graph.add_nodes_from(nodes)
        graph.add_edges_from(edges)
        assert cz.CPDAG.from_dag(graph) == g


def test_dag_as_edges_names_its_nodes_in_order_of_appearance() -> None:
    assert cz.CPDAG.from_dag([("c", "a"), ("b", "a")]).nodes == ("c", "a", "b")


@given(cpdags())
def test_dag_of_a_class_is_a_member(g: cz.CPDAG) -> None:
    dag = g.dag()
    assert np.array_equal(naive.completion(dag), g.matrix())
    assert cz.CPDAG.from_dag(dag, g.nodes) == g


@given(cpdags(), st.randoms(use_true_random=False))
def test_pdag_with_some_edges_directed_is_completed(g: cz.CPDAG, random) -> None:
    """Any undirected edges of the CPDAG may be directed as in one member."""
    assert cz.CPDAG.from_pdag(g.matrix(), g.nodes) == g
    pdag, dag = g.matrix(), g.dag()
    for x, y in np.argwhere(dag & pdag.T):
        pdag[y, x] = random.random() < 0.5
    assert cz.CPDAG.from_pdag(pdag, g.nodes) == g


@given(dags())
def test_pdag_with_only_its_v_structures_directed_is_completed(dag: naive.Matrix) -> None:
    pdag = dag | dag.T
    for x, z, y in naive.v_structures(naive.to_graph(dag)):
        pdag[z, x] = pdag[z, y] = False
    assert np.array_equal(cz.CPDAG.from_pdag(pdag).matrix(), naive.completion(dag))


@given(pdags())
def test_pdag_is_completed_or_raises_an_error(pdag: naive.Matrix) -> None:
    dag = naive.extension(pdag)
    if dag is None:
        with pytest.raises(cz.GraphError):
            cz.CPDAG.from_pdag(pdag)
    else:
        assert np.array_equal(cz.CPDAG.from_pdag(pdag).matrix(), naive.completion(dag))


@given(pdags())
def test_matrix_is_unchanged_or_raises_an_error(pdag: naive.Matrix) -> None:
    dag = naive.extension(pdag)
    if dag is not None and np.array_equal(naive.completion(dag), pdag):
        assert np.array_equal(cz.CPDAG.from_matrix(pdag).matrix(), pdag)
    else:
        with pytest.raises(cz.GraphError):
            cz.CPDAG.from_matrix(pdag)
        assert_flaw_is_real(pdag, _core.Graph.from_matrix(pdag.astype(np.uint8)))


@given(cpdags())
def test_pickle_and_copy(g: cz.CPDAG) -> None:
    for same in (pickle.loads(pickle.dumps(g)), copy.copy(g), copy.deepcopy(g)):
        assert same == g
        assert hash(same) == hash(g)
        assert same.nodes == g.nodes
        assert np.array_equal(same.matrix(), g.matrix())


@given(cpdags(), st.data())
def test_pickle_of_operators(g: cz.CPDAG, data: st.DataObject) -> None:
    if len(g) > 1:
        op = cz.random_operator(g, rng=data.draw(st.integers(0, 2**32)))
        for same in (pickle.loads(pickle.dumps(op)), copy.copy(op), copy.deepcopy(op)):
            assert same == op
            assert hash(same) == hash(op)


@given(cpdags(), st.randoms(use_true_random=False))
def test_the_order_of_the_nodes_has_no_other_effect(g: cz.CPDAG, random) -> None:
    order = random.sample(range(len(g)), len(g))
    h = cz.CPDAG.from_matrix(g.matrix()[np.ix_(order, order)], [g.nodes[v] for v in order])
    assert set(h.directed_edges) == set(g.directed_edges)
    assert set(map(frozenset, h.undirected_edges)) == set(map(frozenset, g.undirected_edges))
    assert cz.count_operators(h) == cz.count_operators(g)
    assert (h == g) == (h.nodes == g.nodes)
