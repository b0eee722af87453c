"""Linear algebra: the target is invariant where proposals are refused, by knowledge or as cycles, for 3 and 4 nodes."""

import itertools
import math

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

import causal_zigzag as cz
from causal_zigzag._core import testing
from exhaustive.test_generator import hump
from knowledges import OF_FOUR, OF_THREE, Known
from targets import Case, generator, transitions

SETTINGS = [
    {},
    {"rows": 40, "balance": "metropolis", "edge_prior": hump},
    {"rows": 40, "coldness": 0.3},
    {"balance": "barker", "edge_prior": 0.5, "max_degree": 2},
    {"rows": 40, "balance": "auto", "edge_prior": 0.5},
]
MOMENTA = (1.0, 0.5, 0.0)
KINDS = ("forbidden", "required")


def check(case: Case, listed: bool = False) -> None:
    support, logs = case.support(), case.log_weights()
    assert support
    for t in transitions(case, listed):
        direction = 1 - 2 * (t.source % 2)
        if t.kind == 0:
            continue
        assert t.sink >= 0  # no operator leads to a class that disagrees
        share = 1.0 if t.kind == direction else 1 - case.momentum
        balanced = case.balanced(logs[t.sink // 2] - logs[t.source // 2])
        assert t.log_rate == pytest.approx(balanced + np.log(share), abs=1e-9)

    # πQ = 0, for each state relative to its own flow, so that states of small weight are checked as well
    Q = generator(case, listed).tocoo()
    flow, size = np.zeros(2 * len(support)), np.zeros(2 * len(support))
    relative = np.exp(logs[Q.row // 2] - logs[Q.col // 2]) * Q.data
    np.add.at(flow, Q.col, relative)
    np.add.at(size, Q.col, np.abs(relative))
    assert np.all(np.abs(flow) <= 1e-10 * size)

    if len(support) == 1:
        return
    parts, part = connected_components(Q, directed=True, connection="strong")
    assert parts == (1 if case.momentum > 0 else 2)
    assert len({*part[::2]}) == len({*part[1::2]}) == 1  # every class is reached from every other


def fits(case: Case) -> bool:
    """Whether a class of the required arrows is within the other bounds."""
    degree = [sum(v in arrow for arrow in case.known.required) for v in range(case.n)]
    return case.max_degree is None or max(degree) <= case.max_degree


@pytest.mark.parametrize("momentum", MOMENTA)
@pytest.mark.parametrize("known", OF_THREE, ids=str)
def test_three_nodes(known: Known, momentum: float) -> None:
    for settings in SETTINGS:
        case = Case(3, momentum=momentum, known=known, **settings)
        assert fits(case)
        check(case)


@pytest.mark.parametrize("momentum", MOMENTA)
@pytest.mark.parametrize("number", range(len(OF_FOUR)))
def test_four_nodes(number: int, momentum: float) -> None:
    """Every knowledge with every momentum, and every pair of a knowledge and other settings."""
    settings = SETTINGS[(number + MOMENTA.index(momentum)) % len(SETTINGS)]
    case = Case(4, momentum=momentum, known=OF_FOUR[number], **settings)
    check(case if fits(case) else Case(4, momentum=momentum, known=OF_FOUR[number]))


@pytest.mark.parametrize("number", range(len(OF_FOUR)))
def test_four_nodes_with_listed_operators(number: int) -> None:
    """The chain lists its operators where the data favor classes that disagree."""
    settings = [{}, {"balance": "metropolis", "edge_prior": hump}, {"coldness": 5.0, "balance": "barker"}][number % 3]
    case = Case(4, rows=40, momentum=MOMENTA[number // 3 % 3], known=OF_FOUR[number], **settings)
    check(case, listed=True)


@pytest.mark.long
@pytest.mark.parametrize("momentum", MOMENTA)
@pytest.mark.parametrize("known", OF_FOUR, ids=str)
def test_four_nodes_in_every_combination(known: Known, momentum: float) -> None:
    for settings in SETTINGS:
        case = Case(4, momentum=momentum, known=known, **settings)
        if fits(case):
            check(case)


@pytest.mark.parametrize("rows", [0, pytest.param(40, marks=pytest.mark.long)])
@pytest.mark.parametrize("known", OF_FOUR, ids=str)
def test_every_operator_that_agrees_exists_once(known: Known, rows: int) -> None:
    """The operators are those into parents that are not forbidden, without deletes of required arrows."""
    case = Case(4, rows=rows, momentum=0.5, known=known)
    support = {*case.support()}
    for g in support:
        events = [operator for kind, operator, _ in testing.events(case.chain(g)) if kind]
        found = [(cz.Insert if insert else cz.Delete)(x, y, nodes) for insert, x, y, nodes in events]
        assert len(found) == len({*found})
        expected = {op for op in cz.list_operators(g) if (op.x, op.y) not in known.barred and op.apply(g) in support}
        assert {*found} == expected


def all_of_three() -> list[Known]:
    """Every knowledge about three nodes: each arrow is free, forbidden or required, and some DAG agrees."""
    arrows = list(itertools.permutations(range(3), 2))
    found = []
    for states in itertools.product((None, *KINDS), repeat=len(arrows)):
        forbidden, required = (tuple(itertools.compress(arrows, [s == kind for s in states])) for kind in KINDS)
        known = Known(f"not {forbidden}, {required}", forbidden, required)
        if not known.barred.intersection(required):
            found.append(known)
    return found


@pytest.mark.parametrize(("rows", "max_degree"), [(0, None), (0, 1), pytest.param(40, None, marks=pytest.mark.long)])
def test_where_a_class_has_operators_one_of_them_is_accepted(rows: int, max_degree: int | None) -> None:
    """So no chain proposes in vain for ever, and one that cannot leave its class has no event at all."""
    alone = 0
    for known in all_of_three():
        case = Case(3, rows=rows, momentum=0.5, known=known, max_degree=max_degree)
        if not fits(case):
            continue
        support = case.support()
        alone += len(support) == 1
        for g in support:
            events = testing.events(case.chain(g))
            assert any(kind for kind, _, _ in events) == (len(support) > 1)
            assert bool(events) == (len(support) > 1)
    assert alone > 10


@pytest.mark.parametrize("momentum", MOMENTA)
@pytest.mark.parametrize("unlikely_below", [0.0, math.inf])
@pytest.mark.parametrize(
    "setting",
    [
        {},
        {"balance": "auto", "edge_prior": 0.5},
        {"balance": "metropolis", "max_degree": 3},
        {"balance": "barker", "apart": ((0, 1),), "edge_prior": 2.0},
        {"coldness": 0.3, "edge_prior": hump},
    ],
    ids=lambda setting: setting.get("balance", "sqrt"),
)
def test_unlikely_inserts_that_close_a_cycle(setting: dict, unlikely_below: float, momentum: float) -> None:
    case = Case(4, rows=40, momentum=momentum, unlikely_below=unlikely_below, **setting)
    check(case)
    flips = [
        [t.log_rate for t in transitions(one) if t.kind == 0]
        for one in (case, Case(4, rows=40, momentum=momentum, **setting))
    ]
    assert (flips[0] != flips[1]) == (momentum > 0)  # some are refused
