"""Scores for tests of exact methods: arbitrary tables of local scores, and random data."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

import causal_zigzag as cz


class TableScore(cz.Score):
    """Any local score for any set of parents: drawn once, looked up by node and parents. Not score-equivalent."""

    def __init__(self, n: int, scale: float, seed: int) -> None:
        super().__init__(n)
        rng = np.random.default_rng(seed)
        self.values = scale * rng.normal(size=(n, 2**n))  # the columns of sets with the node itself are not used

    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        return float(self.values[node, sum(1 << p for p in parents)])


def random_gaussian(n: int, rows: int, seed: int) -> cz.GaussianBIC:
    """A linear model with an edge between half of the pairs, along a random order."""
    rng = np.random.default_rng(seed)
    coefficients = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.5), 1)
    noise = rng.normal(size=(rows, n))
    columns = noise @ np.linalg.inv(np.eye(n) - coefficients)
    return cz.GaussianBIC(columns[:, rng.permutation(n)])
