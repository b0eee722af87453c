"""Scattered starts: which they are, that they respect the bounds of a target, and that runs can be repeated."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.facts import facts
from causal_zigzag.report.repetition import repetition
from experts import options
from targets import gaussian_data

NODES = tuple("abcdefgh")
SCORE = cz.GaussianBIC.from_covariance(np.cov(gaussian_data(8, 200, seed=1).T), 200, nodes=NODES)


def run(score: cz.Score = SCORE, **settings: object) -> cz.Posterior:
    chosen = {"start": "scattered", "jumps": 200, "warmup": 10, "chains": 5, "rng": 1, "progress": False} | settings
    return cz.sample(score, **options(**chosen))


def test_the_first_has_no_edges_the_second_is_from_ges_and_the_others_are_random() -> None:
    empty, greedy, *others = run()._starts
    assert empty == cz.CPDAG.empty(NODES)
    assert greedy == cz.ges(SCORE).graph
    assert {g.edge_count for g in others} == {greedy.edge_count}
    assert len({greedy, *others}) == 4
    assert all(g.nodes == NODES for g in others)


def test_the_chains_start_there() -> None:
    posterior = run(warmup=0, jumps=1)
    for one, start in zip(posterior.by_chain(), posterior._starts, strict=True):
        assert one.probability(start) > 0


def test_starts_do_not_depend_on_the_number_of_chains() -> None:
    few, many, other = run(chains=3), run(chains=5), run(rng=2)
    assert many._starts[:3] == few._starts
    assert other._starts[2:] != many._starts[2:]
    assert run().edge_probabilities().directed.tolist() == many.edge_probabilities().directed.tolist()
    generated = run(rng=np.random.default_rng(1))
    assert generated._starts == many._starts


def test_the_seeds_of_chains_do_not_depend_on_starts() -> None:
    """The random numbers of a chain do not depend on how its start was given."""
    drawn = run()
    given = run(start=list(drawn._starts))
    assert given.edge_probabilities().directed.tolist() == drawn.edge_probabilities().directed.tolist()


def test_bounds_are_respected() -> None:
    pairs = [("a", "b"), ("c", "d"), ("a", "h")]
    for prior in ("auto", None, lambda m: -math.inf if m > 3 else 0.0):
        starts = run(max_degree=2, knowledge=cz.Knowledge(apart=pairs), edge_prior=prior, chains=12)._starts
        for g in starts:
            assert max(len(g.adjacent(v)) for v in NODES) <= 2
            assert not [pair for pair in pairs if pair[1] in g.adjacent(pair[0])]
            assert not callable(prior) or g.edge_count <= 3


def test_fewer_edges_if_the_bounds_allow_no_more() -> None:
    *_, last = run(cz.Uniform(200), max_degree=1, chains=3, edge_prior=9.0, jumps=10)._starts
    assert last.edge_count == 100


def test_without_a_score_all_but_the_first_are_random() -> None:
    for settings in ({"score": cz.Uniform(6)}, {"coldness": 0.0, "edge_prior": 2.0}):
        empty, *others = run(**settings)._starts
        assert empty.edge_count == 0
        assert {g.edge_count for g in others} == {len(empty)}
    assert run(cz.Uniform(1), chains=2, warmup=None)._starts == (cz.CPDAG.empty(1),) * 2


def test_a_single_chain_starts_without_edges() -> None:
    assert run(chains=1)._start == cz.CPDAG.empty(NODES)


def test_the_report_repeats_a_run_by_its_word(tmp_path: Path) -> None:
    posterior = run()
    assert "start='scattered'" in repetition(posterior)
    assert "start='ges'" in repetition(run(start="ges"))
    assert "start = [" in repetition(run(rng=np.random.default_rng(1)))  # no seed, so the classes themselves
    assert dict(facts(posterior))["Start"] == "scattered: 5 classes, one per chain"
    posterior.save(tmp_path / "run.czz")
    again = cz.load(tmp_path / "run.czz")
    assert again._starts == posterior._starts
    assert again.record == posterior.record


def test_a_checkpoint_keeps_its_starts(tmp_path: Path) -> None:
    whole = run(jumps=400)
    run(checkpoint=tmp_path / "run")
    longer = run(jumps=400, rng=None, checkpoint=tmp_path / "run")
    assert longer._starts == whole._starts
    assert longer.edge_probabilities().directed.tolist() == whole.edge_probabilities().directed.tolist()
    with pytest.raises(cz.CheckpointError, match="starts"):
        run(start=[None] * 4 + ["ges"], checkpoint=tmp_path / "run")


def test_unknown_words() -> None:
    with pytest.raises(
        cz.SettingsError, match='start must be None, "empty", "ges", "search", "scattered", a CPDAG or a seq'
    ):
        run(start="scatter")
    with pytest.raises(
        cz.SettingsError, match='start must be None, "empty", "ges", "search" or a CPDAG, not \'scattered\''
    ):
        run(start=["scattered"] * 5)
    with pytest.raises(cz.SettingsError, match='start must be None, "empty" or a CPDAG'):
        cz.ges(SCORE, start="scattered")
