"""How often does check_model reject a model that holds, and one that does not?

    OPENBLAS_NUM_THREADS=1 python benchmarks/model_check.py > benchmarks/model_check.txt

Random DAGs of six nodes with two neighbours per node on average, 500 rows, default prior; a figure is the percentage of
tables that are rejected. The model holds for *linear* tables; for *mixed* ones, in which three of the nodes are
categories of two or three levels without parents; for *levels*, whose probabilities are drawn from
Dirichlet distributions with a concentration of 1, which have many weak edges; and for *prior*, drawn from the prior of
BDeu with an equivalent sample size of 10, which the score has as well. It does not hold for *curved* tables, and for
*forbidden*: levels, if the strongest edge of the graph that was found is forbidden.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz

NODES, ROWS, DEGREE = 6, 500, 2.0
CURVES = (lambda x: np.sin(2 * x), np.square, np.tanh, np.abs)
SCORES = {
    "linear": "gaussian-bic",
    "mixed": "mixed-bic",
    "levels": "bdeu",
    "prior": lambda table: cz.BDeu(table, equivalent_sample_size=10),
    "curved": "gaussian-bic",
    "forbidden": "bdeu",
}


def columns(kind: str, rng: np.random.Generator) -> dict[str, NDArray[np.generic]]:
    """A simulated table; parents have smaller numbers than their children."""
    dag = np.triu(rng.random((NODES, NODES)) < DEGREE / (NODES - 1), 1)
    made: list[NDArray[np.float64]] = []
    sizes = rng.integers(2, 4, size=NODES)
    levels = np.arange(NODES) < {"linear": 0, "curved": 0, "mixed": 3}.get(kind, NODES)
    for y in range(NODES):
        parents = np.flatnonzero(dag[:, y] & ~(levels[y] & (kind == "mixed"))).tolist()
        if levels[y]:
            place = np.zeros(ROWS, dtype=np.intp)
            for p in parents:
                place = place * sizes[p] + made[p].astype(np.intp)
            count = int(np.prod(sizes[parents], initial=1))
            weight = 10 / (count * sizes[y]) if kind == "prior" else 1.0
            below = np.cumsum(rng.dirichlet(np.full(sizes[y], weight), size=count), axis=1)
            made.append((rng.random((ROWS, 1)) > below[place, :-1]).sum(axis=1).astype(float))
            continue
        value = rng.uniform(0.5, 1) * rng.normal(size=ROWS)
        for p in parents:
            if levels[p]:
                value += rng.permutation(np.arange(sizes[p]) * rng.uniform(0.5, 1.5))[made[p].astype(np.intp)]
            else:
                shape = CURVES[rng.integers(4)] if kind == "curved" else np.asarray
                value += rng.choice([-1, 1]) * rng.uniform(0.5, 1.5) * shape(made[p])
        made.append(value / value.std())
    return {f"v{y}": made[y].astype(int).astype(str) if levels[y] else made[y] for y in range(NODES)}


def rejected(kind: str, seed: int) -> bool:
    """Whether the model of one table is rejected."""
    rng = np.random.default_rng([seed, [*SCORES].index(kind)])
    data = columns(kind, rng)
    while any(len(np.unique(column)) < 2 for column in data.values()):
        data = columns(kind, rng)
    make, options = SCORES[kind], {"jumps": 2000, "chains": 1, "rng": seed, "progress": False}
    score = make(data) if callable(make) else make
    run = cz.sample(score, **options) if callable(make) else cz.sample(data, score, **options)
    if kind == "forbidden":
        table = run.edge_table()
        run = cz.sample(data, score, knowledge=cz.Knowledge(apart=[(table["x"][0], table["y"][0])]), **options)
    return not run.check_model(data).ok


def main() -> None:
    """Print one line per kind of table."""
    parser = argparse.ArgumentParser(description="Calibration and power of check_model")
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--kinds", nargs="*", default=[*SCORES])
    given = parser.parse_args()
    print(machine())
    print(f"\n{given.tables} tables per line: percentage that check_model rejects, with standard errors\n")
    for kind in given.kinds:
        begun = process_time()
        share = np.mean([rejected(kind, seed) for seed in range(given.tables)])
        error = np.sqrt(share * (1 - share) / given.tables)
        seconds = (process_time() - begun) / given.tables
        print(f"{kind:12}{100 * share:>8.1f} ± {100 * error:.1f}{seconds:>12.2f} CPU s per table", flush=True)


if __name__ == "__main__":
    main()
