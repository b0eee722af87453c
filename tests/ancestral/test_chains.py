"""Chains of ancestral graphs against exact enumeration, reproducibility, rounds, deadlines and agreement."""

import math

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag import _core
from causal_zigzag.ancestral import chains as runs
from causal_zigzag.ancestral.agreement import pair_shares
from causal_zigzag.ancestral.target import AncestralTarget
from mag_cases import core_score, hidden_causes_table
from naive_mags import all_mags

# Seeds are fixed. In these tables the variance of a share times the number of steps was measured by batch means: at
# most 60 with up to 4 nodes, and 190 with 5. With 100 and 300, the standard errors of two chains are at most 0.009 and
# 0.008, so that 0.06 is more than 6 of them. With 40 comparisons the false-alarm rate is below 1e-7.
TOLERANCE = 0.06

GOLDEN = [(2260, 19, 18336), (2287, 21, 19643)]
"""Of the seeded run below: the jumps and fits of each chain, and the sum of the states of its graphs."""


def exact_shares(score: cz.GaussianBIC, edge_cost: float) -> tuple[np.ndarray, np.ndarray]:
    """P(joined) of the pairs, and P(the row is an ancestor of the column)."""
    n = len(score.nodes)
    states = all_mags(n).states
    log_weights = core_score(score).totals(states) - edge_cost * (states > 0).sum(axis=1)
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    above = _core.mag_ancestors(n, states).reshape(-1, n, n)
    np.einsum("ijj->ij", above)[:] = 0
    return weights @ (states > 0), np.tensordot(weights, above, 1)


@pytest.mark.parametrize(("n", "seed"), [(3, 1), (3, 2), (4, 1), (4, 2), pytest.param(5, 1, marks=pytest.mark.long)])
def test_probabilities_are_exact(n: int, seed: int) -> None:
    score = cz.GaussianBIC(hidden_causes_table(n, 200, seed))
    posterior = cz.sample_ancestral(score, steps=4_000_000 if n == 5 else 1_000_000, rng=seed)
    joined, causes = exact_shares(score, math.log(n))
    x, y = np.triu_indices(n, 1)
    assert abs(posterior.shares.joined[x, y] - joined).max() < TOLERANCE
    assert abs(posterior.ancestors().to_numpy() - causes).max() < TOLERANCE
    sampled = {top.graph: top.probability for top in posterior.top(10)}
    assert len(sampled) == min(10, len(posterior._classes.first))


def test_the_same_seed_gives_the_same_result_for_any_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    score = cz.GaussianBIC(hidden_causes_table(5, 200, seed=3))
    first = cz.sample_ancestral(score, steps=20_000, chains=3, rng=5)
    monkeypatch.setattr(runs, "SLICE", 0.0)
    second = cz.sample_ancestral(score, steps=20_000, chains=3, rng=5)
    other = cz.sample_ancestral(score, steps=20_000, chains=3, rng=6)
    assert first.ancestors().equals(second.ancestors())
    assert all(np.array_equal(a.kept, b.kept) for a, b in zip(first.run.chains, second.run.chains, strict=True))
    assert not first.ancestors().equals(other.ancestors())


def test_counts_add_up() -> None:
    posterior = cz.sample_ancestral(cz.GaussianBIC(hidden_causes_table(4, 200, seed=3)), steps=10_000, rng=1)
    for chain in posterior.run.chains:
        x, y = np.triu_indices(4, 1)
        np.testing.assert_allclose(chain.states[x, y].sum(axis=1), 1)
        assert (np.diag(chain.ancestors) == 1).all()
        assert (chain.steps, chain.counted) == (10_000, 6_000)
        assert _core.mags_valid(4, chain.kept).all()
        kept = (chain.kept > 0).mean(axis=0)  # every second step: its error is about that of its neighbours
        assert abs(kept - chain.states[x, y, 1:].sum(axis=1)).max() < 0.02


def test_rounds_go_on_until_the_chains_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    score = cz.GaussianBIC(hidden_causes_table(4, 200, seed=3))
    lengths = []
    real = runs._Rounds.round

    def noted(self: runs._Rounds, steps: int) -> object:
        lengths.append(steps)
        self.differences.append(0.5)
        found = real(self, steps)
        self.differences[-1] = 0.5 if len(lengths) < 3 else 0.01
        return found

    monkeypatch.setattr(runs._Rounds, "round", noted)
    cz.sample_ancestral(score, minutes=10, rng=1)
    assert lengths == [80_000, 160_000, 320_000]


def test_a_run_that_is_cut_short_says_that_it_has_not_converged() -> None:
    score = cz.GaussianBIC(hidden_causes_table(6, 200, seed=3))
    posterior = cz.sample_ancestral(score, minutes=1e-9, rng=1)
    assert posterior.run.chains[0].counted == runs.FEWEST
    assert len(posterior.run.differences) == 1


def test_ctrl_c_ends_a_run_and_returns_what_was_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([False] * 6 + [True] * 1000)
    monkeypatch.setattr(runs.Interrupts, "noted", lambda _: next(looks))
    monkeypatch.setattr(runs, "SLICE", 0.0)
    posterior = cz.sample_ancestral(cz.GaussianBIC(hidden_causes_table(6, 200, seed=3)), rng=1)
    diagnostics = posterior.diagnostics()
    assert diagnostics.interrupted
    assert not diagnostics.ok
    assert "Ctrl-C" in diagnostics.verdict
    assert 0 < posterior.run.chains[0].steps < 10_000


def test_one_chain_cannot_show_that_it_has_converged() -> None:
    posterior = cz.sample_ancestral(cz.GaussianBIC(hidden_causes_table(3, 50, 1)), steps=1000, chains=1, rng=1)
    assert not posterior.diagnostics().ok
    assert "chains=2" in posterior.diagnostics().verdict


def test_chains_that_differ_have_not_converged() -> None:
    posterior = cz.sample_ancestral(cz.GaussianBIC(hidden_causes_table(6, 500, 1)), steps=40, rng=1)
    diagnostics = posterior.diagnostics()
    assert diagnostics.largest_difference > 0.05
    assert not diagnostics.ok
    assert diagnostics.verdict.startswith("Not converged")


def test_the_start_agrees_with_knowledge_and_the_graphs_too() -> None:
    known = cz.Knowledge(tiers=[[0], [1, 2], [3]], required=[(0, 3)], conditions=[])
    posterior = cz.sample_ancestral(
        cz.GaussianBIC(hidden_causes_table(4, 300, 4)), knowledge=known, steps=20_000, rng=1
    )
    causes = posterior.ancestors().to_numpy()
    assert causes[0, 3] == 1
    assert not causes[[1, 2, 3, 3, 3], [0, 0, 0, 1, 2]].any()


def test_shares_are_means_of_chains() -> None:
    posterior = cz.sample_ancestral(cz.GaussianBIC(hidden_causes_table(4, 300, 4)), steps=4000, rng=1)
    each = [pair_shares([chain]).causes for chain in posterior.run.chains]
    np.testing.assert_allclose(posterior.shares.causes, np.mean(each, axis=0))


def test_a_new_target_has_caches_of_its_own() -> None:
    target = AncestralTarget(cz.GaussianBIC(hidden_causes_table(3, 50, 1)), 0.0)
    assert target.scored() is not target.scored()


def test_a_seeded_run_is_the_same_for_every_compiler_and_machine() -> None:
    covariance = [[4, 2, 1, 1], [2, 3, 1, 0.5], [1, 1, 2, 1], [1, 0.5, 1, 2]]
    score = cz.GaussianBIC.from_covariance(covariance, n_samples=40)
    chains = cz.sample_ancestral(score, steps=5000, rng=1).run.chains
    assert [(chain.jumps, chain.fits, int(chain.kept.sum())) for chain in chains] == GOLDEN
