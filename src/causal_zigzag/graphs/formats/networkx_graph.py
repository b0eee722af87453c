"""A graph as an object of networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Hashable

    import networkx as nx

    from causal_zigzag.graphs.mixed_graph import MixedGraph


def networkx_graph(g: MixedGraph) -> nx.DiGraph[Hashable]:
    """See ``MixedGraph.to_networkx``."""
    try:
        import networkx
    except ImportError:
        raise MissingDependencyError(
            "to_networkx needs networkx; install it with: pip install 'causal-zigzag[networkx]'", name="networkx"
        ) from None
    if g.labels.find(None) is not None:
        raise GraphError("networkx does not allow a node with the label None; rename it")
    graph: nx.DiGraph[Hashable] = networkx.DiGraph()
    graph.add_nodes_from(g.nodes)
    graph.add_edges_from(g.directed_edges)
    for x, y in g.undirected_edges:
        graph.add_edges_from([(x, y), (y, x)])
    return graph
