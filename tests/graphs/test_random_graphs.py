"""Random graphs, sparse and dense, up to 200 nodes and around multiples of 64, against the reference implementation.

Counts are compared in full. Operators are compared for sampled pairs (x, y), which with the equal counts leaves no
room for others; results are compared for sampled operators.
"""

from collections.abc import Iterator

import numpy as np
import pytest

import causal_zigzag as cz
import naive
from bridge import operator_of
from causal_zigzag import _core
from random_graphs import KINDS
from reasons import assert_fault_is_real, assert_flaw_is_real

SIZES = [2, 7, 20, 63, 64, 65, *(pytest.param(n, marks=pytest.mark.long) for n in (12, 40, 127, 128, 129, 200))]
PAIRS = 300
LISTED_AT_MOST = 200_000


def sampled_pairs(n: int, rng: np.random.Generator) -> set[naive.Pair]:
    """Random pairs, and all pairs of nodes at the ends of words."""
    ends = [v for v in (0, 62, 63, 64, 65, 126, 127, 128, 129, n - 1) if v < n]
    pairs = {(x, y) for x in ends for y in ends}
    return pairs | {(int(x), int(y)) for x, y in rng.integers(n, size=(PAIRS, 2))}


def sampled_operators(g: cz.CPDAG, times: int, rng: np.random.Generator) -> Iterator[cz.Insert | cz.Delete]:
    """The requested number of operators of each kind, if there are any."""
    counts = cz.count_operators(g)
    for kind, number in (("insert", counts.inserts), ("delete", counts.deletes)):
        for _ in range(times if number else 0):
            yield cz.random_operator(g, kind=kind, rng=rng)


def assert_as_naive(g: cz.CPDAG, rng: np.random.Generator, applied: int) -> None:
    graph = naive.Relations(g.matrix())
    counts = cz.count_operators(g)
    assert (counts.inserts, counts.deletes) == graph.counts()
    if counts.total <= LISTED_AT_MOST:
        listed = [operator_of(op) for op in cz.list_operators(g)]
        assert len(set(listed)) == len(listed) == counts.total
        pairs = sampled_pairs(graph.n, rng)
        assert {op for op in listed if (op.x, op.y) in pairs} == set(graph.operators(pairs))
    for op in sampled_operators(g, applied, rng):
        after = op.apply(g)
        assert np.array_equal(after.matrix(), naive.apply(g.matrix(), operator_of(op)))
        assert np.array_equal(naive.completion(after.dag()), after.matrix())
        assert op.inverse(g).apply(after) == g


@pytest.mark.parametrize("shape", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_random_graphs(shape: str, n: int) -> None:
    rng = np.random.default_rng([n, list(KINDS).index(shape)])
    dag = KINDS[shape](n, rng)
    g = cz.CPDAG.from_dag(dag)
    assert np.array_equal(g.matrix(), naive.completion(dag))
    assert_as_naive(g, rng, applied=4 if n < 100 else 1)


@pytest.mark.parametrize("shape", ["sparse", pytest.param("mixed", marks=pytest.mark.long)])
@pytest.mark.parametrize("n", [pytest.param(1024, marks=pytest.mark.long), 1025])
def test_random_graphs_of_many_words(shape: str, n: int) -> None:
    rng = np.random.default_rng(n)
    dag = KINDS[shape](n, rng)
    g = cz.CPDAG.from_dag(dag)
    graph = naive.Relations(g.matrix())
    assert np.array_equal(g.matrix(), naive.completion(dag))
    pairs = {(x, y) for x, y in sampled_pairs(n, rng) if max(x, y) >= 960 or rng.random() < 0.5}
    for op in graph.operators(pairs):
        assert cz.Insert(*op[1:]).is_valid(g) if op.insert else cz.Delete(*op[1:]).is_valid(g)
    for op in sampled_operators(g, 1, rng):
        assert np.array_equal(op.apply(g).matrix(), naive.apply(g.matrix(), operator_of(op)))
        assert op.inverse(g).apply(op.apply(g)) == g


@pytest.mark.long
@pytest.mark.parametrize("n", [1024, 1025])
def test_counts_and_listing_of_many_words(n: int) -> None:
    g = cz.CPDAG.from_dag(KINDS["sparse"](n, np.random.default_rng(n)))
    counts = cz.count_operators(g)
    assert (counts.inserts, counts.deletes) == naive.Relations(g.matrix()).counts()
    assert sum(1 for _ in cz.list_operators(g)) == counts.total


@pytest.mark.parametrize("n", [10, 65, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("share", [0.8, 0.9, 0.97])
def test_counts_of_operators_that_are_too_many_to_list(n: int, share: float) -> None:
    """Nearly complete graphs have large cliques, and large numbers of deletes."""
    rng = np.random.default_rng(n)
    dag = np.triu(rng.random((n, n)) < share, k=1)
    g = cz.CPDAG.from_dag(dag)
    assert np.array_equal(g.matrix(), naive.completion(dag))
    counts = cz.count_operators(g)
    assert (counts.inserts, counts.deletes) == naive.Relations(g.matrix()).counts()


@pytest.mark.parametrize("shape", KINDS)
@pytest.mark.parametrize("n", [20, 65, pytest.param(129, marks=pytest.mark.long)])
@pytest.mark.parametrize("bound", [2, 4, 8])
def test_counts_and_lists_with_a_degree_bound(shape: str, n: int, bound: int) -> None:
    g = cz.CPDAG.from_dag(KINDS[shape](n, np.random.default_rng(n)))
    graph = naive.Relations(g.matrix())
    counts = cz.count_operators(g, max_degree=bound)
    assert (counts.inserts, counts.deletes) == graph.counts(bound)
    if counts.total <= LISTED_AT_MOST:
        listed = [operator_of(op) for op in cz.list_operators(g, max_degree=bound)]
        assert len(set(listed)) == len(listed) == counts.total
        assert all(len(graph.adjacent[v]) < bound for op in listed if op.insert for v in (op.x, op.y))


@pytest.mark.parametrize("n", [5, 65, pytest.param(129, marks=pytest.mark.long)])
def test_a_long_walk(n: int) -> None:
    """What apply() carries along from graph to graph agrees with a graph that is made afresh."""
    rng = np.random.default_rng(n)
    g = cz.CPDAG.empty(n)
    for step in range(300):
        op = cz.random_operator(g, kind="insert" if g.edge_count < min(2 * n, 9) else None, rng=rng)
        back, before = op.inverse(g), g
        g = op.apply(g)
        assert back.apply(g) == before
        if step % 10 == 0:
            assert np.array_equal(g.matrix(), naive.apply(before.matrix(), operator_of(op)))
            afresh = cz.CPDAG.from_matrix(g.matrix())
            assert g == afresh
            assert hash(g) == hash(afresh)
            assert cz.count_operators(g) == cz.count_operators(afresh)
            assert np.array_equal(naive.completion(g.dag()), g.matrix())
            assert back.is_valid(g)
    assert_as_naive(g, rng, applied=4)


@pytest.mark.parametrize("shape", KINDS)
@pytest.mark.parametrize("n", [8, 30, 65])
def test_invalid_random_operators_have_a_true_reason(shape: str, n: int) -> None:
    rng = np.random.default_rng(n)
    matrix = naive.completion(KINDS[shape](n, rng))
    core = _core.Graph.from_matrix(matrix.astype(np.uint8))
    graph = naive.Relations(matrix)
    for x, y in rng.integers(n, size=(1000, 2)).tolist():
        near = graph.neighbors[y] & graph.adjacent[x] if rng.random() < 0.5 else graph.neighbors[y]
        others = frozenset(v for v in near if rng.random() < 0.6)
        for insert, allowed in ((True, graph.inserts(x, y)), (False, graph.deletes(x, y))):
            operator = naive.Operator(insert, x, y, others)
            fault = core.fault(insert, x, y, sorted(others))
            assert (fault is None) == (operator in allowed)
            if fault is not None:
                assert_fault_is_real(graph, operator, fault)


@pytest.mark.parametrize("shape", KINDS)
@pytest.mark.parametrize("n", [8, 30, 65])
def test_invalid_random_graphs_have_a_true_reason(shape: str, n: int) -> None:
    """One edge of a CPDAG is added, removed, directed or made undirected."""
    rng = np.random.default_rng(n)
    matrix = naive.completion(KINDS[shape](n, rng))
    for x, y in rng.integers(n, size=(60, 2)).tolist():
        if x != y:
            spoilt = matrix.copy()
            spoilt[x, y] ^= True
            flaw = _core.Graph.from_matrix(spoilt.astype(np.uint8))
            if isinstance(flaw, tuple):
                assert_flaw_is_real(spoilt, flaw)
            else:
                assert np.array_equal(naive.completion(naive.extension(spoilt)), spoilt)
