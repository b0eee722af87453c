"""The command hidden: its table is that of the posterior over ancestral graphs, which it can save."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    path = tmp_path_factory.mktemp("runs") / "run.czz"
    cz.sample(table, jumps=2000, chains=2, rng=1, progress=False).save(path)
    return path


def test_the_table_and_the_file(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "hidden.czz"
    result = CliRunner().invoke(
        main, ["hidden", str(saved), "--steps", "50000", "--seed", "1", "--out", str(out), "--json"]
    )
    assert result.exit_code == 0
    posterior = cz.load(out)
    assert posterior.ancestors().equals(cz.load(saved).hidden_causes(steps=50_000, rng=1).ancestors())
    assert json.loads(result.stdout) == posterior.edge_table().to_dict("records")
    assert posterior.diagnostics().verdict in result.stderr


def test_some_columns_as_text(saved: Path) -> None:
    words = ["hidden", str(saved), "--columns", "sun", "--columns", "wet", "--steps", "2000", "--seed", "1"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0
    assert "x_causes_y" in result.stdout
    assert "rain" not in result.stdout


def test_a_run_that_has_not_converged_ends_with_3(saved: Path) -> None:
    result = CliRunner().invoke(main, ["hidden", str(saved), "--minutes", "1e-9", "--seed", "1"])
    assert result.exit_code in (0, 3)
    assert ("Not converged" in result.stderr) == (result.exit_code == 3)


def test_its_file_is_no_run(saved: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "hidden.czz")
    assert CliRunner().invoke(main, ["hidden", str(saved), "--steps", "1000", "--out", out]).exit_code == 0
    result = CliRunner().invoke(main, ["edges", out])
    assert result.exit_code == 1
    assert "not a run of sample" in result.output


def test_a_report_takes_the_result(saved: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "hidden.czz", tmp_path / "page.html"
    runner = CliRunner()
    assert runner.invoke(main, ["hidden", str(saved), "--steps", "20000", "--out", str(out)]).exit_code == 0
    assert runner.invoke(main, ["report", str(saved), "--hidden", str(out), "--out", str(page)]).exit_code == 0
    assert 'id="arrows"' in page.read_text(encoding="utf-8")
    result = runner.invoke(main, ["report", str(saved), "--hidden", str(saved), "--out", str(page)])
    assert result.exit_code != 0
    assert "hidden must be what posterior.hidden_causes() returns" in result.output
