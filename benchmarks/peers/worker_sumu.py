"""Edge posteriors by sumu's Gadget (partition MCMC), for the driver run.py; runs in sumu's own environment.

python worker_sumu.py TASK.json RESULT.json

Gadget takes its prior over structures from a default of LocalScore ("fair": parent sets of all sizes are equally
likely), which users cannot change; any other value means the uniform prior over DAGs, which is needed here. Its BGe has
fixed hyperparameters, equal to those of cz.BGe. The steps of Gadget.sample() are called one by one, so that one run
gives estimates at several lengths; the first tenth of the visited states is discarded each time.

The acceptance ratio of sumu 0.1.2 assumes that the proposal to split a part is uniform, but it is not: nodes are drawn
with replacement, so small splits are too frequent, and only single nodes are ever split off the first part. The chain
therefore has a different stationary distribution, with too few edges. So there are two methods: sumu as published, and
"repaired", with the split drawn uniformly and no other change.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sumu import gadget, mcmc

THINNING = 20  # drawing a DAG costs about as much as ten steps of the chain


class UniformLocalScore(gadget.LocalScore):  # type: ignore[misc]
    """The local score under the uniform prior over DAGs."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{**settings, "prior": "uniform"})


def R_basic_move(*, R: Any, validate: bool = False) -> Any:  # noqa: N802  sumu keeps statistics by this name
    """Merge two neighboring parts or split a part in two, all with equal probability; the interface is sumu's."""

    def count(parts: Any) -> int:
        return len(parts) - 1 + sum(2 ** len(part) - 2 for part in parts)

    if validate:
        return True
    drawn = np.random.randint(count(R))  # noqa: NPY002
    if drawn < len(R) - 1:
        i = drawn
        proposed = [*R[:i], R[i] | R[i + 1], *R[i + 2 :]]
        changed = R[i + 1].union(*R[i + 2 : i + 3])
    else:
        drawn -= len(R) - 1
        i = 0
        while drawn >= 2 ** len(R[i]) - 2:
            drawn -= 2 ** len(R[i]) - 2
            i += 1
        first = {node for bit, node in enumerate(sorted(R[i])) if (drawn + 1) >> bit & 1}
        proposed = [*R[:i], first, R[i] - first, *R[i + 1 :]]
        changed = (R[i] - first).union(*R[i + 1 : i + 2])
    return proposed, 1 / count(R), 1 / count(proposed), changed


def joined(dags: list[Any], n: int) -> list[np.ndarray]:
    """The symmetric matrix of each DAG, which is a list of (node,) or (node, parents)."""
    matrices = []
    for dag in dags:
        matrix = np.zeros((n, n), dtype=bool)
        for node, *rest in dag:
            for parent in rest[0] if rest else ():
                matrix[node, parent] = matrix[parent, node] = True
        matrices.append(matrix)
    return matrices


def run(data: np.ndarray, seed: int, task: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, list[int]]]:
    """The estimates of one chain at the given lengths, and the candidate parents."""
    n = data.shape[1]
    np.random.seed(seed)  # noqa: NPY002  sumu draws from the global generator
    begun = process_time()
    chain = gadget.Gadget(
        data=gadget.Data(data, discrete=False),
        scoref="bge",
        max_id=-1,
        K=min(task["candidates"], n - 1),
        d=task["outside"],
        cp_algo="greedy-lite",
        mc3_chains=task["chains"],
        burn_in=0,
        thinning=THINNING,
        tolerance=2**-32,
    )
    chain._find_candidate_parents()
    chain._precompute_scores_for_all_candidate_psets()
    chain._precompute_candidate_restricted_scoring()
    chain._precompute_candidate_complement_scoring()
    chain._init_mcmc()
    results, drawn, made = [], [], 0
    for amount in task["amounts"]:
        chain.iterations = amount - made
        made = amount
        chain._run_mcmc()
        drawn += joined(chain._sample_dags()[0], n)
        adjacent = np.mean(drawn[len(drawn) // 10 :], axis=0)
        results.append({"seed": seed, "amount": amount, "cpu": process_time() - begun, "adjacent": adjacent.tolist()})
    return results, {str(node): [int(parent) for parent in parents] for node, parents in chain.C.items()}


def main(task_path: str, result_path: str) -> None:
    """One chain (or one set of tempered chains) per seed."""
    task = json.loads(Path(task_path).read_text())
    data = np.load(task["data"])
    gadget.LocalScore = UniformLocalScore
    if task["repaired"]:
        mcmc.R_basic_move = R_basic_move
    results = []
    for seed in task["seeds"]:
        estimates, candidates = run(data, seed, task)
        results += estimates
    Path(result_path).write_text(json.dumps({"estimates": {"": results}, "candidates": candidates}))


if __name__ == "__main__":
    main(*sys.argv[1:])
