"""Reweighted samples agree with exact results over DAGs, within their Monte Carlo errors."""

import numpy as np
import pytest
from scipy.stats import chi2
from scipy.stats import t as student

import causal_zigzag as cz
from targets import gaussian_data

pytestmark = pytest.mark.nosanitize


def test_errors_under_another_prior_are_not_too_small() -> None:
    """In 16 short runs the mean squares of z, relative to exact values, are not significantly above 1.

    The quantities of a run are dependent, so their mean square counts as one z² per run. If the errors are correct,
    the false alarm rate is 1e-6.
    """
    score = cz.GaussianBIC(gaussian_data(4, 100, seed=3))
    exact = cz.exact_posterior(score, prior="dags", edge_prior=None)
    best = exact.top(1)[0]
    adjacent = exact.edge_probabilities().adjacent
    z = []
    for seed in range(16):
        posterior = cz.sample(score, edge_prior=None, jumps=3000, chains=4, rng=seed, progress=False).reweight("dags")
        row = [(posterior.probability(best.graph) - best.probability) / posterior.mcse(best.graph)]
        row += [(p.adjacent - adjacent[p.x, p.y]) / p.mcse for p in posterior.edge_table().itertuples()]
        edges = posterior.diagnostics().table.iloc[0]
        assert edges["quantity"] == "edges"
        row.append((edges["mean"] - adjacent.sum() / 2) / edges["mcse"])
        z.append(row)
    squares = np.nanmean(np.square(z), axis=1)
    assert squares.sum() < chi2.isf(1e-6, 16)
    assert squares.mean() > 0.02  # errors that are far too large would pass the other bound


def test_errors_under_another_prior_are_at_most_twice_too_large() -> None:
    """In a long run there are many jumps between two draws. The estimates use them, the errors do not.

    The mean square of z over 30 runs is 0.40; its standard deviation is less than 0.064, that of more precise errors.
    """
    exact = cz.exact_posterior(cz.Uniform(4), prior="dags").edge_probabilities()
    squares = []
    for seed in range(30):
        posterior = cz.sample(cz.Uniform(4), jumps=20_000, rng=seed, progress=False).reweight("dags")
        away = posterior.edge_probabilities().adjacent - exact.adjacent
        arrows = posterior.edge_probabilities().directed - exact.directed
        errors = posterior._classes.edge_errors
        squares.append(np.nanmean(np.square([away / errors[..., 0], arrows / errors[..., 1]])))
    assert 0.15 < np.mean(squares) < 0.75


@pytest.mark.long
@pytest.mark.parametrize("edge_prior", [None, "auto"])
def test_eleven_proteins(edge_prior: str | None) -> None:
    """The first 500 cells of Sachs et al.: all adjacencies and all arrows of DAGs, against the sum over all DAGs.

    Standard errors come from 40 chains. The bound on |z| is that of Student's t with 39 degrees of freedom for a false
    alarm rate of 1e-6, divided among the 165 comparisons (Bonferroni).
    """
    score = cz.GaussianBIC(cz.datasets.load("sachs").iloc[:500])
    chains, jumps = 40, 50_000
    sampled = cz.sample(
        score,
        edge_prior=edge_prior,
        jumps=jumps,
        chains=chains,
        settings=cz.Settings(max_classes=jumps),
        rng=1,
        progress=False,
    )
    assert sampled.unlisted == 0
    exact = cz.exact_edge_posterior(score, edge_prior=sampled.target.edge_prior.cost or None)
    x, y = np.triu_indices(11, 1)
    off = ~np.eye(11, dtype=bool)
    truth = np.concatenate([exact.adjacent[x, y], exact.directed[off]])
    weighted = sampled.reweight("dags")
    shares, weights = [], []
    for i, part in enumerate(weighted.by_chain()):
        arrows = part.sample_dags(5000, rng=i).mean(axis=0)
        shares.append(np.concatenate([part.edge_probabilities().adjacent[x, y], arrows[off]]))
        (result,), (logs,) = part._results, part._reweighting.log_weights
        weights.append(np.ldexp(result.times, int(result.unit)) @ np.exp(logs))
    estimate = np.average(shares, axis=0, weights=weights)
    residuals = np.array(weights)[:, None] * (np.array(shares) - estimate)
    errors = np.sqrt(chains / (chains - 1) * (residuals**2).sum(axis=0)) / np.sum(weights)
    open_ = (truth > 1e-3) & (truth < 1 - 1e-3)  # others change too rarely for an estimate of the error
    z = (estimate - truth)[open_] / errors[open_]
    assert np.abs(z).max() < student.isf(1e-6 / 2 / len(z), chains - 1)
    assert np.abs(estimate - truth)[~open_].max(initial=0) < 0.01
    assert errors.max() < 0.02


def test_unlisted_classes_contribute_to_edges() -> None:
    """If only a few classes are listed, edges are still estimated without bias, from the draws.

    In 20 runs the mean squares of z over the edges are not significantly above 1; if the errors are correct, the false
    alarm rate is 1e-6. With the listed classes alone, z is about 10.
    """
    score = cz.GaussianBIC(gaussian_data(5, 40, seed=5))
    adjacent = cz.exact_posterior(score, prior="dags", edge_prior=None).edge_probabilities().adjacent
    squares = []
    for seed in range(20):
        posterior = cz.sample(
            score, edge_prior=None, jumps=3000, rng=seed, settings=cz.Settings(max_classes=60), progress=False
        )
        assert posterior.unlisted > 0.2
        with pytest.warns(cz.SamplingWarning, match="classes that are not listed"):
            table = posterior.reweight("dags").edge_table()
        z = [
            (p.adjacent - adjacent[p.x, p.y]) / p.mcse
            for p in table.itertuples()
            if 0.01 < adjacent[p.x, p.y] < 0.99  # others change too rarely in a short run for an error
        ]
        squares.append(np.mean(np.square(z)))
    assert np.sum(squares) < chi2.isf(1e-6, 20)
    assert np.mean(squares) > 0.1
