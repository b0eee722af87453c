"""Operators of all classes of up to five nodes: listed, counted, applied and inverted as in the reference."""

from collections import Counter
from functools import cache

import pytest

import causal_zigzag as cz
import naive
from bridge import graph_of, operator_of, to_package

CLASSES = {0: 1, 1: 1, 2: 2, 3: 11, 4: 185, 5: 8782}  # OEIS A007984
INSERTS = {0: 0, 1: 0, 2: 2, 3: 36, 4: 1128, 5: 79480}
BY_EDGES = {
    3: [1, 3, 6, 1],
    4: [1, 6, 27, 60, 66, 24, 1],
    5: [1, 10, 75, 350, 1120, 2130, 2595, 1730, 690, 80, 1],
}
FIVE = pytest.param(5, marks=pytest.mark.long)
up_to_five = pytest.mark.parametrize("n", [0, 1, 2, 3, 4, FIVE])

Moves = dict[cz.Insert | cz.Delete, cz.CPDAG]


@cache
def walk(n: int) -> dict[cz.CPDAG, Moves]:
    """All classes that the package's operators reach from the empty graph, with each operator and its result."""
    found: dict[cz.CPDAG, Moves] = {}
    todo = [cz.CPDAG.empty(n)]
    once = {todo[0]: todo[0]}  # every class is in memory once, although many operators lead to it
    while todo:
        g = todo.pop()
        listed = list(cz.list_operators(g))
        found[g] = {}
        for op in listed:
            result = op.apply(g)
            if result not in once:
                once[result] = result
                todo.append(result)
            found[g][op] = once[result]
        assert len(found[g]) == len(listed), f"an operator of {g!r} is listed twice"
    return found


@up_to_five
def test_search_from_the_empty_graph_reaches_every_class(n: int) -> None:
    assert len(walk(n)) == CLASSES[n]
    assert {graph_of(g) for g in walk(n)} == set(naive.classes(n))


@pytest.mark.parametrize("n", [3, 4, FIVE])
def test_classes_by_number_of_edges(n: int) -> None:
    sizes = Counter(g.edge_count for g in walk(n))
    assert [sizes[m] for m in range(len(BY_EDGES[n]))] == BY_EDGES[n]


@up_to_five
def test_total_numbers_of_operators(n: int) -> None:
    kinds = Counter(type(op) for moves in walk(n).values() for op in moves)
    assert kinds[cz.Insert] == kinds[cz.Delete] == INSERTS[n]


@up_to_five
def test_counts_equal_the_numbers_of_listed_operators(n: int) -> None:
    for g, moves in walk(n).items():
        kinds = Counter(type(op) for op in moves)
        counts = cz.count_operators(g)
        assert (counts.inserts, counts.deletes) == (kinds[cz.Insert], kinds[cz.Delete])


@up_to_five
def test_operators_are_those_of_chickerings_theorems(n: int) -> None:
    for g, moves in walk(n).items():
        assert {operator_of(op) for op in moves} == set(naive.Relations(g.matrix()).operators())


@up_to_five
def test_operators_and_results_are_single_edge_changes_of_member_dags(n: int) -> None:
    graphs = {g: graph_of(g) for g in walk(n)}
    for g, moves in walk(n).items():
        expected = naive.changes_of_members(graphs[g], n)
        assert {operator_of(op): graphs[after] for op, after in moves.items()} == expected


@up_to_five
def test_two_operators_lead_to_one_class_exactly_when_the_edge_is_undirected(n: int) -> None:
    edges = {g: naive.skeleton(graph_of(g)) for g in walk(n)}
    lines = {g: frozenset(map(frozenset, g.undirected_edges)) for g in walk(n)}
    for g, moves in walk(n).items():
        for after, times in Counter(moves.values()).items():
            (edge,) = edges[g] ^ edges[after]
            assert times == (2 if edge in lines[g] | lines[after] else 1)


@up_to_five
def test_inverse_leads_back_and_pairs_the_operators(n: int) -> None:
    for g, moves in walk(n).items():
        for op, after in moves.items():
            back = op.inverse(g)
            assert walk(n)[after][back] == g
            assert back.inverse(after) == op


@pytest.mark.parametrize("n", range(5))
def test_an_operator_is_valid_exactly_if_it_is_listed(n: int) -> None:
    """For all x, y and sets of other nodes: an operator is valid exactly if it is listed."""
    subsets = [frozenset(v for v in range(n) if bits >> v & 1) for bits in range(1 << n)]
    for g, moves in walk(n).items():
        valid = {operator_of(op) for op in moves}
        for insert in (True, False):
            for x in range(n):
                for y in set(range(n)) - {x}:
                    for others in subsets:
                        if x not in others and y not in others:
                            candidate = naive.Operator(insert, x, y, others)
                            assert to_package(candidate).is_valid(g) == (candidate in valid)


@pytest.mark.parametrize("n", [1, 2, 3, 4, FIVE])
@pytest.mark.parametrize("bound", [1, 2, 3])
def test_a_degree_bound_keeps_the_inserts_between_nodes_below_it(n: int, bound: int) -> None:
    for g, moves in walk(n).items():
        degree = [len(g.adjacent(v)) for v in g.nodes]
        kept = {op for op in moves if isinstance(op, cz.Delete) or max(degree[op.x], degree[op.y]) < bound}
        listed = list(cz.list_operators(g, max_degree=bound))
        counts = cz.count_operators(g, max_degree=bound)
        assert len(listed) == len(kept)
        assert set(listed) == kept
        assert counts.inserts == sum(isinstance(op, cz.Insert) for op in kept)
        assert counts.deletes == sum(isinstance(op, cz.Delete) for op in kept)
