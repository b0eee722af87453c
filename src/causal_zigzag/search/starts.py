"""The starts of the chains: what the user gave, the result of a search, or classes that are far apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.mpdag import MPDAG
from causal_zigzag.sampler.run import SCATTERED, SEARCHED
from causal_zigzag.search.annealed_search import search_start
from causal_zigzag.search.greedy_search import ges_start
from causal_zigzag.support.wording import count
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray


def scattered_starts(
    target: Target, chains: int, entropy: NDArray[np.uint32], deadline: float = math.inf
) -> list[CPDAG]:
    """One class per chain: the one without edges, that of ``ges``, and random ones with the same number of edges.

    If there is no score to climb, all but the first are random, with one edge per node. A start does not depend on the
    number of chains.
    """
    nodes = target.nodes
    starts = [target.sparsest()]
    edges = len(nodes)
    if chains > 1 and target.coldness > 0 and not target.score.is_flat:
        starts.append(ges_start(target, deadline))
        edges = starts[1].edge_count
    rng = np.random.default_rng([*entropy.tolist(), 1])  # chains draw their seeds from the entropy alone
    starts += [_random_class(target, edges, rng) for _ in range(chains - len(starts))]
    for start in starts:
        target.check_start(start)
    return starts


def _random_class(target: Target, edges: int, rng: np.random.Generator) -> CPDAG:
    """The class of a random DAG within the bounds, with this number of edges, or fewer if the bounds require it."""
    n = len(target.nodes)
    most = n if target.max_degree is None else target.max_degree
    while edges > 0 and target.edge_prior.log_weight(edges) == -math.inf:
        edges -= 1
    place = _random_places(target, rng)
    barred = {*target.forbidden_arrows}
    dag = np.zeros((n, n), dtype=np.uint8)
    for x, y in target.required_arrows:
        dag[x, y] = 1
    degree = (dag + dag.T).sum(axis=0, dtype=np.int64)
    left = edges - int(dag.sum())
    pairs = np.column_stack(np.triu_indices(n, 1))
    for at in rng.permutation(len(pairs)):
        if left <= 0:
            break
        a, b = pairs[at].tolist()
        x, y = (a, b) if place[a] < place[b] else (b, a)
        if (x, y) in barred or dag[x, y] or degree[a] >= most or degree[b] >= most:
            continue
        dag[x, y] = 1
        degree[[a, b]] += 1
        left -= 1
    return CPDAG.from_dag(dag, target.nodes)


def _random_places(target: Target, rng: np.random.Generator) -> NDArray[np.int64]:
    """The places of the nodes in a random order in which required arrows lead forward, and so do tiers.

    The next node is one whose required parents are placed; of these, one that has the fewest nodes left which may be
    its parents but not its children.
    """
    n = len(target.nodes)
    place = rng.permutation(n)
    if target.knowledge is None:
        return place
    barred, required = np.zeros((n, n), dtype=np.bool_), np.zeros((n, n), dtype=np.bool_)
    for arrows, matrix in ((target.forbidden_arrows, barred), (target.required_arrows, required)):
        for x, y in arrows:
            matrix[x, y] = True
    late = (barred & ~barred.T).sum(axis=1) * n + place
    missing, todo = required.sum(axis=0), np.ones(n, dtype=np.bool_)
    found = np.empty(n, dtype=np.int64)
    for at in range(n):
        v = int(np.argmin(np.where(todo & (missing == 0), late, np.iinfo(np.int64).max)))
        found[v], todo[v] = at, False
        missing -= required[v]
        late -= n * (barred & ~barred.T)[:, v]
    return found


def read_start(start: Any, target: Target, entropy: NDArray[np.uint32], deadline: float) -> CPDAG:
    """The class at which the chains start, with its nodes in the order of the score's."""
    if isinstance(start, str) and start == "ges":
        return ges_start(target, deadline)
    if isinstance(start, str) and start == SEARCHED:
        return search_start(target, np.random.default_rng([*entropy.tolist(), 3]), deadline)
    return target.read_start(start, 'None, "empty", "ges", "search" or a CPDAG')


def read_starts(
    start: Any, target: Target, chains: int, entropy: NDArray[np.uint32], deadline: float = math.inf
) -> list[CPDAG]:
    """The class at which each chain starts; searches, until the deadline, and scattered classes use the entropy."""
    expected = 'None, "empty", "ges", "search", "scattered", a CPDAG or a sequence of classes, one per chain'
    if isinstance(start, str) and start == SCATTERED:
        return scattered_starts(target, chains, entropy, deadline)
    if isinstance(start, str) and start not in ("empty", "ges", SEARCHED):
        raise SettingsError(f"start must be {expected}, not {start!r}")
    if start is None or isinstance(start, (str, CPDAG, MPDAG)):
        return [read_start(start, target, entropy, deadline)] * chains
    if not isinstance(start, Sequence):
        raise SettingsError(f"start must be {expected}, not {start!r}")
    starts = [read_start(one, target, entropy, deadline) for one in start]
    if len(starts) != chains:
        given = f"{count(len(starts), 'class')} for {count(chains, 'chain')}"
        raise SettingsError(f"start has {given}; give one per chain, or one for all")
    return starts
