"""Mixing: effective samples per second and round trips of the Zig-Zag and of Zanella's process.

    python -m benchmarks.paper.mixing [--quick]

Uniform targets (at most 10 adjacent nodes) and GaussianBIC on random sparse models (1,000 rows), from the class that
GES finds. Effective samples are those of the number of edges and of the score. A round trip goes from below the 5 %
quantile of the number of edges to above the 95 % quantile and back. Times are CPU seconds on one core.
"""

from __future__ import annotations

from time import process_time

import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz
from benchmarks.common import machine
from benchmarks.paper.output import quick, table
from benchmarks.random_models import linear_gaussian

MOMENTA = [1.0, 0.5, 0.0]
POINTS = 2**17


def round_trips(edges: NDArray[np.int32]) -> int:
    """The number of times that the path went from low to high and back to low."""
    low, high = np.quantile(edges, [0.05, 0.95])
    ends = np.where(edges <= low, -1, np.where(edges >= high, 1, 0))
    ends = ends[ends != 0]
    return int((np.diff(ends) != 0).sum() // 2)


def run(score: cz.Score, momentum: float, jumps: int, max_degree: int | None, points: int) -> cz.Posterior:
    """Run two chains; their path does not depend on the number of stored trace points."""
    return cz.sample(
        score,
        momentum=momentum,
        jumps=jumps,
        settings=cz.Settings(warmup=jumps // 4, max_classes=1000, trace_points=points),
        chains=2,
        max_degree=max_degree,
        start=None if isinstance(score, cz.Uniform) else "ges",
        rng=1,
        progress=False,
    )


def measure(score: cz.Score, momentum: float, jumps: int, max_degree: int | None) -> dict[str, float]:
    """The figures of a run, and of the same run repeated with a detailed trace."""
    begun = process_time()
    posterior = run(score, momentum, jumps, max_degree, 2048)
    seconds = process_time() - begun
    effective = posterior.diagnostics().table.set_index("quantity")["ess"]
    trips = sum(round_trips(trace.edges) for trace in run(score, momentum, jumps, max_degree, POINTS).trace())
    return {
        "jumps/s": 2 * 1.25 * jumps / seconds,
        "edges: ESS/s": effective.get("edges", np.nan) / seconds,
        "score: ESS/s": effective.get("score", np.nan) / seconds,
        "round trips/s": trips / seconds,
        "round trips per 1,000 jumps": 1000 * trips / (2 * jumps),
    }


def main() -> None:
    """Print the table of all sizes, targets and momenta."""
    small = quick(__doc__)
    sizes = [10, 20] if small else [10, 20, 50, 100, 200]
    jumps = 20_000 if small else 100_000
    print(machine())
    rows = []
    for n in sizes:
        scores = {"uniform": cz.Uniform(n), "GaussianBIC": cz.GaussianBIC(linear_gaussian(n, 1000, seed=n)[0])}
        for name, score in scores.items():
            for momentum in MOMENTA:
                bound = min(10, n - 1) if name == "uniform" else None
                rows.append({"n": n, "target": name, "momentum": momentum, **measure(score, momentum, jumps, bound)})
    table("mixing", f"two chains of {jumps:,} jumps each", rows)


if __name__ == "__main__":
    main()
