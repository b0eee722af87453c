"""The paper's Alzheimer example on open data: cerebrospinal fluid of 333 people, and data from the published graph.

    python -m benchmarks.paper.alzheimer [--quick]

Access to the paper's ADNI data is restricted, so the same analysis is run on other data: dummy-coded ε4 alleles,
GaussianBIC with penalty 5.5 and 1, a uniform prior over classes, 50,000 jumps from the graph without edges. The first
data set is the bundled table (Craig-Schapiro et al. 2011, not ADNI). The second consists of 800 rows simulated from the
graph published for ADNI, so that the truth is known.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import causal_zigzag as cz
from benchmarks.common import machine
from benchmarks.paper.output import COLORS, new_figure, quick, save_figure, table

PENALTIES = [5.5, 1.0]
ADNI = [
    ("AGE", "ABETA"),
    ("e41", "ABETA"),
    ("e42", "ABETA"),
    ("ABETA", "PTAU"),
    ("ABETA", "FDG"),
    ("PTAU", "DX"),
    ("FDG", "DX"),
    ("EDU", "DX"),
]
ADNI_NODES = ["FDG", "ABETA", "PTAU", "e41", "e42", "AGE", "SEX", "EDU", "DX"]


def dummy_coded(data: pd.DataFrame) -> pd.DataFrame:
    """The number of ε4 alleles as two indicators."""
    return data.drop(columns="e4").assign(e41=(data["e4"] == 1) * 1.0, e42=(data["e4"] == 2) * 1.0)


def simulated(rows: int, seed: int) -> pd.DataFrame:
    """Rows of a linear Gaussian model with the published arrows; the numbers of alleles are drawn as such."""
    rng = np.random.default_rng(seed)
    alleles = rng.binomial(2, 0.25, size=rows)
    columns = {"e41": (alleles == 1) * 1.0, "e42": (alleles == 2) * 1.0}
    for v in ("AGE", "SEX", "EDU", "ABETA", "PTAU", "FDG", "DX"):
        causes = [columns[a] for a, b in ADNI if b == v]
        columns[v] = rng.normal(size=rows) + sum(rng.uniform(0.4, 0.8) * rng.choice([-1, 1]) * c for c in causes)
    return pd.DataFrame(columns)[ADNI_NODES]


def written(g: cz.CPDAG) -> str:
    """The edges of a class in one line."""
    return ", ".join([f"{a} -> {b}" for a, b in g.directed_edges] + [f"{a} - {b}" for a, b in g.undirected_edges])


def analyse(name: str, data: pd.DataFrame, jumps: int, truth: cz.CPDAG | None) -> None:
    """Print the most probable classes, and draw the trace of the first jumps."""
    rows = []
    figure = new_figure(7, 3.5)
    axes = figure.add_subplot()
    for penalty, color in zip(PENALTIES, COLORS, strict=False):
        # Linear Gaussian for all columns, including the indicators, as in the paper.
        score = cz.GaussianBIC(cz.read_table(data, kinds="continuous"), penalty=penalty)
        posterior = cz.sample(
            score, edge_prior=None, jumps=jumps, settings=cz.Settings(warmup=0), chains=1, rng=1, progress=False
        )
        for graph, probability, total in posterior.top(3):
            right = "" if truth is None else graph == truth
            rows.append(
                {
                    "penalty": penalty,
                    "probability": probability,
                    "score": total,
                    "true class": right,
                    "edges": written(graph),
                }
            )
        first = cz.sample(
            score, edge_prior=None, jumps=150, settings=cz.Settings(warmup=0), chains=1, rng=1, progress=False
        ).trace()[0]
        axes.step(first.time, first.edges, where="post", color=color, lw=1, label=f"penalty {penalty:g}")
    axes.set(xlabel="time", ylabel="edges", title=f"{name}: the first 150 jumps")
    axes.set_xscale("symlog", linthresh=float(first.time[-1]) / 100)
    axes.legend(frameon=False)
    save_figure(figure, f"alzheimer_{name}")
    table(f"alzheimer_{name}", f"{name}: {len(data)} rows, {jumps:,} jumps from the graph without edges", rows)


def main() -> None:
    """Analyse both data sets."""
    jumps = 2000 if quick(__doc__) else 50_000
    print(machine())
    analyse("open_csf", dummy_coded(cz.datasets.load("alzheimer")), jumps, None)
    # The two indicators of one count exclude each other, so they are always adjacent.
    truth = cz.CPDAG.from_dag([*ADNI, ("e41", "e42")], nodes=ADNI_NODES)
    analyse("simulated_adni", simulated(800, seed=1), jumps, truth)


if __name__ == "__main__":
    main()
