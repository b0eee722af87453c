"""Linear algebra: exchanges at fixed times leave the product of the targets invariant, after jumps they do not."""

import numpy as np
import pytest
from scipy.linalg import expm

from targets import Case, generator

LADDER = (0.3, 1.0)
TIMES = (0.7, 2.0)  # each rung may have its own time between exchanges


def rungs(momentum: float) -> list[Case]:
    return [Case(3, rows=20, coldness=coldness, momentum=momentum, edge_prior=0.4) for coldness in LADDER]


def exchange(hot: Case, cold: Case) -> np.ndarray:
    """The transition matrix of an exchange of the states (class, direction) of two rungs; the prior cancels."""
    scores = np.repeat((cold.log_weights() - hot.log_weights()) / (cold.coldness - hot.coldness), 2)
    states = len(scores)
    accepted = np.exp(np.minimum(0, (cold.coldness - hot.coldness) * (scores[:, None] - scores[None, :])))
    S = np.zeros((states, states, states, states))
    i, j = np.meshgrid(np.arange(states), np.arange(states), indexing="ij")
    S[i, j, i, j] += 1 - accepted
    S[i, j, j, i] += accepted
    return S.reshape(states**2, states**2)


def stationary(case: Case) -> np.ndarray:
    return np.repeat(case.probabilities() / 2, 2)


@pytest.mark.parametrize("momentum", [1.0, 0.5, 0.0])
def test_runs_of_fixed_time_and_exchanges_leave_the_targets_invariant(momentum: float) -> None:
    hot, cold = rungs(momentum)
    runs = [expm(time * generator(case).toarray()) for case, time in zip((hot, cold), TIMES, strict=True)]
    both = np.outer(stationary(hot), stationary(cold)).ravel()
    moved = both @ np.kron(*runs) @ exchange(hot, cold)
    assert np.abs(moved - both).max() < 1e-13


def test_exchanges_after_a_fixed_number_of_jumps_are_biased() -> None:
    hot, cold = rungs(1.0)
    events = []
    for case in (hot, cold):
        Q = generator(case).toarray()
        events.append(np.eye(len(Q)) - Q / np.diag(Q)[:, None])
    both = np.outer(stationary(hot), stationary(cold)).ravel()
    moved = both @ np.kron(*events) @ exchange(hot, cold)
    assert np.abs(moved - both).max() > 1e-3
