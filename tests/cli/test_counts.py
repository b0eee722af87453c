"""Counts on the command line in all notations."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from causal_zigzag.cli import main

pytestmark = pytest.mark.nosanitize


@pytest.mark.parametrize("text", ["1000", "1e3", "1E3", "1_000", "1000.0", "0.1e4"])
def test_notations_of_a_thousand(text: str) -> None:
    options = ["--jumps", text, "--chains", "2", "--seed", "1", "--json"]
    result = CliRunner().invoke(main, ["sample", "galton", *options])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["jumps"] == 2000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.5", "'1.5' is not a valid count."),
        ("0", "0 is not in the range x>=1."),
        ("-1e3", "-1000 is not in the range x>=1."),
        ("many", "'many' is not a valid count."),
        ("nan", "'nan' is not a valid count."),
        ("inf", "'inf' is not a valid count."),
    ],
)
def test_invalid_counts(text: str, message: str) -> None:
    result = CliRunner().invoke(main, ["sample", "galton", f"--jumps={text}"])
    assert result.exit_code == 2
    assert f"Invalid value for '--jumps': {message}" in result.stderr


def test_counts_that_are_too_large() -> None:
    result = CliRunner().invoke(main, ["sample", "galton", "--jumps", "1e30"])
    assert result.exit_code == 1
    assert "jumps must be at most" in result.stderr


def test_an_argument_keeps_its_name() -> None:
    assert "uniform [OPTIONS] N" in CliRunner().invoke(main, ["uniform", "--help"]).stdout
    assert CliRunner().invoke(main, ["uniform", "1e1", "--seed", "1"]).exit_code == 0
