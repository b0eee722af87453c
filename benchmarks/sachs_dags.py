"""Samples of classes, reweighted to the uniform prior over DAGs, against the exact edge probabilities of 11 proteins.

    python benchmarks/sachs_dags.py [--quick]

Data: the first 500 cells of Sachs et al. (2005), untransformed and as logarithms, with the Gaussian BIC. The exact
probabilities are those over all DAGs of 11 nodes (exact_edge_posterior). The estimates are those of
posterior.reweight("dags"): that two nodes are adjacent, and, since a class leaves directions open, that x -> y in DAGs
drawn by sample_dags. Each difference is divided by its standard error, which is estimated from the differences between
chains: with R_c = Σ w (f - p) over the time of chain c, weights w and the pooled estimate p, it is
sqrt(C / (C - 1) Σ R_c²) / Σ w. If the estimates are correct, z has approximately Student's distribution with C - 1
degrees of freedom, and its mean square is (C - 1) / (C - 3). The probabilities of different pairs are dependent, so the
mean square over pairs varies more than for independent ones. Pairs with a probability below 0.001 or above 0.999 are
excluded from z, but not from the largest difference.
"""

from __future__ import annotations

import argparse
import math
import warnings
from time import process_time

import numpy as np
from common import machine
from numpy.typing import NDArray
from scipy.stats import t as student

import causal_zigzag as cz
from causal_zigzag.answers.errors.batches import in_unit, total_times
from causal_zigzag.posterior.reweighting import weight_ess

ROWS = 500
CHAINS = 16
DAGS_PER_CHAIN = 20_000


def chain_weights(posterior: cz.Posterior) -> NDArray[np.float64]:
    """The weighted time of each chain, in a common unit."""
    unit, _ = total_times(posterior._results)
    logs = posterior._reweighting.log_weights if posterior._reweighting else [np.zeros(1)] * len(posterior._results)
    most = max(some.max() for some in logs)
    times = [in_unit(r.times, r, unit) for r in posterior._results]
    return np.array([(time * np.exp(log - most)).sum() for time, log in zip(times, logs, strict=True)])


def compare(shares: NDArray[np.float64], weights: NDArray[np.float64], exact: NDArray[np.float64]) -> str:
    """One line of text that compares the estimates of all chains (one row each) with the exact probabilities."""
    pooled = weights @ shares / weights.sum()
    residuals = weights[:, None] * (shares - pooled)
    count = len(weights)
    errors = np.sqrt(count / (count - 1) * (residuals**2).sum(axis=0)) / weights.sum()
    open_ = (exact > 1e-3) & (exact < 1 - 1e-3)
    z = (pooled - exact)[open_] / errors[open_]
    chance = 1 - (1 - 2 * student.sf(np.abs(z).max(), count - 1)) ** len(z)
    return (
        f"{np.abs(pooled - exact).max():>9.5f} {errors[open_].max():>9.5f} {len(z):>6} {np.abs(z).max():>7.2f} "
        f"{chance:>7.3f} {math.sqrt((z**2).mean()):>6.2f}"
    )


def lines(score: cz.Score, edge_prior: object, jumps: int, max_classes: int) -> None:
    """Sample once and print the results under both priors."""
    n = len(score.nodes)
    x, y = np.triu_indices(n, 1)
    cost = cz.sample(score, jumps=1, chains=1, edge_prior=edge_prior, rng=1, progress=False).target.edge_prior.cost
    exact = cz.exact_edge_posterior(score, edge_prior=cost)
    begun = process_time()
    sampled = cz.sample(
        score,
        edge_prior=edge_prior,
        jumps=jumps,
        chains=CHAINS,
        settings=cz.Settings(max_classes=max_classes),
        rng=1,
        progress=False,
    )
    ran = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cz.SamplingWarning)  # the share is printed
        weighted = sampled.reweight("dags")
        edges = [part.edge_probabilities().adjacent[x, y] for part in weighted.by_chain()]
        counted = process_time()
        dags = [part.sample_dags(DAGS_PER_CHAIN, rng=i).mean(axis=0) for i, part in enumerate(weighted.by_chain())]
        drawn = process_time()
    plain = np.array([part.edge_probabilities().adjacent[x, y] for part in sampled.by_chain()])
    print(
        f"\nedge_prior {edge_prior!r}, max_classes {max_classes:,}: {sampled.class_count:,} classes listed, "
        f"{sampled.unlisted:.2%} of the time in others; weight_ess {weight_ess(weighted):.3f}"
    )
    print(
        f"CPU: {ran - begun:.1f} s to sample {CHAINS} chains of {jumps:,} jumps, {counted - ran:.1f} s to reweight all "
        f"and each, {drawn - counted:.1f} s to draw {CHAINS * DAGS_PER_CHAIN:,} DAGs"
    )
    print(f"{'':<28} {'max diff':>9} {'max error':>9} {'pairs':>6} {'max |z|':>7} {'chance':>7} {'rms z':>6}")
    off = ~np.eye(n, dtype=bool)
    weights = chain_weights(weighted)
    print(f"{'adjacent, over DAGs':<28} {compare(np.array(edges), weights, exact.adjacent[x, y])}")
    print(
        f"{'x -> y in a DAG, over DAGs':<28} {compare(np.array([d[off] for d in dags]), weights, exact.directed[off])}"
    )
    print(
        f"{'adjacent, over classes':<28} {compare(plain, chain_weights(sampled), exact.adjacent[x, y])}"
        "  (not reweighted: another question)",
        flush=True,
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the jumps")
    jumps = 30_000 if parser.parse_args().quick else 300_000
    print(machine())
    for name in ("sachs", "sachs-log"):
        score = cz.GaussianBIC(cz.datasets.load(name).iloc[:ROWS])
        print(f"\n{name}, {ROWS} rows: {score!r}")
        for edge_prior in (None, "auto"):
            lines(score, edge_prior, jumps, jumps)
    print("\nThe same with fewer classes listed: the heavier ones, which is a bias")
    lines(score, None, jumps, 4000)
    lines(score, "auto", jumps, 4000)


if __name__ == "__main__":
    main()
