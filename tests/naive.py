"""The reference implementation: graphs, classes and operators by their definitions, slow and obviously correct.

Nodes are 0..n-1. A graph is a set of pairs: (x, y) alone is x -> y, (x, y) and (y, x) together are x - y. For large n
the same graph is a boolean matrix with m[x, y] for each pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Pair = tuple[int, int]
Graph = frozenset[Pair]
Matrix = NDArray[np.bool_]


class Operator(NamedTuple):
    """Insert(x, y, T) or Delete(x, y, H); `others` is T or H."""

    insert: bool
    x: int
    y: int
    others: frozenset[int]


def to_matrix(graph: Iterable[Pair], n: int) -> Matrix:
    matrix = np.zeros((n, n), bool)
    for x, y in graph:
        matrix[x, y] = True
    return matrix


def to_graph(matrix: NDArray) -> Graph:
    return frozenset((int(x), int(y)) for x, y in np.argwhere(matrix))


# ---- DAGs and classes by enumeration ---------------------------------------------------------------------------------


def is_acyclic(graph: Graph, n: int) -> bool:
    """Whether removing nodes without incoming edges, again and again, removes all nodes."""
    left = set(range(n))
    while left:
        sources = {v for v in left if not any((u, v) in graph for u in left)}
        if not sources:
            return False
        left -= sources
    return True


def all_pdags(n: int) -> Iterator[Graph]:
    """All graphs with no edge, a directed edge in either direction or an undirected edge between any two nodes."""
    choices = [((), ((x, y),), ((y, x),), ((x, y), (y, x))) for x, y in combinations(range(n), 2)]
    for choice in product(*choices):
        yield frozenset(pair for pairs in choice for pair in pairs)


def all_dags(n: int) -> Iterator[Graph]:
    choices = [((), ((x, y),), ((y, x),)) for x, y in combinations(range(n), 2)]
    for choice in product(*choices):
        dag = frozenset(pair for pairs in choice for pair in pairs)
        if is_acyclic(dag, n):
            yield dag


def skeleton(graph: Graph) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(pair) for pair in graph)


def v_structures(graph: Graph) -> frozenset[tuple[int, int, int]]:
    """All x -> z <- y with x and y not adjacent, x < y."""
    arrows = [(x, z) for x, z in graph if (z, x) not in graph]
    return frozenset(
        (min(x, y), z, max(x, y))
        for (x, z), (y, w) in combinations(arrows, 2)
        if z == w and (x, y) not in graph and (y, x) not in graph
    )


@cache
def classes(n: int) -> dict[Graph, tuple[Graph, ...]]:
    """Every class with its member DAGs. Members share skeleton and v-structures; the CPDAG is their union."""
    members: dict[object, list[Graph]] = {}
    for dag in all_dags(n):
        members.setdefault((skeleton(dag), v_structures(dag)), []).append(dag)
    return {frozenset().union(*dags): tuple(dags) for dags in members.values()}


@cache
def class_of_dag(n: int) -> dict[Graph, Graph]:
    return {dag: cpdag for cpdag, dags in classes(n).items() for dag in dags}


def class_of_pdag(pdag: Graph, n: int) -> Graph | None:
    """The class of the DAGs that keep the arrows, the skeleton and the v-structures; None if there is no such DAG."""
    arrows = {(x, y) for x, y in pdag if (y, x) not in pdag}
    lines = [(x, y) for x, y in pdag if (y, x) in pdag and x < y]
    for flips in product((False, True), repeat=len(lines)):
        dag = frozenset(arrows | {(y, x) if flip else (x, y) for (x, y), flip in zip(lines, flips, strict=True)})
        if dag in class_of_dag(n) and v_structures(dag) == v_structures(pdag):
            return class_of_dag(n)[dag]
    return None


def changes_of_members(cpdag: Graph, n: int) -> dict[Operator, Graph]:
    """The results of all single-edge changes of the member DAGs: the definition of a valid operator.

    Adding or removing x -> y in a member DAG gives a DAG whose class depends on the member only through the parents of
    y in it (asserted here). In an Insert T are the neighbors of y that are such parents and not adjacent to x; in a
    Delete H are the common neighbors of y and adjacents of x that are not parents of y.
    """
    graph = Relations(to_matrix(cpdag, n))
    result: dict[Operator, Graph] = {}
    for dag in classes(n)[cpdag]:
        for x, y in product(range(n), repeat=2):
            parents = {u for u in range(n) if (u, y) in dag}
            if (x, y) in dag:
                others = (graph.neighbors[y] & graph.adjacent[x]) - parents
                changed = dag - {(x, y)}
            else:
                others = (graph.neighbors[y] & parents) - graph.adjacent[x]
                changed = dag | {(x, y)}
            if changed in class_of_dag(n):  # otherwise x -> y closes a cycle, or x = y, or y -> x is in the DAG
                operator = Operator((x, y) not in dag, x, y, frozenset(others))
                after = class_of_dag(n)[changed]
                assert result.setdefault(operator, after) == after
    return result


# ---- Chickering's operators (Optimal structure identification with greedy search, JMLR 3, 2002) ----------------------


class Relations:
    """Parents, children, neighbors and adjacent nodes of each node, and the operators that Theorems 15 and 17 allow."""

    def __init__(self, matrix: NDArray) -> None:
        m = np.asarray(matrix).astype(bool)
        self.n = len(m)
        self.children = [set(np.flatnonzero(row).tolist()) for row in m & ~m.T]
        self.parents = [set(np.flatnonzero(row).tolist()) for row in m.T & ~m]
        self.neighbors = [set(np.flatnonzero(row).tolist()) for row in m & m.T]
        self.adjacent = [set(np.flatnonzero(row).tolist()) for row in m | m.T]
        self._cliques: dict[frozenset[int], int] = {frozenset(): 1}

    def is_clique(self, nodes: Iterable[int]) -> bool:
        return all(b in self.adjacent[a] for a, b in combinations(nodes, 2))

    def cliques(self, nodes: Iterable[int]) -> Iterator[frozenset[int]]:
        """Every clique among the nodes, beginning with the empty one."""
        found = [frozenset[int]()]
        yield found[0]
        for v in sorted(nodes):
            larger = [clique | {v} for clique in found if clique <= self.adjacent[v]]
            yield from larger
            found += larger

    def reached(self, y: int, blocked: Iterable[int]) -> set[int]:
        """The nodes that semi-directed paths from y (steps to a child or neighbor) reach without a blocked node."""
        found = {y}
        todo = [y]
        while todo:
            u = todo.pop()
            new = (self.children[u] | self.neighbors[u]) - found
            new.difference_update(blocked)
            found |= new
            todo += new
        return found

    def inserts(self, x: int, y: int) -> Iterator[Operator]:
        """Theorem 15: NA_yx | T is a clique, and every semi-directed path from y to x meets NA_yx | T."""
        if x == y or x in self.adjacent[y]:
            return
        common = self.neighbors[y] & self.adjacent[x]
        if self.is_clique(common):
            for tails in self.cliques(self.neighbors[y] - self.adjacent[x]):
                if self.is_clique(common | tails) and x not in self.reached(y, common | tails):
                    yield Operator(True, x, y, tails)

    def deletes(self, x: int, y: int) -> Iterator[Operator]:
        """Theorem 17: x -> y or x - y, and NA_yx - H is a clique."""
        if x in self.parents[y] | self.neighbors[y]:
            common = frozenset(self.neighbors[y] & self.adjacent[x])
            for clique in self.cliques(common):
                yield Operator(False, x, y, common - clique)

    def operators(self, pairs: Iterable[Pair] | None = None) -> Iterator[Operator]:
        """Every valid operator, or those of the given pairs (x, y) only."""
        for x, y in product(range(self.n), repeat=2) if pairs is None else pairs:
            yield from self.inserts(x, y)
            yield from self.deletes(x, y)

    def counts(self, max_degree: int | None = None) -> tuple[int, int]:
        """The numbers of inserts and deletes, also if they are too many to list.

        An open path from y to x has a last node in Ne(y), and y - w -> ... -> x from there is open as well. So the
        clique NA_yx | T must contain every w of Ne(y) from which x is reached without a further neighbor of y, and may
        be any clique of Ne(y) that does. If x is reached without any neighbor of y, no Insert is valid.
        """
        inserts = deletes = 0
        for y in range(self.n):
            around = self.neighbors[y]
            without = self.reached(y, around)
            through = {w: self.reached(y, around - {w}) for w in around}
            for x in range(self.n):
                common = around & self.adjacent[x]
                if x in self.parents[y] | around:
                    deletes += self.count_cliques(frozenset(common))
                elif x != y and x not in self.children[y] and x not in without:
                    full = max_degree is not None and max(len(self.adjacent[v]) for v in (x, y)) >= max_degree
                    needed = common | {w for w in around if x in through[w]}
                    if not full and self.is_clique(needed):
                        more = frozenset(v for v in around - needed if needed <= self.adjacent[v])
                        inserts += self.count_cliques(more)
        return inserts, deletes

    def count_cliques(self, nodes: frozenset[int]) -> int:
        """The number of cliques without a node v plus that with v; fastest if v has the fewest adjacent nodes."""
        if nodes not in self._cliques:
            v = min(nodes, key=lambda v: len(nodes & self.adjacent[v]))
            rest = nodes - {v}
            self._cliques[nodes] = self.count_cliques(rest) + self.count_cliques(rest & self.adjacent[v])
        return self._cliques[nodes]


# ---- The classical way to apply an operator: change locally, extend, complete ----------------------------------------


def local_change(matrix: NDArray, operator: Operator) -> Matrix:
    """The PDAG after Insert: x -> y, and T -> y for T; after Delete: no edge, y -> H, and x -> H where it was x - H."""
    insert, x, y, others = operator
    m = np.array(matrix, bool)
    m[x, y], m[y, x] = insert, False
    for v in others:
        if insert:
            m[v, y], m[y, v] = True, False
        else:
            m[y, v], m[v, y] = True, False
            m[v, x] &= not m[x, v]
    return m


def extension(pdag: NDArray) -> Matrix | None:
    """Dor and Tarsi 1992: remove, again and again, a sink whose neighbors are adjacent to all its adjacent nodes."""
    graph = Relations(pdag)
    dag = np.zeros_like(pdag, bool)
    left = set(range(graph.n))

    def can_be_last(v: int) -> bool:
        around = graph.adjacent[v] & left
        return not graph.children[v] & left and all(
            around - {u} <= graph.adjacent[u] for u in graph.neighbors[v] & left
        )

    while left:
        v = next(filter(can_be_last, sorted(left)), None)
        if v is None:
            return None
        dag[list(graph.adjacent[v] & left), v] = True
        left.remove(v)
    return dag


def completion(dag: NDArray) -> Matrix:
    """The CPDAG of a DAG: its v-structures are directed, then Meek's rules 1 to 3 are applied (Meek 1995)."""
    dag = np.asarray(dag).astype(bool)
    apart = ~(dag | dag.T | np.eye(len(dag), dtype=bool))
    compelled = np.zeros_like(dag)
    for z in range(len(dag)):  # x -> z <- y, x and y apart
        parents = np.flatnonzero(dag[:, z])
        compelled[parents, z] = apart[np.ix_(parents, parents)].any(axis=1)
    while True:
        open_edges = dag & ~compelled
        lines = open_edges | open_edges.T
        arrows = compelled.astype(np.float32)  # numpy multiplies matrices of floats faster
        rule_1 = arrows.T @ apart > 0  # w -> x - y, w and y apart: x -> y
        rule_2 = arrows @ arrows > 0  # x -> w -> y and x - y: x -> y
        rule_3 = np.zeros_like(dag)  # x - u -> y and x - w -> y, u and w apart, x - y: x -> y
        for y in np.flatnonzero(open_edges.any(axis=0)):
            parents = np.flatnonzero(compelled[:, y])
            seen = lines[:, parents].astype(np.float32)
            rule_3[:, y] = ((seen @ apart[np.ix_(parents, parents)]) * seen).any(axis=1)
        new = open_edges & (rule_1 | rule_2 | rule_3)
        if not new.any():
            return compelled | lines
        compelled |= new


def apply(matrix: NDArray, operator: Operator) -> Matrix:
    """The class after a valid operator, by the classical way."""
    dag = extension(local_change(matrix, operator))
    assert dag is not None, f"{operator} leaves a PDAG without a consistent extension"
    return completion(dag)
