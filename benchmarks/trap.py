"""The trap of bounded balances: from the graph without edges, chains insert far too many edges and keep them.

    python benchmarks/trap.py [--quick]

With metropolis and barker, all improvements have a rate of about 1. A chain then inserts at random among hundreds of
edges that each explain something, and reaches dense classes from which edges are removed only slowly. With sqrt the
rate of an insert grows with its gain, and the best ones come first. Linear Gaussian data on an Erdős-Rényi graph of
average degree 3, n = 50, N = 1000, max_degree 15; medians over seeds.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import chain, machine
from random_models import erdos_renyi

import causal_zigzag as cz

NODES, BOUND = 50, 15
MARKS = [100, 1000, 10_000, 100_000, 1_000_000]


def main() -> None:
    """Print one line per balance and momentum: edges and score after increasing numbers of jumps."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    marks, seeds = (MARKS[:4], range(2)) if quick else (MARKS, range(5))
    print(machine())
    data, edges = erdos_renyi(NODES, 1000, seed=50)
    score = cz.GaussianBIC(data)
    for prior in ("auto", None):
        print(
            f"\nn = {NODES}, {edges} true edges, edge prior {prior or 'none'}: edges (score less the best) after jumps"
        )
        print(f"{'balance':<11} momentum " + "".join(f"{mark:>18,}" for mark in marks))
        paths = {
            (balance, momentum): [climb(score, balance, momentum, prior, seed, marks) for seed in seeds]
            for balance in ("sqrt", "metropolis", "barker")
            for momentum in (1.0, 0.0)
        }
        best = max(value for runs in paths.values() for path in runs for _, value in path)
        for (balance, momentum), runs in paths.items():
            cells = np.median(np.array(runs), axis=0)
            line = "".join(f"{f'{count:.0f} ({value - best:.0f})':>18}" for count, value in cells)
            print(f"{balance:<11} {momentum:>8g} {line}", flush=True)


def climb(
    score: cz.Score, balance: str, momentum: float, prior: str | None, seed: int, marks: list[int]
) -> list[tuple[int, float]]:
    """The number of edges and the score after given numbers of jumps."""
    running = chain(score, seed, momentum, balance, prior, BOUND)
    path, made = [], 0
    for mark in marks:
        while made < mark:
            made += running.run(mark - made, 10.0)
        path.append((running.edge_count, running.score))
    return path


if __name__ == "__main__":
    main()
