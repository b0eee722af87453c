"""How the installed command ends on Ctrl-C, a closed pipe, a full disk and missing permissions."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main
from milestones import environment

pytestmark = pytest.mark.nosanitize

COMMAND = [str(Path(sysconfig.get_path("scripts")) / "causal-zigzag")]
REACHED = "the point of the interrupt is reached"

# The command, which says when each chain has made the number of jumps that is its first argument.
SCRIPT = f"""
import sys
from causal_zigzag.cli import main
from milestones import at_jumps
at_jumps(int(sys.argv.pop(1)), lambda _: print("{REACHED}", file=sys.stderr, flush=True))
main(prog_name="causal-zigzag")
"""


def _interruptible() -> None:
    """Where tests run in the background, Ctrl-C is ignored, and a child inherits that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def start(*command: object, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [*map(str, command)],
        **({"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options),
        text=True,
        start_new_session=True,
        preexec_fn=_interruptible,  # noqa: PLW1509 - it only resets a signal
    )


def start_and_say_at(jumps: int, *arguments: object) -> subprocess.Popen[str]:
    return start(sys.executable, "-c", SCRIPT, jumps, *arguments, env=environment())


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Send Ctrl-C when the process says that its point is reached; returns what it writes afterwards."""
    assert process.stderr is not None
    for line in process.stderr:
        if REACHED in line:
            break
    return send_interrupt(process)


def send_interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "table.csv"
    values = np.random.default_rng(1).normal(size=(100, 5))
    np.savetxt(path, values, delimiter=",", header="a,b,c,d,e", comments="")
    return path


@pytest.mark.parametrize("jumps", [11, pytest.param(100_000, marks=pytest.mark.long)])
def test_ctrl_c_saves_what_there_is(table: Path, tmp_path: Path, jumps: int) -> None:
    run, page = tmp_path / "run.czz", tmp_path / "page.html"
    options = ["--jumps", 10**12, "--warmup", 10, "--seed", 1, "--out", run, "--report", page]
    process = start_and_say_at(jumps, "sample", table, *options)
    out, err = interrupt(process)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "interrupted" in err
    posterior = cz.load(run)
    assert posterior._interrupted
    assert max(s.jumps for s in posterior.statistics) >= jumps - 10
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert f"Run written to {run}" in out
    assert re.search(r"probability 0\.\d+ or more", out)


def test_ctrl_c_in_the_warmup_saves_nothing(table: Path, tmp_path: Path) -> None:
    run = tmp_path / "run.czz"
    process = start_and_say_at(1, "sample", table, "--warmup", 10**12, "--out", run)
    out, err = interrupt(process)
    assert process.returncode == 130
    last = "Interrupted: nothing was saved: the warm-up was not over, and nothing is kept of it"
    assert err.splitlines()[-1] == last
    assert "Traceback" not in err
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_the_input_is_read() -> None:
    process = start(sys.executable, "-m", "causal_zigzag", "sample", "-", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write("1,2\n" * 500_000)  # more than a pipe holds: it returns when the command has begun to read
    process.stdin.flush()
    _, err = send_interrupt(process)
    assert process.returncode == 130
    assert err == "Interrupted: nothing was saved\n"


@pytest.mark.parametrize("command", [COMMAND, [sys.executable, "-m", "causal_zigzag"]], ids=["installed", "module"])
@pytest.mark.parametrize("library", ["click", "numpy"])  # of the command, and of what it calls
def test_ctrl_c_while_libraries_are_imported(command: list[str], library: str, tmp_path: Path) -> None:
    slow = tmp_path / f"{library}.py"  # found before the real one
    slow.write_text(f"import sys, time\nprint({REACHED!r}, file=sys.stderr, flush=True)\ntime.sleep(600)\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = start(*command, "sample", "galton", env=os.environ | {"PYTHONPATH": path})
    out, err = interrupt(process)
    assert process.returncode == 130
    assert err == "Interrupted: nothing was saved\n"
    assert out == ""


def test_ctrl_c_during_the_report_keeps_the_run(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("causal_zigzag.report.page.heat_map", fail)
    run, page = tmp_path / "run.czz", tmp_path / "page.html"
    arguments = ["sample", table, "--jumps", 200, "--out", run, "--report", page]
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 130
    assert f"Run written to {run}" in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["run.czz"]
    assert cz.load(run).class_count > 0


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    path = tmp_path / "complete.json"
    path.write_text(cz.CPDAG.complete(40).to_json())
    process = start(*COMMAND, "operators", path)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith("Delete ")
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=300) == 1


def errors_in(stderr: str) -> list[str]:
    """The lines that are not notes about the table."""
    return [line for line in stderr.splitlines() if not line.startswith("Note: ")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize(
    "arguments", [["--help"], pytest.param(["sample", "galton", "--jumps", "50"], marks=pytest.mark.long)]
)
def test_output_to_a_full_disk_is_one_line_on_stderr(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert run.returncode == 1
    assert errors_in(run.stderr) == ["Error: the output cannot be read or written: No space left on device"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("option", ["--out", "--report"])
def test_a_file_on_a_full_disk_is_one_line_on_stderr(option: str) -> None:
    result = CliRunner().invoke(main, ["sample", "galton", "--jumps", "50", option, "/dev/full"])
    assert result.exit_code == 1
    assert errors_in(result.stderr) == ["Error: cannot write '/dev/full': No space left on device"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    made = subprocess.run([mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_a_disk_that_fills_up_keeps_what_was_there(option: str, small_disk: Path) -> None:
    path = small_disk / "file"
    path.write_text("the old file")
    result = CliRunner().invoke(main, ["sample", "sachs", "--jumps", "2000", option, str(path)])
    assert result.exit_code == 1
    assert errors_in(result.stderr) == [f"Error: cannot write '{path}': No space left on device"]
    assert path.read_text() == "the old file"
    assert [path.name for path in small_disk.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_missing_permission_is_reported_before_sampling(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    result = CliRunner().invoke(main, ["sample", "galton", "--jumps", "50", "--out", str(tmp_path / "run.czz")])
    assert result.exit_code == 1
    assert "permission denied" in result.stderr


def test_a_terminal_shows_progress_with_rate_and_time_left(table: Path) -> None:
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, 100))
    process = start(*COMMAND, "sample", table, "--jumps", 50_000, "--seed", 1, stderr=follower)
    os.close(follower)
    seen = b""
    while True:
        try:
            chunk = os.read(leader, 4096)
        except OSError:  # how Linux says that the other end is closed
            break
        if not chunk:
            break
        seen += chunk
    os.close(leader)
    assert process.stdout is not None
    out = process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=300) == 0
    assert re.search(r"4 chains: 100%.*\[\d\d:\d\d<00:00, +[\d.]+[kM]? jumps/s", seen.decode()), seen
    assert out
    assert "\x1b[" not in out
