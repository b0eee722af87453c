"""judge: exact odds and probabilities, verdicts of pairs, tests of independences, and graphs in any form."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz

TABLE = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet"), ("wet", "ice")], rows=400, rng=1)
TRUE = [("rain", "wet"), ("sun", "wet"), ("wet", "ice")]
EXACT = cz.exact_posterior(cz.GaussianBIC(TABLE), edge_prior=None)


def test_odds_and_probabilities_are_those_of_all_classes() -> None:
    for prior in ("classes", "dags"):
        posterior = EXACT.reweight(prior)
        best = posterior.top(1)[0].probability
        for rank, (graph, p, _) in enumerate(posterior.top(30), start=1):
            for given in (graph, graph.dag()):
                found = posterior.judge(given)
                assert found.class_probability == pytest.approx(p)
                assert found.log_odds == pytest.approx(math.log(best / p), abs=1e-6)
                assert found.rank == rank
                assert found.graph == graph
            assert found.probability == pytest.approx(p / graph.count_dags())


@pytest.mark.parametrize("prior", ["classes", "dags"])
def test_a_class_that_was_not_visited_has_its_exact_odds(prior: str) -> None:
    sampled = cz.sample(cz.GaussianBIC(TABLE), edge_prior=None, jumps=20_000, rng=1).reweight(prior)
    exact = EXACT.reweight(prior)
    found, expected = sampled.judge([("rain", "sun")]), exact.judge([("rain", "sun")])
    assert found.rank is None
    assert found.log_odds == pytest.approx(expected.log_odds)
    assert found.class_probability == pytest.approx(expected.class_probability, rel=0.2)


def test_verdicts() -> None:
    found = EXACT.judge([("rain", "wet"), ("wet", "sun"), ("rain", "ice")])
    verdicts = {frozenset((row["x"], row["y"])): row["verdict"] for row in found.edges.to_dict("records")}
    assert verdicts == {
        frozenset(("rain", "ice")): "against",
        frozenset(("wet", "sun")): "reversed",
        frozenset(("wet", "ice")): "missing",
        frozenset(("rain", "wet")): "holds",
        frozenset(("rain", "sun")): "absent",
        frozenset(("sun", "ice")): "absent",
    }
    assert found.against == [("rain", "ice")]
    assert found.reversed == [("wet", "sun")]
    assert {frozenset(pair) for pair in found.missing} == {frozenset(("wet", "ice"))}
    assert not found.ok
    text = str(found)
    for part in ("rain -> ice (", "wet -> sun (", "times as probable"):
        assert part in text
    assert EXACT.judge(TRUE).ok


def test_a_line_of_the_graph_is_open_or_holds() -> None:
    posterior = cz.exact_posterior(cz.datasets.linear_gaussian([("a", "b")], rows=300, rng=1), edge_prior=None)
    assert posterior.judge("a - b").edges["verdict"][0] == "holds"
    assert posterior.judge("a -> b").edges["verdict"][0] == "open"
    assert posterior.judge("a -> b").probability == pytest.approx(posterior.judge("a - b").class_probability / 2)


def test_resampled_rows_must_agree_that_something_is_wrong() -> None:
    weak = cz.datasets.linear_gaussian([("a", "b")], rows=60, rng=4)
    weak = weak.assign(b=weak["b"] - 0.75 * weak["a"] * weak["a"].cov(weak["b"]) / weak["a"].var())
    posterior = cz.sample(weak, jumps=5000, resamples=32, rng=1)
    low, high = sorted((posterior.edge_table()["adjacent"][0], posterior.edge_table()["adjacent_again"][0]))
    verdict = posterior.judge("a -> b").edges["verdict"][0]
    assert verdict == ("against" if high < 0.5 else "unclear" if low < 0.5 else "open")
    assert math.isnan(posterior.resampled.judge("a -> b").log_odds) or posterior.resampled.judge("a -> b").rank


FORMS = {
    "networkx": nx.DiGraph(TRUE),
    "edges": TRUE,
    "lists": [list(edge) for edge in TRUE],
    "edge list": "rain -> wet <- sun, wet -> ice",
    "dot": "digraph G { rain -> wet; sun -> wet; wet -> ice; }",
    "gml": 'graph [ directed 1 node [ id 0 label "rain" ] node [ id 1 label "wet" ] node [ id 2 label "sun" ]'
    ' node [ id 3 label "ice" ] edge [ source 0 target 1 ] edge [ source 2 target 1 ] edge [ source 1 target 3 ] ]',
    "dagitty": 'dag {\nbb="0,0,1,1"\nrain [exposure,pos="0.1,0.2"]\nice [outcome]\nrain -> wet\nsun -> wet -> ice\n}',
    "dagitty on one line": "dag{ rain -> wet <- sun; wet -> ice }",
    "lavaan": "# a path model\nwet ~ a*rain + sun\nice ~ b*wet + 1\nindirect := a*b",
    "class": cz.CPDAG.from_dag(TRUE, list(TABLE.columns)),
    "frame": pd.DataFrame(
        nx.to_numpy_array(nx.DiGraph(TRUE), nodelist=TABLE.columns), index=TABLE.columns, columns=TABLE.columns
    ),
    "matrix": nx.to_numpy_array(nx.DiGraph(TRUE), nodelist=TABLE.columns),
    "list of rows": nx.to_numpy_array(nx.DiGraph(TRUE), nodelist=TABLE.columns).astype(int).tolist(),
}


class ModelOfDoWhy:
    """A CausalModel has its graph in two layers."""

    def __init__(self) -> None:
        self._graph = type("CausalGraph", (), {"_graph": nx.DiGraph(TRUE)})()


class GraphOfCausalLearn:
    graph = np.array([[0, -1, 0, 0], [1, 0, 1, -1], [0, -1, 0, 0], [0, 1, 0, 0]])

    def get_node_names(self) -> list[str]:
        return ["rain", "wet", "sun", "ice"]


FORMS |= {"dowhy": ModelOfDoWhy(), "causal-learn": type("CausalGraph", (), {"G": GraphOfCausalLearn()})()}
FORMS |= {"GES of causal-learn": {"G": GraphOfCausalLearn(), "score": 1.0}}


@pytest.mark.parametrize("form", FORMS)
def test_graphs_of_any_form(form: str) -> None:
    found = EXACT.judge(FORMS[form])
    assert found.graph == cz.CPDAG.from_dag(TRUE, EXACT.nodes)
    assert found.lacking == ()


def test_a_graph_in_a_file(tmp_path) -> None:
    (tmp_path / "my.dot").write_text(FORMS["dot"])
    assert EXACT.judge(tmp_path / "my.dot").rank == EXACT.judge(str(tmp_path / "my.dot")).rank == EXACT.judge(TRUE).rank
    with pytest.raises(cz.GraphError, match="missing"):
        EXACT.judge(tmp_path / "missing.dot")


def test_graphs_that_cannot_be_judged() -> None:
    for graph, word in [
        ("rain -> dry", "dry"),
        ([("rain", "wet"), ("wet", "rain")], "rain"),
        ([("rain", "wet"), ("wet", "ice"), ("ice", "rain")], "cycle"),
        ("dag { rain <-> wet }", "hidden"),
        ("graph [ directed 1 edge [ source 0 target 1 ] ]", "node"),
        ("wet ~ rain\nrain ~~ sun", "covariance"),
        ("wet ~ rain +", "regression"),
        ({"a": "b"}, "dict"),
        (7, "int"),
    ]:
        with pytest.raises(cz.GraphError, match=word):
            EXACT.judge(graph)


def test_names_that_are_numbers_are_found_by_their_text() -> None:
    posterior = cz.exact_posterior(cz.Uniform(3))
    assert posterior.judge("0 -> 2").lacking == (1,)


def test_knowledge_that_the_graph_contradicts() -> None:
    known = cz.Knowledge(forbidden=[("wet", "rain")])
    posterior = cz.exact_posterior(cz.GaussianBIC(TABLE), knowledge=known, edge_prior=None)
    assert not posterior.judge(TRUE).excluded
    contradicts = posterior.judge([("wet", "rain"), ("wet", "sun")])
    assert "forbids wet -> rain" in contradicts.excluded
    assert contradicts.class_probability == contradicts.probability == 0.0
    required = cz.exact_posterior(
        cz.GaussianBIC(TABLE), knowledge=cz.Knowledge(required=[("rain", "ice")]), edge_prior=None
    )
    assert "rain -> ice" in str(required.judge(TRUE))


def test_independences_are_rejected_at_their_level_where_they_hold() -> None:
    """One graph, not chosen by the rows: of 200 tables, Bonferroni rejects 10 or fewer in expectation; false alarm of
    more than 31 is below 1e-6 by the binomial distribution with 200 draws of 0.05.
    """
    rejected = 0
    for seed in range(200):
        table = cz.datasets.linear_gaussian(TRUE, rows=60, rng=seed)
        score = cz.GaussianBIC(table)
        found = cz.exact_posterior(score, edge_prior=None).judge(TRUE)
        assert len(found.independences) == 3
        rejected += bool(found.independences["violated"].any())
    assert rejected <= 31


def test_independences_of_categorical_columns_are_tested_from_a_file(tmp_path) -> None:
    data = cz.datasets.load("college-plans")
    posterior = cz.sample(data, jumps=2000, resamples=0, rng=1)
    posterior.save(tmp_path / "run.czz")
    found = cz.load(tmp_path / "run.czz").judge([(data.columns[0], data.columns[1])])
    assert found.independences["violated"].any()
    assert found.n_rows > 100


def test_without_rows_the_tests_are_left_out(tmp_path) -> None:
    cz.sample(TABLE, jumps=2000, resamples=0, rng=1).save(tmp_path / "run.czz")
    again = cz.load(tmp_path / "run.czz")
    assert again.judge(TRUE).independences is None
    assert "data=table" in str(again.judge(TRUE))
    assert len(again.judge(TRUE, data=TABLE).independences) == 3
    assert "independences" in again.judge(TRUE, data=TABLE)._repr_html_()
