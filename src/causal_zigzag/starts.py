"""Scattered starts: classes far from each other, so that chains that agree in the end have each found the way there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.graph import CPDAG
from causal_zigzag.scores.uniform import Uniform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.settings import Target

SCATTERED = "scattered"


def scattered_starts(target: Target, chains: int, entropy: NDArray[np.uint32]) -> list[CPDAG]:
    """The class without edges, that of ``ges``, and random ones with as many edges, one a chain.

    Where there is no score to climb all others are random, with an edge a node. The first starts do not depend on how
    many chains there are.
    """
    nodes = target.nodes
    starts = [CPDAG.empty(nodes)]
    edges = len(nodes)
    if chains > 1 and target.coldness > 0 and not isinstance(target.score, Uniform):
        from causal_zigzag.greedy import ges_start  # which itself reads targets

        starts.append(ges_start(target))
        edges = starts[1].edge_count
    rng = np.random.default_rng([*entropy.tolist(), 1])  # chains draw their seeds from the entropy alone
    starts += [_random_class(target, edges, rng) for _ in range(chains - len(starts))]
    for start in starts:
        target.check_start(start)
    return starts


def _random_class(target: Target, edges: int, rng: np.random.Generator) -> CPDAG:
    """The class of a random DAG within the bounds, with so many edges, or as many as there is room for."""
    n = len(target.nodes)
    most = n if target.max_degree is None else target.max_degree
    while edges > 0 and target.edge_prior.log_weight(edges) == -math.inf:
        edges -= 1
    place = rng.permutation(n)
    pairs = np.column_stack(np.triu_indices(n, 1))
    forbidden = {*target.forbidden}
    dag = np.zeros((n, n), dtype=np.uint8)
    degree = np.zeros(n, dtype=np.int64)
    left = edges
    for a, b in rng.permutation(pairs).tolist() if left else []:
        if (a, b) in forbidden or degree[a] >= most or degree[b] >= most:
            continue
        x, y = (a, b) if place[a] < place[b] else (b, a)
        dag[x, y] = 1
        degree[[a, b]] += 1
        left -= 1
        if not left:
            break
    return CPDAG.from_dag(dag, target.nodes)
