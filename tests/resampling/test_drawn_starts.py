"""Starts that are drawn from the posterior of a resample have its probabilities, with knowledge as well."""

from __future__ import annotations

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.resampling.short_chains import can_draw, drawn_starts
from causal_zigzag.sampler.chain_task import Start
from causal_zigzag.target.target import Target


@pytest.mark.parametrize("knowledge", [None, cz.Knowledge(tiers=[["b"], ["d"]], forbidden=[("a", "d")])])
def test_starts_have_the_probabilities_of_the_target(knowledge: cz.Knowledge | None) -> None:
    """400 starts in 20 independent calls: 6 standard errors of a share are below 0.2 for draws worth 70 each."""
    x = np.random.default_rng(1).normal(size=(60, 4))
    x[:, 3] += 0.4 * x[:, 1] + 0.3 * x[:, 0]
    target = Target.read(cz.GaussianBIC(dict(zip("abcd", x.T, strict=True))), 1.0, "auto", None, knowledge)
    assert can_draw(target)
    start = Start(cz.CPDAG.empty(target.nodes))
    starts = [
        own for seed in range(20) for own in drawn_starts(target, (start,) * 20, [np.array([seed], dtype=np.uint64)])
    ]
    assert all(
        own.score == pytest.approx(target.score.origin(own.graph) - target.score.origin(starts[20 * (k // 20)].graph))
        for k, own in enumerate(starts)
    )
    joined = np.mean([(m := own.graph.matrix()) | m.T for own in starts], axis=0)
    exact = cz.exact_posterior(target.score, knowledge=knowledge).edge_probabilities().adjacent
    assert exact.max() > 0.3
    assert np.abs(joined - exact).max() < 0.2
