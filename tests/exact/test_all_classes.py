"""Exact methods at their full sizes: known counts, published numbers, an independent search, and their limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import log, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from local_scores import TableScore, random_gaussian
from targets import gaussian_data

DATA = Path(__file__).parents[1] / "data"
CLASSES = {0: 1, 1: 1, 2: 2, 3: 11, 4: 185, 5: 8782, 6: 1_067_825}
DAGS = {0: 1, 1: 1, 2: 3, 3: 25, 4: 543, 5: 29281, 6: 3_781_503}
OF_SIZE_ONE = {3: 4, 4: 59, 5: 2616, 6: 306_117}
MEAN_EDGES = {3: 1.636364, 4: 3.405405, 5: 5.724209, 6: 8.550699}
BY_EDGES = {4: [1, 6, 27, 60, 66, 24, 1], 5: [1, 10, 75, 350, 1120, 2130, 2595, 1730, 690, 80, 1]}


@pytest.fixture(scope="module")
def goldberg() -> tuple[cz.GaussianBIC, dict]:
    rows, names, *lower = (DATA / "goldberg.cov.txt").read_text(encoding="utf-8").split("\n")
    cov = np.zeros((6, 6))
    for i, line in enumerate(lower[:6]):
        cov[i, : i + 1] = cov[: i + 1, i] = np.array(line.split(), dtype=float)
    score = cz.GaussianBIC.from_covariance(cov, n_samples=int(rows), nodes=names.split())
    expected = json.loads((DATA / "goldberg.exact-posterior.bic-penalty-1.json").read_text(encoding="utf-8"))
    return score, expected


def graph_from(text: str, names: list[str]) -> cz.CPDAG:
    directed, undirected = [], []
    for edge in text.split():
        a, mark, b = edge[0], edge[1:3], edge[3]
        x, y = names[int(a)], names[int(b)]
        if mark == "--":
            undirected.append((x, y))
        else:
            directed.append((x, y) if mark == "->" else (y, x))
    return cz.CPDAG.from_edges(names, directed, undirected)


@pytest.mark.parametrize("n", [pytest.param(n, marks=pytest.mark.long) if n > 5 else n for n in CLASSES])
def test_known_counts(n: int) -> None:
    posterior = cz.exact_posterior(cz.Uniform(n))
    assert posterior.class_count == CLASSES[n]
    assert posterior.sizes.sum() == DAGS[n]
    assert posterior.log_total == pytest.approx(np.log(CLASSES[n]), abs=1e-12)
    assert posterior.reweight("dags").log_total == pytest.approx(np.log(DAGS[n]), abs=1e-12)
    assert len(np.unique(posterior.codes)) == CLASSES[n]
    if n in OF_SIZE_ONE:
        assert (posterior.sizes == 1).sum() == OF_SIZE_ONE[n]
        assert posterior.edge_probabilities().adjacent.sum() / 2 == pytest.approx(MEAN_EDGES[n], abs=1e-6)


@pytest.mark.parametrize("n", BY_EDGES)
def test_classes_by_number_of_edges(n: int) -> None:
    graphs = list(cz.enumerate_cpdags(n))
    assert len({*graphs}) == CLASSES[n]
    counts = Counter(g.edge_count for g in graphs)
    assert [counts[m] for m in range(len(counts))] == BY_EDGES[n]


@pytest.mark.long
@pytest.mark.nosanitize
def test_agreement_with_an_independent_program(goldberg: tuple[cz.GaussianBIC, dict]) -> None:
    score, expected = goldberg
    posterior = cz.exact_posterior(score, edge_prior=None)
    over_dags = posterior.reweight("dags")
    assert posterior.class_count == expected["n_mec"]
    # The file gives log Z to 8 decimals, probabilities to 10 (classes) and 8 (pairs).
    assert posterior.log_total == pytest.approx(expected["logZ_mec"], abs=1e-8)
    top = posterior.top(len(expected["top"]))
    assert top[0].score == pytest.approx(expected["best_score"], abs=1e-9)
    for found, wanted in zip(top, expected["top"], strict=True):
        assert found.graph == graph_from(wanted["edges"], expected["names"])
        assert found.probability == pytest.approx(wanted["p_mec"], rel=1e-8)
        assert over_dags.probability(found.graph) == pytest.approx(wanted["p_dagprior"], rel=1e-8)
        assert posterior.probability(found.graph) == found.probability
    edges = posterior.edge_probabilities()
    assert edges.adjacent.sum() / 2 == pytest.approx(expected["mean_edges"], rel=1e-9)
    for pair in expected["pairs"]:
        i, j = pair["i"], pair["j"]
        assert edges.adjacent[i, j] == pytest.approx(pair["p_adj"], abs=6e-9)
        assert edges.directed[i, j] == pytest.approx(pair["p_fwd"], abs=6e-9)
        assert edges.directed[j, i] == pytest.approx(pair["p_bwd"], abs=6e-9)
    adjacent = cz.exact_edge_posterior(score, edge_prior=None).adjacent
    np.testing.assert_allclose(over_dags.edge_probabilities().adjacent, adjacent, atol=1e-10, rtol=0)
    assert cz.best_graph(score, edge_prior=None).graph == top[0].graph


def test_methods_of_an_exact_posterior() -> None:
    score = cz.GaussianBIC(gaussian_data(5, 100, seed=1))
    posterior = cz.exact_posterior(score, prior="dags", edge_prior="auto", coldness=0.5)
    assert posterior.probabilities.sum() == pytest.approx(1, abs=1e-12)
    table = posterior.edge_table()
    assert list(table.columns) == ["x", "y", "adjacent", "forward", "undirected", "backward"]
    assert len(table) == 10
    assert table["adjacent"].is_monotonic_decreasing
    assert table["adjacent"].sum() == pytest.approx(posterior.edge_probabilities().adjacent.sum() / 2)
    lines = posterior.summary().splitlines()
    assert lines[0] == "Exact posterior of all 8,782 classes of 5 nodes, prior uniform over DAGs"
    assert any("exp(-1.60944) per edge" in line for line in lines)
    assert "uniform over DAGs" in repr(posterior)
    with pytest.raises(ValueError, match="read-only"):
        posterior.probabilities[0] = 1


TABLE = [0.0, -1.0, -1.0]


@pytest.mark.parametrize(
    ("prior", "weight"),
    [
        (1.5, lambda m: -1.5 * m),
        (lambda m: -0.1 * m * m, lambda m: -0.1 * m * m),
        (TABLE, lambda m: TABLE[m] if m < len(TABLE) else -np.inf),
    ],
    ids=["number", "function", "sequence"],
)
def test_edge_prior_and_coldness_of_an_exact_posterior(prior: Any, weight: Callable[[int], float]) -> None:
    score = random_gaussian(4, 30, seed=3)
    logs = np.array([0.7 * score.total(g) + weight(g.edge_count) for g in cz.enumerate_cpdags(4)])
    posterior = cz.exact_posterior(score, edge_prior=prior, coldness=0.7)
    np.testing.assert_allclose(posterior.probabilities, np.exp(logs - np.logaddexp.reduce(logs)), rtol=1e-10)


def search_by_sets(score: cz.Score, n: int, cost: float) -> float:
    """The best score of a DAG, by trying every sink of every set; parents by scanning all sets, best first."""
    ranked = []
    for y in range(n):
        others = [x for x in range(n) if x != y]
        sets = [(sum(1 << x for x in P), P) for k in range(n) for P in combinations(others, k)]
        scored = [(score.local(y, P) - cost * len(P), bits) for bits, P in sets]
        ranked.append(sorted(scored, reverse=True))
    best = [0.0] * 2**n
    for S in range(1, 2**n):
        best[S] = max(
            best[S & ~(1 << y)] + next(value for value, bits in ranked[y] if not bits & ~(S & ~(1 << y)))
            for y in range(n)
            if S >> y & 1
        )
    return best[-1]


@pytest.mark.parametrize("kind", ["gaussian", "table"])
def test_best_graph_of_ten_nodes(kind: str) -> None:
    score = random_gaussian(10, 300, seed=5) if kind == "gaussian" else TableScore(10, 10.0, seed=5)
    best = cz.best_graph(score)
    assert best.log_weight == pytest.approx(search_by_sets(score, 10, np.log(10)), rel=1e-12)


def test_best_graph_checks_the_memory_it_needs() -> None:
    with pytest.raises(
        cz.SettingsError,
        match=r"these 25 .* 3,623,878,656 bytes .*2,147,483,648",
    ):
        cz.best_graph(cz.Uniform(25))
    with pytest.raises(cz.SettingsError, match=r"at most 30 nodes, .* 31 "):
        cz.best_graph(cz.Uniform(31), memory_limit=2**100)
    needed = 4 * 7 * 2**5
    with pytest.raises(cz.SettingsError, match=r"these 5 .*896 bytes.*895"):
        cz.best_graph(cz.Uniform(5), memory_limit=needed - 1)
    assert cz.best_graph(cz.Uniform(5), memory_limit=needed).log_weight == 0


def test_invalid_settings() -> None:
    with pytest.raises(cz.SettingsError, match=r"exact_posterior.*6 nodes.*not 7"):
        cz.exact_posterior(cz.Uniform(7))
    with pytest.raises(cz.SettingsError, match="enumerate_cpdags lists every class"):
        cz.enumerate_cpdags(7)
    with pytest.raises(cz.SettingsError, match=r"at most 18 nodes, not 19; leave out nodes"):
        cz.exact_edge_posterior(cz.Uniform(19))
    with pytest.raises(cz.SettingsError, match='prior must be "classes" or "dags", not \'mecs\''):
        cz.exact_posterior(cz.Uniform(2), prior="mecs")  # type: ignore[arg-type]
    with pytest.raises(cz.SettingsError, match="so that every edge has the same cost"):
        cz.exact_edge_posterior(cz.Uniform(3), edge_prior=[0.0, -1.0])
    with pytest.raises(cz.SettingsError, match=r"max_parents.*-1"):
        cz.best_graph(cz.Uniform(3), max_parents=-1)
    with pytest.raises(cz.SettingsError, match=r"memory_limit.*'all'"):
        cz.best_graph(cz.Uniform(3), memory_limit="all")  # type: ignore[arg-type]
    with pytest.raises(cz.SettingsError, match="k must be an integer of at least 0, not -1"):
        cz.exact_posterior(cz.Uniform(2)).top(-1)
    with pytest.raises(cz.SettingsError, match="probability needs a CPDAG, not 3"):
        cz.exact_posterior(cz.Uniform(2)).probability(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_local_scores_that_are_not_finite(value: float) -> None:
    for ask in (cz.exact_posterior, cz.best_graph, cz.exact_edge_posterior):
        score = TableScore(3, 1.0, seed=1)
        score.values[1, 0b101] = value
        with pytest.raises(cz.ScoreError, match=f"node 1 with parents 0, 2 must be a finite number, but is {value}"):
            ask(score)


def test_data_in_place_of_a_score() -> None:
    rng = np.random.default_rng(1)
    data = {"a": rng.normal(size=50)}
    data["b"] = data["a"] + rng.normal(size=50)
    score = cz.GaussianBIC(data)
    assert cz.best_graph(data) == cz.best_graph(score)
    assert cz.exact_posterior(data, edge_prior=None).log_total == cz.exact_posterior(score, edge_prior=None).log_total
    assert (
        cz.exact_edge_posterior(data, edge_prior=None).directed
        == cz.exact_edge_posterior(score, edge_prior=None).directed
    ).all()
    with pytest.raises(cz.CausalZigzagError, match="data"):
        cz.best_graph(3)


@pytest.mark.parametrize("kind", [cz.BGe, cz.DiscreteBIC, cz.BDeu, cz.MixedBIC])
def test_all_scores(kind: Callable[..., cz.Score]) -> None:
    rng = np.random.default_rng(2)
    first = rng.integers(0, 3, size=80)
    columns = [first, (first + rng.integers(0, 2, size=80)) % 3, rng.integers(0, 2, size=80)]
    data: dict[str, object] = {f"v{i}": [f"level {v}" for v in column] for i, column in enumerate(columns)}
    if kind in (cz.BGe, cz.MixedBIC):
        data["x"] = columns[0] + rng.normal(size=80)
        data["y"] = columns[1] - rng.normal(size=80)
    if kind is cz.BGe:
        data = {name: column for name, column in data.items() if name in ("x", "y")}
    score = kind(data)
    posterior = cz.exact_posterior(score, prior="dags", edge_prior=None)
    graphs = list(cz.enumerate_cpdags(score.nodes))
    logs = np.array([score.total(g) for g in graphs]) + np.log(posterior.sizes)
    np.testing.assert_allclose(posterior.probabilities, np.exp(logs - np.logaddexp.reduce(logs)), rtol=1e-8)
    adjacent = cz.exact_edge_posterior(score, edge_prior=None).adjacent
    np.testing.assert_allclose(adjacent, posterior.edge_probabilities().adjacent, atol=1e-10, rtol=0)
    best = max(graphs, key=score.total)
    assert cz.best_graph(score, edge_prior=None).score == pytest.approx(score.total(best), rel=1e-12)


def test_no_nodes_and_one_node() -> None:
    for n in (0, 1):
        assert list(cz.enumerate_cpdags(n)) == [cz.CPDAG.empty(n)]
        assert cz.exact_posterior(cz.Uniform(n)).top() == [(cz.CPDAG.empty(n), 1.0, 0.0)]
        assert cz.best_graph(cz.Uniform(n)) == cz.BestGraph(cz.CPDAG.empty(n), 0.0, 0.0)
        assert cz.exact_edge_posterior(cz.Uniform(n)).directed.shape == (n, n)


def test_the_rounding_error_is_estimated() -> None:
    # Where the graph without edges has most of the weight, cancellation is worst.
    edges = cz.exact_edge_posterior(cz.Uniform(12), edge_prior=8.0)
    assert edges.error < 1e-10
    off = ~np.eye(12, dtype=bool)
    assert np.ptp(edges.directed[off]) < 1e-12


def sum_over_dags(weight: list[list[int]], n: int) -> int:
    """The summed weights of all DAGs in whole numbers, by the sets T of nodes without children (Robinson 1973)."""
    below = [[sum(w[P] for P in range(2**n) if not P & ~U) for U in range(2**n)] for w in weight]
    total = [1] + [0] * (2**n - 1)
    for S in range(1, 2**n):
        T = S
        while T:
            nodes = [y for y in range(n) if T >> y & 1]
            total[S] += (-1) ** (len(nodes) + 1) * total[S & ~T] * prod(below[y][S & ~T] for y in nodes)
            T = (T - 1) & S
    return total[-1]


def test_edge_posterior_of_seven_nodes_in_exact_arithmetic() -> None:
    n = 7
    score = TableScore(n, 20.0, seed=9)  # weights from e^-80 to e^80: here they are rounded to whole numbers
    weight = [
        [0 if P >> y & 1 else 1 + int(Fraction(np.exp(score.values[y, P])) * 2**140) for P in range(2**n)]
        for y in range(n)
    ]
    score.values[:] = [[log(w) if w else 0.0 for w in row] for row in weight]
    edges = cz.exact_edge_posterior(score, edge_prior=None)
    total = sum_over_dags(weight, n)
    for i, j in [(0, 1), (1, 0), (2, 6), (5, 3)]:
        with_edge = [*weight]
        with_edge[j] = [w if P >> i & 1 else 0 for P, w in enumerate(weight[j])]
        assert edges.directed[i, j] == pytest.approx(float(Fraction(sum_over_dags(with_edge, n), total)), abs=1e-12)


def test_extreme_scores_neither_overflow_nor_underflow() -> None:
    n = 8
    score = TableScore(n, 1e6, seed=2)
    edges = cz.exact_edge_posterior(score, edge_prior=None)
    best = cz.best_graph(score, edge_prior=None)
    assert edges.error < 1e-9
    dag_of_best = edges.directed.round().astype(np.uint8)
    assert cz.CPDAG.from_dag(dag_of_best) == best.graph
    assert score.total(dag_of_best) == pytest.approx(best.score)


def test_weights_beyond_the_range_of_floating_point_numbers() -> None:
    score = random_gaussian(3, 50, seed=1)
    for exact in (cz.exact_posterior, cz.exact_edge_posterior):
        with pytest.raises(cz.SettingsError, match=r"coldness=1e\+308"):
            exact(score, coldness=1e308)
    with pytest.raises(cz.SettingsError, match=r"-1e\+308"):
        cz.exact_posterior(score, edge_prior=-1e308)
