"""Are the intervals of curves E[y | do(x = a)], and of their mean slopes, calibrated?

    OPENBLAS_NUM_THREADS=1 python benchmarks/curves.py > benchmarks/curves.txt

Simulated tables of four columns: s affects x, y and z by curves, x affects y, and y affects z. Curves are scaled to
variance 1, with a random sign, and noise is normal with variance 1. The order of the columns is known, their edges are
not; ``exact_posterior`` averages over all graphs. A number is the share of 95 % intervals that contain the truth: first
of the curve of x on y at the 10, 30, 50, 70 and 90 % quantiles of x, then of its mean slope, that of the straight line
closest to the true curve in the rows of the table.

Curves are drawn from: smooth: x, tanh x, sin x; cubic: random polynomials of degree three, and x is linear in s; rough:
x², |x|, sin 2x and tanh 2x, also of columns that are such curves themselves, so that cells far out have steep curves.
"not ranked" is AdditiveGP of the columns themselves.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time

import numpy as np
from common import machine
from numpy.polynomial.hermite_e import hermeval
from numpy.typing import NDArray

import causal_zigzag as cz

Array = NDArray[np.float64]
Curve = Callable[[Array], Array]


def cubic(rng: np.random.Generator) -> Curve:
    """A random polynomial of degree three."""
    coefficients = np.append(0.0, rng.normal(size=3) / np.sqrt([1.0, 2.0, 6.0]))
    return lambda x: np.asarray(hermeval(x, coefficients))


def one_of(*shapes: Curve) -> Callable[[np.random.Generator], Curve]:
    """A random one of these curves."""
    return lambda rng: shapes[rng.integers(len(shapes))]


KINDS: dict[str, Callable[[np.random.Generator], Curve]] = {
    "smooth": one_of(np.asarray, np.tanh, np.sin),
    "cubic": cubic,
    "rough": one_of(np.square, np.abs, lambda x: np.sin(2 * x), lambda x: np.tanh(2 * x)),
}
SCORES: dict[str, Callable[[dict[str, Array]], cz.Score]] = {
    "AdditiveGP": cz.AdditiveGP,
    "not ranked": lambda data: cz.AdditiveGP(data, transform=None),
}
KNOWN = cz.Knowledge(tiers=[["s"], ["x"], ["y"], ["z"]])
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
LARGE = 200_000  # rows from which means over s are computed


class Table:
    """A simulated table, and the true curve of x on y."""

    def __init__(self, rows: int, kind: str, rng: np.random.Generator) -> None:
        draw, large = KINDS[kind], rng.normal(size=LARGE)
        x_of_s = scaled(np.asarray if kind == "cubic" else draw(rng), large, rng)
        self.curve = scaled(draw(rng), x_of_s(large) + rng.normal(size=LARGE), rng)
        y_of_s, z_of_s = scaled(draw(rng), large, rng), scaled(draw(rng), large, rng)
        s = rng.normal(size=rows)
        x = x_of_s(s) + rng.normal(size=rows)
        y = self.curve(x) + y_of_s(s) + rng.normal(size=rows)  # the curve of s has mean 0
        z = scaled(draw(rng), y, rng)(y) + z_of_s(s) + rng.normal(size=rows)
        self.data = {"s": s, "x": x, "y": y, "z": z}
        self.slope = float(np.polyfit(x, self.curve(x), 1)[0])


def scaled(shape: Curve, at: Array, rng: np.random.Generator) -> Curve:
    """A curve with mean 0 and variance 1 over these cells, and a random sign."""
    values, sign = shape(at), float(rng.choice([-1.0, 1.0]))
    mean, spread = float(values.mean()), float(values.std())
    return lambda x: sign * (shape(x) - mean) / spread


def coverage(make: Callable[[dict[str, Array]], cz.Score], rows: int, kind: str, tables: int) -> NDArray[np.float64]:
    """For each table the share of intervals that contain the curve, and whether one contains the slope."""
    found = []
    for seed in range(tables):
        table = Table(rows, kind, np.random.default_rng([seed, rows]))
        posterior = cz.exact_posterior(make(table.data), edge_prior=None, knowledge=KNOWN)
        effect, at = posterior.effect("x", "y"), np.quantile(table.data["x"], SHARES)
        curve, (low, high) = effect.curve(at), effect.interval()
        inside = (curve["lower"] <= table.curve(at)) & (table.curve(at) <= curve["upper"])
        found.append((inside.mean(), low <= table.slope <= high))
    return 100 * np.array(found)


def main() -> None:
    """Print one line per kind of table and number of rows."""
    parser = argparse.ArgumentParser(description="Calibration of curves under interventions")
    parser.add_argument("--tables", type=int, default=200)
    tables = parser.parse_args().tables
    print(machine())
    print(f"\n{tables} tables per line: share of 95 % intervals that contain the curve at five points, and the slope\n")
    print(f"{'curves':12}{'rows':>6}" + "".join(f"{name:>22}" for name in SCORES) + f"{'CPU s':>9}")
    for kind in KINDS:
        for rows in (100, 300):
            begun = process_time()
            found = [coverage(make, rows, kind, tables) for make in SCORES.values()]
            cells = "".join("{:>13.1f}{:>9.1f}".format(*own.mean(axis=0)) for own in found)
            print(f"{kind:12}{rows:>6}{cells}{process_time() - begun:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
