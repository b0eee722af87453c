"""Compares the balances: how precise open pairs are on large sparse tables, and how right answers are on rugged ones.

    python benchmarks/balance.py [--runs 4] [--seeds 6]

First table: linear Gaussian data on random graphs. All chains begin in the class that a search has found, without
annealing, so that the balances differ in nothing but how fast they mix. The figure is the root mean square, over the
pairs with a mean probability between 0.05 and 0.95, of the standard deviation of the probability over some runs of four
chains with 200,000 jumps each. Second table: real tables whose posteriors have many modes, with annealing. The figure
is the mean over seeds of the largest difference of an adjacency from its exact probability under the uniform prior over
DAGs. "weight" is the c of auto, averaged over chains; the balances of a line have the same number of jumps.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np
from common import machine
from random_models import linear_gaussian
from sklearn.datasets import load_diabetes, load_wine

import causal_zigzag as cz

BALANCES = ("sqrt", "metropolis", "barker", "auto")
SPARSE = ((30, 3, 500), (100, 4, 1000), (200, 4, 1000))  # nodes, average degree, rows
JUMPS = 200_000


def weight(posterior: cz.Posterior) -> float:
    """The mean weight of sqrt; not a number for other balances than auto."""
    return float(np.mean([np.nan if s.sqrt_weight is None else s.sqrt_weight for s in posterior.statistics]))


def precision(n: int, degree: float, rows: int, runs: int) -> None:
    """One line of the first table per balance."""
    data, _ = linear_gaussian(n, rows, 1, degree)
    best = cz.search(data, rng=1).graph
    for balance in BALANCES:
        begun = process_time()
        found = [
            cz.sample(
                data,
                balance=balance,
                start=best,
                settings=cz.Settings(anneal=False),
                jumps=JUMPS,
                rng=seed,
                progress=False,
            )
            for seed in range(runs)
        ]
        spent = (process_time() - begun) / runs
        adjacent = np.array([one.edge_probabilities().adjacent[np.triu_indices(n, 1)] for one in found])
        mean, sd = adjacent.mean(axis=0), adjacent.std(axis=0, ddof=1)
        is_open = (mean > 0.05) & (mean < 0.95)
        error = float(np.sqrt((sd[is_open] ** 2).mean()))
        print(
            f"{n:>9} {balance:<12} {is_open.sum():>5} {error:>8.4f} {spent:>7.1f} {weight(found[0]):>8.4f}", flush=True
        )


def rugged() -> Iterator[tuple[str, Any]]:
    """Names and tables of the second table."""
    for name in ("sachs-log", "sachs"):
        yield name, cz.datasets.load(name)
    for name, load in (("wine", load_wine), ("diabetes", load_diabetes)):
        yield name, load(as_frame=True).frame


def accuracy(name: str, table: Any, seeds: int) -> None:
    """One line of the second table per balance."""
    for balance in BALANCES:
        begun = process_time()
        found = [cz.sample(table, balance=balance, jumps=JUMPS, rng=seed, progress=False) for seed in range(seeds)]
        spent = (process_time() - begun) / seeds
        exact = [one.diagnostics().exact for one in found]
        errors = [np.nan if one is None else one.largest_difference for one in exact]
        print(f"{name:<9} {balance:<12} {np.mean(errors):>8.4f} {spent:>7.1f} {weight(found[0]):>8.4f}", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=6)
    given = parser.parse_args()
    warnings.simplefilter("ignore", cz.SamplingWarning)
    print(machine())
    print(f"\n{'rugged':<9} {'balance':<12} {'error':>8} {'CPU s':>7} {'weight':>8}")
    for name, table in rugged():
        accuracy(name, table, given.seeds)
    print(f"\n{'columns':>9} {'balance':<12} {'open':>5} {'sd':>8} {'CPU s':>7} {'weight':>8}")
    for case in SPARSE:
        precision(*case, given.runs)


if __name__ == "__main__":
    main()
