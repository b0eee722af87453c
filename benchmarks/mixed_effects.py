"""Are the intervals of effects in mixed tables calibrated?

    OPENBLAS_NUM_THREADS=1 python benchmarks/mixed_effects.py > benchmarks/mixed_effects.txt

A group of three levels affects a number and, as this does, the probability of a flag, linearly. The figures are the
percentages of 95 % intervals that contain the truth: for the third level of the group instead of the first, of the mean
of the number, and of the probability of the flag. The order of the columns is known, their edges are not, unless "edges
known". "rare" is a flag of 4 % in the first group, which has 80 % of the rows, and of 50 % in the third: its variance
differs between groups.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import machine

import causal_zigzag as cz

TIERS = [["group"], ["size"], ["flag"]]
KNOWN = cz.Knowledge(tiers=TIERS)
EDGES = cz.Knowledge(tiers=TIERS, required=[("group", "size"), ("group", "flag"), ("size", "flag")])
CASES = {"balanced": KNOWN, "balanced, edges known": EDGES, "rare": KNOWN}


def inside(make: type[cz.Score], case: str, rows: int, seed: int) -> tuple[bool, bool]:
    """Whether the intervals of one table contain the effects on the number and on the flag."""
    rng = np.random.default_rng([seed, rows])
    a, b, c = rng.uniform(0.6, 1.5), rng.uniform(0.1, 0.15), rng.uniform(0.05, 0.07)
    group = rng.choice(3, size=rows, p=[0.8, 0.1, 0.1] if case == "rare" else [1 / 3] * 3)
    size = a * group + rng.normal(size=rows)
    share = 0.04 + 0.23 * group if case == "rare" else 0.3 + b * group + c * size
    flag = rng.random(rows) < share
    data = {"group": group.astype(str), "size": size, "flag": np.where(flag, "on", "off")}
    posterior = cz.exact_posterior(make(data), edge_prior=None, knowledge=CASES[case])
    found = []
    for outcome, level, truth in (
        ("size", None, 2 * a),
        ("flag", "on", 0.46 if case == "rare" else 2 * (b + a * c)),
    ):
        low, high = posterior.effect("group", outcome).contrast("0", "2", level).interval()
        found.append(low <= truth <= high)
    return found[0], found[1]


def main() -> None:
    """Print one line per kind of table and number of rows."""
    parser = argparse.ArgumentParser(description="Calibration of effects in mixed tables")
    parser.add_argument("--tables", type=int, default=400)
    tables = parser.parse_args().tables
    print(machine())
    print(f"\n{tables} tables per line: percentage of 95 % intervals that contain the effect\n")
    print(f"{'':24}{'rows':>6}{'MixedBIC: number':>20}{'probability':>13}{'MixedBGe: number':>20}{'probability':>13}")
    for case in CASES:
        for rows in (100, 300):
            found = [
                100 * np.mean([inside(make, case, rows, seed) for seed in range(tables)], axis=0)
                for make in (cz.MixedBIC, cz.MixedBGe)
            ]
            print(f"{case:24}{rows:>6}" + "".join(f"{a:>20.1f}{b:>13.1f}" for a, b in found), flush=True)


if __name__ == "__main__":
    main()
