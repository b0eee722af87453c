"""The script of the Benchpress module: reads a table, writes the matrix of one graph and the time it took.

Snakemake defines ``snakemake`` before it runs the script; its wildcards are strings.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

import causal_zigzag as cz

CATEGORICAL = ("bdeu", "discrete-bic")


def estimate(table: pd.DataFrame, wildcards: Mapping[str, str]) -> pd.DataFrame:
    """The matrix of the graph: 1 at (x, y) for x -> y and for x - y."""
    limit = wildcards["timeout"]
    settings = {
        "score": wildcards["score"],
        "rng": int(wildcards["mcmc_seed"]),
        "progress": False,
        "keep": list(table.columns),
    }
    if limit != "None":
        settings["minutes"] = float(limit) / 60
    if wildcards["estimate"] == "search":
        graph = cz.search(table, **settings).graph
    else:
        graph = cz.sample(table, **settings).consensus(float(wildcards["threshold"]))
    return pd.DataFrame(graph.matrix(), columns=table.columns)


def main(source: str, wildcards: Mapping[str, str], output: Mapping[str, str]) -> None:
    """Read the table, estimate the graph and write the three files."""
    table = pd.read_csv(source)
    if wildcards["score"] in CATEGORICAL:
        table = table.iloc[1:].astype("category")  # the first row has the number of categories
    begun = time.perf_counter()
    matrix = estimate(table, wildcards)
    Path(output["time"]).write_text(str(time.perf_counter() - begun))
    matrix.to_csv(output["adjmat"], index=False)
    Path(output["ntests"]).write_text("None")


main(snakemake.input["data"], snakemake.wildcards, snakemake.output)  # type: ignore[name-defined]  # noqa: F821
