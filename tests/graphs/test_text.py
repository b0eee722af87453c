"""Graphs as text: every way to write one, what is not understood, and that what is written is read again."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.graphs.text import edge_text, parse_graph

COLLIDER = cz.CPDAG.from_edges(["a", "b", "c", "d"], directed=[("a", "c"), ("b", "c")])


@pytest.mark.parametrize(
    "text",
    [
        "a -> c, b -> c, d",
        "a->c<-b; d",
        "a → c ← b\n\n# a comment\nd\n",
        '"a" -> "c"\nb -> c\n"d"',
        "digraph { a -> c; b -> c; d }",
        'strict digraph "G" {\n  rankdir=LR\n  node [label="x -> y"]\n  a -> c // 1\n  b -> c /* 2 */\n  d\n}',
        "digraph { c -> a [dir=back]\n b -> c\n d [color=red]; }",
        '{"nodes": ["a", "b", "c", "d"], "directed": [["a", "c"], ["b", "c"]], "undirected": []}',
        '{"nodes": ["a", "b", "c", "d"], "edges": [["a", "c"], ["b", "c"]]}',
        "a,b,c,d\n0,0,1,0\n0,0,1,0\n0,0,0,0\n0,0,0,0\n",
        ",a,b,c,d\na,0,0,1,0\nb,0,0,1,0\nc,0,0,0,0\nd,0,0,0,0\n",
        "a;b;c;d\n0;0;1;0\n0;0;1;0\n0;0;0;0\n0;0;0;0",
        COLLIDER.to_dot(),
        "// the first\n" + COLLIDER.to_dot(),
        COLLIDER.to_json(),
        json.dumps(nx.node_link_data(COLLIDER.to_networkx(), edges="links")),
        json.dumps(nx.node_link_data(COLLIDER.to_networkx(), edges="edges")),
    ],
)
def test_one_graph_in_many_ways(text: str) -> None:
    graph, completed = parse_graph(text)
    assert {*graph.nodes} == {*"abcd"}
    assert {*graph.directed_edges} == {("a", "c"), ("b", "c")}
    assert graph.undirected_edges == ()
    assert not completed


@pytest.mark.parametrize(
    "text",
    [
        "a - b",
        "a -- b",
        "a — b",
        "a -> b, b -> a",
        "graph { a -- b }",
        "a,b\n0,1\n1,0",
        "digraph { a -> b [dir=none] }",
        "digraph { a -> b [arrowhead=none] }",
        '{"nodes": ["a", "b"], "edges": [{"source": "a", "target": "b", "directed": false}]}',
    ],
)
def test_lines_in_many_ways(text: str) -> None:
    graph, completed = parse_graph(text)
    assert graph == cz.CPDAG.complete(["a", "b"])
    assert not completed


def test_a_dag_is_completed() -> None:
    graph, completed = parse_graph("a -> b -> c")
    assert graph.undirected_edges == (("a", "b"), ("b", "c"))
    assert completed


def test_names_may_have_hyphens_and_spaces() -> None:
    graph, _ = parse_graph('IL-6 -> "TNF alpha" <- x-1')
    assert graph.directed_edges == (("IL-6", "TNF alpha"), ("x-1", "TNF alpha"))


def test_numbers_without_names() -> None:
    assert parse_graph("0,1\n1,0")[0] == cz.CPDAG.complete(2)
    assert parse_graph("[[0, 1], [1, 0]]")[0] == cz.CPDAG.complete(2)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_what_is_written_is_read_again(n: int) -> None:
    for g in cz.enumerate_cpdags(n):
        named = cz.CPDAG.from_matrix(g.matrix(), [f"v {i}" if i % 2 else f"v-{i}" for i in range(n)])
        for text in (edge_text(named), named.to_dot(), named.to_json()):
            if not n and text == "":
                continue
            graph, completed = parse_graph(text)
            order = [graph.nodes.index(v) for v in named.nodes]
            assert np.array_equal(graph.matrix()[np.ix_(order, order)], named.matrix())
            assert not completed


def test_strange_names_are_read_again() -> None:
    nodes = ["a b", 'say "x"', "#1", "-", "--", "->", "a,b", "x\ny", "\\", "ä→ö", "{", "="]
    g = cz.CPDAG.from_edges(nodes, undirected=list(zip(nodes[::2], nodes[1::2], strict=True)))
    for text in (edge_text(g), g.to_dot()):
        assert {*parse_graph(text)[0].undirected_edges} == {*g.undirected_edges}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the graph is empty text"),
        ("a-b", "'a-b' is read as one node; a line between nodes has spaces around it"),
        ("a b", "neither an edge nor a comma between them"),
        ("a ->", "the edge list ends with '->'"),
        ("a ->, b", "'->' in the edge list lacks a node beside it"),
        ("-> b", "'->' in the edge list lacks a node beside it"),
        ("a -> a", "a is joined with itself"),
        ("a -> b -> c -> a", "directed cycle a -> b -> c -> a"),
        ("digraph { a -> b", "ends before its closing }"),
        ("digraph { a -> b [dir=none }", "ends inside [...]"),
        ("digraph { a -> b }\ndigraph { a }", "goes on after its closing }"),
        ("digraph { subgraph s { a } }", "subgraphs and ports"),
        ("digraph { a -- b }", "in a digraph write a -> b"),
        ("graph { a -> b }", "in a graph write a -- b"),
        ("{", "not valid JSON"),
        ("{}", 'needs "nodes"'),
        ('{"nodes": ["a"], "edges": [["a", "b"]]}', "'b', which is not among"),
        ('{"nodes": ["a", "a"]}', "a name twice"),
        ('{"nodes": [null]}', "must be a text or a number, not None"),
        ('{"nodes": ["a"], "edges": [{"from": "a"}]}', 'needs "source" and "target"'),
        ('{"nodes": ["a"], "directed": ["a"]}', "must be a pair of nodes"),
        ("[[0, 1], [1]]", "must be a square matrix"),
        ("0,1,1\n0,0", "must be square"),
        ("0,2\n0,0", "must be 0 or 1, but m[0, 1] is '2'"),
        (",a,b\nb,0,1\na,1,0", "the same in the same order"),
    ],
)
def test_what_is_not_understood(text: str, words: str) -> None:
    with pytest.raises(cz.GraphError) as caught:
        parse_graph(text)
    assert words in str(caught.value)
