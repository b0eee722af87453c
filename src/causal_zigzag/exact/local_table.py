"""The table of all local scores with the weights of a target: the input of the exact methods."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_zigzag import _core
from causal_zigzag.errors import KnowledgeError, SettingsError
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.validation import read_count
from causal_zigzag.target.target import Target


def cooled_scores(target: Target, max_parents: int | None = None) -> NDArray[np.float64]:
    """Coldness times the local scores of node y in row y; the column of a set P is the number with its bits, without y.

    The entry is minus infinity if P has more than ``max_parents`` members.
    """
    n = len(target.nodes)
    most = n if max_parents is None else min(n, max_parents)
    table = np.zeros((n, 1 << max(n - 1, 0)))
    core = target.score.core_score()
    if core is not None:
        _core.fill_local_table(core, most, table)
    else:
        table[:, _set_sizes(n - 1) > most] = -np.inf
    if target.coldness != 1:
        possible = table > -np.inf
        with np.errstate(over="ignore"):
            np.multiply(table, target.coldness, out=table, where=possible)
        if not np.isfinite(table[possible]).all():
            raise SettingsError(f"coldness={target.coldness!r} times the score is beyond all numbers; use a lower one")
    return table


def weighted_table(target: Target, max_parents: Any) -> NDArray[np.float64]:
    """The same minus the cost of the edges; minus infinity for sets that knowledge forbids.

    A KnowledgeError if knowledge requires more than ``max_parents`` parents of a node, so that no DAG is left.
    """
    most_parents = None if max_parents is None else read_count("max_parents", max_parents, 0, "None or ")
    if target.edge_prior.table:
        raise SettingsError(
            'edge_prior must be None, a number or "auto" here, so that every edge has the same cost; '
            "log weights per number of edges are not supported"
        )
    for y, parents in Counter(y for _, y in target.required_arrows).most_common(1):
        if most_parents is not None and parents > most_parents:
            v = target.nodes[y]
            raise KnowledgeError(
                f"knowledge requires {parents} parents of {show(v)}, more than max_parents={most_parents}", [v]
            )
    table = cooled_scores(target, most_parents)
    if target.edge_prior.cost:
        table -= target.edge_prior.cost * _set_sizes(len(table) - 1).astype(np.float64)
    columns = np.arange(table.shape[1])
    for arrows, has in ((target.forbidden_arrows, 1), (target.required_arrows, 0)):
        for x, y in arrows:
            table[y, (columns >> (x - (x > y)) & 1) == has] = -np.inf
    return table


def _set_sizes(n: int) -> NDArray[np.int8]:
    """The number of members of each set of n nodes."""
    sizes = np.zeros(1, dtype=np.int8)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + np.int8(1)])
    return sizes
