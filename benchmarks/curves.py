"""Are the intervals of curves E[y | do(x = a)], and of their mean slopes, calibrated?

    OPENBLAS_NUM_THREADS=1 python benchmarks/curves.py > benchmarks/curves.txt

Simulated tables of four columns: s affects x, y and z by random curves, x affects y, and z is affected by y. A curve is
sin(2x), x², tanh(2x), |x| or x itself, scaled to variance 1, and noise is normal. The order of the columns is
known, their edges are not; ``exact_posterior`` averages over all graphs. A number is the share of 95 % intervals that
contain the truth: of the curve of x on y at the 10, 30, 50, 70 and 90 % quantiles of x, and of its mean slope, that of the
straight line closest to the true curve in the rows of the table. "smooth" are tables with sin, tanh and x alone, on which
polynomials of degree three are nearly right.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz

Array = NDArray[np.float64]
CURVES: list[Callable[[Array], Array]] = [
    np.asarray,
    np.tanh,
    lambda x: np.sin(x),
    lambda x: x**2,
    lambda x: np.sin(2 * x),
    lambda x: np.tanh(2 * x),
    np.abs,
]
SCORES: dict[str, Callable[[dict[str, Array]], cz.Score]] = {
    "AdditiveGP": cz.AdditiveGP,
    "not ranked": lambda data: cz.AdditiveGP(data, transform=None),
    "BasisBIC": cz.BasisBIC,
}
KNOWN = cz.Knowledge(tiers=[["s"], ["x"], ["y"], ["z"]])
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
LARGE = 200_000  # rows from which means over s are computed


class Table:
    """A simulated table, and the true curve of x on y."""

    def __init__(self, rows: int, curves: int, rng: np.random.Generator) -> None:
        kinds = [CURVES[k] for k in rng.integers(curves, size=5)]
        signs = rng.choice([-1.0, 1.0], size=5)
        large = rng.normal(size=LARGE)
        x_of_s, x_spread = _centred(kinds[0], large, signs[0])
        many = x_of_s(large) + rng.normal(size=LARGE)
        y_of_x, _ = _centred(kinds[1], many, signs[1])
        y_of_s, _ = _centred(kinds[2], large, signs[2])
        s = rng.normal(size=rows)
        x = x_of_s(s) + rng.normal(size=rows)
        y = y_of_x(x) + y_of_s(s) + rng.normal(size=rows)
        z = _centred(kinds[3], y, signs[3])[0](y) + _centred(kinds[4], large, signs[4])[0](s) + rng.normal(size=rows)
        self.data = {"s": s, "x": x, "y": y, "z": z}
        self.curve = y_of_x  # the curve of s has mean 0
        self.slope = float(np.polyfit(x, y_of_x(x), 1)[0])


def _centred(shape: Callable[[Array], Array], at: Array, sign: float) -> tuple[Callable[[Array], Array], float]:
    """A curve with mean 0 and variance 1 over these cells."""
    values = shape(at)
    mean, spread = float(values.mean()), float(values.std())
    return lambda x: sign * (shape(x) - mean) / spread, spread


def coverage(make: Callable[[dict[str, Array]], cz.Score], rows: int, curves: int, tables: int) -> tuple[float, float]:
    """The shares of intervals that contain the curve, and the slope."""
    points, slopes = [], []
    for seed in range(tables):
        table = Table(rows, curves, np.random.default_rng([seed, rows, curves]))
        effect = cz.exact_posterior(make(table.data), edge_prior=None, knowledge=KNOWN).effect("x", "y")
        at = np.quantile(table.data["x"], SHARES)
        found = effect.curve(at)
        points.append(((found["lower"] <= table.curve(at)) & (table.curve(at) <= found["upper"])).mean())
        low, high = effect.interval()
        slopes.append(low <= table.slope <= high)
    return float(np.mean(points)), float(np.mean(slopes))


def main() -> None:
    """Print one line per kind of table and number of rows."""
    parser = argparse.ArgumentParser(description="Calibration of curves under interventions")
    parser.add_argument("--tables", type=int, default=200)
    tables = parser.parse_args().tables
    print(machine())
    print(f"\n{tables} tables per line: share of 95 % intervals that contain the curve at five points, and the slope\n")
    print(f"{'curves':12}{'rows':>6}" + "".join(f"{name:>22}" for name in SCORES) + f"{'CPU s':>9}")
    for words, curves in (("smooth", 3), ("all", len(CURVES))):
        for rows in (100, 300, 1000):
            begun = process_time()
            found = [coverage(make, rows, curves, tables) for make in SCORES.values()]
            cells = "".join(f"{100 * curve:>13.1f}{100 * slope:>9.1f}" for curve, slope in found)
            print(f"{words:12}{rows:>6}{cells}{process_time() - begun:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
