"""merge: the chains of several runs of one target in one posterior, and runs that cannot be merged."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.facts import shortfalls
from experts import options
from score_cases import ByLocal, gaussian_data, make_score

NODES = ["a", "b", "c", "d"]


def score(seed: int = 0, **settings: Any) -> cz.Score:
    x = gaussian_data(4, 60, seed)
    return cz.GaussianBIC.from_covariance(np.cov(x.T), 60, nodes=NODES, **settings)


def run(target: Any = None, **settings: Any) -> cz.Posterior:
    return cz.sample(
        score() if target is None else target,
        **options(**{"jumps": 2000, "chains": 2, "rng": 1, "progress": False} | settings),
    )


def test_a_merged_posterior_has_all_chains() -> None:
    first, second, third = run(), run(rng=2, chains=3, jumps=500, warmup=7), run(rng=3, chains=1)
    merged = first.merge(second, third)
    assert [s.chain for s in merged.statistics] == [0, 1, 2, 3, 4, 5]
    assert [s.jumps for s in merged.statistics] == [2000, 2000, 500, 500, 500, 2000]
    assert merged.settings.chains == 6
    assert merged.settings.jumps * 6 == 3 * 2000 + 3 * 500
    assert [len(p.statistics) for p in (first, second, third)] == [2, 3, 1]
    assert first.statistics[0].chain == third.statistics[0].chain == 0
    parts = [(sum(np.ldexp(r.total, int(r.unit)) for r in p._results), p) for p in (first, second, third)]
    total = sum(t for t, _ in parts)
    assert np.allclose(
        merged.edge_probabilities().adjacent, sum(t * p.edge_probabilities().adjacent for t, p in parts) / total
    )
    g = merged.top(1)[0].graph
    assert merged.probability(g) == pytest.approx(sum(t * p.probability(g) for t, p in parts) / total)
    for one, part in zip(merged.by_chain(), [*first.by_chain(), *second.by_chain(), *third.by_chain()], strict=True):
        assert one.top(5) == part.top(5)
    assert merged.record is None
    assert not shortfalls(merged)
    assert first.merge().top(3) == first.top(3)
    assert merged.merge(run(rng=9)).settings.chains == 8


def test_runs_with_different_starts_keep_their_traces() -> None:
    first, second = run(), run(start=cz.CPDAG.complete(NODES), rng=2, warmup=0)
    merged = first.merge(second)
    for mine, own in zip(merged.trace(), [*first.trace(), *second.trace()], strict=True):
        assert np.allclose(mine.score, own.score)
    assert next(iter(merged.draws())).nodes == first.nodes
    for one, own in zip(merged.by_chain()[2:], second.by_chain(), strict=True):
        reference = merged.score.total(merged._start) + one._results[0].score_reference
        assert reference == pytest.approx(second.score.total(second._start) + own._results[0].score_reference)


def test_a_merge_with_an_interrupted_run_is_interrupted() -> None:
    other = replace(run(rng=2), _interrupted=True)
    short = [replace(r, statistics=replace(r.statistics, complete=False)) for r in other._results]
    cut, late = (run().merge(own) for own in (replace(other, _results=tuple(short)), other))
    assert cut._interrupted
    assert late._interrupted
    assert "interrupted: 8,000 of 8,000 jumps" in shortfalls(cut)[0]
    assert "interrupted when all chains had ended" in shortfalls(late)[0]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (
            lambda: run(score(1)),
            r"score: it has GaussianBIC\(4 nodes, .*, and posterior 0 has Gau",
        ),
        (lambda: run(score(penalty=2.0)), r"score: it has GaussianBIC\(4 nodes, 60 rows, penalty 2\) .*, and"),
        (
            lambda: run(cz.Uniform(NODES)),
            r"score: it has Uniform\(4 nodes\) .*, and posterior 0 has GaussianBIC",
        ),
        (lambda: run(cz.Uniform(3)), r"nodes: it has \(0, 1, 2\), and posterior 0 has \('a', 'b'"),
        (lambda: run(coldness=0.5), "coldness: it has 0.5, and posterior 0 has 1.0"),
        (
            lambda: run(edge_prior=None),
            r"edge_prior: it has \(0.0, \(\)\), and posterior 0 has \(1.38",
        ),
        (lambda: run(max_degree=2), "max_degree: it has 2, and posterior 0 has None"),
        (
            lambda: run(knowledge=cz.Knowledge(apart=[("a", "d")])),
            r"knowledge: it has never joined: a and d, and posterior 0 has None",
        ),
        (lambda: run(momentum=0.5), "momentum: it has 0.5, and posterior 0 has 1.0"),
        (lambda: run(balance="barker"), "balance: it has barker, and posterior 0 has auto"),
    ],
)
def test_differences_are_named(other: Any, words: str) -> None:
    match = "only runs with the same target and process can be merged, but posterior 2 differs in " + words
    with pytest.raises(cz.SettingsError, match=match):
        run().merge(run(rng=2), other())


def test_the_same_data_need_not_be_the_same_object() -> None:
    x = gaussian_data(3, 40)
    assert run(cz.BGe(x)).merge(run(cz.BGe(x.copy()), rng=2)).settings.chains == 4
    assert run(x, edge_prior=np.log(3)).merge(run(x, rng=2)).settings.chains == 4


def test_a_chain_cannot_be_merged_twice(tmp_path: Path) -> None:
    posterior = run(excursions=False)  # whose candidates would depend on what all chains have seen
    posterior.save(tmp_path / "a.czz")
    for twin in (posterior, cz.load(tmp_path / "a.czz"), run(excursions=False, chains=1)):
        with pytest.raises(cz.SettingsError, match="posterior 1 has a chain of posterior 0"):
            posterior.merge(twin)
    alone = [run(cz.Uniform(1), rng=seed) for seed in (1, 2)]  # with a single class, chains cannot be distinguished
    assert len(alone[0].merge(alone[1])._results) == 4


def test_user_defined_scores(tmp_path: Path) -> None:
    mine = make_score("user", 4, 50)
    assert isinstance(mine, ByLocal)
    first, second = run(mine), run(mine, rng=2)
    second.save(tmp_path / "b.czz")
    stored = cz.load(tmp_path / "b.czz")
    for merged in (first.merge(second), first.merge(stored), stored.merge(first)):
        assert merged.score is mine
        assert merged.settings.chains == 4
    run(mine, rng=3).save(tmp_path / "c.czz")
    assert stored.merge(cz.load(tmp_path / "c.czz")).settings.chains == 4
    with pytest.raises(cz.SettingsError, match="differs in score: it has ByLocal"):
        first.merge(run(make_score("user", 4, 50, seed=3), rng=2))
    with pytest.raises(cz.SettingsError, match="differs in score: it has ByLocal"):
        run(make_score("user", 4, 50, seed=3), rng=2).merge(stored)


def test_merge_needs_posteriors() -> None:
    with pytest.raises(cz.SettingsError, match=r"merge needs posteriors of cz\.sample, not 3"):
        run().merge(3)


def test_reweighted_runs_cannot_be_merged() -> None:
    first, second = run(), run(rng=2)
    words = "posterior 1 was reweighted; merge the runs as they were sampled"
    with pytest.raises(cz.SettingsError, match=words):
        first.merge(second.reweight("dags"))
    assert first.merge(second).reweight("dags").class_count >= first.class_count
