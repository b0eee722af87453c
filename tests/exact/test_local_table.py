"""Exact methods whose knowledge leaves no DAG within the other bounds raise an error that says so."""

from __future__ import annotations

import numpy as np
import pytest

import causal_zigzag as cz
from local_scores import random_gaussian

KNOWN = cz.Knowledge(required=[(0, 2), (1, 2), (2, 3)])


@pytest.mark.parametrize("method", [cz.exact_edge_posterior, cz.best_graph])
def test_more_required_parents_than_max_parents(method: object) -> None:
    score = random_gaussian(4, 50, 1)
    message = "knowledge requires 2 parents of 2, more than max_parents=1"
    with pytest.raises(cz.KnowledgeError, match=message) as caught:
        method(score, knowledge=KNOWN, max_parents=1)  # type: ignore[operator]
    assert caught.value.nodes == (2,)


def test_required_parents_within_max_parents() -> None:
    score = random_gaussian(4, 50, 1)
    found = cz.exact_edge_posterior(score, knowledge=KNOWN, max_parents=2, edge_prior=None)
    assert np.isfinite(found.directed).all()
    assert found.directed[[0, 1, 2], [2, 2, 3]] == pytest.approx(1)
    assert {(0, 2), (1, 2), (2, 3)} <= {*cz.best_graph(score, knowledge=KNOWN, max_parents=2).graph.directed_edges}


def test_an_edge_prior_that_excludes_the_required_arrows() -> None:
    score = random_gaussian(4, 50, 1)
    with pytest.raises(cz.SettingsError, match=r"edge_prior.*3 edges"):
        cz.exact_posterior(score, knowledge=KNOWN, edge_prior=[0.0, 0.0, 0.0])
    assert cz.exact_posterior(score, knowledge=KNOWN, edge_prior=[0.0] * 4).edge_probabilities().adjacent.sum() == 6
