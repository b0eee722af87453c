"""The number of candidate parents of excursions: bounded by the time that the tables of a score take."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.sampler.chain_task import Start
from causal_zigzag.sampler.excursions.plan import (
    DEFAULT_JUMPS,
    candidate_count,
    choose_candidates,
    choose_plan,
    region_size,
)
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target

RNG = np.random.default_rng(1)


def count(score: cz.Score, jumps: int = DEFAULT_JUMPS) -> int:
    return candidate_count(Target.read(score, edge_prior="auto"), jumps)


def discrete(n: int, rows: int, levels: int = 3) -> cz.BDeu:
    """Random columns."""
    return cz.BDeu({f"v{i}": RNG.integers(0, levels, rows).astype(str) for i in range(n)})


def mixed(n: int, levels: int) -> cz.MixedBIC:
    """A continuous column, and columns of this number of levels."""
    codes = {f"v{i}": RNG.permutation(np.arange(1000) % levels).astype(str) for i in range(n - 1)}
    return cz.MixedBIC({"x": RNG.normal(size=1000), **codes})


def test_all_nodes_are_candidates_for_continuous_columns_of_17_nodes() -> None:
    data = RNG.normal(size=(100, 50))
    assert [count(cz.GaussianBIC(data[:, :n])) for n in (3, 11, 17)] == [2, 10, 16]
    assert count(cz.GaussianBIC(data)) == 15


def test_a_longer_run_has_more_candidates() -> None:
    score = cz.GaussianBIC(RNG.normal(size=(100, 50)))
    assert count(score, 4 * DEFAULT_JUMPS) == 17
    assert count(score, 1000 * DEFAULT_JUMPS) == 18  # bounded by memory


def test_discrete_columns_have_fewer_candidates_the_more_rows_and_levels() -> None:
    assert count(discrete(11, 1000)) == 10
    assert [count(discrete(20, rows)) for rows in (1000, 10_000)] == [11, 8]
    assert [count(discrete(20, 1000, levels)) for levels in (2, 6)] == [12, 9]


def test_mixed_columns_have_fewer_candidates_the_more_levels() -> None:
    assert [count(mixed(20, levels)) for levels in (2, 5, 20)] == [15, 11, 7]


@pytest.mark.parametrize("n", [3, 8, 30])
def test_candidates_are_adjacent_most_of_the_time_or_have_the_largest_differences(n: int) -> None:
    score = cz.GaussianBIC(RNG.normal(size=(100, n)))
    known = cz.Knowledge(forbidden=[(0, 1)], required=[(2, 1)], apart=[(0, 2)])
    target = Target.read(score, edge_prior="auto", knowledge=known)
    shares = np.zeros((n, n))
    seen = []
    for _ in range(3):
        at, share = RNG.integers(0, n * n, 2 * n), RNG.random(2 * n)
        at, share = at[at // n < at % n], share[at // n < at % n]
        seen.append(Start(cz.CPDAG.empty(n), adjacent=(at, share)))
        np.add.at(shares, (at // n, at % n), share)
    alone = [score.local(y, ()) for y in range(n)]
    for y, chosen in enumerate(choose_candidates(target, seen, min(5, n - 1))):
        gain = [score.local(y, (x,)) - alone[y] if x != y else -np.inf for x in range(n)]
        never = {y} | {0: {2}, 1: {0, 2}, 2: {0, 1}}.get(y, set())  # also the reverse of what is required
        rank = {x: (shares + shares.T)[x, y] + 1e-3 / n * np.searchsorted(np.sort(gain), gain[x]) for x in range(n)}
        best = sorted(set(range(n)) - never, key=lambda x: -rank[x])
        assert list(chosen) == best[: min(5, n - 1)]


def test_excursions_that_are_asked_for_and_take_too_long_are_refused() -> None:
    class Slow(cz.Score):
        def local(self, node: object, parents: tuple[object, ...]) -> float:
            return -float(len(parents))

    score = Slow(range(200))
    assert count(score) < 4
    with pytest.raises(cz.SettingsError, match="excursions=True"):
        cz.sample(score, jumps=100, chains=1, settings=cz.Settings(excursions=True), rng=1)


def test_regions_are_smaller_for_scores_that_take_longer() -> None:
    data = RNG.normal(size=(100, 20))
    targets = (cz.GaussianBIC(data), discrete(20, 1000), discrete(20, 100_000))
    sizes = [region_size(Target.read(score)) for score in targets]
    assert sizes[0] == 8 > sizes[1] >= 4 > sizes[2]


def test_a_run_of_many_nodes_makes_excursions_within_regions() -> None:
    data = RNG.normal(size=(200, 130))
    data[:, 2] = data[:, 0] + data[:, 1] + 0.5 * data[:, 2]
    posterior = cz.sample(data, score="gaussian-bic", jumps=20_000, chains=2, rng=1)
    for s in posterior.statistics:
        assert s.excursions is not None
        assert s.excursions.candidates == 7
        assert 0 < s.excursions.changed <= s.excursions.accepted <= s.excursions.made
    assert posterior.edge_probabilities().directed[0, 2] > 0.9


def test_regions_are_looked_at_until_the_time_is_over() -> None:
    data = RNG.normal(size=(200, 130))
    data[:, 2] = data[:, 0] + data[:, 1] + 0.5 * data[:, 2]
    target = Target.read(cz.GaussianBIC(data), edge_prior="auto")
    seen = [Start(cz.CPDAG.empty(130))]
    plan = choose_plan(target, RunSettings(), seen)
    assert plan is not None
    assert len(plan.region_weights) == 130
    assert choose_plan(target, RunSettings(), seen, by=0.0) is None
