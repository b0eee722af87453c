"""Graphs written for other packages are read by those packages, and node-link JSON is read here as well."""

import json
import re
import sys
from typing import Any

import networkx as nx
import numpy as np
import pytest

import causal_zigzag as cz
from random_graphs import mixed_dag

ODD = ["plain", 'say "x"', "<&>'", "back\\slash", "two words", "é→", "a;b", "{c}", "x->y", "1", "-", "#h"]


def mixed_graph(nodes: Any) -> cz.CPDAG:
    """Arrows and lines among the first seven of the nodes, the others alone."""
    a, b, c, d, e, f, *_ = nodes
    return cz.CPDAG.from_edges(nodes, directed=[(a, c), (b, c), (c, d)], undirected=[(e, f)])


GRAPHS = [
    cz.CPDAG.empty(1),
    cz.CPDAG.complete(["x", "y", "z"]),
    mixed_graph(ODD),
    cz.CPDAG.from_dag(mixed_dag(12, np.random.default_rng(1))),
]


def same(g: cz.CPDAG, read: "nx.DiGraph[Any]") -> bool:
    made = cz.CPDAG.from_networkx(read)
    order = [made.nodes.index(v) for v in g.nodes]
    return bool(np.array_equal(made.matrix()[np.ix_(order, order)], g.matrix()))


@pytest.mark.parametrize("g", [*GRAPHS, mixed_graph(["a", 2, 2.5, True, ("t", 1), "é\n", "2"])])
def test_node_link_json_round_trips(g: cz.CPDAG) -> None:
    assert cz.CPDAG.from_json(g.to_json()) == g
    assert same(g, nx.node_link_graph(json.loads(g.to_json()), edges="edges"))
    written, own = nx.node_link_data(g.to_networkx(), edges="edges"), json.loads(g.to_json())
    assert own.keys() == written.keys()
    for edges in ("edges", "links"):
        assert cz.CPDAG.from_json(json.dumps(nx.node_link_data(g.to_networkx(), edges=edges))) == g


def test_nested_tuples_as_json() -> None:
    g = cz.CPDAG.complete([("t", (1, (None, "u"))), "x"])
    assert cz.CPDAG.from_json(g.to_json()) == g


def test_node_link_json_of_an_undirected_networkx_graph() -> None:
    text = json.dumps(nx.node_link_data(nx.path_graph(3), edges="edges"))
    assert cz.CPDAG.from_json(text) == cz.CPDAG.from_dag([(0, 1), (1, 2)])


@pytest.mark.parametrize("bad", ["", "[]", "{}", "null", '{"nodes": [{"id": {}}], "edges": []}', "[" * 10**5, 3])
def test_invalid_json(bad: Any) -> None:
    with pytest.raises(cz.GraphError):
        cz.CPDAG.from_json(bad)
    with pytest.raises(cz.GraphError, match="unknown node"):
        cz.CPDAG.from_json('{"nodes": [], "edges": [{"source": 1, "target": 2}]}')


@pytest.mark.parametrize("label", [float("inf"), frozenset(), b"b"])
def test_labels_that_cannot_be_json(label: Any) -> None:
    with pytest.raises(cz.GraphError, match="cannot be written as JSON"):
        cz.CPDAG.empty([label]).to_json()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pydot's, about its own reader
@pytest.mark.parametrize("g", GRAPHS)
def test_pydot_reads_the_dot(g: cz.CPDAG) -> None:
    pydot = pytest.importorskip("pydot")
    (read,) = pydot.graph_from_dot_data(g.to_dot())

    def text(name: str) -> str:
        return re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith('"') else name

    assert [text(node.get_name()) for node in read.get_nodes()] == [str(v) for v in g.nodes]
    found = [(text(e.get_source()), text(e.get_destination()), e.get("dir")) for e in read.get_edges()]
    assert found == [
        *((str(x), str(y), None) for x, y in g.directed_edges),
        *((str(x), str(y), "none") for x, y in g.undirected_edges),
    ]


def test_labels_with_the_same_text_stay_distinct() -> None:
    g = cz.CPDAG.complete([1, "1"])
    for text in (g.to_tetrad(), g.to_dot()):
        assert "'1'" in text
        assert "1" in text.replace("'1'", "")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "networkx"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(cz.MissingDependencyError, match=r"to_networkx needs networkx; .*causal-zigzag\[networkx\]"):
        cz.CPDAG.empty(2).to_networkx()
