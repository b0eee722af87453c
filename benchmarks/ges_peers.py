"""Greedy search compared with other implementations: agreement of results, time, and distance to the truth.

    pip install ".[peers]"
    python benchmarks/ges_peers.py [--quick] [--limit SECONDS]

Data: linear Gaussian models on Erdős-Rényi graphs of average degree 3, columns of variance 1; penalty 1, and no edge
prior when packages are compared. Every line is measured in its own process with one thread. The process first runs on 8
nodes, so that times do not include imports and, for xges, compilation. A time is from the array of data to the graph,
and the median of five if it is below a second. The distance is the number of pairs of nodes whose edge differs from
that in the true CPDAG.

ges and causal-learn implement the same algorithm as cz.ges. xges is a different heuristic: XGES-0 prefers deletions and
also turns edges; XGES then deletes each edge once and searches again.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import statistics
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from time import perf_counter, process_time

import numpy as np
from common import machine
from numpy.typing import NDArray
from random_models import linear_gaussian

import causal_zigzag as cz

ROWS = 1000
PEERS = {"ges": "ges", "causal-learn": "causal-learn", "xges, XGES-0": "xges", "xges, XGES": "xges"}
DATA_SETS = 240

Matrix = NDArray[np.uint8]


def ours(data: NDArray[np.float64], **settings: object) -> Matrix:
    """This package."""
    return cz.ges(data, **{"edge_prior": None, **settings}).graph.matrix()  # type: ignore[arg-type]


def gamella(data: NDArray[np.float64]) -> Matrix:
    """The package ges."""
    import ges

    found, _ = ges.fit_bic(data, phases=["forward", "backward"])
    return (found != 0).astype(np.uint8)


def causal_learn(data: NDArray[np.float64]) -> Matrix:
    """The package causal-learn; in its matrix g[i, j] is the mark at i: -1 at the tail of an edge, 1 at its head."""
    from causallearn.search.ScoreBased.GES import ges

    g = ges(data, score_func="local_score_BIC", lambda_value=0.5)["G"].graph
    return ((g == -1) & (g.T != 0)).astype(np.uint8)


def xges(data: NDArray[np.float64], extended: bool) -> Matrix:
    """The package xges; alpha 1 is penalty 1."""
    from xges import XGES

    search = XGES(alpha=1.0)
    logging.disable()
    search.fit(data, extended_search=extended, verbose=0)
    return search.get_adjacency_matrix().astype(np.uint8)


METHODS: dict[str, Callable[[NDArray[np.float64]], Matrix]] = {
    "causal-zigzag": ours,
    "causal-zigzag, auto": lambda data: ours(data, edge_prior="auto"),
    "causal-zigzag, until-stable": lambda data: ours(data, phases="until-stable"),
    "ges": gamella,
    "causal-learn": causal_learn,
    "xges, XGES-0": lambda data: xges(data, extended=False),
    "xges, XGES": lambda data: xges(data, extended=True),
}


def distance(a: Matrix, b: Matrix) -> int:
    """The number of pairs whose edge differs between the two graphs."""
    return int(np.triu((a != b) | (a.T != b.T)).sum())


def measure(method: str, n: int) -> None:
    """Print one line for the parent process: CPU seconds, wall-clock seconds, score, edges, distance."""
    run = METHODS[method]
    run(linear_gaussian(8, ROWS, seed=1)[0])
    data, dag = linear_gaussian(n, ROWS, seed=n)
    times: list[tuple[float, float]] = []
    while not times or (len(times) < 5 and times[0][1] < 1):
        cpu, clock = process_time(), perf_counter()
        found = run(data)
        times.append((process_time() - cpu, perf_counter() - clock))
    graph = cz.CPDAG.from_matrix(found)
    truth = cz.CPDAG.from_dag(dag)
    cpu, clock = (statistics.median(t) for t in zip(*times, strict=True))
    score = cz.GaussianBIC(data).total(graph)
    print(json.dumps([cpu, clock, score, graph.edge_count, truth.edge_count, distance(found, truth.matrix())]))


def line(method: str, n: int, limit: float) -> float | None:
    """Measure in a new process and print; returns the CPU seconds, or None if there is no result."""
    head = f"{n:>5}  {method:<28}"
    threads = ("OMP", "OPENBLAS", "MKL", "NUMBA")
    one_thread = os.environ | {f"{name}_NUM_THREADS": "1" for name in threads}
    command = [sys.executable, "-W", "ignore", __file__, "--measure", method, str(n)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=one_thread, check=False)
    except subprocess.TimeoutExpired:
        print(f"{head} not within {limit:g} s", flush=True)
        return None
    if done.returncode:
        print(f"{head} skipped: {done.stderr.strip().splitlines()[-1][:100]}", flush=True)
        return None
    cpu, clock, score, edges, true_edges, off = json.loads(done.stdout.splitlines()[-1])
    print(f"{head} {cpu:>10.4f} s {clock:>10.4f} s {score:>14.3f} {edges:>6} {true_edges:>6} {off:>8}", flush=True)
    return float(cpu)


def title(text: str) -> None:
    """Print the title of a table."""
    print(
        f"\n{text}\n{'n':>5}  {'':<28} {'CPU':>12} {'clock':>12} {'score':>14} {'edges':>6} {'true':>6} {'distance':>8}"
    )


def agreement(data_sets: int) -> None:
    """Print how often ges and causal-learn find the same class, and the differences if they do not."""
    warnings.simplefilter("ignore")
    print(f"\nthe same CPDAG on {data_sets} data sets, 4 to 15 nodes, 100 to 2000 rows, average degree 1.5 to 3")
    for name in ("ges", "causal-learn"):
        same, theirs_better = 0, 0
        try:
            for seed in range(data_sets):
                n, rows, degree = 4 + seed % 12, (100, 500, 2000)[seed % 3], (1.5, 2.0, 3.0)[seed // 3 % 3]
                data, _ = linear_gaussian(n, rows, seed, degree)
                score = cz.GaussianBIC(data)
                found = cz.ges(score, edge_prior=None)
                theirs = METHODS[name](data)
                if (theirs == found.graph.matrix()).all():
                    same += 1
                    continue
                difference = explain(score, theirs, found.score)
                theirs_better += difference.startswith("+")
                print(f"    {name}, data set {seed}, {n} nodes: {difference}", flush=True)
        except ImportError as error:
            print(f"{name}: skipped, {error}")
            continue
        print(
            f"{name} {version(PEERS[name])}: {same} of {data_sets}, and a better score on {theirs_better}", flush=True
        )


def explain(score: cz.Score, theirs: Matrix, our_score: float) -> str:
    """How another graph differs from ours."""
    try:
        graph = cz.CPDAG.from_matrix(theirs)
    except cz.GraphError as error:
        return f"not a CPDAG: {error}"
    return f"{score.total(graph) - our_score:+.3g} in score"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="up to 50 nodes and 24 data sets")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one line")
    parser.add_argument("--measure", nargs=2, metavar=("METHOD", "N"), help="one line, for the program itself")
    options = parser.parse_args()
    if options.measure:
        measure(options.measure[0], int(options.measure[1]))
        return
    most = 50 if options.quick else math.inf
    print(machine())
    agreement(24 if options.quick else DATA_SETS)
    title(f"{ROWS} rows, average degree 3, no edge prior, one core")
    for n in (20, 50, 100):
        if n > most:
            continue
        own = line("causal-zigzag", n, options.limit)
        line("causal-zigzag, until-stable", n, options.limit)
        for name in PEERS:
            other = line(name, n, options.limit)
            if own and other:
                print(f"{'':>35} {other / own:>10,.0f} times the CPU time of causal-zigzag", flush=True)
    for n in (200, 500, 1000, 2000):
        if n <= most:
            line("causal-zigzag", n, options.limit)
    title('the same data with edge_prior="auto", and without one')
    for n in (50, 100, 200):
        if n <= most:
            line("causal-zigzag, auto", n, options.limit)
            line("causal-zigzag", n, options.limit)


if __name__ == "__main__":
    main()
