"""The table of all local scores, weighted as a target says: what the exact methods start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag import _core
from causal_zigzag.errors import ScoreError, SettingsError
from causal_zigzag.labels import show, show_all
from causal_zigzag.scores.base import BuiltinScore, Score
from causal_zigzag.settings import Target, read_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.edge_prior import EdgePrior


def local_scores(score: Score, max_parents: int | None = None) -> NDArray[np.float64]:
    """The local scores of node y in row y, the set P at the number that has the bits of P without the bit of y.

    Minus infinity where P has more than ``max_parents`` members.
    """
    n = len(score.nodes)
    most = n if max_parents is None else max_parents
    table = np.zeros((n, 1 << max(n - 1, 0)))
    if isinstance(score, BuiltinScore):
        core = score._core()
        if core is not None:
            _core.fill_local_table(core, most, table)
        else:
            table[:, _set_sizes(n - 1) > most] = -np.inf
    else:
        sizes = _set_sizes(n - 1)
        for y, node in enumerate(score.nodes):
            for k in range(table.shape[1]):
                table[y, k] = score.local(node, _labels_of(score, y, k)) if sizes[k] <= most else -np.inf
    _check(score, table)
    return table


def cool(table: NDArray[np.float64], coldness: float) -> None:
    """Multiply the scores, in place; what is impossible stays so."""
    if coldness != 1:
        np.multiply(table, coldness, out=table, where=table > -np.inf)


def cost_edges(table: NDArray[np.float64], prior: EdgePrior) -> None:
    """Put the cost of an edge into the local scores, in place."""
    if prior.table:
        raise SettingsError(
            'every edge must have the same cost here: edge_prior must be None, a number or "auto", '
            "not log weights by the number of edges"
        )
    if prior.cost:
        table -= prior.cost * _set_sizes(len(table) - 1).astype(np.float64)


def read_exact_target(asking: str, score: Any, edge_prior: Any, coldness: Any) -> Target:
    """The target from what the user gave to an exact method."""
    if not isinstance(score, Score):
        raise SettingsError(f"{asking} takes a score, such as cz.GaussianBIC(data), not {type(score).__name__}")
    return read_target(score, coldness, edge_prior, None, ())


def _set_sizes(n: int) -> NDArray[np.int8]:
    """The number of members of each set of n nodes."""
    sizes = np.zeros(1, dtype=np.int8)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + np.int8(1)])
    return sizes


def _labels_of(score: Score, y: int, number: int) -> tuple[object, ...]:
    others = (*score.nodes[:y], *score.nodes[y + 1 :])
    return tuple(other for i, other in enumerate(others) if number >> i & 1)


def _check(score: Score, table: NDArray[np.float64]) -> None:
    """An error where a local score is no number, or a node without parents is impossible."""
    if not table.max(initial=0.0) < np.inf:  # NaN, if any, is the maximum
        y, k = np.argwhere(~(table < np.inf))[0]
        raise ScoreError(
            f"the local score of {show(score.nodes[y])} with parents {show_all(_labels_of(score, y, k)) or 'none'} is "
            f"{table[y, k]}; it must be a number, or -inf for a set of parents that is impossible"
        )
    impossible = np.flatnonzero(table[:, 0] == -np.inf)
    if len(impossible):
        raise ScoreError(
            f"the local score of {show(score.nodes[impossible[0]])} without parents is -inf; it must be finite, "
            f"so that the graph without edges is possible"
        )
