"""GaussianBIC or BGe for few rows: exact probabilities of adjacencies of simulated graphs, compared with the truth.

    python benchmarks/few_rows.py > benchmarks/few_rows.txt

Random DAGs of 10 nodes with 3 or 1 neighbours per node on average, linear Gaussian data, N rows; the default edge prior
and none. ``exact_edge_posterior`` sums over all DAGs, so there is no Monte Carlo error. The log loss of a pair is -log
of the probability that was given to the truth (joined or not); "wrong" is the mean number of pairs, of 45, on the wrong
side of 1/2. The last columns are, for the default prior, the mean difference of the log loss and its standard error.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz

NODES, LEAST = 10, 1e-6


CASES = [(score, prior) for prior in ("auto", None) for score in (cz.GaussianBIC, cz.BGe)]


def losses(data: object, truth: NDArray[np.uint8]) -> list[tuple[float, float]]:
    """For each case, the mean log loss of a pair and the number of pairs on the wrong side of 1/2."""
    pairs = np.triu_indices(NODES, 1)
    joined = (truth + truth.T)[pairs] > 0
    found = []
    for score, prior in CASES:
        p = cz.exact_edge_posterior(score(data), edge_prior=prior).adjacent[pairs].clip(LEAST, 1 - LEAST)
        loss = -np.log(np.where(joined, p, 1 - p))
        found.append((float(loss.mean()), float(((p > 0.5) != joined).sum())))
    return found


def compare(degree: float, graphs: int) -> None:
    """Print one line per number of rows."""
    print(f"\n{NODES} nodes, expected degree {degree:g}, {graphs} graphs per line: log loss and (wrong pairs)\n")
    heads = [f"{score.__name__} {prior or 'none'}" for score, prior in CASES]
    print("rows  " + "".join(f"{head:>18}" for head in heads) + "   BGe - BIC, auto")
    for rows in (15, 20, 30, 50, 100, 200, 500):
        runs = []
        for seed in range(graphs):
            truth = cz.datasets.random_dag(NODES, degree, rng=seed)
            runs.append(losses(cz.datasets.linear_gaussian(truth, rows, rng=1000 + seed), truth))
        table = np.array(runs)
        change = table[:, 1, 0] - table[:, 0, 0]
        cells = "".join(f"{f'{loss:.3f} ({wrong:.2f})':>18}" for loss, wrong in table.mean(axis=0))
        print(f"{rows:4}  {cells}   {change.mean():+.3f} ± {change.std(ddof=1) / np.sqrt(graphs):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="GaussianBIC or BGe for few rows")
    parser.add_argument("--graphs", type=int, default=100)
    given = parser.parse_args()
    print(machine())
    for expected in (3.0, 1.0):
        compare(expected, given.graphs)
