"""Greedy and annealed search with knowledge: every class on the way agrees, and the best agreeing one is found."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.search.starts import read_starts, scattered_starts
from causal_zigzag.target.target import Target
from known_dags import KNOWLEDGES
from local_scores import random_gaussian

SCORES = [random_gaussian(5, rows, seed) for rows, seed in ((40, 1), (200, 2), (1000, 3))]


@pytest.mark.parametrize("name", KNOWLEDGES)
@pytest.mark.parametrize("phases", [("forward", "backward"), "until-stable"])
def test_greedy_search_visits_agreeing_classes_only(name: str, phases: object) -> None:
    known = KNOWLEDGES[name]
    for score in SCORES:
        found = cz.ges(score, knowledge=known, phases=phases)
        g = found.start
        g.with_knowledge(known)
        for step in found.steps:
            g = step.operator.apply(g)
            if step.phase != "turning":  # a turn is two steps, and the class between them does not count
                g.with_knowledge(known)  # raises an error if it does not agree
        assert found.graph == g.with_knowledge(known)
        assert found.log_weight == pytest.approx(found.target.log_weight(g))


@pytest.mark.parametrize("name", KNOWLEDGES)
def test_greedy_search_ends_where_no_agreeing_neighbor_is_better(name: str) -> None:
    """Neighbors by all operators of the class, whichever of them the search leaves out."""
    known = KNOWLEDGES[name]
    for score in SCORES:
        found = cz.ges(score, knowledge=known, phases="until-stable")
        for operator in cz.list_operators(found.graph.cpdag):
            g = operator.apply(found.graph.cpdag)
            if agrees(g, known):
                assert found.target.log_weight(g) < found.log_weight + 1e-6, operator


def test_greedy_search_usually_finds_the_best_class_if_it_does_without_knowledge() -> None:
    """No more can hold: the classes that agree have local optima that all classes do not have.

    If the best class of all agrees, it is found in 647 of 649 cases up to seed 159, and otherwise the best that agrees
    in five of six. The bounds leave room for another rounding of scores.
    """
    found = {True: [0, 0], False: [0, 0]}
    for rows in (40, 200, 1000):
        for seed in range(100, 110):
            score = random_gaussian(5, rows, seed)
            free = cz.ges(score)
            if free.log_weight < cz.best_graph(score).log_weight - 1e-6:
                continue
            for known in KNOWLEDGES.values():
                best, reached = cz.best_graph(score, knowledge=known), cz.ges(score, knowledge=known)
                counts = found[agrees(free.graph, known)]
                counts[0] += reached.log_weight > best.log_weight - 1e-6
                counts[1] += 1
                assert reached.log_weight < best.log_weight + 1e-6
    assert found[True][0] >= 0.98 * found[True][1] > 80
    assert found[False][0] >= 0.75 * found[False][1] > 80


def agrees(g: cz.CPDAG, known: cz.Knowledge) -> bool:
    try:
        g.with_knowledge(known)
    except cz.KnowledgeError:
        return False
    return True


@pytest.mark.parametrize("name", KNOWLEDGES)
def test_the_best_agreeing_class_is_found(name: str) -> None:
    """Where the unrestricted searches find the best class, the restricted one does as well."""
    known = KNOWLEDGES[name]
    compared = 0
    for score in SCORES[::2]:
        if cz.search(score, rng=1).log_weight < cz.best_graph(score).log_weight - 1e-6:
            continue
        best = cz.best_graph(score, knowledge=known)
        found = cz.search(score, knowledge=known, rng=1)
        assert found.log_weight == pytest.approx(best.log_weight, abs=1e-6)
        assert found.graph == best.graph or found.score == pytest.approx(best.score)
        assert all(restart.graph.knowledge == known for restart in found.restarts)
        assert found.log_weight >= found.greedy
        compared += 1
    assert compared


def test_every_start_agrees() -> None:
    score = random_gaussian(6, 100, 7)
    known = cz.Knowledge(tiers=[[0, 1], [2], [3, 4]], required=[(0, 2), (5, 4)], forbidden=[(1, 4), (3, 5)])
    target = Target.read(score, knowledge=known)
    entropy = np.arange(8, dtype=np.uint32)
    assert target.sparsest().edge_count == 2
    starts = scattered_starts(target, 8, entropy)
    for word in (None, "empty", "ges", "search"):
        starts += read_starts(word, target, 1, entropy)
    for start in starts:
        start.with_knowledge(known)  # raises an error if it does not agree
    edges = starts[1].edge_count
    assert len({*starts[2:8]}) == 6
    assert [g.edge_count for g in starts[2:8]] == [edges] * 6


def test_random_starts_obey_all_knowledges() -> None:
    for known in KNOWLEDGES.values():
        target = Target.read(cz.Uniform(7), knowledge=known, max_degree=3)
        for start in scattered_starts(target, 6, np.arange(8, dtype=np.uint32)):
            start.with_knowledge(known)
            assert max(len(start.adjacent(v)) for v in range(7)) <= 3


def test_a_start_that_does_not_agree_is_refused_with_the_reason() -> None:
    score = random_gaussian(3, 100, 7)
    known = cz.Knowledge(tiers=[[2], ...])
    collider = cz.CPDAG.from_dag([(0, 2), (1, 2)])
    message = "start does not agree with the knowledge: all DAGs of the class have . -> 2, which the knowledge forbids"
    with pytest.raises(cz.KnowledgeError, match=message):
        cz.ges(score, knowledge=known, start=collider)
    with pytest.raises(cz.KnowledgeError, match=message):
        cz.sample(score, knowledge=known, start=collider)
    with pytest.raises(cz.KnowledgeError, match="0 -> 1"):
        cz.sample(score, knowledge=cz.Knowledge(required=[(0, 1)]), start=cz.CPDAG.empty(3))


def test_a_restricted_graph_is_a_start() -> None:
    score = random_gaussian(4, 100, 7)
    known = KNOWLEDGES["tiers"]
    found = cz.ges(score, knowledge=known)
    assert cz.ges(score, knowledge=known, start=found.graph).graph == found.graph
    assert f"knowledge   {known}" in found.summary()
    assert f"knowledge {known}" in repr(found)
    assert f"knowledge {known}" in repr(cz.search(score, knowledge=known, rng=1))
    posterior = cz.sample(score, knowledge=known, start=found.graph, jumps=200, chains=1, rng=1)
    assert posterior._start == found.graph.cpdag
