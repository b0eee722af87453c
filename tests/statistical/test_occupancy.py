"""Chains spend in every class of 4 nodes the share of time that is its probability."""

import numpy as np
import pytest
from scipy.stats import chi2

from targets import Case, generator

FALSE_ALARM = 1e-6  # of one test with another seed: the tail probability of the chi-square threshold
FEWEST_VISITS = 500  # shares of classes with fewer expected visits are too far from normal and not tested

CASES = [
    Case(4),
    Case(4, momentum=0.5, balance="barker", edge_prior=0.6),
    Case(4, momentum=0.0, balance="metropolis"),
    Case(4, edge_prior=(0.0, 0.4, -1.0, 0.5), balance="metropolis"),
    Case(4, edge_prior=lambda m: -0.7 * (m - 2) ** 2, momentum=0.0),
    Case(4, max_degree=2, apart=((0, 2),)),
    Case(4, rows=15),
    Case(4, rows=15, coldness=0.3, momentum=0.5),
    Case(4, rows=15, coldness=0.3, balance="metropolis", edge_prior=lambda m: -0.3 * m**2),
    Case(4, rows=10, coldness=5.0, balance="barker", momentum=0.0, edge_prior=1.3),
    Case(4, rows=15, balance="barker", max_degree=2),
    Case(4, rows=15, momentum=0.0, apart=((0, 1), (2, 1)), edge_prior=(0.0, 0.4, -1.0, 0.5)),
]


def covariance_of_shares(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Asymptotic covariances, per event, of the shares of time in the classes, with expected holding times.

    The states seen at events are a Markov chain with matrix P and invariant ν. A share is a ratio of sums over events
    of f = h · (1 in the class − its probability), h being the holding time, and of h. With u − Pu = f, the variance of
    the sum of f grows by ν(2 f u − f²) per event. The second result is the probability that the chain is in each class
    at an event.
    """
    Q = generator(case).toarray()
    probabilities = case.probabilities()
    owner = np.arange(len(Q)) // 2
    if case.momentum == 0:  # the direction never changes, so one direction is enough
        Q, owner = Q[::2, ::2], owner[::2]
    h = -1 / np.diag(Q)
    pi = probabilities[owner] * (1 if case.momentum == 0 else 0.5)
    nu = pi / h / (pi / h).sum()
    P = np.eye(len(Q)) + Q * h[:, None]
    f = h[:, None] * ((owner[:, None] == np.arange(len(probabilities))) - probabilities)
    u = np.linalg.solve(np.eye(len(Q)) - P + nu, f)
    own = f.T @ (nu[:, None] * f)
    cross = f.T @ (nu[:, None] * u)
    return (cross + cross.T - own) / (nu @ h) ** 2, np.bincount(owner, weights=nu)


@pytest.mark.nosanitize
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_class_of_four_nodes_has_its_share_of_time(case: Case) -> None:
    posterior = case.sample(jumps=100_000, warmup=1_000, chains=2, rng=20240917)
    assert posterior.unlisted == 0
    events = sum(s.jumps + s.flips for s in posterior.statistics)
    covariance, visits = covariance_of_shares(case)
    truth = case.probabilities()
    seen = np.flatnonzero(visits * events >= FEWEST_VISITS)
    assert truth[seen].sum() > 0.8
    shares = np.array([posterior.probability(g) for g in case.support()])
    assert shares.sum() == pytest.approx(1)
    error = (shares - truth)[seen]
    # Linear combinations of shares that do not vary, such as their sum, are left out.
    variance, contrast = np.linalg.eigh(covariance[np.ix_(seen, seen)] / events)
    varies = variance > 1e-9 * variance.max()
    distance = ((error @ contrast[:, varies]) ** 2 / variance[varies]).sum()
    assert distance < chi2.isf(FALSE_ALARM, varies.sum())
