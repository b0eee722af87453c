"""Greedy equivalence search as the cold limit of the Causal Zig-Zag: agreement of the two by coldness.

    python -m benchmarks.paper.ges_limit [--quick]

From the graph without edges, square-root balance. The greedy path of a data set is the sequence of classes that GES
visits. The chain follows it as long as its jumps lead to the same classes in the same order. At the end of the path GES
stops, and the chain continues. One difference remains at any coldness: if some delete gains more than every insert
during the forward phase, the chain changes direction at once, while GES inserts until no insert gains.
"""

from __future__ import annotations

import numpy as np

import causal_zigzag as cz
from benchmarks.common import machine
from benchmarks.paper.output import quick, table
from benchmarks.random_models import linear_gaussian
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target

COLDNESS = [1, 3, 10, 30, 100, 1e3, 1e4, 1e6]


def walk(score: cz.Score, coldness: float, jumps: int, seed: int) -> list[bytes]:
    """The first classes of a chain, including its start; fewer if it freezes."""
    target = Target.read(score, coldness, edge_prior=None)
    settings = RunSettings(max_classes=1000, cache_bytes=2**24, trace_points=16)
    words = np.random.SeedSequence([7, seed]).generate_state(4, np.uint64)
    running = make_chain(target, settings, target.read_start(None), words)
    path = [running.graph().matrix().tobytes()]
    while len(path) <= jumps and running.run(1, 60.0):
        path.append(running.graph().matrix().tobytes())
    return path


def main() -> None:
    """Print one line per coldness, over random data sets."""
    sets = range(5 if quick(__doc__) else 40)
    print(machine())
    rows = []
    for coldness in COLDNESS:
        followed, whole, visited = [], 0, 0
        for seed in sets:
            score = cz.GaussianBIC(linear_gaussian(8 + seed % 8, 300, seed, degree=2.5)[0])
            greedy = [g.matrix().tobytes() for g in steps(cz.ges(score, edge_prior=None))]
            path = walk(score, coldness, 3 * len(greedy), seed)
            same = next((i for i, (a, b) in enumerate(zip(greedy, path, strict=False)) if a != b), len(greedy))
            followed.append((same - 1) / (len(greedy) - 1))
            whole += same == len(greedy)
            visited += greedy[-1] in path
        rows.append(
            {
                "coldness": coldness,
                "data sets": len(sets),
                "whole path followed": whole,
                "share of the path followed": np.mean(followed),
                "came to the class of GES": visited,
            }
        )
    table("ges_limit", "the Causal Zig-Zag against GES", rows)


def steps(found: cz.GesResult) -> list[cz.CPDAG]:
    """The classes on the path of a greedy search."""
    path = [found.start]
    for step in found.steps:
        path.append(step.operator.apply(path[-1]))
    return path


if __name__ == "__main__":
    main()
