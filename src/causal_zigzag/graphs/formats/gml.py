"""Texts of graphs as DoWhy and dagitty have them: the part of GML, and of ``dag { ... }``, that such graphs need."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.formats.edge_list import read_edge_list

if TYPE_CHECKING:
    from collections.abc import Hashable

    from causal_zigzag.graphs.adjacency_matrix import MarkedEdge

_TEXT = r'"[^"]*+"'
_GML = re.compile(r"(?:Creator\s+\"[^\"]*\"\s*)?(?:Version\s+\S+\s*)?graph\s*\[", re.IGNORECASE)
_ITEM = re.compile(rf"\b(?P<kind>node|edge)\s*\[(?P<body>(?:{_TEXT}|[^\]\"])*+)\]", re.IGNORECASE)
_FIELD = re.compile(rf"\b(?P<key>id|label|source|target)\s+(?P<value>{_TEXT}|[^\s\]]++)", re.IGNORECASE)
_DIRECTED = re.compile(r"\bdirected\s+1", re.IGNORECASE)
_DAGITTY = re.compile(
    r"(?:dag|pdag)\b\s*(?:\"[^\"]*\"\s*|\w+\s*)?\{(?P<body>.*)\}\s*;?\s*\Z", re.IGNORECASE | re.DOTALL
)
_ATTRIBUTES = re.compile(rf"\[(?:{_TEXT}|[^\]\"])*+\]")


def is_gml(text: str) -> bool:
    """Whether the text begins as GML does."""
    return _GML.match(text) is not None


def read_gml(text: str) -> tuple[list[Hashable], list[MarkedEdge]]:
    """The nodes, by their labels, and the edges of a graph in GML.

    >>> read_gml('graph[directed 1 node[id "a" label "a"] node[id "b" label "b"] edge[source "a" target "b"]]')
    (['a', 'b'], [('a', 'b', True)])
    """
    names: dict[str, Hashable] = {}
    ends: list[tuple[str, str]] = []
    for item in _ITEM.finditer(text):
        fields = {one["key"].lower(): one["value"].strip('"') for one in _FIELD.finditer(item["body"])}
        needed = ("id",) if item["kind"].lower() == "node" else ("source", "target")
        if any(key not in fields for key in needed):
            raise GraphError(f"{item[0][:60]!r} in the GML text lacks its {' or '.join(needed)}")
        if len(needed) == 1:
            names[fields["id"]] = fields.get("label", fields["id"])
        else:
            ends.append((fields["source"], fields["target"]))
    for x in (x for edge in ends for x in edge if x not in names):
        raise GraphError(f"the GML text has an edge at the node {x!r}, but no such node")
    directed = _DIRECTED.search(text) is not None
    return [*names.values()], [(names[x], names[y], directed) for x, y in ends]


def is_dagitty(text: str) -> bool:
    """Whether the text is a graph of dagitty."""
    return _DAGITTY.match(text) is not None


def read_dagitty(text: str) -> tuple[list[Hashable], list[MarkedEdge]]:
    """The nodes and edges of a graph of dagitty, without its attributes.

    >>> read_dagitty('dag { bb="0,0,1,1" x [exposure,pos="0,1"] x -> y }')
    (['x', 'x', 'y'], [('x', 'y', True)])
    """
    found = _DAGITTY.match(text)
    assert found is not None
    if "<->" in found["body"]:
        raise GraphError("the graph has an edge <->, which stands for a hidden common cause, and no DAG has it")
    body = re.sub(rf"\bbb\s*=\s*{_TEXT}", "", found["body"])
    body = _ATTRIBUTES.sub(";", body)  # an attribute ends a statement
    return read_edge_list(re.sub(r"--(?=\S)", "-- ", body))
