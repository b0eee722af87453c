"""Draws: one grid for all chains; their classes, edges, scores and indicators agree."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.graphs.pairs import pair_ends, pair_number
from targets import gaussian_data

NODES = ["fog", "rain", "sun", "wind", "wet"]


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    score = cz.GaussianBIC.from_covariance(np.cov(gaussian_data(5, 60, seed=8).T), 60, nodes=NODES)
    return cz.sample(score, jumps=5000, chains=3, rng=4, progress=False)


def test_all_chains_are_on_one_grid(posterior: cz.Posterior) -> None:
    draws = posterior.draws()
    assert draws.log2_unit == 0
    for count, statistics in zip(draws.counts, posterior.statistics, strict=True):
        assert count * draws.step == pytest.approx(np.exp(statistics.log_time), rel=0.1)  # drawn, not expected time
    assert repr(draws) == f"Draws({len(draws)} classes of 5 nodes from 3 chains)"


def test_draws_agree_with_traces(posterior: cz.Posterior) -> None:
    draws = posterior.draws()
    listed = {g.core.hash: g for g, _, _ in posterior.top(10**6)}
    for number, chain in enumerate(draws.chains):
        for i, g in enumerate(draws.of_chain(number)):
            assert g.nodes == tuple(NODES)
            assert g.edge_count == chain.edges[i]
            assert posterior.target.score.total(g) == pytest.approx(chain.score[i], abs=1e-6)
            assert g == listed[tuple(chain.hashes[i].tolist())]


def test_indicators_agree_with_classes(posterior: cz.Posterior) -> None:
    draws = posterior.draws()
    graphs = list(draws)
    for x, y in [("fog", "rain"), ("wet", "sun"), ("wind", "fog")]:
        assert draws.indicator(x, y).tolist() == [y in g.adjacent(x) for g in graphs]
        assert draws.indicator(x, y, "directed").tolist() == [y in g.children(x) for g in graphs]
        assert draws.indicator(x, y, "undirected").tolist() == [y in g.neighbors(x) for g in graphs]


def test_shares_of_draws_are_near_shares_of_time(posterior: cz.Posterior) -> None:
    drawn = posterior.edge_probabilities().adjacent
    draws = posterior.draws()
    for i in range(5):
        for j in range(i):
            assert draws.indicator(NODES[i], NODES[j]).mean() == pytest.approx(drawn[i, j], abs=0.02)


def test_a_frozen_chain_among_others_sets_the_step() -> None:
    score = cz.GaussianBIC(gaussian_data(5, 500, seed=1))
    with pytest.warns(cz.SamplingWarning):
        draws = cz.sample(
            score, coldness=1e6, jumps=1000, settings=cz.Settings(warmup=0), chains=2, rng=1, progress=False
        ).draws()
    assert draws.log2_unit > 900
    assert len(set(draws)) <= 3


@pytest.mark.parametrize("n", [0, 1])
def test_all_draws_of_a_single_class_are_equal(n: int) -> None:
    draws = cz.sample(cz.Uniform(n), jumps=10, chains=2, rng=1, progress=False).draws()
    assert set(draws) == {cz.CPDAG.empty(n)}


def test_invalid_arguments(posterior: cz.Posterior) -> None:
    draws = posterior.draws()
    with pytest.raises(cz.GraphError, match="unknown node snow"):
        draws.indicator("snow", "fog")
    with pytest.raises(cz.GraphError, match="two nodes, but both are fog"):
        draws.indicator("fog", "fog")
    with pytest.raises(cz.SettingsError, match=r"'adjacent', 'directed', 'undirected'.*3"):
        draws.indicator("fog", "rain", 3)


def test_numbers_of_pairs() -> None:
    a, b = np.triu_indices(300, 1)
    numbers = pair_number(a, b)
    assert sorted(numbers) == list(range(300 * 299 // 2))
    assert np.array_equal(pair_ends(numbers), (a, b))
    large = pair_number(np.array([0, 46_339]), np.array([46_340, 46_340]))
    assert np.array_equal(pair_ends(large), ([0, 46_339], [46_340, 46_340]))
