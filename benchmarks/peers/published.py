"""Default runs on published settings, next to other programs where they are installed, and to published figures.

    python -m benchmarks.peers.published simulation [--tables 6] [--nodes 200]
    python -m benchmarks.peers.published networks DIR [NAME ...] [--rows 1000]

"simulation" is that of Kuipers, Suter and Moffa (2022): 10 n rows of a linear Gaussian model on an Erdős-Rényi graph of
n nodes, with two parents per node on average, weights uniform on [0.4, 2] and noise of variance 1. The distance is the
number of pairs of nodes whose edge differs from that in the true CPDAG. cz.sample is measured by the edges of
probability above one half, and every program has its default settings, except that BiDAG gets the hyperparameter am =
0.25 and the limits of parents that its authors used.

"networks" draws a table from each network in DIR, NAME.bif or NAME.bif.gz (the format of the bnlearn repository; the
wheel of pgmpy 0.1.25 contains many), and compares two runs with different seeds: the largest difference of an
adjacency's probability, the score of the most probable class and the CPU time of both together.

BiDAG and bnlearn are measured if Rscript finds them. Their CPU times include the start of R.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import causal_zigzag as cz
from benchmarks.common import machine
from benchmarks.networks import draw_network
from benchmarks.random_models import distance

PUBLISHED = {200: "published: BiDAG distance 6.1 in 742 s"}  # by the number of nodes
R = {
    "BiDAG": """
        score <- BiDAG::scoreparameters("bge", table, bgepar = list(am = 0.25))
        alpha <- min(0.4, 20 / ncol(table))
        found <- BiDAG::iterativeMCMC(score, hardlimit = 16, softlimit = 10, alpha = alpha, verbose = FALSE)
        graph <- as.matrix(found$CPDAG)""",
    "bnlearn": "graph <- bnlearn::amat(bnlearn::cpdag(bnlearn::tabu(table)))",
}

Matrix = NDArray[np.uint8]


def in_r(package: str) -> Callable[[pd.DataFrame], Matrix] | None:
    """The method of an R package that is installed."""
    program = shutil.which("Rscript")
    if (
        program is None
        or subprocess.run([program, "-e", f"library({package})"], check=False, capture_output=True).returncode
    ):
        print(f"{package} is not measured: {'it' if program else 'Rscript'} is not installed")
        return None

    def run(table: pd.DataFrame) -> Matrix:
        with tempfile.TemporaryDirectory() as name:
            source, result = Path(name) / "table.csv", Path(name) / "graph.csv"
            table.to_csv(source, index=False)
            code = f'set.seed(1); table <- read.csv("{source}"); {R[package]}\n'
            code += f'write.table(graph, "{result}", sep = ",", row.names = FALSE, col.names = FALSE)'
            subprocess.run([program, "-e", code], check=True, capture_output=True)
            return np.loadtxt(result, delimiter=",").astype(np.uint8)

    return run


def simulated(n: int, seed: int) -> tuple[pd.DataFrame, Matrix]:
    """A table of the simulation, and the matrix of its DAG."""
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(10 * n, n))
    dag = np.zeros((n, n), dtype=np.uint8)
    order = rng.permutation(n)
    for i, v in enumerate(order):
        parents = order[:i][rng.random(i) < 4 / (n - 1)]
        dag[parents, v] = 1
        data[:, v] += data[:, parents] @ rng.uniform(0.4, 2, len(parents))
    return pd.DataFrame(data, columns=[f"x{v}" for v in range(n)]), dag


def simulation(n: int, tables: int) -> None:
    """Print a line per table and method, and the means."""
    sound = []

    def sample(table: pd.DataFrame) -> Matrix:
        posterior = cz.sample(table, rng=1, progress=False)
        sound.append(posterior.diagnostics().ok)
        return posterior.consensus().matrix()

    methods: dict[str, Callable[[pd.DataFrame], Matrix] | None] = {
        "cz.sample": sample,
        "cz.search": lambda table: cz.search(table, rng=1, progress=False).graph.matrix(),
        **{package: in_r(package) for package in R},
    }
    figures: dict[str, list[tuple[int, float]]] = {name: [] for name, method in methods.items() if method}
    print(f"\n{'table':>5} {'method':<10} {'distance':>8} {'CPU s':>7}")
    for seed in range(1, tables + 1):
        table, dag = simulated(n, seed)
        truth = cz.CPDAG.from_dag(dag).matrix()
        for name, method in methods.items():
            if method:
                begun = process_time() + getrusage(RUSAGE_CHILDREN).ru_utime
                away = distance(method(table), truth)
                seconds = process_time() + getrusage(RUSAGE_CHILDREN).ru_utime - begun
                figures[name].append((away, seconds))
                print(f"{seed:>5} {name:<10} {away:>8} {seconds:>7.1f}", flush=True)
    for name, values in figures.items():
        away, seconds = np.mean(values, axis=0)
        error = np.std([v[0] for v in values], ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
        print(f" mean {name:<10} {away:>8.1f} {seconds:>7.1f}   standard error of the distance {error:.1f}")
    print(f"{sum(sound)} of {len(sound)} runs of cz.sample are sound; {PUBLISHED.get(n, 'nothing is published')}")


def networks(folder: Path, names: list[str], rows: int) -> None:
    """Print a line per network."""
    files = {path.name.removesuffix(".gz").removesuffix(".bif"): path for path in sorted(folder.glob("*.bif*"))}
    print(f"\n{'network':<12} {'columns':>7} {'differ':>7} {'sound':>10} {'top score':>22} {'CPU s':>7}")
    for name in names or files:
        table, _ = draw_network(files[name], rows, 1)
        table = table.loc[:, table.nunique() > 1]
        begun = process_time()
        runs = [cz.sample(table, score="bdeu", rng=seed, progress=False) for seed in (1, 2)]
        seconds = process_time() - begun
        adjacent = [run.edge_probabilities().adjacent for run in runs]
        sound = " ".join("yes" if run.diagnostics().ok else "no" for run in runs)
        best = " ".join(f"{run.top(1)[0].score:.1f}" for run in runs)
        away = abs(adjacent[0] - adjacent[1]).max()
        print(f"{name:<12} {table.shape[1]:>7} {away:>7.3f} {sound:>10} {best:>22} {seconds:>7.1f}", flush=True)


def main() -> None:
    """Run one of the two comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    first = kinds.add_parser("simulation")
    first.add_argument("--tables", type=int, default=6)
    first.add_argument("--nodes", type=int, default=200)
    second = kinds.add_parser("networks")
    second.add_argument("folder", type=Path, metavar="DIR")
    second.add_argument("names", nargs="*", metavar="NAME")
    second.add_argument("--rows", type=int, default=1000)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine())
    if chosen.kind == "simulation":
        simulation(chosen.nodes, chosen.tables)
    else:
        networks(chosen.folder, chosen.names, chosen.rows)


if __name__ == "__main__":
    main()
