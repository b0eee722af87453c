"""The DOT language of Graphviz: written for every graph, and the part of it read that such graphs need.

Read by hand rather than by pydot, which is an extra package, takes 1.7 ms per edge and prints errors to stdout.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.formats.quoting import quoted, unescaped
from causal_zigzag.graphs.labels import distinct_texts

if TYPE_CHECKING:
    from collections.abc import Hashable

    from causal_zigzag.graphs.adjacency_matrix import MarkedEdge
    from causal_zigzag.graphs.mixed_graph import MixedGraph

_HEADER = re.compile(r"(strict\s+)?(di)?graph\b[^,>{]*+\{", re.IGNORECASE)

# Possessive quantifiers keep the scan linear in the length of the text.
_TOKEN = re.compile(
    r"""\s*+(?:
        "(?P<quoted>(?:[^"\\]|\\.)*+)(?P<closed>"?)
      | (?P<sign>->|--|[{}\[\];,=:])
      | (?P<bare>-?[\w.](?:(?!->|--)[^\s{}\[\];,=:"<>])*+)
      | (?P<wrong>.)
    )""",
    re.VERBOSE | re.DOTALL,
)


def dot(g: MixedGraph) -> str:
    """See ``MixedGraph.to_dot``."""
    ids = [quoted(text) for text in distinct_texts(g.nodes)]
    lines = [f"  {name};" for name in ids]
    lines += [f"  {ids[x]} -> {ids[y]};" for x, y in g.core.directed_edges()]
    lines += [f"  {ids[x]} -> {ids[y]} [dir=none];" for x, y in g.core.undirected_edges()]
    return "\n".join(["digraph {", *lines, "}"])


def is_dot(text: str) -> bool:
    """Whether the text, without comments, begins as a DOT graph does."""
    return _HEADER.match(text) is not None


def read_dot(text: str) -> tuple[list[Hashable], list[MarkedEdge]]:
    """The nodes and edges of a graph without subgraphs and ports; of attributes, those that set arrowheads count."""
    return _Reader(text).graph()


class _Reader:
    """A reader of the statements of one graph, with one token of lookahead.

    A token is a sign such as ``->``, or a name, which has a quote before it to distinguish the two.
    """

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.finditer(text.rstrip())
        self._next = self._read()
        self._nodes: list[Hashable] = []
        self._edges: list[MarkedEdge] = []
        self._edge_attributes: dict[str, str] = {}

    def graph(self) -> tuple[list[Hashable], list[MarkedEdge]]:
        kind = self._take().lower()
        if kind == '"strict':
            kind = self._take().lower()
        kind = kind.removeprefix('"')
        while self._take() != "{":
            pass
        while self._next != "}":
            if self._next in (";", ","):
                self._take()
            else:
                self._statement(kind)
        self._take()
        while self._next == ";":
            self._take()
        if self._next:
            raise GraphError("the DOT text continues after its closing }; it must contain one graph")
        return self._nodes, self._edges

    def _statement(self, kind: str) -> None:
        names = [self._name(kind)]
        if self._next == "=":  # an attribute of the graph
            self._take()
            self._take()
            return
        while self._next in ("->", "--"):
            if self._take() != _arrow(kind):
                raise self._not_understood(kind)
            names.append(self._name(kind))
        attributes: dict[str, str] = {}
        while self._next == "[":
            attributes |= self._attributes()
        keyword = names[0].lower()
        if keyword == "edge" and len(names) == 1:
            self._edge_attributes |= attributes
        elif keyword not in ("graph", "node") or len(names) > 1:
            self._add(names, self._edge_attributes | attributes, kind)

    def _add(self, names: list[str], attributes: dict[str, str], kind: str) -> None:
        self._nodes += names
        direction = attributes.get("dir", "none" if attributes.get("arrowhead") == "none" else "forward")
        for x, y in itertools.pairwise(names):
            ends = (y, x) if direction == "back" else (x, y)
            self._edges.append((*ends, kind == "digraph" and direction in ("forward", "back")))

    def _attributes(self) -> dict[str, str]:
        self._take()
        found: dict[str, str] = {}
        while self._next != "]":
            if self._next in (",", ";"):
                self._take()
                continue
            if not self._next:
                raise GraphError("the DOT text ends inside [...]")
            key = self._take().removeprefix('"').lower()
            if self._next == "=":
                self._take()
                found[key] = self._take().removeprefix('"').lower()
        self._take()
        return found

    def _name(self, kind: str) -> str:
        token = self._take()
        if token in ("{", ":") or self._next == ":" or token.lower() == '"subgraph':
            raise GraphError("subgraphs and ports of DOT are not supported; write each edge on its own")
        if not token.startswith('"'):
            raise self._not_understood(kind)
        return token[1:]

    def _not_understood(self, kind: str) -> GraphError:
        return GraphError(f"a DOT statement is not understood; in a {kind} write a {_arrow(kind)} b")

    def _take(self) -> str:
        if not self._next:
            raise GraphError("the DOT text ends before its closing }")
        token, self._next = self._next, self._read()
        return token

    def _read(self) -> str:
        """The next token, empty at the end of the text."""
        found = next(self._tokens, None)
        if found is None:
            return ""
        if found["sign"]:
            return found["sign"]
        if found["bare"]:
            return '"' + found["bare"]
        if found["wrong"] or not found["closed"]:
            raise GraphError(f"unexpected {found['wrong'] or chr(34)!r} in the DOT text")
        return '"' + unescaped(found["quoted"])


def _arrow(kind: str) -> str:
    return "--" if kind == "graph" else "->"
