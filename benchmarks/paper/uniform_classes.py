"""Properties of classes of many nodes, by uniform sampling, compared with published counts.

    python -m benchmarks.paper.uniform_classes [--quick]

For each n: the mean number of edges, the share of classes that contain one DAG (no undirected edge), and the ratio of
the number of classes to the number of DAGs, which is the inverse of the mean size of a class. Errors are Monte Carlo
standard errors, computed from the spread between independent chains. Published values: for n <= 6 by enumeration; for
n = 10 from OEIS A007984 (classes) and A003024 (DAGs); the limits, about 0.274 and 0.267, from Gillispie and Perlman
(2002) and Schmid and Sly (2022).
"""

from __future__ import annotations

from math import comb

import numpy as np

import causal_zigzag as cz
from benchmarks.common import machine
from benchmarks.paper.output import quick, table

MEAN_EDGES = {3: 1.636364, 4: 3.405405, 5: 5.724209, 6: 8.550699}
SIZE_ONE = {3: 4 / 11, 4: 59 / 185, 5: 2616 / 8782, 6: 306117 / 1067825}
CLASSES = {3: 11, 4: 185, 5: 8782, 6: 1067825, 10: 1118902054495975181}


def dags(n: int) -> int:
    """The number of DAGs of n nodes (Robinson 1973)."""
    counts = [1]
    for m in range(1, n + 1):
        counts.append(sum((-1) ** (k + 1) * comb(m, k) * 2 ** (k * (m - k)) * counts[m - k] for k in range(1, m + 1)))
    return counts[n]


def estimate(n: int, jumps: int, chains: int) -> dict[str, float]:
    """The three figures with their errors."""
    posterior = cz.sample(
        cz.Uniform(n),
        jumps=jumps,
        settings=cz.Settings(warmup=jumps // 5, max_classes=1000, trace_points=2048),
        chains=chains,
        rng=n,
        progress=False,
    )
    edges = np.array([part.edge_probabilities().adjacent.sum() / 2 for part in posterior.by_chain()])
    alone, size = [], []
    for part in posterior.by_chain():
        drawn = list(part.draws())
        alone.append(np.mean([not g.undirected_edges for g in drawn]))
        size.append(np.mean([float(g.count_dags()) for g in drawn]))
    ratio = 1 / np.mean(size)
    return {
        "mean edges": edges.mean(),
        "± edges": error(edges),
        "share of size one": np.mean(alone),
        "± share": error(np.array(alone)),
        "classes/DAGs": ratio,
        "± ratio": error(np.array(size)) * ratio**2,
    }


def error(values: np.ndarray) -> float:
    """The standard error of the mean of independent chains."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def main() -> None:
    """Print the table of all sizes."""
    small = quick(__doc__)
    sizes = [4, 6, 10] if small else [3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 60]
    print(machine())
    rows = []
    for n in sizes:
        found = estimate(n, 20_000 if small else 150_000, 24)
        known = {
            "published edges": MEAN_EDGES.get(n, np.nan),
            "published share": SIZE_ONE.get(n, np.nan),
            "published ratio": CLASSES[n] / dags(n) if n in CLASSES else np.nan,
        }
        rows.append({"n": n, **found, **known})
    table("uniform_classes", "classes drawn uniformly, 24 chains", rows)


if __name__ == "__main__":
    main()
