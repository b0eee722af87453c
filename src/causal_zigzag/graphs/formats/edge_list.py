"""Edge lists such as ``a -> b, b - c``: written on one line, read from any number of lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.formats.quoting import quoted, unescaped
from causal_zigzag.graphs.labels import distinct_texts

if TYPE_CHECKING:
    from collections.abc import Hashable

    from causal_zigzag.graphs.adjacency_matrix import MarkedEdge
    from causal_zigzag.graphs.mixed_graph import MixedGraph

# Possessive quantifiers keep the scan linear in the length of the text, whatever the text is.
# A name without quotes may contain hyphens (IL-6), so a line between names needs spaces around it; arrows do not.
_TOKEN = re.compile(
    r"""[ \t\r\f\v]*+(?:
        "(?P<quoted>(?:[^"\\]|\\.)*+)(?P<closed>"?)
      | (?P<mark>->|<-|→|←|—|--?(?=\s|\Z))
      | (?P<end>[,;\n])
      | (?P<bare>(?:(?!->|<-)[^\s,;"→←—])++)
      | (?P<wrong>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_REVERSED = ("<-", "←")
_ARROWS = ("->", "→", *_REVERSED)


def edge_list(g: MixedGraph) -> str:
    """The graph as an edge list on one line, with the nodes without edges at the end.

    >>> import causal_zigzag as cz
    >>> edge_list(cz.CPDAG.from_edges("a b c d".split(), directed=[("a", "c"), ("b", "c")]))
    'a -> c, b -> c, d'
    """
    names = [_name(text) for text in distinct_texts(g.nodes)]
    directed, undirected = g.core.directed_edges(), g.core.undirected_edges()
    edges = [f"{names[x]} -> {names[y]}" for x, y in directed] + [f"{names[x]} - {names[y]}" for x, y in undirected]
    joined = {v for edge in (*directed, *undirected) for v in edge}
    return ", ".join([*edges, *(name for v, name in enumerate(names) if v not in joined)])


def read_edge_list(text: str) -> tuple[list[Hashable], list[MarkedEdge]]:
    """The nodes and edges: names and marks alternate, so that `a -> b - c` is two edges.

    A comma, a semicolon or the end of a line ends a chain of edges.
    """
    nodes: list[Hashable] = []
    edges: list[MarkedEdge] = []
    last: str | None = None
    mark: str | None = None
    hyphen = False
    for found in _TOKEN.finditer(text.strip()):
        kind = found.lastgroup
        if kind == "wrong" or (kind == "closed" and not found["closed"]):
            raise GraphError(
                f'unexpected {found["wrong"] or chr(34)!r} in the edge list; quote names with special characters: "a b"'
            )
        if kind in ("end", "mark"):
            if mark is not None or (kind == "mark" and last is None):
                raise GraphError(
                    f"{mark or found['mark']!r} in the edge list lacks a node on one side; write a -> b or a - b"
                )
            mark, last = (found["mark"], last) if kind == "mark" else (None, None)
            continue
        name = found["bare"] or unescaped(found["quoted"])
        hyphen = hyphen or "-" in (found["bare"] or "")
        if last is not None and mark is None:
            raise GraphError(
                f"{last!r} and {name!r} in the edge list have neither an edge nor a comma between them; quote names "
                "that have spaces"
            )
        if last is not None and mark is not None:
            ends = (name, last) if mark in _REVERSED else (last, name)
            edges.append((*ends, mark in _ARROWS))
        nodes.append(name)
        last, mark = name, None
    if mark is not None:
        raise GraphError(f"the edge list ends with {mark!r}; a node must follow")
    if not edges and (len({*nodes}) < len(nodes) or hyphen):  # such as a-b, or a matrix
        raise GraphError(f"the edge list {text[:40]!r} has no edge; write a -> b or a - b, with spaces around a line")
    return nodes, edges


def _name(text: str) -> str:
    """The name without quotes if it can be read so, else in quotes."""
    found = _TOKEN.fullmatch(text)
    plain = found is not None and found["bare"] == text and text[0] != "#" and "-" not in text and "/" not in text
    return text if plain else quoted(text)
