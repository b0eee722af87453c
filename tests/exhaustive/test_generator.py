"""Linear algebra: with the rates of the core, the target is invariant on all classes of 3 and 4 nodes."""

import itertools
import math

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import causal_zigzag as cz
from causal_zigzag._core import testing
from causal_zigzag.sampler.core_chain import make_chain
from targets import Case, all_classes, generator, transitions


def hump(edges: int) -> float:
    return -0.7 * (edges - 2) ** 2


BOUNDS = [
    {},
    {"edge_prior": 1.3},
    {"edge_prior": hump},
    {"edge_prior": (0.0, 0.4, -1.0, 0.5)},  # no more than 3 edges
    {"max_degree": 2},
    {"max_degree": 1, "edge_prior": 0.5},
    {"apart": ((0, 1), (2, 1))},
    {"apart": ((0, 2),), "max_degree": 2, "edge_prior": hump},
]
PROCESSES = [
    {"balance": balance, "momentum": momentum}
    for balance, momentum in itertools.product(("sqrt", "metropolis", "barker", "auto"), (1.0, 0.5, 0.0))
]
TARGETS = [{}, *({"rows": 40, "coldness": coldness} for coldness in (0.3, 1.0, 5.0))]


def cases(n: int) -> list[Case]:
    """Every combination."""
    return [Case(n, **t, **p, **b) for t, p, b in itertools.product(TARGETS, PROCESSES, BOUNDS)]


def pairs_of_settings(n: int) -> list[Case]:
    """Some combinations that contain every pair of settings."""
    return [
        Case(n, **TARGETS[(i + j) % len(TARGETS)], **PROCESSES[i], **BOUNDS[j])
        for i, j in itertools.product(range(len(PROCESSES)), range(len(BOUNDS)))
        if n == 3 or (i + 3 * j) % 4 == 0
    ]


def check(case: Case) -> None:
    support, logs = case.support(), case.log_weights()
    operators = {+1: np.zeros(2 * len(support)), -1: np.zeros(2 * len(support))}
    turned = np.zeros(2 * len(support))
    for t in transitions(case):
        direction = 1 - 2 * (t.source % 2)
        if t.kind == 0:
            turned[t.source] = math.exp(t.log_rate)
            continue
        # the rate of an operator is g(π(η) / π(γ)), times the share that the direction permits
        share = 1.0 if t.kind == direction else 1 - case.momentum
        if t.sink < 0:
            assert t.log_rate < -9e14  # a chain at such a rate is frozen and does not move
            continue
        balanced = case.balanced(logs[t.sink // 2] - logs[t.source // 2])
        assert t.log_rate == pytest.approx(balanced + math.log(share), abs=1e-9)
        operators[t.kind][t.source] += math.exp(balanced)
    for state, rate in enumerate(turned):
        ahead, behind = (1, -1) if state % 2 == 0 else (-1, 1)
        # rates of a kind that this direction does not permit are taken from the other direction
        rates = {kind: operators[kind][state] or operators[kind][state ^ 1] for kind in (1, -1)}
        surplus = case.momentum * max(0.0, rates[behind] - rates[ahead])
        assert rate == pytest.approx(surplus, rel=1e-8, abs=1e-9 * (rates[1] + rates[-1]))

    # πQ = 0, for each state relative to its own flow, so that states of small weight are checked as well
    Q = generator(case).tocoo()
    flow, size = np.zeros(2 * len(support)), np.zeros(2 * len(support))
    relative = np.exp(logs[Q.row // 2] - logs[Q.col // 2]) * Q.data
    np.add.at(flow, Q.col, relative)
    np.add.at(size, Q.col, np.abs(relative))
    assert np.all(np.abs(flow) <= 1e-10 * size)

    parts, part = connected_components(Q, directed=True, connection="strong")
    if case.momentum > 0:
        assert parts == 1
    else:  # the direction never changes
        assert parts == 2
        assert len({*part[::2]}) == len({*part[1::2]}) == 1


def test_the_numbers_of_classes_are_known() -> None:
    assert [len(all_classes(n)) for n in range(5)] == [1, 1, 2, 11, 185]


@pytest.mark.parametrize("case", pairs_of_settings(3), ids=str)
def test_three_nodes(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", pairs_of_settings(4), ids=str)
def test_four_nodes(case: Case) -> None:
    check(case)


@pytest.mark.long
@pytest.mark.parametrize("case", cases(4), ids=str)
def test_four_nodes_in_every_combination(case: Case) -> None:
    check(case)


def test_the_core_lists_every_operator_once() -> None:
    case = Case(4, rows=40)
    for g in all_classes(4):
        for direction, kind in ((1, cz.Insert), (-1, cz.Delete)):
            chain = make_chain(case.target, case.settings, g, np.arange(1, 5, dtype=np.uint64), direction=direction)
            events = [kind(x, y, nodes) for sign, (_, x, y, nodes), _ in testing.events(chain) if sign]
            assert len(events) == len({*events})
            assert {*events} == {op for op in cz.list_operators(g) if isinstance(op, kind)}
