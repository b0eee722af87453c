"""The cost of a jump with tiers, relative to a jump without knowledge.

    python benchmarks/knowledge.py [--quick]

CPU time on one core, with accumulation. Both chains start at the graph without edges and run alternately. The
scored target is the Gaussian BIC with the default edge prior, N = 1000, max_degree 10, data from linear Gaussian models
on Erdős-Rényi graphs of average degree 3. The tiers are the thirds of an order that fits the true DAG. "refused": the
proposals per jump that lead to a class that does not agree.
"""

from __future__ import annotations

import argparse
from statistics import median

import numpy as np
from common import chain, machine, seconds_per_jump
from numpy.typing import NDArray
from random_models import linear_gaussian

import causal_zigzag as cz

SIZES = [20, 50, 100]
ROUNDS = 7


def tiers_of(dag: NDArray[np.uint8]) -> cz.Knowledge:
    """The thirds of a topological order."""
    order: list[int] = []
    while len(order) < len(dag):
        left = [v for v in range(len(dag)) if v not in order]
        order += [v for v in left if not dag[left, v].any()]
    return cz.Knowledge(tiers=[sorted(int(v) for v in part) for part in np.array_split(order, 3)])


def compare(score: cz.Score, knowledge: cz.Knowledge, jumps: int) -> str:
    """The times without and with knowledge, their ratio, and the share of refused proposals."""
    n = len(score.nodes)
    pair = [chain(score, max_degree=10, knowledge=known) for known in (None, knowledge)]
    for running in pair:
        running.run(40 * n, 60.0)
        running.forget()
    times = np.array([[seconds_per_jump(running, jumps) for running in pair] for _ in range(ROUNDS)])
    without, restricted = (median(column) for column in times.T.tolist())
    state = pair[1].statistics()
    return (
        f"{without * 1e6:>9.2f} {restricted * 1e6:>9.2f} {restricted / without:>7.2f} "
        f"{state['refused'] / state['jumps']:>9.3f} {pair[0].edge_count:>7} {pair[1].edge_count:>7}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    jumps = 2000 if parser.parse_args().quick else 20_000
    print(machine())
    print("\nmicroseconds per jump, median of", ROUNDS, "rounds; edges at the end")
    print(f"{'target':<14} {'n':>4} {'without':>9} {'tiers':>9} {'ratio':>7} {'refused':>9} {'edges':>7} {'tiers':>7}")
    for n in SIZES:
        data, dag = linear_gaussian(n, 1000, seed=n)
        for name, score in (("uniform", cz.Uniform(n)), ("Gaussian BIC", cz.GaussianBIC(data))):
            print(f"{name:<14} {n:>4} {compare(score, tiers_of(dag), jumps)}", flush=True)


if __name__ == "__main__":
    main()
