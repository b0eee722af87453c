"""Comparison of edge priors: distance of the consensus to the truth, calibration of edge probabilities, and time.

    python benchmarks/default_prior.py [--quick]

Linear Gaussian data of Erdős-Rényi graphs of average degree 3; edge_prior None, "auto" (log n per edge) and 2 log n;
two chains from the graph without edges, max_degree 12. SHD is the number of pairs of nodes whose edge differs between
the consensus and the class of the true DAG. The tables of calibration pool all runs: for the adjacencies, and for the
arrows, with a probability in a bin, the share that is true. Times are CPU seconds.
"""

from __future__ import annotations

import argparse
import math
from itertools import pairwise
from time import process_time

import numpy as np
from common import machine
from numpy.typing import NDArray
from random_models import linear_gaussian

import causal_zigzag as cz

SIZES, ROWS = (10, 20, 50, 100, 200), (100, 1000, 10_000)
PRIORS = ("None", "auto", "2 log n")
BINS = np.array([0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0000001])


def cost(prior: str, n: int) -> float | str | None:
    """The value of the argument edge_prior."""
    return {"None": None, "auto": "auto", "2 log n": 2 * math.log(n)}[prior]


def marks(g: cz.CPDAG) -> NDArray[np.int64]:
    """The kind of edge of every pair: 0, 1, 2 or 3."""
    m = g.matrix().astype(np.int64)
    i, j = np.triu_indices(len(g), 1)
    return m[i, j] + 2 * m[j, i]


def main() -> None:
    """Print one line per size and number of rows, then one line per bin."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    repeats = {n: 1 if quick else 8 if n <= 50 else 3 for n in SIZES}
    print(machine())
    print("\nstructural Hamming distance of the consensus (seconds), means over data sets; true edges")
    print(f"{'n':>4} {'N':>6} {'edges':>6}" + "".join(f"{prior:>18}" for prior in PRIORS))
    told: dict[str, list[tuple[NDArray[np.float64], NDArray[np.bool_]]]] = {p + k: [] for p in PRIORS for k in "al"}
    for n in SIZES[:3] if quick else SIZES:
        for rows in ROWS:
            cells: dict[str, list[tuple[int, float]]] = {prior: [] for prior in PRIORS}
            edges = []
            for seed in range(repeats[n]):
                data, dag = linear_gaussian(n, rows, seed=1000 * n + seed)
                truth = cz.CPDAG.from_dag(dag)
                edges.append(truth.edge_count)
                score = cz.GaussianBIC(data)
                for prior in PRIORS:
                    begun = process_time()
                    posterior = cz.sample(
                        score,
                        edge_prior=cost(prior, n),
                        max_degree=12,
                        jumps=20_000,
                        chains=2,
                        rng=seed,
                        progress=False,
                    )
                    spent = process_time() - begun
                    apart = int((marks(posterior.consensus()) != marks(truth)).sum())
                    cells[prior].append((apart, spent))
                    note(told, prior, posterior, truth)
            line = "".join(f"{f'{a:.1f} ({s:.2f})':>18}" for a, s in (np.mean(cells[p], axis=0) for p in PRIORS))
            print(f"{n:>4} {rows:>6,} {np.mean(edges):>6.1f}{line}", flush=True)
    for kind, name in (("a", "adjacencies"), ("l", "arrows")):
        print(f"\n{name}: share that is true, of those given a probability in the bin (how many)")
        print(f"{'bin':<12}" + "".join(f"{prior:>20}" for prior in PRIORS))
        for low, high in pairwise(BINS):
            row = ""
            for prior in PRIORS:
                p, true = (np.concatenate(parts) for parts in zip(*told[prior + kind], strict=True))
                inside = (p >= low) & (p < high)
                share = f"{true[inside].mean():.2f}" if inside.any() else "-"
                row += f"{f'{share} ({inside.sum():,})':>20}"
            print(f"{low:.2f} to {min(high, 1):.2f}{row}")


def note(
    told: dict[str, list[tuple[NDArray[np.float64], NDArray[np.bool_]]]],
    prior: str,
    posterior: cz.Posterior,
    truth: cz.CPDAG,
) -> None:
    """Store the estimated probabilities of all pairs with the truth."""
    edges, m = posterior.edge_probabilities(), truth.matrix().astype(bool)
    above = np.triu(np.ones(m.shape, dtype=bool), 1)
    told[prior + "a"].append((edges.adjacent[above], (m | m.T)[above]))
    off = ~np.eye(len(m), dtype=bool)
    told[prior + "l"].append((edges.directed[off], (m & ~m.T)[off]))


if __name__ == "__main__":
    main()
