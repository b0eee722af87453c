"""A small score of every family, and the DAGs and classes for tests of scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table

FAMILIES = [
    "GaussianBIC",
    "BGe",
    "DiscreteBIC",
    "BDeu",
    "MixedBIC",
    "MixedBGe",
    "AdditiveGP",
    "BasisBIC",
    "InterventionalBGe",
    "InterventionalBDeu",
    "SetFunction",
    "user",
]


def gaussian_data(n: int, rows: int, seed: int = 0) -> NDArray[np.float64]:
    """Columns that depend on earlier columns."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, n))
    for j in range(1, n):
        x[:, j] += x[:, :j] @ (rng.normal(size=j) * (rng.random(j) < 2 / n))
    return x


def categorical_data(n: int, rows: int, levels: int = 3, seed: int = 0) -> NDArray[np.int64]:
    """Columns of at most ``levels`` levels; half of the cells copy the previous column."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, levels + 1, size=n)
    x = np.stack([rng.integers(size, size=rows) for size in sizes], axis=1)
    for j in range(1, n):
        copy = rng.random(rows) < 0.5
        x[copy, j] = x[copy, j - 1] % sizes[j]
    return x


def mixed_data(n: int, rows: int, seed: int = 0) -> dict[int, NDArray[np.generic]]:
    """Every second column is categorical."""
    numbers, codes = gaussian_data(n, rows, seed), categorical_data(n, rows, 4, seed)
    numbers[:, 1:] += codes[:, :-1]
    return {j: codes[:, j].astype(str) if j % 2 else numbers[:, j] for j in range(n)}


class ByLocal(cz.Score):
    """A user-defined score that returns the values of a built-in one and records the calls."""

    def __init__(self, inner: cz.Score) -> None:
        super().__init__(inner.nodes)
        self.inner = inner
        self.asked: list[object] = []

    def local(self, node: object, parents: object) -> float:  # type: ignore[override]
        self.asked.append((node, parents))
        return self.inner.local(node, parents)  # type: ignore[arg-type]


class ByRow(ByLocal):
    """A user-defined score that also implements ``row``."""

    def row(self, node: object, parents: object) -> NDArray[np.float64]:  # type: ignore[override]
        self.asked.append(("row", node, parents))
        return self.inner.row(node, parents)  # type: ignore[arg-type]


class OfGaussian:
    """The set function of ``GaussianBIC``: the total of a complete DAG."""

    def __init__(self, data: NDArray[np.float64]) -> None:
        self.score = cz.GaussianBIC(data)
        self.sets: list[frozenset[int]] = []

    def __call__(self, nodes: frozenset[int]) -> float:
        self.sets.append(nodes)
        order = sorted(nodes)
        return sum(self.score.local(y, order[:k]) for k, y in enumerate(order))


def make_score(family: str, n: int, rows: int, seed: int = 0) -> cz.Score:
    """A score of the family for n nodes 0..n-1."""
    if family in {"MixedBIC", "MixedBGe"}:
        return {"MixedBIC": cz.MixedBIC, "MixedBGe": cz.MixedBGe}[family](mixed_data(n, rows, seed))
    if family in {"DiscreteBIC", "BDeu"}:
        table = read_table(categorical_data(n, rows, seed=seed), kinds="categorical")
        return cz.BDeu(table, equivalent_sample_size=2.0) if family == "BDeu" else cz.DiscreteBIC(table)
    if family in {"AdditiveGP", "BasisBIC"}:
        return {"AdditiveGP": cz.AdditiveGP, "BasisBIC": cz.BasisBIC}[family](mixed_data(n, rows, seed))
    if family == "InterventionalBGe":
        conditions = {v: np.arange(rows) % (v + 2) for v in range(min(2, n - 1))}  # the first two nodes
        return cz.InterventionalBGe(dict(enumerate(gaussian_data(n, rows, seed).T)) | conditions, [*conditions])
    if family == "InterventionalBDeu":
        table = read_table(categorical_data(n, rows, seed=seed), kinds="categorical")
        return cz.InterventionalBDeu(table, range(min(2, n - 1)), {0: [n - 1]}, equivalent_sample_size=2.0)
    if family == "SetFunction":
        return cz.SetFunction(OfGaussian(gaussian_data(n, rows, seed)), n)
    if family == "user":
        return ByLocal(cz.GaussianBIC(gaussian_data(n, rows, seed)))
    return {"GaussianBIC": cz.GaussianBIC, "BGe": cz.BGe}[family](gaussian_data(n, rows, seed))


def all_dags(n: int) -> Iterator[NDArray[np.uint8]]:
    """Every DAG of n nodes, as a matrix."""
    pairs = list(itertools.combinations(range(n), 2))
    for marks in itertools.product(range(3), repeat=len(pairs)):
        dag = np.zeros((n, n), dtype=np.uint8)
        for (a, b), mark in zip(pairs, marks, strict=True):
            if mark:
                dag[(a, b) if mark == 1 else (b, a)] = 1
        if not np.linalg.matrix_power(dag.astype(np.int64), n).any():
            yield dag


def random_dag(n: int, edges_per_node: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Edges along a random order, each with the same probability."""
    order = rng.permutation(n)
    upper = np.triu(rng.random((n, n)) < 2 * edges_per_node / max(n - 1, 1), 1)
    dag = np.zeros((n, n), dtype=np.uint8)
    dag[np.ix_(order, order)] = upper
    return dag


def reverse_covered_edges(dag: NDArray[np.uint8], steps: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Another member of the class, by ``steps`` reversals of edges x -> y with pa(y) = pa(x) + x."""
    dag = dag.copy()
    for _ in range(steps):
        covered = [
            (x, y) for x, y in np.argwhere(dag) if (dag[:, y] == np.maximum(dag[:, x], _unit(len(dag), x))).all()
        ]
        if not covered:
            break
        x, y = covered[rng.integers(len(covered))]
        dag[x, y], dag[y, x] = 0, 1
    return dag


def _unit(n: int, i: int) -> NDArray[np.uint8]:
    unit = np.zeros(n, dtype=np.uint8)
    unit[i] = 1
    return unit
