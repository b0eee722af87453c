"""Compares the speed of two builds of the core: jumps per second of the same chains, in alternating windows.

    python benchmarks/versions.py OLD NEW [--rounds 60] [--seconds 0.05] [--quick] [--old-script SCRIPT]

OLD and NEW are folders into which a build was installed (``pip install --target``), or ``src`` folders with a compiled
core in them; only the compiled core is loaded. Each build runs in a process of its own, both on the same processor
core and never at the same time. An old core whose chains take other arguments needs the script of its version
(``git show COMMIT:benchmarks/versions.py > benchmarks/versions_before.py``). A window is a fixed number of jumps, the
same for both builds, and costs CPU time. Chains begin at the graph without edges and run 20 n jumps before the first
window. Scored chains have data of jumps.py, max_degree 10 and an edge prior of log n per edge; uniform chains have no
bound. Sparse chains are those of large tables: average degree 4, the balance auto with c = 0.01, no bound, from the
class of the true DAG after n jumps; --sparse compares only these.

The ratio is that of the speeds, new to old, above 1 where the new build is faster: the median over the windows, with
quartiles. "same path" says whether both chains had the same number of edges and, up to rounding, the same score after
every window.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from random_models import linear_gaussian

SCORED = [10, 20, 50, 100, 200, 500]
UNIFORM = [20, 50, 100, 200]
SPARSE = [20, 50, 100, 200, 500, 1000, 2000, 5000]


def load_core(folder: str) -> Any:
    """The compiled module below a folder."""
    found = sorted(Path(folder).rglob("causal_zigzag/_core*.so"))
    if len(found) != 1:
        raise SystemExit(f"expected one causal_zigzag/_core*.so below {folder}, found {len(found)}")
    spec = importlib.util.spec_from_file_location("causal_zigzag._core", found[0])
    if spec is None or spec.loader is None:
        raise SystemExit(f"{found[0]} cannot be loaded")
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    return core


def gaussian_bic(core: Any, n: int, data: NDArray[np.float64]) -> Any:
    """The score of simulated data, with penalty 1."""
    samples = len(data)
    correlation = np.ascontiguousarray(np.corrcoef(data, rowvar=False))
    k = np.arange(n + 1)
    c = -samples / 2 - (1 + k) * math.log(samples) / 2
    return core.gaussian_score(correlation, np.log(data.var(axis=0)), np.full(n + 1, samples / 2), c, 0.0)


def make_chain(core: Any, kind: str, n: int) -> Any:
    """A chain at its start, with the default limits of memory."""
    data, dag = linear_gaussian(n, 1000, n, 4.0 if kind == "sparse" else 3.0)
    settings = core.ChainSettings(
        score=None if kind == "uniform" else gaussian_bic(core, n, data),
        prior=core.EdgePrior(0.0 if kind == "uniform" else -math.log(n)),
        max_degree=min(n, 10) if kind == "scored" else n,
        seed=np.random.SeedSequence(1).generate_state(4, np.uint64),
        most_classes=100_000,
        most_deltas=100_000 * 64,
        trace_points=4096,
        cache_bytes=64 * 2**20,
    )
    if hasattr(settings, "unlikely_below") and n > 128:
        settings.unlikely_below = -6.0  # as sampler/core_chain.py has it
    if kind != "sparse":
        return core.make_chain(core.Graph.empty(n), settings)
    settings.balance, settings.sqrt_weight = core.Balance.auto, 0.01
    return core.make_chain(core.Graph.from_dag(dag), settings)


def work(folder: str) -> None:
    """Answer requests, one per line: ["make", kind, n] or ["run", jumps]."""
    core = load_core(folder)
    chain: Any = None
    for line in sys.stdin:
        request = json.loads(line)
        if request[0] == "make":
            chain = make_chain(core, request[1], request[2])
            request = ["run", request[2] if request[1] == "sparse" else 20 * request[2]]
        begun = process_time()
        made = chain.run(request[1], 600.0)
        seconds = process_time() - begun
        print(json.dumps([made, seconds, chain.edge_count, chain.score]), flush=True)


class Worker:
    """A process with one build."""

    def __init__(self, folder: str, script: str) -> None:
        command = [sys.executable, script, "--work", folder]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *request: Any) -> tuple[int, float, int, float]:
        """The jumps made, their CPU time, and where the chain then is."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(request), file=self.process.stdin, flush=True)
        made, seconds, edges, score = json.loads(self.process.stdout.readline())
        return made, seconds, edges, score


def alike(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two chains have the same number of edges, and the same score up to rounding."""
    return one[0] == other[0] and math.isclose(one[1], other[1], rel_tol=1e-9, abs_tol=1e-6)


def compare(old: Worker, new: Worker, kind: str, n: int, rounds: int, seconds: float) -> None:
    """Print one line."""
    for worker in (old, new):
        worker.ask("make", kind, n)
    fewest = 2000 if n <= 1000 else 300
    made, spent, *at_old = old.ask("run", fewest)
    _, _, *at_new = new.ask("run", fewest)
    same = alike(at_old, at_new)
    jumps = max(fewest, round(made / spent * seconds))
    ratios, speeds = [], []
    for i in range(rounds):
        pair = {}
        for worker in (old, new) if i % 2 else (new, old):
            pair[worker] = worker.ask("run", jumps)
        same = same and alike(pair[old][2:], pair[new][2:])
        ratios.append(pair[old][1] / pair[new][1])
        speeds.append(jumps / pair[new][1])
    low, median, high = quantiles(ratios, n=4)
    speed = quantiles(speeds, n=4)[1]
    print(
        f"{kind:<8} {n:>5} {speed:>12,.0f}   {median:.3f} ({low:.3f} to {high:.3f})   {'yes' if same else 'no'}",
        flush=True,
    )


def main() -> None:
    """Compare all sizes, or with --quick the small ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.05, help="CPU time of a window of the old build, about")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sparse", action="store_true")
    parser.add_argument("--old-script", default=__file__, help="the versions.py that came with the old build")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.old)
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    old, new = Worker(options.old, options.old_script), Worker(options.new, __file__)
    print("target       n  new jumps/s   new / old (quartiles)    same path")
    kinds = {"sparse": SPARSE} if options.sparse else {"scored": SCORED, "uniform": UNIFORM}
    for kind, sizes in kinds.items():
        for n in sizes[:2] if options.quick else sizes:
            compare(old, new, kind, n, options.rounds, options.seconds)


if __name__ == "__main__":
    main()
