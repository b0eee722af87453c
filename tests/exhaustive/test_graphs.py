"""Every graph with up to four nodes, read as a CPDAG, a DAG and a PDAG: right, or refused for a reason that is real."""

from itertools import combinations, product

import naive
import numpy as np
import pytest
from bridge import graph_of

import causal_zigzag as cz
from causal_zigzag import _core

up_to_four = pytest.mark.parametrize("n", range(5))


@up_to_four
def test_from_matrix_accepts_exactly_the_cpdags(n: int) -> None:
    for pdag in naive.all_pdags(n):
        assert_accepted_if_cpdag(pdag, n)


@pytest.mark.long
def test_from_matrix_accepts_exactly_the_cpdags_of_five_nodes() -> None:
    for pdag in naive.all_pdags(5):
        assert_accepted_if_cpdag(pdag, 5)


def assert_accepted_if_cpdag(pdag: naive.Graph, n: int) -> None:
    matrix = naive.to_matrix(pdag, n)
    if pdag in naive.classes(n):
        assert graph_of(cz.CPDAG.from_matrix(matrix)) == pdag
    else:
        with pytest.raises(cz.GraphError):
            cz.CPDAG.from_matrix(matrix)
        assert_flaw_is_real(pdag, n, _core.Graph.from_matrix(matrix.astype(np.uint8)))


def assert_flaw_is_real(pdag: naive.Graph, n: int, flaw: _core.Flaw) -> None:
    """The nodes that the core names do show what it says is wrong."""
    kind, nodes = flaw
    arrows = {(x, y) for x, y in pdag if (y, x) not in pdag}
    lines = pdag - arrows
    around = list(zip(nodes, [*nodes[1:], *nodes[:1]], strict=True))
    match kind:
        case "cycle":
            assert set(around) <= arrows
        case "chordless":
            sides = set(around)
            assert len(nodes) >= 4
            assert sides <= lines
            assert all((x, y) not in pdag for x, y in combinations(nodes, 2) if not {(x, y), (y, x)} & sides)
        case "parents":
            p, u, v = nodes
            assert (p, u) in arrows
            assert (u, v) in lines
            assert (p, v) not in arrows
        case "not_compelled":
            x, y = nodes
            assert (x, y) in arrows
            assert any((y, x) in member for member in naive.classes(n)[naive.class_of_pdag(pdag, n)])
        case _:
            pytest.fail(f"{kind} is no reason to refuse a graph without self-loops")


@pytest.mark.parametrize("n", range(6))
def test_from_dag_completes_every_dag(n: int) -> None:
    for dag, cpdag in naive.class_of_dag(n).items():
        assert graph_of(cz.CPDAG.from_dag(naive.to_matrix(dag, n))) == cpdag


@up_to_four
def test_from_dag_refuses_every_cycle_and_names_it(n: int) -> None:
    choices = [((), ((x, y),), ((y, x),)) for x, y in combinations(range(n), 2)]
    for choice in product(*choices):
        graph = frozenset(pair for pairs in choice for pair in pairs)
        if graph not in naive.class_of_dag(n):
            matrix = naive.to_matrix(graph, n)
            kind, nodes = _core.Graph.from_dag(matrix.astype(np.uint8))
            assert kind == "cycle"
            assert set(zip(nodes, [*nodes[1:], nodes[0]], strict=True)) <= graph
            with pytest.raises(cz.GraphError, match="cycle"):
                cz.CPDAG.from_dag(matrix)


@up_to_four
def test_from_pdag_completes_what_has_an_extension(n: int) -> None:
    for pdag in naive.all_pdags(n):
        matrix = naive.to_matrix(pdag, n)
        expected = naive.class_of_pdag(pdag, n)
        if expected is None:
            with pytest.raises(cz.GraphError):
                cz.CPDAG.from_pdag(matrix)
        else:
            assert graph_of(cz.CPDAG.from_pdag(matrix)) == expected


@pytest.mark.parametrize("n", range(6))
def test_dag_is_a_member_of_its_class(n: int) -> None:
    for cpdag, members in naive.classes(n).items():
        g = cz.CPDAG.from_matrix(naive.to_matrix(cpdag, n))
        assert naive.to_graph(g.dag()) in members


@up_to_four
def test_an_invalid_operator_is_refused_for_a_reason_that_is_real(n: int) -> None:
    subsets = [[v for v in range(n) if bits >> v & 1] for bits in range(1 << n)]
    for cpdag in naive.classes(n):
        matrix = naive.to_matrix(cpdag, n)
        graph = _core.Graph.from_matrix(matrix.astype(np.uint8))
        relations = naive.Relations(matrix)
        for insert, x, y, others in product((True, False), range(n), range(n), subsets):
            fault = graph.fault(insert, x, y, others)
            if fault is not None:
                assert_fault_is_real(relations, insert, x, y, set(others), fault)


def assert_fault_is_real(
    graph: naive.Relations, insert: bool, x: int, y: int, others: set[int], fault: _core.Fault
) -> None:
    kind, nodes = fault
    common = graph.neighbors[y] & graph.adjacent[x]
    clique = common | others if insert else common - others
    match kind:
        case "same_node":
            assert nodes == [x] == [y]
        case "adjacent":
            assert insert
            assert y in graph.adjacent[x]
        case "not_adjacent":
            assert not insert
            assert y not in graph.children[x] | graph.neighbors[x]
        case "not_tails":
            assert insert
            assert nodes
            assert set(nodes) == others - (graph.neighbors[y] - graph.adjacent[x])
        case "not_heads":
            assert not insert
            assert nodes
            assert set(nodes) == others - common
        case "not_clique":
            a, b = nodes
            assert {a, b} <= clique
            assert b not in graph.adjacent[a] | {a}
        case "open_path":
            assert insert
            assert (nodes[0], nodes[-1]) == (y, x)
            assert not clique & set(nodes)
            assert all(v in graph.children[u] | graph.neighbors[u] for u, v in zip(nodes, nodes[1:], strict=False))
        case _:
            pytest.fail(f"unknown fault {kind}")
