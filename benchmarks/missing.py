"""Tables with missing cells: sampling cells and graphs together, against dropping rows and against imputation.

Run: python benchmarks/missing.py [--nodes 10 20 50] [--shares 0.1 0.3 0.5] [--seeds 3] [--time]

Data are from random linear Gaussian models with 1,000 rows. Cells are missing completely at random (MCAR), or in two
thirds of the columns with a probability that depends on one of the others, which are complete (MAR). Of the edges, the
sum of squared errors of the adjacencies, and the number of pairs whose most probable mark (none, line or arrow) is not
that of the true class (SHD). "drop" leaves out incomplete rows, "mean" fills in the means of columns, "multiple"
averages over ten tables from an unrestricted normal model. All use BGe. "--time" measures how long a default run takes
to know every adjacency to ± 0.02, two standard errors.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from time import process_time

import numpy as np
from common import machine
from numpy.typing import NDArray
from random_models import linear_gaussian

import causal_zigzag as cz
from causal_zigzag.scores.incomplete import IncompleteBGe
from causal_zigzag.tables.read_table import read_table

ROWS, TABLES, BURN_IN, APART = 1000, 10, 100, 10
RUN = {"score": "bge", "chains": 4, "progress": False}
Marks = NDArray[np.float64]  # pairs of nodes: no edge, i -> j, j -> i, i - j


def holes(data: NDArray[np.float64], share: float, mechanism: str, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which cells are missing; the share is that of all cells."""
    n = data.shape[1]
    if mechanism == "MCAR":
        return rng.random(data.shape) < share
    observed = rng.permutation(n)[: max(1, n // 3)]
    missing = np.zeros(data.shape, dtype=bool)
    for j in sorted({*range(n)} - {*observed.tolist()}):
        cause = data[:, rng.choice(observed)]
        chance = 1 / (1 + np.exp(-1.5 * (cause - cause.mean()) / cause.std()))
        wanted = min(0.95, share * n / (n - len(observed)))
        low, high = -20.0, 20.0
        for _ in range(50):  # shift the logits until the share is right
            middle = (low + high) / 2
            shifted = 1 / (1 + (1 / chance - 1) * np.exp(-middle))
            low, high = (middle, high) if shifted.mean() < wanted else (low, middle)
        missing[:, j] = rng.random(len(data)) < shifted
    return missing


def marks(data: NDArray[np.float64], seed: int, jumps: int | None) -> Marks:
    """The probabilities of the marks of all pairs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        edges = cz.sample(data, rng=seed, jumps=jumps, **RUN).edge_probabilities()
    i, j = np.triu_indices(data.shape[1], 1)
    kinds = [edges.directed[i, j], edges.directed[j, i], edges.undirected[i, j]]
    return np.stack([1 - sum(kinds), *kinds])


def multiple(data: NDArray[np.float64], seed: int) -> Iterator[NDArray[np.float64]]:
    """Completed tables from the normal model without a graph: data augmentation given the complete DAG."""
    score = IncompleteBGe(read_table(data))
    table = score.completed_table(np.random.SeedSequence(seed).generate_state(4, np.uint64))
    complete = [[*range(v)] for v in range(data.shape[1])]
    for step in range(BURN_IN + TABLES * APART):
        table.draw(complete)
        if step >= BURN_IN and step % APART == 0:
            yield np.column_stack([*score.completed_columns(table.cells()).values()])


def methods(data: NDArray[np.float64], missing: NDArray[np.bool_]) -> dict[str, Callable[[int], Marks | None]]:
    """Each method as a function of a seed; None if it cannot be used."""
    jumps = 100_000
    gaps = np.where(missing, np.nan, data)
    gaps = gaps[~missing.all(axis=1)]
    whole = data[~missing.any(axis=1)]
    mean = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
    return {
        "no holes": lambda seed: marks(data, seed, jumps),
        "drop": lambda seed: marks(whole, seed, jumps) if len(whole) > data.shape[1] + 5 else None,
        "mean": lambda seed: marks(mean, seed, jumps),
        "multiple": lambda seed: np.mean([marks(one, seed, jumps // 4) for one in multiple(gaps, seed)], axis=0),
        "sampled": lambda seed: marks(gaps, seed, jumps),
    }


def compare(nodes: int, share: float, mechanism: str, seeds: int) -> None:
    """One row of the comparison: for each method, mean squared errors and SHD over the seeds."""
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(1, seeds + 1):
        data, dag = linear_gaussian(nodes, ROWS, seed)
        truth = cz.CPDAG.from_dag(dag).matrix()
        i, j = np.triu_indices(nodes, 1)
        mark = np.where(truth[i, j] & truth[j, i], 3, np.where(truth[i, j], 1, np.where(truth[j, i], 2, 0)))
        missing = holes(data, share, mechanism, np.random.default_rng(seed))
        for name, method in methods(data, missing).items():
            estimated = method(seed)
            if estimated is not None:
                error = float(((1 - estimated[0] - (mark > 0)) ** 2).sum())
                found.setdefault(name, []).append((error, float((estimated.argmax(axis=0) != mark).sum())))
    cells = [f"{nodes:>3} {mechanism} {share:>4.0%}"]
    for name in ("no holes", "drop", "mean", "multiple", "sampled"):
        own = np.mean(found[name], axis=0) if name in found else None
        cells.append(f"{'–':>12}" if own is None else f"{own[0]:6.2f} / {own[1]:3.1f}")
    print("   ".join(cells), flush=True)


def measure_time(nodes: int, share: float) -> None:
    """CPU seconds of a default run, which ends when every adjacency is known to ± 0.02."""
    data, _ = linear_gaussian(nodes, ROWS, 1)
    data = np.where(holes(data, share, "MCAR", np.random.default_rng(1)), np.nan, data)
    begun = process_time()
    posterior = cz.sample(data, rng=1, progress=False)
    seconds = process_time() - begun
    error = 2 * float(np.nanmax(posterior.edge_table()["mcse"]))
    sweeps = sum(result.tables.sweeps for result in posterior._results if result.tables is not None)
    print(
        f"{nodes:>3} nodes, {share:.0%} missing: {seconds:5.1f} CPU s, {sweeps:,} sweeps, largest error {error:.3f}, "
        f"{posterior.diagnostics().verdict}",
        flush=True,
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 20, 50])
    parser.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.3, 0.5])
    parser.add_argument("--mechanisms", nargs="+", default=["MCAR", "MAR"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--time", action="store_true")
    given = parser.parse_args()
    print(machine())
    if given.time:
        for nodes in given.nodes:
            for share in given.shares:
                measure_time(nodes, share)
        return
    print(
        f"{'  n       missing':<17}   "
        + "   ".join(f"{name:>12}" for name in ("no holes", "drop", "mean", "multiple", "sampled"))
    )
    for nodes in given.nodes:
        for mechanism in given.mechanisms:
            for share in given.shares:
                compare(nodes, share, mechanism, given.seeds)


if __name__ == "__main__":
    main()
