"""Exact answers with knowledge equal sums over all agreeing DAGs, found one by one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import causal_zigzag as cz
from known_dags import KNOWLEDGES, agreeing, all_dags, class_numbers, shared_edges
from local_scores import TableScore, random_gaussian

EXACT = 1e-12


def totals(score: cz.Score, dags: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The score of each DAG."""
    known: dict[tuple[int, bytes], float] = {}
    found = np.zeros(len(dags))
    for i, dag in enumerate(dags):
        for y in range(dag.shape[1]):
            key = (y, dag[:, y].tobytes())
            if key not in known:
                known[key] = score.local(y, np.flatnonzero(dag[:, y]).tolist())
            found[i] += known[key]
    return found


@cache
def scored(kind: str, n: int) -> tuple[cz.Score, NDArray[np.float64]]:
    score = random_gaussian(n, 50, seed=n) if kind == "gaussian" else TableScore(n, 2.0, seed=n)
    return score, totals(score, all_dags(n))


def normalized(log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


@pytest.mark.parametrize("name", KNOWLEDGES)
@pytest.mark.parametrize("n", [4, pytest.param(5, marks=pytest.mark.long)])
@pytest.mark.parametrize(("prior", "cost"), [("classes", None), ("dags", None), ("classes", 1.3), ("dags", -0.4)])
def test_the_posterior_over_classes(name: str, n: int, prior: str, cost: float | None) -> None:
    score, scores = scored("gaussian", n)
    agree = agreeing(n, name)
    dags, (of, classes) = all_dags(n)[agree], class_numbers(n)
    of = of[agree]
    posterior = cz.exact_posterior(score, prior=prior, edge_prior=cost, knowledge=KNOWLEDGES[name])

    log_weights = scores[agree] - (cost or 0) * dags.sum(axis=(1, 2))
    found, first, sizes = np.unique(of, return_index=True, return_counts=True)
    assert posterior.class_count == len(found)
    probabilities = normalized(log_weights[first] + (np.log(sizes) if prior == "dags" else 0))
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    for number, probability, size in zip(found, probabilities, sizes, strict=True):
        assert posterior.probability(classes[number]) == pytest.approx(probability, abs=EXACT)
        edges = shared_edges(dags[of == number])
        directed += probability * (edges & ~edges.T)
        undirected += probability * (edges & edges.T)
        assert size == posterior.sizes[posterior.codes == _code(classes[number])][0]
    assert np.abs(posterior.edge_probabilities().directed - directed).max() < EXACT
    assert np.abs(posterior.edge_probabilities().undirected - undirected).max() < EXACT
    others = [classes[number] for number in sorted({*range(len(classes))} - {*found.tolist()})]
    assert all(posterior.probability(g) == 0 for g in others[:50])


def _code(g: cz.CPDAG) -> int:
    m = g.matrix().astype(int)
    return sum((m[a, b] + 2 * m[b, a]) << (b * (b - 1) + 2 * a) for b in range(len(m)) for a in range(b))


@pytest.mark.parametrize("name", KNOWLEDGES)
@pytest.mark.parametrize("kind", ["gaussian", "table"])
@pytest.mark.parametrize("n", [4, pytest.param(5, marks=pytest.mark.long)])
def test_edges_and_paths_over_dags(name: str, kind: str, n: int) -> None:
    score, scores = scored(kind, n)
    agree = agreeing(n, name)
    dags = all_dags(n)[agree]
    weights = normalized(0.7 * scores[agree] - 0.3 * dags.sum(axis=(1, 2)))
    paths = dags
    for _ in range(n):
        paths = paths | (paths @ dags)
    edges = cz.exact_edge_posterior(score, edge_prior=0.3, coldness=0.7, knowledge=KNOWLEDGES[name])
    assert np.abs(edges.directed - np.tensordot(weights, dags, 1)).max() < EXACT
    assert np.abs(edges.path - np.tensordot(weights, paths, 1)).max() < EXACT


@pytest.mark.parametrize("name", KNOWLEDGES)
@pytest.mark.parametrize("kind", ["gaussian", "table"])
@pytest.mark.parametrize("n", [4, pytest.param(5, marks=pytest.mark.long)])
def test_the_best_graph(name: str, kind: str, n: int) -> None:
    score, scores = scored(kind, n)
    agree = agreeing(n, name)
    dags = all_dags(n)[agree]
    best = cz.best_graph(score, edge_prior=0.5, knowledge=KNOWLEDGES[name])
    log_weights = scores[agree] - 0.5 * dags.sum(axis=(1, 2))
    assert best.log_weight == pytest.approx(log_weights.max(), rel=EXACT)
    number = class_numbers(n)[0][agree][log_weights.argmax()]
    members = dags[class_numbers(n)[0][agree] == number]
    assert (best.graph.matrix() == shared_edges(members)).all()


def test_over_dags_a_score_may_differ_within_a_class() -> None:
    """The weight of a class is the mean over its agreeing DAGs."""
    score, scores = scored("table", 4)
    agree = agreeing(4, "tiers")
    posterior = cz.exact_posterior(score, prior="dags", knowledge=KNOWLEDGES["tiers"], edge_prior=None)
    weights = normalized(scores[agree])
    of, classes = class_numbers(4)
    for number in np.unique(of[agree]):
        expected = weights[of[agree] == number].sum()
        assert posterior.probability(classes[number]) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("name", KNOWLEDGES)
@pytest.mark.parametrize("prior", ["classes", "dags"])
def test_ancestors_over_agreeing_dags(name: str, prior: str) -> None:
    n = 4
    score, _ = scored("gaussian", n)
    agree = agreeing(n, name)
    dags, (of, classes) = all_dags(n)[agree], class_numbers(n)
    paths = dags
    for _ in range(n):
        paths = paths | (paths @ dags)
    posterior = cz.exact_posterior(score, prior=prior, knowledge=KNOWLEDGES[name], edge_prior=None)
    expected = np.zeros((n, n))
    for number in np.unique(of[agree]):
        below = paths[of[agree] == number].mean(axis=0)
        expected += posterior.probability(classes[number]) * below
        g = classes[number].with_knowledge(KNOWLEDGES[name])
        assert cz.ancestor(0, 3).share(g) == pytest.approx(below[0, 3], abs=EXACT)
    found = posterior.ancestors().to_numpy()
    off = ~np.eye(n, dtype=bool)
    assert np.abs(found - expected)[off].max() < EXACT
    assert posterior.probability_that(cz.ancestor(0, 3)) == pytest.approx(expected[0, 3], abs=EXACT)
    # an effect averages over the parents of its cause
    effect = posterior.effect(0, 3)
    assert effect.probability_nonzero == pytest.approx(expected[0, 3], abs=1e-9)
    shares = dict(zip(effect.components["parents"], effect.components["probability"], strict=True))
    weights = np.zeros(len(dags))
    for number in np.unique(of[agree]):
        inside = of[agree] == number
        weights[inside] = posterior.probability(classes[number]) / inside.sum()
    given = posterior.target.restriction.conditions if posterior.target.restriction is not None else []
    if 0 in given:  # the effect of a condition is adjusted for those other conditions that are above the outcome
        above = [tuple(v for v in sorted(given) if v != 0 and reach[v, 3]) for reach in paths]
        for parents in {*above}:
            same = np.array([own == parents for own in above]) & paths[:, 0, 3]
            assert shares.pop(parents, 0.0) == pytest.approx(weights[same].sum(), abs=EXACT)
        assert {*shares} <= {None}
        return
    for parents, share in shares.items():
        if parents is None:  # 0 is not an ancestor of 3
            assert share == pytest.approx(1 - expected[0, 3], abs=EXACT)
            continue
        same = (dags[:, :, 0] == np.isin(np.arange(n), [*parents])).all(axis=1) & paths[:, 0, 3]
        assert weights[same].sum() == pytest.approx(share, abs=EXACT)


def test_pairs_apart_leave_whole_classes() -> None:
    """Without other knowledge the classes stay CPDAGs; all answers are those of the posterior without these pairs."""
    score, pairs = random_gaussian(4, 50, 3), [(0, 1), (3, 1)]
    known, free = cz.Knowledge(apart=pairs), cz.exact_posterior(score)
    found = cz.exact_posterior(score, knowledge=known)
    left = {g: p for g, p, _ in free.top(200) if not any(y in g.adjacent(x) for x, y in pairs)}
    assert found.class_count == len(left)
    for g, p in left.items():
        assert found.probability(g) == pytest.approx(p / sum(left.values()))
    over_dags = cz.exact_posterior(score, knowledge=known, prior="dags").edge_probabilities().adjacent
    np.testing.assert_allclose(cz.exact_edge_posterior(score, knowledge=known).adjacent, over_dags, atol=1e-10)
    best = cz.best_graph(score, knowledge=known).graph
    assert best == cz.search(score, knowledge=known, rng=1).graph == found.top(1)[0].graph
    assert isinstance(best, cz.CPDAG)
    sampled = cz.sample(score, knowledge=known, jumps=20_000, rng=1)
    assert abs(sampled.edge_probabilities().adjacent - found.edge_probabilities().adjacent).max() < 0.05
    assert sampled.explain(0, 1).known
