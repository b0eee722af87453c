"""CPU time to the same error of two versions of the package, on large sparse tables.

    python benchmarks/precision.py OLD NEW [--nodes 200 1000] [--runs 6] [--jumps 200000]

OLD and NEW are folders into which a version was installed (``pip install --target``). Jumps per second say little about
two versions that spend their jumps on other pairs; the error that is left after a CPU time does. The data are those of
balance.py: average degree 4, 1,000 rows. Chains begin in the class that cz.search of the new version finds, without
annealing and excursions, and make the same number of jumps, one chain per run, on one core; the versions alternate.
"error" is the root mean square, over the pairs with a mean probability between 0.05 and 0.95 in both, of the standard
deviation of the probability over the runs, and "median" the median of these; "CPU s" is that of a run with its warm-up.
"ratio" is the CPU time that OLD needs for the error of NEW, divided by that of NEW: the square of the ratio of the
errors times the ratio of the times, by the first and by the second of the two errors.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import machine
from numpy.typing import NDArray
from random_models import linear_gaussian

RUN = """
import sys, time, warnings
import numpy as np
import causal_zigzag as cz
version, folder, task, seed, jumps = sys.argv[1:]
if not cz.__file__.startswith(version):
    sys.exit(f"{cz.__file__} was imported instead of {version}: an editable install comes first")
warnings.simplefilter("ignore")
data = np.load(folder + "/data.npy")
if task == "search":
    np.save(folder + "/start.npy", cz.search(data, rng=1, progress=False).graph.matrix())
else:
    start = cz.CPDAG.from_matrix(np.load(folder + "/start.npy"))
    fixed = {"anneal": False, "excursions": False}
    fixed = {"settings": cz.Settings(**fixed)} if hasattr(cz, "Settings") else fixed  # of older versions
    settings = {"start": start, "chains": 1, "progress": False, **fixed}
    cz.sample(data, score="gaussian-bic", rng=0, jumps=1, **settings)  # what is loaded when first needed
    begun = time.process_time()
    posterior = cz.sample(data, score="gaussian-bic", rng=int(seed), jumps=int(jumps), **settings)
    spent = time.process_time() - begun
    np.savez(folder + "/found.npz", spent=spent, adjacent=posterior.edge_probabilities().adjacent)
"""


def call(version: str, folder: str, task: str, seed: int = 0, jumps: int = 0) -> None:
    """Search or sample with one version, in a process of its own."""
    arguments = [sys.executable, "-c", RUN, version, folder, task, str(seed), str(jumps)]
    subprocess.run(arguments, check=True, env={**os.environ, "PYTHONPATH": version, "OPENBLAS_NUM_THREADS": "1"})


def errors(runs: list[NDArray[np.float64]], is_open: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The root mean square and the median of the standard deviations."""
    sd = np.array(runs).std(axis=0, ddof=1)[is_open]
    return np.array([np.sqrt((sd**2).mean()), np.median(sd)])


def compare(versions: list[str], n: int, runs: int, jumps: int) -> None:
    """One line."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/data.npy", linear_gaussian(n, 1000, 1, 4)[0])
        call(versions[1], folder, "search")
        found: list[list[NDArray[np.float64]]] = [[], []]
        spent = np.zeros(2)
        for seed in range(runs):
            for which in (0, 1) if seed % 2 else (1, 0):
                call(versions[which], folder, "sample", seed, jumps)
                with np.load(f"{folder}/found.npz") as result:
                    found[which].append(result["adjacent"][np.triu_indices(n, 1)])
                    spent[which] += result["spent"] / runs
    means = [np.mean(some, axis=0) for some in found]
    is_open = np.all([(mean > 0.05) & (mean < 0.95) for mean in means], axis=0)
    old, new = (errors(some, is_open) for some in found)
    ratio = (old / new) ** 2 * spent[0] / spent[1]
    print(
        f"{n:>7} {jumps:>9,} {is_open.sum():>5}   {old[0]:.4f} {old[1]:.4f} {spent[0]:>6.1f}   "
        f"{new[0]:.4f} {new[1]:.4f} {spent[1]:>6.1f}   {ratio[0]:>5.1f} {ratio[1]:>6.1f}",
        flush=True,
    )


def main() -> None:
    """One line per number of nodes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("versions", nargs=2, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--nodes", nargs="+", type=int, default=[200, 500, 1000])
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--jumps", type=int, default=200_000)
    chosen = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(machine())
    print("\n                           old                     new                    ratio")
    print("columns     jumps  open    error median  CPU s    error median  CPU s   error median", flush=True)
    for n in chosen.nodes:
        compare(chosen.versions, n, chosen.runs, chosen.jumps)


if __name__ == "__main__":
    main()
