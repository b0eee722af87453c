"""What the phases of greedy search are worth: log weight and CPU time of forward and backward, turning, and search.

    OMP_NUM_THREADS=1 python benchmarks/ges_phases.py

Linear Gaussian tables of 1000 rows on Erdős-Rényi graphs of average degree 3, GaussianBIC, edge prior "auto", 20 tables
per line. A gain is the log weight minus that of forward and backward; the second number is the share of tables with a
gain.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from common import machine
from random_models import erdos_renyi

import causal_zigzag as cz

TABLES = 20
SEARCHES: dict[str, Callable[[cz.Score], Any]] = {
    "forward, backward": cz.ges,
    "and turning": lambda score: cz.ges(score, phases=("forward", "backward", "turning")),
    "until-stable": lambda score: cz.ges(score, phases="until-stable"),
    "search, 1 restart": lambda score: cz.search(score, restarts=1, rng=1),
}


def main() -> None:
    """Print one line per number of columns and search."""
    print(machine())
    print(f"{'columns':>7}  {'':<18}{'mean gain':>10}{'tables':>8}{'CPU ms':>10}")
    cz.ges(cz.GaussianBIC(erdos_renyi(10, 1000, seed=0)[0]))  # imports do not count
    for n in (10, 20, 50, 100):
        scores = [cz.GaussianBIC(erdos_renyi(n, 1000, seed=seed)[0]) for seed in range(TABLES)]
        weights = {}
        for name, search in SEARCHES.items():
            begun = process_time()
            weights[name] = np.array([search(score).log_weight for score in scores])
            seconds = process_time() - begun
            gains = weights[name] - weights["forward, backward"]
            share, time = (gains > 1e-6).mean(), 1000 * seconds / TABLES
            print(f"{n:>7}  {name:<18}{gains.mean():>10.2f}{share:>8.0%}{time:>10.2f}", flush=True)


if __name__ == "__main__":
    main()
