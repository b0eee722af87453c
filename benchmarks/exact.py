"""Time and memory of the exact methods: every class, the exact posterior, the best graph, edge probabilities.

    python benchmarks/exact.py [--quick]

Every line is measured in its own process: CPU time on one core, and the increase of its peak memory over that of an
idle process with the data loaded. Data: 1000 rows of a linear Gaussian model whose nodes have 1.5 parents on average.
The column "per node" is the ratio to the previous line, per additional node; it shows exponential growth.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
from time import process_time

import numpy as np

import causal_zigzag as cz

SIZES = {
    "enumerate_cpdags": [4, 5, 6],
    "exact_posterior": [4, 5, 6],
    "best_graph": [10, 12, 14, 16, 18, 20, 22],
    "best_graph, max_parents=4": [16, 18, 20, 22],
    "exact_edge_posterior": [8, 10, 12, 14, 16, 18],
}
QUICK_AT_MOST = 16
ROWS = 1000


def gaussian(n: int) -> cz.GaussianBIC:
    """The score of random data."""
    rng = np.random.default_rng(n)
    weights = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < 3 / (n - 1)), 1)
    columns = rng.normal(size=(ROWS, n)) @ np.linalg.inv(np.eye(n) - weights)
    return cz.GaussianBIC(columns[:, rng.permutation(n)])


def run(method: str, n: int, score: cz.GaussianBIC) -> str:
    """Call the method once and describe the result."""
    if method == "enumerate_cpdags":
        return f"{sum(1 for _ in cz.enumerate_cpdags(n)):,} classes"
    if method == "exact_posterior":
        posterior = cz.exact_posterior(score, edge_prior=None)
        edges = posterior.edge_probabilities().adjacent.sum() / 2
        return f"{posterior.class_count:,} classes, {edges:.3f} edges expected"
    if method == "exact_edge_posterior":
        found = cz.exact_edge_posterior(score, edge_prior=None)
        return f"{found.adjacent.sum() / 2:.3f} edges expected, rounding {found.error:.1e}"
    best = cz.best_graph(score, max_parents=4 if "max_parents" in method else None)
    return f"{best.graph.edge_count} edges, log weight {best.log_weight:.3f}"


def peak() -> int:
    """The peak memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure(method: str, n: int) -> None:
    """Measure in this process and print one line for the parent process."""
    score = gaussian(n)
    before, start = peak(), process_time()
    found = run(method, n, score)
    print(json.dumps([process_time() - start, peak() - before, found]))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="up to 16 nodes")
    parser.add_argument("--measure", nargs=2, metavar=("METHOD", "N"), help="one line, for the program itself")
    options = parser.parse_args()
    if options.measure:
        measure(options.measure[0], int(options.measure[1]))
        return
    print(f"causal-zigzag {cz.__version__}; {platform.platform()}; Python {platform.python_version()}")
    for method, sizes in SIZES.items():
        print(f"\n{method}\n{'n':>4} {'time':>10} {'per node':>9} {'memory':>9}  found")
        last: tuple[int, float] | None = None
        for n in sizes:
            if options.quick and n > QUICK_AT_MOST:
                continue
            command = [sys.executable, __file__, "--measure", method, str(n)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            seconds, grown, found = json.loads(output)
            growth = f"× {(seconds / last[1]) ** (1 / (n - last[0])):.2f}" if last else ""
            print(f"{n:>4} {seconds * 1e3:>7.1f} ms {growth:>9} {grown / 1e6:>6.0f} MB  {found}", flush=True)
            last = n, seconds


if __name__ == "__main__":
    main()
