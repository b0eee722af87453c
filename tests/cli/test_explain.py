"""The command explain: a pair of variables, or the conclusions about a run."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = cz.datasets.linear_gaussian([("age", "bmi"), ("bmi", "died")], rows=500, rng=1)
    path = tmp_path_factory.mktemp("runs") / "run.czz"
    cz.sample(table, jumps=20_000, chains=2, rng=1, progress=False).save(path)
    return path


def test_a_pair(saved: Path) -> None:
    result = CliRunner().invoke(main, ["explain", str(saved), "age", "bmi"])
    assert result.exit_code == 0
    assert result.output == f"{cz.load(saved).explain('age', 'bmi')}\n"


def test_the_run(saved: Path) -> None:
    result = CliRunner().invoke(main, ["explain", str(saved)])
    posterior = cz.load(saved)
    assert posterior.diagnostics().judgement.heading in result.output
    assert posterior.advice()[0].command in result.output


def test_wrong_variables(saved: Path) -> None:
    assert CliRunner().invoke(main, ["explain", str(saved), "age"]).exit_code == 2
    unknown = CliRunner().invoke(main, ["explain", str(saved), "age", "height"])
    assert unknown.exit_code == 1
    assert "height" in unknown.output
