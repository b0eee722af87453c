"""Ancestral graphs by their definitions, for all mixed graphs of a few nodes at once: slow and obviously correct.

A graph is a row of states of its pairs x < y: 0 not joined, 1 x -> y, 2 y -> x, 3 x <-> y. A set of nodes is a mask,
and arrays have one entry per graph.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

States = NDArray[np.uint8]
Masks = list[NDArray[np.uint8]]  # by node

CIRCLE, ARROWHEAD, TAIL = 1, 2, 3


def pairs(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(n), 2))


def all_mixed_graphs(n: int) -> States:
    """Row i has the digits of i in base 4, the first pair in the last digit."""
    codes = np.arange(4 ** len(pairs(n)), dtype=np.int64)
    return np.stack([(codes >> 2 * j & 3).astype(np.uint8) for j in range(len(pairs(n)))], axis=1)


def codes(states: States) -> NDArray[np.int64]:
    return states.astype(np.int64) @ (4 ** np.arange(states.shape[1]))


def neighbours(states: States, n: int) -> tuple[Masks, Masks, Masks]:
    """The parents, children and spouses of each node."""
    found = [[np.zeros(len(states), np.uint8) for _ in range(n)] for _ in range(3)]
    parents, children, spouses = found
    for state, (x, y) in zip(states.T, pairs(n), strict=True):
        for at, a, b, sign in ((parents, y, x, 1), (children, x, y, 1), (parents, x, y, 2), (children, y, x, 2)):
            at[a] |= ((state == sign) << b).astype(np.uint8)
        spouses[x] |= ((state == 3) << y).astype(np.uint8)
        spouses[y] |= ((state == 3) << x).astype(np.uint8)
    return parents, children, spouses


def has(mask: NDArray[np.uint8], v: int) -> NDArray[np.bool_]:
    return (mask >> v & 1).astype(bool)


def closed(parents: Masks, n: int) -> Masks:
    """The ancestors of each node, itself included: by paths of up to n edges."""
    above = [p | np.uint8(1 << v) for v, p in enumerate(parents)]
    for _ in range(n):
        for v in range(n):
            for p in range(n):
                above[v] |= np.where(has(above[v], p), above[p], 0).astype(np.uint8)
    return above


def ancestral(states: States, n: int) -> NDArray[np.bool_]:
    """No directed cycle, and no node is a spouse of one of its ancestors."""
    parents, _, spouses = neighbours(states, n)
    above = closed(parents, n)
    good = np.ones(len(states), bool)
    for v in range(n):
        good &= spouses[v] & above[v] == 0
        for p in range(n):
            good &= ~(has(parents[v], p) & has(above[p], v))
    return good


def connected(states: States, n: int, x: int, given: int) -> NDArray[np.uint8]:
    """The nodes that x is m-connected to given these nodes.

    That is, by walks on which colliders are ancestors of given nodes and other nodes within it are not given.
    """
    parents, children, spouses = neighbours(states, n)
    above = closed(parents, n)
    opened = np.zeros(len(states), np.uint8)
    for v in range(n):
        if given >> v & 1:
            opened |= above[v]
    heads, tails = children[x] | spouses[x], parents[x].copy()  # nodes reached through an edge with this mark there
    while True:
        before = heads.copy(), tails.copy()
        for v in range(n):
            free = not given >> v & 1
            to_head = has(heads, v) & has(opened, v) | has(tails, v) & free
            to_tail = (has(heads, v) | has(tails, v)) & free
            tails |= np.where(to_head, parents[v], 0).astype(np.uint8)
            heads |= np.where(to_head, spouses[v], 0).astype(np.uint8)
            heads |= np.where(to_tail, children[v], 0).astype(np.uint8)
        if np.array_equal(before[0], heads) and np.array_equal(before[1], tails):
            return heads | tails


def models(states: States, n: int) -> NDArray[np.uint8]:
    """One row per graph: the nodes each node is m-connected to, given each set of the others."""
    every = (1 << n) - 1
    return np.stack(
        [connected(states, n, x, given) & np.uint8(every & ~(given | 1 << x)) for x, given in sources(n)], axis=1
    )


def sources(n: int) -> list[tuple[int, int]]:
    """Each node with each set of the others."""
    return [(x, given) for x in range(n) for given in range(1 << n) if not given >> x & 1]


class Mags(NamedTuple):
    """All maximal ancestral graphs of n nodes."""

    states: States
    of_class: NDArray[np.int64]  # the number of the class of each
    valid: NDArray[np.bool_]  # of all mixed graphs, by their codes


@cache
def all_mags(n: int) -> Mags:
    states = all_mixed_graphs(n)
    valid = ancestral(states, n)
    model = models(states[valid], n)
    separated = np.zeros((len(model), n, n), bool)  # by some set
    for column, (x, given) in zip(model.T, sources(n), strict=True):
        for y in range(n):
            if y != x and not given >> y & 1:
                separated[:, x, y] |= ~has(column, y)
    maximal = np.ones(len(model), bool)
    for state, (x, y) in zip(states[valid].T, pairs(n), strict=True):
        maximal &= (state > 0) | separated[:, x, y]
    valid[valid] = maximal
    rows = np.ascontiguousarray(model[maximal])
    as_one = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
    return Mags(np.ascontiguousarray(states[valid]), np.unique(as_one, return_inverse=True)[1], valid)


def end_marks(states: States, n: int) -> NDArray[np.uint8]:
    """Of each graph, n by n: the mark of the edge between the row and the column, at the column."""
    marks = np.zeros((len(states), n, n), np.uint8)
    for state, (x, y) in zip(states.T, pairs(n), strict=True):
        marks[:, x, y] = np.array([0, ARROWHEAD, TAIL, ARROWHEAD])[state]
        marks[:, y, x] = np.array([0, TAIL, ARROWHEAD, ARROWHEAD])[state]
    return marks
