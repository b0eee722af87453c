"""Posteriors over ancestral graphs: how long chains take to agree, and which edge prior predicts ancestors best.

    OMP_NUM_THREADS=1 nice -n 10 python benchmarks/ancestral_chains.py agreement prior > benchmarks/ancestral_chains.txt

Tables of 500 or 2,000 rows from random linear Gaussian DAGs with effects of 0.5 to 1.2 and the given average degree.
With hidden causes there are one to three further nodes, each with effects on two or three columns.

`agreement` makes default runs of two chains, which end when no probability of a pair differs by more than 0.03 or the
seconds are over. Their clock is CPU time per chain, which is the elapsed time on two idle cores.

`prior` has runs of a fixed number of steps under three costs of an edge: the Brier score and the log loss of
P(x causes y) over all ordered pairs, and the claims above 0.95 with those that are false.
"""

from __future__ import annotations

import argparse
import math
from time import process_time
from typing import NamedTuple

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag.ancestral import chains
from causal_zigzag.ancestral.agreement import AGREED


class Size(NamedTuple):
    """Tables of this many columns and average degree, and the seconds that their chains have."""

    n: int
    degree: float
    tables: int
    seconds: float


AGREEMENT = (Size(8, 2.4, 20, 5), Size(12, 2.0, 8, 15), Size(20, 1.5, 2, 60))
PRIOR = (Size(8, 2.4, 16, 0), Size(12, 2.4, 6, 0), Size(15, 2.4, 3, 0), Size(20, 2.0, 1, 0))
STEPS_PER_NODE = 25_000


class Simulated(NamedTuple):
    """Rows, and which columns are ancestors of which."""

    score: cz.GaussianBIC
    causes: NDArray[np.bool_]


def simulate(n: int, hidden: int, rows: int, degree: float, seed: int) -> Simulated:
    """A table with this number of hidden causes."""
    rng = np.random.default_rng([seed, n, hidden, rows])
    total, order = n + hidden, rng.permutation(n)
    dag = np.zeros((total, total), bool)
    drawn = np.triu(rng.random((n, n)) < degree / (n - 1), 1)
    dag[np.ix_(order, order)] = drawn
    for h in range(n, total):
        dag[h, rng.choice(n, rng.integers(2, 4), replace=False)] = True
    effects = dag * rng.uniform(0.5, 1.2, dag.shape) * rng.choice([-1, 1], dag.shape)
    x = rng.normal(size=(rows, total)) @ np.linalg.inv(np.eye(total) - effects)
    causes = dag.copy()
    for _ in range(total):
        causes |= causes @ causes
    return Simulated(cz.GaussianBIC(x[:, :n]), causes[:n, :n])


def of_number(size: Size, i: int, is_hidden: bool) -> Simulated:
    """Table i of this size."""
    return simulate(size.n, 1 + i % 3 if is_hidden else 0, (500, 2000)[i % 2], size.degree, i)


class CpuTime:
    """The clock of runs of two chains on two idle cores."""

    @staticmethod
    def monotonic() -> float:
        """CPU seconds per chain."""
        return process_time() / 2


def agreement() -> None:
    """How many chains agree, and after what time."""
    chains.time = CpuTime  # type: ignore[assignment]
    print("agreement of two chains: largest difference of a probability of a pair, per table")
    for size in AGREEMENT:
        found = []
        for i in range(size.tables):
            score = of_number(size, i, is_hidden=i % 4 > 0).score
            begun = process_time()
            posterior = cz.sample_ancestral(score, minutes=size.seconds / 60, rng=i, progress=False)
            difference, seconds = posterior.diagnostics().largest_difference, (process_time() - begun) / 2
            found.append((difference, seconds))
            print(f"  n = {size.n}, table {i}: {difference:.3f} after {seconds:.1f} s", flush=True)
        differences, seconds_all = map(np.array, zip(*found, strict=True))
        agreed = np.mean(differences <= AGREED)
        middle, mean = np.median(seconds_all), seconds_all.mean()
        print(
            f"n = {size.n:2}, degree {size.degree:.2f}: {100 * agreed:.0f} % of {size.tables} tables within {AGREED} "
            f"in at most {size.seconds:.0f} s (median {middle:.1f} s, mean {mean:.1f} s); "
            f"worst {', '.join(f'{d:.2f}' for d in np.sort(differences)[-4:])}",
            flush=True,
        )


def prior() -> None:
    """Proper scores of P(x causes y) by edge cost."""
    print("edge prior: cost of an edge, Brier score, log loss; claims P > 0.95, of which false")
    for size in PRIOR:
        costs = {"0": 0.0, "log(n) / 2": math.log(size.n) / 2, "log n": math.log(size.n)}
        totals = {(is_hidden, word): np.zeros(4) for is_hidden in (True, False) for word in costs}
        for i in range(size.tables):
            for is_hidden in (True, False):
                score, causes = of_number(size, i, is_hidden)
                truth = causes[~np.eye(size.n, dtype=bool)]
                for word, cost in costs.items():
                    posterior = cz.sample_ancestral(
                        score, edge_prior=cost, steps=STEPS_PER_NODE * size.n, rng=i, progress=False
                    )
                    p = posterior.ancestors().to_numpy()[~np.eye(size.n, dtype=bool)]
                    loss = -np.log(np.clip(np.where(truth, p, 1 - p), 1e-3, 1)).mean()
                    claims = p > 0.95
                    totals[is_hidden, word] += [((p - truth) ** 2).mean(), loss, claims.sum(), (claims & ~truth).sum()]
        for (is_hidden, word), (brier, loss, claims, false) in totals.items():
            print(
                f"n = {size.n:2}, {'1 to 3 hidden' if is_hidden else 'none hidden':13}, {word:10}: "
                f"{brier / size.tables:.4f}  {loss / size.tables:.4f}  {claims:4.0f} {false:4.0f}",
                flush=True,
            )


def main() -> None:
    """Run the parts that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=["agreement", "prior"])
    print(machine())
    for part in parser.parse_args().parts:
        begun = process_time()
        {"agreement": agreement, "prior": prior}[part]()
        print(f"CPU minutes: {(process_time() - begun) / 60:.1f}", flush=True)


if __name__ == "__main__":
    main()
