"""Calibration: whether the errors of probabilities agree with their reported Monte Carlo errors.

    python benchmarks/calibration.py [--quick]

The targets are small enough that the probability of every class is known. On each, many independent short runs of four
chains are made; the same runs are evaluated uniform over classes and, reweighted, uniform over DAGs. The table shows
the share of probabilities that lie within 1.96 reported standard errors of the exact value; nominal is 95 %. It covers
edges with probabilities from 0.01 to 0.99, and the ten most probable classes among those with a probability of at
least 0.005. A probability without a reported error counts as a miss. Errors of adjacencies, arrows and lines come from
batch means of exact integrals; errors of classes, and all errors under the prior over DAGs, come from the draws. Ten
rare classes, with probabilities from 0.001 to 0.005, are reported separately: for what share of them a run has an error
(it needs at least ten entries and exits), and how many of these are within 1.96 errors.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from common import machine
from numpy.typing import NDArray
from random_models import linear_gaussian

import causal_zigzag as cz

GOLDBERG = Path(__file__).parent.parent / "tests" / "data" / "goldberg.cov.txt"
CLASSES = 10
PRIORS: tuple[Literal["classes", "dags"], ...] = ("classes", "dags")
Numbers = NDArray[np.float64]


def targets() -> Iterator[tuple[str, cz.Score, int]]:
    """The name, the score, and the number of jumps per chain."""
    yield "uniform, n = 4", cz.Uniform(4), 1000
    for jumps in (1000, 20_000):
        yield "Gaussian, n = 4", cz.GaussianBIC(linear_gaussian(4, 50, seed=4)[0]), jumps
    yield "uniform, n = 5", cz.Uniform(5), 2000
    yield "Gaussian, n = 5", cz.GaussianBIC(linear_gaussian(5, 60, seed=5)[0]), 2000
    size, _, *rows = GOLDBERG.read_text().strip().splitlines()
    covariance = np.zeros((6, 6))
    for i, row in enumerate(rows):
        covariance[i, : i + 1] = covariance[: i + 1, i] = [float(v) for v in row.split()]
    yield "goldberg, n = 6", cz.GaussianBIC.from_covariance(covariance, int(size)), 5000


def kinds(edges: cz.EdgeProbabilities) -> Numbers:
    """Probabilities of adjacency, i -> j, j -> i and i - j, n by n by 4."""
    return np.stack([edges.adjacent, edges.directed, edges.directed.T, edges.undirected], axis=-1)


class Exact:
    """The exact probabilities of one target."""

    def __init__(self, exact: cz.ExactPosterior, sampled: cz.ExactPosterior) -> None:
        self.edges = kinds(exact.edge_probabilities())
        above = np.triu(np.ones(self.edges.shape[:2], dtype=bool), 1)[..., None]
        self.followed = (self.edges > 0.01) & (self.edges < 0.99) & above
        top = [(g, p) for g, p, _ in exact.top(CLASSES) if sampled.probability(g) > 0.005 and p < 0.99]
        self.graphs, self.probabilities = [g for g, _ in top], np.array([p for _, p in top])
        rare = [(g, p) for g, p, _ in exact.top(10_000) if min(p, sampled.probability(g)) > 0.001 and p < 0.005]
        self.rare = rare[:: -(-len(rare) // CLASSES) or 1]

    def rare_hits(self, posterior: cz.Posterior) -> NDArray[np.float64]:
        """For each rare class: 1 within 1.96 errors, 0 outside, NaN without an error."""
        away = np.array([posterior.probability(g) - p for g, p in self.rare])
        errors = np.array([posterior.mcse(g) for g, _ in self.rare])
        return np.where(np.isnan(errors), np.nan, np.abs(away) <= 1.96 * errors)

    def hits(self, posterior: cz.Posterior) -> tuple[NDArray[np.bool_], NDArray[np.bool_], float]:
        """Which edges and classes are within 1.96 errors, and the mean error of the edges."""
        errors = posterior._classes.edge_errors[self.followed]
        away = np.abs(kinds(posterior.edge_probabilities()) - self.edges)[self.followed]
        shares = np.array([posterior.probability(g) for g in self.graphs])
        class_errors = np.array([posterior.mcse(g) for g in self.graphs])
        within = np.abs(shares - self.probabilities) <= 1.96 * class_errors
        return away <= 1.96 * errors, within, float(np.nanmean(errors))


class Coverage(NamedTuple):
    """Shares within 1.96 errors."""

    edges: float
    classes: float
    rare_told: float
    rare: float
    error: float
    count: int


def mean(values: list[NDArray[np.bool_]] | NDArray[np.bool_] | Numbers) -> float:
    """The mean; NaN if there are no values."""
    return float(np.mean(values)) if np.size(values) else float("nan")


def percent(share: float, width: int) -> str:
    """A percentage, or a dash for NaN."""
    return f"{share:>{width}.1%}" if share >= 0 else f"{'-':>{width}}"


def coverage(score: cz.Score, jumps: int, momentum: float, runs: int) -> dict[str, Coverage]:
    """The coverage under each prior."""
    sampled = cz.exact_posterior(score, edge_prior=None)
    exact = {prior: Exact(sampled.reweight(prior), sampled) for prior in PRIORS}
    rare: dict[str, list[Numbers]] = {prior: [] for prior in exact}
    hits: dict[str, list[tuple[NDArray[np.bool_], NDArray[np.bool_], float]]] = {prior: [] for prior in exact}
    for seed in range(runs):
        posterior = cz.sample(score, edge_prior=None, momentum=momentum, jumps=jumps, rng=seed, progress=False)
        for prior, truth in exact.items():
            weighted = posterior.reweight(prior)
            hits[prior].append(truth.hits(weighted))
            rare[prior].append(truth.rare_hits(weighted))
    return {
        prior: Coverage(
            float(np.mean([edges for edges, _, _ in found])),
            mean([classes for _, classes, _ in found]),
            mean(~np.isnan(rare[prior])),
            mean(np.ravel(rare[prior])[~np.isnan(np.ravel(rare[prior]))]),
            float(np.mean([error for _, _, error in found])),
            int(exact[prior].followed.sum()),
        )
        for prior, found in hits.items()
    }


def main() -> None:
    """Print one line per target, momentum and prior."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    runs = 20 if parser.parse_args().quick else 200
    print(machine())
    print(f"\n{runs} runs of four chains; within 1.96 Monte Carlo errors of the exact value (nominal 95 %)")
    print(f"{'':62} rare classes")
    heads = "momentum  uniform over   edges  classes   told  within   edges compared  mean error"
    print(f"{'target':<17} {'jumps':>6} {heads}")
    begun, least = time.perf_counter(), 1.0
    for name, score, jumps in targets():
        for momentum in (1.0, 0.0):
            for prior, c in coverage(score, jumps, momentum, runs).items():
                least = float(np.nanmin([least, c.edges, c.classes]))
                shares = f"{percent(c.edges, 7)} {percent(c.classes, 8)} {percent(c.rare_told, 6)} {percent(c.rare, 7)}"
                line = f"{name:<17} {jumps:>6,} {momentum:>8g}  {prior:<12} {shares} {c.count:>16}"
                print(f"{line} {c.error:>11.4f}", flush=True)
    print(f"\nthe least of edges and classes: {least:.1%}; {time.perf_counter() - begun:.0f} seconds")


if __name__ == "__main__":
    main()
