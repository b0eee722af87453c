"""The command judge: the same text and table as ``Posterior.judge``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main

TABLE = cz.datasets.linear_gaussian([("age", "bmi"), ("bmi", "died")], rows=500, rng=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs")
    TABLE.to_csv(path / "table.csv", index=False)
    cz.sample(TABLE, jumps=20_000, chains=2, resamples=0, rng=1, progress=False).save(path / "run.czz")
    (path / "my.dot").write_text("digraph { age -> died }")
    return path


def test_in_words(folder: Path) -> None:
    result = CliRunner().invoke(main, ["judge", str(folder / "run.czz"), str(folder / "my.dot")])
    assert result.exit_code == 0
    assert result.output == f"{cz.load(folder / 'run.czz').judge('age -> died')}\n"


def test_with_the_rows(folder: Path) -> None:
    command = ["judge", str(folder / "run.czz"), "-", "--data", str(folder / "table.csv")]
    result = CliRunner().invoke(main, command, input="age -> bmi, died")
    assert result.exit_code == 0
    assert "died depends on bmi" in result.output


def test_as_json(folder: Path) -> None:
    result = CliRunner().invoke(main, ["judge", str(folder / "run.czz"), str(folder / "my.dot"), "--json"])
    rows = json.loads(result.output)
    assert {row["verdict"] for row in rows if row["edge"]} <= {"against", "unclear", "open", "holds"}
    assert len(rows) == 3


def test_on_a_page(folder: Path) -> None:
    page = folder / "page.html"
    result = CliRunner().invoke(main, ["judge", str(folder / "run.czz"), str(folder / "my.dot"), "--report", str(page)])
    assert result.exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "What the data say about your graph" in text
    assert "<desc" in text.split('id="own"')[1]
    assert cz.load(folder / "run.czz").judge("age -> died").edges["verdict"][0] in text.split('id="own"')[1]


def test_a_graph_with_another_variable(folder: Path) -> None:
    result = CliRunner().invoke(main, ["judge", str(folder / "run.czz"), "-"], input="age -> height")
    assert result.exit_code == 1
    assert "height" in result.output
