"""The known graph of a bundled table is compared with the answer edge by edge."""

from __future__ import annotations

import pytest

import causal_zigzag as cz
from causal_zigzag.report.known_structure import known_structure
from causal_zigzag.report.page import page_html
from causal_zigzag.support.wording import probability

TRUTH = cz.datasets.reference_edges("farm")


def test_the_truth_of_the_demo_is_found() -> None:
    posterior = cz.sample(cz.datasets.load("farm"), jumps=20_000, rng=1)
    known = known_structure(posterior)
    assert known is not None
    assert [(edge.x, edge.y) for edge in known.edges if edge.known] == [*TRUTH]
    assert {edge.outcome for edge in known.edges} == {"yes"}
    assert known.text.endswith("direction of 9 of the edges; 9 of these are found with their direction.")
    edges = posterior.edge_probabilities()
    i, j = posterior.nodes.index("yield"), posterior.nodes.index("price")
    assert known.edges[-1].numbers[1] == probability(edges.directed[i, j])
    page = page_html(posterior)
    assert "The truth beside the answer" in page
    assert known.text in page


def test_faults_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = cz.sample(cz.datasets.load("farm"), jumps=20_000, rng=1)
    other = (("price", "yield"), ("growth", "price"), *TRUTH[:-2])  # without pests -> yield and yield -> price
    monkeypatch.setattr(cz.datasets, "reference_edges", lambda _: other)
    known = known_structure(posterior)
    assert known is not None
    found = {(edge.x, edge.y): edge.outcome for edge in known.edges}
    assert found["price", "yield"] == "yes, turned around"
    assert found["growth", "price"] == "no"
    assert [edge.outcome for edge in known.edges if not edge.known] == ["not a known edge"]
    assert "other pairs: 1." in known.text


def test_other_tables_have_none() -> None:
    for data in (cz.datasets.load("galton"), cz.datasets.load("farm")[["rain", "sun"]], cz.Uniform(3)):
        posterior = cz.sample(data, jumps=100, chains=1, rng=1)
        assert known_structure(posterior) is None
        assert "beside the answer" not in page_html(posterior)
