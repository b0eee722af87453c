"""Experiments with unknown or known targets: the interventional score against plain columns of conditions.

Run: python benchmarks/experiments.py [--nodes 15] [--rows 400] [--tables 8] [--pace]

Random linear Gaussian models with about one edge per variable; half of the rows are observations, the others come from
five experiments, each on one random variable: "shift" adds 1 to its mean, "perfect" replaces it by standard normal
numbers that do not depend on its causes, so that only covariances change. Each experiment has an indicator column,
which nothing causes. Shown is the expected number of pairs of variables whose mark (none, line, arrow) is not that of
the true interventional class (SHD), then the targets that have probability 0.5 or more, and the other variables that
do. "known": the targets are given as required arrows; "set": as perfect interventions, in which their causes have no
effect. "--pace" measures a default run.
"""

from __future__ import annotations

import argparse
import warnings
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz

EXPERIMENTS = 5
CODES = {"BGe": "bge", "GaussianBIC": "gaussian-bic"}
VARIANTS = [
    ("interventional BGe", "unknown"), ("interventional BGe", "known"), ("interventional BGe", "set"),
    ("BGe", "unknown"), ("BGe", "known"), ("GaussianBIC", "unknown"), ("GaussianBIC", "known"),
]  # fmt: skip
RUN = {"jumps": 20_000, "chains": 4, "progress": False}
Array = NDArray[np.float64]


class Experiment(NamedTuple):
    """The DAG of the variables, the rows with their indicators, and the target of each indicator."""

    dag: NDArray[np.uint8]
    table: dict[str, Array]
    targets: dict[str, str]


def simulate(n: int, rows: int, kind: str, seed: int) -> Experiment:
    """Rows of a random model, half of them under experiments; every variable has variance 1 when it is observed."""
    rng = np.random.default_rng([seed, n])
    order = rng.permutation(n)
    weights, spread, covariance = np.zeros((n, n)), np.ones(n), np.eye(n)
    for i, v in enumerate(order):
        parents = order[:i][rng.random(i) < 2 / (n - 1)]
        w = np.zeros(n)
        w[parents] = rng.uniform(0.4, 1.0, len(parents)) * rng.choice([-1.0, 1.0], len(parents))
        spread[v] = 1 / np.sqrt(1 + w @ covariance @ w)
        weights[:, v] = w * spread[v]
        before = order[:i]
        covariance[before, v] = covariance[v, before] = covariance[np.ix_(before, before)] @ weights[before, v]
    targets = rng.choice(n, EXPERIMENTS, replace=False)
    each = rows // (2 * EXPERIMENTS)
    blocks, indicators = [], []
    for which in [-1, *range(EXPERIMENTS)]:
        size = rows - each * EXPERIMENTS if which < 0 else each
        B, deviation, mean = weights.copy(), spread.copy(), np.zeros(n)
        if which >= 0 and kind == "shift":
            mean[targets[which]] = 1.0
        elif which >= 0:
            B[:, targets[which]], deviation[targets[which]] = 0.0, 1.0
        blocks.append((mean + rng.normal(size=(size, n)) * deviation) @ np.linalg.inv(np.eye(n) - B))
        indicators.append(np.tile(np.arange(EXPERIMENTS) == which, (size, 1)))
    x, on = np.vstack(blocks), np.vstack(indicators).astype(int)
    table = {f"x{j}": x[:, j] for j in range(n)} | {f"e{k}": on[:, k] for k in range(EXPERIMENTS)}
    return Experiment((weights != 0).astype(np.uint8), table, {f"e{k}": f"x{t}" for k, t in enumerate(targets)})


def true_class(made: Experiment) -> cz.MPDAG:
    """The class of the true DAG with the indicators, given that nothing causes these."""
    n, nodes = len(made.dag), tuple(made.table)
    dag = np.zeros((len(nodes), len(nodes)), dtype=np.uint8)
    dag[:n, :n] = made.dag
    for condition, target in made.targets.items():
        dag[nodes.index(condition), nodes.index(target)] = 1
    return cz.CPDAG.from_dag(dag, nodes).with_knowledge(cz.Knowledge.contexts(nodes[n:]))


def judged(posterior: cz.Posterior, made: Experiment) -> tuple[float, float, float]:
    """The expected SHD among the variables, the number of targets found, and of other variables."""
    n, edges = len(made.dag), posterior.edge_probabilities()
    matrix = np.array(true_class(made).matrix()).astype(bool)
    wrong = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            forward, backward, line = edges.directed[i, j], edges.directed[j, i], edges.undirected[i, j]
            right = {(True, True): line, (True, False): forward, (False, True): backward}
            wrong += 1 - right.get((matrix[i, j], matrix[j, i]), 1 - forward - backward - line)
    acts = edges.directed[n:, :n] >= 0.5
    return wrong, float((acts & matrix[n:, :n]).sum()), float((acts & ~matrix[n:, :n]).sum())


def arguments(made: Experiment, score: str, targets: str) -> dict[str, Any]:
    """Those of a run with this score, whose targets are unknown, known or set."""
    conditions, arrows = [*made.targets], [*made.targets.items()]
    others = [(c, v) for c in conditions for v in made.table if v not in conditions and v != made.targets[c]]
    if targets == "set":
        return {"contexts": conditions, "targets": {c: [v] for c, v in arrows}}
    known = cz.Knowledge.contexts(
        conditions, **({"required": arrows, "forbidden": others} if targets == "known" else {})
    )
    if score == "interventional BGe":
        return {"contexts": conditions, "knowledge": known}
    return {"score": CODES[score], "knowledge": known, "kinds": "continuous"}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[15])
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--pace", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine())
    for n in given.nodes:
        for kind in ("shift", "perfect"):
            tables = [simulate(n, given.rows, kind, seed) for seed in range(1 if given.pace else given.tables)]
            if given.pace:
                begun = process_time()
                run = cz.sample(tables[0].table, **arguments(tables[0], *VARIANTS[0]), rng=1, progress=False)
                print(f"{n} variables, {kind}: {process_time() - begun:.1f} CPU s, {run.diagnostics().verdict}")
                continue
            for name, targets in VARIANTS:
                runs = [
                    cz.sample(made.table, rng=seed, **RUN, **arguments(made, name, targets))
                    for seed, made in enumerate(tables)
                ]
                wrong, found, others = np.mean([*map(judged, runs, tables)], axis=0)
                words = f"{n:>3} {kind:<8} {name:<19} targets {targets:<8}"
                print(f"{words} SHD {wrong:>5.2f}, targets {found:.2f}, others {others:.2f}", flush=True)


if __name__ == "__main__":
    main()
