"""Tables of edges as CSV, TSV and Parquet files."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.files.write import write_table


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "CSV"])
def test_round_trips(suffix: str, tmp_path: Path) -> None:
    posterior = cz.sample(cz.Uniform(["plain", 'say "x"', "<&>'", "back\\slash"]), jumps=2000, rng=1, progress=False)
    path = tmp_path / f"edges.{suffix}"
    posterior.export_edges(path)
    if suffix == "parquet":
        read = pd.read_parquet(path)
    else:
        with path.open(newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file, delimiter="\t" if suffix == "tsv" else ",")
        read = pd.DataFrame([[x, y, *(float(p or "nan") for p in numbers)] for x, y, *numbers in rows], columns=head)
    table = posterior.edge_table()
    assert list(read.columns) == list(table.columns)
    assert read["x"].tolist() == table["x"].tolist()
    assert np.array_equal(read.iloc[:, 2:].to_numpy(), table.iloc[:, 2:].to_numpy(), equal_nan=True)


def test_labels_of_several_types_in_parquet(tmp_path: Path) -> None:
    cz.exact_posterior(cz.Uniform([1, "b", (2, 3)])).export_edges(tmp_path / "a.parquet")
    assert {*pd.read_parquet(tmp_path / "a.parquet")["y"]} == {"b", "(2, 3)"}
    cz.exact_posterior(cz.Uniform([7, 8])).export_edges(tmp_path / "b.parquet")
    assert pd.read_parquet(tmp_path / "b.parquet")["x"].tolist() == [7]
    cz.exact_posterior(cz.Uniform(1)).export_edges(tmp_path / "c.parquet")
    assert len(pd.read_parquet(tmp_path / "c.parquet")) == 0


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    table = pd.DataFrame({"x": [], "y": []})
    with pytest.raises(cz.OutputError, match=r"the format of '.*a\.xls' is unknown; its suffix must be \.csv"):
        write_table(table, tmp_path / "a.xls")
    with pytest.raises(cz.OutputError, match="cannot write"):
        write_table(table, tmp_path / "missing" / "a.csv")
