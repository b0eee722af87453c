"""How many pairs of independent series are joined, with trends taken out by evidence, and without.

    OMP_NUM_THREADS=1 python benchmarks/trends.py > benchmarks/trends.txt

A pair is joined if an edge within a time, or across one of two lags, has probability 0.95 or more, by exact
probabilities. Autoregressions are of 0.5, and a trend raises a series by 5 standard deviations; random walks have none.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from common import machine

import causal_zigzag as cz

PAIRS, ROWS, BURN_IN, SURE = 100, (30, 60, 100, 300), 200, 0.95


def joined(rows: int, kind: str, seed: int, trend: Any) -> bool:
    """Whether two independent series are joined."""
    rng = np.random.default_rng([rows, seed])
    steps = rng.normal(size=(2, rows + BURN_IN))
    series = np.zeros_like(steps)
    for t in range(1, rows + BURN_IN):
        series[:, t] = (1.0 if kind == "random walks" else 0.5) * series[:, t - 1] + steps[:, t]
    series = series[:, BURN_IN:]
    if kind == "trends":
        series += series.std() * np.linspace(0, 5, rows)
    table = cz.lagged(dict(zip("xy", series, strict=True)), 2, trend=trend)
    found = cz.exact_edge_posterior(table, edge_prior="auto").adjacent
    x, y = ([i for i, name in enumerate(table.nodes) if str(name).startswith(v)] for v in "xy")
    return bool(found[np.ix_(x, y)].max() >= SURE)


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    print(machine())
    print(f"\nof {PAIRS} independent pairs, those that are joined: by default, and with trend=False\n")
    print(f"{'':14}" + "".join(f"{f'{rows} rows':>16}" for rows in ROWS))
    for kind in ("stationary", "trends", "random walks"):
        cells = []
        for rows in ROWS:
            counts = [sum(joined(rows, kind, seed, trend) for seed in range(PAIRS)) for trend in ("auto", False)]
            cells.append(f"{counts[0]:>8}{counts[1]:>8}")
        print(f"{kind:14}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
