"""The command exact: the numbers of the library as text, CSV and JSON."""

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
from causal_zigzag.cli.remedies import option_advice
from causal_zigzag.posterior.diagnostics.verdict import Advice

pytestmark = pytest.mark.nosanitize


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["exact", *map(str, arguments)])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 60))
    frame = pd.DataFrame({"a": a, "b": b, "c": 0.5 * a + 0.5 * b + rng.normal(size=60), "id": range(60)})
    path = tmp_path_factory.mktemp("exact") / "t.csv"
    frame.to_csv(path, index=False)
    return path


def test_the_numbers_are_those_of_the_library(path: Path) -> None:
    result = call(path, "--drop", "id", "--score", "bge", "--csv")
    assert result.exit_code == 0, result.output
    expected = cz.exact_edge_posterior(cz.BGe(cz.read_table(path, drop="id")), edge_prior="auto").edge_table()
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(result.stdout)), expected, rtol=1e-12, check_dtype=False)
    assert json.loads(call(path, "--drop", "id", "--score", "bge", "--json").stdout) == expected.to_dict("records")
    assert expected["adjacent"].is_monotonic_decreasing
    np.testing.assert_allclose(expected["forward"] + expected["backward"], expected["adjacent"])


def test_text_and_thresholds(path: Path) -> None:
    lines = call(path, "--drop", "id", "--least", "0.5").stdout.splitlines()
    assert lines[0].split() == ["x", "y", "adjacent", "forward", "backward", "x_causes_y", "y_causes_x"]
    assert {tuple(line.split()[:2]) for line in lines[1:]} == {("a", "c"), ("b", "c")}
    assert call(path, "--drop", "id", "--max-parents", "0", "--least", "0.5").stderr.endswith(
        "no pair is adjacent with probability 0.5 or more\n"
    )


def test_too_many_columns(tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    pd.DataFrame(np.random.default_rng(1).normal(size=(40, 19))).to_csv(wide, index=False)
    result = call(wide)
    assert result.exit_code == 1
    assert "supports at most 18 nodes, not 19" in result.stderr


def test_verdicts_on_the_command_line_name_it() -> None:
    assert option_advice(Advice("exact")) == "use the exact probabilities of `causal-zigzag exact`"
