"""Checks that the reason for which the core refuses a graph or an operator is true."""

from __future__ import annotations

from itertools import combinations, pairwise

from numpy.typing import NDArray

import naive
from causal_zigzag import _core


def assert_flaw_is_real(pdag: NDArray, flaw: _core.Flaw) -> None:
    """The named nodes show that the graph, which has no self-loop, is not a CPDAG."""
    kind, nodes = flaw
    arrow, line, edge = pdag & ~pdag.T, pdag & pdag.T, pdag | pdag.T
    around = list(zip(nodes, [*nodes[1:], *nodes[:1]], strict=True))
    match kind:
        case "cycle":
            assert len(nodes) >= 3
            assert all(arrow[pair] for pair in around)
        case "chordless":
            sides = set(map(frozenset, around))
            assert len(set(nodes)) == len(nodes) >= 4
            assert all(line[pair] for pair in around)
            assert not any(edge[pair] for pair in combinations(nodes, 2) if frozenset(pair) not in sides)
        case "parents":
            p, u, v = nodes
            assert arrow[p, u]
            assert line[u, v]
            assert not arrow[p, v]
        case "not_compelled":
            x, y = nodes
            assert arrow[x, y]
            assert naive.completion(naive.extension(pdag))[y, x]
        case _:
            raise AssertionError(f"{kind} is not a reason to refuse a graph without self-loops")


def assert_fault_is_real(graph: naive.Relations, operator: naive.Operator, fault: _core.Fault) -> None:
    """The named nodes violate the condition that the core names."""
    insert, x, y, others = operator
    kind, nodes = fault
    common = graph.neighbors[y] & graph.adjacent[x]
    clique = common | others if insert else common - others
    match kind:
        case "same_node":
            assert nodes == [x] == [y]
        case "adjacent":
            assert insert
            assert nodes == [x, y]
            assert y in graph.adjacent[x]
        case "not_adjacent":
            assert not insert
            assert nodes == [x, y]
            assert y not in graph.children[x] | graph.neighbors[x]
        case "not_tails":
            assert insert
            assert nodes
            assert set(nodes) == others - (graph.neighbors[y] - graph.adjacent[x])
        case "not_heads":
            assert not insert
            assert nodes
            assert set(nodes) == others - common
        case "not_clique":
            a, b = nodes
            assert a != b
            assert {a, b} <= clique
            assert b not in graph.adjacent[a]
        case "open_path":
            assert insert
            assert (nodes[0], nodes[-1]) == (y, x)
            assert not clique & set(nodes)
            assert all(v in graph.children[u] | graph.neighbors[u] for u, v in pairwise(nodes))
        case _:
            raise AssertionError(f"unknown fault {kind}")
