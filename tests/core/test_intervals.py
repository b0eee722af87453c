"""Intervals of a fixed time of the process, with another score from time to time, against the generator matrix."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm

import causal_zigzag as cz
from causal_zigzag._core import Chain, testing
from causal_zigzag.sampler.core_chain import make_chain
from targets import Case, deviations, gaussian_data, generator

WORDS = np.arange(1, 5, dtype=np.uint64)
ROUNDS = 20_000
INTERVALS = (1, 2)  # with the first score, then with the second one


class Other(Case):
    """The same target with other data."""

    @property
    def data(self) -> np.ndarray:
        return gaussian_data(self.n, self.rows, seed=77)


def two_cases(momentum: float) -> list[Case]:
    return [kind(3, rows=30, coldness=0.3, edge_prior=0.4, momentum=momentum) for kind in (Case, Other)]


def make(case: Case, g: cz.CPDAG, saved: bytes | None = None) -> Chain:
    return make_chain(case.target, case.settings, g, WORDS, first_score=case.score.total(g), saved=saved)


def run_rounds(cases: list[Case]) -> tuple[Chain, np.ndarray]:
    """A chain after all rounds, and how its states at their ends deviate, in standard errors."""
    support = cases[0].support()
    numbers = {g.core.hash: i for i, g in enumerate(support)}
    scores = [(case.score.core_score(), [case.score.total(g) for g in support]) for case in cases]
    chain = make(cases[0], support[0])
    testing.set_interval(chain, 0.0)
    seen = np.zeros(2 * len(support))
    for _ in range(ROUNDS):
        for (score, totals), intervals in zip(scores, INTERVALS, strict=True):
            testing.set_score(chain, score, totals[numbers[chain.graph().hash]])
            for _ in range(intervals):
                assert testing.finish_interval(chain, math.inf)
        seen[2 * numbers[chain.graph().hash] + (chain.direction < 0)] += 1
    flows = [expm(k * generator(case).toarray()) for case, k in zip(cases, INTERVALS, strict=True)]
    return chain, deviations(flows[0] @ flows[1], seen)


@pytest.mark.parametrize("momentum", [1.0, 0.4])
def test_states_at_the_ends_of_intervals_with_two_scores(momentum: float) -> None:
    """False-alarm rate: 1e-6, by a normal approximation for each of the 22 states."""
    chain, z = run_rounds(two_cases(momentum))
    assert np.abs(z).max() < 5.5
    assert testing.audit(chain) == ""
    s = chain.statistics()
    assert s.time.drawn * 2.0**s.unit == pytest.approx(sum(INTERVALS) * ROUNDS, rel=1e-9)
    assert chain.classes()["time"].sum() + s.unlisted == pytest.approx(s.time.expected, rel=1e-9)


def test_another_score_counts_from_its_moment_on_and_a_chain_resumes_with_it() -> None:
    cases = [replace(case, n=6) for case in two_cases(1.0)]
    start = cz.CPDAG.empty(6)
    chain = make(cases[0], start)
    testing.set_interval(chain, 2.0)
    assert testing.finish_interval(chain, math.inf)
    g = cz.CPDAG.from_matrix(chain.graph().matrix())
    before, edges = chain.statistics(), chain.edge_times()
    testing.set_score(chain, cases[1].score.core_score(), cases[1].score.total(g))  # type: ignore[arg-type]
    assert chain.statistics().time == before.time
    assert all(np.array_equal(a, b) for a, b in zip(chain.edge_times(), edges, strict=True))
    assert chain.graph() == g.core
    assert chain.score == cases[1].score.total(g)
    chain.run(3, math.inf)  # in the middle of an interval
    saved = chain.save()
    again = make(cases[1], start, saved)
    for one in (chain, again):
        for _ in range(20):
            assert testing.finish_interval(one, math.inf)
    assert again.save() == chain.save()
    g = cz.CPDAG.from_matrix(chain.graph().matrix())
    assert chain.score == pytest.approx(cases[1].score.total(g), abs=1e-9)
