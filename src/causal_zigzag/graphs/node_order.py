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
    extra, missing = [v for v in g.nodes if v not in nodes], [v for v in nodes if v not in g.nodes]
    if extra or missing:
        faults = [f"{show_all(extra)} {'is' if len(extra) == 1 else 'are'} not among them"] if extra else []
        faults += [f"{show_all(missing)} {'is' if len(missing) == 1 else 'are'} missing"] if missing else []
        raise SettingsError(f"{name} must have the nodes {show_all(nodes)}, but {' and '.join(faults)}")
    number = {v: i for i, v in enumerate(g.nodes)}
    order = [number[v] for v in nodes]
    return CPDAG.from_matrix(g.matrix()[np.ix_(order, order)], nodes)
