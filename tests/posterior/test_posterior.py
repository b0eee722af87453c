"""Posterior: shares of the time of all chains by class and by edge, with the labels of the user."""

import pickle
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers import weighted_classes
from causal_zigzag.posterior import posterior as posterior_module
from causal_zigzag.posterior.facts import facts
from causal_zigzag.report.page import page_html
from targets import gaussian_data

NODES = ["fog", "rain", "sun", "wind", "wet"]


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    score = cz.GaussianBIC.from_covariance(np.cov(gaussian_data(5, 60, seed=8).T), 60, nodes=NODES)
    return cz.sample(score, jumps=5000, chains=3, rng=4, progress=False)


def test_probabilities_of_all_classes_sum_to_1(posterior: cz.Posterior) -> None:
    top = posterior.top(posterior.class_count + 5)
    assert len(top) == posterior.class_count
    probabilities = [p for _, p, _ in top]
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) == pytest.approx(1)
    assert len({g for g, _, _ in top}) == len(top)
    assert all(posterior.probability(g) == p for g, p, _ in top[:5])
    assert posterior.top(0) == []


def test_edge_probabilities_agree_with_classes(posterior: cz.Posterior) -> None:
    directed, undirected = np.zeros((5, 5)), np.zeros((5, 5))
    for g, p, score in posterior.top(10**6):
        m = g.matrix()
        directed += p * (m & ~m.T & 1)
        undirected += p * (m & m.T)
        assert score == posterior.target.score.total(g)
    edges = posterior.edge_probabilities()
    assert np.allclose(edges.directed, directed, atol=1e-12)
    assert np.allclose(edges.undirected, undirected, atol=1e-12)
    assert np.allclose(edges.adjacent, directed + directed.T + undirected, atol=1e-12)


def test_edge_probabilities_include_the_time_in_unlisted_classes() -> None:
    posterior = cz.sample(cz.Uniform(6), jumps=2000, settings=cz.Settings(max_classes=20), rng=1, progress=False)
    assert 0 < posterior.unlisted < 1
    assert sum(p for _, p, _ in posterior.top(1000)) + posterior.unlisted == pytest.approx(1)
    assert posterior.edge_probabilities().adjacent.sum() / 2 == pytest.approx(8.5507, abs=0.5)


def test_edge_table(posterior: cz.Posterior) -> None:
    table, edges = posterior.edge_table(), posterior.edge_probabilities()
    assert list(table.columns) == ["x", "y", "adjacent", "forward", "undirected", "backward", "mcse"]
    assert len(table) == 10
    assert table["adjacent"].is_monotonic_decreasing
    for row in table.itertuples():
        i, j = NODES.index(row.x), NODES.index(row.y)
        assert (row.adjacent, row.forward, row.undirected, row.backward) == (
            edges.adjacent[i, j],
            edges.directed[i, j],
            edges.undirected[i, j],
            edges.directed[j, i],
        )
    frame = edges.frame("directed")
    assert frame.loc["sun", "wet"] == edges.directed[2, 4]
    with pytest.raises(cz.SettingsError, match=r"kind must be .*, not 'both'"):
        edges.frame("both")


def test_the_order_of_nodes_of_a_class_does_not_matter(posterior: cz.Posterior) -> None:
    g, p, _ = posterior.top(1)[0]
    order = [4, 2, 0, 1, 3]
    turned = cz.CPDAG.from_matrix(g.matrix()[np.ix_(order, order)], [NODES[i] for i in order])
    assert posterior.probability(turned) == p
    with pytest.raises(cz.SettingsError, match="fog, rain, sun, wind, wet"):
        posterior.probability(cz.CPDAG.empty(5))
    with pytest.raises(cz.SettingsError, match="probability needs a CPDAG, not 'fog'"):
        posterior.probability("fog")


def test_a_class_that_was_not_visited_has_probability_0() -> None:
    posterior = cz.sample(cz.Uniform(5), max_degree=1, jumps=100, rng=1, progress=False)
    assert posterior.probability(cz.CPDAG.complete(5)) == 0


@pytest.mark.parametrize("bad", [-1, 1.5, "3"])
def test_bad_k(posterior: cz.Posterior, bad: object) -> None:
    with pytest.raises(cz.SettingsError, match=re.escape(f"k must be an integer of at least 0, not {bad!r}")):
        posterior.top(bad)


def test_chains_are_pooled_by_time(posterior: cz.Posterior) -> None:
    parts = posterior.by_chain()
    times = np.array([np.ldexp(r.total, int(r.unit)) for r in posterior._results])
    pooled = sum(t * p.edge_probabilities().adjacent for t, p in zip(times, parts, strict=True)) / times.sum()
    assert np.allclose(posterior.edge_probabilities().adjacent, pooled)
    g = posterior.top(1)[0].graph
    assert posterior.probability(g) == pytest.approx(
        sum(t * p.probability(g) for t, p in zip(times, parts, strict=True)) / times.sum()
    )


@pytest.mark.parametrize("shift", [-1e15, -30_000.0, 30_000.0, 1e15])
def test_very_different_units_of_time_do_not_overflow(posterior: cz.Posterior, shift: float) -> None:
    first, second, third = posterior._results
    mixed = replace(posterior, _results=(replace(first, unit=first.unit + shift), second, third))
    longest = [first] if shift > 0 else [second, third]
    alone = replace(posterior, _results=tuple(longest))
    assert np.allclose(mixed.edge_probabilities().directed, alone.edge_probabilities().directed)
    assert mixed.top(1)[0].probability == pytest.approx(alone.top(1)[0].probability)
    for trace in mixed.trace():
        assert np.isfinite(trace.time).all()


def test_traces(posterior: cz.Posterior) -> None:
    for trace, result in zip(posterior.trace(), posterior._results, strict=True):
        assert 100 < len(trace.time) <= 4096
        assert np.allclose(np.diff(trace.time), trace.time[1])
        assert trace.time[-1] == pytest.approx(np.ldexp(result.total, int(result.unit)), rel=0.2)
        assert {*trace.direction.tolist()} == {-1, 1}
        assert trace.log2_unit == 0
        seen = {(g.edge_count, round(score, 6)) for g, _, score in posterior.top(10**6)}
        assert {(int(e), round(float(s), 6)) for e, s in zip(trace.edges, trace.score, strict=True)} <= seen


def test_a_trace_has_at_most_the_requested_number_of_points() -> None:
    posterior = cz.sample(cz.Uniform(5), jumps=5000, settings=cz.Settings(trace_points=50), rng=1, progress=False)
    assert all(25 <= len(t.time) <= 50 for t in posterior.trace())


def test_a_posterior_is_immutable(posterior: cz.Posterior) -> None:
    with pytest.raises(AttributeError):
        posterior._start = None
    with pytest.raises(ValueError, match="read-only"):
        posterior.edge_probabilities().directed[0, 1] = 1
    with pytest.raises(ValueError, match="read-only"):
        posterior.trace()[0].score[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        posterior._classes.edge_errors[0, 1] = 1
    table = posterior.diagnostics().table
    table["mean"] = 0.0
    assert posterior.diagnostics().table["mean"][0] > 0


def test_diagnostics_draws_and_errors_are_computed_once(
    posterior: cz.Posterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()
    fresh = replace(posterior)

    def counted(module: Any, name: str) -> None:
        function = getattr(module, name)

        def wrapper(*args: Any) -> Any:
            calls[name] += 1
            return function(*args)

        monkeypatch.setattr(module, name, wrapper)

    for name in ("diagnose", "draws_of", "listed", "weighted_classes"):
        counted(posterior_module, name)
    counted(weighted_classes, "edge_errors")
    for _ in range(2):
        fresh.diagnostics()
        fresh.edge_table()
        fresh.mcse(cz.CPDAG.empty(NODES))
        page_html(fresh)
    again = {"weighted_classes": 2}  # once more for the prior over DAGs, under which exact probabilities are known
    assert calls == dict.fromkeys(calls, 1) | again
    assert len(calls) == 5


def test_it_can_be_pickled(posterior: cz.Posterior) -> None:
    size = len(pickle.dumps(posterior))
    posterior.diagnostics()
    again = pickle.loads(pickle.dumps(posterior))
    assert again.top(3) == posterior.top(3)
    assert len(pickle.dumps(posterior)) == size  # without results that can be computed again


def test_summary_and_repr(posterior: cz.Posterior) -> None:
    title, *lines = posterior.summary().splitlines()
    assert title == "Posterior of the classes of 5 nodes"
    found = {line[:12].strip(): line[12:] for line in lines}
    assert found["score"] == f"{posterior.score!r}, coldness 1"
    assert found["prior"] == "uniform over classes"
    assert found["edge prior"] == str(posterior.target.edge_prior)
    assert found["bounds"] == "none"
    assert re.fullmatch(r"3 chains, 15,000 jumps, [\d,]+ flips after 2,400 jumps of warm-up", found["run"])
    assert re.fullmatch(r"from 0.5 of the coldness, [\d,]+ jumps before the warm-up", found["annealing"])
    assert re.fullmatch(r"\d+ made, \d+% accepted, \d+% to another class", found["excursions"])
    assert repr(posterior) == (
        "Posterior(GaussianBIC(5 nodes, 60 rows, penalty 1), edge prior exp(-1.60944) per edge (auto: by the "
        "number of pairs that can be edges), momentum 1, balance auto, coldness 1: 3 chains, 15,000 jumps, "
        f"{posterior.class_count:,} classes)"
    )
    assert re.fullmatch(r"EdgeProbabilities\(5 nodes, [\d.]+ expected edges\)", repr(posterior.edge_probabilities()))
    bounded = cz.sample(
        cz.Uniform(4),
        edge_prior=[0, 1, -2.5],
        max_degree=2,
        knowledge=cz.Knowledge(apart=[(0, 1)]),
        jumps=10,
        rng=1,
        progress=False,
    )
    found = dict(facts(bounded))
    assert found["Edge prior"] == "log weights of 0 to 2 edges, from -2.5 to 1"
    assert found["Bounds"] == "at most 2 adjacent variables per variable"
    assert found["Knowledge"] == "never joined: 0 and 1"
    assert "Refused" not in found
    assert not {"Data", "Seed", "Version", "Start", "Time"} & {*dict(facts(bounded, brief=True))}
