"""The command `audit`, hints for the shell rather than for Python, and exit codes of runs."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main
from causal_zigzag.cli.remedies import remedied

pytestmark = pytest.mark.nosanitize

RNG = np.random.default_rng(1)
A, B, C = RNG.normal(size=(3, 200))
HOLES = np.where(np.arange(200) % 10 == 0, np.nan, C)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "my table.csv"
    data = {"site": ["x"] * 200, "a": np.exp(2 * A), "b": B, "copy": B + 0.01 * A, "c": HOLES}
    pd.DataFrame(data).to_csv(path, index=False)
    return path


def test_the_page_ends_with_a_command_that_works(table: Path) -> None:
    result = call("audit", table)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    for words in (
        "180 rows complete",
        "20 rows without c",
        "site is constant",
        "--log a",
        "--drop copy",
        "--missing drop",
    ):
        assert words in result.stdout
    assert "transform" not in result.stdout
    command = shlex.split(result.stdout.splitlines()[-1].strip())
    assert command[:3] == ["causal-zigzag", "sample", str(table)]
    sampled = call(*command[1:], "--missing", "drop", "--jumps", 100, "--chains", 1, "--seed", 1, "--json")
    assert sampled.exit_code == 0, sampled.output
    value = json.loads(sampled.stdout)
    assert value["nodes"] == ["a", "b", "c"]
    assert "constant" in {finding["kind"] for finding in value["findings"]}


def test_the_audit_as_json(table: Path) -> None:
    value = json.loads(call("audit", table, "--drop", "copy", "--json").stdout)
    assert (value["rows"], value["columns"], value["complete_rows"]) == (200, 3, 180)
    assert {finding["kind"] for finding in value["findings"]} >= {"constant", "missing", "skew"}


def test_weights_and_transforms(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    counts = pd.DataFrame({"k": [0, 0, 1, 1], "m": ["x", "y", "x", "y"], "Freq": [30, 10, 20, 40]})
    counts.to_csv(path, index=False)
    assert "--weights Freq" in call("audit", path).stdout.splitlines()[-1]
    assert "100 rows" in call("audit", path, "--weights", "Freq").stdout
    for options in (["--log", "all"], ["--rank", "raf,mek"], ["--log", "raf", "--rank", "mek"]):
        assert call("ges", "sachs", *options).exit_code == 0
    for wrong in (["--log", "all", "--rank", "raf"], ["--log", "raf", "--rank", "raf"]):
        assert call("ges", "sachs", *wrong).exit_code == 2


def test_explain(tmp_path: Path) -> None:
    path = tmp_path / "run.czz"
    posterior = cz.sample({"a": A, "b": B + A, "c": C}, jumps=20_000, rng=1)
    posterior.save(path)
    assert call("explain", path, "a", "b").stdout == f"{posterior.explain('a', 'b')}\n"
    wrong = call("explain", path, "a", "B2")
    assert wrong.exit_code == 1
    assert "'B2'" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--tiers", "Father;..."], ["tier 1 of 2", "column Father", "did you mean father?"]),
        (["--drop", "Mother"], ["column Mother", "did you mean mother?"]),
        (["--forbid", "father,Heigth"], ["column Heigth", "did you mean Height?"]),
    ],
)
def test_names_that_are_nearly_right(arguments: list[str], words: list[str]) -> None:
    result = call("ges", "galton", *arguments)
    assert result.exit_code == 1
    assert [word for word in words if word not in result.stderr] == []


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (cz.SettingsError("x is 3; pass cz.BGe(data), or use score='bge'"), "x is 3"),
        (cz.DataError("2 rows are too few; give more rows, or use score='bge'"), "or use --score bge"),
        (cz.ScoreError('it has holes; leave them out with missing="drop"'), "with --missing drop"),
    ],
)
def test_messages_for_the_shell_have_options_and_no_python(error: Any, shown: str) -> None:
    assert remedied(error).endswith(shown)


def test_the_exit_code_tells_whether_a_run_has_converged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = cz.sample(cz.Uniform(6), jumps=20, chains=2, rng=1)
    run = tmp_path / "run.czz"
    for converge, code in ((True, 3), (False, 0)):
        ended = cz.sample(cz.Uniform(6), jumps=20, chains=2, rng=1)
        object.__setattr__(ended.settings, "converge", converge)
        monkeypatch.setattr(cz, "sample", lambda *_, result=ended, **__: result)
        result = call("sample", "galton", "--out", run)
        assert result.exit_code == code, result.output
        assert run.exists()
    assert not short.diagnostics().ok
