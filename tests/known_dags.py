"""Knowledges about nodes 0..n-1 for tests, and by plain definitions which DAGs agree with them."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz
import naive

KNOWLEDGES = {
    "tiers": cz.Knowledge(tiers=[[0, 1], [2], [3]]),
    "first and last": cz.Knowledge(tiers=[[1], ..., [2]]),
    "separate tiers": cz.Knowledge(tiers=[[0, 1], [2, 3]], no_edges_within=[0]),
    "neighboring tiers": cz.Knowledge(tiers=[[3], [1], [0]], neighboring_tiers_only=True),
    "required": cz.Knowledge(required=[(1, 0), (1, 2)]),
    "forbidden": cz.Knowledge(forbidden=[(0, 1), (1, 2), (2, 0), (3, 1)]),
    "required and forbidden": cz.Knowledge(required=[(3, 0)], forbidden=[(0, 2), (2, 1)]),
    "condition": cz.Knowledge.contexts([0], forbidden=[(3, 2)]),
    "conditions and tiers": cz.Knowledge.contexts([2, 0], tiers=[[1], [3]]),
    "an order": cz.Knowledge(tiers=[[2], [0], [3], ...]),
}


@cache
def all_dags(n: int) -> NDArray[np.bool_]:
    """Every DAG of n nodes, as matrices."""
    return np.array([naive.to_matrix(dag, n) for dag in naive.all_dags(n)]).reshape(-1, n, n)


@cache
def class_numbers(n: int) -> tuple[NDArray[np.int64], tuple[cz.CPDAG, ...]]:
    """The class of every DAG, as its number, and the classes."""
    numbers: dict[cz.CPDAG, int] = {}
    of = [numbers.setdefault(cz.CPDAG.from_dag(dag.astype(np.uint8)), len(numbers)) for dag in all_dags(n)]
    return np.array(of), tuple(numbers)


def agrees(dag: NDArray[np.bool_], known: cz.Knowledge) -> bool:
    """Whether a DAG agrees, by what the parts of a knowledge say."""
    n = len(dag)
    tier = {v: i for i, group in enumerate(known.tiers) if group != "..." for v in group}
    if "..." in known.tiers:
        rest = known.tiers.index("...")
        tier.update({v: rest for v in range(n) if v not in tier and v not in known.conditions})
    for x, y in np.argwhere(dag).tolist():
        if y in known.conditions or (x, y) in known.forbidden:
            return False
        if x in tier and y in tier:
            if tier[x] > tier[y] or (tier[x] == tier[y] and tier[x] in known.no_edges_within):
                return False
            if known.neighboring_tiers_only and tier[y] > tier[x] + 1:
                return False
    return all(dag[x, y] for x, y in known.required)


@cache
def agreeing(n: int, name: str) -> NDArray[np.bool_]:
    """Which of all DAGs agree with this one of the knowledges."""
    known = KNOWLEDGES[name]
    return np.array([agrees(dag, known) for dag in all_dags(n)])


def shared_edges(dags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The graph of the edges of DAGs with the same skeleton: [x, y] if one of them has x -> y."""
    return dags.any(axis=0)
