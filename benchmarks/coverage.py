"""How often do 95 % intervals of effects contain the truth?

    OPENBLAS_NUM_THREADS=1 python benchmarks/coverage.py > benchmarks/coverage.txt     # about 20 minutes of one core
    python benchmarks/coverage.py --tables 20 --score bdeu                             # some of it

A number is the percentage of simulated tables whose interval contains the true effect of x on y; with 200 tables and a
true coverage of 95 % its standard error is 1.5. The first is that of ``interval()``, over all graphs, the second that
of ``interval(given_path=True)``, over those in which x affects y. The model is a -> x <- b, a -> y, x -> y, with the
relations of the score; without b, the direction of x -> y could not be known. Columns are a number (num), or have two
(bin) or three levels (lev); an effect on a column with levels is on a probability, and between the first and the last
level of x.
Sizes of effects are drawn anew for each table: 0.5 to 0.9 standard deviations of the noise of a number, or 0.35 to 0.55
of probability, 0.14 to 0.22 per standard deviation of a number. "weak" ones are a quarter of the others, so that most
tables cannot tell them from none.

edges: the graph is known, so that only its parameters are not. order: a and b come before x, x before y. weak: the same
with weak effects. plain: nothing is known of directions. In all others the order is known.
contexts: a, b and x are conditions. lags: x[t-1] affects y, as y[t-1] does. missing: 10 % of the cells. weights: equal
rows are counted. rare: the first level of x has 90 % of the rows, and a level of y is rare there; for a number, a level
of y is rare but where x is large (logistic). resamples: 300 rows are resampled ten times; such intervals are about
other rows too, without trusting the model, and wider. Posteriors are exact, those of missing cells and of resamples
sampled. "-" is not simulated: the score is not for such tables. Curves have no 1000 rows.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Callable
from time import process_time
from typing import NamedTuple

import numpy as np
import pandas as pd
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag.scores.choose import as_score

Array = NDArray[np.float64]
SCENARIOS = ("edges", "order", "weak", "plain", "contexts", "lags", "missing", "weights", "rare", "resamples")
ROWS = (100, 300, 1000)
RESAMPLED = ("bge", "bdeu")
NUMBERS, CATEGORIES = [("num", "num")], [("bin", "bin"), ("lev", "bin")]
MIXED = [("num", "num"), ("num", "bin"), ("bin", "num"), ("lev", "num"), ("bin", "bin"), ("lev", "bin")]
CURVES = [("num", "num"), ("num", "bin"), ("lev", "num"), ("bin", "bin")]
SCORES: dict[str, list[tuple[str, str]]] = {
    "gaussian-bic": NUMBERS,
    "bge": NUMBERS,
    "discrete-bic": CATEGORIES,
    "bdeu": CATEGORIES,
    "mixed-bic": MIXED,
    "mixed-bge": MIXED,
    "additive-gp": CURVES,
    "interventional-bge": [("bin", "num"), ("lev", "num")],
    "interventional-bdeu": CATEGORIES,
}
NAMES = np.array(["low", "mid", "top"])
ORDER = cz.Knowledge(tiers=[["a", "b"], ["x"], ["y"]])
EDGES = cz.Knowledge(
    required=[("a", "x"), ("b", "x"), ("a", "y"), ("x", "y")],
    forbidden=[("a", "b"), ("b", "a"), ("b", "y"), ("y", "b")],
)
SHAPES: list[Callable[[Array], Array]] = [np.asarray, np.tanh, np.sin]


class Table(NamedTuple):
    """A simulated table, what is known of it, the cause, and the true effect."""

    data: pd.DataFrame | cz.Table
    known: cz.Knowledge | None
    cause: str
    truth: float


def numbers_of(values: Array) -> Array:
    """Values with mean 0 and about variance 1, by which a column acts on others."""
    return (values - values.mean()) / (values.std() or 1.0)


def simulated(score: str, pair: tuple[str, str], scenario: str, rows: int, rng: np.random.Generator) -> Table:
    """One table."""
    cause, outcome = pair
    whole = score not in ("mixed-bic", "mixed-bge", "additive-gp")
    kind_a = "bin" if not whole or cause != "num" or scenario == "contexts" else "num"
    kind_b = "num" if "num" in pair and scenario != "contexts" else "bin"
    size = rng.uniform(0.5, 0.9) if outcome == "num" else rng.uniform(0.35, 0.55)
    size *= rng.choice([-1.0, 1.0]) * (0.25 if scenario == "weak" else 1.0)
    curved = score == "additive-gp" and cause == "num"
    shape = SHAPES[rng.integers(len(SHAPES))] if curved else SHAPES[0]
    if scenario == "lags":
        return lagged(pair, size, shape, rows, rng)
    a, b = column(kind_a, np.zeros(rows), rng), column(kind_b, np.zeros(rows), rng)
    rare = 0.9 if scenario == "rare" else None
    x = column(cause, 0.6 * numbers_of(a) + 0.6 * numbers_of(b), rng, rare, bounded=outcome != "num")
    y, truth = outcome_of(outcome, cause, x, numbers_of(a), size, shape, rng, rare)
    frame = pd.DataFrame({"a": named(kind_a, a), "b": named(kind_b, b), "x": named(cause, x), "y": named(outcome, y)})
    known = {"plain": None, "edges": EDGES}.get(scenario, ORDER)
    if scenario == "contexts" or score.startswith("interventional"):
        given = ["a", "b", "x"] if cause != "num" else ["a"]
        return Table(cz.read_table(frame, contexts=given), None if len(given) == 3 else known, "x", truth)
    if scenario == "missing":
        return Table(frame.mask(rng.random(frame.shape) < 0.1), known, "x", truth)
    if scenario == "weights":
        counted = frame.round(1).value_counts().rename("count").reset_index()
        return Table(cz.read_table(counted, weights="count"), known, "x", truth)
    return Table(frame, known, "x", truth)


def column(
    kind: str, mean: Array, rng: np.random.Generator, first: float | None = None, bounded: bool = False
) -> Array:
    """A column whose mean, or whose probability of higher levels, is given; numbers or codes."""
    rows = len(mean)
    if kind == "num":
        return mean + (rng.uniform(-1.7, 1.7, rows) if bounded else rng.normal(size=rows))
    latent = mean + rng.logistic(size=rows)
    cuts = [0.5] if kind == "bin" else [1 / 3, 2 / 3]
    if first is not None:
        cuts = [first] if kind == "bin" else [first, (1 + first) / 2]
    return np.searchsorted(np.quantile(latent, cuts), latent).astype(np.float64)


def outcome_of(
    kind: str,
    cause: str,
    x: Array,
    a: Array,
    size: float,
    shape: Callable[[Array], Array],
    rng: np.random.Generator,
    rare: float | None = None,
) -> tuple[Array, float]:
    """The outcome, and the effect of x: the slope of the line closest to its curve, or between first and last level."""
    spread = np.std(x) if cause == "num" else 1.0
    if cause == "num" and rare is not None:
        share = 1 / (1 + np.exp(3 - 1.2 * x / spread))
        share = share if size > 0 else 1 - share
        return (rng.random(len(x)) < share).astype(float), float(np.polyfit(x, share, 1)[0])
    curve = size * (shape(x / spread) if cause == "num" else x / (1 if cause == "bin" else 2))
    truth = float(np.polyfit(x, curve, 1)[0]) if cause == "num" else size
    if kind == "num":
        scale = 1.0 if cause == "num" else 2.0  # the standard deviation of two levels is 1/2
        return scale * curve + 0.5 * a + rng.normal(size=len(x)), scale * truth
    if cause == "num":
        curve, truth = 0.4 * curve, 0.4 * truth
    middle = 0.5 if rare is None else (0.06 if size > 0 else 0.94)
    if rare is not None:
        return (rng.random(len(x)) < middle + curve).astype(float), truth
    centre = (curve.min() + curve.max()) / 2
    return (rng.random(len(x)) < np.clip(middle + curve - centre + 0.08 * a, 0, 1)).astype(float), truth


def lagged(
    pair: tuple[str, str], size: float, shape: Callable[[Array], Array], rows: int, rng: np.random.Generator
) -> Table:
    """Two series."""
    x, y = np.zeros(rows + 21), np.zeros(rows + 21)
    cause, outcome = pair
    top = {"num": 0.0, "bin": 1.0, "lev": 2.0}[cause]
    truth, step = size, size / (top or 1.0)
    scale = 2.0 if outcome == "num" and top else 1.0
    for t in range(1, len(x)):
        x[t] = 0.4 * x[t - 1] + rng.uniform(-1.7, 1.7) if cause == "num" else rng.integers(0, int(top) + 1)
        if top and rng.random() < 0.3:
            x[t] = x[t - 1]
        push = size * float(shape(np.array([x[t - 1]]))[0]) if cause == "num" else step * x[t - 1]
        if outcome == "num":
            y[t] = scale * push + 0.3 * y[t - 1] + rng.normal()
        else:
            middle = 0.5 - size / 2 if top else 0.5
            y[t] = rng.random() < middle + push * (1 if top else 0.4) + 0.15 * (y[t - 1] - 0.5)
    x, y = x[20:], y[20:]
    if cause == "num":
        truth = float(np.polyfit(x[:-1], size * shape(x[:-1]), 1)[0]) * (1 if outcome == "num" else 0.4)
    table = cz.lagged({"x": named(cause, x), "y": named(outcome, y)}, lags=1)
    return Table(table, None, "x[t-1]", scale * truth)


def named(kind: str, values: Array) -> NDArray[np.generic]:
    """Numbers as they are, codes as the names of levels."""
    return values if kind == "num" else NAMES[values.astype(int)]


def is_for(score: str, pair: tuple[str, str], scenario: str, rows: int) -> bool:
    """Whether a score takes such tables."""
    if scenario == "resamples":
        return rows == 300 and score in RESAMPLED and pair[0] == pair[1]
    if scenario == "missing":
        return score in ("bge", "bdeu", "mixed-bge")
    if scenario == "contexts":
        return pair[0] != "num" and score not in ("gaussian-bic", "bge")
    if scenario == "rare":
        return pair[1] == "bin" and not score.startswith("interventional")
    return not score.startswith("interventional")


def inside(score: str, pair: tuple[str, str], scenario: str, rows: int, seed: int) -> tuple[bool, bool] | None:
    """Whether the intervals of one table, over all graphs and given a path, contain the effect; None if a column is
    constant."""
    rng = np.random.default_rng([seed, rows, *score.encode(), *"".join(pair).encode(), *scenario.encode()])
    data, known, cause, truth = simulated(score, pair, scenario, rows, rng)
    try:
        if scenario in ("missing", "resamples"):
            jumps, resamples = (4000, 0) if scenario == "missing" else (200, 10)
            settings = {
                "edge_prior": None,
                "chains": 1,
                "rng": seed,
                "settings": cz.Settings(warmup=200),
                "progress": False,
            }
            run = cz.sample(data, score, knowledge=known, jumps=jumps, resamples=resamples, **settings)
            effect = (run if scenario == "missing" else run.resampled).effect(cause, "y")
        else:
            effect = cz.exact_posterior(as_score(data, score), knowledge=known, edge_prior=None).effect(cause, "y")
    except cz.DataError:
        return None
    if effect.cause_levels or effect.outcome_levels:
        levels = effect.cause_levels
        a, b = (levels[0], levels[-1]) if levels else (None, None)
        effect = effect.contrast(a, b, effect.outcome_levels[-1] if effect.outcome_levels else None)
    ends = effect.interval(), effect.interval(given_path=True)
    return ends[0][0] <= truth <= ends[0][1], ends[1][0] <= truth <= ends[1][1]


def coverage(score: str, pair: tuple[str, str], scenario: str, rows: int, tables: int) -> str:
    """The percentages of intervals that contain the effect."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [inside(score, pair, scenario, rows, seed) for seed in range(tables)]
    shares = 100 * np.mean([both for both in found if both is not None], axis=0)
    return f"{shares[0]:.1f}/{shares[1]:.1f}"


def main() -> None:
    """Print one line per score, pair of columns and number of rows."""
    parser = argparse.ArgumentParser(description="Coverage of intervals of effects")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--score", choices=[*SCORES])
    parser.add_argument("--rows", type=int, choices=ROWS)
    chosen = parser.parse_args()
    print(machine())
    print(f"\n{chosen.tables} tables per number: percentage of 95 % intervals that contain the effect\n")
    print(f"{'score':20}{'x':>5}{'y':>5}{'rows':>6}" + "".join(f"{name:>12}" for name in SCENARIOS) + f"{'CPU s':>9}")
    scores = [chosen.score] if chosen.score else [*SCORES]
    for rows, score in itertools.product([chosen.rows] if chosen.rows else ROWS, scores):
        for pair in [] if score == "additive-gp" and rows == max(ROWS) else SCORES[score]:
            begun, cells = process_time(), f"{score:20}{pair[0]:>5}{pair[1]:>5}{rows:>6}"
            for name in SCENARIOS:
                fits = is_for(score, pair, name, rows)
                cells += f"{coverage(score, pair, name, rows, chosen.tables) if fits else '-':>12}"
            print(f"{cells}{process_time() - begun:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
