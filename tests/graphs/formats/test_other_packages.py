"""Graphs written for other packages are read by those packages, and node-link JSON is read here as well."""

import json
import re
import sys
from pathlib import Path
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


def in_texts(g: cz.CPDAG) -> cz.CPDAG:
    return cz.CPDAG.from_matrix(g.matrix(), [str(v) for v in g.nodes])


def same(g: cz.CPDAG, read: "nx.DiGraph[Any]") -> bool:
    made = cz.CPDAG.from_networkx(read)
    order = [made.nodes.index(v) for v in g.nodes]
    return bool(np.array_equal(made.matrix()[np.ix_(order, order)], g.matrix()))


@pytest.mark.parametrize("g", GRAPHS)
def test_networkx_reads_the_graphml(g: cz.CPDAG) -> None:
    read = nx.parse_graphml(g.to_graphml())
    assert same(in_texts(g), read)
    kinds = nx.get_edge_attributes(read, "kind")
    assert sum(kind == "directed" for kind in kinds.values()) == len(g.directed_edges)
    assert sum(kind == "undirected" for kind in kinds.values()) == 2 * len(g.undirected_edges)


def test_special_characters_in_graphml() -> None:
    g = cz.CPDAG.complete(["a\nb", "c\td"])
    assert set(nx.parse_graphml(g.to_graphml()).nodes) == {"a\nb", "c\td"}
    with pytest.raises(cz.GraphError, match=re.escape(r"the label 'a\x00' has a control character")):
        cz.CPDAG.empty(["a\0"]).to_graphml()


@pytest.mark.parametrize("g", [*GRAPHS, mixed_graph(["a", 2, 2.5, True, ("t", 1), "é\n\udc80", "2"])])
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


def read_dagitty(text: str) -> tuple[list[str], list[tuple[str, str, str]]]:
    """After the grammar of dagitty's own parser: in a string, only backslash and quote together mean something else."""
    token = re.compile(r'\s*(?:"((?:\\"|\\(?!")|[^"\\\x00-\x1f\x7f])+)"|(->|--)|(pdag \{)|(\}))')
    nodes, edges, at, before, mark = [], [], 0, None, None
    while at < len(text):
        found = token.match(text, at)
        assert found, text[at:]
        at = found.end()
        name, arrow, _, _ = found.groups()
        if arrow:
            mark = arrow
        elif name is not None:
            name = name.replace('\\"', '"')
            if mark:
                edges.append((nodes.pop(), name, mark))
                mark = None
            else:
                nodes.append(name)
    assert before is None
    return nodes, edges


@pytest.mark.parametrize("g", GRAPHS)
def test_dagitty(g: cz.CPDAG) -> None:
    nodes, edges = read_dagitty(g.to_dagitty())
    assert nodes == [str(v) for v in g.nodes]
    assert edges == [
        *((str(x), str(y), "->") for x, y in g.directed_edges),
        *((str(x), str(y), "--") for x, y in g.undirected_edges),
    ]


@pytest.mark.parametrize("label", ["a\n", "end\\", 'a\\"b', ""])
def test_labels_that_cannot_be_written_for_dagitty(label: str) -> None:
    with pytest.raises(cz.GraphError, match="cannot be written for dagitty"):
        cz.CPDAG.empty([label]).to_dagitty()


def test_labels_with_the_same_text_stay_distinct() -> None:
    g = cz.CPDAG.complete([1, "1"])
    for text in (g.to_graphml(), g.to_dagitty(), g.to_dot()):
        assert '"1"' in text
        assert "'1'" in text.replace("&apos;", "'")


@pytest.mark.parametrize("g", GRAPHS)
def test_causallearn(g: cz.CPDAG) -> None:
    pytest.importorskip("causallearn")
    made = g.to_causallearn()
    m = g.matrix().astype(int)
    # causal-learn: graph[j, i] = 1 and graph[i, j] = -1 for i -> j, both -1 for i - j
    assert np.array_equal(made.graph, np.where(m & m.T, -1, m.T - m))
    assert made.get_node_names() == [str(v) for v in g.nodes]


@pytest.mark.nosanitize
@pytest.mark.parametrize("g", GRAPHS)
@pytest.mark.filterwarnings("ignore")  # of others, while they are imported
def test_pgmpy(g: cz.CPDAG) -> None:
    pytest.importorskip("pgmpy")
    made = g.to_pgmpy()
    assert set(made.nodes) == set(g.nodes)
    assert {tuple(e) for e in made.directed_edges} == set(g.directed_edges)
    assert {frozenset(e) for e in made.undirected_edges} == {frozenset(e) for e in g.undirected_edges}


@pytest.mark.parametrize(
    ("module", "ask", "words"),
    [
        ("causallearn", lambda g, path: g.to_causallearn(), "pip install causal-learn"),
        ("pgmpy", lambda g, path: g.to_pgmpy(), "pip install pgmpy"),
        ("networkx", lambda g, path: g.to_networkx(), r"to_networkx needs networkx; .*causal-zigzag\[networkx\]"),
        ("networkx", lambda g, path: g.to_graphml(), r"to_graphml needs networkx; .*causal-zigzag\[networkx\]"),
        ("pyarrow", lambda g, path: cz.exact_posterior(cz.Uniform(2)).export_edges(path), r"causal-zigzag\[parquet\]"),
    ],
)
def test_a_missing_package_is_named(
    module: str, ask: Any, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(cz.MissingDependencyError, match=words):
        ask(cz.CPDAG.empty(2), tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())
