"""Rows that belong together: false edges with and without resampling whole groups.

    OMP_NUM_THREADS=1 python benchmarks/grouped_rows.py > benchmarks/grouped_rows.txt

Tables have 40 groups of 6 rows and five independent columns, each with a random intercept per group of standard
deviation 1.2, relative to 1 within groups. Counted are the tables in which some pair is joined with probability above
0.9, which is false for every pair: in the posterior, when rows are resampled, and when groups are (``by=``).
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import pandas as pd
from common import machine

import causal_zigzag as cz

GROUPS, ROWS, COLUMNS, SPREAD = 40, 6, 5, 1.2
RESAMPLES = 32


def table(seed: int) -> pd.DataFrame:
    """A table without any edge, and the group of each row."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(GROUPS), ROWS)
    x = SPREAD * rng.normal(size=(GROUPS, COLUMNS))[group] + rng.normal(size=(GROUPS * ROWS, COLUMNS))
    return pd.DataFrame(x, columns=list("abcde")).assign(group=group)


def false_edges(seed: int) -> tuple[bool, bool, bool]:
    """Whether a pair is joined with probability above 0.9: in the posterior, over rows, over groups."""
    data = table(seed)
    posterior = cz.sample(data.drop(columns="group"), jumps=20_000, chains=2, rng=seed, progress=False)
    runs = [posterior, *(posterior.resample(RESAMPLES, by, rng=seed).resampled for by in (None, data["group"]))]
    joined = [run.edge_probabilities().adjacent.max() > 0.9 for run in runs if run is not None]
    return joined[0], joined[1], joined[2]


def main() -> None:
    """Print the numbers of tables."""
    warnings.simplefilter("ignore")
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    begun = time.process_time()
    print(machine(), flush=True)
    model, rows, groups = np.sum([false_edges(seed) for seed in range(tables)], axis=0)
    print(f"tables of {tables} with a false edge above 0.9: posterior {model}, rows resampled {rows}, groups {groups}")
    print(f"{time.process_time() - begun:.0f} CPU s")


if __name__ == "__main__":
    main()
