"""Commands refuse to write over their input, over another output or into a checkpoint, before they run."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cells.csv").write_text("a,b\n" + "".join(f"{i % 7},{i % 5}.5\n" for i in range(40)))
    (tmp_path / "graph.txt").write_text("a - b")
    (tmp_path / "known.json").write_text('{"required": [["a", "b"]]}')
    cz.sample(cz.Uniform(["a", "b"]), jumps=50, chains=1, rng=1, progress=False).save("run.czz")
    (tmp_path / "linked.csv").symlink_to("cells.csv")
    (tmp_path / "sub").mkdir()
    (tmp_path / "way").symlink_to("sub")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, [*words])


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SAMPLE = ("sample", "cells.csv", "--jumps", "100", "--chains", "1")


@pytest.mark.parametrize(
    "words",
    [
        (*SAMPLE, "--out", "cells.csv"),
        (*SAMPLE, "--report", "cells.csv"),
        (*SAMPLE, "--out", "./sub/../cells.csv"),
        (*SAMPLE, "--out", "linked.csv"),
        ("sample", "linked.csv", "--jumps", "100", "--out", "cells.csv"),
        (*SAMPLE, "--start", "graph.txt", "--out", "graph.txt"),
        (*SAMPLE, "--knowledge", "known.json", "--out", "known.json"),
        (*SAMPLE, "--out", "x", "--report", "x"),
        (*SAMPLE, "--out", "sub/x", "--report", "way/x"),
        (*SAMPLE, "--checkpoint", "x", "--out", "x"),
        (*SAMPLE, "--checkpoint", "sub", "--out", "way/run.czz"),
        ("resume", "sub", "--out", "sub/run.czz"),
        ("extend", "run.czz", "--jumps", "100", "--out", "run.czz"),
        ("extend", "run.czz", "--jumps", "100", "--report", "run.czz"),
        ("report", "run.czz", "--out", "run.czz"),
        ("report", "run.czz", "--out", "sub/../run.czz"),
    ],
)
def test_refused_before_the_run(words: tuple[str, ...], folder: Path) -> None:
    before = contents(folder)
    result = run(*words)
    assert result.exit_code == 1
    assert "choose" in result.stderr
    assert "Traceback" not in result.stderr
    assert contents(folder) == before


def test_a_run_that_is_named_like_its_report(folder: Path) -> None:
    Path("run.czz").rename("run.html")
    result = run("report", "run.html")
    assert result.exit_code == 1
    assert "'run.html' would replace an input" in result.stderr


def test_other_files_are_written(folder: Path) -> None:
    result = run(*SAMPLE, "--out", "new.czz", "--report", "new.html", "--checkpoint", "saved")
    assert result.exit_code == 0, result.stderr
    assert run("resume", "saved", "--out", "new.czz").exit_code == 0  # an output of an earlier run may be replaced
    assert run("report", "new.czz").exit_code == 0
