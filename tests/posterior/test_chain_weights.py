"""Masses of regions and weights of chains, on targets with two modes that chains do not leave."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.chain_weights import log_mass
from experts import options

SPARSE, DENSE = range(2), range(8, 11)  # the numbers of edges of the two modes
DEPTH = 80.0  # log units of the valley between them, which no chain crosses


def two_modes(tilt: float) -> list[float]:
    """The log weights of 0 to 10 edges; those of the sparse mode are higher by ``tilt``."""
    return [tilt if m in SPARSE else 0.0 if m in DENSE else -DEPTH for m in range(11)]


def run(tilt: float, dense_chains: int = 1, **settings: object) -> cz.Posterior:
    start = [cz.CPDAG.empty(5), *[cz.CPDAG.complete(5)] * dense_chains]
    usual = {"jumps": 20_000, "warmup": 100, "anneal": False, "excursions": False, "rng": 1, "progress": False}
    return cz.sample(
        cz.Uniform(5), **options(edge_prior=two_modes(tilt), start=start, chains=len(start), **usual | settings)
    )


@pytest.fixture(scope="module")
def sizes() -> Counter[int]:
    """The number of classes of five nodes with each number of edges."""
    return Counter(g.edge_count for g in cz.enumerate_cpdags(5))


def masses(sizes: Counter[int], tilt: float) -> tuple[float, float]:
    return math.log(sum(sizes[m] for m in SPARSE)) + tilt, math.log(sum(sizes[m] for m in DENSE))


def log_masses(posterior: cz.Posterior) -> list[float]:
    return [log_mass(posterior, [chain]) for chain in range(len(posterior._results))]


@pytest.mark.parametrize("tilt", [4.0, -33.0])
def test_the_mass_of_a_region(sizes: Counter[int], tilt: float) -> None:
    # Over 25 seeds the log of a mass has a standard deviation of 0.01, so that 0.15 is 15 of them; with the classes of
    # two draws it has a standard deviation of 0.22 and a mean error of -0.16, so that 1.0 has a probability of 1e-4.
    posterior = run(tilt)
    assert np.allclose(log_masses(posterior), masses(sizes, tilt), atol=0.15)
    few = run(tilt, trace_points=2)  # nearly no draws
    assert np.allclose(log_masses(few), masses(sizes, tilt), atol=1.0)


def test_the_mass_of_a_region_of_several_chains(sizes: Counter[int]) -> None:
    posterior = run(4.0, dense_chains=3)
    assert math.isclose(log_mass(posterior, [1, 2, 3]), masses(sizes, 4.0)[1], abs_tol=0.15)


@pytest.mark.parametrize("dense_chains", [1, 3])
def test_chains_are_weighted_by_the_masses_of_their_regions(sizes: Counter[int], dense_chains: int) -> None:
    tilt = 2.0  # 11 e^2 = 81 against 771
    posterior = run(tilt, dense_chains)
    weighted = posterior.weigh_chains()
    sparse, dense = masses(sizes, tilt)
    expected = 1 / (1 + math.exp(dense - sparse))
    assert math.isclose(sum(map(math.exp, weighted._chain_weights)), 1.0, abs_tol=1e-12)
    # an error of 0.15 in the log of the ratio of masses changes the share by less than 0.04
    assert abs(math.exp(weighted._chain_weights[0]) - expected) < 0.04
    answers = [
        weighted.probability_that(lambda g: g.edge_count <= 1),
        weighted._classes.shares @ np.array([t.graph.edge_count <= 1 for t in weighted.top(10**6)]),
    ]
    assert np.allclose(answers, math.exp(weighted._chain_weights[0]), atol=1e-9)
    exact = cz.exact_posterior(cz.Uniform(5), edge_prior=two_modes(tilt)).edge_probabilities().adjacent
    assert np.allclose(weighted.edge_probabilities().adjacent, exact, atol=0.05)
    assert np.abs(posterior.edge_probabilities().adjacent - exact).max() > 0.2  # by times alone


def test_every_query_uses_the_weights() -> None:
    weighted = run(-3.0, dense_chains=2).weigh_chains()
    share = math.exp(weighted._chain_weights[0])
    assert 0 < share < 0.01
    sparse = cz.CPDAG.empty(5)
    assert weighted.probability(sparse) < share
    dags = weighted.reweight("dags")
    assert dags._chain_weights == weighted._chain_weights
    assert dags.probability_that(lambda g: g.edge_count <= 1) < share  # dense classes have more DAGs
    edges = weighted.diagnostics().table.set_index("quantity").loc["edges", "mean"]
    assert math.isclose(edges, weighted.edge_probabilities().adjacent.sum() / 2, rel_tol=1e-9)
    assert math.isnan(weighted.mcse(lambda g: g.edge_count <= 1))  # it never changes in any chain
    assert weighted.mcse(lambda g: g.edge_count == 8) > 0
    assert (weighted.edge_table()["mcse"] < 0.02).all()
    assert f"weights     of chains, by the masses of their regions: {np.exp(weighted._chain_weights[0]):.2g}, 0." in (
        weighted.summary()
    )
    for part, chain in zip(weighted.by_chain(), run(-3.0, dense_chains=2).by_chain(), strict=True):
        assert part._chain_weights == ()
        assert np.array_equal(part.edge_probabilities().adjacent, chain.edge_probabilities().adjacent)
    with pytest.raises(cz.SettingsError, match="was reweighted"):
        weighted.merge(run(-3.0, rng=2))


def test_unlisted_classes_are_weighted_as_well() -> None:
    few = run(4.0, max_classes=20)
    weighted = few.weigh_chains()
    assert weighted.unlisted > 0.1
    share = math.exp(weighted._chain_weights[0])
    assert abs(weighted.probability_that(lambda g: g.edge_count <= 1) - share) < 0.05


def test_the_verdict_on_weighted_chains() -> None:
    posterior = run(-33.0)
    d = posterior.diagnostics()
    assert not d.ok
    gap = np.ptp(log_masses(posterior))
    region = f"Chain 1: a region with e^-{gap:.0f} of the mass of that of chain 2"
    assert f"{region}; weight the chains by these masses with posterior.weigh_chains()." in d.verdict
    weighted = posterior.weigh_chains().diagnostics()
    assert not weighted.ok
    assert f"{region}. The chains are weighted by the estimated masses of their regions." in weighted.verdict


def test_chains_that_overlap_keep_their_weights() -> None:
    posterior = run(4.0, dense_chains=2)
    sampled = cz.sample(cz.Uniform(4), jumps=5000, chains=3, rng=1, progress=False)
    same = sampled.weigh_chains()
    assert same._chain_weights == ()
    assert same.top(5) == sampled.top(5)
    weights = posterior.weigh_chains()._chain_weights
    times = [r.total * 2**r.unit for r in posterior._results]
    assert math.isclose(weights[1] - weights[2], math.log(times[1] / times[2]), abs_tol=1e-9)


def test_weights_are_saved(tmp_path: Path) -> None:
    weighted = run(4.0).weigh_chains()
    weighted.save(tmp_path / "weighted.czz")
    again = cz.load(tmp_path / "weighted.czz")
    assert again._chain_weights == weighted._chain_weights
    assert again.top(5) == weighted.top(5)
    assert np.array_equal(again.edge_probabilities().directed, weighted.edge_probabilities().directed)


def test_weights_in_a_file_are_checked(tmp_path: Path) -> None:
    posterior = run(4.0)
    for weights, words in (
        ((0.0,), "the number of weights is not that of the chains"),
        ((0.0, 0.0), "the weights of the chains do not add up to 1"),
        ((0.0, -math.inf), "the weights of the chains do not add up to 1"),
    ):
        replace(posterior, _chain_weights=weights).save(tmp_path / "bad.czz")
        with pytest.raises(cz.FileError, match=words):
            cz.load(tmp_path / "bad.czz")
