"""Posterior.extend: new chains begin where those of a run ended, and count together with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.merging import last_states
from causal_zigzag.sampler.checkpoint.chain_files import PARTS, SavedChain
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.storage.container import from_bytes
from equality import differing
from experts import options
from targets import gaussian_data

SCORE = cz.GaussianBIC(gaussian_data(5, 60, seed=3))


def short(**settings: object) -> cz.Posterior:
    return cz.sample(SCORE, **options(jumps=3000, chains=2, rng=1, progress=False, **settings))  # type: ignore[arg-type]


def test_chains_of_both_runs_count() -> None:
    run = short()
    longer = run.extend(jumps=6000, rng=2)
    assert [s.jumps for s in longer.statistics] == [3000, 3000, 6000, 6000]
    assert [s.chain for s in longer.statistics] == [0, 1, 2, 3]
    assert longer.record is not None
    assert run.record is not None
    assert longer.record.extended
    assert longer.record.seed == run.record.seed
    assert longer.record.seconds > run.record.seconds


def test_new_chains_begin_where_the_chains_ended(tmp_path: Path) -> None:
    run = short(checkpoint=tmp_path, excursions=False)
    ends = last_states(run)
    for number, end in enumerate(ends):  # the last state in the checkpoint is that of the chain itself
        path = max(tmp_path.glob(f"chain-{number:05}-*"))
        saved = from_bytes(path.read_bytes(), SavedChain, PARTS)
        weight = run.statistics[number].sqrt_weight
        words = np.arange(4, dtype=np.uint64)
        chain = make_chain(run.target, run.settings, run._start, words, saved.state(), sqrt_weight=weight)
        assert (end.graph, end.direction) == (
            cz.CPDAG.from_core(chain.graph(), run._start.labels),
            chain.direction,
        )
    longer = run.extend(jumps=3000, rng=2)
    assert longer._starts[2:] == tuple(end.graph for end in ends)
    drawn = longer.draws()
    for number, chain in enumerate(drawn.chains):  # scores are absolute, also those of the new chains
        assert chain.score[-1] == pytest.approx(SCORE.total(list(drawn.of_chain(number))[-1]), abs=1e-6)


def test_the_extension_has_the_target_of_the_run() -> None:
    """Adjacencies against exact ones at five standard errors: ten pairs, a false alarm in 200,000 runs."""
    exact = cz.exact_posterior(SCORE, edge_prior="auto").edge_probabilities().adjacent
    longer = short().extend(jumps=60_000, rng=4)
    assert len(longer._results) == 2  # the run itself had less than a tenth of the jumps
    table = longer.edge_table()
    at = {node: i for i, node in enumerate(longer.nodes)}
    for row in table.itertuples():
        assert abs(row.adjacent - exact[at[row.x], at[row.y]]) < max(5 * row.mcse, 1e-3)


def test_by_default_it_goes_on_until_converged() -> None:
    longer = short().extend(rng=2)
    assert longer.diagnostics().ok
    assert longer.settings.converge


def test_a_saved_run_is_extended(tmp_path: Path) -> None:
    short().save(tmp_path / "run.czz")
    assert len(cz.load(tmp_path / "run.czz").extend(jumps=3000, rng=2)._results) == 4


class Own(cz.Score):
    """A score of the user, which a file cannot hold."""

    def local(self, node: object, parents: object) -> float:
        return -float(len(parents))  # type: ignore[arg-type]


def test_a_score_of_the_user_is_not_in_a_file(tmp_path: Path) -> None:
    run = cz.sample(Own(["a", "b", "c"]), jumps=500, chains=1, rng=1)
    assert len(run.extend(jumps=500, rng=2)._results) == 2
    run.save(tmp_path / "own.czz")
    with pytest.raises(cz.SettingsError, match=r"posterior\.merge\(cz\.sample"):
        cz.load(tmp_path / "own.czz").extend(jumps=500)


def test_an_extension_keeps_the_prior() -> None:
    run = short()
    longer = run.reweight("dags").extend(jumps=6000, rng=2)
    assert longer.prior == "dags"
    assert differing(longer, run.extend(jumps=6000, rng=2).reweight("dags")) == []


def test_weights_that_new_chains_would_undo_are_refused_before_sampling() -> None:
    with pytest.raises(cz.SettingsError, match="reweighted by sparse"):
        short().reweight(sparse).extend(jumps=10**9)
    with pytest.raises(cz.SettingsError, match="weighed"):
        replace(short(), _chain_weights=(float(np.log(0.9)), float(np.log(0.1)))).extend(jumps=10**9)


@pytest.mark.parametrize("name", ["dags", "classes"])
def test_a_function_with_the_name_of_a_prior_is_not_taken_for_it(name: str) -> None:
    def prior(g: cz.CPDAG) -> float:
        return sparse(g)

    prior.__name__ = name
    weighted = short().reweight(prior)
    assert f"weighted by {name}()" in weighted.summary()
    with pytest.raises(cz.SettingsError, match=rf"reweighted by {name}\(\)"):
        weighted.extend(jumps=10**9)


def sparse(g: cz.CPDAG) -> float:
    return -float(g.edge_count)
