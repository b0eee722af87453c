"""Tempered chains spend in every class of 4 nodes the share of time that is its probability."""

import numpy as np
import pytest
from scipy.stats import t as student

from causal_zigzag.sampler.tempering import tempered_chain
from targets import Case

# Independent tempered chains give independent vectors of shares. For each class, and for all rare ones together, their
# mean has a t distribution around the true value, because the share of a single chain, a mean over thousands of visits,
# is nearly normal. FALSE_ALARM is the rate for one test with another seed, corrected for the number of classes.
FALSE_ALARM = 1e-6
CHAINS = 50
RARE = 5e-4
JUMPS = 2  # between exchanges: with few of them, an error in the exchanges has a large effect


def hump(edges: int) -> float:
    return -0.3 * (edges - 2) ** 2


CASES = [
    (Case(4, rows=15, coldness=0.1), (0.0, 0.4, 1.0)),
    (Case(4, rows=15, coldness=0.1, momentum=0.0), (0.0, 1.0)),
    (Case(4, rows=15), 4),
    *(
        pytest.param(*more, marks=pytest.mark.long)
        for more in (
            (Case(4, rows=15, momentum=0.0, edge_prior=0.5), 4),
            (Case(4, rows=15, coldness=0.5, momentum=0.5, balance="barker", max_degree=2), (0.2, 0.5, 1.0)),
            (Case(4, rows=15, coldness=0.5, balance="metropolis", edge_prior=hump, forbidden=((0, 1),)), 3),
        )
    ),
]


@pytest.mark.nosanitize
@pytest.mark.parametrize(("case", "tempering"), CASES, ids=str)
def test_every_class_of_four_nodes_has_its_share_of_time(
    case: Case, tempering: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempered_chain, "JUMPS", JUMPS)
    posterior = case.sample(jumps=10_000, warmup=2_500, chains=CHAINS, tempering=tempering, rng=20240917)
    truth = case.probabilities()
    common = np.flatnonzero(truth > RARE)
    if case.coldness == 0.1:
        assert len(common) == len(truth) == 185
    one_by_one = posterior.by_chain()
    for weights in ("expected", "drawn"):
        shares = np.array([[p.probability(g, weights) for g in case.support()] for p in one_by_one])
        assert shares.sum(axis=1) == pytest.approx(1)
        assert all(s.tempering.round_trips > 15 for s in posterior.statistics)
        error = shares - truth
        mean = error @ case.log_weights()  # wrong exchanges would bias the mean score
        looked_at = np.column_stack([error[:, common], error[:, truth <= RARE].sum(axis=1), mean])
        looked_at = looked_at[:, looked_at.std(axis=0) > 0]
        spread = looked_at.std(axis=0, ddof=1) / np.sqrt(CHAINS)
        score = np.abs(looked_at.mean(axis=0)) / spread
        assert score.max() < student.isf(FALSE_ALARM / 4 / looked_at.shape[1], CHAINS - 1)
