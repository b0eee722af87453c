"""Batches of weighed draws against the plain way through all draws, and what is known of the time between them."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.graphs.pairs import pair_ends
from causal_zigzag.posterior.diagnostics.batch_means import Batching, moving_pairs
from causal_zigzag.posterior.diagnostics.diagnostics import edge_errors
from causal_zigzag.posterior.draws import Draws
from causal_zigzag.posterior.weighted_draws import (
    BATCHES,
    draw_weights,
    drawn_edges,
    edge_count_relief,
    pair_relief,
    statement_relief,
    weighed_batching,
    weighed_moments,
    weighed_pair_integrals,
)
from targets import gaussian_data


def run(n: int, jumps: int, **settings: object) -> cz.Posterior:
    chosen = {"jumps": jumps, "chains": 3, "rng": n, "progress": False, "edge_prior": 1.0} | settings
    return cz.sample(cz.Uniform(n), **chosen)


def batches(draws: Draws) -> list[np.ndarray]:
    """The numbers of the draws of each batch."""
    found, first = [], 0
    for count in draws.counts:
        size = max(1, int(np.ceil(count / BATCHES)))
        found += [np.arange(first + i, first + min(i + size, count)) for i in range(0, count, size)]
        first += count
    return found


@pytest.mark.parametrize(("n", "jumps"), [(4, 3000), (4, 40), (5, 20_000), (12, 3000), (65, 400)])
def test_batches_are_sums_over_draws(n: int, jumps: int) -> None:
    posterior = run(n, jumps)
    draws = posterior.draws()
    weights = np.random.default_rng(1).random(len(draws))
    groups = batches(draws)
    batching = weighed_batching(draws, weights)
    assert batching.times == pytest.approx([weights[g].sum() for g in groups])
    assert len(batching.chains) == 3
    pairs = moving_pairs(posterior.results, n)[::3]
    marks, seen = draws.marks(pairs), 0
    for block, integrals in weighed_pair_integrals(draws, weights, pairs):
        for k, mark in enumerate([marks > 0, marks == 1, marks == 2, marks == 3]):
            held = mark[:, block] * weights[:, None]
            assert np.allclose(integrals[..., k], [held[g].sum(axis=0) for g in groups], atol=1e-9)
        seen += integrals.shape[1]
    assert seen == len(pairs)
    edges = np.concatenate([chain.edges for chain in draws.chains])
    sums = weighed_moments(draws, weights, 0.0)
    assert sums[:, 1] == pytest.approx([(weights * edges**2)[g].sum() for g in groups])


def test_edges_of_weighed_draws() -> None:
    posterior = run(5, 3000).reweight(lambda g: -0.7 * len(g.undirected_edges))
    draws = posterior.draws()
    weights = draw_weights(posterior, draws)
    found = drawn_edges(posterior)
    pairs = np.arange(10)
    a, b = pair_ends(pairs)
    shares = [np.average(draws.marks(pairs) == mark, axis=0, weights=weights) for mark in (1, 2, 3)]
    assert found.directed[a, b] == pytest.approx(shares[0])
    assert found.directed[b, a] == pytest.approx(shares[1])
    assert found.undirected[a, b] == pytest.approx(shares[2])
    assert np.array_equal(found.undirected, found.undirected.T)


def test_all_the_time_is_worth_more_than_the_draws() -> None:
    posterior = run(4, 20_000)
    draws, pairs = posterior.draws(), np.arange(6)
    assert (pair_relief(posterior, draws, pairs) == 1).all()  # as sampled, errors come from the batches themselves
    weighed = posterior.reweight("dags")
    relief = pair_relief(weighed, draws, pairs)
    assert relief.shape == (6, 4)
    # 3 to 5 jumps from draw to draw leave about half of the variance, known up to a fifth of itself
    assert 0.1 < np.median(relief) < 0.9
    errors = edge_errors(weighed)[pair_ends(pairs)]
    weights = draw_weights(weighed, draws)
    for _, integrals in weighed_pair_integrals(draws, weights, pairs):
        plain = weighed_batching(draws, weights).errors(integrals)
        assert np.all(errors <= plain)
        assert np.allclose(errors, plain * np.sqrt(relief)) or (errors == plain).any()  # where chains differ
    assert 0.1 < edge_count_relief(weighed, draws) < 1
    assert np.median(relief) / 2 < statement_relief(weighed, draws) < 1
    assert statement_relief(posterior, draws) == statement_relief(weighed, draws)
    table = weighed.diagnostics().table.set_index("quantity")
    assert table.loc["edges", "mean"] == pytest.approx(weighed.edge_probabilities().adjacent.sum() / 2)
    assert table.loc["0 -- 1", "mean"] == pytest.approx(weighed.edge_probabilities().adjacent[0, 1])


def test_where_draws_are_all_there_is_there_is_no_relief() -> None:
    score = cz.GaussianBIC(gaussian_data(5, 40, seed=5))
    posterior = cz.sample(score, jumps=5000, rng=1, max_classes=60, progress=False)
    with pytest.warns(cz.SamplingWarning):
        weighed = posterior.reweight("dags")
    draws = weighed.draws()
    assert (pair_relief(weighed, draws, np.arange(10)) == 1).all()
    assert statement_relief(weighed, draws) == 1


def test_relief_is_for_the_noise_within_chains() -> None:
    rng = np.random.default_rng(3)
    batching = Batching(np.ones(128), np.array([0, 64]))
    values = rng.normal(size=(128, 2)) * 0.1
    values[64:, 1] += 1.0  # chains that differ
    plain, relieved = batching.errors(values), batching.errors(values, np.array([0.25, 0.25]))
    assert relieved[0] == pytest.approx(plain[0] / 2)
    assert relieved[1] == plain[1]
