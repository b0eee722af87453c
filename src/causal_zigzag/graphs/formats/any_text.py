"""A graph in any of the text formats, which is recognized by its beginning."""

from __future__ import annotations

import numpy as np

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.adjacency_matrix import Matrix, marked_edge_matrix, read_matrix
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.formats.dot import is_dot, read_dot
from causal_zigzag.graphs.formats.edge_list import read_edge_list
from causal_zigzag.graphs.formats.formulas import is_formulas, read_formulas
from causal_zigzag.graphs.formats.gml import is_dagitty, is_gml, read_dagitty, read_gml
from causal_zigzag.graphs.formats.node_link import read_json, read_node_link
from causal_zigzag.graphs.formats.quoting import without_comments
from causal_zigzag.graphs.labels import Labels

FORMATS = "an edge list (a -> b, b - c), DOT (digraph { a -> b }), GML, dagitty, y ~ x or JSON with nodes and edges"


def parse_graph(text: str) -> tuple[CPDAG, bool]:
    """The class of the DAGs that extend the graph in the text, and whether the graph differs from its CPDAG.

    >>> parse_graph("a -> c <- b, d")
    (CPDAG(4 nodes, 2 directed and 0 undirected edges: a -> c, b -> c), False)
    >>> parse_graph("digraph { a -> b; b -> c }")
    (CPDAG(3 nodes, 0 directed and 2 undirected edges: a - b, b - c), True)
    """
    matrix, labels = matrix_of_text(text)
    graph = CPDAG.from_pdag(matrix, labels.names)
    return graph, not np.array_equal(graph.matrix(), matrix)


def matrix_of_text(text: str) -> tuple[Matrix, Labels]:
    """The matrix and the labels of the graph in the text."""
    text = text.removeprefix("\ufeff")
    content = text.strip()
    if content.startswith(("{", "[")):
        value = read_json(content)
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            value = value[0]
        is_matrix = isinstance(value, list) and not any(isinstance(row, dict) for row in value)
        return read_matrix(value, None) if is_matrix else read_node_link(value)
    bare = without_comments(text).strip()
    if not bare:
        raise GraphError(f"the text of the graph is empty; write {FORMATS}")
    formats = ((is_dot, read_dot), (is_gml, read_gml), (is_dagitty, read_dagitty), (is_formulas, read_formulas))
    nodes, edges = next((read for known, read in formats if known(bare)), read_edge_list)(bare)
    return marked_edge_matrix(Labels(dict.fromkeys(nodes)), edges)
