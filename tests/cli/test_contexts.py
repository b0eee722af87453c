"""Experiments and time series on the command line: the options, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main

pytestmark = pytest.mark.nosanitize


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 120))
    y[1:] += x[:-1]
    quarters = [f"{2000 + i // 4}Q{i % 4 + 1}" for i in range(60)] * 2
    frame = pd.DataFrame({"who": ["p"] * 60 + ["q"] * 60, "quarter": quarters, "x": x, "y": y})
    path = tmp_path_factory.mktemp("series") / "series.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(3)
    drug = np.repeat([0, 1], 100)
    x = rng.normal(size=200) * (1 + drug)
    frame = pd.DataFrame({"drug": drug, "site": np.arange(200) % 3, "x": x, "y": x + rng.normal(size=200)})
    path = tmp_path_factory.mktemp("experiment") / "experiment.csv"
    frame.to_csv(path, index=False)
    return path


def test_series(series: Path) -> None:
    result = call("exact", series, "--time", "quarter", "--by", "who", "--lags", 1, "--json")
    assert result.exit_code == 0, result.output
    table = cz.lagged(series, 1, by="who", time="quarter")
    expected = cz.exact_edge_posterior(table, edge_prior="auto").edge_table()
    assert [row["adjacent"] for row in json.loads(result.stdout)] == pytest.approx([*expected["adjacent"]])
    two = call("ges", series, "--time", "quarter", "--by", "who")  # two lags, unless others are asked for
    assert two.exit_code == 0, two.output
    assert "x[t-2]" in two.output


def test_conditions(experiment: Path) -> None:
    given = ("--contexts", "drug,site", "--targets", "drug=x", "--jumps", 500, "--chains", 1, "--seed", 1, "--json")
    result = call("sample", experiment, *given)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["score"].startswith("InterventionalBGe")
    assert found["knowledge"].startswith("conditions without causes: drug, site; required: drug -> x")


@pytest.mark.parametrize(
    "options",
    [
        ("--contexts", "drg"),
        ("--contexts", "x"),
        ("--contexts", "drug", "--targets", "drug=z"),
        ("--contexts", "drug", "--targets", "drug"),
        ("--lags", "0"),
        ("--lags", "500"),
        ("--time", "x"),
    ],
)
def test_what_is_refused(experiment: Path, options: tuple[str, ...]) -> None:
    result = call("sample", experiment, *options, "--jumps", 100)
    assert result.exit_code in (1, 2), result.output
    assert "Traceback" not in result.output
