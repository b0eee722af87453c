"""Files that somebody has put in the way of a command: pipes, devices, folders and giants in place of its files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes"),
    pytest.mark.nosanitize,
]

LENGTH = ("--jumps", "50", "--chains", "1")


def run(*words: str) -> Result:
    result = CliRunner().invoke(main, [*words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def giant(path: Path) -> None:
    """Ten gigabytes of zeros that take no room on the disk."""
    with path.open("wb") as file:
        file.truncate(10 * 2**30)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "t.csv").write_text("a,b\n" + "".join(f"{i * 7 % 31 / 10},{i * i % 37 / 10}\n" for i in range(40)))
    settings = {"jumps": 50, "chains": 1, "rng": 1, "progress": False}
    cz.sample(folder / "t.csv", checkpoint=folder / "ck", **settings).save(folder / "run.czz")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for path in made.iterdir():
        (shutil.copytree if path.is_dir() else shutil.copy)(path, tmp_path / path.name)
    for name in ("f", "f.csv", "f.json", "f.xlsx"):
        os.mkfifo(tmp_path / name)
    return tmp_path


def test_a_graph_from_a_pipe_of_the_shell() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"a -> c, b -> c")
    os.close(writer)
    result = run("count", f"/dev/fd/{reader}", "--json")
    os.close(reader)
    assert result.exit_code == 0, result.stderr


INTRUDERS: dict[str, Callable[[Path], None]] = {
    "folder": Path.mkdir,
    "giant": giant,
}


def replaced(path: Path, how: str) -> None:
    path.unlink(missing_ok=True)
    INTRUDERS[how](path)


@pytest.mark.parametrize("how", INTRUDERS)
def test_a_checkpoint_without_its_run(how: str, folder: Path) -> None:
    for name in ("run.czz", "run.copy.czz"):
        replaced(folder / "ck" / name, how)
    result = run("resume", "ck", "--jumps", "100")
    assert result.exit_code == 1
    assert "cannot be continued: run.czz" in result.stderr


@pytest.mark.parametrize("how", INTRUDERS)
@pytest.mark.parametrize("name", ["newest", "chain-00000-999999999999999c.state"])
def test_a_checkpoint_with_another_state(name: str, how: str, folder: Path) -> None:
    name = max(path.name for path in (folder / "ck").glob("chain-*.state")) if name == "newest" else name
    replaced(folder / "ck" / name, how)
    result = run("resume", "ck", "--jumps", "100")
    assert result.exit_code == 0, result.stderr
    assert f"chain 0: {name}" in result.stderr


def test_the_state_of_another_stage(folder: Path) -> None:
    """An annealed state in place of the state of a chain."""
    known = next((folder / "ck").glob("annealing-*.state"))
    shutil.copy(known, folder / "ck" / "chain-00000-999999999999999c.state")
    result = run("resume", "ck", "--jumps", "100")
    assert result.exit_code == 1
    assert "is of another stage of a run; move it out of this checkpoint" in result.stderr


def test_the_reader_of_the_output_ends() -> None:
    """As in `causal-zigzag uniform 30 --count 20 | head -1`."""
    command = [sys.executable, "-m", "causal_zigzag", "uniform", "30", "--count", "20"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 0), (">/dev/full", 1), ("2>/dev/full", 0)])
def test_closed_and_full_streams(closed: str, code: int) -> None:
    command = f"echo 'a - b' | {sys.executable} -m causal_zigzag count - {closed}"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert ended.returncode == code, ended.stderr
    assert b"Traceback" not in ended.stderr
