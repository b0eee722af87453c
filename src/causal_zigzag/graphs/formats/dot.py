"""The DOT language of Graphviz: written for every graph, and the part of it read that such graphs need.

Read by hand rather than by pydot, which is an extra package, takes 1.7 ms per edge and prints errors to stdout.
"""

from __future__ import annotations

import itertools
import re
import reprlib
from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.formats.quoting import quoted, unescaped
from causal_zigzag.graphs.labels import distinct_texts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from causal_zigzag.graphs.adjacency_matrix import MarkedEdge
    from causal_zigzag.graphs.mixed_graph import MixedGraph

_HEADER = re.compile(r"(?:strict\s+)?(?P<kind>(?:di)?graph)\b[^,>{]*+\{[\s;,]*+", re.IGNORECASE)

# Possessive quantifiers keep the scan linear in the length of the text.
_NAME = r'(?:"(?:[^"\\]|\\.)*+"|-?[\w.](?:(?!->|--)[^\s{}\[\];,=:"<>])*+)'
_STATEMENT = re.compile(
    rf"""\s*+(?P<names>{_NAME}(?:\s*+(?:->|--)\s*+{_NAME})*+)\s*+
         (?P<setting>=\s*+{_NAME})?+
         (?P<attributes>(?:\[(?:{_NAME}|[^\]"])*+\]\s*+)*+)
         (?=[\s;,}}]|{_NAME})[\s;,]*+""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(rf"(?P<key>{_NAME})\s*+=\s*+(?P<value>{_NAME})", re.DOTALL)


def dot(g: MixedGraph) -> str:
    """See ``MixedGraph.to_dot``."""
    ids = [quoted(text) for text in distinct_texts(g.nodes)]
    lines = [f"  {name};" for name in ids]
    lines += [f"  {ids[x]} -> {ids[y]};" for x, y in g.core.directed_edges()]
    lines += [f"  {ids[x]} -> {ids[y]} [dir=none];" for x, y in g.core.undirected_edges()]
    return "\n".join(["digraph {", *lines, "}"])


def dot_of_marks(nodes: tuple[Hashable, ...], edges: Iterable[tuple[int, str, int]]) -> str:
    """See ``MarkedGraph.to_dot``."""
    ids = [quoted(text) for text in distinct_texts(nodes)]
    looks = {"-->": "", "<->": " [dir=both]", "o->": " [dir=both, arrowtail=odot]",
             "o-o": " [dir=both, arrowtail=odot, arrowhead=odot]"}  # fmt: skip
    lines = [f"  {ids[x]} -> {ids[y]}{looks[word]};" for x, word, y in edges]
    return "\n".join(["digraph {", *(f"  {name};" for name in ids), *lines, "}"])


def is_dot(text: str) -> bool:
    """Whether the text, without comments, begins as a DOT graph does."""
    return _HEADER.match(text) is not None


def read_dot(text: str) -> tuple[list[Hashable], list[MarkedEdge]]:
    """The nodes and edges of a graph without subgraphs and ports; of attributes, those that set arrowheads count."""
    header = _HEADER.match(text)
    assert header is not None
    directed = header["kind"].lower() == "digraph"
    arrow, wrong = ("->", "--") if directed else ("--", "->")
    nodes: list[Hashable] = []
    edges: list[MarkedEdge] = []
    of_edges: dict[str, str] = {}  # attributes of all edges that follow
    at = header.end()
    while not text.startswith("}", at):
        found = _STATEMENT.match(text, at)
        is_edges = found is not None and wrong not in re.sub(_NAME, "", found["names"])
        if found is None or not is_edges or found["names"].lower() == "subgraph":
            raise GraphError(
                f"the DOT text is not understood at {reprlib.repr(text[at:])}; in a {header['kind'].lower()} write "
                f"a {arrow} b, without subgraphs and ports, and close what was opened"
            )
        at = found.end()
        names = [_text(name) for name in re.findall(_NAME, found["names"])]
        pairs = ((_text(one["key"]), _text(one["value"])) for one in _ATTRIBUTE.finditer(found["attributes"]))
        own = {key.lower(): value.lower() for key, value in pairs}
        keyword = names[0].lower() if len(names) == 1 else ""
        if keyword == "edge":
            of_edges |= own
        elif not found["setting"] and keyword not in ("graph", "node"):
            nodes += names
            own = of_edges | own
            direction = own.get("dir", "none" if own.get("arrowhead") == "none" else "forward")
            ends = [(y, x) if direction == "back" else (x, y) for x, y in itertools.pairwise(names)]
            edges += [(x, y, directed and direction in ("forward", "back")) for x, y in ends]
    if text[at + 1 :].strip(" \t\r\n;"):
        raise GraphError("the DOT text continues after its closing }; it must contain one graph")
    return nodes, edges


def _text(name: str) -> str:
    return unescaped(name[1:-1]) if name.startswith('"') else name
