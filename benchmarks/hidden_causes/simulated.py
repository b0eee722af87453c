"""What claims about causes are worth where causes are hidden: simulated tables, four methods.

    OMP_NUM_THREADS=1 python benchmarks/hidden_causes/simulated.py run WORK [--columns 8 15] [--tables 100]
    python benchmarks/hidden_causes/simulated.py print WORK > benchmarks/hidden_causes/simulated.txt

A table is linear Gaussian, from a random DAG with 2 to 2.75 edges per observed column; each of 0 to 3 hidden causes has
two or three of the columns as children. Coefficients have random signs and absolute values of 0.5 to 1.2, noise has
variance 1. Half of the tables have 500 rows, half 2,000. ``run`` writes one file per table and method into the folder
WORK and continues where it was stopped. ``print`` compares with the truth, whether a column causes another: claims
(probability above 0.95) and how many of them are false, denials (below 0.05), Brier score, log loss, in how many tables
the chains agree, and calibration. "Forced by class": the class has this cause in all its members, with probability
above 0.95. "Arrows" counts those with the marks that reports have: more than half of all probability in the model, when
rows are resampled, and of classes that force it when causes may be hidden; false are those between columns of which the
first does not cause the second.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz

sys.path.insert(0, str(Path(__file__).parent))
from methods import ASKED, CLAIM, DENIAL, METHODS, TITLES, Peer, answered, ask, read

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import machine

BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
MAJORITY = 0.5
SURE = 0.001  # probabilities are bounded by this for the log loss


class Case(NamedTuple):
    """A simulated table: its rows, and which column causes which."""

    x: NDArray[np.float64]
    causes: NDArray[np.bool_]
    mag: cz.MAG
    hidden: int


def simulate(columns: int, number: int) -> Case:
    """The table of this number; of six successive ones, three have hidden causes."""
    rng = np.random.default_rng([columns, number])
    rows = 500 if number % 2 == 0 else 2000
    hidden = 1 + number // 4 % 3 if number // 2 % 2 else 0
    total = columns + hidden
    dag = np.zeros((total, total), dtype=bool)
    dag[:columns, :columns] = cz.datasets.random_dag(columns, 2.0 if number // 4 % 2 else 2.75, rng)
    for cause in range(columns, total):
        dag[cause, rng.choice(columns, rng.integers(2, 4), replace=False)] = True
    weights = dag * rng.uniform(0.5, 1.2, dag.shape) * rng.choice([-1, 1], dag.shape)
    x = rng.standard_normal((rows, total)) @ np.linalg.inv(np.eye(total) - weights)
    mag = cz.MAG.from_dag(dag.astype(int), range(columns, total))
    causes = np.array([[a in mag.ancestors(b) for b in range(columns)] for a in range(columns)])
    return Case(x[:, :columns], causes, mag, hidden)


def show(work: Path, columns: int) -> None:
    """Print the comparison for tables with this number of columns, of those that all methods have answered."""
    names = sorted({file.name.split(".")[0] for file in work.glob(f"{columns}-*.npz")})
    cases = {name: simulate(columns, int(name.split("-")[1])) for name in names if answered(work, name)}
    off = ~np.eye(columns, dtype=bool)

    def all_said(chosen: list[str], method: str) -> NDArray[np.float64]:
        return np.concatenate([read(work, name, method)["said"][off] for name in chosen])

    for is_hidden, rows in itertools.product((True, False), (500, 2000)):
        chosen = [k for k, case in cases.items() if len(case.x) == rows and bool(case.hidden) == is_hidden]
        if not chosen:
            continue
        truth = np.concatenate([cases[k].causes[off] for k in chosen])
        what = "1 to 3 hidden causes" if is_hidden else "none hidden"
        print(f"\n{columns} columns, {what}, {rows} rows: {len(chosen)} tables, {truth.sum()} causal pairs")
        heads = (
            f"{'claims':>8}{'false':>7}{'denials':>9}{'false':>7}{'Brier':>8}{'log loss':>10}{'agree':>7}{'CPU s':>7}"
        )
        print(f"{'':18}{heads}")
        for method in METHODS:
            p, files = all_said(chosen, method), [read(work, name, method) for name in chosen]
            claims, denials = p > CLAIM, p < DENIAL
            kept = np.clip(np.where(truth, p, 1 - p), SURE, 1)
            counts = f"{claims.sum():8}{(claims & ~truth).sum():7}"
            if method == "forced":  # what the class leaves open is not denied
                print(f"{TITLES[method]:18}{counts}")
                continue
            counts += f"{denials.sum():9}{(denials & truth).sum():7}"
            scores = f"{np.mean((p - truth) ** 2):8.4f}{-np.log(kept).mean():10.3f}" if method != "fci" else " " * 18
            agree = f"{sum(float(file['agree']) for file in files):7.0f}" if "agree" in files[0] else " " * 7
            print(f"{TITLES[method]:18}{counts}{scores}{agree}{np.mean([float(f['seconds']) for f in files]):7.2f}")
        print("arrows: " + "; ".join(marks(work, chosen, off, truth)))
    for is_hidden in (True, False):
        chosen = [k for k, case in cases.items() if bool(case.hidden) == is_hidden]
        if not chosen:
            continue
        truth = np.concatenate([cases[k].causes[off] for k in chosen])
        print(f"\nCalibration, {columns} columns, {'1 to 3 hidden causes' if is_hidden else 'none hidden'}: "
              "pairs: mean probability -> share of true ones")  # fmt: skip
        for method in ("dag", "resampled", "mag"):
            print(f"{TITLES[method].strip():18}{calibration(all_said(chosen, method), truth)}")
        upper = np.triu_indices(columns, 1)
        spouses = np.concatenate([read(work, name, "mag")["spouses"][upper] for name in chosen])
        true = np.concatenate([spouses_of(cases[k].mag)[upper] for k in chosen])
        print(f"{'MAG: P(<->)':18}{calibration(spouses, true)}")


def marks(work: Path, names: list[str], off: NDArray[np.bool_], truth: NDArray[np.bool_]) -> list[str]:
    """Of the three marks of arrows in a report: how many have them, and how many of these are no causes."""
    held, found = np.ones(len(truth), dtype=bool), []
    columns = (
        ("the model says so", "dag", "arrows"),
        ("and again", "resampled", "arrows"),
        ("and hidden", "mag", "forced"),
    )
    for title, method, key in columns:
        held &= np.concatenate([read(work, name, method)[key][off] for name in names]) > MAJORITY
        found.append(f"{title} {held.sum()}, false {(held & ~truth).sum()}")
    both = np.concatenate([read(work, name, "dag")["arrows"][off] for name in names]) > MAJORITY
    both &= np.concatenate([read(work, name, "mag")["forced"][off] for name in names]) > MAJORITY
    return [*found, f"the model and hidden {both.sum()}, false {(both & ~truth).sum()}"]


def calibration(p: NDArray[np.float64], truth: NDArray[np.bool_]) -> str:
    """By bins of the probabilities: the number of statements, their mean probability and the share that is true."""
    found = []
    for low, high in itertools.pairwise(BINS):
        inside = (p >= low) & ((p < high) | (high == 1.0))
        if inside.any():
            found.append(f"{inside.sum()}: {p[inside].mean():.2f} -> {truth[inside].mean():.2f}")
    return "; ".join(found)


def spouses_of(mag: cz.MAG) -> NDArray[np.bool_]:
    """[i, j]: whether i <-> j."""
    heads = mag.matrix() == 2
    return heads & heads.T


def main() -> None:
    """Run or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "print"])
    parser.add_argument("work", type=Path)
    parser.add_argument("--columns", type=int, nargs="+", default=[8, 15])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--methods", nargs="+", default=[*ASKED], choices=ASKED)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if given.what == "run":
        peer = Peer(given.work / "environment")
        for columns in given.columns:
            for number in range(given.tables):
                ask(given.work, f"{columns}-{number}", simulate(columns, number).x, number + 1, peer, given.methods)
        return
    print(f"{machine()}; causal-zigzag, FCI of causal-learn")
    for columns in given.columns:
        show(given.work, columns)


if __name__ == "__main__":
    main()
