"""The sampler reproduces the exact posterior of 4 nodes for every family of scores, including user-defined ones."""

import numpy as np
import pytest
from scipy.stats import t

import causal_zigzag as cz
from experts import options
from score_cases import FAMILIES, make_score

FALSE_ALARM = 1e-6  # of one test with another seed, over all its classes
CHAINS = 16


@pytest.mark.nosanitize
@pytest.mark.parametrize("family", FAMILIES)
def test_every_class_has_its_probability(family: str) -> None:
    """Student's t test over independent chains, for each class that is visited often."""
    score = make_score(family, 4, 40, seed=3)
    exact = cz.exact_posterior(score, edge_prior=None)
    settings = {"edge_prior": None, "jumps": 20_000, "warmup": 1000, "chains": 1, "progress": False}
    runs = [cz.sample(score, **options(rng=100 + i, **settings)) for i in range(CHAINS)]
    classes = [(row.graph, row.probability) for row in exact.top(185) if row.probability > 2e-3]
    assert sum(p for _, p in classes) > 0.9
    assert len(classes) > 5
    shares = np.array([[run.probability(g) for g, _ in classes] for run in runs])
    truth = np.array([p for _, p in classes])
    error = shares.mean(axis=0) - truth
    spread = shares.std(axis=0, ddof=1) / np.sqrt(CHAINS)
    assert (np.abs(error) <= t.isf(FALSE_ALARM / 2 / len(classes), CHAINS - 1) * spread).all()
    assert np.abs(error).max() < 0.02


def test_a_user_defined_score_is_sampled_as_the_builtin_one() -> None:
    score = make_score("user", 5, 40)
    run = {"jumps": 2000, "chains": 3, "rng": 1, "progress": False, "anneal": False}
    ours, theirs = cz.sample(score.inner, **options(**run)), cz.sample(score, **options(**run))  # type: ignore[attr-defined]
    assert [(row.graph, row.probability) for row in ours.top(10)] == [
        (row.graph, pytest.approx(row.probability, rel=1e-9)) for row in theirs.top(10)
    ]
    asked = score.asked  # type: ignore[attr-defined]
    assert len({*asked}) < len(asked) < len({*asked}) + 60  # only top() evaluates again
