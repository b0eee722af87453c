"""The table of all local scores of a score, weighted as a target says: what the exact methods over sets start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag import _core
from causal_zigzag.errors import ScoreError, SettingsError
from causal_zigzag.labels import show, show_all
from causal_zigzag.scores.base import BuiltinScore

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.base import Score
    from causal_zigzag.settings import Target


def local_scores(score: Score, max_parents: int | None = None) -> NDArray[np.float64]:
    """The local scores of node y in row y, the set P at the number that has the bits of P without the bit of y.

    Minus infinity where P has more than ``max_parents`` members.
    """
    n = len(score.nodes)
    most = n if max_parents is None else max_parents
    table = np.zeros((n, 1 << max(n - 1, 0)))
    core = score._core() if isinstance(score, BuiltinScore) else None
    if core is not None:
        _core.fill_local_table(core, most, table)
    elif isinstance(score, BuiltinScore):
        table[:, _set_sizes(n - 1) > most] = -np.inf
    else:
        sizes = _set_sizes(n - 1)
        for y, node in enumerate(score.nodes):
            for k in range(table.shape[1]):
                table[y, k] = score.local(node, _labels_of(score, y, k)) if sizes[k] <= most else -np.inf
    _check(score, table)
    return table


def weighted(table: NDArray[np.float64], target: Target, asking: str) -> NDArray[np.float64]:
    """The table with coldness and the cost of an edge put in, in place: log weights that add up to that of a DAG."""
    if target.edge_prior.table:
        raise SettingsError(
            f'{asking} needs the same cost for every edge; edge_prior must be None, a number or "auto" here, '
            f"not log weights by the number of edges"
        )
    if target.coldness != 1:
        np.multiply(table, target.coldness, out=table, where=table > -np.inf)
    if target.edge_prior.cost:
        table -= target.edge_prior.cost * _set_sizes(len(table) - 1)
    return table


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
