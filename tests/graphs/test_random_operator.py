"""random_operator is uniform over the valid operators and reproducible, also if there are too many to list."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import causal_zigzag as cz
import naive
from random_graphs import KINDS

# Seeds are fixed, so a test either passes always or never; a fresh seed would raise a false alarm once in a million.
FALSE_ALARM = 1e-6


def draws(g: cz.CPDAG, times: int, kind: str | None = None, seed: int = 1) -> list[cz.Insert | cz.Delete]:
    rng = np.random.default_rng(seed)
    return [cz.random_operator(g, kind=kind, rng=rng) for _ in range(times)]


def assert_uniform(seen: list[object], values: list[object]) -> None:
    counts = Counter(seen)
    assert set(counts) <= set(values)
    assert chisquare([counts[value] for value in values]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("kind", [None, "insert", "delete"])
@pytest.mark.parametrize(
    ("n", "dag"),
    [
        (4, []),
        (4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
        (5, [(0, 1), (1, 2), (2, 3), (3, 4)]),
        (5, [(0, 2), (1, 2), (2, 3), (4, 0)]),
        (6, [(0, 1), (0, 2), (0, 3), (1, 2), (3, 4)]),
    ],
    ids=["empty", "complete", "path", "collider", "triangle"],
)
def test_uniform_on_small_graphs(n: int, dag: list[tuple[int, int]], kind: str | None) -> None:
    """300 draws for each operator: enough to see that half of them are favored by a fifth."""
    g = cz.CPDAG.from_dag(dag, nodes=n)
    kinds = {"insert": cz.Insert, "delete": cz.Delete, None: (cz.Insert, cz.Delete)}
    operators = [op for op in cz.list_operators(g) if isinstance(op, kinds[kind])]
    if operators:
        assert_uniform(draws(g, 300 * len(operators), kind), operators)
    else:
        with pytest.raises(cz.OperatorError):
            cz.random_operator(g, kind=kind)


@pytest.mark.parametrize("shape", KINDS)
@pytest.mark.parametrize("n", [12, 66])
def test_uniform_on_random_graphs(shape: str, n: int) -> None:
    """Operators are pooled into 50 groups of equal size at random, since they are too many to see each often."""
    g = cz.CPDAG.from_dag(KINDS[shape](n, np.random.default_rng(n)))
    operators = list(cz.list_operators(g))
    group = dict(zip(operators, np.random.default_rng(0).permutation(len(operators)) % 50, strict=True))
    counts = np.bincount([group[op] for op in draws(g, 4000)], minlength=50)
    expected = np.bincount(list(group.values()), minlength=50)
    assert chisquare(counts, expected * (counts.sum() / expected.sum())).pvalue > FALSE_ALARM


def test_uniform_on_the_complete_graph_of_200_nodes() -> None:
    """Each of x and y any node, and each of the other 198 nodes a head or not, all independently."""
    g = cz.CPDAG.complete(200)
    drawn = draws(g, 2000, "delete")
    assert_uniform([op.x for op in drawn], list(g.nodes))
    assert_uniform([op.y for op in drawn], list(g.nodes))
    heads = Counter(v for op in drawn for v in op.heads)
    possible = Counter({v: sum(v not in (op.x, op.y) for op in drawn) for v in g.nodes})
    for v in g.nodes:  # 200 tests
        assert chisquare([heads[v], possible[v] - heads[v]]).pvalue > FALSE_ALARM / 200
    sizes = np.array([len(op.heads) for op in drawn])
    assert abs(sizes.mean() - 99) < 5 * np.sqrt(198 / 4 / len(drawn))
    assert abs(sizes.var() / (198 / 4) - 1) < 5 * np.sqrt(2 / len(drawn))
    assert all(op.is_valid(g) for op in drawn[:20])
    assert {type(op) for op in draws(g, 20)} == {cz.Delete}


def test_draws_if_counts_exceed_the_range_of_floating_point_numbers() -> None:
    n = 1025
    g = cz.CPDAG.complete(n)
    drawn = draws(g, 20)
    assert all(op.is_valid(g) for op in drawn)
    assert len({op.y for op in drawn}) > 10
    sizes = np.array([len(op.heads) for op in drawn])
    assert abs(sizes.mean() - (n - 2) / 2) < 5 * np.sqrt((n - 2) / 4 / len(drawn))


def test_kinds_in_proportion_to_their_numbers() -> None:
    g = cz.CPDAG.from_dag([(0, 1), (1, 2), (3, 2), (2, 4)])
    counts = cz.count_operators(g)
    drawn = draws(g, 5000)
    inserts = sum(isinstance(op, cz.Insert) for op in drawn)
    expected = np.array([counts.inserts, counts.deletes]) * (len(drawn) / counts.total)
    assert chisquare([inserts, len(drawn) - inserts], expected).pvalue > FALSE_ALARM


def test_seeds_and_generators() -> None:
    g = cz.CPDAG.empty(50)
    assert cz.random_operator(g, rng=7) == cz.random_operator(g, rng=7)
    assert cz.random_operator(g, rng=7) == cz.random_operator(g, rng=np.random.default_rng(7))
    assert draws(g, 20, seed=3) == draws(g, 20, seed=3)
    assert draws(g, 20, seed=3) != draws(g, 20, seed=4)
    assert len(set(draws(g, 100))) > 90
    assert len({cz.random_operator(g) for _ in range(50)}) > 40


@pytest.mark.parametrize("n", [63, 64, 65, 129, pytest.param(1025, marks=pytest.mark.long)])
def test_draws_are_valid_at_word_boundaries(n: int) -> None:
    g = cz.CPDAG.from_dag(KINDS["mixed"](n, np.random.default_rng(n)))
    relations = naive.Relations(g.matrix())
    for op in draws(g, 50):
        allowed = relations.inserts(op.x, op.y) if isinstance(op, cz.Insert) else relations.deletes(op.x, op.y)
        assert (op.tails if isinstance(op, cz.Insert) else op.heads) in {other.others for other in allowed}


def test_labels_are_kept() -> None:
    g = cz.CPDAG.complete(["a", "b", "c"])
    assert set(draws(g, 200)) == set(cz.list_operators(g))


def test_nothing_to_draw() -> None:
    with pytest.raises(cz.OperatorError, match="insert"):
        cz.random_operator(cz.CPDAG.complete(3), kind="insert")
    with pytest.raises(cz.OperatorError, match="delete"):
        cz.random_operator(cz.CPDAG.empty(3), kind="delete")
    with pytest.raises(cz.OperatorError, match="operator"):
        cz.random_operator(cz.CPDAG.empty(1))


@pytest.mark.parametrize("kind", ["Insert", 1, ["insert"], ""])
def test_invalid_kind(kind: object) -> None:
    with pytest.raises(cz.SettingsError, match="kind"):
        cz.random_operator(cz.CPDAG.empty(3), kind=kind)


@pytest.mark.parametrize("rng", [-1, "seed", 1.5])
def test_invalid_rng(rng: object) -> None:
    with pytest.raises(cz.SettingsError, match="rng"):
        cz.random_operator(cz.CPDAG.empty(3), rng=rng)
