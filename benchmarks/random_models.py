"""Data from random linear Gaussian models."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def linear_gaussian(n: int, rows: int, seed: int, degree: float = 3.0) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Rows from a random linear Gaussian model with this average degree, and the matrix of its DAG."""
    rng = np.random.default_rng(seed)
    data = np.empty((rows, n))
    dag = np.zeros((n, n), dtype=np.uint8)
    order = rng.permutation(n)
    for i, v in enumerate(order):
        parents = order[:i][rng.random(i) < degree / (n - 1)]
        dag[parents, v] = 1
        weights = rng.uniform(0.4, 1.0, len(parents)) * rng.choice([-1, 1], len(parents))
        data[:, v] = rng.normal(size=rows) + data[:, parents] @ weights
        data[:, v] /= data[:, v].std()  # otherwise variances grow along the order and reveal it
    return data, dag


def erdos_renyi(n: int, rows: int, seed: int, degree: float = 3.0) -> tuple[NDArray[np.float64], int]:
    """The same rows, and the number of edges."""
    data, dag = linear_gaussian(n, rows, seed, degree)
    return data, int(dag.sum())


def distance(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> int:
    """The number of pairs of nodes whose edge differs between two graphs."""
    return int(np.triu((a != b) | (a.T != b.T), 1).sum())
