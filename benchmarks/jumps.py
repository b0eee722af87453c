"""Jumps per second, how the cost of a jump grows with the number of nodes, and the memory of a long run.

    python benchmarks/jumps.py [--quick]

CPU time on one core, with accumulation; flips are not counted. Every chain starts at the graph without edges and is
timed after a warm-up. Scored targets: data from linear Gaussian models on Erdős-Rényi graphs of average degree 3,
N = 1000, max_degree 10, with the default edge prior ("auto") and without one ("none").
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import warnings
from pathlib import Path

from common import chain, exponent, machine, seconds_per_jump
from random_models import erdos_renyi

import causal_zigzag as cz

UNIFORM = [20, 50, 100, 200]
SCORED = [10, 20, 50, 100, 200, 500, 1000]
LARGE = [2000, 5000]


def uniform(sizes: list[int], jumps: int) -> None:
    """Print the speed on the uniform target."""
    print("\nuniform target       no bound            max_degree 10")
    print(f"{'n':>6}  {'jumps/s':>10} {'edges':>6}   {'jumps/s':>10} {'edges':>6}")
    times: dict[int | None, list[float]] = {None: [], 10: []}
    for n in sizes:
        cells = []
        for bound, column in times.items():
            running = chain(cz.Uniform(n), max_degree=bound)
            running.run(20 * n, 60.0)
            column.append(seconds_per_jump(running, jumps))
            cells.append(f"{1 / column[-1]:>10,.0f} {running.edge_count:>6}")
        print(f"{n:>6}  {'   '.join(cells)}")
    for bound, column in times.items():
        print(f"  a jump costs n^{exponent(sizes, column):.2f} with max_degree {bound}")


def scored(sizes: list[int], jumps: int) -> None:
    """Print the speed with the Gaussian BIC."""
    print("\nGaussian BIC         edge prior auto              edge prior none")
    print(f"{'n':>6}  {'true edges':>10} {'jumps/s':>10} {'edges':>6} {'new rows':>8}   {'jumps/s':>10} {'edges':>6}")
    times: dict[str | None, list[float]] = {"auto": [], None: []}
    for n in sizes:
        data, edges = erdos_renyi(n, 1000, seed=n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cz.DataWarning)  # about as many columns as rows; max_degree is far below
            score = cz.GaussianBIC(data)
        cells = []
        for prior, column in times.items():
            running = chain(score, edge_prior=prior, max_degree=10)
            running.run(20 * n, 120.0)
            before = running.statistics()
            column.append(seconds_per_jump(running, max(2000, jumps * 10 // n)))
            after = running.statistics()
            new = (after.row_misses - before.row_misses) / max(1, after.jumps - before.jumps)
            cells.append(f"{1 / column[-1]:>10,.0f} {running.edge_count:>6} {new:>8.2f}")
        print(f"{n:>6}  {edges:>10} {'   '.join(cells)}", flush=True)
    for prior, column in times.items():
        print(f"  a jump costs n^{exponent(sizes, column):.2f} with edge prior {prior or 'none'}")


def memory(jumps: int) -> None:
    """Print the peak memory of one chain of 50 nodes; each target in a new process, because a peak never decreases."""
    print("\npeak memory (MiB) of one chain, n = 50, as jumps go on; all limits at their defaults")
    for kind in ("uniform", "scored"):
        command = [sys.executable, __file__, "--memory", kind, str(jumps)]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="", flush=True)


def memory_of(kind: str, jumps: int) -> None:
    """Print the line of one target."""
    score = cz.Uniform(50) if kind == "uniform" else cz.GaussianBIC(erdos_renyi(50, 1000, seed=50)[0])
    cells = [f"before {_peak():.0f}"]
    running = chain(score, max_degree=10)
    made, goal = 0, 10_000
    while goal <= jumps:
        while made < goal:
            made += running.run(goal - made, 10.0)
        cells.append(f"{goal:,}: {_peak():.0f}")
        goal *= 10
    listed = len(running.classes()["time"])
    print(f"  {kind:<8} {'   '.join(cells)}   ({listed:,} classes listed)")


def _peak() -> float:
    status = Path("/proc/self/status")
    if status.exists():  # on Linux, getrusage includes the memory of the parent process
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main() -> None:
    """Run all parts, or with --quick a small part that takes seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--memory", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        memory_of(options.memory[0], int(options.memory[1]))
        return
    print(machine())
    if options.quick:
        uniform([20, 50], 20_000)
        scored([10, 20, 50], 20_000)
        memory(100_000)
    else:
        uniform(UNIFORM, 100_000)
        scored(SCORED, 200_000)
        scored(LARGE, 200_000)
        memory(10_000_000)


if __name__ == "__main__":
    main()
