"""Conversion of graphs and operators between the package and the reference implementation."""

from __future__ import annotations

import causal_zigzag as cz
import naive


def graph_of(g: cz.CPDAG) -> naive.Graph:
    return naive.to_graph(g.matrix())


def operator_of(op: cz.Insert | cz.Delete) -> naive.Operator:
    """Of a graph whose nodes are 0..n-1."""
    insert = isinstance(op, cz.Insert)
    return naive.Operator(insert, op.x, op.y, frozenset(op.tails if insert else op.heads))


def to_package(operator: naive.Operator) -> cz.Insert | cz.Delete:
    insert, x, y, others = operator
    return cz.Insert(x, y, tails=others) if insert else cz.Delete(x, y, heads=others)
