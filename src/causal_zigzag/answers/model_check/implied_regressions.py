"""The regressions of some DAGs, and the nodes that the residual of each must be independent of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class Regression(NamedTuple):
    """A node with its parents, and the nodes ``before`` it in an order of the DAG, parents included."""

    node: int
    parents: tuple[int, ...]
    before: tuple[int, ...]


def implied_regressions(dags: Iterable[NDArray[np.uint8]], given: Sequence[int] = ()) -> list[Regression]:
    """The different regressions of these DAGs; nodes that are ``given`` have no parents and are not explained.

    A distribution fits a DAG if and only if each node is independent of those before it in an order of the DAG, given
    its parents (the ordered Markov property), so these independences stand for all that the DAG implies.

    >>> implied_regressions([np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.uint8)])[2]
    Regression(node=2, parents=(1,), before=(0, 1))
    """
    found: dict[tuple[int, tuple[int, ...]], set[int]] = {}
    for dag in dags:
        before = [*given]
        for y in (v for v in _order(dag) if v not in before):
            key = (y, tuple(np.flatnonzero(dag[:, y]).tolist()))
            found.setdefault(key, set()).update(before)
            before.append(y)
    return [Regression(*key, tuple(sorted(before))) for key, before in sorted(found.items())]


def _order(dag: NDArray[np.uint8]) -> list[int]:
    """The nodes with parents before children; the smallest number first where there is a choice."""
    left, order = {*range(len(dag))}, []
    while left:
        y = min(v for v in left if not left & {*np.flatnonzero(dag[:, v]).tolist()})
        order.append(y)
        left.remove(y)
    return order
