"""Calibration: are probabilities as far from the exact ones as their Monte Carlo errors say?

    python benchmarks/calibration.py [--quick]

Many independent short runs of four chains on targets whose every class is known. Of all probabilities that are neither
improbable nor certain (from 0.01 to 0.99), how many lie within 1.96 reported standard errors of the exact value?
Nominal is 95 %; a probability whose error the run could not tell counts as missed. Errors of adjacencies, arrows and
lines come from batch means of exact integrals, those of the ten most probable classes from the draws.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from common import linear_gaussian, machine
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag.batch_means import batching_of, moving_pairs, pair_integrals
from causal_zigzag.draws import pair_ends

GOLDBERG = Path(__file__).parent.parent / "tests" / "data" / "goldberg.cov.txt"
CLASSES = 10
Numbers = NDArray[np.float64]


def targets() -> Iterator[tuple[str, cz.Score, int]]:
    """The name, the score, and the jumps of each of the chains of a run."""
    yield "uniform, n = 4", cz.Uniform(4), 1000
    yield "Gaussian, n = 4", cz.GaussianBIC(linear_gaussian(4, 50, seed=4)[0]), 1000
    yield "uniform, n = 5", cz.Uniform(5), 2000
    yield "Gaussian, n = 5", cz.GaussianBIC(linear_gaussian(5, 60, seed=5)[0]), 2000
    size, _, *rows = GOLDBERG.read_text().strip().splitlines()
    covariance = np.zeros((6, 6))
    for i, row in enumerate(rows):
        covariance[i, : i + 1] = covariance[: i + 1, i] = [float(v) for v in row.split()]
    yield "goldberg, n = 6", cz.GaussianBIC.from_covariance(covariance, int(size)), 5000


def told(posterior: cz.Posterior, classes: list[cz.CPDAG]) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Probabilities of all edges (adjacent, a -> b, b -> a, a - b) and of classes, each with its errors."""
    n = len(posterior.nodes)
    edges, errors = np.zeros((n, n, 4)), np.full((n, n, 4), np.nan)
    pairs, batching = moving_pairs(posterior.results, n), batching_of(posterior.results)
    for block, integrals in pair_integrals(posterior.results, n, pairs):
        a, b = pair_ends(pairs[block])
        edges[a, b] = integrals.sum(axis=0) / batching.total
        errors[a, b] = batching.errors(integrals)
    shares = np.array([posterior.probability(g) for g in classes])
    return edges, errors, shares, np.array([posterior.mcse(g) for g in classes])


def coverage(score: cz.Score, jumps: int, momentum: float, runs: int) -> tuple[float, float, float, int]:
    """The share of edges and of classes within 1.96 errors, the mean error of edges, and how many are compared."""
    exact = cz.exact_posterior(score)
    truth = exact.edge_probabilities()
    n = len(score.nodes)
    edges = np.stack([truth.adjacent, truth.directed, truth.directed.T, truth.undirected], axis=-1)
    followed = (edges > 0.01) & (edges < 0.99) & np.triu(np.ones((n, n), dtype=bool), 1)[..., None]
    top = [(g, p) for g, p, _ in exact.top(CLASSES) if 0.01 < p < 0.99]
    graphs, probabilities = [g for g, _ in top], np.array([p for _, p in top])
    hits, class_hits, sizes = [], [], []
    for seed in range(runs):
        posterior = cz.sample(score, edge_prior=None, momentum=momentum, jumps=jumps, rng=seed, progress=False)
        mean, error, shares, class_error = told(posterior, graphs)
        hits.append(np.abs(mean - edges)[followed] <= 1.96 * error[followed])
        class_hits.append(np.abs(shares - probabilities) <= 1.96 * class_error)
        sizes.append(np.nanmean(error[followed]))
    return float(np.mean(hits)), float(np.mean(class_hits)), float(np.mean(sizes)), int(followed.sum())


def main() -> None:
    """A line a target and momentum."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    runs = 40 if parser.parse_args().quick else 200
    print(machine())
    print(f"\n{runs} runs of four chains; within 1.96 Monte Carlo errors of the exact value (nominal 95 %)")
    print(f"{'target':<17} {'jumps':>6} momentum   edges  classes   edges compared  mean error  seconds")
    for name, score, jumps in targets():
        for momentum in (1.0, 0.0):
            begun = time.perf_counter()
            edges, classes, size, count = coverage(score, jumps, momentum, runs)
            print(
                f"{name:<17} {jumps:>6,} {momentum:>8g} {edges:>7.1%} {classes:>8.1%} {count:>16} {size:>11.4f} "
                f"{time.perf_counter() - begun:>8.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
