"""What resampling costs: CPU seconds of 32 resamples by the number of columns and the kind of score.

    OMP_NUM_THREADS=1 python benchmarks/resampling_cost.py > benchmarks/resampling_cost.txt

Tables are linear with t noise of four degrees of freedom, so that no model of the package is quite right, or cut into
categories. A run of ``sample`` comes first; then ``posterior.resample(32)`` is measured in CPU seconds of all threads,
with the largest Monte Carlo error of an open edge, the number of resamples whose chains disagree, and the jumps of each
chain.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import pandas as pd
from common import machine

import causal_zigzag as cz

RESAMPLES = 32
CASES = (
    ("gaussian-bic", 14, 500), ("bge", 14, 500), ("mixed-bic", 14, 500), ("bdeu", 14, 500), ("additive-gp", 14, 500),
    ("missing cells", 14, 500), ("gaussian-bic", 50, 1000), ("bdeu", 50, 1000), ("gaussian-bic", 200, 1000),
)  # fmt: skip


def table(score: str, columns: int, rows: int) -> pd.DataFrame:
    """A table for this score."""
    rng = np.random.default_rng(columns)
    weights = np.triu(rng.random((columns, columns)) < min(1.0, 4 / (columns - 1)), 1) * rng.uniform(
        0.3, 1, (columns,) * 2
    )
    x = np.zeros((rows, columns))
    for j in range(columns):
        x[:, j] = x @ weights[:, j] + rng.standard_t(4, size=rows)
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(columns)])
    if score == "bdeu":
        frame = frame.apply(lambda own: pd.qcut(own, 3, labels=["low", "middle", "high"]).astype(str))
    if score == "mixed-bic":
        for name in frame.columns[::3]:
            frame[name] = pd.qcut(frame[name], 3, labels=["low", "middle", "high"]).astype(str)
    if score == "missing cells":
        frame = frame.mask(rng.random(frame.shape) < 0.05)
    return frame


def main() -> None:
    """Print a line per case."""
    warnings.simplefilter("ignore")
    chosen = sys.argv[1:]
    print(machine())
    heads = ("score", "columns", "rows", "run s", "resamples s", "each ms", "mcse", "disagree", "jumps")
    print("{:14} {:>7} {:>5} {:>6} {:>11} {:>8} {:>6} {:>8} {:>7}".format(*heads))
    for score, columns, rows in CASES:
        if chosen and f"{score}-{columns}" not in chosen:
            continue
        begun = time.process_time()
        name = "auto" if score == "missing cells" else score
        posterior = cz.sample(table(score, columns, rows), score=name, rng=1, resamples=0, progress=False)
        ran, begun = time.process_time() - begun, time.process_time()
        resampled = posterior.resample(RESAMPLES, rng=2, progress=False).resampled
        took = time.process_time() - begun
        assert resampled is not None
        found = resampled.diagnostics()
        jumps = np.mean([s.jumps for run in resampled.runs for s in run.statistics])
        print(
            f"{score:14} {columns:7} {rows:5} {ran:6.1f} {took:11.2f} {1000 * took / RESAMPLES:8.1f} {found.mcse:6.3f} "
            f"{found.disagree:8} {jumps:7.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
