"""Time and memory of causal effects of a posterior with at least 100,000 listed classes.

    python benchmarks/effects.py [--quick]     # about a minute; --quick: 10,000 classes

effects() computes all n (n - 1) effects with intervals and Monte Carlo errors, ancestors() the probabilities that one
node is above another, effect(x, y) one effect. Times are CPU seconds of one thread. Each line is measured in a process
of its own: memory is the peak of the process before and after effects(). With fewer rows the posterior is
flatter, with more parent sets.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import process_time

if __name__ == "__main__":  # one thread in matrix products, before numpy is imported
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from common import machine
from random_models import linear_gaussian

import causal_zigzag as cz
from causal_zigzag.answers.effects.parent_sets import parent_set_tables

CLASSES, QUICK = 100_000, 10_000
CASES = [(20, 200), (20, 50), (50, 200), (50, 100), (100, 200)]  # nodes, rows
HEAD = f"{'n':>4} {'rows':>5} {'classes':>9} {'parent sets':>12} {'effects()':>11} {'ancestors()':>12}"
HEAD += f" {'effect(x, y)':>13} {'memory, before and after':>26}"


def posterior_of(n: int, rows: int, classes: int) -> cz.Posterior:
    """A posterior with at least this number of listed classes."""
    data, _ = linear_gaussian(n, rows, seed=1)
    jumps = classes // 4
    while True:
        run = cz.sample(
            cz.GaussianBIC(data),
            jumps=jumps,
            chains=4,
            rng=1,
            settings=cz.Settings(max_classes=2 * classes),
            edge_prior=None,
            progress=False,
        )
        if run.class_count >= classes:
            return run
        jumps *= 2


def peak() -> float:
    """The largest memory of this process so far, in MB; only in /proc is it not inherited from the parent."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


def measure(n: int, rows: int, classes: int) -> str:
    """One line of the table."""
    import pandas  # noqa: F401 - so that no time includes its import

    run = posterior_of(n, rows, classes)
    run.draws()
    before = peak()
    begun = process_time()
    table = run.effects()
    whole = process_time() - begun
    after = peak()
    assert len(table) == n * (n - 1)
    begun = process_time()
    run.ancestors()
    above = process_time() - begun
    begun = process_time()
    run.effect(table["cause"][0], table["outcome"][0])
    single = process_time() - begun
    sets = sum(len(part) for part in parent_set_tables(run._classes.parts))
    times = f"{whole:>9.2f} s {above:>10.2f} s {single:>11.2f} s"
    memory = f"{before:>14.0f} MB {after:>6.0f} MB"
    return f"{n:>4} {rows:>5} {run.class_count:>9,} {sets:>12,} {times} {memory}"


def main() -> None:
    """Print the table."""
    classes = QUICK if "--quick" in sys.argv else CLASSES
    print(machine())
    print()
    print(HEAD, flush=True)
    for n, rows in CASES:
        command = [sys.executable, __file__, "--one", str(n), str(rows), str(classes)]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip("\n"), flush=True)


if __name__ == "__main__":
    if "--one" in sys.argv:
        print(measure(*map(int, sys.argv[2:5])))
    else:
        main()
