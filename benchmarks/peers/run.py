"""Edge posteriors compared with other packages: distance to the exact ones as a function of CPU time.

    python -m benchmarks.peers.run [--quick] [--envs DIR] [--work DIR]

Every package gets the same standardized columns, the BGe score with the same hyperparameters and the uniform prior over
DAGs, and estimates the probability that two nodes are adjacent. The exact probabilities are those of
exact_edge_posterior. Errors are absolute: the largest and the mean over pairs of nodes. Times are CPU times of the
process that computes, without imports. Both are medians over seeds. For 20 nodes there is no exact answer: there, runs
of the same package with different seeds are compared with each other and with one long run of causal-zigzag, from
scattered starts.

Each of the other packages runs in its own virtual environment, which is created in DIR if necessary. A package that
cannot be installed or does not run is skipped with a message.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz
from benchmarks.common import machine
from benchmarks.paper.output import arguments, table
from benchmarks.peers.environments import PeerError, environment, last_line
from benchmarks.peers.picture import draw
from benchmarks.random_models import linear_gaussian

REQUIREMENTS = {
    "sumu": ["sumu==0.1.2", "numpy==2.4.6", "scipy==1.17.1"],
    "dibs": ["dibs-lib==1.3.3", "jax==0.10.2", "numpy==2.4.6"],
}
PATIENCE = 1800.0  # wall-clock seconds per job
WITHOUT_EXACT = "n = 20"
REFERENCE = "causal-zigzag, reference"
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")} | {"JAX_PLATFORMS": "cpu"}

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Data:
    """Standardized columns, and the DAG that generated them, if known."""

    columns: Matrix
    dag: NDArray[np.uint8] | None = None


@dataclass(frozen=True)
class Job:
    """One process: a package with settings on one data set, for several seeds and run lengths."""

    name: str
    worker: str
    data: str
    amounts: Sequence[int]
    seeds: Sequence[int]
    settings: dict[str, Any] = field(default_factory=dict)


def data_sets() -> dict[str, Data]:
    """The data by name."""

    def standardized(columns: Matrix, dag: NDArray[np.uint8] | None = None) -> Data:
        return Data((columns - columns.mean(axis=0)) / columns.std(axis=0, ddof=1), dag)

    return {
        "n = 6": standardized(*linear_gaussian(6, 200, 1)),
        "n = 10": standardized(*linear_gaussian(10, 200, 1)),
        "n = 11, Sachs": standardized(cz.datasets.load("sachs-log").iloc[:500].to_numpy(dtype=np.float64)),
        WITHOUT_EXACT: standardized(*linear_gaussian(20, 500, 1)),
    }


def jobs(quick: bool) -> list[Job]:
    """The jobs; amounts are jumps, steps of a chain, or steps of the optimizer."""
    few = 10 if quick else 1
    exact = ["n = 6", "n = 10", "n = 11, Sachs"]
    found = []
    for data in exact:
        amounts = [jumps // few for jumps in (1000, 10_000, 100_000, 1_000_000)]
        found.append(Job("causal-zigzag", "causal_zigzag", data, amounts, range(1, 6), {"chains": 1}))
        every = {"candidates": 10, "outside": 1, "chains": 1, "repaired": False}  # all other nodes are candidates
        amounts = [steps // few for steps in (1000, 10_000, 50_000)]
        found.append(Job("sumu", "sumu", data, amounts, range(1, 4), every))
        every = {**every, "repaired": True}
        amounts = [steps // few for steps in (1000, 10_000, 100_000)]
        found.append(Job("sumu repaired", "sumu", data, amounts, range(1, 4), every))
        amounts = [steps // few for steps in (1000, 5000, 25_000)]
        tempered = {**every, "chains": 4}
        found.append(Job("sumu repaired, 4 tempered chains", "sumu", data, amounts, range(1, 4), tempered))
        amounts = [steps // few for steps in (50, 100)]
        found.append(Job("dibs-lib", "dibs", data, amounts, range(1, 4), {"particles": 20}))
    amounts = [jumps // few for jumps in (10_000, 100_000, 1_000_000)]
    found.append(Job("causal-zigzag", "causal_zigzag", WITHOUT_EXACT, amounts, range(1, 5), {"chains": 1}))
    found.append(
        Job(REFERENCE, "causal_zigzag", WITHOUT_EXACT, [1_000_000 // few], [99], {"chains": 8, "start": "scattered"})
    )
    amounts = [steps // few for steps in (10_000, 50_000)]
    for candidates, outside in ((9, 3), (4, 1)):
        settings = {"candidates": candidates, "outside": outside, "chains": 1, "repaired": True}
        name = f"sumu repaired, {candidates} candidates, {outside} other"
        found.append(Job(name, "sumu", WITHOUT_EXACT, amounts, range(1, 4), settings))
    amounts = [steps // few for steps in (5000, 25_000)]
    tempered = {"candidates": 9, "outside": 3, "chains": 4, "repaired": True}
    found.append(Job("sumu repaired, 4 tempered chains", "sumu", WITHOUT_EXACT, amounts, range(1, 4), tempered))
    return found


def run(job: Job, key: int, data: str, pythons: dict[str, Path], folder: Path) -> dict[str, Any]:
    """The result of a job; reuses a stored result of the same task."""
    task, result = folder / f"{key}-task.json", folder / f"{key}-result.json"
    wanted = {"method": job.name, "data": data, "seeds": list(job.seeds), "amounts": list(job.amounts), **job.settings}
    if not (result.exists() and json.loads(task.read_text()) == wanted):
        result.unlink(missing_ok=True)
        task.write_text(json.dumps(wanted))
        compute(pythons[job.worker], Path(__file__).parent / f"worker_{job.worker}.py", task, result)
    read: dict[str, Any] = json.loads(result.read_text())
    return read


def compute(python: Path, worker: Path, task: Path, result: Path) -> None:
    """Run a worker on its task, in the folder of the task."""
    try:
        done = subprocess.run(
            [str(python), str(worker), task.name, result.name],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
            cwd=task.parent,
            env={**os.environ, **ONE_THREAD},
        )
    except subprocess.TimeoutExpired:
        raise PeerError(f"not done after {PATIENCE:g} s") from None
    if done.returncode:
        raise PeerError(last_line(done.stderr))


def pairs(adjacent: Any) -> Matrix:
    """The entries above the diagonal."""
    matrix = np.asarray(adjacent, dtype=np.float64)
    return matrix[np.triu_indices(len(matrix), 1)]


def by_amount(estimates: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The estimates of all seeds, grouped by amount."""
    groups: dict[int, list[dict[str, Any]]] = {}
    for one in estimates:
        groups.setdefault(one["amount"], []).append(one)
    return groups


def row(
    data: str, name: str, amount: int, group: list[dict[str, Any]], what: str, away: list[Matrix]
) -> dict[str, Any]:
    """One line of a table: medians of the CPU time and of the differences."""
    return {
        "data": data,
        "method": name,
        "length": amount,
        "runs": len(group),
        "cpu_s": float(np.median([one["cpu"] for one in group])),
        f"max_{what}": float(np.median([a.max() for a in away])),
        f"mean_{what}": float(np.median([a.mean() for a in away])),
    }


def accuracy(job: Job, result: dict[str, Any], exact: Matrix) -> list[dict[str, Any]]:
    """The errors of a job relative to the exact probabilities."""
    return [
        row(
            job.data,
            f"{job.name} {label}".strip(),
            amount,
            group,
            "error",
            [abs(pairs(g["adjacent"]) - exact) for g in group],
        )
        for label, estimates in result["estimates"].items()
        for amount, group in by_amount(estimates).items()
    ]


def agreement(job: Job, result: dict[str, Any], reference: Matrix, dag: NDArray[np.uint8]) -> list[dict[str, Any]]:
    """Differences between runs and from the reference, and the number of true parents that were not candidates."""
    candidates = result.get("candidates")
    missing = sum(p not in candidates[str(v)] for p, v in np.argwhere(dag)) if candidates else 0
    lines = []
    for amount, group in by_amount(result["estimates"][""]).items():
        found = [pairs(one["adjacent"]) for one in group]
        between = [abs(a - b) for a, b in combinations(found, 2)]
        line = row(job.data, job.name, amount, group, "between_runs", between)
        away = [abs(a - reference) for a in found]
        line["max_from_reference"] = float(np.median([a.max() for a in away]))
        line["pairs_off_by_0.1"] = int(np.median([(a > 0.1).sum() for a in away]))
        line["true_parents_pruned"] = int(missing)
        lines.append(line)
    return lines


def reached(lines: list[dict[str, Any]], column: str, bounds: Sequence[float]) -> list[dict[str, Any]]:
    """Per data set and method: the CPU time of the shortest runs within each bound, and the best error."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in sorted(lines, key=lambda line: line["cpu_s"]):
        groups.setdefault((line["data"], line["method"]), []).append(line)
    said = []
    for data in dict.fromkeys(line["data"] for line in lines):
        for method in dict.fromkeys(line["method"] for line in lines):
            if group := groups.get((data, method)):
                times = {f"cpu_s to {b:g}": next((x["cpu_s"] for x in group if x[column] <= b), np.nan) for b in bounds}
                best = min(group, key=lambda line: line[column])
                said.append(
                    {"data": data, "method": method, **times, "best": best[column], "best_cpu_s": best["cpu_s"]}
                )
    return said


def interpreters(envs: Path) -> dict[str, Path]:
    """The interpreter of each available package."""
    pythons = {"causal_zigzag": Path(sys.executable)}
    for name, requirements in REQUIREMENTS.items():
        try:
            pythons[name] = environment(envs / name, requirements)
            print(f"{name}: {', '.join(requirements)}", flush=True)
        except PeerError as problem:
            print(f"{name} is left out, since it does not install: {problem}", flush=True)
    return pythons


def main() -> None:
    """Run all jobs, print the tables and draw the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = Path(tempfile.gettempdir()) / "causal-zigzag-peers"
    parser.add_argument("--envs", type=Path, default=default, help=f"the environments of the peers; {default}")
    parser.add_argument("--work", type=Path, help="where results of jobs are kept, and not computed again")
    chosen = arguments(parser)
    print(machine(), flush=True)
    pythons = interpreters(chosen.envs.absolute())
    data = data_sets()
    wanted = [job for job in jobs(chosen.quick) if job.worker in pythons]
    with tempfile.TemporaryDirectory() as name:
        folder = (chosen.work or Path(name)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        results = run_all(wanted, data, pythons, folder)
    report(data, results)


def run_all(
    wanted: list[Job], data: dict[str, Data], pythons: dict[str, Path], folder: Path
) -> list[tuple[Job, dict[str, Any]]]:
    """The results of the jobs that ran, two at a time."""
    files = {key: f"{i}.npy" for i, key in enumerate(data)}
    for key, file in files.items():
        np.save(folder / file, data[key].columns)
    results = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        running = [(job, pool.submit(run, job, i, files[job.data], pythons, folder)) for i, job in enumerate(wanted)]
        for job, future in running:
            try:
                results.append((job, future.result()))
            except PeerError as problem:
                print(f"{job.name} on {job.data} is left out: {problem}", flush=True)
    return results


def report(data: dict[str, Data], results: list[tuple[Job, dict[str, Any]]]) -> None:
    """Print the tables and draw the picture."""
    exact = {
        key: pairs(cz.exact_edge_posterior(cz.BGe(one.columns), edge_prior=None).adjacent)
        for key, one in data.items()
        if key != WITHOUT_EXACT
    }
    errors = [line for job, result in results if job.data in exact for line in accuracy(job, result, exact[job.data])]
    table("peers", "Probabilities of adjacency against exact ones (absolute; medians over runs)", errors)
    reference = next(pairs(result["estimates"][""][0]["adjacent"]) for job, result in results if job.name == REFERENCE)
    dag = data[WITHOUT_EXACT].dag
    assert dag is not None
    apart = [
        line
        for job, result in results
        if job.data == WITHOUT_EXACT and job.name != REFERENCE
        for line in agreement(job, result, reference, dag)
    ]
    table("peers-agreement", "20 nodes: runs against each other, and against a reference run of causal-zigzag", apart)
    within = reached(errors, "max_error", [0.1, 0.05, 0.01])
    table("peers-reached", "CPU seconds of the shortest runs whose largest error was at most so much", within)
    agreed = reached(apart, "max_between_runs", [0.1, 0.05, 0.01])
    table("peers-agreed", "20 nodes: CPU seconds of the shortest runs that differ by at most so much", agreed)
    draw(errors, apart)


if __name__ == "__main__":
    main()
