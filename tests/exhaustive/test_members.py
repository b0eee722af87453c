"""The DAGs of every class of up to 5 nodes are counted exactly and drawn uniformly."""

import numpy as np
import pytest
from scipy.stats import chi2

import causal_zigzag as cz
import naive

# Seeds are fixed. With another seed, a correct program fails a test with this probability.
FALSE_ALARM = 1e-6
DRAWS_PER_DAG = 30


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
def test_sizes(n: int) -> None:
    for graph, dags in naive.classes(n).items():
        assert cz.CPDAG.from_matrix(naive.to_matrix(graph, n)).count_dags() == len(dags)


@pytest.mark.parametrize("n", [2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
def test_draws_are_uniform(n: int) -> None:
    """Pearson's statistic for each class, and its sum over all classes, which detects small biases common to many."""
    rng = np.random.default_rng(n)
    powers = 1 << np.arange(n * n)
    total, freedom, worst = 0.0, 0, 1.0
    for graph, dags in naive.classes(n).items():
        drawn = cz.CPDAG.from_matrix(naive.to_matrix(graph, n)).random_dags(DRAWS_PER_DAG * len(dags), rng)
        codes, counts = np.unique(drawn.reshape(len(drawn), -1) @ powers, return_counts=True)
        members = [int(naive.to_matrix(dag, n).ravel() @ powers) for dag in dags]
        assert set(codes.tolist()) <= set(members)
        seen = np.zeros(len(members))
        seen[np.searchsorted(np.sort(members), codes)] = counts
        statistic = ((seen - DRAWS_PER_DAG) ** 2 / DRAWS_PER_DAG).sum()
        total += statistic
        freedom += len(dags) - 1
        if len(dags) > 1:
            worst = min(worst, chi2.sf(statistic, len(dags) - 1))
    # With 30 draws per DAG, the tail of the sum is wider than that of its limit, by less than 0.1 standard deviations.
    assert chi2.sf(total, freedom) > FALSE_ALARM / 2
    assert chi2.cdf(total, freedom) > FALSE_ALARM / 2
    assert worst > FALSE_ALARM / 10 / len(naive.classes(n))  # a tenth: the limit is inaccurate in the far tail
