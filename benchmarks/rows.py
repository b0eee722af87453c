"""Rows of score differences per second for each family of scores, compared with single local scores and other packages.

    python benchmarks/rows.py            # a few minutes; --quick: the smallest size only

A row contains the differences for adding or removing each of n - 1 nodes in the parent set of one node; here the node
has two parents. The last columns are the rows per second if the core's local score is computed for every x separately,
and if another package's local score is used (extra ``peers``; a dash if it is not installed), timed on a few calls.
Time is CPU time on one core.
"""

import importlib
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table

PARENTS = 2


def pace(call: Callable[[int], object], seconds: float = 0.3) -> float:
    """Calls per second of CPU time."""
    start = time.process_time()
    count = 0
    while (spent := time.process_time() - start) < seconds or count == 0:
        call(count)
        count += 1
    return count / spent


def continuous(n: int, rows: int) -> NDArray[np.float64]:
    """Continuous columns in a chain: each depends on the previous one."""
    x = np.random.default_rng(0).normal(size=(rows, n))
    for j in range(1, n):
        x[:, j] += 0.5 * x[:, j - 1]
    return x


def categorical(n: int, rows: int, levels: int = 3) -> NDArray[np.int8]:
    """Categorical columns in a chain: each copies the previous one half of the time."""
    rng = np.random.default_rng(0)
    x = np.empty((n, rows), dtype=np.int8)
    for j in range(n):
        x[j] = rng.integers(levels, size=rows)
        if j:
            copy = rng.random(rows) < 0.5
            x[j, copy] = x[j - 1, copy]
    return x.T


def mixed(n: int, rows: int) -> dict[int, NDArray[np.generic]]:
    """Columns of which every other one is categorical."""
    numbers, codes = continuous(n, rows), categorical(n, rows)
    return {j: codes[:, j] if j % 2 else numbers[:, j] for j in range(n)}


FAMILIES: dict[str, tuple[Callable[[int, int], Any], Callable[[Any], cz.Score]]] = {
    "GaussianBIC": (continuous, cz.GaussianBIC),
    "BGe": (continuous, cz.BGe),
    "MixedBIC": (mixed, cz.MixedBIC),
    "DiscreteBIC": (categorical, cz.DiscreteBIC),
    "BDeu": (categorical, cz.BDeu),
}


def load(module: str) -> Any:
    """The module, or None if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def peer_local(family: str, data: Any) -> tuple[str, Callable[[int, list[int]], object]] | None:
    """The name of a peer, and its local score of the same family."""
    causal_learn = load("causallearn.score.LocalScoreFunction")
    pgmpy, sumu = load("pgmpy.structure_score"), load("sumu.scores.bge")
    if family == "GaussianBIC" and causal_learn:
        moments = np.cov(data.T, ddof=0), len(data)
        return "causal-learn", lambda y, S: causal_learn.local_score_BIC_from_cov(moments, y, S)
    if family == "BGe" and sumu:
        bge = sumu.BGe(SimpleNamespace(n=data.shape[1], N=len(data), data=data), maxid=-1)
        return "sumu", lambda y, S: (bge.clear_cache(), bge.local(y, S))
    if family in {"BDeu", "DiscreteBIC"} and pgmpy:
        import pandas as pd

        names = [f"v{j}" for j in range(data.shape[1])]
        make = pgmpy.BDeu if family == "BDeu" else pgmpy.BIC
        score = make(pd.DataFrame(data, columns=names).astype("category"))
        return "pgmpy", lambda y, S: score._local_score(names[y], tuple(names[p] for p in S))
    return None


def measure(family: str, n: int, rows: int) -> None:
    """Print one line of the table."""
    make_data, make_score = FAMILIES[family]
    data = make_data(n, rows)
    start = time.process_time()
    core = make_score(data).core_score()
    made = time.process_time() - start
    assert core is not None
    rng = np.random.default_rng(1)
    drawn = [[int(v) for v in rng.permutation(n)[: PARENTS + 1]] for _ in range(64)]
    sets = [(y, sorted(rest)) for y, *rest in drawn]

    def one_at_a_time(i: int) -> None:
        y, S = sets[i % 64]
        for x in range(n):
            core.local(y, S if x == y else sorted({*S} ^ {x}))

    fast, slow = pace(lambda i: core.row(*sets[i % 64])), pace(one_at_a_time)
    peer = peer_local(family, data)
    other = f"{pace(lambda i: peer[1](*sets[i % 64]), 0.1) / n:9.3g} {peer[0]}" if peer else "        -"
    print(f"{family:12} {n:5} {rows:7} {made:9.2f} {fast:10.0f} {slow:13.1f} {fast / slow:7.1f} {other}", flush=True)


def alike_rows() -> None:
    """Print times for data with few distinct rows: they are compressed, so the cost does not depend on N."""
    print("\n8 binary columns, BDeu, 3 parents: rows of data that are alike are one row with a weight")
    print(f"{'N':>8} {'different':>10} {'setup s':>8} {'rows/s':>10}")
    for rows in (10_000, 100_000, 1_000_000):
        table = read_table(categorical(8, rows, levels=2), kinds="categorical")
        start = time.process_time()
        score = cz.BDeu(table)
        made = time.process_time() - start
        row = score.core_score().row  # type: ignore[union-attr]
        sets = [(y, sorted((y + d) % 8 for d in (1, 2, 3))) for y in range(8)]
        speed = pace(lambda i, row=row, sets=sets: row(*sets[i % 8]))  # type: ignore[misc]
        print(f"{rows:8} {score._codes.shape[1]:10} {made:8.3f} {speed:10.0f}", flush=True)


def main() -> None:
    """Print the figures."""
    print(machine())
    print(
        f"{'score':12} {'n':>5} {'N':>7} {'setup s':>9} {'rows/s':>10} {'one by one/s':>13} {'ratio':>7} peer's rows/s"
    )
    sizes = [(50, 1_000)] if "--quick" in sys.argv else [(n, N) for n in (50, 200, 1000) for N in (1000, 10**4, 10**5)]
    for family in FAMILIES:
        for n, rows in sizes:
            if rows > 2 * n or family not in {"GaussianBIC", "MixedBIC"}:  # otherwise the columns are collinear
                measure(family, n, rows)
    alike_rows()


if __name__ == "__main__":
    main()
