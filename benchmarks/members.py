"""Time to count the DAGs of a class and to draw one of them, as the class grows.

    python benchmarks/members.py [--quick]

CPU time on one core, and the fitted exponent of its growth. Classes: random chordal graphs (every node joins a clique
of at most four earlier ones), mixed classes (the same with occasional v-structures), complete graphs, and threshold
graphs, whose cliques are nested as deeply as possible, the worst case. The package cliquepicking (in Rust, by the
authors of the algorithm) runs on the same classes, and the results are compared. The last table is the time to compute
the sizes of all classes of a sample, as in posterior.reweight("dags").
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from common import exponent, machine
from random_models import erdos_renyi

import causal_zigzag as cz
from causal_zigzag.posterior.reweighting import weight_ess

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from random_graphs import chordal_dag, mixed_dag

SIZES = {
    "chordal": [50, 100, 200, 500, 1000],
    "mixed": [50, 100, 200, 500, 1000],
    "complete": [50, 100, 200, 500],
    "threshold": [25, 50, 100, 200],
}
QUICK_AT_MOST = 100


def make(kind: str, n: int) -> cz.CPDAG:
    """A class of this kind."""
    if kind == "complete":
        return cz.CPDAG.complete(n)
    if kind == "threshold":
        return cz.CPDAG.from_edges(n, undirected=[(a, b) for a in range(0, n, 2) for b in range(a + 1, n)])
    grow = chordal_dag if kind == "chordal" else mixed_dag
    return cz.CPDAG.from_dag(grow(n, np.random.default_rng(n)))


def seconds(work: Callable[[], object], least: float = 0.1) -> float:
    """CPU time per call, over enough calls to be measurable."""
    begun, calls = process_time(), 0
    while process_time() - begun < least or not calls:
        work()
        calls += 1
    return (process_time() - begun) / calls


def growth(kind: str, sizes: list[int]) -> None:
    """Print the table of one kind of classes."""
    try:
        from cliquepicking import mec_size
    except ImportError:
        mec_size = None
    print(f"\n{kind}\n{'n':>5} {'members':>10} {'count':>12} {'peer':>12} {'100 draws':>12}")
    times = []
    for n in sizes:
        g = make(kind, n)
        size = g.count_dags()
        times.append(seconds(g.count_dags))
        peer = ""
        if mec_size is not None:
            edges = [(int(x), int(y)) for x, y in np.argwhere(g.matrix())]
            if mec_size(edges) != size:
                raise SystemExit(f"the peer disagrees about {g!r}")
            peer = f"{seconds(lambda edges=edges: mec_size(edges)) * 1e3:9.3f} ms"
        draws = seconds(lambda g=g: g.random_dags(100, 1))
        digits = len(str(size)) - 1
        print(
            f"{n:>5} {f'10^{digits}':>10} {times[-1] * 1e3:>9.3f} ms {peer:>12} {draws * 1e3:>9.3f} ms",
            flush=True,
        )
    print(f"time of a count ~ n^{exponent(sizes, times):.2f}")


def many(n: int, jumps: int) -> None:
    """Print the time to compute the sizes of the classes of a sample."""
    data, _ = erdos_renyi(n, 300, seed=n)
    posterior = cz.sample(data, jumps=jumps, chains=1, settings=cz.Settings(max_classes=jumps), rng=1, progress=False)
    listed = posterior.class_count
    begun = process_time()
    weighted = posterior.reweight("dags")
    took = process_time() - begun
    begun = process_time()
    weighted.sample_dags(10_000, rng=1)
    drew = process_time() - begun
    print(
        f"{n:>5} {listed:>10,} {took * 1e3:>9.1f} ms {took / listed * 1e6:>9.2f} us {weight_ess(weighted):>11.3f} "
        f"{drew * 1e3:>9.0f} ms",
        flush=True,
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help=f"up to {QUICK_AT_MOST} nodes")
    most = QUICK_AT_MOST if parser.parse_args().quick else 10**6
    print(machine())
    for kind, sizes in SIZES.items():
        growth(kind, [n for n in sizes if n <= most])
    print(f"\nreweight\n{'n':>5} {'classes':>10} {'time':>12} {'a class':>12} {'weight_ess':>11} {'10^4 DAGs':>12}")
    for n in (10, 20, 50, 100):
        many(n, 100_000)


if __name__ == "__main__":
    main()
