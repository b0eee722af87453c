"""Every graph of up to four nodes, as a CPDAG, DAG and PDAG: accepted, or refused for a true reason."""

from itertools import combinations, product, starmap

import numpy as np
import pytest

import causal_zigzag as cz
import naive
from bridge import graph_of
from causal_zigzag import _core
from reasons import assert_fault_is_real, assert_flaw_is_real

up_to_four = pytest.mark.parametrize("n", range(5))
up_to_five = pytest.mark.parametrize("n", [0, 1, 2, 3, 4, pytest.param(5, marks=pytest.mark.long)])


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
        assert_flaw_is_real(matrix, _core.Graph.from_matrix(matrix.astype(np.uint8)))


@up_to_five
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


@up_to_five
def test_dag_is_a_member_of_its_class(n: int) -> None:
    for cpdag, members in naive.classes(n).items():
        g = cz.CPDAG.from_matrix(naive.to_matrix(cpdag, n))
        assert naive.to_graph(g.dag()) in members


@up_to_four
def test_an_invalid_operator_is_refused_for_a_true_reason(n: int) -> None:
    subsets = [frozenset(v for v in range(n) if bits >> v & 1) for bits in range(1 << n)]
    for cpdag in naive.classes(n):
        matrix = naive.to_matrix(cpdag, n)
        graph = _core.Graph.from_matrix(matrix.astype(np.uint8))
        relations = naive.Relations(matrix)
        valid = set(relations.operators())
        for candidate in starmap(naive.Operator, product((True, False), range(n), range(n), subsets)):
            fault = graph.fault(*candidate[:3], sorted(candidate.others))
            assert (fault is None) == (candidate in valid)
            if fault is not None:
                assert_fault_is_real(relations, candidate, fault)
