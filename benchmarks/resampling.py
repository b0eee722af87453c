"""Arrows of simulated tables whose truth is known, in the posterior and when rows are resampled.

    OMP_NUM_THREADS=1 nice -n 10 python benchmarks/resampling.py --tables 100 > benchmarks/resampling.txt

Random graphs of 8 columns, an average degree of 2.5 and linear effects of 0.5 to 1.2, of which each kind of table but
the first breaks an assumption: curved effects, noise with 3 degrees of freedom, noise whose variance depends on a
cause, two hidden common causes, errors of measurement in all columns, rows selected by two columns, skewed noise. The
score is `GaussianBIC` throughout. Probabilities are from exact draws: the posterior, and the average over 32 resamples.

Counted per table are the arrows above 0.9; those that are false, as the effect is no descendant of the cause; and those
that are right, as every graph of the true class has them. "Brier" is the sum of (probability - truth)² over all pairs,
whose truth is whether they are joined ("edges"), and over all arrows, whose truth is that of the true class ("arrows").
"""

from __future__ import annotations

import argparse
import warnings
from time import process_time
from typing import NamedTuple

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag.resampling.schemes import SCHEMES

KINDS = ("linear", "curved", "heavy", "variance", "hidden", "measured", "selected", "skewed")
ROWS, COLUMNS, DEGREE = (200, 500, 5000), 8, 2.5
HIDDEN, SELECTED_FROM = 2, 4
RESAMPLES, DRAWS, RESAMPLE_DRAWS = 32, 2000, 200
COMPARED = (next(iter(SCHEMES)),)
CURVES = (np.sin, np.square, np.tanh, np.abs)

Matrix = NDArray[np.bool_]


class Simulated(NamedTuple):
    """Rows, the joined pairs, the arrows of the true class, and which columns are descendants of which."""

    rows: NDArray[np.float64]
    joined: Matrix
    arrows: Matrix
    descends: Matrix


def simulate(kind: str, rows: int, seed: int) -> Simulated:
    """A table of this kind."""
    rng = np.random.default_rng([seed, rows, KINDS.index(kind)])
    hidden = HIDDEN if kind == "hidden" else 0
    m = COLUMNS + hidden
    dag = np.triu(rng.random((m, m)) < DEGREE / (COLUMNS - 1), 1)
    if hidden:
        dag[:hidden], dag[:, :hidden] = False, False
        for cause in range(hidden):
            dag[cause, rng.choice(np.arange(hidden, m), 2, replace=False)] = True
    weights = dag * rng.uniform(0.5, 1.2, dag.shape) * rng.choice([-1, 1], dag.shape)
    x = np.zeros((rows * (SELECTED_FROM if kind == "selected" else 1), m))
    for j in range(m):
        noise = {"heavy": rng.standard_t(3, len(x)), "skewed": rng.exponential(size=len(x)) - 1}.get(
            kind, rng.normal(size=len(x))
        )
        parents = np.flatnonzero(dag[:, j])
        if kind == "variance" and len(parents):
            noise = noise * np.exp(0.5 * np.clip(x[:, parents[0]] / max(1.0, x[:, parents[0]].std()), -3, 3))
        for parent in parents:
            curve = CURVES[rng.integers(len(CURVES))] if kind == "curved" else None
            if curve is None:
                x[:, j] += weights[parent, j] * x[:, parent]
            else:  # of standardized values, as squares of squares would drown all noise
                x[:, j] += 1.5 * weights[parent, j] * curve(x[:, parent] / max(1.0, x[:, parent].std()))
        x[:, j] += noise
    if kind == "measured":
        x += 0.5 * x.std(axis=0) * rng.normal(size=x.shape)
    if kind == "selected":
        by = (x / x.std(axis=0))[:, rng.choice(m, 2, replace=False)].sum(axis=1)
        x = x[np.argsort(-by)[:rows]]
    descends = np.linalg.matrix_power(np.eye(m, dtype=np.int64) + dag, m) > 0
    np.fill_diagonal(descends, False)
    order = hidden + rng.permutation(COLUMNS)
    seen = np.ix_(order, order)
    graph = cz.CPDAG.from_dag(dag[seen].astype(np.uint8)).matrix().astype(np.bool_)
    return Simulated(x[:, order], graph | graph.T, graph & ~graph.T, descends[seen])


def measures(directed: NDArray[np.float64], adjacent: NDArray[np.float64], truth: Simulated) -> list[float]:
    """Certain arrows, false ones, right ones, and the Brier scores of edges and of arrows."""
    certain, apart = directed > 0.9, np.triu_indices(COLUMNS, 1)
    return [
        certain.sum(),
        (certain & ~truth.descends).sum(),
        (certain & truth.arrows).sum(),
        ((adjacent - truth.joined)[apart] ** 2).sum(),
        ((directed - truth.arrows) ** 2).sum(),
    ]


def one_table(kind: str, rows: int, seed: int) -> list[list[float]]:
    """The measures of the posterior and of each scheme."""
    truth = simulate(kind, rows, seed)
    score = cz.GaussianBIC(truth.rows)
    model = cz.exact_draws(score, draws=DRAWS, rng=seed).edge_probabilities()
    found = [measures(np.asarray(model.directed), np.asarray(model.adjacent), truth)]
    for name in COMPARED:
        weights = (SCHEMES[name].weights(rows, [seed], number) for number in range(RESAMPLES))
        scores = (score.with_row_weights(own) for own in weights)
        edges = [cz.exact_draws(own, draws=RESAMPLE_DRAWS, rng=k).edge_probabilities() for k, own in enumerate(scores)]
        directed, adjacent = (np.mean([getattr(e, side) for e in edges], axis=0) for side in ("directed", "adjacent"))
        found.append(measures(directed, adjacent, truth))
    return found


def main() -> None:
    """Print a line per kind of table, number of rows and scheme, then the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=30)
    tables = parser.parse_args().tables
    warnings.simplefilter("ignore")
    schemes = ("posterior", *COMPARED)
    print(machine())
    print(f"\nmeans of {tables} tables each: posterior -> {COMPARED[0]}")
    heads = ("arrows > .9", "false", "right", "Brier: edges", "Brier: arrows")
    print(f"{'kind':9} {'rows':>5} {' '.join(f'{head:>14}' for head in heads)}")
    sums = np.zeros((len(KINDS), len(ROWS), len(schemes), 5))
    for k, kind in enumerate(KINDS):
        for r, rows in enumerate(ROWS):
            sums[k, r] = np.mean([one_table(kind, rows, seed) for seed in range(tables)], axis=0)
            changes = (f"{f'{before:.2f} -> {after:.2f}':>14}" for before, after in sums[k, r, :2].T)
            print(f"{kind:9} {rows:5} {' '.join(changes)}", flush=True)
    print("\nrelative to the posterior: false arrows above 0.9 of all kinds, and right ones of linear tables")
    print(f"{'rows':>9} {'':10} {'false':>6} {'right':>6} {'Brier: edges':>13} {'arrows':>7}")
    for chosen, words in (*((slice(r, r + 1), f"{rows:,}") for r, rows in enumerate(ROWS)), (slice(None), "all")):
        part = sums[:, chosen].sum(axis=1)
        for s, scheme in enumerate(schemes[1:], 1):
            false, edges, arrows = (part[:, s, at].sum() / part[:, 0, at].sum() for at in (1, 3, 4))
            right = part[0, s, 2] / part[0, 0, 2]
            print(f"{words:>9} {scheme:10} {false:6.2f} {right:6.2f} {edges:13.2f} {arrows:7.2f}")
    print(f"\n{process_time():.0f} CPU s")


if __name__ == "__main__":
    main()
