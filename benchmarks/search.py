"""cz.search compared with greedy searches: log weight relative to the truth, distance to it, and CPU time.

    python benchmarks/search.py [--quick]

Data: linear Gaussian models on Erdős-Rényi graphs, columns of variance 1, seed 1. All methods maximize the BIC with an
edge prior of log n per edge; for xges that is alpha = 1 + 2 log n / log N, for BOSS the same penalty. "relative" is the
log weight minus that of the true class, and "distance" the number of pairs of nodes whose edge differs from that in the
true CPDAG. xges and causal-learn are measured if they are installed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from importlib.util import find_spec
from time import process_time

import numpy as np
from common import machine
from random_models import linear_gaussian

import causal_zigzag as cz

CASES = [  # nodes, average degree, rows
    (50, 6, 1_000),
    (50, 6, 10_000),
    (100, 8, 1_000),
    (100, 4, 10_000),
    (100, 8, 10_000),
    (100, 12, 10_000),
    (200, 6, 1_000),
    (200, 6, 10_000),
    (500, 4, 1_000),
]

Method = Callable[[cz.GaussianBIC, np.ndarray], cz.CPDAG]


def xges(score: cz.GaussianBIC, data: np.ndarray) -> cz.CPDAG:
    """The package xges."""
    from xges import XGES

    rows, n = data.shape
    found = XGES(alpha=1 + 2 * math.log(n) / math.log(rows)).fit(data)
    return cz.CPDAG.from_pdag(np.asarray(found.to_adjacency_matrix(), dtype=np.uint8), score.nodes)


def boss(score: cz.GaussianBIC, data: np.ndarray) -> cz.CPDAG:
    """BOSS in the package causal-learn; in its matrix g[i, j] is the mark at i: -1 at the tail of an edge."""
    from causallearn.search.PermutationBased.BOSS import boss

    rows, n = data.shape
    penalty = 1 + 2 * math.log(n) / math.log(rows)
    marks = boss(data, score_func="local_score_BIC_from_cov", parameters={"lambda_value": penalty / 2}).graph
    return cz.CPDAG.from_pdag(((marks == -1) & (marks.T != 0)).astype(np.uint8), score.nodes)


def distance(a: np.ndarray, b: np.ndarray) -> int:
    """The number of pairs of nodes whose edge differs."""
    return int(np.triu((a != b) | (a.T != b.T), 1).sum())


def main() -> None:
    """Measure all cases, or with --quick the two smallest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    methods: dict[str, Method] = {
        "cz.ges": lambda score, _: cz.ges(score).graph,
        "cz.ges, until-stable": lambda score, _: cz.ges(score, phases="until-stable").graph,
    }
    print(machine())
    for name, module, method in (("xges", "xges", xges), ("BOSS", "causallearn", boss)):
        if find_spec(module) is None:
            print(f"{name} is not measured: the module {module} is not installed")
        else:
            methods[name] = method
    print(
        f"\n{'n':>5} {'degree':>6} {'rows':>6}  {'method':<22} {'relative':>9} {'distance':>8} {'CPU s':>7}  restarts"
    )
    for n, degree, rows in CASES[:2] if options.quick else CASES:
        data, dag = linear_gaussian(n, rows, 1, degree)
        score = cz.GaussianBIC(data)
        truth = cz.CPDAG.from_dag(dag, score.nodes)

        def show(method: str, graph: cz.CPDAG, seconds: float, restarts: str = "") -> None:
            def value(g: cz.CPDAG) -> float:
                return score.total(g) - math.log(n) * g.edge_count  # noqa: B023 - called in this round only

            print(
                f"{n:>5} {degree:>6} {rows:>6}  {method:<22} {value(graph) - value(truth):>+9.1f} "  # noqa: B023
                f"{distance(graph.matrix(), truth.matrix()):>8} {seconds:>7.2f}  {restarts}",  # noqa: B023
                flush=True,
            )

        for name, run in methods.items():
            begun = process_time()
            graph = run(score, data)
            show(name, graph, process_time() - begun)
        begun = process_time()
        found = cz.search(score, rng=1, progress=False)
        seconds = process_time() - begun
        show("cz.search", found.graph, seconds, f"best class found by {found.times_found} of {len(found.restarts)}")


if __name__ == "__main__":
    main()
