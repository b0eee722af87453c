"""Sampled probabilities with knowledge differ from the exact ones by no more than their Monte Carlo errors."""

import numpy as np
import pytest

import causal_zigzag as cz
from experts import options
from known_dags import KNOWLEDGES
from local_scores import random_gaussian

LARGEST = 4.5  # standard errors; with other seeds one of all 500 quantities here exceeds it with probability about 0.01
CASES = [
    ("tiers", {}),
    ("first and last", {"momentum": 0.5}),
    ("separate tiers", {"momentum": 0.0}),
    ("neighboring tiers", {"excursions": False}),
    ("required", {"balance": "barker"}),
    ("forbidden", {"balance": "metropolis", "momentum": 0.5}),
    ("required and forbidden", {"momentum": 0.5}),
    ("condition", {"start": "scattered"}),
    ("conditions and tiers", {"anneal": False, "warmup": 1000}),
    ("an order", {"coldness": 0.5}),
]


@pytest.mark.nosanitize
@pytest.mark.parametrize(("name", "settings"), CASES, ids=[name for name, _ in CASES])
def test_edges_are_exact_within_their_errors(name: str, settings: dict) -> None:
    known, score = KNOWLEDGES[name], random_gaussian(5, 30, seed=9)
    exact = cz.exact_posterior(
        score, knowledge=known, edge_prior=0.3, coldness=settings.get("coldness", 1.0)
    ).edge_probabilities()
    posterior = cz.sample(score, **options(knowledge=known, edge_prior=0.3, jumps=40_000, chains=2, rng=5, **settings))
    sampled, errors = posterior.edge_probabilities(), posterior._classes.edge_errors
    compared = 0
    for column, kind in ((0, "adjacent"), (1, "directed"), (3, "undirected")):
        difference, error = getattr(sampled, kind) - getattr(exact, kind), errors[:, :, column]
        known_error = np.isfinite(error) & (error > 0)
        assert np.abs(difference[known_error] / error[known_error]).max(initial=0) < LARGEST, kind
        assert np.abs(difference[~known_error]).max(initial=0) < 0.02, kind
        compared += int(known_error.sum())
    assert compared > 6
