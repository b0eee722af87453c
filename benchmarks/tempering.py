"""Parallel tempering: its effect on a target with distant modes, and on targets where it does not help.

    python benchmarks/tempering.py [--quick] [--parts modes sachs random]

1. Five distant modes. The bits a, b, c, d are fair coins, e is their parity with an error rate of one in ten, and f is
   an independent coin. Fewer than four parents explain nothing of a parity, and any of the five bits can be the child
   of the other four: five classes of about the same weight (DiscreteBIC, N = 1000, edge prior auto). To move from one
   mode to another, a chain must first give the new child three parents that explain nothing: 7 parameters and 3 edges,
   about 30 in log weight. The exact posterior is known because n = 6.
2. Real and simulated data without such structure: Sachs (n = 11, N = 7466, log scale) and linear Gaussian data on an
   Erdős-Rényi graph (n = 50, average degree 3, N = 10,000). Eight chains from scattered starts, with and without
   tempering, with about the same total number of jumps over all rungs.

Times are CPU seconds on one core.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np
import pandas as pd
from common import machine
from numpy.typing import NDArray
from random_models import erdos_renyi

import causal_zigzag as cz

BITS = "abcde"
CHAINS = 8


def main() -> None:
    """Run all parts, or those named on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument(
        "--parts", nargs="+", choices=("modes", "sachs", "random"), default=("modes", "sachs", "random")
    )
    chosen = parser.parse_args()
    scale = 20 if chosen.quick else 1
    print(machine())
    if "modes" in chosen.parts:
        far_modes(patience=5_000_000 // scale, jumps=50_000 // scale)
    if "sachs" in chosen.parts:
        score = cz.GaussianBIC(cz.datasets.load("sachs-log"))
        agreement("Sachs, n = 11, N = 7466", score, 2_400_000 // scale, (8, 16))
        agreement("Sachs, n = 11, N = 7466", score, 12_000_000 // scale, (16,))
    if "random" in chosen.parts:
        rows, edges = erdos_renyi(50, 10_000, seed=50)
        name = f"Erdős-Rényi, n = 50, N = 10,000, {edges} true edges"
        agreement(name, cz.GaussianBIC(rows), 800_000 // scale, (8, 16))
        agreement(name, cz.GaussianBIC(rows), 3_200_000 // scale, (16,))


# ---- far modes


def parity(rows: int, seed: int) -> pd.DataFrame:
    """Four coins, their noisy parity, and an independent coin."""
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, (rows, 4))
    child = (coins.sum(axis=1) + (rng.random(rows) < 0.1)) % 2
    table = np.column_stack([coins, child, rng.integers(0, 2, rows)])
    return pd.DataFrame(table, columns=list("abcdef")).astype(str)


def far_modes(patience: int, jumps: int) -> None:
    """Print the time until the chains have visited the second mode and all modes, and their shares of time."""
    score = cz.DiscreteBIC(parity(1000, seed=1))
    modes = [cz.CPDAG.from_edges(score.nodes, directed=[(u, v) for u in BITS if u != v]) for v in BITS]
    exact = cz.exact_posterior(score, edge_prior="auto")
    truth = np.array([exact.probability(g) for g in modes])
    print(f"\nFive far modes, n = 6: exact probabilities {show(truth)}, together {truth.sum():.3f}")
    print(f"{'tempering':<10} {'start':<10} {'CPU s':>7} {'modes':>6} {'s to 2nd':>9} {'s to all':>9}  shares")
    for tempering in (None, 4, 6, 10):
        for name, start in (("a mode", modes[0]), ("no edges", None)):
            for seed in range(2):
                begun = process_time()
                posterior = cz.sample(
                    score,
                    jumps=patience if tempering is None else jumps,
                    chains=1,
                    start=start,
                    tempering=tempering,
                    rng=seed,
                    progress=False,
                )
                seconds = process_time() - begun
                shares = np.array([posterior.probability(g) for g in modes])
                first = np.sort(first_visits(posterior, modes))
                s = posterior.statistics[0]
                warm = seconds * s.warmup / (s.warmup + s.jumps)
                at = [f"{warm + f * (seconds - warm):.2f}" if np.isfinite(f) else "never" for f in first]
                print(
                    f"{tempering or 'none':<10} {name:<10} {seconds:>7.1f} {np.isfinite(first).sum():>6} {at[1]:>9} "
                    f"{at[-1]:>9}  {show(shares)}",
                    flush=True,
                )


def first_visits(posterior: cz.Posterior, modes: list[cz.CPDAG]) -> NDArray[np.float64]:
    """The first draw in each mode, as a fraction of the run; infinite if there is none."""
    found = np.full(len(modes), np.inf)
    draws = list(posterior.draws())
    for at in range(len(draws) - 1, -1, -1):
        if draws[at] in modes:
            found[modes.index(draws[at])] = at / len(draws)
    return found


def show(shares: NDArray[np.float64]) -> str:
    """Format numbers with a few decimals."""
    return " ".join(f"{share:.3f}" for share in shares)


# ---- agreement


def scattered(score: cz.Score) -> list[cz.CPDAG | str | None]:
    """The graph without edges, the result of greedy search, and classes of random graphs of several densities."""
    n = len(score.nodes)
    random = [cz.datasets.random_dag(n, degree, rng=seed) for seed, degree in enumerate((1, 2, 3, 4, 5, 6))]
    return [None, "ges", *(cz.CPDAG.from_dag(dag, score.nodes) for dag in random)]


def agreement(name: str, score: cz.Score, work: int, temperatures: tuple[int, ...]) -> None:
    """Print R-hat of eight chains, and the largest differences between them."""
    print(f"\n{name}: eight chains from scattered starts, about {work:,} jumps a chain over all rungs")
    print(f"{'':<10} {'':>6}   R-hat of              edges with R-hat     widest gap between chains,")
    print(
        f"{'tempering':<10} {'CPU s':>6} {'edges':>7} {'score':>7} {'above 1.01':>12} {'above 1.1':>12}"
        f" {'of an adjacency':>16}   ladder from; swaps accepted; round trips"
    )
    for tempering in (None, *temperatures):
        jumps = work // (tempering or 1)
        begun = process_time()
        posterior = cz.sample(
            score,
            jumps=jumps,
            warmup=jumps // 4,
            chains=CHAINS,
            start=scattered(score),
            tempering=tempering,
            rng=1,
            progress=False,
        )
        seconds = process_time() - begun
        table = posterior.diagnostics().table
        r_hat = table["r_hat"].to_numpy()
        edges = r_hat[2:]
        by_chain = np.array([chain.edge_probabilities().adjacent for chain in posterior.by_chain()])
        gap = (by_chain.max(axis=0) - by_chain.min(axis=0)).max()
        told = ""
        if tempering:
            ran = [s.tempering for s in posterior.statistics if s.tempering]
            rates = [rate for s in ran for rate in s.swap_rates]
            low = np.mean([s.ladder[0] for s in ran])
            told = f"{low:.2f}; {min(rates):.2f} to {max(rates):.2f}; {sum(s.round_trips for s in ran):,}"
        apart = [f"{(edges > limit).sum()} of {len(edges)}" for limit in (1.01, 1.1)]
        print(
            f"{tempering or 'none':<10} {seconds:>6.1f} {r_hat[0]:>7.3f} {r_hat[1]:>7.3f} {apart[0]:>12} {apart[1]:>12}"
            f" {gap:>16.3f}   {told}",
            flush=True,
        )


if __name__ == "__main__":
    main()
