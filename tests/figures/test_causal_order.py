"""The preferred order of nodes: compared with all DAGs of all classes."""

import networkx as nx
import numpy as np
import pytest

import causal_zigzag as cz
import naive
from causal_zigzag.figures.causal_order import causal_depth
from targets import gaussian_data


def test_depth_counts_ancestors_over_all_dags() -> None:
    posterior = cz.exact_posterior(cz.GaussianBIC(gaussian_data(3, 30, seed=2)), edge_prior=None)
    above = np.zeros((3, 3))
    for cpdag, dags in naive.classes(3).items():
        p = posterior.probability(cz.CPDAG.from_matrix(naive.to_matrix(cpdag, 3).astype(int)))
        for dag in dags:
            closure = nx.transitive_closure(nx.DiGraph([*dag]))
            for x, y in closure.edges:
                above[x, y] += p / len(dags)
    assert causal_depth(posterior._classes) == pytest.approx((above - above.T).sum(axis=0) / 2)


def test_a_sampled_posterior_has_nearly_the_same_order() -> None:
    score = cz.GaussianBIC(gaussian_data(5, 60, seed=8))
    exact, sampled = (
        cz.exact_posterior(score, edge_prior=None),
        cz.sample(score, edge_prior=None, jumps=10_000, rng=1, progress=False),
    )
    assert causal_depth(sampled._classes) == pytest.approx(causal_depth(exact._classes), abs=0.1)
    assert len(causal_depth(cz.sample(cz.Uniform(1), jumps=10, rng=1, progress=False)._classes)) == 1
