"""Simulators: graphs are acyclic, seeds are respected, tables have the stated moments; invalid arguments."""

import numpy as np
import pytest
from scipy import stats

import causal_zigzag as cz
from causal_zigzag.datasets.simulated import gaussian_model, topological_order
from causal_zigzag.exact.all_classes import enumerate_cpdags


def test_random_dags_are_acyclic_seeded_and_of_the_expected_degree() -> None:
    for n in (0, 1, 2, 7, 60):
        dag = cz.datasets.random_dag(n, rng=n)
        assert dag.shape == (n, n)
        assert dag.dtype == np.uint8
        assert cz.CPDAG.from_dag(dag).edge_count == dag.sum()
        assert np.array_equal(dag, cz.datasets.random_dag(n, rng=n))
    # The number of edges is binomial with 200 · 19900 trials; 5.5 standard deviations: false alarms 4e-8.
    edges = sum(int(cz.datasets.random_dag(200, expected_degree=4, rng=seed).sum()) for seed in range(200))
    assert abs(edges - 200 * 400) < 5.5 * np.sqrt(200 * 400)
    assert cz.datasets.random_dag(5, expected_degree=100, rng=1).sum() == 10


def test_a_random_dag_does_not_depend_on_the_order_of_the_nodes() -> None:
    dags = [cz.datasets.random_dag(30, rng=seed) for seed in range(100)]
    forward, all_edges = sum(np.triu(dag).sum() for dag in dags), sum(dag.sum() for dag in dags)
    # The edges of one DAG share its order, so each DAG counts as one draw of a share of forward edges, whose variance
    # is at most 1/4; 5.5 deviations: false alarms below 4e-8.
    assert abs(forward / all_edges - 0.5) < 5.5 * 0.5 / np.sqrt(100)


def test_random_classes_are_uniform() -> None:
    number = {g: i for i, g in enumerate(enumerate_cpdags(3))}
    drawn = cz.datasets.random_classes(3, 550, rng=7)
    counts = np.bincount([number[g] for g in drawn], minlength=11)
    assert stats.chisquare(counts).pvalue > 1e-6  # the false-alarm rate


def test_random_classes_of_five_nodes_have_the_right_mean_number_of_edges() -> None:
    edges = np.array([g.edge_count for g in cz.datasets.random_classes(5, 400, rng=8)])
    # The exact mean is 5.724209; 5.5 standard errors, false alarms 4e-8.
    assert abs(edges.mean() - 5.724209) < 5.5 * edges.std() / 20


def test_random_classes_are_seeded_and_take_any_number() -> None:
    assert cz.datasets.random_classes(6, 3, rng=1) == cz.datasets.random_classes(6, 3, rng=1)
    assert cz.datasets.random_classes(6, 3, rng=1) != cz.datasets.random_classes(6, 3, rng=2)
    assert cz.datasets.random_classes(1, 2) == [cz.CPDAG.empty(1)] * 2
    assert cz.datasets.random_classes(4, 0) == []
    assert len(cz.datasets.random_classes(2, 70, rng=1)) == 70  # more than run at once


def test_gaussian_tables_have_the_covariance_of_their_model() -> None:
    dag, rows = cz.datasets.random_dag(8, expected_degree=4, rng=3), 20_000
    coefficients, noise = gaussian_model(dag, 0.2, 0.8, np.random.default_rng(11))
    assert np.array_equal(coefficients != 0, dag != 0)
    across = np.linalg.inv(np.eye(8) - coefficients)
    implied = across.T @ np.diag(noise) @ across
    np.testing.assert_allclose(np.diag(implied), 1, rtol=1e-12)
    table = cz.datasets.linear_gaussian(dag, rows, rng=11).to_numpy()
    found = np.cov(table.T, bias=True)
    # The variance of an entry is (1 + r²) / rows ≤ 2 / rows; 36 entries at 6.5 deviations, false alarms 3e-9.
    assert np.abs(found - implied).max() < 6.5 * np.sqrt(2 / rows)
    assert np.abs(table.mean(axis=0)).max() < 6.5 / np.sqrt(rows)
    shares = 1 - noise[dag.any(axis=0)]
    assert shares.min() >= 0.2
    assert shares.max() <= 0.8


def test_the_shares_explained_are_the_requested_ones() -> None:
    _, noise = gaussian_model(np.array([[0, 1], [0, 0]], np.uint8), 0.5, 0.5, np.random.default_rng(1))
    np.testing.assert_allclose(noise, [1, 0.5])


def test_labels_and_seeds_of_tables() -> None:
    g = cz.CPDAG.from_dag([("a", "c"), ("b", "c")], nodes=["c", "b", "a"])
    for simulate in (cz.datasets.linear_gaussian, cz.datasets.discrete):
        table = simulate(g, 50, rng=4)
        assert list(table.columns) == ["c", "b", "a"]
        assert table.equals(simulate(g, 50, rng=4))
        assert not table.equals(simulate(g, 50, rng=5))
        assert list(simulate([[0, 1], [0, 0]], 5, nodes=["x", ("y", 1)], rng=1).columns) == ["x", ("y", 1)]
        assert simulate(np.zeros((3, 3)), 0, rng=1).shape == (0, 3)


def test_discrete_tables_have_the_independences_of_their_structure() -> None:
    # Chi-square tests, each with a false-alarm rate of 1e-7.
    table = cz.datasets.discrete([("a", "b"), ("c", "b"), ("b", "d")], 20_000, levels=3, rng=2)
    assert _p_value(table["a"], table["c"]) > 1e-7
    assert _p_value(table["a"], table["b"]) < 1e-7
    for _, part in table.groupby("b"):
        assert _p_value(part["a"], part["d"]) > 1e-7
        assert part["a"].nunique() == 3


def test_levels_and_concentration_of_discrete_tables() -> None:
    table = cz.datasets.discrete(np.zeros((40, 40)), 3000, levels=(2, 4), concentration=5.0, rng=1)
    assert set(table.nunique()) == {2, 3, 4}
    assert table.to_numpy().min() == 0
    # The mean probability of a level is 1/2; with concentration 1 its variance is 1/12. 5.5 deviations: 4e-8.
    shares = [cz.datasets.discrete([("a", "b")], 200, levels=2, rng=seed)["a"].mean() for seed in range(300)]
    assert abs(np.mean(shares) - 0.5) < 5.5 * np.sqrt(1 / 12 + 1 / 800) / np.sqrt(300)
    flat = cz.datasets.discrete([("a", "b")], 4000, levels=2, concentration=1e9, rng=1)
    assert abs(flat["b"].mean() - 0.5) < 5.5 * 0.5 / np.sqrt(4000)


def test_many_parents_of_a_discrete_node() -> None:
    dag = np.zeros((41, 41), np.uint8)
    dag[:40, 40] = 1
    assert cz.datasets.discrete(dag, 100, rng=1).shape == (100, 41)


def test_topological_order_puts_parents_first() -> None:
    dag = cz.datasets.random_dag(40, expected_degree=6, rng=1)
    place = np.argsort(topological_order(dag))
    tails, heads = np.nonzero(dag)
    assert len(place) == 40
    assert (place[tails] < place[heads]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cz.datasets.random_dag(-1), "n must be an integer of at least 0, not -1"),
        (lambda: cz.datasets.random_dag(3, expected_degree=-1), "expected_degree must be a number of at least 0"),
        (lambda: cz.datasets.random_dag(3, expected_degree=float("nan")), "expected_degree must be a number of at le"),
        (lambda: cz.datasets.random_dag(3, rng="x"), "rng must be None, a seed of at least 0"),
        (lambda: cz.datasets.random_classes(3, 2.5), "k must be an integer of at least 0, not 2.5"),
        (lambda: cz.datasets.linear_gaussian([[0, 1], [0, 0]], -5), "rows must be an integer of at least 0, not -5"),
        (lambda: cz.datasets.linear_gaussian([[0, 1], [0, 0]], 5, explained=(0.5, 1.0)), "0 <= low <= high < 1"),
        (lambda: cz.datasets.linear_gaussian([[0, 1], [0, 0]], 5, explained=0.5), "explained must be two shares"),
        (lambda: cz.datasets.linear_gaussian(cz.CPDAG.empty(2), 5, nodes=["a", "b"]), "leave nodes= out"),
        (lambda: cz.datasets.discrete([[0, 1], [0, 0]], 5, levels=1), "levels must be an integer of at least 2, not 1"),
        (lambda: cz.datasets.discrete([[0, 1], [0, 0]], 5, levels=(3, 2)), "levels must be an integer of at least 3"),
        (lambda: cz.datasets.discrete([[0, 1], [0, 0]], 5, concentration=0), "concentration must be a number above 0"),
    ],
)
def test_invalid_arguments(call, message: str) -> None:
    with pytest.raises(cz.SettingsError, match=message):
        call()


def test_a_cycle_raises_an_error() -> None:
    with pytest.raises(cz.GraphError, match="cycle"):
        cz.datasets.linear_gaussian([("a", "b"), ("b", "c"), ("c", "a")], 5)


def _p_value(x, y) -> float:
    counts = np.zeros((int(x.max()) + 1, int(y.max()) + 1))
    np.add.at(counts, (x.to_numpy(), y.to_numpy()), 1)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    return float(stats.chi2_contingency(counts).pvalue)
