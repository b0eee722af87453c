"""What the model says and what holds when rows are resampled: one rule for consensus, table, explanation and counts.

Two exact posteriors stand for the model and for the resampled rows: of all rows of a table, and of a few of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.consensus import consensus
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.answers.pair_explanation import explain_pair
from causal_zigzag.answers.resamples.stability import stability
from causal_zigzag.answers.settled_directions import likeliest_edges, opened_arrows
from causal_zigzag.answers.weighted_classes import WeightedClasses

NODES = ("rain", "sun", "wet", "slip", "shoes")
ARROWS = [("rain", "wet"), ("sun", "wet"), ("wet", "slip"), ("shoes", "slip")]


@cache
def both() -> tuple[cz.ExactPosterior, cz.ExactPosterior]:
    table = cz.datasets.linear_gaussian(ARROWS, rows=400, rng=1)[list(NODES)]
    return cz.exact_posterior(cz.GaussianBIC(table), edge_prior=None), cz.exact_posterior(
        cz.GaussianBIC(table.iloc[:40]), edge_prior=None
    )


@cache
def classes() -> WeightedClasses:
    model, again = both()
    return replace(model._classes, resampled=again._classes)


def edges(
    arrows: dict[str, float], lines: dict[str, float], again: EdgeProbabilities | None = None
) -> EdgeProbabilities:
    """Probabilities of edges such as "ab" between single letters."""
    nodes = tuple("abc")
    directed, undirected = np.zeros((3, 3)), np.zeros((3, 3))
    for (x, y), p in arrows.items():
        directed[nodes.index(x), nodes.index(y)] = p
    for (x, y), p in lines.items():
        i, j = nodes.index(x), nodes.index(y)
        undirected[i, j] = undirected[j, i] = p
    return EdgeProbabilities(nodes, directed, undirected, again)


def test_without_resampling_nothing_is_said() -> None:
    assert stability(both()[0].edge_probabilities()) is None
    assert "again" not in " ".join(both()[0].edge_table().columns)


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.9])
def test_the_consensus_has_the_pairs_of_the_model_and_the_arrows_of_both(threshold: float) -> None:
    model, again = (one.edge_probabilities() for one in both())
    expected, lines = set(), set()
    for i, x in enumerate(model.nodes):
        for j, y in enumerate(model.nodes):
            if model.adjacent[i, j] < threshold:
                continue
            if model.directed[i, j] > 0.5 and again.directed[i, j] > 0.5:
                expected.add((x, y))
            elif not (model.directed[j, i] > 0.5 and again.directed[j, i] > 0.5):
                lines.add(frozenset((x, y)))
    graph = consensus(classes().edges, threshold)
    assert set(graph.directed_edges) == expected
    assert {frozenset(edge) for edge in graph.undirected_edges} == lines


def test_the_example_has_arrows_that_hold_and_others_that_do_not() -> None:
    found = stability(classes().edges)
    assert found is not None
    said, drawn = both()[0].consensus(), consensus(classes().edges)
    assert 0 < found.arrows_again < found.arrows == len(said.directed_edges)
    assert found.arrows_again == len(drawn.directed_edges)
    assert set(found.lost) == set(said.directed_edges) - set(drawn.directed_edges)
    assert not found.ok
    assert f"{found.arrows_again} of {found.arrows} arrows" in found.words


def test_counts_of_arrows_and_edges() -> None:
    again = edges({"ab": 0.6, "cb": 0.3}, {"ab": 0.3, "cb": 0.1})
    found = stability(edges({"ab": 0.8, "cb": 0.9}, {"ab": 0.2}, again))
    assert found == (2, 1, 2, 1, 1, 0, (("c", "b"),))
    assert found.words == (
        "1 of 2 arrows and 1 of 2 edges hold when rows are resampled; of 1 arrow with probability 0.9 or more, 0 have "
        "it again"
    )
    everything = stability(edges({"ab": 0.8}, {}, edges({"ab": 0.6}, {"ab": 0.3})))
    assert everything is not None
    assert everything.ok
    lost = stability(edges({"ab": 0.8}, {"bc": 0.7}, edges({"ba": 0.8}, {"bc": 0.7})))
    assert lost == (2, 2, 1, 0, 0, 0, (("a", "b"),))  # joined again, but the other way


def test_arrows_that_were_given_are_not_counted() -> None:
    again = edges({"ab": 1.0, "cb": 0.3}, {"cb": 0.6})
    found = stability(edges({"ab": 1.0, "cb": 0.9}, {}, again), known=[("a", "b")])
    assert found == (2, 2, 1, 0, 1, 0, (("c", "b"),))
    none = stability(edges({"ab": 1.0}, {}, edges({"ab": 1.0}, {})), known=[("a", "b")])
    assert none is not None
    assert none.words == "1 of 1 edge holds when rows are resampled; there was no arrow to test"


def test_a_cycle_of_arrows_is_opened_where_both_together_are_least_sure() -> None:
    again = edges({"ab": 0.9, "bc": 0.6, "ca": 0.9}, {})
    model = edges({"ab": 0.7, "bc": 0.9, "ca": 0.8}, {}, again)
    assert opened_arrows(model) == (("b", "c"),)
    assert opened_arrows(replace(model, again=None)) == (("a", "b"),)
    broken = replace(model, again=edges({"ab": 0.9, "cb": 0.9, "ca": 0.9}, {}))
    assert opened_arrows(broken) == ()  # b -> c does not hold, so the others are no cycle


def test_the_table_has_both() -> None:
    model, again = both()
    errors = np.full((5, 5), 0.125)
    table = classes().edges.table(None, errors)
    kinds = ["adjacent", "forward", "undirected", "backward"]
    assert list(table.columns) == ["x", "y", *kinds, *(f"{kind}_again" for kind in kinds), "mcse_again"]
    said = again.edge_table().set_index(["x", "y"])
    for row in table.to_dict("records"):
        pair, turned = (row["x"], row["y"]), False
        if pair not in said.index:
            pair, turned = pair[::-1], True
        for kind in kinds:
            other = {"forward": "backward", "backward": "forward"}.get(kind, kind) if turned else kind
            assert row[f"{kind}_again"] == said.loc[pair, other]
        assert row["mcse_again"] == 0.125
    assert table[["x", "y", *kinds]].equals(model.edge_table()[["x", "y", *kinds]])


def test_pairs_have_the_numbers_of_both() -> None:
    model, again = (one.edge_probabilities() for one in both())
    for pair in likeliest_edges(classes().edges):
        assert pair.kinds == (
            model.adjacent[pair.i, pair.j],
            model.directed[pair.i, pair.j],
            model.directed[pair.j, pair.i],
            model.undirected[pair.i, pair.j],
        )
        assert pair.again is not None
        assert pair.again.forward == again.directed[pair.i, pair.j]
        assert pair.surely_joined == min(pair.adjacent, again.adjacent[pair.i, pair.j])
        assert (pair.mark == "->") == (min(pair.forward, pair.again.forward) > 0.5)


def test_an_explanation_says_whether_the_arrow_holds() -> None:
    found = stability(classes().edges)
    assert found is not None
    lost = explain_pair(classes(), *found.lost[0])
    assert lost.holds is False
    assert f"The arrow {lost.settled} does not hold when rows are resampled." in str(lost)
    assert str(lost).splitlines()[1].startswith("When rows are resampled, they are joined with probability ")
    kept = explain_pair(classes(), *consensus(classes().edges).directed_edges[0][::-1])
    assert kept.holds is True
    assert f"The arrow {kept.settled} has more than half of all probability, and it holds" in str(kept)
    assert kept.again is not None
    assert kept.again.backward > 0.5  # asked the other way round
    alone = both()[0].explain(*found.lost[0])
    assert (alone.again, alone.holds) == (None, None)
    assert "resampled" not in str(alone)


def test_an_edge_that_is_not_joined_again_does_not_hold() -> None:
    unjoined = cz.exact_posterior(cz.Uniform(NODES), edge_prior=5.0)
    pair = explain_pair(replace(both()[0]._classes, resampled=unjoined._classes), "rain", "wet")
    assert "That they are joined does not hold when rows are resampled." in str(pair)
