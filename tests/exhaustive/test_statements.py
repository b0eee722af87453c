"""Predefined statements hold in a class exactly if its DAGs say so, for all classes of up to 5 nodes."""

from collections import defaultdict

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers import statements
from causal_zigzag.answers.statements import class_list
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
    for dag in all_dags(n):
        g, reach = cz.CPDAG.from_dag(dag), below(dag)
        in_some[g] |= reach
        in_every[g] &= reach
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
                "ancestor": np.array([in_every[g][x, y] for g in graphs]),
            }
            for name, holds in expected.items():
                assert np.array_equal(getattr(statements, name)(x, y).among(classes), holds), (name, x, y)
