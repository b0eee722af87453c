"""Chains that make excursions within regions: they change the graph step by step, and all that follows from it."""

import math

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag._core import Chain, ExcursionSettings, OrderTables, Regions, testing
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target
from knowledges import tiers
from targets import gaussian_data

SEED = np.arange(1, 5, dtype=np.uint64)


def never(n: int) -> tuple[tuple[int, int], ...]:
    return tuple((v, v + 1) for v in range(0, n - 1, 3))


def knowledge(n: int) -> cz.Knowledge:
    third = n // 3
    arrows = tiers(tuple(range(third)), tuple(range(third, n)))
    return cz.Knowledge(forbidden=[*arrows, (0, 1)], required=[(0, third), (n - 1, n - 2)])


TARGETS = {
    "plain": {"edge_prior": "auto"},
    "bounds": {"edge_prior": 2.5, "max_degree": 5, "knowledge": lambda n: cz.Knowledge(apart=never(n))},
    "table": {"edge_prior": lambda m: -0.002 * m**1.5, "max_degree": 7},
    "knowledge": {"edge_prior": 2.0, "knowledge": knowledge},
}


def regions_of(target: Target, correlation: np.ndarray) -> Regions:
    """Of each node with the six most correlated ones."""
    n = len(target.nodes)
    barred: list[list[int]] = [[] for _ in range(n)]
    required: list[list[int]] = [[] for _ in range(n)]
    for x, y in target.forbidden_arrows:
        barred[y].append(x)
    for x, y in target.required_arrows:
        required[y].append(x)
    nodes = [np.argsort(-row)[:7].tolist() for row in np.abs(correlation)]
    return Regions(target.score.core_score(), nodes, target.coldness, -1.0, barred, required)


class Cased:
    """A chain near equilibrium that makes about one excursion per jump."""

    def __init__(self, n: int, name: str) -> None:
        data = gaussian_data(n, 600, seed=n)
        given = {key: value(n) if key == "knowledge" else value for key, value in TARGETS[name].items()}
        self.target = Target.read(cz.GaussianBIC(data), 0.1, **given)
        self.regions = regions_of(self.target, np.corrcoef(data, rowvar=False))
        self.chain = self.make()
        self.chain.run(3 * n, math.inf)
        self.chain.forget()
        self.chain.run(200, math.inf)
        state = self.chain.statistics()
        rate = math.log2(state.jumps / state.time.expected) - state.unit
        self.excursions = ExcursionSettings(regions=self.regions, log2_rate=rate, most=5000)
        self.chain.set_excursions(self.excursions)

    def make(self, saved: bytes | None = None, **fields: object) -> Chain:
        settings = RunSettings(balance="auto", max_classes=1000, trace_points=64)
        start = self.target.sparsest()
        return make_chain(self.target, settings, start, SEED, saved, sqrt_weight=0.03, **fields)


CASES = [*((n, name) for n in (20, 140) for name in TARGETS), *((520, name) for name in ("plain", "bounds"))]


@pytest.mark.parametrize(("n", "name"), CASES)
def test_the_state_is_correct_after_excursions(n: int, name: str) -> None:
    """Accepted ones and rejected ones, after which the chain goes back, come between the jumps."""
    case = Cased(n, name)
    chain, target = case.chain, case.target
    first = target.score.total(target.sparsest())
    for _ in range(6):
        chain.run(100, math.inf)
        assert testing.audit(chain) == ""
        graph = cz.CPDAG.from_matrix(chain.graph().matrix())
        assert chain.score == pytest.approx(target.score.total(graph) - first, rel=1e-9, abs=1e-6)
        assert max(len(graph.adjacent(v)) for v in graph.nodes) <= (target.max_degree or n)
    made = chain.statistics().excursions
    assert made.changed > 0
    assert made.made - made.accepted > 10


@pytest.mark.parametrize("name", TARGETS)
def test_a_saved_chain_continues(name: str) -> None:
    case = Cased(140, name)
    case.chain.run(300, math.inf)
    again = case.make(case.chain.save(), excursions=case.excursions)
    for one in (case.chain, again):
        one.run(300, math.inf)
    assert again.save() == case.chain.save()


def test_a_saved_chain_with_knowledge_and_order_excursions_continues() -> None:
    """The lists that excursions start from do not depend on the path: a known arrow may become compelled, and back.

    The seed is one with which lists in the order of the changes lead to other counts.
    """
    n, seed = 10, 24
    rng = np.random.default_rng(seed)
    data = gaussian_data(n, 200, seed=seed)
    first = rng.permutation(n).tolist()
    never = [(first[j], first[i]) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.12]
    target = Target.read(cz.GaussianBIC(data), 0.05, edge_prior=0.0, knowledge=cz.Knowledge(forbidden=never))
    nearest = np.argsort(-np.abs(np.corrcoef(data, rowvar=False)))
    candidates = [[u for u in row.tolist() if u != v and (u, v) not in never][:5] for v, row in enumerate(nearest)]
    tables = OrderTables(target.score.core_score(), candidates, n, target.coldness, -1.0, [[] for _ in range(n)])
    settings = RunSettings(balance="auto", max_classes=1000, trace_points=64)
    start = target.sparsest()
    chain = make_chain(target, settings, start, SEED, sqrt_weight=0.03)
    chain.run(200, math.inf)
    state = chain.statistics()
    rate = math.log2(state.jumps / state.time.expected) - state.unit + 1
    excursions = ExcursionSettings(tables=tables, steps=10, window=4, log2_rate=rate, most=10**9)
    chain.set_excursions(excursions)
    for _ in range(6):
        chain.run(30, math.inf)
        again = make_chain(target, settings, start, SEED, chain.save(), sqrt_weight=0.03, excursions=excursions)
        for one in (chain, again):
            one.run(60, math.inf)
        assert again.save() == chain.save()
