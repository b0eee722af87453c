"""The same class with its nodes in another order."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import show_all


def in_node_order(g: CPDAG, nodes: tuple[Hashable, ...], name: str) -> CPDAG:
    """The same class with its nodes in this order; raises a SettingsError if it has other nodes."""
    if g.nodes == nodes:
        return g
    number = {v: i for i, v in enumerate(g.nodes)}
    if {*nodes} != {*number}:
        odd = show_all({*nodes} ^ {*number})
        raise SettingsError(f"{name} must have the nodes {show_all(nodes)}: only one of both has {odd}")
    order = [number[v] for v in nodes]
    return CPDAG.from_matrix(g.matrix()[np.ix_(order, order)], nodes)
