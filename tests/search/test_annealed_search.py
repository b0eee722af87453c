"""Annealed search finds the best class of small targets, is never worse than greedy search, and obeys bounds."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.report.repetition import repetition
from causal_zigzag.search import annealed_search, restarts
from causal_zigzag.search.restarts import Restarts, order_plan
from causal_zigzag.target.target import Target
from experts import options
from targets import gaussian_data

NAMES = tuple("abcdefgh")


def gaussian(n: int, rows: int, seed: int, degree: float = 3.0) -> cz.GaussianBIC:
    return cz.GaussianBIC(gaussian_data(n, rows, seed, degree))


def dense(n: int = 12) -> cz.GaussianBIC:
    """A dense model, on which greedy search ends far from the best class."""
    return gaussian(n, 1000, seed=5, degree=6)


@pytest.mark.parametrize("seed", range(8))
def test_the_best_of_all_classes_of_5_nodes_is_found(seed: int) -> None:
    score = gaussian(5, 100, seed)
    for prior in ("auto", None):
        best = cz.best_graph(score, edge_prior=prior)
        found = cz.search(score, edge_prior=prior, rng=seed)
        assert found.log_weight == pytest.approx(best.log_weight, abs=1e-9)
        assert found.graph == best.graph
        assert found.times_found == 2


@pytest.mark.parametrize("walks", [True, False])
def test_the_best_class_of_12_nodes_is_found_where_greedy_search_fails(
    walks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With and without walks among orders, which are made for a few nodes only."""
    score = dense()
    if not walks:
        monkeypatch.setattr(restarts, "order_plan", lambda target: None)
    found = cz.search(score, rng=1)
    assert found.graph == cz.best_graph(score).graph
    assert found.greedy == cz.ges(score).log_weight < found.log_weight - 1


def test_walks_among_orders_are_made_where_tables_hold_all_parents() -> None:
    assert order_plan(Target.read(gaussian(17, 100, 1))) is not None
    assert order_plan(Target.read(gaussian(18, 100, 1))) is None
    assert order_plan(Target.read(gaussian(2, 100, 1))) is None


@pytest.mark.parametrize("seed", range(6))
def test_it_is_never_worse_than_greedy_search(seed: int) -> None:
    score = gaussian(20, 60, seed, degree=5)
    found = cz.search(score, restarts=1, rng=seed)
    assert found.log_weight >= cz.ges(score).log_weight
    assert found.log_weight >= max(one.polished for one in found.restarts) >= found.restarts[0].annealed
    assert found.log_weight == found.target.log_weight(found.graph)
    assert found.score == score.total(found.graph)


def test_the_seed_determines_the_result() -> None:
    score = gaussian(25, 100, 3, degree=5)
    first, again = (cz.search(score, restarts=2, rng=7) for _ in range(2))
    assert first.restarts == again.restarts
    assert first.graph == again.graph
    other = cz.search(score, restarts=2, rng=8)
    assert [one.annealed for one in other.restarts] != [one.annealed for one in first.restarts]
    assert cz.search(score, restarts=2, rng=np.random.default_rng(7)).restarts == first.restarts


def test_restarts_end_when_the_best_class_was_found_twice() -> None:
    score = gaussian(6, 200, 1)
    assert len(cz.search(score, restarts=1, rng=1).restarts) == 1
    assert len(cz.search(score, restarts=100, rng=1).restarts) == 2


def test_bounds_are_obeyed() -> None:
    score = cz.GaussianBIC.from_covariance(np.cov(gaussian_data(8, 300, 2, degree=5).T), 300, nodes=NAMES)
    free = cz.search(score, rng=1).graph
    pairs = [(x, y) for x, y in (*free.directed_edges, *free.undirected_edges)][:3]
    found = cz.search(score, max_degree=2, knowledge=cz.Knowledge(apart=pairs), rng=1).graph
    assert max(len(found.adjacent(v)) for v in NAMES) == 2
    assert all(y not in found.adjacent(x) for x, y in pairs)
    assert max(len(free.adjacent(v)) for v in NAMES) > 2


def test_edge_priors_are_obeyed() -> None:
    score = gaussian(7, 300, 2, degree=4)
    sizes = [cz.search(score, edge_prior=prior, rng=1).graph.edge_count for prior in (None, 50.0, 1e6)]
    assert sizes[0] > sizes[1] > sizes[2] == 0
    table = [0.0, 0.0, 0.0, 0.0]
    found = cz.search(score, edge_prior=table, rng=1)
    assert found.graph.edge_count == 3
    assert found.log_weight == found.score
    assert cz.search(score, edge_prior=lambda m: -abs(m - 4) * 1e6, rng=1).graph.edge_count == 4


def test_scores_of_tables_and_users() -> None:
    table = cz.datasets.load("college-plans")
    found = cz.search(table, score="bdeu", rng=1)
    assert isinstance(found.target.score, cz.BDeu)
    assert found.graph == cz.best_graph(found.target.score).graph

    class Own(cz.Score):
        inner = cz.GaussianBIC.from_covariance(np.cov(gaussian_data(4, 100, 1).T), 100, nodes=list("abcd"))

        def local(self, node: Any, parents: Any) -> float:
            return self.inner.local(node, parents)

    assert cz.search(Own(list("abcd")), rng=1).graph == cz.best_graph(Own.inner).graph


def test_one_node_and_none() -> None:
    for n in (0, 1):
        found = cz.search(cz.GaussianBIC.from_covariance(np.eye(n), 10), rng=1)
        assert (found.graph, found.restarts) == (cz.CPDAG.empty(n), ())
        assert "no restart was made, so this is the result of greedy search" in found.summary()


def test_with_many_nodes_the_first_restarts_are_greedy_and_the_next_mild(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the others hot, if these end in different classes."""
    monkeypatch.setattr(restarts, "MANY_NODES", 11)
    target = Target.read(dense())
    several = Restarts(target, cz.ges(target.score).graph)
    rng = np.random.default_rng(1)
    first = [several.make(rng) for _ in range(2)]
    assert [one.annealed for one in first] == [cz.ges(target.score).log_weight, target.log_weight(cz.CPDAG.empty(12))]
    schedules = []
    for _ in range(5):
        schedules.append(several.schedule())
        several.make(rng)
    assert [one.hot for one in schedules] == [0.2, 0.2, 0.03, 0.03, 0.03]
    assert [one.length for one in schedules] == [12 * jumps for jumps in (20, 20, 100, 100, 200)]
    assert cz.search(target.score, rng=1).graph == cz.best_graph(target.score).graph


def test_with_many_nodes_a_search_ends_when_nothing_is_gained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "MANY_NODES", 11)
    several = Restarts(Target.read(dense()), cz.CPDAG.empty(12))
    over = []
    for made in range(4):
        several.made = made
        over.append([several.is_over(gained) for gained in (True, False)])
    assert over == [[False, False], [False, False], [False, False], [False, True]]
    easy = gaussian(12, 100, 1, degree=1)
    assert len(cz.search(easy, rng=1).restarts) == 3  # greedy ones that agree are not enough
    monkeypatch.setattr(restarts, "VERY_MANY_NODES", 11)
    assert len(cz.search(easy, rng=1).restarts) == 2
    several.made = 2
    assert several.is_over(True)
    several.deadline = 1e12
    assert not several.is_over(False)


# ---- the end of a search


def test_time_that_is_up_returns_the_greedy_result_as_far_as_it_is() -> None:
    score = gaussian(30, 100, 3, degree=5)
    found = cz.search(score, minutes=1e-9, rng=1)
    assert (found.restarts, found.times_found, found.out_of_time) == ((), 0, True)
    assert found.log_weight == found.greedy == found.target.log_weight(found.graph)
    assert cz.search(gaussian(5, 100, 1), minutes=10, rng=1).times_found == 2


@pytest.mark.parametrize("ended", [0, 1])
def test_ctrl_c_returns_the_best_so_far(ended: int, monkeypatch: pytest.MonkeyPatch) -> None:
    score = gaussian(5, 100, 1)
    make = Restarts.make
    calls = []

    def interrupted(self: Restarts, rng: np.random.Generator) -> cz.Restart:
        calls.append(rng)
        if len(calls) > ended:
            raise KeyboardInterrupt
        return make(self, rng)

    monkeypatch.setattr(Restarts, "make", interrupted)
    if not ended:
        with pytest.raises(KeyboardInterrupt):
            cz.search(score, rng=1)
        return
    found = cz.search(score, rng=1)
    assert found.interrupted
    assert (len(found.restarts), found.times_found) == (1, 1)
    assert "Ctrl-C ended the search; 1 of 1 restart ended in this class; more may find a better one" in found.summary()


def test_progress_is_shown_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    score = gaussian(5, 100, 1)
    quiet = cz.search(score, rng=1, progress=False)
    assert capsys.readouterr().err == ""
    shown = cz.search(score, rng=1, progress=True)
    assert "search" in (err := capsys.readouterr().err)
    assert "log weight" in err
    assert shown.restarts == quiet.restarts


# ---- the result


def test_the_result_is_an_immutable_value() -> None:
    found = cz.search(gaussian(5, 100, 1), rng=1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.score = 0.0  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(found))
    assert (again.graph, again.restarts) == (found.graph, found.restarts)
    assert repr(found).endswith("found by 2 of 2 restarts)")


def test_a_result_of_greedy_search_is_named_so() -> None:
    found = cz.search(gaussian(5, 100, 1), rng=1)
    worse = cz.Restart(cz.CPDAG.empty(5), -1e9, -1e9)
    other = dataclasses.replace(found, restarts=(worse,))
    assert "none of 1 restart improved on greedy search, whose result this is" in other.summary()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"restarts": 0}, "restarts must be None or an integer of at least 1, not 0"),
        ({"restarts": 1.5}, "restarts must be None or an integer of at least 1, not 1.5"),
        ({"minutes": 0}, "minutes must be None or a finite number above 0, not 0"),
        ({"minutes": True}, "minutes must be None or a finite number above 0, not True"),
        ({"progress": "yes"}, "progress must be None, True or False, not 'yes'"),
        ({"rng": -1}, "rng must be None, a seed of at least 0"),
        ({"edge_prior": "none"}, 'edge_prior must be "auto", None'),
        ({"restart": 2}, "search has no argument restart; did you mean restarts?"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(cz.SettingsError, match=message):
        cz.search(gaussian(3, 100, 1), **settings)


def test_a_constant_score_has_no_best_class() -> None:
    with pytest.raises(cz.SettingsError, match=r"search .*Uniform"):
        cz.search(cz.Uniform(3))
    with pytest.raises(cz.SettingsError, match=r'start="search" maximizes a score, but .* is constant'):
        cz.sample(cz.Uniform(3), start="search")


# ---- elsewhere


def test_chains_start_at_the_result_of_a_search() -> None:
    score = dense()
    settings: dict[str, Any] = {"start": "search", "warmup": 0, "jumps": 1, "chains": 2, "progress": False}
    posterior = cz.sample(score, **options(rng=1, **settings))
    assert posterior._start == cz.best_graph(score).graph
    colder = cz.sample(score, **options(rng=1, coldness=0.01, **settings))
    assert colder._start.edge_count < posterior._start.edge_count


def test_the_name_is_the_function_also_after_imports_from_its_folder() -> None:
    code = """
import causal_zigzag.search.greedy_search
import causal_zigzag as cz
assert callable(cz.search), cz.search
from causal_zigzag.search.annealed_search import search
import causal_zigzag.search.starts
assert cz.search is search
from causal_zigzag import search as named
assert named is search
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert cz.search is annealed_search.search


def test_a_checkpoint_that_starts_at_a_search_is_continued_without_its_seed(tmp_path: Path) -> None:
    score = gaussian(5, 100, 1)
    settings: dict[str, Any] = {"start": "search", "chains": 2, "warmup": 10, "progress": False}
    cz.sample(score, **options(jumps=100, checkpoint=tmp_path, **settings))
    longer = cz.sample(score, **options(jumps=200, checkpoint=tmp_path, **settings))
    assert [one.jumps for one in longer.statistics] == [200, 200]
    assert longer.record is not None
    again = cz.sample(score, **options(jumps=200, rng=longer.record.seed, **settings))
    assert again._start == longer._start
    assert "start='search'" in repetition(longer)
