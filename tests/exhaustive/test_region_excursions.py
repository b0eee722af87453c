"""Proof by linear algebra: excursions within regions leave the target invariant on all classes of 3 and 4 nodes.

The transition matrix is written out from the pieces that the core uses: the probabilities of orders of a region and of
parent sets, and the factors of the acceptance. A chain then makes the excursions of the same matrix.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import expm

from causal_zigzag._core import ChainSettings, EdgePrior, ExcursionSettings, Regions, make_chain, testing
from exhaustive.test_excursions import CASES, agrees, class_numbers, dags, slope_of
from knowledges import OF_FOUR, OF_THREE, Known
from targets import Case, all_classes, deviations, generator

Lists = list[list[int]]
TRIPLES = [[0, 1, 2], [3, 1, 0], [2, 3]]  # with nodes outside, and paths through them


def regions_of(case: Case, nodes: Lists, slope: float) -> Regions:
    barred: Lists = [[] for _ in range(case.n)]
    required: Lists = [[] for _ in range(case.n)]
    for a, b in case.apart:
        barred[b].append(a)
        barred[a].append(b)
    for x, y in case.known.barred if case.known else ():
        barred[y].append(x)
    for x, y in case.known.required if case.known else ():
        required[y].append(x)
    score = case.target.score.core_score()
    return Regions(score, nodes, case.coldness, slope, barred, required, weights_of(nodes))


def weights_of(nodes: Lists) -> list[float]:
    return [1.0 + r for r in range(len(nodes))]


def transition_matrix(case: Case, nodes: Lists, regions: Regions) -> np.ndarray:
    """Over the classes of the case, from a uniform member of each that agrees."""
    n, support = case.n, case.support()
    degree = n if case.max_degree is None else case.max_degree
    pieces = testing.RegionPieces(regions, case.target.edge_prior.core(), degree, case.known is not None)
    number = {all_classes(n).index(g): i for i, g in enumerate(support)}
    members = [
        (number[c], g) for c, g in zip(class_numbers(n), dags(n), strict=True) if c in number and agrees(case, g)
    ]
    sizes = np.bincount([owner for owner, _ in members])
    K = np.zeros((len(support), len(support)))
    for owner, g in members:
        for r, region in enumerate(nodes):
            pieces.enter(r, g)
            orders = [
                (order, pieces.log_order_probability(list(order)))
                for order in itertools.permutations(range(len(region)))
            ]
            assert sum(math.exp(log) for _, log in orders) == pytest.approx(1)
            for other, h in members:
                if not stays(g, h, region):
                    continue
                inside = [sum(1 << j for j, u in enumerate(region) if u in h[v]) for v in region]
                drawn = 0.0
                for order, log in orders:
                    if log == -math.inf:
                        continue
                    before = 0
                    for i in order:
                        log = (
                            log + pieces.log_parents_probability(i, before, inside[i])
                            if inside[i] & ~before == 0
                            else -math.inf
                        )
                        before |= 1 << i
                    drawn += math.exp(log)
                accepted = pieces.log_target_ratio(g, h) + pieces.log_extensions(g) - pieces.log_extensions(h)
                chance = min(1.0, math.exp(accepted) * sizes[owner] / sizes[other])
                K[owner, other] += drawn * chance * weights_of(nodes)[r] / sum(weights_of(nodes)) / sizes[owner]
    K[np.diag_indices(len(K))] += 1 - K.sum(axis=1)
    assert K.min() > -1e-12
    return K


def stays(g, h, region: list[int]) -> bool:
    """Whether two DAGs differ in arrows within the region only."""
    return all(g[v] == h[v] if v not in region else {*g[v]} - {*region} == {*h[v]} - {*region} for v in range(len(g)))


def check(case: Case, nodes: Lists) -> np.ndarray:
    K = transition_matrix(case, nodes, regions_of(case, nodes, slope_of(case)))
    pi = case.probabilities()
    assert abs(pi @ K - pi).max() <= 1e-12
    assert abs(pi[:, None] * K - (pi[:, None] * K).T).max() <= 1e-12  # reversible, too
    return K


@pytest.mark.parametrize("nodes", [[[0, 1, 2]], [[1, 0], [2, 1]]], ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_three_nodes(case: Case, nodes: Lists) -> None:
    K = check(Case(**{**case.__dict__, "n": 3}), nodes)
    assert np.diag(K).min() < 1 - 1e-8 or len(nodes) == 2 == len(case.apart)  # which forbids all that can change


@pytest.mark.parametrize("case", CASES[2:3], ids=str)
def test_four_nodes(case: Case) -> None:
    check(case, TRIPLES)


@pytest.mark.parametrize("known", OF_THREE, ids=str)
def test_three_nodes_with_knowledge(known: Known) -> None:
    check(Case(n=3, rows=40, known=known), [[0, 1, 2], [2, 0]])


@pytest.mark.long
@pytest.mark.parametrize("case", [*CASES, *(Case(rows=40, known=OF_FOUR[i]) for i in (11, 12, 16, 18, 20))], ids=str)
def test_four_nodes_in_every_case(case: Case) -> None:
    check(case, TRIPLES)


def test_a_chain_makes_them() -> None:
    """States at the ends of intervals, by the generator. False-alarm rate: 1e-6 for the 22 states together."""
    nodes: Lists = [[0, 1, 2], [2, 0]]
    case, rate = Case(3, rows=30, coldness=0.3, edge_prior=0.4, momentum=0.9), 30.0
    support, regions = case.support(), regions_of(case, nodes, -0.4)
    K = np.kron(transition_matrix(case, nodes, regions), np.eye(2))
    whole = generator(case).toarray() + rate * (K - np.eye(len(K)))
    settings = ChainSettings(
        score=case.score.core_score(), coldness=case.coldness, prior=EdgePrior(-0.4), momentum=case.momentum,
        seed=np.arange(1, 5, dtype=np.uint64), first_score=case.score.total(support[0]), cache_bytes=2**20,
        excursions=ExcursionSettings(regions=regions, log2_rate=math.log2(rate)),
    )  # fmt: skip
    chain = make_chain(support[0].core, settings)
    numbers = {g.core.hash: i for i, g in enumerate(support)}
    testing.set_interval(chain, -4.0)
    seen = np.zeros(2 * len(support))
    for _ in range(10_000):
        assert testing.finish_interval(chain, math.inf)
        seen[2 * numbers[chain.graph().hash] + (chain.direction < 0)] += 1
    assert np.abs(deviations(expm(whole / 16), seen)).max() < 5.5
    assert chain.statistics().excursions.changed > 1000
    here = support[numbers[chain.graph().hash]]
    assert chain.score == pytest.approx(case.score.total(here), abs=1e-9)
