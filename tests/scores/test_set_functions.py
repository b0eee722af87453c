"""Scores of set functions: values by independent formulas, one call per set, bounds on families, and excursions."""

from __future__ import annotations

import gc
import itertools
import math
import weakref
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import multigammaln

import causal_zigzag as cz
from causal_zigzag.answers.held_out import log_predictive
from causal_zigzag.exact.local_table import cooled_scores
from causal_zigzag.scores.curves.smooth_scores import SmoothScores
from causal_zigzag.target.target import Target
from score_cases import OfGaussian, gaussian_data, make_score, mixed_data

CHOICES = ((None, 1.0, 1.0), (0, 1.0, 0.3), (1, 1.0, 0.3), (1, 0.1, 1.0))


def standard(x: NDArray[np.float64], ranks: bool) -> NDArray[np.float64]:
    if ranks:
        rank = np.array([(x < value).sum() + ((x == value).sum() - 1) / 2 for value in x])
        x = np.array([NormalDist().inv_cdf((r + 0.5) / len(x)) for r in rank])
    return (x - x.mean()) / x.std()


def curves(z: NDArray[np.float64], length: float, most: int) -> NDArray[np.float64]:
    """Features whose products are the kernel without its constant and linear parts, to the rank ``most``."""
    at = np.unique(np.quantile(z, np.linspace(0, 1, 40)))

    def kernel(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(-0.5 * (a[:, None] - b) ** 2 / length**2)

    smooth = kernel(z, at) @ np.linalg.pinv(kernel(at, at), rcond=1e-7, hermitian=True) @ kernel(at, z)
    line = np.column_stack([np.ones(len(z)), z]) / math.sqrt(len(z))
    project = np.eye(len(z)) - line @ line.T
    values, vectors = np.linalg.eigh(project @ smooth @ project)
    return vectors[:, -most:] * np.sqrt(values[-most:])


class Naive:
    """The definition, with matrices of rows and sums over all orders."""

    def __init__(self, data: dict[Any, NDArray[Any]], ranks: bool) -> None:
        self.responses, self.features = [], []
        for column in data.values():
            if column.dtype.kind == "f":
                z = standard(column, ranks)
                self.responses.append(z[:, None])
                self.features.append([(z[:, None], curves(z, *kind)) for kind in ((1.0, 4), (0.5, 5))])
            else:
                block = np.array([column == level for level in np.unique(column)[:-1]], dtype=float).T
                block = np.linalg.qr(block - block.mean(axis=0))[0] * math.sqrt(len(block))
                self.responses.append(block)
                self.features.append([(block, np.zeros((len(block), 0)))] * 2)

    def regression(self, i: int, parents: tuple[int, ...]) -> float:
        """The multivariate t density of the responses of node i."""
        Y = self.responses[i]
        rows, d = Y.shape
        logs = []
        for which, linear, other in CHOICES:
            covariance = np.eye(rows)
            for p in parents:
                straight, curved = self.features[p][which or 0]
                covariance += linear * straight @ straight.T + (which is not None) * other * curved @ curved.T
            inside = np.eye(d) + Y.T @ np.linalg.solve(covariance, Y)
            logs.append(
                multigammaln((d + rows) / 2, d)
                - multigammaln(d / 2, d)
                - rows * d / 2 * math.log(math.pi)
                - d / 2 * np.linalg.slogdet(covariance)[1]
                - (d + rows) / 2 * np.linalg.slogdet(inside)[1]
            )
        return float(np.logaddexp.reduce(logs) - math.log(len(logs)))

    def total(self, nodes: tuple[int, ...]) -> float:
        orders = [
            sum(self.regression(y, order[:k]) for k, y in enumerate(order)) for order in itertools.permutations(nodes)
        ]
        return float(np.logaddexp.reduce(orders) - math.log(len(orders)))


@pytest.mark.parametrize("transform", ["normal-scores", None])
def test_additive_gp_is_its_definition(transform: str | None) -> None:
    data = mixed_data(4, 40)
    score, naive = cz.AdditiveGP(data, transform=transform), Naive(data, transform is not None)
    for y, parents in [(0, (1,)), (1, (0, 2)), (3, (0, 1, 2)), (2, (0, 3))]:
        expected = naive.total((*parents, y)) - naive.total(parents)
        assert score.local(y, parents) == pytest.approx(expected, abs=1e-6)


def test_additive_gp_finds_curves_that_a_line_does_not() -> None:
    rng = np.random.default_rng(4)
    x, noise = rng.normal(size=300), rng.normal(size=300)
    data = {"x": x, "y": np.cos(2 * x) + 0.5 * noise, "z": rng.normal(size=300)}
    curved, straight = (
        cz.exact_posterior(kind(data), edge_prior=None).edge_probabilities() for kind in (cz.AdditiveGP, cz.GaussianBIC)
    )
    assert curved.adjacent[0, 1] > 0.999
    assert straight.adjacent[0, 1] < 0.5
    assert curved.adjacent[0, 2] < 0.2


def test_smooth_scores_increase_and_their_slopes_are_derivatives() -> None:
    cells = np.random.default_rng(9).exponential(size=150)
    smooth = SmoothScores(cells)
    assert smooth(cells)[0].mean() == pytest.approx(0)
    assert smooth(cells)[0].std() == pytest.approx(1)
    x = np.linspace(-20, 60, 400)
    z, log_slopes = smooth(x)
    assert (np.diff(z) > 0).all()
    slopes = (smooth(x + 1e-5)[0] - smooth(x - 1e-5)[0]) / 2e-5
    np.testing.assert_allclose(np.exp(log_slopes), slopes, rtol=1e-4)
    assert np.isfinite(smooth(np.array([-1e9, 1e9]))[1]).all()


@pytest.mark.parametrize("transform", ["normal-scores", None])
def test_predictions_are_densities(transform: str | None) -> None:
    """They add up to 1 over the values of a node, for cells far outside of the known ones, too."""
    rng = np.random.default_rng(3)
    data = {"a": rng.exponential(size=80), "b": rng.normal(size=80), "c": rng.integers(0, 3, 80).astype(str)}
    data["b"] += data["a"] ** 2 + (data["c"] == "1")
    score = cz.AdditiveGP(data, transform=transform)
    far = np.geomspace(1e-4, 1e8, 20_000)
    grid = np.concatenate([-far[::-1], far])
    for a, c in ((0.3, "0"), (9.0, "2")):
        rows = score.prediction({"a": np.full(len(grid), a), "b": grid, "c": np.full(len(grid), c)})
        for parents in ([], [0, 2]):
            density = np.exp(rows.log_density(1, np.array(parents, dtype=np.intp)))
            assert np.trapezoid(density, grid) == pytest.approx(1, abs=0.01)
    rows = score.prediction({"a": [0.3] * 3, "b": [2.0] * 3, "c": ["0", "1", "2"]})
    for parents in ([], [0, 1]):
        assert np.exp(rows.log_density(2, np.array(parents, dtype=np.intp))).sum() == pytest.approx(1)
    shares = [(data["c"] == level).mean() for level in "012"]
    assert np.exp(rows.log_density(2, np.zeros(0, dtype=np.intp))) == pytest.approx(shares, abs=0.01)


def test_predictions_are_ratios_of_marginal_likelihoods() -> None:
    """One more row, with features that stay as they are."""
    data = mixed_data(4, 60)
    known, new = ({v: column[rows] for v, column in data.items()} for rows in (slice(50), slice(50, 51)))
    score = cz.AdditiveGP(known, transform=None)
    columns = score._columns()
    rows = score.prediction(new)
    for y, parents in [(0, ()), (2, (0, 1)), (0, (1, 2, 3))]:
        logs: list[list[float]] = [[], []]
        for which, linear, other in CHOICES:
            for k, size in enumerate((50, 51)):
                covariance = np.eye(size)
                for p in parents:
                    old, added = columns[p].response, rows._new[p][0]
                    response = np.concatenate([old, added])[:size]
                    features, d = columns[p].features(response)[which or 0], old.shape[1]
                    variances = [linear] * d + [other * (which is not None)] * (features.shape[1] - d)
                    covariance += features * variances @ features.T
                Y = np.concatenate([columns[y].response, rows._new[y][0]])[:size]
                inside = 1 + float((Y.T @ np.linalg.solve(covariance, Y))[0, 0])
                logs[k].append(
                    math.lgamma((1 + size) / 2)
                    - size / 2 * math.log(math.pi)
                    - np.linalg.slogdet(covariance)[1] / 2
                    - (1 + size) / 2 * math.log(inside)
                )
        expected = np.logaddexp.reduce(logs[1]) - np.logaddexp.reduce(logs[0]) + rows._new[y][1]
        assert rows.log_density(y, np.array(parents, dtype=np.intp)) == pytest.approx(expected, abs=1e-8)


def test_held_out_rows_show_curves() -> None:
    rng = np.random.default_rng(6)
    x, noise = rng.normal(size=(2, 400))
    data = {"x": x, "y": x**2 + noise / 2}
    known, new = ({v: column[rows] for v, column in data.items()} for rows in (slice(300), slice(300, None)))
    dag = np.array([[[0, 1], [0, 0]]], dtype=np.uint8)
    curved, straight = (log_predictive(kind(known), dag, new).mean() for kind in (cz.AdditiveGP, cz.GaussianBIC))
    assert curved > straight + 0.3


@pytest.mark.parametrize("terms", [1, 3])
def test_basis_bic_is_the_bic_of_polynomials(terms: int) -> None:
    data = mixed_data(4, 90)
    score = cz.BasisBIC(data, terms=terms, penalty=1.5)
    blocks = []
    for column in data.values():
        if column.dtype.kind == "f":
            z = standard(column, ranks=True) * np.std([NormalDist().inv_cdf((r + 0.5) / 90) for r in range(90)])
            block = np.array([z, z**2 - 1, z**3 - 3 * z][:terms])
        else:
            block = np.array([column == level for level in np.unique(column)[1:]], dtype=float)
        root = np.linalg.cholesky(np.atleast_2d(np.cov(block, bias=True)))
        blocks.append(np.linalg.solve(root, block - block.mean(axis=1, keepdims=True)))

    def total(*nodes: int) -> float:
        columns = np.concatenate([blocks[v] for v in nodes]) if nodes else np.zeros((0, 90))
        d = len(columns)
        log_det = np.linalg.slogdet(columns @ columns.T / 90)[1]
        return float(-90 * (d + log_det) - 1.5 * d * (d + 1) / 2 * math.log(90)) / 2

    for y, parents in [(0, ()), (0, (1,)), (1, (0, 2)), (3, (0, 1, 2)), (2, (0, 3))]:
        assert score.local(y, parents) == pytest.approx(total(y, *parents) - total(*parents), rel=1e-9)


def test_basis_bic_finds_products() -> None:
    x, z, noise = np.random.default_rng(5).normal(size=(3, 800))
    data = {"x": x, "z": z, "y": x * z + noise / 2}
    products = cz.exact_posterior(cz.BasisBIC(data), edge_prior=None).edge_probabilities().adjacent
    straight = cz.exact_posterior(cz.GaussianBIC(data), edge_prior=None).edge_probabilities().adjacent
    assert min(products[0, 2], products[1, 2]) > 0.99
    assert max(straight[0, 2], straight[1, 2]) < 0.9


def test_curves_speak_against_linear_scores_only() -> None:
    a, b, noise = np.random.default_rng(2).normal(size=(3, 300))
    data = {"a": a, "bent": a**2 + noise / 2, "b": np.exp(b)}
    run: dict[str, Any] = {"jumps": 20_000, "chains": 2, "rng": 1}
    straight, curved = (cz.sample(data, score=score, **run) for score in ("gaussian-bic", "additive-gp"))
    assert {"curve", "skew"} <= {doubt.kind for doubt in straight.audit().doubts}
    assert any("'additive-gp'" in proposal.code for proposal in straight.advice())
    assert not {"curve", "skew", "outliers"} & {doubt.kind for doubt in curved.audit().doubts}
    assert not any("additive-gp" in proposal.code for proposal in curved.advice() if proposal.kind == "data")


def test_columns_of_few_values_have_fewer_features() -> None:
    rng = np.random.default_rng(1)
    table = cz.read_table({"a": rng.integers(0, 2, 60), "b": rng.integers(0, 3, 60), "c": rng.normal(size=60)},
                          kinds="continuous")  # fmt: skip
    for score in (cz.AdditiveGP(table), cz.BasisBIC(table)):
        assert np.isfinite(score.row("c", ["a", "b"])).all()


def test_many_nodes_have_the_scores_of_few() -> None:
    data = gaussian_data(40, 60)
    many, few = cz.AdditiveGP(data), cz.AdditiveGP(data[:, :6])
    for y, parents in [(0, []), (3, [1, 5]), (5, [0, 2, 4])]:
        assert many.local(y, parents) == pytest.approx(few.local(y, parents), rel=1e-12)


def test_families_are_bounded() -> None:
    score = cz.AdditiveGP(gaussian_data(5, 80), max_parents=2)
    exact = cz.exact_posterior(score, edge_prior=-50.0)  # which prefers dense graphs
    for graph, probability, _ in exact.top(20):
        assert probability == 0 or graph.dag().sum(axis=0).max() <= 2
    posterior = cz.sample(score, edge_prior=-50.0, jumps=2000, chains=2, rng=1)
    assert all(graph.dag().sum(axis=0).max() <= 2 for graph, _, _ in posterior.top(50))
    assert "at most 2 parents" in posterior.summary()


@pytest.mark.parametrize("wrong", [{"transform": "log"}, {"max_parents": 0}, {"max_parents": 99}])
def test_invalid_settings_of_additive_gp(wrong: dict[str, Any]) -> None:
    with pytest.raises(cz.CausalZigzagError, match=next(iter(wrong))):
        cz.AdditiveGP(gaussian_data(3, 50), **wrong)


def test_a_function_is_called_once_per_set() -> None:
    function = OfGaussian(gaussian_data(6, 100))
    score = cz.SetFunction(function, 6)
    table = cooled_scores(Target.read(score))
    np.testing.assert_allclose(table, cooled_scores(Target.read(function.score)), rtol=1e-9)
    assert len(function.sets) == len({*function.sets}) == 2**6 - 1
    score.row(3, [1, 2])
    cz.sample(score, jumps=2000, chains=2, rng=1)
    assert len(function.sets) == 2**6 - 1


def test_many_sets_at_once() -> None:
    function = OfGaussian(gaussian_data(5, 100))
    sizes = []

    def many(sets: list[frozenset[int]]) -> NDArray[np.float64]:
        sizes.append(len(sets))
        return np.array([function(nodes) for nodes in sets])

    score = cz.SetFunction(function, 5, f_many=many)
    assert score.local(0, [1, 2]) == pytest.approx(function.score.local(0, [1, 2]))
    assert sizes == [2]
    cooled_scores(Target.read(score))
    assert sum(sizes) == 2**5 - 1
    assert max(sizes) >= 12


def test_excursions_are_those_of_built_in_scores() -> None:
    data = gaussian_data(9, 200)
    inner = cz.GaussianBIC(data)
    posterior = cz.sample(cz.SetFunction(OfGaussian(data), 9), chains=2, jumps=20_000, rng=1)
    other = cz.sample(inner, chains=2, jumps=20_000, rng=1)
    assert posterior.statistics[0].excursions.candidates == 8
    difference = posterior.edge_probabilities().adjacent - other.edge_probabilities().adjacent
    assert np.abs(difference).max() < 0.05


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", None])
def test_values_that_are_no_numbers(value: Any) -> None:
    score = cz.SetFunction(lambda _: value, ["a", "b"])
    with pytest.raises(cz.ScoreError, match=r"set .*a"):
        score.local("a", [])


def test_a_function_is_released_with_its_score() -> None:
    function = OfGaussian(gaussian_data(3, 50))
    released = weakref.ref(function)
    score = cz.SetFunction(function, 3)
    score.local(0, [1])
    del function, score
    gc.collect()
    assert released() is None


def test_what_is_no_function() -> None:
    with pytest.raises(cz.ScoreError, match="3"):
        cz.SetFunction(3, ["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(cz.ScoreError, match="f_many returned 1 numbers for 2 sets"):
        cz.SetFunction(len, ["a", "b"], f_many=lambda _: [1.0]).local("a", ["b"])
    with pytest.raises(cz.ScoreError, match="f_many must be None or a function of a list of sets of nodes, not 3"):
        cz.SetFunction(len, ["a", "b"], f_many=3)  # type: ignore[arg-type]
    for ask in (lambda score: score.local("a", ["b"]), lambda score: cz.sample(score, jumps=10)):
        with pytest.raises(cz.ScoreError, match=r"the function of the set .* raised ZeroDivisionError: ") as raised:
            ask(cz.SetFunction(lambda nodes: 1.0 / (len(nodes) - 1), ["a", "b"]))
        assert isinstance(raised.value.__cause__, ZeroDivisionError)
    with pytest.raises(cz.ScoreError, match=r"f_many of 2 sets did not return their numbers: ZeroDivisionError"):
        cz.SetFunction(len, ["a", "b"], f_many=lambda sets: [1.0 / 0 for _ in sets]).local("a", ["b"])


def test_a_file_has_values_of_a_function(tmp_path: Any) -> None:
    posterior = cz.sample(make_score("SetFunction", 4, 60), jumps=500, chains=2, rng=1)
    posterior.save(tmp_path / "run.czz")
    again = cz.load(tmp_path / "run.czz")
    graph = posterior.top(1)[0].graph
    assert again.score.total(graph) == pytest.approx(posterior.score.total(graph))
