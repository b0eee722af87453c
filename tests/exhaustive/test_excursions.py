"""Proof by linear algebra: with order excursions too, the target is invariant on all classes of 3 and 4 nodes.

The transition matrix of an excursion is written out from the pieces that the core uses: the probabilities of orders,
the weights of the places of a node, the probabilities of parent sets, and the factors of the acceptance.
"""

import itertools
import math
from functools import cache

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag._core import OrderTables, testing
from causal_zigzag.target.edge_prior import EdgePrior
from exhaustive.test_generator import hump
from knowledges import OF_FOUR, OF_THREE, Known
from targets import Case, all_classes, generator

Parents = tuple[tuple[int, ...], ...]


@cache
def dags(n: int) -> tuple[Parents, ...]:
    """The parents of each node, for every DAG of n nodes."""
    sets = [[p for k in range(n) for p in itertools.combinations([u for u in range(n) if u != v], k)] for v in range(n)]
    return tuple(g for g in itertools.product(*sets) if any(fits(g, order) for order in orders(n)))


@cache
def orders(n: int) -> tuple[tuple[int, ...], ...]:
    return tuple(itertools.permutations(range(n)))


def fits(parents: Parents, order: tuple[int, ...]) -> bool:
    return all(set(parents[v]) <= set(order[:i]) for i, v in enumerate(order))


@cache
def class_numbers(n: int) -> tuple[int, ...]:
    """Of each DAG, the number of its class in ``all_classes``."""
    numbers = {g: i for i, g in enumerate(all_classes(n))}
    return tuple(numbers[cz.CPDAG.from_dag([(u, v) for v in range(n) for u in g[v]], range(n))] for g in dags(n))


class Kernel:
    """The transition matrix of excursions over all DAGs, and over classes."""

    def __init__(self, case: Case, candidates: list[list[int]], most: int, slope: float, steps: int, window: int):
        self.case, self.n, self.steps, self.window = case, case.n, steps, window
        target = case.target
        score = target.score.core_score()
        required = [sorted(x for x, y in case.known.required if y == v) if case.known else [] for v in range(case.n)]
        tables = OrderTables(score, candidates, most, case.coldness, slope, required)
        degree = case.n if case.max_degree is None else case.max_degree
        restricted = case.known is not None
        self.pieces = testing.ExcursionPieces(tables, target.edge_prior.core(), degree, restricted)
        self.candidates = candidates
        self.walks: dict[object, tuple[np.ndarray, np.ndarray]] = {}

    def walk(self, parents: Parents, first: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrices of the steps among orders within a window, and of the probabilities of the parents drawn there.

        The second one is over orders and DAGs; what the DAG has outside of the window does not count.
        """
        parts = self.pieces.parts(parents)
        key = (first, *((size, tuple(fixed)) for size, _, fixed in parts))
        if key not in self.walks:
            step, drawn = self.order_step(parents, parts, first), np.zeros((len(orders(self.n)), len(dags(self.n))))
            for i, order in enumerate(orders(self.n)):
                if step[i].any():
                    drawn[i] = self.parent_probabilities(parents, parts, order, first)
            self.walks[key] = np.linalg.matrix_power(step, self.steps), drawn
        return self.walks[key]

    def order_step(self, parents: Parents, parts: list, first: int) -> np.ndarray:
        """One step: a node of the window, then one of the places, in proportion to the weights of the core."""
        number = {order: i for i, order in enumerate(orders(self.n))}
        step = np.zeros((len(number), len(number)))
        for i, order in enumerate(orders(self.n)):
            if not all(set(fixed) <= set(order[: order.index(v)]) for v, (_, _, fixed) in enumerate(parts)):
                continue  # an order that no DAG with these fixed parents has
            for at in range(first, first + self.window):
                logs = np.array(self.pieces.place_weights(parents, list(order), first, first + self.window, at))
                weights = np.exp(logs - logs.max())
                others = [v for v in order if v != order[at]]
                for place, weight in enumerate(weights / weights.sum()):
                    moved = (*others[: first + place], order[at], *others[first + place :])
                    step[i, number[moved]] += weight / self.window
        return step

    def parent_probabilities(self, parents: Parents, parts: list, order: tuple[int, ...], first: int) -> np.ndarray:
        """That the nodes of the window draw the parents that they have in each DAG."""
        product = np.ones(len(dags(self.n)))
        for v in order[first : first + self.window]:
            size, _, fixed = parts[v]
            names = self.candidates[v][:size]
            before = sum(1 << i for i, u in enumerate(names) if order.index(u) < order.index(v))
            logs = self.pieces.parent_log_probabilities(parents, v, before)
            by_set = {
                frozenset([*fixed, *(u for i, u in enumerate(names) if chosen >> i & 1)]): math.exp(log)
                for chosen, log in enumerate(logs)
            }
            assert sum(by_set.values()) == pytest.approx(1)
            product *= [by_set.get(frozenset(g[v]), 0.0) for g in dags(self.n)]
        return product

    def over_classes(self) -> np.ndarray:
        """The transition matrix over the classes of the case, from a uniform member of each that agrees."""
        n = self.n
        support = self.case.support()
        number = {all_classes(n).index(g): i for i, g in enumerate(support)}
        inside = [i for i, c in enumerate(class_numbers(n)) if c in number and agrees(self.case, dags(n)[i])]
        members = [dags(n)[i] for i in inside]
        owner = np.array([number[class_numbers(n)[i]] for i in inside])
        sizes = np.bincount(owner)
        for i, g in enumerate(support):
            m = np.any(self.case.members(g), axis=0)
            arrows = [np.flatnonzero(m[:, v] & ~m[v]).tolist() for v in range(n)]
            lines = [np.flatnonzero(m[:, v] & m[v]).tolist() for v in range(n)]
            assert self.pieces.log_size(arrows, lines) == pytest.approx(math.log(sizes[i]))
        q = np.zeros((len(orders(n)), len(members)))
        for (i, order), (j, g) in itertools.product(enumerate(orders(n)), enumerate(members)):
            if fits(g, order):
                q[i, j] = math.exp(self.pieces.log_order_probability(g, list(order)))
        assert q.sum(axis=0) == pytest.approx(1)
        K = np.zeros((len(support), len(support)))
        windows = range(n - self.window + 1)
        for j, g in enumerate(members):
            ratio = np.exp([self.pieces.log_target_ratio(g, h) for h in members]) * sizes[owner[j]] / sizes[owner]
            to = np.zeros(len(members))
            same = np.array([[g[v] == h[v] for v in range(n)] for h in members])
            for first in windows:
                walk, drawn = self.walk(g, first)
                inner = [order[first : first + self.window] for order in orders(n)]
                kept = np.array([same[:, [v for v in range(n) if v not in window]].all(axis=1) for window in inner])
                for i in np.flatnonzero(q[:, j]):
                    accept = np.minimum(1, ratio * q / q[i, j])
                    to += q[i, j] * (walk[i, :, None] * drawn[:, inside] * kept * accept).sum(axis=0) / len(windows)
            np.add.at(K[owner[j]], owner, to / sizes[owner[j]])
        K[np.diag_indices(len(K))] += 1 - K.sum(axis=1)
        assert K.min() > -1e-12
        return K


def agrees(case: Case, parents: Parents) -> bool:
    dag = np.zeros((case.n, case.n), bool)
    for v, own in enumerate(parents):
        dag[list(own), v] = True
    return case.known is None or case.known.agrees(dag)


def everyone(case: Case) -> list[list[int]]:
    """All others, less forbidden ones, and required ones, which every node keeps."""
    banned = {*case.apart, *((b, a) for a, b in case.apart)}
    banned |= {*case.known.barred, *case.known.required} if case.known else set()
    return [[u for u in range(case.n) if u != v and (u, v) not in banned] for v in range(case.n)]


def few(case: Case) -> list[list[int]]:
    """One candidate for some nodes, none for others."""
    return [[u for u in some if (u + v) % 3 != 0][:1] for v, some in enumerate(everyone(case))]


def check(case: Case, candidates: list[list[int]], most: int, slope: float, steps: int, window: int) -> None:
    K = Kernel(case, candidates, most, slope, steps, window).over_classes()
    logs = case.log_weights()
    weights = np.exp(logs - logs.max())
    pi = weights / weights.sum()
    assert abs(pi @ K - pi).max() <= 1e-12
    assert abs(pi[:, None] * K - (pi[:, None] * K).T).max() <= 1e-12  # reversible, too
    both = np.repeat(pi, 2) / 2
    Q = generator(case).toarray()
    rate = 0.7
    whole = Q + rate * (np.kron(K, np.eye(2)) - np.eye(2 * len(K)))
    assert abs(both @ whole).max() <= 1e-10
    moved = 1 - np.diag(K)
    assert (
        moved.max() > 1e-8 or len(K) == 1 or not any(candidates)
    )  # it does go elsewhere, if seldom where the bounds refuse most proposals


CASES = [
    Case(rows=40),
    Case(rows=40, momentum=0.0, edge_prior=1.3),
    Case(rows=40, coldness=0.3, edge_prior=hump),
    Case(rows=40, edge_prior=(0.0, 0.4, -1.0, 0.5)),
    Case(rows=40, max_degree=2, balance="barker"),
    Case(rows=40, apart=((0, 1), (2, 1))),
    Case(rows=40, coldness=5.0, apart=((0, 2),), max_degree=2, edge_prior=hump, momentum=0.5),
]


def slope_of(case: Case) -> float:
    """A log weight per edge for the tables: that of the prior where it has one, else any."""
    return -case.edge_prior if isinstance(case.edge_prior, float) else 0.0 if case.edge_prior is None else -0.4


@pytest.mark.parametrize("n", [3, 20, 63, 64, 65, 130])
def test_orders_of_a_forest_are_equally_likely(n: int) -> None:
    """The hook length formula: n! / (the product of the numbers of descendants) orders fit a forest of arrows."""
    rng = np.random.default_rng(n)
    order = rng.permutation(n).tolist()
    parents: list[list[int]] = [[] for _ in range(n)]
    below = dict.fromkeys(range(n), 1)  # the number of descendants of each node, itself included
    for i in reversed(range(1, n)):
        above = int(rng.integers(-1, i))
        if above >= 0:
            parents[order[i]] = [order[above]]
            below[order[above]] += below[order[i]]
    score = cz.GaussianBIC.from_covariance(np.eye(n), n_samples=10)
    tables = OrderTables(score.core_score(), [[] for _ in range(n)], n, 1.0, 0.0, [])
    pieces = testing.ExcursionPieces(tables, EdgePrior().core(), n)
    expected = sum(math.log(count) for count in below.values()) - math.lgamma(n + 1)
    assert pieces.log_order_probability(parents, order) == pytest.approx(expected)


@pytest.mark.parametrize("choose", [everyone, few])
@pytest.mark.parametrize(("steps", "window"), [(1, 3), (4, 3), (3, 2)])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_three_nodes(case: Case, steps: int, window: int, choose) -> None:
    case = Case(**{**case.__dict__, "n": 3})
    check(case, choose(case), 3, slope_of(case), steps, window)


@pytest.mark.parametrize(
    ("choose", "steps", "window", "most"), [(everyone, 5, 4, 4), (few, 2, 3, 4), (everyone, 2, 3, 1)]
)
@pytest.mark.parametrize("case", CASES[2:3], ids=str)
def test_four_nodes(case: Case, choose, steps: int, window: int, most: int) -> None:
    check(case, choose(case), most, slope_of(case), steps, window)


@pytest.mark.parametrize("choose", [everyone, few])
@pytest.mark.parametrize("known", OF_THREE, ids=str)
def test_three_nodes_with_knowledge(known: Known, choose) -> None:
    case = Case(n=3, rows=40, known=known)
    check(case, choose(case), 3, slope_of(case), 3, 2)


@pytest.mark.parametrize(
    ("known", "momentum", "choose", "steps", "window", "most"),
    [
        (OF_FOUR[11], 1.0, everyone, 3, 4, 4),
        (OF_FOUR[12], 0.5, few, 2, 3, 4),
        (OF_FOUR[16], 1.0, everyone, 2, 3, 4),
        (OF_FOUR[18], 0.5, everyone, 3, 3, 2),
        (OF_FOUR[19], 0.0, few, 2, 3, 4),
        (OF_FOUR[20], 1.0, everyone, 2, 4, 4),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_four_nodes_with_knowledge(known: Known, momentum: float, choose, steps: int, window: int, most: int) -> None:
    case = Case(rows=40, momentum=momentum, known=known)
    check(case, choose(case), most, slope_of(case), steps, window)


@pytest.mark.long
@pytest.mark.parametrize("choose", [everyone, few])
@pytest.mark.parametrize(("steps", "window", "most"), [(1, 4, 4), (3, 2, 2), (6, 3, 4)])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_four_nodes_in_every_combination(case: Case, steps: int, window: int, most: int, choose) -> None:
    check(case, choose(case), most, slope_of(case), steps, window)
