"""The comparison of sampled with exact probabilities of adjacencies."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.diagnostics.exact_check import AFFORDABLE, estimated_seconds
from causal_zigzag.target.target import Target
from targets import gaussian_data

QUIET = {"rng": 1, "progress": False}


def test_the_comparison_is_under_the_prior_over_dags() -> None:
    score = cz.GaussianBIC(gaussian_data(5, 60, seed=2))
    posterior = cz.sample(score, edge_prior=0.7, coldness=0.8, jumps=20_000, **QUIET)
    check = posterior.check_exact()
    exact = cz.exact_edge_posterior(score, edge_prior=0.7, coldness=0.8).adjacent
    sampled = posterior.reweight("dags").edge_probabilities().adjacent
    gap = np.abs(sampled - exact)
    assert check.largest_difference == gap.max()
    at = {v: i for i, v in enumerate(posterior.nodes)}
    assert gap[at[check.pair[0]], at[check.pair[1]]] == gap.max()
    assert len(check.table) == 10
    assert check.table["difference"].abs().is_monotonic_decreasing
    for _, row in check.table.iterrows():
        assert row["exact"] == exact[at[row["x"]], at[row["y"]]]
        assert row["sampled"] == sampled[at[row["x"]], at[row["y"]]]
    # standard errors are below 0.01: with 10 pairs, a gap of 0.05 has a probability below 1e-5
    assert check.largest_difference < 0.05
    assert repr(check).startswith("ExactComparison(largest difference 0.0")
    for same in (posterior.diagnostics().exact, posterior.reweight("dags").diagnostics().exact):
        assert same is not None
        assert same.largest_difference == check.largest_difference
    words = f"Largest difference from the exact probabilities: {check.largest_difference:.3f}."
    assert words in posterior.diagnostics().verdict


def test_chains_that_agree_on_a_wrong_mode_are_not_sound() -> None:
    """The weight of a coldness that the chains did not sample: they agree, and only the exact values reveal it."""
    score = cz.GaussianBIC(gaussian_data(5, 60, seed=2))
    posterior = cz.sample(score, coldness=0.05, jumps=20_000, **QUIET)
    assert posterior.diagnostics().ok
    d = replace(posterior, target=replace(posterior.target, coldness=1.0)).diagnostics()
    assert not d.ok
    assert d.exact is not None
    assert d.exact.largest_difference > 0.1
    assert d.verdict.startswith(f"Far from the exact probabilities: that of {d.exact.pair_in_words} is ")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_degree": 2}, "max_degree"),
        ({"edge_prior": lambda m: -float(m * m)}, "same cost for every edge"),
    ],
)
def test_targets_without_exact_probabilities(settings: dict[str, object], words: str) -> None:
    posterior = cz.sample(cz.Uniform(4), jumps=1000, **QUIET, **settings)
    with pytest.raises(cz.SettingsError, match=words):
        posterior.check_exact()
    assert posterior.diagnostics().exact is None
    assert "exact" not in posterior.diagnostics().verdict


def test_a_bound_that_excludes_nothing_is_no_obstacle() -> None:
    assert cz.sample(cz.Uniform(4), max_degree=3, jumps=1000, **QUIET).check_exact().largest_difference < 1


def test_sizes_without_exact_probabilities() -> None:
    with pytest.raises(cz.SettingsError, match="2 to 18 nodes, and the target has 19"):
        cz.sample(cz.Uniform(19), jumps=10, **QUIET).check_exact()
    with pytest.raises(cz.SettingsError, match="2 to 18 nodes, and the target has 1"):
        cz.sample(cz.Uniform(1), jumps=10, **QUIET).check_exact()


def test_a_score_or_a_prior_of_the_user_is_compared_on_request_only() -> None:
    class FewerEdges(cz.Score):
        def local(self, node: object, parents: object) -> float:
            return -1.0 * len(parents)  # type: ignore[arg-type]

    posterior = cz.sample(FewerEdges(3), jumps=20_000, **QUIET)
    assert posterior.diagnostics().exact is None
    assert posterior.check_exact().largest_difference < 0.05
    own = cz.sample(cz.Uniform(3), jumps=20_000, **QUIET).reweight(lambda g: -1.0 * g.edge_count)
    assert own.diagnostics().exact is None
    assert own.check_exact().largest_difference < 0.05


def gaussian(n: int) -> cz.Score:
    return cz.GaussianBIC.from_covariance(np.eye(n), 100)


def discrete(n: int) -> cz.Score:
    return cz.BDeu(np.random.default_rng(1).integers(0, 3, (1000, n)))


@pytest.mark.parametrize(("score", "largest"), [(gaussian, 15), (cz.Uniform, 15), (discrete, 13)])
def test_the_largest_number_of_nodes_that_is_compared_by_itself(score: Callable[[int], cz.Score], largest: int) -> None:
    seconds = [estimated_seconds(Target.read(score(n))) for n in (largest, largest + 1)]
    assert seconds[0] <= AFFORDABLE < seconds[1]
