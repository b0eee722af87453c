"""Tempered chains spend in every class of 4 or 5 nodes the share of time that is its probability."""

import numpy as np
import pytest
from scipy.stats import t as student

import causal_zigzag as cz
from causal_zigzag.sampler.excursions import plan
from causal_zigzag.sampler.tempering import rung_excursions, tempered_chain
from targets import Case

# Independent tempered chains give independent vectors of shares. For each class, and for all rare ones together, their
# mean has a t distribution around the true value, because the share of a single chain, a mean over thousands of visits,
# is nearly normal. FALSE_ALARM is the rate for one test with another seed, corrected for the number of classes.
FALSE_ALARM = 1e-6
CHAINS = 32
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
    posterior = case.sample(jumps=6000, warmup=2000, chains=CHAINS, tempering=tempering, rng=20240917)
    truth = case.probabilities()
    common = np.flatnonzero(truth > RARE)
    if case.coldness == 0.1:
        assert len(common) == len(truth) == 185
    one_by_one = posterior.by_chain()
    assert all(s.tempering.round_trips > 10 for s in posterior.statistics)
    shares = np.array([[p.probability(g) for g in case.support()] for p in one_by_one])
    assert shares.sum(axis=1) == pytest.approx(1)
    error = shares - truth
    mean = error @ case.log_weights()  # wrong exchanges would bias the mean score
    check_means(np.column_stack([error[:, common], error[:, truth <= RARE].sum(axis=1), mean]))


@pytest.mark.nosanitize
@pytest.mark.parametrize(
    ("case", "tempering"),
    [
        (Case(5, rows=100, coldness=0.3, edge_prior=0.5), "auto"),
        pytest.param(
            Case(5, rows=100, coldness=0.1, momentum=0.0, edge_prior=hump), (0.1, 0.4, 1.0), marks=pytest.mark.long
        ),
    ],
    ids=str,
)
def test_excursions_on_every_rung_leave_the_target_invariant(
    case: Case, tempering: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempered_chain, "JUMPS", JUMPS)
    for module in (plan, rung_excursions):
        monkeypatch.setattr(module, "JUMPS", 5)  # many excursions, for the same reason
    posterior = case.sample(jumps=3000, chains=CHAINS, tempering=tempering, rng=20240918)
    assert all(s.excursions.changed > 100 for s in posterior.statistics)
    assert all(s.tempering.round_trips > 15 for s in posterior.statistics)
    exact = cz.exact_posterior(case.score, coldness=case.coldness, edge_prior=case.edge_prior)
    common = [(graph, probability) for graph, probability, _ in exact.top(10**6) if probability > 4 * RARE]
    assert len(common) > 30
    shares = np.array([[p.probability(g) for g, _ in common] for p in posterior.by_chain()])
    error = shares - [probability for _, probability in common]
    check_means(np.column_stack([error, error.sum(axis=1)]))


def check_means(errors: np.ndarray) -> None:
    """The mean of every column is 0, up to chance; rows are independent."""
    errors = errors[:, errors.std(axis=0) > 0]
    spread = errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
    score = np.abs(errors.mean(axis=0)) / spread
    assert score.max() < student.isf(FALSE_ALARM / 2 / errors.shape[1], len(errors) - 1)
