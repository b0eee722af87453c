"""Graphs in the text format of Tetrad."""

from __future__ import annotations

import re

import numpy as np
import pytest

import causal_zigzag as cz


def read(text: str) -> tuple[list[str], set[tuple[str, str, str]]]:
    """The nodes and edges, as Tetrad reads them."""
    head, nodes, blank, title, *lines = text.splitlines()
    assert (head, blank, title) == ("Graph Nodes:", "", "Graph Edges:")
    edges = [re.fullmatch(r"(\d+)\. (\S+) (-->|---) (\S+)", line) for line in lines]
    assert [int(edge[1]) for edge in edges if edge] == list(range(1, len(lines) + 1))
    return nodes.split(";"), {(edge[2], edge[3], edge[4]) for edge in edges if edge}


def test_a_class_has_arrows_and_lines() -> None:
    g = cz.CPDAG.from_edges([*"abcde"], directed=[("a", "c"), ("b", "c")], undirected=[("d", "e")])
    assert read(g.to_tetrad()) == ([*"abcde"], {("a", "-->", "c"), ("b", "-->", "c"), ("d", "---", "e")})


def test_a_drawn_dag() -> None:
    posterior = cz.sample(cz.Uniform(["x", "y", "z", "w"]), jumps=1000, rng=1)
    for dag in posterior.sample_dags(5, rng=2):
        nodes, edges = read(cz.dag_to_tetrad(dag, posterior.nodes))
        assert nodes == [*posterior.nodes]
        assert edges == {(nodes[i], "-->", nodes[j]) for i, j in np.argwhere(dag)}


def test_what_cannot_be_written() -> None:
    for name in ("a b", "a;b", "", "a,b"):
        with pytest.raises(cz.GraphError, match="cannot be written for Tetrad; rename the node"):
            cz.CPDAG.empty([name, "c"]).to_tetrad()
    with pytest.raises(cz.GraphError, match="directed cycle"):
        cz.dag_to_tetrad([("a", "b"), ("b", "c"), ("c", "a")])
