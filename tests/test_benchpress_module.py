"""The Benchpress module: its script writes the files that Benchpress reads, from the fields of its schema."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

MODULE = Path(__file__).parents[1] / "benchmarks" / "peers" / "benchpress" / "causal_zigzag"


class Wildcards(dict[str, str]):
    """Strings by field, as Snakemake passes them, which remembers what was read."""

    def __init__(self, **fields: object) -> None:
        super().__init__({key: str(value) for key, value in fields.items()})
        self.read: set[str] = set()

    def __getitem__(self, key: str) -> str:
        self.read.add(key)
        return super().__getitem__(key)


def run(folder: Path, table: pd.DataFrame, **fields: object) -> tuple[pd.DataFrame, set[str]]:
    """The matrix that the script writes, and the fields that it reads."""
    source = folder / "data.csv"
    table.to_csv(source, index=False)
    output = {key: str(folder / key) for key in ("adjmat", "time", "ntests")}
    wildcards = Wildcards(**fields)
    job = SimpleNamespace(input={"data": str(source)}, wildcards=wildcards, output=output)
    runpy.run_path(str(MODULE / "script.py"), init_globals={"snakemake": job})
    assert float((folder / "time").read_text()) > 0
    assert (folder / "ntests").read_text() == "None"
    return pd.read_csv(output["adjmat"]), wildcards.read


@pytest.fixture(scope="module")
def collider() -> pd.DataFrame:
    """Columns a -> c <- b."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 500))
    return pd.DataFrame({"b": b, "c": a + b + rng.normal(size=500), "a": a})


@pytest.mark.parametrize("estimate", ["consensus", "search"])
def test_continuous_tables_give_a_matrix_with_their_columns(
    tmp_path: Path, collider: pd.DataFrame, estimate: str
) -> None:
    found, _ = run(tmp_path, collider, estimate=estimate, score="bge", threshold=0.5, mcmc_seed=1, timeout=None)
    assert list(found.columns) == ["b", "c", "a"]
    assert found.to_numpy().tolist() == [[0, 1, 0], [0, 0, 0], [0, 1, 0]]


def test_the_row_of_cardinalities_is_no_observation(tmp_path: Path, collider: pd.DataFrame) -> None:
    """With it, b would have a third category."""
    levels = (collider > 0).astype(int)
    levels["c"] = levels["a"] + levels["b"]
    table = pd.concat([pd.DataFrame([[2, 3, 2]], columns=levels.columns), levels])
    found, _ = run(tmp_path, table, estimate="search", score="bdeu", threshold=0.5, mcmc_seed=1, timeout=20)
    assert found.to_numpy().tolist() == [[0, 1, 0], [0, 0, 0], [0, 1, 0]]


def test_the_schema_names_the_fields_that_the_script_reads(tmp_path: Path, collider: pd.DataFrame) -> None:
    schema = json.loads((MODULE / "schema.json").read_text())
    item = schema["items"]
    assert schema["type"] == "array"
    assert {*item["required"]} == {*item["properties"]}
    example = {**item["examples"][0], "threshold": 0.5}
    assert {*example} == {*item["properties"]}
    _, read = run(tmp_path, collider, **example)
    assert read == {*item["properties"]} - {"id"}


def test_the_other_files_are_those_that_benchpress_asks_for() -> None:
    assert {path.name for path in MODULE.iterdir()} >= {"rule.smk", "info.json", "bibtex.bib", "docs.rst"}
    info = json.loads((MODULE / "info.json").read_text())
    assert info["outputs"] == ["adjmat"]
    assert not info["mcmc"]
