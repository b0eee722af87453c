"""The command `effects`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main

pytestmark = pytest.mark.nosanitize


def call(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture(scope="module")
def continuous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet"), ("wet", "slip")], rows=200, rng=1)
    path = tmp_path_factory.mktemp("runs") / "lawn.czz"
    cz.sample(table, jumps=2000, chains=2, rng=1, settings=cz.Settings(warmup=100), progress=False).save(path)
    return path


@pytest.fixture(scope="module")
def discrete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(1)
    dose = rng.choice(["high", "low"], 100)
    data = {
        "dose": dose,
        "ill": np.where(rng.random(100) < 0.8, dose == "low", dose == "high"),
        "age": rng.integers(0, 2, 100),
    }
    path = tmp_path_factory.mktemp("runs") / "ill.czz"
    cz.sample(cz.BDeu(data), jumps=1000, chains=2, rng=1, settings=cz.Settings(warmup=100), progress=False).save(path)
    return path


def test_csv_and_json_have_the_table_of_effects(continuous: Path) -> None:
    expected = cz.load(continuous).effects(outcomes="slip")
    result = call("effects", continuous, "--outcome", "slip", "--csv")
    assert result.exit_code == 0, result.output
    printed = pd.read_csv(io.StringIO(result.stdout))
    assert [*printed.columns] == [*expected.columns]
    numbers = ["cause", "outcome", *expected.select_dtypes(float).columns]
    pd.testing.assert_frame_equal(printed[numbers], expected[numbers], check_dtype=False)
    values = json.loads(call("effects", continuous, "--outcome", "slip", "--json").stdout)
    assert [value["cause"] for value in values] == expected["cause"].tolist()
    assert [value["mean"] for value in values] == expected["mean"].tolist()
    assert {*values[0]} == {*expected.columns}


def test_causes_and_outcomes_are_chosen(continuous: Path) -> None:
    whole = pd.read_csv(io.StringIO(call("effects", continuous, "--csv").stdout))
    assert len(whole) == 12
    some = call("effects", continuous, "--cause", "rain", "--cause", "sun", "--outcome", "wet", "--json")
    assert {value["cause"] for value in json.loads(some.stdout)} == {"rain", "sun"}
    likely = json.loads(call("effects", continuous, "--least", "0.5", "--json").stdout)
    assert len(likely) == (whole["probability_nonzero"] >= 0.5).sum() < 12


def test_the_table_for_people(continuous: Path) -> None:
    lines = call("effects", continuous, "--outcome", "slip").stdout.splitlines()
    assert lines[0].split()[:3] == ["outcome", "cause", "effect"]
    assert lines[0].split()[-4:] == ["path", "above", "0", "robustness"]
    assert len(lines) == 4
    assert lines[1].split()[1] == "wet"
    piped = call("effects", "-", "--outcome", "slip", stdin=continuous.read_bytes())
    assert piped.stdout.splitlines() == lines
    none = call("effects", continuous, "--cause", "slip", "--outcome", "sun", "--least", "1")
    assert none.exit_code == 0
    assert none.stdout == ""


def test_categorical_columns(discrete: Path) -> None:
    lines = call("effects", discrete, "--outcome", "ill").stdout.splitlines()
    assert lines[0].split()[:5] == ["outcome", "level", "cause", "from", "to"]
    assert lines[1].split()[:5] == ["ill", "True", "dose", "high", "low"]
    (value,) = json.loads(call("effects", discrete, "--outcome", "ill", "--cause", "dose", "--json").stdout)
    assert (value["from"], value["to"], value["level"]) == ("high", "low", True)
    effect = cz.load(discrete).effect("dose", "ill")
    assert value["mean"] == effect.mean
    pair = ("effects", discrete, "--cause", "dose", "--outcome", "ill", "--json")
    (chosen,) = json.loads(call(*pair, "--from", "low", "--to", "high", "--level", "True").stdout)
    assert (chosen["from"], chosen["to"], chosen["level"]) == ("low", "high", True)
    assert chosen["mean"] == effect.contrast("low", "high", level=True).mean == pytest.approx(-value["mean"])
    wrong = call(*pair, "--to", "huge")
    assert (wrong.exit_code, "huge" in wrong.stderr) == (2, True)
    assert call("effects", discrete, "--to", "low").exit_code == 2


def test_levels_are_for_categories_and_units_can_be_left_out(continuous: Path) -> None:
    pair = ("effects", continuous, "--cause", "rain", "--outcome", "wet", "--json")
    assert call(*pair, "--from", "no").exit_code == 2
    (value,) = json.loads(call(*pair, "--standardized").stdout)
    frame = cz.load(continuous).effects("rain", "wet", standardized=True)
    assert value["mean"] == frame["mean"].iloc[0]


def test_numbers_as_names(tmp_path: Path) -> None:
    cz.sample(np.random.default_rng(1).normal(size=(50, 3)), jumps=500, chains=1, rng=1, progress=False).save(
        tmp_path / "numbers.czz"
    )
    values = json.loads(call("effects", tmp_path / "numbers.czz", "--outcome", "2", "--json").stdout)
    assert sorted(value["cause"] for value in values) == [0, 1]


def test_errors(continuous: Path, tmp_path: Path) -> None:
    unknown = call("effects", continuous, "--outcome", "snow")
    assert unknown.exit_code == 1
    assert unknown.stderr == ("Error: there is no variable 'snow' in the run; its variables are rain, wet, sun, slip\n")
    cz.sample(cz.Uniform(3), jumps=500, chains=1, rng=1).save(tmp_path / "uniform.czz")
    other = call("effects", tmp_path / "uniform.czz")
    assert other.exit_code == 1
    assert "Uniform(3 nodes)" in other.stderr
    assert call("effects", continuous, "--least", "2").exit_code == 2
