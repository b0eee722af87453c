"""A class as an object of another package: networkx (and GraphML through it), causal-learn, pgmpy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import GraphError, MissingDependencyError
from causal_zigzag.graphs.formats.node_link import arcs
from causal_zigzag.graphs.labels import distinct_texts

if TYPE_CHECKING:
    from collections.abc import Hashable

    import networkx as nx

    from causal_zigzag.graphs.mpdag import ClassGraph

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def networkx_graph(g: ClassGraph) -> nx.DiGraph[Hashable]:
    """See ``CPDAG.to_networkx``."""
    networkx = _networkx("to_networkx")
    if g.labels.find(None) is not None:
        raise GraphError("networkx does not allow a node with the label None; rename it")
    graph: nx.DiGraph[Hashable] = networkx.DiGraph()
    graph.add_nodes_from(g.nodes)
    graph.add_edges_from(g.directed_edges)
    for x, y in g.undirected_edges:
        graph.add_edges_from([(x, y), (y, x)])
    return graph


def graphml(g: ClassGraph) -> str:
    """See ``CPDAG.to_graphml``."""
    networkx = _networkx("to_graphml")
    texts = distinct_texts(g.nodes)
    for text in texts:
        if NOT_IN_XML.search(text):
            raise GraphError(f"the label {text!r} has a control character, which GraphML cannot contain; rename it")
    graph = networkx.DiGraph()
    graph.add_nodes_from(texts)
    graph.add_edges_from((texts[x], texts[y], {"kind": kind}) for x, y, kind in arcs(g))
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *networkx.generate_graphml(graph), ""])


def _networkx(caller: str) -> Any:
    try:
        import networkx
    except ImportError:
        raise MissingDependencyError(
            f"{caller} needs networkx; install it with: pip install 'causal-zigzag[networkx]'", name="networkx"
        ) from None
    return networkx


def causallearn(g: ClassGraph) -> Any:
    """See ``CPDAG.to_causallearn``."""
    try:
        from causallearn.graph.Edge import Edge
        from causallearn.graph.Endpoint import Endpoint
        from causallearn.graph.GeneralGraph import GeneralGraph
        from causallearn.graph.GraphNode import GraphNode
    except ImportError:
        raise MissingDependencyError(
            "to_causallearn needs causal-learn; install it with: pip install causal-learn", name="causallearn"
        ) from None
    nodes = [GraphNode(text) for text in distinct_texts(g.nodes)]
    graph = GeneralGraph(nodes)
    for x, y in g.core.directed_edges():
        graph.add_edge(Edge(nodes[x], nodes[y], Endpoint.TAIL, Endpoint.ARROW))
    for x, y in g.core.undirected_edges():
        graph.add_edge(Edge(nodes[x], nodes[y], Endpoint.TAIL, Endpoint.TAIL))
    return graph


def pgmpy(g: ClassGraph) -> Any:
    """See ``CPDAG.to_pgmpy``."""
    try:
        from pgmpy.base import PDAG
    except ImportError:
        raise MissingDependencyError("to_pgmpy needs pgmpy; install it with: pip install pgmpy", name="pgmpy") from None
    graph = PDAG(directed_ebunch=list(g.directed_edges), undirected_ebunch=list(g.undirected_edges))
    graph.add_nodes_from(g.nodes)
    return graph
