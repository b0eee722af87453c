"""Graphs decoded from the lists of a posterior behave like graphs made from their matrices."""

import pickle
from collections import Counter

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.weighted_classes import FEW_ROWS

SIZES = [1, 2, 5, 63, 64, 65, 129, 257]  # around the widths of sets of nodes


def run(n: int) -> cz.Posterior:
    nodes = [f"v{i}" for i in range(n)]
    return cz.sample(
        cz.Uniform(nodes), edge_prior=2.0, jumps=300, chains=2, settings=cz.Settings(warmup=500), rng=n, progress=False
    )


def plain(g: cz.CPDAG) -> cz.CPDAG:
    return cz.CPDAG.from_matrix(g.matrix(), g.nodes)


@pytest.mark.parametrize("n", SIZES)
def test_every_class_is_listed_once_with_its_row(n: int) -> None:
    posterior = run(n)
    found = dict(posterior._classes.every_graph())
    assert sorted(found) == list(range(posterior.class_count))
    for row in np.linspace(0, posterior.class_count - 1, 20).astype(int).tolist():
        assert found[row] == posterior._classes.graph(row)
        assert found[row].core.hash == tuple(posterior._classes.names[row].tolist())


@pytest.mark.parametrize("n", SIZES)
def test_queries_of_listed_graphs(n: int) -> None:
    posterior = run(n)
    for row, g in list(posterior._classes.every_graph())[:: 1 + posterior.class_count // 8]:
        same = plain(g)
        assert (g.edge_count, len(g), repr(g)) == (same.edge_count, n, repr(same))
        assert g.directed_edges == same.directed_edges
        assert g.undirected_edges == same.undirected_edges
        for v in g.nodes[:: 1 + n // 9]:
            assert g.parents(v) == same.parents(v)
            assert g.children(v) == same.children(v)
            assert g.neighbors(v) == same.neighbors(v)
            assert g.adjacent(v) == same.adjacent(v) == g.parents(v) | g.children(v) | g.neighbors(v)
        assert g == same
        assert same == g
        assert hash(g) == hash(same)
        assert g != cz.CPDAG.empty(n + 1)
        assert (row == 0) == (g == posterior._classes.graph(0))
        assert cz.CPDAG.from_dag(g.dag(), g.nodes) == g
        assert pickle.loads(pickle.dumps(g)) == g


def test_operators_members_and_runs_of_listed_graphs() -> None:
    for _, g in list(run(65)._classes.every_graph())[::60]:
        same = plain(g)
        assert g.count_dags() == same.count_dags()
        assert (g.random_dag(rng=3) == same.random_dag(rng=3)).all()
        assert cz.count_operators(g) == cz.count_operators(same)
        assert list(cz.list_operators(g)) == list(cz.list_operators(same))
        operator = cz.random_operator(g, rng=1)
        assert operator == cz.random_operator(same, rng=1)
        assert operator.is_valid(g)
        assert operator.apply(g) == operator.apply(same)
        assert operator.inverse(g).apply(operator.apply(g)) == g
        runs = [cz.sample(cz.Uniform(g.nodes), start=start, jumps=50, chains=1, rng=2) for start in (g, same)]
        assert runs[0].top(5) == runs[1].top(5)


def test_the_same_edges_of_two_graphs_are_the_same_objects() -> None:
    graphs = [g for _, g in run(5)._classes.every_graph()]
    edges = [edge for g in graphs for edge in g.directed_edges + g.undirected_edges]
    assert len({id(edge) for edge in edges}) == len({*edges}) < len(edges)


def test_rows_are_returned_in_the_requested_order(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = run(5)
    rows = np.random.default_rng(1).permutation(posterior.class_count)
    assert len(rows) > 3 * FEW_ROWS
    expected = [posterior._classes.graph(int(row)) for row in rows]
    for size in (1, 1000, 1 << 26):  # one at a time, some, all
        monkeypatch.setattr("causal_zigzag.answers.weighted_classes.SORTED_BYTES", size)
        monkeypatch.setattr("causal_zigzag.answers.class_list.STREAMED_BYTES", size)
        assert list(posterior._classes.graphs(rows)) == expected


def test_a_function_is_called_once_per_listed_class() -> None:
    posterior = run(5)
    asked: Counter[cz.CPDAG] = Counter()

    def few_edges(g: cz.CPDAG) -> bool:
        asked[g] += 1
        return g.edge_count < 3

    expected = sum(p for g, p, _ in posterior.top(posterior.class_count) if g.edge_count < 3)
    assert posterior.unlisted == 0
    assert posterior.probability_that(few_edges) == pytest.approx(expected, abs=1e-12)
    assert len(asked) == posterior.class_count
    assert {*asked.values()} == {1}
