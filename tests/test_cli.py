"""The command line: what it prints, where errors go, and that starting up loads little."""

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


def test_version_is_the_distributions() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert (result.exit_code, result.output) == (0, f"causal-zigzag {version('causal-zigzag')}\n")


def test_demo_lists_as_many_operators_as_it_counts() -> None:
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    inserts = sum(line.startswith("  Insert ") for line in lines)
    deletes = sum(line.startswith("  Delete ") for line in lines)
    assert inserts > 0
    assert deletes > 0
    assert f"Its operators: {inserts} inserts, {deletes} deletes" in lines
    assert "  season - rain       either direction fits" in lines
    assert "  rain -> wet         this direction alone" in lines


def test_output_that_is_no_terminal_has_no_escape_codes() -> None:
    code = "from causal_zigzag.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", code, "demo"], capture_output=True, check=True)
    assert b"\x1b" not in run.stdout
    assert run.stdout.isascii()
    assert run.stderr == b""


def test_an_error_of_the_package_is_one_line_on_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise CausalZigzagError("node 'a' is named twice;\nname every node once")

    monkeypatch.setattr(cz.CPDAG, "from_dag", fail)
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 1
    assert result.stderr == "Error: node 'a' is named twice; name every node once\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("word", ["demo", "--help", "--version"])
def test_output_that_cannot_be_written_is_one_line_on_stderr(word: str) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "causal_zigzag", word], stdout=full, stderr=subprocess.PIPE, check=False, text=True
        )
    assert run.returncode == 1
    assert run.stderr == "Error: the output cannot be written: No space left on device\n"


def test_the_package_runs_as_a_module() -> None:
    run = subprocess.run([sys.executable, "-m", "causal_zigzag", "--help"], capture_output=True, check=True, text=True)
    usage, _, purpose, *_ = run.stdout.splitlines()
    assert usage == "Usage: python -m causal_zigzag [OPTIONS] COMMAND [ARGS]..."
    assert purpose == "  Find the causal graphs that fit a table of data, and how probable each is."


def test_wrong_usage_exits_with_two() -> None:
    result = CliRunner().invoke(main, ["dmeo"])
    assert result.exit_code == 2
    assert "dmeo" in result.stderr
    assert "Traceback" not in result.output


def test_starting_up_loads_no_heavy_library() -> None:
    code = "import sys, causal_zigzag.cli; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert not {"pandas", "scipy", "networkx", "matplotlib", "tqdm"} & {*run.stdout.split()}
