"""False alarms and power of every doubt of the audit, by the number of rows.

    OMP_NUM_THREADS=1 nice -n 19 python benchmarks/audit.py > benchmarks/audit.txt

"Nothing wrong": tables of 8 columns, of random DAGs with two neighbors per node on average, for which the default
scores hold: linear normal columns, categories of 2 to 4 levels, and both (levels of numbers by thresholds, so that
columns are mixed), names x0 to x7, rows in random order. A false alarm is a finding of a kind, in % of tables; "any" is
a table with at least one. "Something wrong": the same normal tables, changed in one way; the figure is the share in
which a finding of the right kind names the column.

Series: two stationary autoregressions or random walks, without and with a trend of 4 standard deviations, read by
`lagged` with 2 lags. A series is said to drift if it may have a unit root, or a trend that was not taken out.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from common import machine

import causal_zigzag as cz
from causal_zigzag.errors import CausalZigzagError

ROWS, NODES, DEGREE = (50, 200, 1000, 10_000), 8, 2
SIZES = (400, 400, 400, 100)  # tables of each kind, by the number of rows
Frame = pd.DataFrame
Random = np.random.Generator


def normal(rows: int, rng: Random) -> Frame:
    """Linear normal columns."""
    dag = cz.datasets.random_dag(NODES, DEGREE, rng=rng)
    made = cz.datasets.linear_gaussian(dag, rows, rng=rng)
    return Frame({f"x{i}": column for i, column in enumerate(np.asarray(made).T)})


def categories(rows: int, rng: Random) -> Frame:
    """Categorical columns of 2 to 4 levels, cut from normal ones at random quantiles."""
    return cut(normal(rows, rng), range(NODES), rng)


def mixed(rows: int, rng: Random) -> Frame:
    """Numbers, and categories in half of the columns."""
    return cut(normal(rows, rng), range(0, NODES, 2), rng)


def cut(frame: Frame, columns: Any, rng: Random) -> Frame:
    """Some columns as levels, each with at least 15 % of the rows on average."""
    for i in columns:
        levels = int(rng.integers(2, 5))
        shares = 0.15 + (1 - 0.15 * levels) * rng.dirichlet(np.ones(levels))
        bounds = np.quantile(frame[f"x{i}"], np.cumsum(shares)[:-1])
        frame[f"x{i}"] = np.array(["p", "q", "r", "s"])[np.searchsorted(bounds, frame[f"x{i}"])]
    return frame


CLEAN: dict[str, Callable[[int, Random], Frame]] = {"normal": normal, "categories": categories, "mixed": mixed}


def ar(rows: int, rho: float, rng: Random) -> Any:
    """An autoregression of order 1."""
    noise, x = rng.normal(size=rows + 200), np.zeros(rows + 200)
    for t in range(1, len(x)):
        x[t] = rho * x[t - 1] + noise[t]
    return x[200:]


def units(frame: Frame, rng: Random) -> Frame:
    """Five rows per unit, which explain a half of the variance."""
    unit = np.arange(len(frame)) // 5
    shift = rng.normal(size=(unit[-1] + 1, NODES))
    spread = frame.to_numpy() / frame.to_numpy().std(axis=0)
    return Frame(spread + shift[unit], columns=frame.columns).assign(unit=[f"u{u}" for u in unit])


def counted(frame: Frame, rng: Random) -> Frame:
    """One row per combination of levels, with its number."""
    found = cut(frame, range(NODES), rng).value_counts().rename("freq").reset_index()
    return found.iloc[rng.permutation(len(found))].reset_index(drop=True)


WRONG: dict[str, tuple[str, Callable[[Frame, Random], Frame]]] = {
    "logarithm of a normal column": ("skew", lambda f, _: f.assign(x0=np.exp(f["x0"] / f["x0"].std()))),
    "60 % of a column are 0": ("zeros", lambda f, r: f.assign(x0=np.where(r.random(len(f)) < 0.6, 0, f["x0"]))),
    "40 % of a column are 7": ("spikes", lambda f, r: f.assign(x0=np.where(r.random(len(f)) < 0.4, 7, f["x0"]))),
    "a cell times 1,000": ("outliers", lambda f, _: f.assign(x0=f["x0"].where(f.index > 0, 1000 * f["x0"].max()))),
    "a copy with 1 % noise": (
        "duplicates",
        lambda f, r: f.assign(copy=f["x0"] + 0.01 * f["x0"].std() * r.normal(size=len(f))),
    ),
    "a sum of two with 1 % noise": (
        "collinear",
        lambda f, r: f.assign(total=f["x0"] + f["x1"] + 0.01 * f["x0"].std() * r.normal(size=len(f))),
    ),
    "the square of a column": ("function", lambda f, _: f.assign(square=f["x0"] ** 2)),
    "a curve, half of the variance": (
        "curve",
        lambda f, r: f.assign(bent=(f["x0"] / f["x0"].std()) ** 2 + np.sqrt(2) * r.normal(size=len(f))),
    ),
    "rows of autoregressions (0.6)": ("order", lambda f, r: f.assign(x0=ar(len(f), 0.6, r), x1=ar(len(f), 0.6, r))),
    "five rows per unit": ("groups", units),
    "counts of equal rows": ("counts", counted),
    "a level with 1 % of the rows": (
        "sparse levels",
        lambda f, r: f.assign(k=np.where(r.random(len(f)) < 0.01, "s", "p"), x0=f["x0"]),
    ),
    "99 for 5 % of a scale of 1 to 5": (
        "codes",
        lambda f, r: f.assign(q=np.where(r.random(len(f)) < 0.05, 99, r.integers(1, 6, len(f)))),
    ),
    "five items of 1 to 5": ("scale", lambda f, r: f.assign(**{f"q{k}": r.integers(1, 6, len(f)) for k in range(5)})),
}


def kinds(data: Any) -> set[str]:
    """The kinds of doubts of a table; "refused" if it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {finding.kind for finding in cz.audit(data).doubts}
    except CausalZigzagError:
        return {"refused"}


def series(rows: int, rho: float, trend: float, rng: Random) -> set[str]:
    """The doubts about two series with a trend of so many standard deviations over their length."""
    slope = np.linspace(0, trend, rows)
    made = {
        name: (x := ar(rows, rho, rng) if rho < 1 else rng.normal(size=rows).cumsum()) + x.std() * slope
        for name in "ab"
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kinds(cz.lagged(made, 2))


def main() -> None:
    """Print three tables."""
    parser = argparse.ArgumentParser(description="False alarms and power of the audit")
    parser.add_argument("--share", type=float, default=1.0, help="of the number of tables")
    given = parser.parse_args()
    sizes = [max(4, int(size * given.share)) for size in SIZES]
    print(machine())
    print(f"\nNothing wrong, % of tables with a finding ({', '.join(map(str, sizes))} tables of each kind)\n")
    print(f"{'':34}" + "".join(f"{f'{rows:,} rows':>13}" for rows in ROWS))
    for name, make in CLEAN.items():
        found = []
        for rows, size in zip(ROWS, sizes, strict=True):
            tables = [kinds(make(rows, np.random.default_rng([rows, k]))) for k in range(size)]
            counts = Counter(kind for own in tables for kind in own)
            found.append(
                {kind: times / size for kind, times in counts.items()} | {"any": sum(map(bool, tables)) / size}
            )
        for kind in [*sorted({kind for own in found for kind in own} - {"any"}), "any"]:
            print(f"{f'{name}, {kind}':34}" + "".join(f"{100 * own.get(kind, 0):12.1f}%" for own in found), flush=True)
    print("\nSomething wrong, % of tables in which it is found\n")
    for name, (kind, change) in WRONG.items():
        shares = []
        for rows, size in zip(ROWS, sizes, strict=True):
            few = max(4, size // 2)
            rngs = [np.random.default_rng([rows, k, 1]) for k in range(few)]
            shares.append(np.mean([kind in kinds(change(normal(rows, rng), rng)) for rng in rngs]))
        print(f"{f'{name}: {kind}':48}" + "".join(f"{100 * share:9.0f}%" for share in shares), flush=True)
    print("\nTwo series with two lags, % of tables in which one is said to drift\n")
    for name, rho, trend in (
        ("autoregressions of 0.5", 0.5, 0), ("of 0.9", 0.9, 0), ("of 0.5, with a trend", 0.5, 4),
        ("of 0.9, with a trend", 0.9, 4), ("unit roots", 1.0, 0), ("unit roots, with a trend", 1.0, 4),
    ):  # fmt: skip
        shares = []
        for rows, size in zip(ROWS, sizes, strict=True):
            few = max(4, size // 2)
            doubts = [series(rows, rho, trend, np.random.default_rng([rows, k, 2])) for k in range(few)]
            shares.append(np.mean(["drift" in own for own in doubts]))
        print(f"{name:48}" + "".join(f"{100 * share:9.0f}%" for share in shares), flush=True)


if __name__ == "__main__":
    main()
