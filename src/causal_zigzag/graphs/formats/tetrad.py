"""The text format of Tetrad, for all graphs and for DAGs: written only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from causal_zigzag._core import Graph
from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.adjacency_matrix import read_dag
from causal_zigzag.graphs.error_messages import graph_error
from causal_zigzag.graphs.labels import Nodes, distinct_texts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from causal_zigzag.graphs.mixed_graph import MixedGraph

UNWRITABLE = re.compile(r"[\s;,]")  # Tetrad separates the nodes by semicolons and the parts of an edge by spaces


def tetrad(g: MixedGraph) -> str:
    """See ``MixedGraph.to_tetrad``."""
    return _text(g.nodes, [*g.core.directed_edges()], [*g.core.undirected_edges()])


def dag_to_tetrad(dag: Any, nodes: Nodes | None = None) -> str:
    """A DAG in the text format of Tetrad; it is a matrix, such as one of ``sample_dags``, edges or a networkx.DiGraph.

    >>> print(dag_to_tetrad([("rain", "wet"), ("sun", "wet")]))
    Graph Nodes:
    rain;wet;sun
    <BLANKLINE>
    Graph Edges:
    1. rain --> wet
    2. sun --> wet
    <BLANKLINE>
    """
    matrix, labels = read_dag(dag, nodes)
    made = Graph.from_dag(matrix)
    if isinstance(made, tuple):
        raise graph_error(made, labels)
    arrows = [(x, y) for x in range(len(labels)) for y in range(len(labels)) if matrix[x, y]]
    return _text(labels.names, arrows, [])


def tetrad_of_marks(nodes: tuple[Hashable, ...], edges: Iterable[tuple[int, str, int]]) -> str:
    """See ``MarkedGraph.to_tetrad``."""
    texts = distinct_texts(nodes)
    for text in texts:
        if UNWRITABLE.search(text) or not text:
            raise GraphError(
                f"the label {text!r} cannot be written for Tetrad; rename the node: a label must not be empty or have "
                "spaces, commas or semicolons"
            )
    numbered = [f"{number}. {texts[x]} {word} {texts[y]}" for number, (x, word, y) in enumerate(edges, start=1)]
    return "\n".join(["Graph Nodes:", ";".join(texts), "", "Graph Edges:", *numbered, ""])


def _text(
    names: tuple[Hashable, ...], directed: Iterable[tuple[int, int]], undirected: Iterable[tuple[int, int]]
) -> str:
    words = [(x, "-->", y) for x, y in directed] + [(x, "---", y) for x, y in undirected]
    return tetrad_of_marks(names, words)
