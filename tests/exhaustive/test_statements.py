"""Predefined statements hold in a class exactly if its DAGs say so, for all classes of up to 5 nodes."""

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers import statements
from causal_zigzag.answers.class_list import class_list
from score_cases import all_dags


def below(arrows: np.ndarray) -> np.ndarray:
    """Whether a directed path leads from i to j."""
    reach = arrows.astype(bool)
    for k in range(len(arrows)):
        reach |= np.outer(reach[:, k], reach[k])
    return reach


@pytest.mark.parametrize("n", [2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
def test_every_statement_in_every_class(n: int) -> None:
    in_some: dict[cz.CPDAG, np.ndarray] = defaultdict(lambda: np.zeros((n, n), dtype=bool))
    in_every: dict[cz.CPDAG, np.ndarray] = defaultdict(lambda: np.ones((n, n), dtype=bool))
    times: dict[cz.CPDAG, np.ndarray] = defaultdict(lambda: np.zeros((n, n)))
    members: dict[cz.CPDAG, int] = defaultdict(int)
    for dag in all_dags(n):
        g, reach = cz.CPDAG.from_dag(dag), below(dag)
        in_some[g] |= reach
        in_every[g] &= reach
        times[g] += reach
        members[g] += 1
    graphs = list(in_some)
    matrices = np.array([g.matrix() for g in graphs])
    b, a = np.tril_indices(n, -1)
    classes = class_list(graphs[0].labels, matrices[:, a, b] | matrices[:, b, a] << np.uint8(1))
    for x in range(n):
        for y in range(n):
            if x == y:
                continue
            forward, backward = matrices[:, x, y] > 0, matrices[:, y, x] > 0
            expected = {
                "adjacent": forward | backward,
                "directed": forward & ~backward,
                "undirected": forward & backward,
                "path": np.array([below(m & ~m.T)[x, y] for m in matrices]),
                "possible_ancestor": np.array([in_some[g][x, y] for g in graphs]),
                "certain_ancestor": np.array([in_every[g][x, y] for g in graphs]),
            }
            for name, holds in expected.items():
                assert np.array_equal(getattr(statements, name)(x, y).among(classes), holds), (name, x, y)
            share = np.array([times[g][x, y] / members[g] for g in graphs])
            np.testing.assert_allclose(cz.ancestor(x, y).shares(classes), share, atol=1e-14)
            both = ~cz.ancestor(x, y) & statements.adjacent(x, y)
            np.testing.assert_allclose(both.shares(classes), (1 - share) * expected["adjacent"], atol=1e-14)


def open_paths(dag: np.ndarray, x: int, y: int, given: set[int]) -> bool:
    """Whether a path between x and y is open, by the definition of d-separation: all paths are tried."""
    n, reach = len(dag), below(dag) | np.eye(len(dag), dtype=bool)
    joined = dag | dag.T

    def passes(u: int, v: int, w: int) -> bool:
        if dag[u, v] and dag[w, v]:
            return any(reach[v, z] for z in given)
        return v not in given

    def extend(path: list[int]) -> bool:
        last = path[-1]
        if last == y:
            return all(passes(*path[i : i + 3]) for i in range(len(path) - 2))
        return any(extend([*path, v]) for v in range(n) if joined[last, v] and v not in path)

    return extend([x])


@pytest.mark.parametrize("n", [2, 3, 4])
def test_separations_and_blankets_in_every_class(n: int) -> None:
    for dag in all_dags(n):
        g = cz.CPDAG.from_dag(dag)
        for x, y in combinations(range(n), 2):
            children = dag[x] & dag[y]
            blanket = bool(dag[x, y] or dag[y, x] or children.any())
            assert cz.in_blanket(x, y)(g) == cz.in_blanket(y, x)(g) == blanket
            others = [v for v in range(n) if v not in (x, y)]
            for size in range(n - 1):
                for given in combinations(others, size):
                    expected = not open_paths(dag, x, y, set(given))
                    assert cz.separated(x, y, given)(g) == expected, (dag, x, y, given)
