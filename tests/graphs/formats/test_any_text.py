"""Text formats of graphs: all forms of one graph, round trips, errors, and time linear in the length of the text."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.graphs.formats.any_text import parse_graph
from causal_zigzag.graphs.formats.edge_list import edge_list

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
        "digraph { edge [dir=none] a -> c [dir=forward] b -> c [dir=forward] d }",
        '{"nodes": ["a", "b", "c", "d"], "edges": [["a", "c"], ["b", "c"]]}',
        COLLIDER.to_dot(),
        "// the first\n" + COLLIDER.to_dot(),
        COLLIDER.to_json(),
        f"[{COLLIDER.to_json()}]",
        json.dumps(nx.node_link_data(COLLIDER.to_networkx(), edges="links")),
        json.dumps(nx.node_link_data(COLLIDER.to_networkx(), edges="edges")),
    ],
)
def test_all_formats_of_one_graph(text: str) -> None:
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
        "digraph { a -> b [dir=none] }",
        "digraph { a -> b [arrowhead=none] }",
        "digraph { edge [dir=none]; a -> b }",
        '{"nodes": ["a", "b"], "edges": [{"source": "a", "target": "b", "directed": false}]}',
    ],
)
def test_all_forms_of_an_undirected_edge(text: str) -> None:
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
    assert parse_graph("[[0, 1], [1, 0]]")[0] == cz.CPDAG.complete(2)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_round_trips(n: int) -> None:
    for g in cz.enumerate_cpdags(n):
        named = cz.CPDAG.from_matrix(g.matrix(), [f"v {i}" if i % 2 else f"v-{i}" for i in range(n)])
        for text in (edge_list(named), named.to_dot(), named.to_json()):
            if not n and text == "":
                continue
            graph, completed = parse_graph(text)
            order = [graph.nodes.index(v) for v in named.nodes]
            assert np.array_equal(graph.matrix()[np.ix_(order, order)], named.matrix())
            assert not completed


def test_round_trips_of_names_with_special_characters() -> None:
    nodes = ["a b", 'say "x"', "#1", "-", "--", "->", "a,b", "x\ny", "\\", "ä→ö", "{", "=", "http://x", "a /* b"]
    g = cz.CPDAG.from_edges(nodes, undirected=list(zip(nodes[::2], nodes[1::2], strict=True)))
    for text in (edge_list(g), g.to_dot()):
        assert {*parse_graph(text)[0].undirected_edges} == {*g.undirected_edges}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the text of the graph is empty"),
        ("# a comment\n", "the text of the graph is empty"),
        ("a-b", "the edge list 'a-b' has no edge"),
        ("a b", "neither an edge nor a comma between them"),
        ("a ->", "the edge list ends with '->'"),
        ("a ->, b", "'->' in the edge list lacks a node on one side"),
        ("-> b", "'->' in the edge list lacks a node on one side"),
        ("a -> a", "self-loop at a"),
        ("a -> b -> c -> a", "directed cycle"),
        ("digraph { a -> b", "not understood at 'a -> b'"),
        ("digraph { a -> b [dir=none }", "not understood at"),
        ("digraph { a -> b }\ndigraph { a }", "continues after its closing }"),
        ("digraph { subgraph s { a } }", "subgraphs and ports"),
        ("digraph { a -- b }", "in a digraph write a -> b"),
        ("graph { a -> b }", "in a graph write a -- b"),
        ("{", "not valid JSON"),
        ("{}", 'needs "nodes"'),
        ('{"nodes": ["a"], "edges": [["a", "b"]]}', "unknown node b; the nodes are a"),
        ('{"nodes": ["a", "a"]}', "duplicate node label a"),
        ('{"nodes": [{"id": {}}]}', "must be text, a number or a list of these, not {}"),
        ('{"nodes": ["a"], "edges": [{"from": "a"}]}', 'needs "source" and "target"'),
        ('[{"nodes": []}, {"nodes": []}]', 'needs "nodes"'),
        ("[[0, 1], [1]]", "the matrix must be square"),
        ("a,b\n0,1\n1,0", "has no edge"),
        ("[" * 10**5, "not valid JSON"),
        ('{"nodes": ["a"], "edges": 3}', "must be a list, not 3"),
        ("digraph { a <- b }", "not understood at 'a <- b }'"),
        ("digraph { a - b }", "not understood at 'a - b }'"),
        ('digraph { "a }', "not understood at '\"a }'"),
        ('"a -> b', "unexpected '\"'"),
        ("a -> b /* c", "begins with /* and does not end"),
    ],
)
def test_errors(text: str, words: str) -> None:
    with pytest.raises(cz.GraphError) as caught:
        parse_graph(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("begin", "repeated", "end"),
    [
        ('"', '\\"', ""), ("", "/*", ""), ("a", " ", "b"), ("digraph { ", '"\\', ""), ("digraph { a", " ", ""),
        ("", "graph ", ""), ("", "strict ", ""), ("", "a -> ", ""), ("", "-", ""), ("", "#", "\n"), ("", "{", ""),
        ("", "0,1\n", ""),
    ],
)  # fmt: skip
def test_long_malformed_text_ends_in_an_error(begin: str, repeated: str, end: str) -> None:
    text = begin + repeated * 200_000 + end
    # Linear time takes a fraction of a second. Quadratic time would take hours and fail by the time limit of a test.
    with pytest.raises(cz.GraphError):
        parse_graph(text)
