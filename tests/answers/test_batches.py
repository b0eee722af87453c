"""Batches of weighted draws compared with sums over all draws."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.draws import Draws
from causal_zigzag.answers.errors.batches import MOST_BATCHES, DrawBatches
from causal_zigzag.graphs.pairs import pair_ends
from experts import options


def run(n: int, jumps: int, **settings: object) -> cz.Posterior:
    chosen = {"jumps": jumps, "chains": 3, "rng": n, "progress": False, "edge_prior": 1.0} | settings
    return cz.sample(cz.Uniform(n), **options(**chosen))


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
    pairs = some.changing_pairs()[::3]
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
    draws, weights = posterior.draws(), posterior._classes.batches.draws.weights
    assert all(part.drawn for part in posterior._classes.parts)
    found = posterior.edge_probabilities()
    pairs = np.arange(10)
    a, b = pair_ends(pairs)
    shares = [np.average(draws.marks(pairs) == mark, axis=0, weights=weights) for mark in (1, 2, 3)]
    assert found.directed[a, b] == pytest.approx(shares[0])
    assert found.directed[b, a] == pytest.approx(shares[1])
    assert found.undirected[a, b] == pytest.approx(shares[2])
    assert np.array_equal(found.undirected, found.undirected.T)


def test_errors_of_draws_are_not_smaller_than_those_of_all_the_time() -> None:
    posterior = run(4, 20_000)
    pairs = pair_ends(np.arange(6))
    by_time, by_draws = posterior._classes.edge_errors[pairs], posterior.reweight("classes")._classes.edge_errors[pairs]
    assert np.array_equal(by_time, by_draws)
    weighted = posterior.reweight(lambda _: 0.0)
    by_draws = weighted._classes.edge_errors[pairs]
    # with 3 to 5 jumps between draws, about half of the variance is left; each ratio has an error of about 20 %
    assert 0.3 < np.median(by_time / by_draws) < 0.95
    table = weighted.diagnostics().table.set_index("quantity")
    assert table.loc["edges", "mean"] == pytest.approx(weighted.edge_probabilities().adjacent.sum() / 2)
    assert table.loc["0 -- 1", "mean"] == pytest.approx(weighted.edge_probabilities().adjacent[0, 1])
