"""Effects of sampled posteriors: weights of classes and draws, Monte Carlo errors, other priors, and files."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.class_list import one_class
from causal_zigzag.answers.effects.gaussian import coefficients
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.weighted_classes import Part
from experts import options
from score_cases import gaussian_data, make_score

SETTINGS = {"edge_prior": None, "anneal": False, "excursions": False, "progress": False}


@pytest.fixture(scope="module")
def score() -> cz.Score:
    return cz.GaussianBIC(gaussian_data(4, 40, seed=4))


@pytest.fixture(scope="module")
def run(score: cz.Score) -> cz.Posterior:
    return cz.sample(score, **options(jumps=20_000, rng=1, **SETTINGS))


def deviations(posterior: cz.Posterior, exact: cz.ExactPosterior) -> np.ndarray:
    """The differences from the exact means, divided by their Monte Carlo errors."""
    found, expected = (p.effects().sort_values(["cause", "outcome"]) for p in (posterior, exact))
    errors = found["mcse"].to_numpy()
    return (found["mean"].to_numpy() - expected["mean"].to_numpy()) / errors


@pytest.mark.parametrize("prior", ["classes", "dags"])
def test_sampled_means_are_within_their_errors(run: cz.Posterior, score: cz.Score, prior: str) -> None:
    """12 dependent normal variables: one exceeds 4.5 with probability at most 12 * 7e-6 < 1e-4."""
    exact = cz.exact_posterior(score, prior=prior, edge_prior=None)
    posterior = run.reweight(prior)
    z = deviations(posterior, exact)
    assert np.abs(z).max() < 4.5
    assert np.abs(z).mean() > 0.1  # errors are not far too large
    assert posterior.ancestors().to_numpy() == pytest.approx(exact.ancestors().to_numpy(), abs=0.03)
    one, truth = posterior.effect(0, 3), exact.effect(0, 3)
    assert abs(one.mean - truth.mean) < 4.5 * one.mcse.mean < 0.1
    assert abs(one.probability_nonzero - truth.probability_nonzero) < 4.5 * one.mcse.probability < 0.1
    assert one.interval() == pytest.approx(truth.interval(), abs=0.05)
    assert one.from_draws == 0


def test_effects_and_statements_agree(run: cz.Posterior) -> None:
    for posterior in (run, run.reweight("dags"), run.reweight(lambda g: -g.edge_count)):
        table = posterior.ancestors()
        assert table.loc[1, 2] == pytest.approx(posterior.probability_that(cz.ancestor(1, 2)), abs=1e-12)
        assert table.loc[1, 2] == pytest.approx(posterior.effect(1, 2).probability_nonzero, abs=1e-12)


def test_sums_over_batches(run: cz.Posterior) -> None:
    """The sums of the second pass, and the numbers of changes, from one class at a time."""
    chain = run.draws().chains[0]
    some = chain.drawn
    graphs = [*run.draws().of_chain(0)][:100]
    (table,) = parent_set_tables(run._classes.parts, [0, 2])
    values = coefficients(table, run.score.response_model()).mean
    by_set = {(int(x), table.parents(i)): values[i] for i, x in enumerate(table.cause)}
    expected = np.zeros((len(graphs), 2, 4, 2))
    for k, g in enumerate(graphs):
        (own,) = parent_set_tables([Part(one_class(g), np.ones(1))], [0, 2])
        for i, x in enumerate(own.cause.tolist()):
            expected[k, x // 2, :, 0] += own.below[i] * by_set[x, own.parents(i)]
            expected[k, x // 2, :, 1] += own.below[i]
    weights = np.zeros(len(some.origin))
    weights[: 100 * chain.every : chain.every] = np.random.default_rng(1).random(100) + 0.1
    own_weights = weights[: 100 * chain.every : chain.every]
    batch = np.minimum(np.arange(len(weights)) // (30 * chain.every), 3).astype(np.uint32)
    found = table.sets.batch_sums(*some.arrays, weights, batch, 4, np.ascontiguousarray(values))
    sums, changes = found[0].reshape(4, 2, 4, 2), found[1].reshape(2, 4, 2)
    weighted = expected * own_weights[:, None, None, None]
    for b, (first, last) in enumerate(pairwise((0, 30, 60, 90, 100))):
        assert sums[b] == pytest.approx(weighted[first:last].sum(axis=0), abs=1e-12)
    moved = np.abs(np.diff(expected, axis=0)) > 1e-12
    assert np.array_equal(changes, moved.sum(axis=0))
    assert changes.max() > 10


def test_few_listed_classes(run: cz.Posterior, score: cz.Score) -> None:
    """Draws stand for unlisted classes; under another prior, if there are many, the draws are used alone."""
    few = cz.sample(score, **options(jumps=20_000, rng=1, settings=cz.Settings(max_classes=10), **SETTINGS))
    assert few.unlisted > 0.1
    exact = cz.exact_posterior(score, edge_prior=None)
    effect, truth = few.effect(0, 3), exact.effect(0, 3)
    assert effect.from_draws == pytest.approx(few.unlisted)
    assert f"{100 * few.unlisted:.3g} % of the probability is from draws, as not all classes are listed" in repr(effect)
    assert sum(some.weights.sum() for some in few._classes.parts) == pytest.approx(1.0)
    assert abs(effect.mean - truth.mean) < 4.5 * effect.mcse.mean < 0.1  # a false alarm in 1e5 seeds
    assert few.ancestors().loc[0, 3] == pytest.approx(few.probability_that(cz.ancestor(0, 3)), abs=1e-12)
    with pytest.warns(cz.SamplingWarning):
        dags = few.reweight("dags")
    effect, truth = dags.effect(0, 3), exact.reweight("dags").effect(0, 3)
    assert effect.from_draws == pytest.approx(1)
    assert abs(effect.mean - truth.mean) < 4.5 * effect.mcse.mean < 0.1
    assert sum(some.weights.sum() for some in dags._classes.parts) == pytest.approx(1.0)


def test_weights_of_chains() -> None:
    """A sparse and a dense region that no chain leaves; the mass of the dense one is nearly all."""
    prior = [0.0, 0.0, -80.0, -80.0, -80.0, 5.0, 5.0]
    start = [cz.CPDAG.empty(4), cz.CPDAG.complete(4)]
    score = make_score("GaussianBIC", 4, 20)
    run = cz.sample(
        score,
        **options(
            start=start,
            chains=2,
            jumps=5000,
            settings=cz.Settings(warmup=100),
            rng=1,
            **SETTINGS | {"edge_prior": prior},
        ),
    )
    weighted = run.weigh_chains()
    assert weighted._chain_weights
    exact = cz.exact_posterior(score, edge_prior=prior)
    expected = exact.ancestors().to_numpy()
    assert weighted.ancestors().to_numpy() == pytest.approx(expected, abs=0.05)
    assert np.abs(run.ancestors().to_numpy() - expected).max() > 0.1
    assert weighted.effect(0, 1).mean == pytest.approx(exact.effect(0, 1).mean, abs=0.05)


def test_errors_of_what_never_changes() -> None:
    score = cz.GaussianBIC.from_covariance([[1.0, 0.9], [0.9, 1.0]], n_samples=100, nodes=["a", "b"])
    effect = cz.sample(score, jumps=2000, rng=1, progress=False).effect("a", "b")
    assert effect.probability_nonzero == pytest.approx(0.5)
    assert math.isnan(effect.mcse.mean)
    assert math.isnan(effect.mcse.probability)


@pytest.mark.parametrize("family", ["GaussianBIC", "BGe"])
def test_files(family: str, tmp_path: Path) -> None:
    posterior = cz.sample(make_score(family, 4, 100), jumps=500, rng=1, progress=False)
    posterior.save(tmp_path / "one.czz")
    again = cz.load(tmp_path / "one.czz")
    assert again.effects().equals(posterior.effects())
    assert repr(again.effect(0, 1)) == repr(posterior.effect(0, 1))


def test_a_stored_score_has_ancestors_but_no_effects(tmp_path: Path) -> None:
    posterior = cz.sample(make_score("user", 3, 50), jumps=500, rng=1, progress=False)
    posterior.save(tmp_path / "own.czz")
    own = cz.load(tmp_path / "own.czz")
    assert own.ancestors().equals(posterior.ancestors())
    with pytest.raises(cz.ScoreError, match="ancestors\\(\\) works for every score"):
        own.effect(0, 1)
