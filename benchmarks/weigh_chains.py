"""Chains in different modes: the largest error of an adjacency, chains weighted by time and by the masses of regions.

    OMP_NUM_THREADS=1 python benchmarks/weigh_chains.py

Each line has the errors of four seeds. The exact probabilities are sums over all DAGs, or over all classes of six nodes
that keep the degree bound. Where chains agree both are the same. Where each chain stays in its mode, weights help if
some chain has found the best one: at a coldness of 3, and under a degree bound, with which excursions are not accepted.
They do not help if none has (a noisy parity of 5 among 14 coins), or if chains wander in a mode too wide to be
weighed by its best classes (without excursions).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag.exact.all_classes import pair_marks

SEEDS, JUMPS = range(4), 400_000  # of all chains together


def main() -> None:
    """Print a line per target and number of chains."""
    warnings.simplefilter("ignore", cz.SamplingWarning)
    print(machine())
    print(f"{'target':<38} {'chains':>6}  by time                   by mass")
    sachs = cz.GaussianBIC(cz.datasets.load("sachs-log"))
    six = cz.GaussianBIC(cz.datasets.load("sachs-log").iloc[:, [0, 1, 5, 6, 7, 8]])
    exact = cz.exact_edge_posterior(sachs, edge_prior="auto").adjacent
    cold = cz.exact_edge_posterior(sachs, edge_prior="auto", coldness=3.0).adjacent
    coins = cz.DiscreteBIC(parity(1000, 14, seed=1))
    for chains in (4, 16):
        errors("Sachs log", sachs, exact, chains)
        errors("Sachs log, coldness=3", sachs, cold, chains, coldness=3.0)
        errors("Sachs log, excursions=False", sachs, exact, chains, settings=cz.Settings(excursions=False))
        errors("six columns of it, max_degree=3", six, bounded(six, 3), chains, max_degree=3)
        errors("parity of 5 among 14", coins, cz.exact_edge_posterior(coins, edge_prior="auto").adjacent, chains)


def errors(name: str, score: cz.Score, truth: NDArray[np.float64], chains: int, **options: Any) -> None:
    """One line: the largest errors of all seeds."""
    found: list[list[str]] = [[], []]
    for seed in SEEDS:
        run = cz.sample(score, jumps=JUMPS // chains, chains=chains, rng=seed, progress=False, **options)
        for column, posterior in zip(found, (run, run.weigh_chains()), strict=True):
            same = posterior if "max_degree" in options else posterior.reweight("dags")
            column.append(f"{abs(same.edge_probabilities().adjacent - truth).max():.3f}")
    print(f"{name:<38} {chains:>6}  {' '.join(found[0])}   {' '.join(found[1])}", flush=True)


def bounded(score: cz.Score, most: int) -> NDArray[np.float64]:
    """The exact adjacencies over all classes of six nodes in which no node has more than ``most`` adjacent nodes."""
    posterior, nodes = cz.exact_posterior(score, edge_prior="auto"), len(score.nodes)
    joined = {(a, b): marks > 0 for a, b, marks in pair_marks(posterior.codes, nodes)}
    degrees = [sum(there for pair, there in joined.items() if v in pair) for v in range(nodes)]
    kept = np.max(degrees, axis=0) <= most
    logs = np.where(kept, posterior.log_weights, -np.inf)
    weights = np.exp(logs - logs.max())
    adjacent = np.zeros((nodes, nodes))
    for (a, b), there in joined.items():
        adjacent[a, b] = adjacent[b, a] = weights[there].sum() / weights.sum()
    return adjacent


def parity(rows: int, columns: int, seed: int) -> pd.DataFrame:
    """Four coins, their parity with an error rate of one in ten, and further coins."""
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, (rows, columns - 1))
    child = (coins[:, :4].sum(axis=1) + (rng.random(rows) < 0.1)) % 2
    return pd.DataFrame(np.column_stack([coins, child]), columns=[f"c{i}" for i in range(columns)]).astype(str)


if __name__ == "__main__":
    main()
