"""Exact answers with contexts are sums over DAGs in which the contexts are given, so their scores do not count."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import causal_zigzag as cz

EXACT = 1e-12


def series(rows: int = 60) -> dict[str, list[float]]:
    rng = np.random.default_rng(5)
    x = np.zeros((rows, 2))
    for t in range(1, rows):
        x[t] = x[t - 1] @ [[0.5, 0.4], [0.0, 0.3]] + rng.normal(size=2)
        x[t, 1] += 0.4 * x[t, 0]
    return {"x": x[:, 0].tolist(), "y": x[:, 1].tolist()}


def given_dags(explained: tuple[str, ...], contexts: tuple[str, ...]) -> list[list[tuple[str, str]]]:
    """All DAGs of two nodes that are explained, with arrows from the contexts."""
    a, b = explained
    subsets = [sub for k in range(len(contexts) + 1) for sub in itertools.combinations(contexts, k)]
    return [
        [*between, *((c, a) for c in of_a), *((c, b) for c in of_b)]
        for between in ([], [(a, b)], [(b, a)])
        for of_a in subsets
        for of_b in subsets
    ]


def cost_by_pairs(explained: tuple[str, ...], contexts: tuple[str, ...]) -> float:
    """Half the log of twice the number of pairs that an edge joins in some DAG, and of the nodes that are explained."""
    pairs = {frozenset(arrow) for dag in given_dags(explained, contexts) for arrow in dag}
    return float(np.log(2 * len(pairs) + len(explained)) / 2)


def enumerated(score: cz.Score, contexts: tuple[str, ...], cost: float) -> dict[cz.CPDAG, float]:
    """The probability of each class, from the local scores of the nodes that are explained alone."""
    explained = tuple(v for v in score.nodes if v not in contexts)
    logs: dict[cz.CPDAG, float] = {}
    for arrows in given_dags(explained, contexts):
        dag = np.zeros((len(score.nodes), len(score.nodes)), dtype=np.uint8)
        for x, y in arrows:
            dag[score.nodes.index(x), score.nodes.index(y)] = 1
        total = sum(score.local(v, [x for x, y in arrows if y == v]) for v in explained)
        g = cz.CPDAG.from_dag(dag, score.nodes)
        assert logs.setdefault(g, total - cost * len(arrows)) == pytest.approx(total - cost * len(arrows), abs=1e-9)
    weights = {g: np.exp(log - max(logs.values())) for g, log in logs.items()}
    return {g: weight / sum(weights.values()) for g, weight in weights.items()}


@pytest.mark.parametrize("kind", [cz.GaussianBIC, cz.BGe])
def test_the_past_is_given_and_its_scores_do_not_count(kind: type[cz.Score]) -> None:
    table = cz.lagged(series(), lags=1)
    posterior = cz.exact_posterior(table, edge_prior="auto") if kind is cz.GaussianBIC else None
    if posterior is None:
        known = cz.Knowledge.contexts(table.contexts)
        posterior = cz.exact_posterior(kind(table), edge_prior="auto", knowledge=known)
    cost = posterior.target.edge_prior.cost
    assert cost == pytest.approx(cost_by_pairs(("x", "y"), table.contexts))
    expected = enumerated(kind(table), table.contexts, cost)
    assert posterior.class_count == len(expected)
    for g, probability in expected.items():
        assert posterior.probability(g) == pytest.approx(probability, abs=EXACT)


@pytest.mark.parametrize("targets", [None, {"drug": ["x"]}])
@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_two_variables_under_two_conditions(kind: str, targets: dict[str, list[str]] | None) -> None:
    rng = np.random.default_rng(8)
    drug, site = np.repeat([0, 1], 40), np.tile([0, 1, 2, 0], 20)
    x = rng.normal(size=80) * np.where(drug == 1, 0.5, 1.0)
    y = 0.6 * x + rng.normal(size=80) + 0.3 * site
    columns = {"x": x, "y": y} if kind == "numbers" else {"x": x > 0, "y": y > 0}
    table = cz.read_table(columns | {"drug": drug, "site": site}, contexts=["drug", "site"], targets=targets)
    posterior = cz.exact_posterior(table, edge_prior="auto")
    score, cost = posterior.target.score, posterior.target.edge_prior.cost
    categories = cz.InterventionalBDeu if targets else cz.BDeu
    assert type(score) is (cz.InterventionalBGe if kind == "numbers" else categories)
    assert cost == pytest.approx(cost_by_pairs(("x", "y"), ("site",) if targets else ("drug", "site")))
    expected = enumerated(score, ("drug", "site"), cost)
    if targets:  # the drug acts on x, and on nothing else
        expected = {g: p for g, p in expected.items() if "x" in g.adjacent("drug") and "y" not in g.adjacent("drug")}
        expected = {g: p / sum(expected.values()) for g, p in expected.items()}
    assert posterior.class_count == len(expected)
    for g, probability in expected.items():
        assert posterior.probability(g) == pytest.approx(probability, abs=EXACT)
    acts = posterior.acts_on().set_index(["condition", "variable"])["probability"]
    for condition in ("drug", "site"):
        joined = sum(p for g, p in expected.items() if condition in g.adjacent("y"))
        assert acts[condition, "y"] == pytest.approx(joined, abs=EXACT)


def test_over_time_adds_up_the_classes() -> None:
    table = cz.lagged(series(), lags=1)
    expected = enumerated(cz.GaussianBIC(table), table.contexts, 0.0)
    known = cz.Knowledge.contexts(table.contexts)
    weighted = [(g.with_knowledge(known), p) for g, p in expected.items()]
    for row in cz.exact_posterior(table, edge_prior=None).over_time().to_dict("records"):
        past, within = (f"{row['cause']}[t-1]", row["outcome"]), (row["cause"], row["outcome"])
        arrow = past if row["lag"] else within
        probability = sum(p for g, p in weighted if arrow in g.directed_edges)
        at_any_lag = sum(p for g, p in weighted if {within, past} & {*g.directed_edges})
        line = sum(p for g, p in weighted if {*arrow} in [{*edge} for edge in g.undirected_edges])
        assert row["probability"] == pytest.approx(probability, abs=EXACT)
        assert row["any_lag"] == pytest.approx(at_any_lag, abs=EXACT)
        assert row["open"] == pytest.approx(line, abs=EXACT)
