"""Many chains: throughput by number of threads, and the cost of checkpoints, executors and one row cache per chain.

The machine may be shared: CPU time shows the loss from waiting for memory or Python's lock, wall time also depends on
the available processors.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from common import chain, machine
from random_models import erdos_renyi

import causal_zigzag as cz
from causal_zigzag.sampler.checkpoint.chain_files import PARTS, SavedChain
from causal_zigzag.sampler.checkpoint.checkpoint import INTERVAL
from causal_zigzag.sampler.warmup import WarmUp
from causal_zigzag.storage.container import to_bytes
from causal_zigzag.support.atomic_write import replace_file


def scored(n: int) -> cz.Score:
    """The score of random data."""
    return cz.GaussianBIC(erdos_renyi(n, 1000, seed=n)[0])


def throughput(n: int, jumps: int) -> None:
    """Print jumps per second of wall-clock time and of CPU time."""
    score = scored(n)
    print(f"\nn = {n}, 4 chains of {jumps:,} jumps each, by number of threads")
    print("threads   jumps a second   jumps a CPU second")
    for threads in (1, 2, 4):
        with ThreadPoolExecutor(threads) as pool:
            wall, cpu = perf_counter(), process_time()
            cz.sample(score, jumps=jumps, settings=cz.Settings(warmup=0), rng=1, progress=False, executor=pool)
            wall, cpu = perf_counter() - wall, process_time() - cpu
        print(f"{threads:7d} {4 * jumps / wall:16,.0f} {4 * jumps / cpu:20,.0f}")


def checkpoints(n: int, jumps: int) -> None:
    """Print the time to write the state of a chain after a long run."""
    running = chain(scored(n))
    while running.statistics().jumps < jumps:
        running.run(jumps, 5.0)
    times = []
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for i in range(5):
            begun = perf_counter(), process_time()
            saved = SavedChain.of(running, WarmUp.fixed(0))
            replace_file(Path(folder, f"{i}"), to_bytes(saved, PARTS))
            times.append((perf_counter() - begun[0], process_time() - begun[1]))
    wall, cpu = np.median(times, axis=0)
    listed = len(running.classes()["time"])
    print(
        f"{n:5d} {jumps:12,} {listed:9,} {len(saved.state()) / 1e6:10.1f} {1000 * wall:10.0f} {1000 * cpu:9.0f} "
        f"{wall / INTERVAL:10.2%}"
    )


def executors(n: int, jumps: int) -> None:
    """Print the time of a short call, most of which is overhead."""
    score = scored(n)
    run = {"jumps": jumps, "settings": cz.Settings(warmup=0), "rng": 1, "progress": False, "chains": 2}
    print(f"\nexecutors: n = {n}, 2 chains of {jumps:,} jumps; seconds of a call, the median of 5 after a first one")

    def show(name: str, executor: object) -> None:
        times = []
        for _ in range(6):
            begun = perf_counter()
            cz.sample(score, executor=executor, **run)  # type: ignore[arg-type]
            times.append(perf_counter() - begun)
        print(f"  {name:24} {np.median(times[1:]):6.3f}")

    show("threads", None)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        show("process pool", pool)
    try:
        from distributed import Client
    except ImportError:
        return
    warnings.simplefilter("ignore")
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None, set_as_default=False) as client:
        show("Dask, two processes", client)


def row_cache(n: int, jumps: int) -> None:
    """Print an upper bound of the gain from a cache shared by chains: the time spent on rows that were not cached."""
    score = scored(n)
    running = chain(score)
    while running.statistics().jumps < jumps:  # skip the initial climb from the empty graph
        running.run(jumps, 5.0)
    before = running.statistics()
    begun = process_time()
    while running.statistics().jumps < 2 * jumps:
        running.run(jumps, 5.0)
    spent = process_time() - begun
    after = running.statistics()
    misses, lookups = (after[f"row_{what}"] - before[f"row_{what}"] for what in ("misses", "lookups"))
    parents = running.graph().parents(n // 2)[:4]
    core = score.core_score()
    assert core is not None
    begun = process_time()
    for _ in range(2000):
        core.row(n // 2, parents)
    row = (process_time() - begun) / 2000
    evicted = after.row_evictions - before.row_evictions
    print(
        f"{n:5d} {jumps:10,} {lookups / jumps:12.2f} {misses / lookups:10.2%} {evicted / max(1, misses):9.0%} "
        f"{1e6 * row:10.1f} {misses * row / spent:10.1%}"
    )


def main() -> None:
    """Print the tables."""
    quick = "--quick" in sys.argv
    print(machine() + f"; load {os.getloadavg()[0]:.1f}")
    for n, jumps in ((50, 300_000), (200, 100_000)):
        throughput(n, jumps // 10 if quick else jumps)
    print(f"\none checkpoint of one chain; by default they are written every {INTERVAL:g} s")
    print("    n        jumps   classes   megabytes   ms (wall)  ms (CPU)   share of the interval")
    for n, jumps in ((20, 1_000_000), (50, 1_000_000), (200, 500_000)):
        checkpoints(n, jumps // 10 if quick else jumps)
    executors(50, 20_000)
    print(
        "\nrow caches of their own (64 MiB): what sharing them could save at most, all time in rows that were missing"
    )
    print("    n      jumps lookups/jump     missing  after eviction  µs a row  of the time")
    for n, jumps in ((20, 500_000), (50, 300_000), (100, 200_000), (200, 100_000)):
        row_cache(n, jumps // 10 if quick else jumps)


if __name__ == "__main__":
    main()
