"""cz.search compared with XGES: log weight relative to the truth, distance to it, and CPU time.

    python benchmarks/search.py [--quick] [--xges PROGRAM] [--limit SECONDS] [--nodes N ...] [--objective NAME]

PROGRAM is the C++ program of XGES (Nazaret & Blei 2024), built from source; without it, and without the environment
variable XGES, only cz.search is measured. It is ended after SECONDS of CPU time (300).

Data: linear Gaussian models on Erdős-Rényi graphs, columns of variance 1. The objective is the BIC, with penalty 2, the
default of XGES, or with penalty 1 and an edge prior of log n per edge, the default here, which is alpha = 1 + 2 log n /
log N in XGES. "relative" is the log weight minus that of the true class, for the classical greedy search (ges), for
cz.search with default settings (cz) and for XGES; "wrong" is the number of pairs of nodes whose edge differs from that
in the true CPDAG. CPU times are from the table to the class. The two programs alternate, and which is first alternates.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import tempfile
import warnings
from pathlib import Path
from resource import RLIMIT_CPU, RUSAGE_CHILDREN, getrusage, setrlimit
from time import process_time
from typing import NamedTuple

import numpy as np
from common import machine
from numpy.typing import NDArray
from random_models import distance, linear_gaussian

import causal_zigzag as cz

CASES = [  # nodes, average degree, rows, tables
    (200, 4, 1_000, 3),
    (200, 6, 1_000, 3),
    (200, 8, 1_000, 2),
    (200, 12, 1_000, 1),
    (200, 4, 10_000, 3),
    (200, 6, 10_000, 3),
    (200, 8, 10_000, 1),
    (200, 12, 10_000, 1),
    (500, 4, 1_000, 3),
    (500, 8, 1_000, 1),
    (500, 4, 10_000, 1),
    (500, 8, 10_000, 1),
    (1_000, 4, 1_000, 1),
    (1_000, 4, 10_000, 1),
    (2_000, 4, 1_000, 1),
    (5_000, 4, 1_000, 1),
]
PENALTY_2, DEFAULT = "penalty 2", "default"


class Found(NamedTuple):
    """What one program reached, and its CPU time; no class if it was ended."""

    graph: cz.CPDAG | None
    seconds: float


def search(score: cz.GaussianBIC, prior: str | None) -> tuple[cz.SearchResult, float]:
    """The result of cz.search and its CPU time."""
    begun = process_time()
    found = cz.search(score, edge_prior=prior, rng=1, progress=False)
    return found, process_time() - begun


def xges(program: Path, data: NDArray[np.float64], alpha: float, limit: int) -> Found:
    """The result of the program of XGES; its CPU time includes reading the table."""
    with tempfile.TemporaryDirectory() as name:
        files = {key: Path(name) / key for key in ("table.npy", "graph", "stats")}
        np.save(files["table.npy"], np.ascontiguousarray(data))
        command = [str(program), "--input", files["table.npy"], "--output", files["graph"], "--stats", files["stats"]]
        before = getrusage(RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(
            [*map(str, command), "-a", repr(alpha), "-v", "0"],
            check=False,
            capture_output=True,
            preexec_fn=lambda: setrlimit(RLIMIT_CPU, (limit, limit)),
        )
        seconds = getrusage(RUSAGE_CHILDREN).ru_utime - before
        if done.returncode and seconds < 0.9 * limit:  # not the limit
            raise SystemExit(f"XGES ended with {done.returncode}: {done.stderr.decode()}")
        if done.returncode:
            return Found(None, seconds)
        return Found(cz.CPDAG.from_pdag(np.loadtxt(files["graph"], delimiter=",", skiprows=1, dtype=np.uint8)), seconds)


def measure(case: tuple[int, int, int], seed: int, objective: str, program: Path | None, limit: int) -> None:
    """Print one line."""
    n, degree, rows = case
    data, dag = linear_gaussian(n, rows, seed, degree)
    penalty, prior = (2.0, None) if objective == PENALTY_2 else (1.0, "auto")
    alpha = penalty if prior is None else 1 + 2 * math.log(n) / math.log(rows)
    peer = xges(program, data, alpha, limit) if program and seed % 2 else None
    begun = process_time()
    score = cz.GaussianBIC(data, penalty=penalty)
    reading = process_time() - begun
    found, seconds = search(score, edge_prior=prior)
    if program and peer is None:
        peer = xges(program, data, alpha, limit)
    truth = cz.CPDAG.from_dag(dag, score.nodes)
    best = found.target.log_weight(truth)
    line = f"{n:>5} {degree:>6} {rows:>6} {objective:<9} {seed:>4} {found.greedy - best:>+10.1f}"
    line += f" {found.log_weight - best:>+10.2f} {distance(found.graph.matrix(), truth.matrix()):>6}"
    line += f" {reading + seconds:>7.2f} {f'{found.times_found} of {len(found.restarts)}':>8}"
    if peer and peer.graph:
        line += f" {found.target.log_weight(peer.graph) - best:>+10.2f}"
        line += f" {distance(peer.graph.matrix(), truth.matrix()):>6} {peer.seconds:>7.2f}"
    elif peer:
        line += f" {'':>10} {'':>6} {f'>{peer.seconds:.0f}':>7}"
    print(line, flush=True)


def main() -> None:
    """Measure all cases, or with --quick the smallest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--xges", default=os.environ.get("XGES"), metavar="PROGRAM")
    parser.add_argument("--limit", type=int, default=300, metavar="SECONDS")
    parser.add_argument("--nodes", type=int, nargs="*", metavar="N", help="only tables of these numbers of columns")
    parser.add_argument("--objective", choices=(PENALTY_2, DEFAULT), help="only this one")
    options = parser.parse_args()
    warnings.simplefilter("ignore", cz.DataWarning)  # of fewer rows than columns
    program = Path(options.xges) if options.xges else None
    print(machine())
    if program is None or not program.is_file():
        print(f"XGES is not measured: {'no program is given' if program is None else f'{program} is not a file'}")
        program = None
    print(
        f"\n{'':>33} {'relative':>21} {'wrong':>6} {'CPU s':>7} {'best':>8} {'relative':>10} {'wrong':>6} {'CPU s':>7}"
    )
    print(f"{'n':>5} {'degree':>6} {'rows':>6} {'objective':<9} seed {'ges':>10} ", end="")
    print(f"{'cz':>10} {'cz':>6} {'cz':>7} {'restarts':>8} {'XGES':>10} {'XGES':>6} {'XGES':>7}")
    for n, degree, rows, tables in CASES[:1] if options.quick else CASES:
        for seed in range(1, tables + 1) if not options.nodes or n in options.nodes else ():
            for objective in [options.objective] if options.objective else (PENALTY_2, DEFAULT):
                measure((n, degree, rows), seed, objective, program, options.limit)


if __name__ == "__main__":
    main()
