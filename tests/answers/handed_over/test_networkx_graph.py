"""to_networkx of a posterior: its attributes are those of the tables, and arrows those of all DAGs."""

from __future__ import annotations

import numpy as np
import pytest

import causal_zigzag as cz
import naive

TABLE = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet"), ("wet", "ice")], rows=400, rng=1)


@pytest.mark.parametrize("knowledge", [None, cz.Knowledge(forbidden=[(1, 0)])])
def test_the_probability_of_an_arrow_is_that_of_all_dags(knowledge: cz.Knowledge | None) -> None:
    values = np.random.default_rng(1).normal(size=16)
    score = cz.SetFunction(lambda nodes: float(values[sum(1 << v for v in nodes)]), range(4))
    posterior = cz.exact_posterior(score, knowledge=knowledge, edge_prior=None)
    expected = np.zeros((4, 4))
    for cpdag, every in naive.classes(4).items():
        members = [dag for dag in every if knowledge is None or (1, 0) not in dag]
        share = posterior.probability(cz.CPDAG.from_matrix(naive.to_matrix(cpdag, 4).astype(int)))
        for dag in members:
            expected += share / len(members) * naive.to_matrix(dag, 4)
    graph = posterior.to_networkx(least=1e-9)
    for i, j in np.argwhere(expected > 1e-9).tolist():
        assert graph.edges[i, j]["probability"] == pytest.approx(expected[i, j])
    assert graph.number_of_edges() == (expected > 1e-9).sum()
    assert "mean" not in graph.edges[0, 1]  # a function of sets has no effects


def test_attributes_are_those_of_the_tables() -> None:
    posterior = cz.sample(TABLE, jumps=5000, resamples=4, rng=1)
    graph = posterior.to_networkx()
    strengths = posterior.strengths()
    assert {*graph.edges} == {*zip(strengths["cause"], strengths["outcome"], strict=True)}
    for row in strengths.to_dict("records"):
        edge = graph.edges[row["cause"], row["outcome"]]
        for name in ("probability", "mean", "sd", "lower", "upper", "probability_positive"):
            assert edge[name] == pytest.approx(row[name])
        assert edge["sign"] == ("+" if row["lower"] > 0 else "-" if row["upper"] < 0 else "±")
    pairs = posterior.edge_table().set_index(["x", "y"])
    for (x, y), row in pairs.iterrows():
        for a, b, names in ((x, y, ("forward", "backward")), (y, x, ("backward", "forward"))):
            if graph.has_edge(a, b):
                assert graph.edges[a, b]["forward"] == pytest.approx(row[names[0]])
                assert graph.edges[a, b]["backward_again"] == pytest.approx(row[f"{names[1]}_again"])


def test_the_edges_of_a_graph() -> None:
    posterior = cz.sample(TABLE, jumps=5000, resamples=0, rng=1)
    consensus = posterior.consensus()
    graph = posterior.to_networkx(consensus, standardized=True)
    assert {*graph.edges} == {*consensus.to_networkx().edges}
    assert [*graph.nodes] == [*posterior.nodes]
    assert posterior.to_networkx("rain -> wet").number_of_edges() == 1
    with pytest.raises(cz.SettingsError, match="least"):
        posterior.to_networkx(least=0)
