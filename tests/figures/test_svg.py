"""SVG images: well-formed and accessible, with all nodes and edges; any label is safe."""

import itertools
import re
from xml.etree import ElementTree

import pytest

import causal_zigzag as cz
from causal_zigzag.figures.label_text import printable, shortened, text_width
from causal_zigzag.figures.posterior_scenes import consensus_edges
from causal_zigzag.figures.scene import DrawnEdge
from causal_zigzag.figures.svg import MOST_NODES, graph_svg, notebook_svg
from causal_zigzag.graphs.edge_graph import EdgeGraph

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "]]>",
    "&amp;",
    "--><!--",
    "a\x00b\x1f",
    "\u202egnol",
    "line\nbreak\ttab",
    "",
    "</style><style>*{display:none}",
    "統計的因果探索の変数",
    "x" * 500,
    3.5,
    ("pair", 1),
    None,
]


def parsed(text: str | None) -> ElementTree.Element:
    assert text is not None
    return ElementTree.fromstring(text)


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if name in element.get("class", "").split()]


def test_an_image_has_all_nodes_and_edges() -> None:
    g = cz.CPDAG.from_dag([("a", "c"), ("b", "c"), ("d", "e")])
    root = parsed(g._repr_svg_())
    assert len(of_class(root, "arrow")) == len(list(root.iter(f"{SVG}polygon"))) == 2
    assert len(of_class(root, "line")) == 1
    assert [node.find(f"{SVG}text").text for node in of_class(root, "node")] == ["a", "c", "b", "d", "e"]  # type: ignore[union-attr]
    titles = [edge.find(f"{SVG}title").text for edge in of_class(root, "edge")]  # type: ignore[union-attr]
    assert titles == ["a → c", "b → c", "d – e"]


def test_an_image_has_a_title_and_a_description() -> None:
    root = parsed(graph_svg(["a", "b"], [("a", "b")], title="Of a and b"))
    assert root.get("role") == "img"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert (title.text, desc.text) == ("Of a and b", "Edges: a → b")
    other = parsed(graph_svg(["a", "b"], [("b", "a")], title="Of a and b"))
    assert other.get("aria-labelledby") != root.get("aria-labelledby")
    many = graph_svg(range(20), [(i, j) for i in range(20) for j in range(i)])
    assert "and 90 more</desc>" in many


def test_hostile_names_are_escaped() -> None:
    edges = [DrawnEdge(a, b, note=f"</title>{a}") for a, b in itertools.pairwise(HOSTILE)]
    text = graph_svg(HOSTILE, edges, title="</title><script>")
    root = parsed(text)
    allowed = {"svg", "title", "desc", "style", "rect", "g", "path", "polygon", "text"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed
    assert len(of_class(root, "node")) == len(HOSTILE)
    assert not any(name.startswith("on") or "href" in name for element in root.iter() for name in element.keys())  # noqa: SIM118
    assert "<script>alert(1)</script>" in [node.find(f"{SVG}title").text for node in of_class(root, "node")]  # type: ignore[union-attr]
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    text.encode("utf-8")


def test_long_labels_are_shortened_and_given_in_full_as_titles() -> None:
    name = "concentration_of_a_protein_in_the_left_sample"
    (node,) = of_class(parsed(graph_svg([name], [])), "node")
    shown, full = node.find(f"{SVG}text"), node.find(f"{SVG}title")
    assert shown is not None
    assert full is not None
    assert full.text == name
    assert shown.text is not None
    assert re.fullmatch(r"concentr.*….*t_sample", shown.text)
    for text in ("", "a", "W" * 40, "i" * 60, "語" * 30, name):
        assert text_width(shortened(text)) <= text_width("n" * 26)
    assert shortened("short") == "short"


def test_printable_text_is_not_changed() -> None:
    assert printable("Aβ42 – naïve 語") == "Aβ42 – naïve 語"
    assert printable(" a\n b ") == "a b"
    assert printable("a\x07") == "a\N{REPLACEMENT CHARACTER}"


def test_edges_of_larger_weight_are_wider_and_darker() -> None:
    root = parsed(graph_svg(["a", "b", "c"], [("a", "b", True, 0.1), ("b", "c", False, 0.9)]))
    weak, strong = of_class(root, "edge")
    assert float(weak.get("opacity", "")) < 0.3 < 0.9 < float(strong.get("opacity", ""))
    widths = [float(edge.find(f"{SVG}path").get("stroke-width", "")) for edge in (weak, strong)]  # type: ignore[union-attr]
    assert widths[0] < 1 < 1.8 < widths[1]


def test_edges_of_the_consensus_have_their_probabilities() -> None:
    table = cz.datasets.linear_gaussian([("a", "c"), ("b", "c"), ("d", "e")], 2000, rng=3)
    posterior = cz.sample(table, jumps=5000, rng=1)
    edges = posterior.edge_probabilities()
    drawn = {(edge.x, edge.y): edge for edge in consensus_edges(posterior, 0.5)}
    assert {("a", "c"), ("b", "c"), ("d", "e")} == set(drawn)
    assert drawn["a", "c"].directed
    assert drawn["b", "c"].directed
    assert not drawn["d", "e"].directed
    at = {v: i for i, v in enumerate(edges.nodes)}
    assert drawn["a", "c"].weight == pytest.approx(edges.directed[at["a"], at["c"]])
    assert drawn["d", "e"].weight == pytest.approx(edges.adjacent[at["d"], at["e"]])
    assert drawn["a", "c"].note.startswith("joined 1.00: → ")


def test_large_graphs_are_shown_as_text() -> None:
    assert notebook_svg(cz.CPDAG.empty(MOST_NODES)) is not None
    assert cz.CPDAG.empty(MOST_NODES + 1)._repr_svg_() is None
    assert cz.CPDAG.complete(60)._repr_svg_() is None


def test_an_edge_graph_has_an_image() -> None:
    graph = EdgeGraph(("a", "b", "c"), (("a", "b"), ("b", "c"), ("c", "a")), ())
    assert len(of_class(parsed(graph._repr_svg_()), "arrow")) == 3


def test_the_graph_without_nodes_has_an_image() -> None:
    assert len(list(parsed(cz.CPDAG.empty(0)._repr_svg_()))) == 4


def test_an_unknown_node() -> None:
    with pytest.raises(cz.GraphError, match="unknown node z"):
        graph_svg(["a", "b"], [("a", "z")])
