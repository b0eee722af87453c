"""The probability of a statement about ancestral graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.ancestral.classes import IN_ALL, kept_graphs, mag_of
from causal_zigzag.answers.statements import Both, Not, PairStatement, Statement, two_nodes
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import Labels

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.ancestral.chains import AncestralChain


def probability_that(chains: Sequence[AncestralChain], nodes: Sequence[Hashable], statement: Any) -> float:
    """The share of the kept graphs for which it is true; chains count the same."""
    if not callable(statement):
        raise SettingsError(
            f"probability_that needs a statement, such as cz.ancestor(x, y), or a function of a MAG, not {statement!r}"
        )
    graphs, weights = kept_graphs(chains)
    distinct, place = np.unique(graphs, axis=0, return_inverse=True)
    distinct = np.ascontiguousarray(distinct)
    if isinstance(statement, Statement):
        true = _among(statement, distinct, Labels(nodes))
    else:
        true = np.array([_truth(statement(mag_of(states, nodes))) for states in distinct])
    return min(1.0, float(weights @ true[place.ravel()]))


def _among(statement: Statement, graphs: NDArray[np.uint8], labels: Labels) -> NDArray[np.bool_]:
    """For which of the graphs it is true."""
    n = len(labels)
    if isinstance(statement, Not):
        return ~_among(statement.inner, graphs, labels)
    if isinstance(statement, Both):
        return _among(statement.left, graphs, labels) & _among(statement.right, graphs, labels)
    if isinstance(statement, PairStatement):
        x, y = two_nodes(labels, statement.x, statement.y)
        if statement.kind == "adjacent":
            first, second = np.triu_indices(n, 1)
            return graphs[:, (first == min(x, y)) & (second == max(x, y))].ravel() > 0
        if statement.kind == "ancestor":
            return core.mag_ancestors(n, graphs).reshape(-1, n, n)[:, x, y].astype(np.bool_)
        if statement.kind == "certain_ancestor":
            return np.asarray(core.pag_ancestry(n, graphs).reshape(-1, n, n)[:, x, y] == IN_ALL)
    raise SettingsError(
        f"{statement!r} is about CPDAGs; when causes may be hidden the statements are cz.ancestor, "
        "cz.statements.adjacent, cz.statements.certain_ancestor, and functions of a MAG"
    )


def _truth(said: object) -> bool:
    if not isinstance(said, (bool, np.bool_)):
        raise SettingsError(f"the function must return True or False for every MAG, but it returned {said!r}")
    return bool(said)
