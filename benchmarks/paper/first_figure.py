"""The paper's first figure: with momentum, a chain rises directly to the region of most classes; without, it does not.

    python -m benchmarks.paper.first_figure [--quick]

Uniform target, n = 100, from the graph without edges. Momentum 1 is the Causal Zig-Zag, momentum 0 the random walk.
"""

from __future__ import annotations

import numpy as np

import causal_zigzag as cz
from benchmarks.common import chain, machine
from benchmarks.paper.output import COLORS, new_figure, quick, save_figure, table

NODES, JUMPS, BULK = 100, 5000, 2400
PATIENCE = 200_000  # give up on a chain that has not reached BULK edges after this number of jumps
NAMES = {1.0: "Zig-Zag (momentum 1)", 0.0: "Zanella (momentum 0)"}


def climb(momentum: float, seed: int) -> tuple[int, int]:
    """The number of edges after JUMPS jumps, and the number of jumps until BULK edges (at most PATIENCE)."""
    running = chain(cz.Uniform(NODES), seed, momentum)
    made, reached, edges = 0, PATIENCE, -1
    while made < JUMPS or (reached == PATIENCE and made < PATIENCE):
        made += running.run(1, 60.0)
        if made == JUMPS:
            edges = running.edge_count
        if reached == PATIENCE and running.edge_count >= BULK:
            reached = made
    return edges, reached


def draw() -> None:
    """Draw the number of edges over continuous time, five chains of each process."""
    figure = new_figure(7, 4)
    axes = figure.add_subplot()
    for momentum, color in zip(NAMES, COLORS, strict=False):
        posterior = cz.sample(
            cz.Uniform(NODES),
            momentum=momentum,
            jumps=JUMPS,
            settings=cz.Settings(warmup=0),
            chains=5,
            rng=1,
            progress=False,
        )
        for i, trace in enumerate(posterior.trace()):
            label = NAMES[momentum] if i == 0 else None
            axes.step(trace.time, trace.edges, where="post", color=color, lw=0.9, alpha=0.8, label=label)
    axes.set(xlabel="time", ylabel="edges", title=f"{JUMPS:,} jumps among the classes of {NODES} nodes")
    axes.legend(frameon=False)
    save_figure(figure, "first_figure")


def main() -> None:
    """Print the table and draw the picture."""
    seeds = range(3 if quick(__doc__) else 20)
    print(machine())
    rows = []
    for momentum, name in NAMES.items():
        edges, reached = np.array([climb(momentum, seed) for seed in seeds]).T
        rows.append(
            {
                "process": name,
                "seeds": len(seeds),
                f"edges after {JUMPS} jumps": int(np.median(edges)),
                "lowest": edges.min(),
                "highest": edges.max(),
                f"jumps until {BULK} edges": int(np.median(reached)),
                "fewest": reached.min(),
                "most": reached.max(),
            }
        )
    table("first_figure", "medians over the seeds", rows)
    draw()


if __name__ == "__main__":
    main()
