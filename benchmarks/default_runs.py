"""Runs without any settings: their verdict, their time, and how far they are from exact answers or from the truth.

    python benchmarks/default_runs.py

"exact" is the largest difference of an adjacency from its exact probability under the uniform prior over DAGs. For
simulated data (linear Gaussian models on random graphs, 1,000 rows, seed 1), "sure" counts pairs with a probability
above 0.9 and "right" those of them that are joined in the true graph. Seconds are by the clock and of the processors.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from common import machine
from random_models import linear_gaussian
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

import causal_zigzag as cz

SIMULATED = ((30, 3), (50, 4), (100, 4), (200, 4))  # nodes, average degree


def cases() -> Iterator[tuple[str, Any, np.ndarray | None]]:
    """A name, a table and the true DAG if it is known."""
    for name in ("sachs-log", "sachs", "alzheimer", "galton", "college-plans"):
        yield name, cz.datasets.load(name), None
    for name, load in (("wine", load_wine), ("diabetes", load_diabetes), ("breast cancer", load_breast_cancer)):
        yield name, load(as_frame=True).frame, None
    for n, degree in SIMULATED:
        data, dag = linear_gaussian(n, 1000, 1, degree)
        yield f"simulated {n}", data, dag


def main() -> None:
    """Print a line per table."""
    warnings.simplefilter("ignore")
    print(machine())
    print(f"\n{'table':<14} {'columns':>7} {'jumps':>10} {'clock s':>7} {'CPU s':>6} {'sound':>5} {'R-hat':>6} "
          f"{'exact':>6} {'sure':>5} {'right':>5}")  # fmt: skip
    for name, table, dag in cases():
        clock, cpu = time.monotonic(), time.process_time()
        posterior = cz.sample(table, rng=1, progress=False)
        clock, cpu = time.monotonic() - clock, time.process_time() - cpu
        found = posterior.diagnostics()
        exact = "" if found.exact is None else f"{found.exact.largest_difference:.3f}"
        sure = right = ""
        if dag is not None:
            pairs = np.triu(posterior.edge_probabilities().adjacent > 0.9)
            sure, right = str(pairs.sum()), str((pairs & ((dag + dag.T) > 0)).sum())
        jumps = sum(s.jumps for s in posterior.statistics)
        worst = float(np.nanmax(found.table["r_hat"]))
        sound = "yes" if found.ok else "no"
        print(f"{name:<14} {len(posterior.nodes):>7} {jumps:>10,} {clock:>7.0f} {cpu:>6.1f} {sound:>5} {worst:>6.3f} "
              f"{exact:>6} {sure:>5} {right:>5}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
