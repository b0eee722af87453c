"""The classical way to apply an operator: change the graph locally, extend it to a DAG (Dor-Tarsi), complete the DAG.

There are two versions. In the compiled one, the package's from_pdag extends and completes the changed matrix. The other
uses plain Python sets and is a straightforward implementation of the published algorithms. A step in Python costs about
fifty times as much as one in C++: compare how the times grow, not their ratio.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz

Operator = cz.Insert | cz.Delete
Sets = list[set[int]]


def apply_compiled(matrix: NDArray[np.uint8], op: Operator) -> cz.CPDAG:
    """The class after a valid operator on the CPDAG with this matrix."""
    m = matrix.copy()
    m[op.x, op.y], m[op.y, op.x] = isinstance(op, cz.Insert), 0
    if isinstance(op, cz.Insert):
        m[op.y, list(op.tails)] = 0
    else:
        heads = list(op.heads)
        m[heads, op.y] = 0
        m[heads, op.x] &= 1 - m[op.x, heads]
    return cz.CPDAG.from_pdag(m)


def apply_python(pdag: Pdag, op: Operator) -> tuple[Sets, Sets]:
    """The parents of every node in a DAG of the new class, and the compelled ones among them."""
    dag = extension(changed(pdag, op))
    return dag, completion(dag)


def matrix_of(dag: Sets, compelled: Sets) -> NDArray[np.uint8]:
    """The matrix of the class in the format of the package, for comparison."""
    m = np.zeros((len(dag), len(dag)), np.uint8)
    for y, parents in enumerate(dag):
        m[list(parents), y] = 1
        m[y, list(parents - compelled[y])] = 1
    return m


class Pdag:
    """Parents, children and neighbors of every node, as sets."""

    def __init__(self, matrix: NDArray[np.uint8]) -> None:
        m = matrix.astype(bool)
        self.parents = [set(np.flatnonzero(row).tolist()) for row in m.T & ~m]
        self.children = [set(np.flatnonzero(row).tolist()) for row in m & ~m.T]
        self.neighbors = [set(np.flatnonzero(row).tolist()) for row in m & m.T]

    def copy(self) -> Pdag:
        other = object.__new__(Pdag)
        other.parents = [set(s) for s in self.parents]
        other.children = [set(s) for s in self.children]
        other.neighbors = [set(s) for s in self.neighbors]
        return other

    def direct(self, x: int, y: int) -> None:
        """X - y becomes x -> y."""
        self.neighbors[x].discard(y)
        self.neighbors[y].discard(x)
        self.children[x].add(y)
        self.parents[y].add(x)


def changed(pdag: Pdag, op: Operator) -> Pdag:
    """The local change of Insert or Delete (Chickering 2002, definitions 12 and 13)."""
    after = pdag.copy()
    if isinstance(op, cz.Insert):
        after.direct(op.x, op.y)
        for t in op.tails:
            after.direct(t, op.y)
        return after
    after.neighbors[op.x].discard(op.y)
    after.neighbors[op.y].discard(op.x)
    after.children[op.x].discard(op.y)
    after.parents[op.y].discard(op.x)
    for h in op.heads:
        after.direct(op.y, h)
        if h in after.neighbors[op.x]:
            after.direct(op.x, h)
    return after


def extension(pdag: Pdag) -> Sets:
    """The parent sets of a DAG that extends the PDAG; consumes the PDAG (Dor and Tarsi 1992)."""
    n = len(pdag.parents)
    dag: Sets = [set() for _ in range(n)]
    left = dict.fromkeys(range(n))
    while left:
        v = next(v for v in left if _can_be_last(pdag, v))
        del left[v]
        dag[v] = pdag.parents[v] | pdag.neighbors[v]
        for u in pdag.parents[v]:
            pdag.children[u].discard(v)
        for u in pdag.neighbors[v]:
            pdag.neighbors[u].discard(v)
    return dag


def _can_be_last(pdag: Pdag, v: int) -> bool:
    if pdag.children[v]:
        return False
    around = pdag.parents[v] | pdag.neighbors[v]
    return all(around <= pdag.parents[u] | pdag.children[u] | pdag.neighbors[u] | {u} for u in pdag.neighbors[v])


def completion(dag: Sets) -> Sets:
    """For every node, the parents whose arrow all members of the class share (Chickering 1995, Label-Edges).

    Of the arrows into y the one from its last parent x is looked at; it settles all others. If y has all compelled
    parents of x and no parents but x and those of x, it shares the compelled parents of x, else all are compelled.
    """
    rank = {v: i for i, v in enumerate(_topological_order(dag))}
    compelled: Sets = [set() for _ in dag]
    for y in rank:
        if dag[y]:
            x = max(dag[y], key=rank.__getitem__)
            shared = compelled[x] <= dag[y] and dag[y] <= dag[x] | {x}
            compelled[y] = set(compelled[x] if shared else dag[y])
    return compelled


def _topological_order(dag: Sets) -> list[int]:
    missing = [len(parents) for parents in dag]
    children: list[list[int]] = [[] for _ in dag]
    for v, parents in enumerate(dag):
        for u in parents:
            children[u].append(v)
    order = [v for v, count in enumerate(missing) if not count]
    for u in order:  # the list grows during the loop
        for v in children[u]:
            missing[v] -= 1
            if not missing[v]:
                order.append(v)
    return order
