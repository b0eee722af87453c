"""Edge posteriors by causal-zigzag, for the driver run.py: samples of classes, reweighted to a uniform prior over DAGs.

python worker_causal_zigzag.py TASK.json RESULT.json
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from time import process_time

import numpy as np

import causal_zigzag as cz


def main(task_path: str, result_path: str) -> None:
    """One run per seed and number of jumps; the data are already standardized."""
    task = json.loads(Path(task_path).read_text())
    data = np.load(task["data"])
    warnings.simplefilter("ignore", cz.SamplingWarning)  # short runs are intended
    results = []
    for seed in task["seeds"]:
        for jumps in task["amounts"]:
            begun = process_time()
            chains = task["chains"]
            posterior = cz.sample(
                cz.BGe(data),
                edge_prior=None,
                jumps=jumps // chains,
                chains=chains,
                start=task.get("start"),
                settings=cz.Settings(max_classes=jumps),
                rng=seed,
                progress=False,
            )
            adjacent = posterior.reweight("dags").edge_probabilities().adjacent
            results.append(
                {"seed": seed, "amount": jumps, "cpu": process_time() - begun, "adjacent": adjacent.tolist()}
            )
    Path(result_path).write_text(json.dumps({"estimates": {"": results}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
