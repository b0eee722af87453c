"""The command as a whole: version, help, errors, the demo, and what is imported at start."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main
from causal_zigzag.errors import CausalZigzagError

pytestmark = pytest.mark.nosanitize


def test_version() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert (result.exit_code, result.output) == (0, f"causal-zigzag {version('causal-zigzag')}\n")


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_has_help_with_examples(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0
    assert name == "demo" or "Examples:" in result.output
    assert all(len(line) <= 100 for line in result.output.splitlines())


def test_the_demo_prints_edges_and_a_verdict_and_writes_a_report(tmp_path: Path) -> None:
    path = tmp_path / "demo.html"
    result = CliRunner().invoke(main, ["demo", "--jumps", "2000", "--report", str(path)])
    assert result.exit_code == 0, result.output
    assert "The most probable classes" in result.stdout
    sound, not_yet = "Sampling: converged" in result.stdout, "Sampling: not converged" in result.stdout
    assert sound != not_yet
    assert ("The edges to believe" in result.stdout, "Provisional edges" in result.stdout) == (sound, not_yet)
    assert f"Report written to {path}" in result.stdout
    assert "The truth beside the answer" in result.stdout
    assert "yield -> price" in result.stdout
    assert "farm" in path.read_text(encoding="utf-8")


def test_output_that_is_no_terminal_has_no_escape_codes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "causal_zigzag", "demo", "--jumps", "200"]
    run = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path)
    assert b"\x1b" not in run.stdout + run.stderr
    assert run.stdout.isascii()
    assert b"jumps/s" not in run.stderr  # no progress bar
    assert (tmp_path / "report.html").is_file()


def test_an_error_of_the_package_is_one_line_on_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise CausalZigzagError("node 'a' is named twice;\nname every node once")

    monkeypatch.setattr(cz, "ges", fail)
    result = CliRunner().invoke(main, ["ges", "sachs"])
    assert result.exit_code == 1
    assert result.stderr == "Error: node 'a' is named twice; name every node once\n"


def test_the_package_runs_as_a_module() -> None:
    run = subprocess.run([sys.executable, "-m", "causal_zigzag", "--help"], capture_output=True, check=True, text=True)
    usage, _, purpose, *_ = run.stdout.splitlines()
    assert usage == "Usage: python -m causal_zigzag [OPTIONS] COMMAND [ARGS]..."
    assert purpose == "  Find causal graphs that fit a table of data, and the probability of each."


@pytest.mark.parametrize(
    "arguments",
    [["dmeo"], ["sample"], ["sample", "a.csv", "--score", "best"], ["sample", "a.csv", "--seed", "one"],
     ["sample", "a.csv", "--jumps", "0"], ["sample", "a.csv", "--jumps", "5", "--minutes", "1"],
     ["sample", "a.csv", "--edge-prior", "much"], ["sample", "a.csv", "--forbid", "a"], ["uniform", "x"],
     ["sample", "a.csv", "--out", "-", "--json"]],
)  # fmt: skip
def test_wrong_usage_exits_with_two(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: ")
    assert "Traceback" not in result.output


def test_help_imports_no_slow_package() -> None:
    code = "import sys, causal_zigzag.cli; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert not {"numpy", "pandas", "scipy", "networkx", "matplotlib", "tqdm"} & {*run.stdout.split()}
