"""Answers of a sampled posterior with knowledge: about the agreeing DAGs of each class, as the exact ones are."""

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from experts import options
from known_dags import agrees
from local_scores import random_gaussian

KNOWN = cz.Knowledge(tiers=[[0, 1], [2], ...], required=[(0, 2)], forbidden=[(3, 4)])


@pytest.fixture(scope="module")
def pair() -> tuple[cz.Posterior, cz.ExactPosterior]:
    score = random_gaussian(5, 60, seed=4)
    sampled = cz.sample(score, knowledge=KNOWN, edge_prior=None, jumps=60_000, rng=1)
    return sampled, cz.exact_posterior(score, knowledge=KNOWN, edge_prior=None)


def test_the_occupied_classes_agree(pair: tuple[cz.Posterior, cz.ExactPosterior]) -> None:
    sampled, exact = pair
    assert sampled.class_count > 20
    for found in sampled.top(sampled.class_count):
        assert isinstance(found.graph, cz.MPDAG)
        assert exact.probability(found.graph) > 0
        assert sampled.probability(found.graph) == found.probability == sampled.probability(found.graph.cpdag)
        assert found.graph in sampled.credible_set(1.0)


STATEMENTS = {
    "directed": cz.statements.directed(0, 3),
    "undirected": cz.statements.undirected(0, 1),
    "path": cz.statements.path(0, 4),
    "possible": cz.statements.possible_ancestor(1, 4),
    "certain": cz.statements.certain_ancestor(1, 4),
    "blanket": cz.statements.in_blanket(1, 4),
    "separated": cz.statements.separated(1, 4, given=[2]),
    "function": lambda g: len(g.undirected_edges) == 0,
}


@pytest.mark.parametrize("name", STATEMENTS)
@pytest.mark.parametrize("prior", ["classes", "dags"])
def test_statements(pair: tuple[cz.Posterior, cz.ExactPosterior], name: str, prior: str) -> None:
    """Within 0.03; the probabilities vary by about 0.005 between seeds."""
    sampled, exact = (one.reweight(prior) for one in pair)
    assert sampled.probability_that(STATEMENTS[name]) == pytest.approx(
        exact.probability_that(STATEMENTS[name]), abs=0.03
    )


@pytest.mark.parametrize("prior", ["classes", "dags", "function"])
def test_edges(pair: tuple[cz.Posterior, cz.ExactPosterior], prior: str) -> None:
    weight: str | Callable[[cz.MPDAG], float] = (
        (lambda g: -0.5 * len(g.undirected_edges)) if prior == "function" else prior
    )
    sampled, exact = (one.reweight(weight) for one in pair)
    for kind in ("directed", "undirected"):
        difference = getattr(sampled.edge_probabilities(), kind) - getattr(exact.edge_probabilities(), kind)
        assert np.abs(difference).max() < 0.03
    assert sampled.edge_table()["forward"].max() <= 1 + 1e-12


def test_forbidden_arrows_have_no_probability_and_required_ones_have_all(
    pair: tuple[cz.Posterior, cz.ExactPosterior],
) -> None:
    forbidden, required = KNOWN.arrows(5)
    for one in pair:
        edges = one.edge_probabilities()
        for x, y in forbidden:
            assert edges.directed[x, y] == 0
            assert (edges.undirected[x, y] == 0) or (y, x) not in forbidden
            assert edges.undirected[x, y] == 0
        for x, y in required:
            assert edges.directed[x, y] == pytest.approx(1)


def test_drawn_dags_agree(pair: tuple[cz.Posterior, cz.ExactPosterior]) -> None:
    for one in pair:
        assert all(agrees(dag.astype(bool), KNOWN) for dag in one.sample_dags(300, rng=1))


def test_over_dags_edges_are_those_of_all_agreeing_dags(pair: tuple[cz.Posterior, cz.ExactPosterior]) -> None:
    sampled, _ = pair
    exact = cz.exact_edge_posterior(sampled.score, knowledge=KNOWN, edge_prior=None)
    assert sampled.check_exact().largest_difference < 0.03
    drawn = sampled.reweight("dags").sample_dags(4000, rng=3).mean(axis=0)
    assert np.abs(drawn - exact.directed).max() < 0.05


def test_consensus_and_draws(pair: tuple[cz.Posterior, cz.ExactPosterior]) -> None:
    sampled, _ = pair
    graph = sampled.consensus()
    assert 2 in graph.children(0)
    draws = sampled.draws()
    assert next(iter(draws)).knowledge == KNOWN
    assert draws.indicator(0, 2, "directed").all()
    top = sampled.top(1)[0].graph
    assert draws.values(top).mean() == pytest.approx(sampled.probability(top), abs=0.05)


def test_diagnostics_are_about_the_restricted_classes(pair: tuple[cz.Posterior, cz.ExactPosterior]) -> None:
    found = pair[0].diagnostics()
    assert found.ok, found.verdict
    over_dags = pair[0].reweight("dags").diagnostics()
    assert over_dags.ok, over_dags.verdict


def test_files_words_and_reports(pair: tuple[cz.Posterior, cz.ExactPosterior], tmp_path: Path) -> None:
    sampled, exact = pair
    words = "tiers: 0, 1 before 2 before all others; required: 0 -> 2; forbidden: 3 -> 4"
    assert f"knowledge   {words}" in sampled.summary()
    assert f"knowledge   {words}" in exact.summary()
    assert words in repr(exact)
    assert words in repr(sampled)
    assert "before all others" in sampled._repr_html_()
    sampled.save(tmp_path / "run.czz")
    loaded = cz.load(tmp_path / "run.czz")
    assert loaded.target.knowledge == KNOWN
    assert loaded.top(3) == sampled.top(3)
    assert (loaded.edge_probabilities().directed == sampled.edge_probabilities().directed).all()
    sampled.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "tiers: 0, 1 before 2 before all others" in text
    assert "From knowledge alone" in text
    assert "What was given as known" in text
    refused = sum(s.refused for s in sampled.statistics)
    assert refused > 0
    assert f"refused     {refused:,} proposals" in sampled.summary()
    assert f"{refused:,} proposals" in text
    assert [s.refused for s in loaded.statistics] == [s.refused for s in sampled.statistics]
    assert "knowledge=cz.Knowledge(tiers=[[0, 1], [2], ...], required=[(0, 2)], forbidden=[(3, 4)])" in text
    assert len(sampled.plot()) == 5


def test_runs_with_another_knowledge_are_not_merged() -> None:
    score = random_gaussian(5, 60, seed=4)
    runs = [cz.sample(score, knowledge=k, jumps=100, chains=1, rng=i) for i, k in enumerate((KNOWN, None))]
    with pytest.raises(cz.SettingsError, match="differs in knowledge: it has None"):
        runs[0].merge(runs[1])


def test_checkpoints_and_processes(tmp_path: Path) -> None:
    score = random_gaussian(5, 60, seed=4)
    given = {"knowledge": KNOWN, "jumps": 400, "warmup": 50, "chains": 2, "rng": 1}
    plain = cz.sample(score, **options(**given))
    short = cz.sample(score, **options(**{**given, "jumps": 200}, checkpoint=tmp_path / "run"))
    assert short.target.knowledge == KNOWN
    assert cz.resume(tmp_path / "run", jumps=400).top(3) == plain.top(3)
    with pytest.raises(cz.CheckpointError, match="knowledge was"):
        cz.sample(score, **options(**{**given, "knowledge": None}, checkpoint=tmp_path / "run"))
    with ProcessPoolExecutor(1) as pool:
        assert cz.sample(score, **options(**given, executor=pool)).top(3) == plain.top(3)


def test_it_is_given_as_json_on_the_command_line(tmp_path: Path) -> None:
    cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=200, rng=1).to_csv(tmp_path / "t.csv", index=False)
    command = [sys.executable, "-m", "causal_zigzag", "sample", str(tmp_path / "t.csv"), "--tiers", "a;...", "--jumps"]
    run = subprocess.run([*command, "500", "--seed", "1", "--json"], capture_output=True, check=True, text=True)
    found = json.loads(run.stdout)
    assert found["knowledge"] == "tiers: a before all others"
    forward = {(edge["x"], edge["y"]): edge["forward"] for edge in found["edges"]}
    assert forward["a", "b"] == pytest.approx(1.0)
