"""Comparison of processes: effective samples per second for each balance and momentum, in one run.

    python benchmarks/defaults.py [--quick]

Four chains from the result of greedy search, with the default edge prior, on the proteins of Sachs et al. (2005, log
scale, 11 nodes) and on linear Gaussian data of Erdős-Rényi graphs of average degree 3 (N = 1000). Times are CPU seconds
of all chains together. Effective samples are those of Posterior.diagnostics(): of the number of edges, of the score,
and the median and minimum over all uncertain adjacencies and orientations. R-hat is the larger one of the number of
edges and the score: above 1.05 the chains have not mixed, and effective sample sizes are not meaningful.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from time import process_time
from typing import get_args

import numpy as np
from common import machine
from random_models import linear_gaussian

import causal_zigzag as cz
from causal_zigzag.sampler.settings import Balance

MOMENTA = (1.0, 0.5, 0.0)


def targets() -> Iterator[tuple[str, cz.Score, int]]:
    """The name, the score, and the number of jumps per chain."""
    yield "Sachs", cz.GaussianBIC(cz.datasets.load("sachs-log")), 2_000_000
    for n, jumps in ((20, 200_000), (50, 200_000), (100, 200_000)):
        yield f"ER {n}", cz.GaussianBIC(linear_gaussian(n, 1000, seed=n)[0]), jumps


def main() -> None:
    """Print one line per target, balance and momentum."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    shorter = 10 if parser.parse_args().quick else 1
    print(machine())
    print("\neffective samples a second of the processor; four chains")
    print(f"{'target':<8} {'balance':<11} momentum  jumps/s     edges     score   median edge  least edge   R-hat")
    best: dict[str, list[tuple[float, str]]] = {}
    for name, score, jumps in targets():
        begin = cz.ges(score).graph
        for balance in get_args(Balance):
            for momentum in MOMENTA:
                begun = process_time()
                posterior = cz.sample(
                    score,
                    momentum=momentum,
                    balance=balance,
                    jumps=jumps // shorter,
                    start=begin,
                    rng=1,
                    progress=False,
                )
                seconds = process_time() - begun
                table = posterior.diagnostics().table
                ess = table["ess"].to_numpy() / seconds
                edges = ess[2:][np.isfinite(ess[2:])]
                made = sum(s.jumps + s.warmup for s in posterior.statistics)
                middle = float(np.median(edges))
                best.setdefault(name, []).append((middle, f"{balance}, momentum {momentum:g}"))
                print(
                    f"{name:<8} {balance:<11} {momentum:>8g} {made / seconds:>8,.0f} {ess[0]:>9,.0f} {ess[1]:>9,.0f} "
                    f"{middle:>13,.1f} {edges.min():>11,.2f} {table['r_hat'][:2].max():>7.3f}",
                    flush=True,
                )
    print("\nmost effective samples of the median edge")
    for name, found in best.items():
        ranked = sorted(found, reverse=True)
        print(f"{name:<8} " + "; ".join(f"{label}: {value:,.1f}" for value, label in ranked[:3]))


if __name__ == "__main__":
    main()
