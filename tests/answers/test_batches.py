"""Batches of weighted draws compared with sums over all draws, and the variance ratio for the time between draws."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.draws import Draws
from causal_zigzag.answers.errors.batch_means import CRITICAL_QUANTILE, Batching, chance_ratio
from causal_zigzag.answers.errors.batches import MOST_BATCHES, DrawBatches
from causal_zigzag.graphs.pairs import pair_ends
from targets import gaussian_data


def run(n: int, jumps: int, **settings: object) -> cz.Posterior:
    chosen = {"jumps": jumps, "chains": 3, "rng": n, "progress": False, "edge_prior": 1.0} | settings
    return cz.sample(cz.Uniform(n), **chosen)


def numbers_of_batches(draws: Draws) -> list[np.ndarray]:
    """The numbers of the draws of each batch."""
    found, first = [], 0
    for count in draws.counts:
        size = max(1, int(np.ceil(count / MOST_BATCHES)))
        found += [np.arange(first + i, first + min(i + size, count)) for i in range(0, count, size)]
        first += count
    return found


@pytest.mark.parametrize(("n", "jumps"), [(4, 3000), (4, 40), (5, 20_000), (12, 3000), (65, 400)])
def test_batches_are_sums_over_draws(n: int, jumps: int) -> None:
    posterior = run(n, jumps)
    draws = posterior.draws()
    weights = np.random.default_rng(1).random(len(draws))
    groups = numbers_of_batches(draws)
    some = DrawBatches(draws, weights)
    batching = some.batching
    assert batching.times == pytest.approx([weights[g].sum() for g in groups])
    assert len(batching.chains) == 3
    pairs = posterior.classes.batches.time.moving_pairs()[::3]
    marks, seen = draws.marks(pairs), 0
    for block, integrals in some.pair_integrals(pairs):
        for k, mark in enumerate([marks > 0, marks == 1, marks == 2, marks == 3]):
            held = mark[:, block] * weights[:, None]
            assert np.allclose(integrals[..., k], [held[g].sum(axis=0) for g in groups], atol=1e-9)
        seen += integrals.shape[1]
    assert seen == len(pairs)
    edges = np.concatenate([chain.edges for chain in draws.chains])
    sums = some.moments()
    assert sums[:, 1] == pytest.approx([(weights * edges**2)[g].sum() for g in groups])


def test_edges_of_weighted_draws() -> None:
    with pytest.warns(cz.SamplingWarning):
        posterior = run(5, 3000, max_classes=300).reweight(lambda g: -0.7 * len(g.undirected_edges))
    draws, weights = posterior.draws(), posterior.classes.batches.weighted.weights
    assert all(part.drawn for part in posterior.classes.parts)
    found = posterior.edge_probabilities()
    pairs = np.arange(10)
    a, b = pair_ends(pairs)
    shares = [np.average(draws.marks(pairs) == mark, axis=0, weights=weights) for mark in (1, 2, 3)]
    assert found.directed[a, b] == pytest.approx(shares[0])
    assert found.directed[b, a] == pytest.approx(shares[1])
    assert found.undirected[a, b] == pytest.approx(shares[2])
    assert np.array_equal(found.undirected, found.undirected.T)


def test_using_all_the_time_has_less_variance_than_using_the_draws() -> None:
    posterior = run(4, 20_000)
    pairs, plain_batches = np.arange(6), posterior.classes.batches
    assert (plain_batches.pair_variance_ratio(pairs) == 1).all()  # without weights, errors come from batches of time
    weighted = posterior.reweight("dags")
    batches = weighted.classes.batches
    ratio = batches.pair_variance_ratio(pairs)
    assert ratio.shape == (6, 4)
    # with 3 to 5 jumps between draws, about half of the variance is left; the ratio has a relative error of about 20 %
    assert 0.1 < np.median(ratio) < 0.9
    errors = weighted.classes.edge_errors[pair_ends(pairs)]
    batching = batches.weighted.batching
    ((_, integrals),) = batches.weighted.pair_integrals(pairs)
    plain = batching.errors(integrals)
    within, between = batching.variances(integrals)
    differ = between > within * chance_ratio(
        CRITICAL_QUANTILE, len(batching.chains) - 1
    )  # these errors come from whole chains
    assert not differ.all()
    np.testing.assert_allclose(errors, np.where(differ, plain, plain * np.sqrt(ratio)))
    assert (errors[~differ & (ratio < 1)] < plain[~differ & (ratio < 1)]).all()
    assert 0.1 < batches.edge_count_variance_ratio() < 1
    of_statements = weighted.classes.statement_variance_ratio
    assert np.median(ratio) / 2 < of_statements < 1
    assert posterior.classes.statement_variance_ratio == of_statements
    table = weighted.diagnostics().table.set_index("quantity")
    assert table.loc["edges", "mean"] == pytest.approx(weighted.edge_probabilities().adjacent.sum() / 2)
    assert table.loc["0 -- 1", "mean"] == pytest.approx(weighted.edge_probabilities().adjacent[0, 1])


def test_the_variance_ratio_is_1_if_probabilities_come_from_draws() -> None:
    score = cz.GaussianBIC(gaussian_data(5, 40, seed=5))
    posterior = cz.sample(score, jumps=5000, rng=1, max_classes=60, progress=False)
    with pytest.warns(cz.SamplingWarning):
        weighted = posterior.reweight("dags")
    assert (weighted.classes.batches.pair_variance_ratio(np.arange(10)) == 1).all()
    assert weighted.classes.statement_variance_ratio == 1


def test_the_variance_ratio_applies_to_the_variance_within_chains() -> None:
    rng = np.random.default_rng(3)
    batching = Batching(np.ones(128), np.array([0, 64]))
    values = rng.normal(size=(128, 2)) * 0.1
    values[64:, 1] += 1.0  # chains that differ
    plain, reduced = batching.errors(values), batching.errors(values, np.array([0.25, 0.25]))
    assert reduced[0] == pytest.approx(plain[0] / 2)
    assert reduced[1] == plain[1]
