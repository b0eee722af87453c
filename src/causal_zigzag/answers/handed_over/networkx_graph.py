"""The edges of a posterior as a networkx graph, with probabilities, sign and size as attributes of edges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.effects.queries import STRENGTH_COLUMNS, strengths
from causal_zigzag.answers.handed_over.weighted_dags import empty_digraph
from causal_zigzag.errors import CausalZigzagError, SettingsError
from causal_zigzag.graphs.formats.any_graph import in_order_of, read_any_graph
from causal_zigzag.support.validation import is_real

if TYPE_CHECKING:
    from collections.abc import Hashable

    import networkx as nx
    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.graphs.adjacency_matrix import Edge

SIZES = STRENGTH_COLUMNS[2:5] + STRENGTH_COLUMNS[6:]  # without the ends and the probability


def arrow_probabilities(classes: WeightedClasses) -> NDArray[np.float64]:
    """The probability that a DAG has the arrow i -> j, n by n, by exact counting within each class."""
    found = np.zeros((len(classes.nodes), len(classes.nodes)))
    for table in parent_set_tables(classes.parts):
        row = np.repeat(np.arange(len(table)), table.sizes)
        explained = ~np.isin(table.cause[row], [*table.given])  # given nodes have no parents
        np.add.at(found, (table.members[explained], table.cause[row][explained]), table.weight[row][explained])
    return np.minimum(found, 1.0)


def posterior_digraph(classes: WeightedClasses, graph: Any, least: Any, standardized: bool) -> nx.DiGraph[Hashable]:
    """See ``Posterior.to_networkx``."""
    if not is_real(least) or not 0 < least <= 1:
        raise SettingsError(f"least must be a probability above 0 and at most 1, not {least!r}")
    made, nodes = empty_digraph(classes.nodes, "to_networkx"), classes.nodes
    arrows = arrow_probabilities(classes)
    chosen = arrows >= least if graph is None else in_order_of(*read_any_graph(graph, nodes), nodes)[0] > 0
    sizes = _sizes(classes, standardized, float(arrows[chosen & (arrows > 0)].min(initial=1.0)))
    kinds = {"": classes.edges} | ({} if classes.edges.again is None else {"_again": classes.edges.again})
    for i, j in np.argwhere(chosen).tolist():
        known: dict[str, Any] = {"probability": float(arrows[i, j])}
        for end, edges in kinds.items():
            known |= {
                f"adjacent{end}": float(edges.adjacent[i, j]),
                f"forward{end}": float(edges.directed[i, j]),
                f"undirected{end}": float(edges.undirected[i, j]),
                f"backward{end}": float(edges.directed[j, i]),
            }
        made.add_edge(nodes[i], nodes[j], **known, **sizes.get((nodes[i], nodes[j]), {}))
    return made


def _sizes(classes: WeightedClasses, standardized: bool, least: float) -> dict[Edge, dict[str, Any]]:
    """The sign and the size of each arrow with this probability, without what is unknown; empty for some scores."""
    try:
        table = strengths(classes, standardized, least)
    except CausalZigzagError:  # the score has no effects
        return {}
    found = {}
    for row in table.to_dict("records"):
        known = {name: row[name] for name in SIZES if row[name] is not None and not _is_nan(row[name])}
        if row["from"] is None and row["level"] is None:
            known["sign"] = "+" if row["lower"] > 0 else "-" if row["upper"] < 0 else "±"
        found[row["cause"], row["outcome"]] = known
    return found


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
