"""next_experiment against its definition, by all DAGs of all classes of 4 nodes, with and without knowledge."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

import causal_zigzag as cz
import naive

COLUMNS = ["target", "information", "arrows", "open_after", "probability_open"]


def random_score(n: int, seed: int) -> cz.SetFunction:
    """A score-equivalent score of which many classes are probable."""
    values = np.random.default_rng(seed).normal(size=1 << n)
    return cz.SetFunction(lambda nodes: float(values[sum(1 << v for v in nodes)]), range(n))


def by_definition(posterior: cz.ExactPosterior, knowledge: cz.Knowledge | None) -> dict[int, list[float]]:
    """Group the members of each class by the parents of the target; a line is a pair with both directions."""
    n = len(posterior.nodes)
    rows: dict[int, list[float]] = {v: [0.0] * 4 for v in range(n)}
    for cpdag, every in naive.classes(n).items():
        required = () if knowledge is None else knowledge.required
        forbidden = () if knowledge is None else knowledge.forbidden
        members = [dag for dag in every if {*required} <= dag and not {*forbidden} & dag]
        if not members:
            continue
        share = posterior.probability(cz.CPDAG.from_matrix(naive.to_matrix(cpdag, n).astype(int)))

        def lines(some: list[naive.Graph]) -> set[frozenset[int]]:
            seen = frozenset[tuple[int, int]]().union(*some)
            return {frozenset(pair) for pair in seen if pair[::-1] in seen}

        before = lines(members)
        for v in range(n):
            groups = defaultdict(list)
            for dag in members:
                groups[frozenset(x for x, y in dag if y == v)].append(dag)
            shares = [len(group) / len(members) for group in groups.values()]
            after = sum(p * len(lines(group)) for p, group in zip(shares, groups.values(), strict=True))
            rows[v][0] -= share * sum(p * math.log2(p) for p in shares)
            rows[v][1] += share * (len(before) - after)
            rows[v][2] += share * after
            rows[v][3] += share * any(v in line for line in before)
    return rows


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "knowledge", [None, cz.Knowledge(required=[(0, 1)]), cz.Knowledge(forbidden=[(2, 0), (2, 1), (3, 0)])]
)
def test_every_number_is_that_of_the_definition(seed: int, knowledge: cz.Knowledge | None) -> None:
    posterior = cz.exact_posterior(random_score(4, seed), knowledge=knowledge, edge_prior=None)
    found = posterior.next_experiment()
    assert list(found.columns) == COLUMNS
    for v, expected in by_definition(posterior, knowledge).items():
        row = found[found["target"] == v].iloc[0]
        np.testing.assert_allclose(row[COLUMNS[1:]].to_numpy(dtype=float), expected, atol=1e-12)
    assert found["information"].is_monotonic_decreasing


def test_the_middle_of_a_long_path_says_most() -> None:
    edges = [(v, v + 1) for v in range(8)]
    table = cz.datasets.linear_gaussian(edges, rows=3000, rng=1)
    found = cz.sample(table, jumps=20_000, resamples=0, rng=1).next_experiment()
    assert found["target"][0] in (3, 4, 5)
    of_the_path = -sum(p * math.log2(p) for p in (4 / 9, 4 / 9, 1 / 9))  # the root is left, right or the target
    assert 0.9 * of_the_path < found["information"][0] < 1.1 * of_the_path


def test_only_candidates_are_listed_and_conditions_are_not() -> None:
    table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=300, rng=1).assign(drug=[0, 1] * 150)
    posterior = cz.sample(table, contexts=["drug"], jumps=5000, resamples=0, rng=1)
    assert {*posterior.next_experiment()["target"]} == {"a", "b", "c"}
    assert list(posterior.next_experiment(["c"])["target"]) == ["c"]
    assert list(posterior.next_experiment("c")["target"]) == ["c"]
    with pytest.raises(cz.SettingsError, match="drug"):
        posterior.next_experiment(["drug"])
    with pytest.raises(cz.GraphError, match="nobody"):
        posterior.next_experiment(["nobody"])
