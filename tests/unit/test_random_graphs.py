"""Random graphs, sparse and dense, up to 200 nodes and around multiples of 64: everything as the slow twin has it.

Counts are compared in full. Operators are compared for sampled pairs (x, y), which with the equal counts leaves no
room for others; results are compared for sampled operators.
"""

from collections.abc import Iterator

import naive
import numpy as np
import pytest
from bridge import operator_of, to_package
from random_graphs import KINDS

import causal_zigzag as cz

SIZES = [2, 3, 7, 12, 20, 40, 63, 64, 65, 127, 128, 129, 200]
PAIRS = 300
LISTED_AT_MOST = 200_000


def sampled_pairs(n: int, rng: np.random.Generator) -> set[naive.Pair]:
    """Random pairs, and all pairs of nodes at the ends of words."""
    ends = [v for v in (0, 62, 63, 64, 65, 126, 127, 128, 129, n - 1) if v < n]
    pairs = {(x, y) for x in ends for y in ends}
    return pairs | {(int(x), int(y)) for x, y in rng.integers(n, size=(PAIRS, 2))}


def sampled_operators(g: cz.CPDAG, times: int, rng: np.random.Generator) -> Iterator[cz.Insert | cz.Delete]:
    for kind, number in zip(("insert", "delete"), (c := cz.count_operators(g), (c.inserts, c.deletes))[1], strict=True):
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
    assert_as_naive(g, rng, applied=4)
