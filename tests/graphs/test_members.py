"""count_dags and random_dag beyond what can be enumerated: known numbers, another implementation, and large graphs."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

import causal_zigzag as cz
import naive
from random_graphs import KINDS, chordal_dag


def tree(n: int, rng: np.random.Generator) -> cz.CPDAG:
    return cz.CPDAG.from_edges(n, undirected=[(int(rng.integers(v)), v) for v in range(1, n)])


def threshold_graph(n: int) -> cz.CPDAG:
    """0 joins all, then node by node one that joins all later ones and one that joins none: cliques nested deeply."""
    return cz.CPDAG.from_edges(n, undirected=[(a, b) for a in range(0, n, 2) for b in range(a + 1, n)])


@pytest.mark.parametrize("n", [0, 1, 2, 20, 21, 64, 65, 200])
def test_complete_graphs(n: int) -> None:
    assert cz.CPDAG.complete(n).count_dags() == math.factorial(n)
    assert cz.CPDAG.empty(n).count_dags() == 1


@pytest.mark.parametrize("n", [2, 3, 10, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025])
def test_a_tree_has_as_many_members_as_nodes(n: int) -> None:
    g = tree(n, np.random.default_rng(n))
    assert g.count_dags() == n
    dag = g.random_dag(rng=n)
    assert dag.sum() == n - 1
    assert sorted(dag.sum(axis=0).tolist()) == [0] + [1] * (n - 1)  # the root is all there is to choose


@pytest.mark.parametrize("k", [3, 10, 70])
def test_a_complete_graph_without_an_edge(k: int) -> None:
    """2 (k - 1)! - (k - 2)! (He, Jia & Yu 2015)."""
    lines = [(a, b) for b in range(k) for a in range(b) if (a, b) != (0, 1)]
    g = cz.CPDAG.from_edges(k, undirected=lines)
    assert g.count_dags() == 2 * math.factorial(k - 1) - math.factorial(k - 2)


def test_components_multiply() -> None:
    rng = np.random.default_rng(3)
    parts = [cz.CPDAG.from_dag(chordal_dag(n, rng)) for n in (9, 12, 15)]
    whole = np.zeros((36, 36), np.uint8)
    for g, at in zip(parts, (0, 9, 21), strict=True):
        whole[at : at + len(g), at : at + len(g)] = g.matrix()
    assert cz.CPDAG.from_matrix(whole).count_dags() == math.prod(g.count_dags() for g in parts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [12, 65, 130])
def test_draws_are_members(n: int, kind: str) -> None:
    rng = np.random.default_rng(n)
    g = cz.CPDAG.from_dag(KINDS[kind](n, rng))
    for _ in range(20):
        assert cz.CPDAG.from_dag(g.random_dag(rng)) == g


def test_draws_of_a_larger_class_are_uniform() -> None:
    """Nine nodes, cliques that overlap in many ways; false alarms once in a million."""
    g = cz.CPDAG.from_dag(chordal_dag(9, np.random.default_rng(9)))
    size = g.count_dags()
    assert 50 < size < 1000
    drawn = g.random_dags(200 * size, rng=5)
    names = np.random.default_rng(1).integers(2**63, size=81)  # sums of them, modulo 2^64, tell the members apart
    _, counts = np.unique(drawn.reshape(len(drawn), -1) @ names, return_counts=True)
    assert len(counts) == size
    assert 1e-6 / 2 < chi2.sf(((counts - 200) ** 2 / 200).sum(), size - 1) < 1 - 1e-6 / 2


def test_the_same_seed_draws_the_same_dag() -> None:
    g = cz.CPDAG.complete(8)
    assert (g.random_dag(rng=7) == g.random_dag(rng=7)).all()
    assert (g.random_dag(rng=7) != g.random_dag(rng=8)).any()
    rng = np.random.default_rng(7)
    assert (g.random_dag(rng) != g.random_dag(rng)).any()
    assert g.random_dag().dtype == np.uint8
    with pytest.raises(cz.SettingsError, match="rng must be None, a seed"):
        g.random_dag(rng="seed")


def test_labels_do_not_matter() -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        dag = chordal_dag(30, rng)
        order = rng.permutation(30)
        assert cz.CPDAG.from_dag(dag).count_dags() == cz.CPDAG.from_dag(dag[np.ix_(order, order)]).count_dags()


def test_deep_nesting_does_not_exhaust_the_stack() -> None:
    """Of a threshold graph every second node begins a component within the component before."""
    g = threshold_graph(200)
    size = g.count_dags()
    assert size > 2**200
    assert cz.CPDAG.from_dag(g.random_dag(rng=1)) == g


@pytest.mark.parametrize("n", [200, 500])
def test_large_chordal_graphs(n: int) -> None:
    """Polynomial time: the members are too many to enumerate."""
    g = cz.CPDAG.from_dag(chordal_dag(n, np.random.default_rng(n)))
    assert g.edge_count == len(g.undirected_edges)
    assert g.count_dags() > n
    assert cz.CPDAG.from_dag(g.random_dag(rng=1)) == g


def test_another_implementation_counts_the_same() -> None:
    """200 classes; most are beyond the reach of enumeration."""
    peer = pytest.importorskip("cliquepicking")
    rng = np.random.default_rng(200)
    sizes = []
    for i in range(200):
        kind = list(KINDS)[i % len(KINDS)]
        g = cz.CPDAG.from_dag(KINDS[kind](int(rng.integers(10, 200)), rng))
        sizes.append(g.count_dags())
        edges = [(int(x), int(y)) for x, y in np.argwhere(g.matrix())]
        assert peer.mec_size(edges) == sizes[-1]
    assert max(sizes) > 2**64


def test_sizes_of_many_classes_at_once() -> None:
    posterior = cz.sample(cz.Uniform(8), jumps=3000, chains=1, rng=2, progress=False)
    (result,) = posterior._results
    logs = cz._core.log_class_sizes(8, result.origin, result.begin, result.deltas)
    assert len(logs) == len(result.hashes)
    for record, log in enumerate(logs[:500]):
        matrix = cz._core.decode_class(8, result.origin, result.begin, result.deltas, record)
        assert log == pytest.approx(math.log(cz.CPDAG.from_matrix(matrix).count_dags()), abs=1e-12)


def test_naive_counts_of_six_nodes() -> None:
    """One class of six nodes by all orientations of its edges."""
    g = cz.CPDAG.from_edges(6, undirected=[(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4), (3, 5), (2, 4)])
    lines = list(g.undirected_edges)
    members = 0
    for code in range(1 << len(lines)):
        dag = frozenset((y, x) if code >> i & 1 else (x, y) for i, (x, y) in enumerate(lines))
        members += naive.is_acyclic(dag, 6) and not naive.v_structures(dag)
    assert g.count_dags() == members
