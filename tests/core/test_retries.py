"""Climbing and retries of the core: each step is a valid operator with its gain, and at the end no retry gains."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag import _core
from causal_zigzag.graphs.operators import named_operator
from causal_zigzag.target.target import Target
from targets import gaussian_data

CLIMBING, RETRYING = 3, 4
LEAST = 1e-6


def make(target: Target) -> _core.Greedy:
    score = target.score.core_score()
    assert score is not None
    n = len(target.nodes)
    return _core.make_greedy(
        start=target.sparsest().core,
        score=score,
        prior=target.edge_prior.core(target.coldness),
        max_degree=n if target.max_degree is None else target.max_degree,
        forbidden=target.apart,
    )


def finish(search: _core.Greedy) -> None:
    for phase in (CLIMBING, RETRYING):
        while not search.run(phase, 1.0):
            pass


def replay(target: Target, search: _core.Greedy) -> cz.CPDAG:
    """The last class of the steps, each of which must be valid and have its gain."""
    graph = target.sparsest()
    for operator, gain in search.steps():
        step = named_operator(operator, graph.labels)
        assert step.is_valid(graph)
        following = step.apply(graph)
        assert target.log_weight(following) - target.log_weight(graph) == pytest.approx(gain, abs=LEAST)
        graph = following
    assert graph == cz.CPDAG.from_core(search.graph(), graph.labels)
    return graph


def reversals(graph: cz.CPDAG, banned: tuple[object, object] | None = None) -> Iterator[cz.CPDAG]:
    """The classes after a reversal of y -> x, with the parents of x and a clique of neighbors above y as they are.

    No reversal leads to the ``banned`` arrow.
    """
    for y, x in graph.directed_edges:
        if (x, y) == banned:
            continue
        remove = cz.Delete(y, x, heads=tuple(set(graph.neighbors(x)) & set(graph.adjacent(y))))
        without = remove.apply(graph)
        for op in cz.list_operators(without):
            if isinstance(op, cz.Insert) and (op.x, op.y) == (x, y):
                common = set(without.neighbors(y)) & set(without.adjacent(x))
                parents = {*without.parents(y), *common, *op.tails}
                if set(graph.parents(y)) <= parents <= {*graph.parents(y), *graph.neighbors(y)}:
                    yield op.apply(without)


def best(target: Target, graph: cz.CPDAG, others: Iterator[cz.CPDAG]) -> cz.CPDAG | None:
    found = max(set(others), key=target.log_weight, default=graph)
    return found if target.log_weight(found) > target.log_weight(graph) + LEAST else None


def climb(target: Target, graph: cz.CPDAG, banned: tuple[object, object]) -> cz.CPDAG:
    """Delete, else reverse, else insert."""
    while True:
        operators = list(cz.list_operators(graph))
        inserts = (op for op in operators if isinstance(op, cz.Insert) and (op.x, op.y) != banned)
        following = (
            best(target, graph, (op.apply(graph) for op in operators if isinstance(op, cz.Delete)))
            or best(target, graph, reversals(graph, banned))
            or best(target, graph, (op.apply(graph) for op in inserts))
        )
        if following is None:
            return graph
        graph = following


@pytest.mark.parametrize("seed", range(20))
def test_no_retry_gains_at_the_end(seed: int) -> None:
    target = Target.read(cz.GaussianBIC(gaussian_data(6, 60, seed, degree=4)), edge_prior=None)
    search = make(target)
    finish(search)
    graph = replay(target, search)
    for op in cz.list_operators(graph):
        if isinstance(op, cz.Delete):
            reached = climb(target, op.apply(graph), (op.x, op.y))
            assert target.log_weight(reached) <= target.log_weight(graph) + LEAST


@pytest.mark.parametrize("seed", range(30))
def test_steps_are_valid_and_lead_to_a_local_optimum(seed: int) -> None:
    """With bounds and priors of several kinds."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 14))
    pairs: list[tuple[int, int]] = [(0, 1), (2, 3)] if seed % 3 == 0 else []
    target = Target.read(
        cz.GaussianBIC(gaussian_data(n, int(rng.integers(30, 300)), seed, degree=5)),
        edge_prior=(None, "auto", [0.0] * 12, lambda m: -0.1 * m * m)[seed % 4],
        max_degree=3 if seed % 5 == 0 else None,
        knowledge=cz.Knowledge(apart=pairs),
    )
    search = make(target)
    finish(search)
    graph = replay(target, search)
    assert all(y not in graph.adjacent(x) for x, y in pairs)
    around = {
        op.apply(graph)
        for op in cz.list_operators(graph, target.max_degree)
        if isinstance(op, cz.Delete) or ((op.x, op.y) not in pairs and (op.y, op.x) not in pairs)
    }
    around |= set(reversals(graph))
    assert max(target.log_weight(g) for g in around) <= target.log_weight(graph) + LEAST


def test_node_sets_of_both_widths_take_the_same_steps() -> None:
    """Nodes that no edge can join widen the sets, and change nothing else."""
    data = gaussian_data(40, 400, 1, degree=4)
    narrow = Target.read(cz.GaussianBIC(data), edge_prior=5.0)
    alone = np.random.default_rng(1).normal(size=(400, 260))
    wide = Target.read(
        cz.GaussianBIC(np.hstack([data, alone])),
        edge_prior=5.0,
        knowledge=cz.Knowledge(apart=[(a, b) for b in range(40, 300) for a in range(b)]),
    )
    steps = []
    for target in (narrow, wide):
        search = make(target)
        finish(search)
        steps.append(search.steps())
    assert [op for op, _ in steps[0]] == [op for op, _ in steps[1]]
    assert len(steps[0]) > 40


def test_time_that_is_up_leaves_the_best_so_far() -> None:
    target = Target.read(cz.GaussianBIC(gaussian_data(30, 300, 1, degree=5)))
    search = make(target)
    assert not search.run(CLIMBING, 0.0)
    assert search.steps() == []
    while not search.run(CLIMBING, 1.0):
        pass
    before = math.fsum(gain for _, gain in search.steps())
    assert not search.run(RETRYING, 0.0)
    assert math.fsum(gain for _, gain in search.steps()) == before
