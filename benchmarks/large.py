"""Default runs on tables of many columns: verdict, time, memory, and the distance from the graph that made the data.

    python benchmarks/large.py [200:1 500:1 1000:2 2000:5] [--degree 4] [--rows 1000] [--seed 1] [--unpolished]

An argument is a number of columns and the minutes of the run. The data are from linear Gaussian models on random
graphs, and the score is GaussianBIC. "squared" is the sum over all pairs of the squared difference between the
probability of an adjacency and the truth (1 or 0), beside the number of true edges; "expected" is the expected number
of edges. Seconds are by the clock and of the processors, without the diagnostics after the run; on a machine that is
shared with others the two differ by more than the number of cores. Each run is a process of its own, because memory is
the peak of a process. With --unpolished chains begin where they were cooled to, as those of smaller tables do, and not
where greedy search leads from there.

    python benchmarks/large.py andes.bif.gz:1 pigs.bif.gz:1

An argument that is a file is a network of the bnlearn repository, from which rows are drawn, and the score is BDeu.
The package pgmpy contains these files.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from common import machine
from networks import draw_network
from random_models import linear_gaussian

import causal_zigzag as cz
from causal_zigzag.sampler import settings
from causal_zigzag.sampler.annealing import schedule

CASES = ("200:1", "500:1", "1000:2", "2000:5")


def run(case: str, degree: float, rows: int, seed: int) -> None:
    """Print a line."""
    name, minutes = case.rsplit(":", 1)
    data, dag = (
        draw_network(Path(name), rows, seed) if name.endswith("gz") else linear_gaussian(int(name), rows, seed, degree)
    )
    score = "bdeu" if name.endswith("gz") else "gaussian-bic"
    clock, cpu = time.monotonic(), time.process_time()
    posterior = cz.sample(data, score=score, minutes=float(minutes), rng=seed, progress=False)
    clock, cpu = time.monotonic() - clock, time.process_time() - cpu
    found = posterior.diagnostics()
    used = [int(node) if score != "bdeu" else data.columns.get_loc(node) for node in posterior.nodes]
    joined = (dag + dag.T)[np.ix_(used, used)]
    adjacent = posterior.edge_probabilities().adjacent
    squared = float(np.triu((adjacent - joined) ** 2, 1).sum())
    jumps = sum(s.jumps for s in posterior.statistics)
    print(f"{Path(name).name.split('.')[0]:<7} {len(used):>7} {clock:>7.0f} {cpu:>6.0f} {jumps:>10,} "
          f"{'yes' if found.ok else 'no':>5} {np.nanmax(found.table['r_hat']):>6.3f} {squared:>8.2f} "
          f"{joined.sum() // 2:>6} {adjacent.sum() / 2:>8.1f} "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:>5.2f}", flush=True)  # fmt: skip


def main() -> None:
    """Print a line per table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--degree", type=float, default=4)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unpolished", action="store_true")
    parser.add_argument("--line", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.unpolished:
        settings.UNPOLISHED_NODES = schedule.UNPOLISHED_NODES = sys.maxsize
    if given.line:
        return run(given.cases[0], given.degree, given.rows, given.seed)
    print(machine())
    print(f"\n{'table':<7} {'columns':>7} {'clock s':>7} {'CPU s':>6} {'jumps':>10} {'sound':>5} {'R-hat':>6} "
          f"{'squared':>8} {'edges':>6} {'expected':>8} {'GB':>5}", flush=True)  # fmt: skip
    for case in given.cases:
        options = [f"--{name}={getattr(given, name)}" for name in ("degree", "rows", "seed")]
        options += ["--line", *(["--unpolished"] if given.unpolished else [])]
        subprocess.run([sys.executable, __file__, case, *options], check=True)
    return None


if __name__ == "__main__":
    main()
