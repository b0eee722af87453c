"""Node-link JSON, the form of networkx: the one way in which graphs are written as JSON here.

By hand, since the command line writes it without networkx, and errors are to name what is wrong.
"""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.adjacency_matrix import MarkedEdge, Matrix, marked_edge_matrix
from causal_zigzag.graphs.labels import Labels

if TYPE_CHECKING:
    from causal_zigzag.graphs.mixed_graph import MixedGraph

DEEPEST = 20  # lists within lists in a label

UNDIRECTED = (False, "undirected", "-", "--")
"""Values of an edge's "kind", "type" or "directed" that make it undirected."""


def node_link(g: MixedGraph) -> dict[str, Any]:
    """The graph as ``networkx.node_link_data`` gives it; an undirected edge is two opposite edges.

    >>> import causal_zigzag as cz
    >>> node_link(cz.CPDAG.from_dag([("a", "c"), ("b", "c")]))["edges"][0]
    {'source': 'a', 'target': 'c', 'kind': 'directed'}
    """
    names = [json_label(label) for label in g.nodes]
    arcs = [(x, y, "directed") for x, y in g.core.directed_edges()]
    for x, y in g.core.undirected_edges():
        arcs += [(x, y, "undirected"), (y, x, "undirected")]
    return {
        "directed": True,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": name} for name in names],
        "edges": [{"source": names[x], "target": names[y], "kind": kind} for x, y, kind in arcs],
    }


def json_label(label: Hashable) -> Any:
    """A label as JSON has it; a tuple becomes a list."""
    plain = label.item() if isinstance(label, np.generic) else label
    if type(plain) is tuple:
        return [json_label(part) for part in plain]
    finite = type(plain) is float and math.isfinite(plain)
    if plain is None or finite or type(plain) in (bool, int, str):
        return plain
    raise GraphError(
        f"the label {label!r} cannot be written as JSON; rename the node: labels must be str, int, finite float, bool, "
        "None or tuples of these"
    )


def read_json(text: str) -> Any:
    """The value of a JSON text."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise GraphError(f"the text of the graph is not valid JSON: {error}") from None


def read_node_link(value: Any) -> tuple[Matrix, Labels]:
    """The matrix and the labels of parsed node-link JSON; nodes may also be plain labels, and edges pairs of labels."""
    if not isinstance(value, dict) or not isinstance(value.get("nodes"), list):
        raise GraphError('this is not a graph in node-link JSON: it needs "nodes", a list of names')
    nodes = [_label(v.get("id", v.get("name")) if isinstance(v, dict) else v) for v in value["nodes"]]
    edges = value.get("edges" if "edges" in value else "links") or []
    if not isinstance(edges, list):
        raise GraphError(f"the edges in the JSON of a graph must be a list, not {reprlib.repr(edges)}")
    marked = [_edge(edge, is_directed=bool(value.get("directed", True))) for edge in edges]
    return marked_edge_matrix(Labels(nodes), marked)


def _edge(edge: Any, is_directed: bool) -> MarkedEdge:
    try:
        x, y = (edge["source"], edge["target"]) if isinstance(edge, dict) else edge
    except (KeyError, TypeError, ValueError):
        raise GraphError(
            'an edge in the JSON of a graph needs "source" and "target", or is a pair of nodes, unlike '
            + reprlib.repr(edge)
        ) from None
    kinds = edge if isinstance(edge, dict) else {}
    kind = kinds.get("directed", kinds.get("kind", kinds.get("type", is_directed)))
    return _label(x), _label(y), kind not in UNDIRECTED


def _label(value: Any, depth: int = 0) -> Hashable:
    if isinstance(value, list) and depth < DEEPEST:
        return tuple(_label(part, depth + 1) for part in value)
    if isinstance(value, (dict, list)):
        raise GraphError(
            "a node in the JSON of a graph must be text, a number or a list of these, not " + reprlib.repr(value)
        )
    label: Hashable = value
    return label
