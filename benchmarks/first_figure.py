"""The first figure of the paper as numbers: how fast momentum climbs to the bulk of the classes of 100 nodes.

    python benchmarks/first_figure.py [--quick]

Uniform target, n = 100, from the graph without edges. Most classes have about 2400 edges or more. Momentum 1 is the
Causal Zig-Zag, momentum 0 the random walk.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import chain, machine

import causal_zigzag as cz

NODES, JUMPS, BULK = 100, 5000, 2400
PATIENCE = 200_000  # jumps after which a chain that has not come to the bulk is given up


def climb(momentum: float, seed: int) -> tuple[int, int | None]:
    """The edges after JUMPS jumps, and the number of jumps until there were BULK edges."""
    running = chain(cz.Uniform(NODES), seed, momentum)
    made, reached, edges = 0, None, -1
    while made < JUMPS or (reached is None and made < PATIENCE):
        made += running.run(1, 60.0)
        if made == JUMPS:
            edges = running.edge_count
        if reached is None and running.edge_count >= BULK:
            reached = made
    return edges, reached


def main() -> None:
    """Twenty seeds of either."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    seeds = range(3 if parser.parse_args().quick else 20)
    print(machine())
    print(
        f"\nuniform target, n = {NODES}, from the graph without edges, {len(seeds)} seeds: median (lowest to highest)"
    )
    print(f"momentum   edges after {JUMPS} jumps   jumps until {BULK} edges")
    for momentum in (1.0, 0.0):
        ends = [climb(momentum, seed) for seed in seeds]
        edges = np.array([e for e, _ in ends])
        reached = np.array([PATIENCE if r is None else r for _, r in ends])
        never = sum(r is None for _, r in ends)
        note = f", {never} of {len(seeds)} not within {PATIENCE:,}" if never else ""
        print(
            f"{momentum:>8g}   {np.median(edges):>6.0f} ({edges.min()} to {edges.max()})"
            f"       {np.median(reached):>8,.0f} ({reached.min():,} to {reached.max():,}){note}"
        )


if __name__ == "__main__":
    main()
