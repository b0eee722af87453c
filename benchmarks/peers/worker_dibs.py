"""Edge posteriors by dibs-lib (Stein variational inference), for the driver run.py; runs in its own environment.

python worker_dibs.py TASK.json RESULT.json

The likelihood is its BGe, whose defaults are those of cz.BGe, and the prior over graphs is flat. The target is still
only approximately the same: DiBS has a Gaussian prior over its latent variables, and acyclicity is a penalty that grows
with the steps. There are two estimates: all acyclic particles have equal weight ("DiBS"), or each graph among them has
its posterior weight ("DiBS+"). All seeds run in one process, after a first segment that is not counted, so that times
do not include compilation.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from dibs.inference import MarginalDiBS
from dibs.models import BGe


class FlatPrior:
    """The same weight for every graph."""

    def unnormalized_log_prob_soft(self, *, soft_g: Any) -> Any:
        """A constant, written as a function of the graph because it is differentiated."""
        return 0.0 * soft_g.sum()


def estimates(dibs: MarginalDiBS, particles: Any) -> dict[str, np.ndarray | None]:
    """The probabilities of adjacency with equal and with posterior weights; None if no particle is acyclic."""
    graphs = np.asarray(dibs.particle_to_g_lim(particles))
    n = graphs.shape[1]
    walks = np.array([np.trace(np.linalg.matrix_power(np.eye(n) + g, n)) for g in graphs.astype(float)])
    acyclic = walks < n + 0.5
    if not acyclic.any():
        return {"DiBS": None, "DiBS+": None}
    adjacent = (graphs + graphs.transpose(0, 2, 1))[acyclic] > 0
    logs = np.asarray(dibs.get_mixture(jnp.array(graphs)).logp)[acyclic]
    # each graph counts once, with its posterior weight, however many particles have it
    _, first = np.unique(graphs[acyclic].reshape(len(logs), -1), axis=0, return_index=True)
    weights = np.exp(logs[first] - logs[first].max())
    return {"DiBS": adjacent.mean(axis=0), "DiBS+": np.tensordot(weights / weights.sum(), adjacent[first], 1)}


def main(task_path: str, result_path: str) -> None:
    """One set of particles per seed."""
    task = json.loads(Path(task_path).read_text())
    data = jnp.array(np.load(task["data"]))
    dibs = MarginalDiBS(x=data, graph_model=FlatPrior(), likelihood_model=BGe(n_vars=data.shape[1]))
    every = task["amounts"][0]  # the other amounts are multiples of it
    settings = {"n_particles": task["particles"], "callback_every": every}
    dibs.sample(key=jax.random.PRNGKey(0), steps=every, callback=lambda dibs, zs, **_: estimates(dibs, zs), **settings)
    results: dict[str, list[dict[str, Any]]] = {"DiBS": [], "DiBS+": []}
    for seed in task["seeds"]:
        clock = {"begun": process_time()}

        def keep(*, dibs: MarginalDiBS, t: int, zs: Any, seed: int = seed, clock: dict[str, float] = clock) -> None:
            np.asarray(zs)  # waits for the asynchronous result of jax
            stopped = process_time()
            if t in task["amounts"]:
                for name, adjacent in estimates(dibs, zs).items():
                    if adjacent is not None:
                        cpu = stopped - clock["begun"]
                        results[name].append({"seed": seed, "amount": t, "cpu": cpu, "adjacent": adjacent.tolist()})
            clock["begun"] += process_time() - stopped  # the estimates compile again, which is not counted

        dibs.sample(key=jax.random.PRNGKey(seed), steps=task["amounts"][-1], callback=keep, **settings)
    Path(result_path).write_text(json.dumps({"estimates": results}))


if __name__ == "__main__":
    main(*sys.argv[1:])
