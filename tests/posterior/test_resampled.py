"""Resampled posteriors: equal to the average of exact posteriors of the same resamples, and all that goes with them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz

ROWS = 120
NAMES = ("gaussian", "bge", "mixed-bic", "mixed-bge", "bdeu", "discrete-bic", "gp", "basis", "experiment", "treated")


def table(name: str) -> pd.DataFrame:
    """Four columns of the kinds that this score takes, in 24 groups of 5 rows."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(ROWS, 4)) + 0.5 * np.repeat(rng.normal(size=(ROWS // 5, 4)), 5, axis=0)
    x[:, 1] += 0.4 * x[:, 0]
    x[:, 3] += 0.5 * x[:, 1] + 0.3 * x[:, 2]
    columns = dict(zip("abcd", x.T, strict=True))
    if name in ("mixed-bic", "mixed-bge", "bdeu", "discrete-bic", "treated"):
        columns["a"], columns["b"] = np.digitize(x[:, 0], [-0.5, 0.5]).astype(str), x[:, 1] > 0
    if name in ("bdeu", "discrete-bic", "treated"):
        columns["c"], columns["d"] = x[:, 2] > 0.3, x[:, 3] > 0
    if name in ("experiment", "treated"):
        columns["a"] = np.tile([0, 1], ROWS // 2)
    return pd.DataFrame(columns)


SCORES = {
    "gaussian": cz.GaussianBIC,
    "bge": cz.BGe,
    "mixed-bic": cz.MixedBIC,
    "mixed-bge": cz.MixedBGe,
    "bdeu": cz.BDeu,
    "discrete-bic": cz.DiscreteBIC,
    "gp": cz.AdditiveGP,
    "basis": lambda data: cz.BasisBIC(data, terms=2),
    "experiment": lambda data: cz.InterventionalBGe(data, contexts="a"),
    "treated": lambda data: cz.InterventionalBDeu(data, contexts="a"),
}


def assert_is_the_average_of_exact_posteriors(posterior: cz.Posterior) -> None:
    """Edges, classes, ancestors and effects are those of exact posteriors of the same rows, to Monte Carlo error.

    The errors of the resamples are independent; 6 of their standard errors have a false-alarm rate below 1e-6 for the
    few numbers here, and 0.003 is added for edges that have changed too rarely for an error.
    """
    resampled = posterior.resampled
    assert resampled is not None
    exact = [
        cz.exact_posterior(run.score, edge_prior=run.target.edge_prior.cost, knowledge=run.target.knowledge)
        for run in resampled.runs
    ]
    share = 1 / len(exact)
    expected = share * sum(one.edge_probabilities().directed for one in exact)
    joined = share * sum(one.edge_probabilities().adjacent for one in exact)
    errors = np.nan_to_num(np.array([run.classes.edge_errors for run in resampled.runs]), nan=0.02)
    bound = 6 * share * np.sqrt((errors**2).sum(axis=0)) + 0.003
    edges = resampled.edge_probabilities()
    assert (np.abs(edges.directed - expected) <= bound[:, :, 1]).all()
    assert (np.abs(edges.adjacent - joined) <= bound[:, :, 0]).all()
    best = exact[0].top(1)[0].graph
    assert abs(resampled.probability(best) - share * sum(one.probability(best) for one in exact)) < 0.03
    above = share * sum(one.ancestors() for one in exact)
    assert float((resampled.ancestors() - above).abs().max(axis=None)) < 0.03
    spread = np.array([one.edge_probabilities().adjacent for one in exact]).std(axis=0)
    assert spread.max() > 0.05  # the resamples differ, or the test would say nothing


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_average_of_exact_posteriors(name: str) -> None:
    score = SCORES[name](table(name))
    assert_is_the_average_of_exact_posteriors(cz.sample(score, jumps=4000, chains=2, resamples=12, rng=3))


@pytest.mark.parametrize("scheme", ["halves", "subset-0.7", "bayesian"])
def test_other_schemes(scheme: str) -> None:
    from causal_zigzag.resampling.resample import resample
    from causal_zigzag.resampling.schemes import SCHEMES

    posterior = cz.sample(cz.GaussianBIC(table("gaussian")), jumps=4000, chains=2, rng=3)
    assert_is_the_average_of_exact_posteriors(resample(posterior, 12, rng=1, scheme=SCHEMES[scheme]))


def test_groups_are_drawn_together() -> None:
    data = table("gaussian").assign(person=np.repeat([f"p{i}" for i in range(ROWS // 5)], 5))
    posterior = cz.sample(data, by="person", jumps=4000, chains=2, resamples=12, rng=3)
    assert posterior.nodes == tuple("abcd")
    assert posterior.resampled is not None
    assert posterior.resampled.by == ("person",)
    assert (
        posterior.resampled.scheme
        == "0.7 times as many groups of rows with the same person as there are, with replacement"
    )
    assert_is_the_average_of_exact_posteriors(posterior)
    plain = cz.sample(data.drop(columns="person"), jumps=4000, chains=2, rng=3)
    for by in (data["person"], data["person"].to_numpy(), [*data["person"]]):
        again = plain.resample(12, by, rng=1)
        assert again.resampled is not None
        for run in again.resampled.runs:
            total = run.score.n_samples  # type: ignore[attr-defined]
            assert total == 85  # 17 of 24 groups
        assert again.edge_table().equals(plain.resample(12, "person", data=data, rng=1).edge_table())
