"""Which score for which relations: exact probabilities of adjacencies of simulated tables, compared with the truth.

    OPENBLAS_NUM_THREADS=1 python benchmarks/models.py > benchmarks/models.txt

Random DAGs of 8 nodes with two neighbours per node on average. A column is a sum of functions of its parents, scaled to
variance 1, plus noise. ``exact_edge_posterior`` sums over all DAGs, with the default edge prior, so there is no Monte
Carlo error. A number is the sum over the 28 pairs of the squared difference between the probability of an adjacency and
the truth (0 or 1), averaged over the tables; the best of a line has a star. The last line has CPU seconds per table.
"of ranks" is GaussianBIC of normal scores, and "not ranked" AdditiveGP of the columns themselves.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz

Array = NDArray[np.float64]
NODES, DEGREE = 8, 2.0
FUNCTIONS: list[Callable[[Array], Array]] = [
    lambda x: np.sin(2 * x),
    lambda x: x**2,
    lambda x: np.tanh(2 * x),
    np.abs,
]
SCORES: dict[str, Callable[[Array], cz.Score]] = {
    "GaussianBIC": cz.GaussianBIC,
    "of ranks": lambda x: cz.GaussianBIC(cz.read_table(x, transform="normal-scores")),
    "BGe": cz.BGe,
    "BasisBIC": cz.BasisBIC,
    "AdditiveGP": cz.AdditiveGP,
    "not ranked": lambda x: cz.AdditiveGP(x, transform=None),
}
RELATIONS = ("linear", "curved", "products")
NOISES = ("normal", "t3", "exponential")
CASES = [
    ("linear", "normal", False),
    ("linear", "normal", True),
    ("linear", "t3", False),
    ("linear", "exponential", False),
    ("curved", "normal", False),
    ("curved", "t3", False),
    ("products", "normal", False),
]
"""Relations, noise, and whether the exponentials of the columns are observed."""


def noise(kind: str, rows: int, rng: np.random.Generator) -> Array:
    """Noise of variance 1."""
    if kind == "normal":
        return rng.normal(size=rows)
    return rng.standard_t(3, size=rows) / np.sqrt(3) if kind == "t3" else rng.exponential(size=rows) - 1


def table(relation: str, kind: str, exponentials: bool, rows: int, seed: int) -> tuple[Array, NDArray[np.uint8]]:
    """Simulated columns, and the DAG that made them."""
    rng = np.random.default_rng([seed, rows, RELATIONS.index(relation), NOISES.index(kind)])
    dag = cz.datasets.random_dag(NODES, DEGREE, rng=rng)
    columns = np.zeros((rows, NODES))
    waiting = [*range(NODES)]
    while waiting:
        y = next(v for v in waiting if not any(dag[u, v] for u in waiting))
        waiting.remove(y)
        parents = np.flatnonzero(dag[:, y])
        columns[:, y] = noise(kind, rows, rng)
        if not len(parents):
            continue
        if relation == "products" and len(parents) > 1:
            signal = np.prod(columns[:, parents], axis=1)
        else:
            shapes = [np.asarray] * 4 if relation == "linear" else FUNCTIONS
            signs = rng.choice([-1.0, 1.0], size=len(parents))
            parts = [s * shapes[rng.integers(4)](columns[:, p]) for s, p in zip(signs, parents, strict=True)]
            signal = np.sum([part / part.std() for part in parts], axis=0)
        columns[:, y] += signal / signal.std()
        columns[:, y] /= columns[:, y].std()
    return np.exp(columns) if exponentials else columns, dag


def compare(tables: int) -> None:
    """Print one line per kind of table and number of rows."""
    pairs = np.triu_indices(NODES, 1)
    print(f"\n{NODES} nodes, {tables} tables per line: sum of squared errors of the adjacencies\n")
    print(f"{'':34}" + "".join(f"{name:>13}" for name in SCORES))
    seconds = dict.fromkeys(SCORES, 0.0)
    for relation, kind, exponentials in CASES:
        for rows in (100, 300, 1000):
            errors = dict.fromkeys(SCORES, 0.0)
            for seed in range(tables):
                data, dag = table(relation, kind, exponentials, rows, seed)
                joined = (dag + dag.T)[pairs]
                for name, make in SCORES.items():
                    begun = process_time()
                    found = cz.exact_edge_posterior(make(data), edge_prior="auto").adjacent[pairs]
                    seconds[name] += process_time() - begun
                    errors[name] += float(((found - joined) ** 2).sum()) / tables
            best = min(errors.values())
            cells = "".join(f"{f'{error:.2f}':>12}{'*' if error == best else ' '}" for error in errors.values())
            words = f"{relation}, {kind} noise{', exp' if exponentials else ''}"
            print(f"{words:28}{rows:6}{cells}")
    each = len(CASES) * 3 * tables
    print(f"\n{'CPU seconds per table':34}" + "".join(f"{total / each:>12.3f} " for total in seconds.values()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Scores for curved, skewed and heavy-tailed tables")
    parser.add_argument("--tables", type=int, default=20)
    given = parser.parse_args()
    print(machine())
    compare(given.tables)
