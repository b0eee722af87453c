"""The graphs of a page share one layout, and no edge passes behind a node, whatever the controls show."""

from __future__ import annotations

import pytest

import causal_zigzag as cz
from causal_zigzag.report.graph_view import drawings
from hidden_edges import hidden


@pytest.mark.parametrize("name", ["farm", "sachs"])
def test_edges_of_all_classes_and_thresholds_pass_around_nodes(name: str) -> None:
    posterior = cz.sample(cz.datasets.load(name), jumps=20_000, chains=2, rng=1)
    drawn = drawings(posterior)
    assert len(drawn.classes) == 6
    for one in (drawn.consensus, *drawn.classes, drawn.every):
        assert hidden(one) == 0
        assert one.boxes == drawn.consensus.boxes
    assert len(drawn.consensus.curves) == posterior.consensus().edge_count < len(drawn.every.curves)


def test_classes_with_edges_that_the_consensus_lacks() -> None:
    """Weak relations between many variables: most edges of classes are not in the consensus, and are routed later."""
    table = cz.datasets.linear_gaussian(cz.datasets.random_dag(14, 3.0, rng=2), 40, rng=2)
    drawn = drawings(cz.sample(table, jumps=20_000, chains=2, rng=1))
    assert sum(len(one.curves) for one in drawn.classes) > 0
    assert len(drawn.every.curves) > 30
    assert hidden(drawn.every) == 0
