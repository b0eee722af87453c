"""How the installed command ends when things go wrong around it: Ctrl-C, a closed pipe, a full disk, no permission."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
import sysconfig
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main

pytestmark = pytest.mark.nosanitize

COMMAND = [str(Path(sysconfig.get_path("scripts")) / "causal-zigzag")]
BEGUN = "the chains have begun"

# The command, telling when its chains begin.
TELLING = f"""
import sys
from causal_zigzag.cli import main
from causal_zigzag.sampler import chain as module
make = module.make_chain
def chain(*arguments, **options):
    made = make(*arguments, **options)
    print("{BEGUN}", file=sys.stderr, flush=True)
    return made
module.make_chain = chain
main(prog_name="causal-zigzag")
"""


def _interruptible() -> None:
    """Where tests run in the background, Ctrl-C is ignored, and a child inherits that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def start(
    *arguments: object, code: str | None = TELLING, installed: list[str] = COMMAND, **streams: Any
) -> subprocess.Popen[str]:
    command = installed if code is None else [sys.executable, "-c", code]
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [*command, *map(str, arguments)],
        **({"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams),
        text=True,
        start_new_session=True,
        preexec_fn=_interruptible,  # noqa: PLW1509 - it only resets a signal
    )


def interrupt(process: subprocess.Popen[str], after: float) -> tuple[str, str]:
    """Send Ctrl-C so many seconds after the chains have begun; what it still writes."""
    assert process.stderr is not None
    for line in process.stderr:
        if BEGUN in line:
            break
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "table.csv"
    values = np.random.default_rng(1).normal(size=(100, 5))
    np.savetxt(path, values, delimiter=",", header="a,b,c,d,e", comments="")
    return path


@pytest.mark.parametrize("after", [0.3, 1.0])
def test_ctrl_c_saves_what_there_is(table: Path, tmp_path: Path, after: float) -> None:
    run, page = tmp_path / "run.czz", tmp_path / "page.html"
    process = start("sample", table, "--jumps", 10**12, "--warmup", 10, "--out", run, "--report", page)
    told, complained = interrupt(process, after)
    assert process.returncode == 130, complained
    assert "Traceback" not in complained
    assert "interrupted" in complained
    posterior = cz.load(run)
    assert posterior.interrupted
    assert sum(s.jumps for s in posterior.statistics) > 0
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert "The edges" in told or "No edge" in told


def test_ctrl_c_in_the_warmup_saves_nothing(table: Path, tmp_path: Path) -> None:
    run = tmp_path / "run.czz"
    process = start("sample", table, "--warmup", 10**12, "--out", run)
    told, complained = interrupt(process, 0.1)
    assert process.returncode == 130
    said = "Interrupted: nothing was saved: the warm-up was not over, and nothing is kept of it"
    assert complained.splitlines()[-1] == said
    assert "Traceback" not in complained
    assert told == ""
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_the_input_is_awaited() -> None:
    code = TELLING.replace("make = module", f'print("{BEGUN}", file=sys.stderr, flush=True)\nmake = module')
    process = start("sample", "-", code=code, stdin=subprocess.PIPE)
    _, complained = interrupt(process, 0.5)
    assert process.returncode == 130
    assert complained == "Interrupted: nothing was saved\n"


@pytest.mark.parametrize("command", [COMMAND, [sys.executable, "-m", "causal_zigzag"]], ids=["installed", "module"])
@pytest.mark.parametrize("library", ["click", "numpy"])  # of the command, and of what it calls
def test_ctrl_c_while_libraries_are_imported(command: list[str], library: str, tmp_path: Path) -> None:
    slow = tmp_path / f"{library}.py"  # found before the true one
    slow.write_text(f"import sys, time\nprint({BEGUN!r}, file=sys.stderr, flush=True)\ntime.sleep(60)\n")
    process = start("sample", "galton", code=None, installed=command, env=os.environ | {"PYTHONPATH": str(tmp_path)})
    told, complained = interrupt(process, 0.1)
    assert process.returncode == 130
    assert complained == "Interrupted: nothing was saved\n"
    assert told == ""


def test_ctrl_c_while_options_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("causal_zigzag.cli.group.click.Group.make_context", fail)
    result = CliRunner().invoke(main, ["sample", "galton"])
    assert (result.exit_code, result.output) == (130, "Interrupted: nothing was saved\n")


def test_ctrl_c_amid_the_report_leaves_the_run(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    path = tmp_path / "complete.csv"
    path.write_text("\n".join(",".join("0" if i == j else "1" for j in range(40)) for i in range(40)))
    process = start("operators", path, code=None)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith("Delete ")
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("arguments", [["--help"], ["uniform", "5"], ["sample", "galton", "--jumps", "50"]])
def test_output_to_a_full_disk_is_one_line_on_stderr(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert run.returncode == 1
    assert run.stderr == "Error: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("option", ["--out", "--report"])
def test_a_file_on_a_full_disk_is_one_line_on_stderr(option: str) -> None:
    result = CliRunner().invoke(main, ["sample", "galton", "--jumps", "50", option, "/dev/full"])
    assert result.exit_code == 1
    assert result.stderr == "Error: cannot write '/dev/full': No space left on device\n"


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


def test_a_disk_that_fills_up_keeps_what_was_there(small_disk: Path) -> None:
    page = small_disk / "report.html"
    page.write_text("the old report")
    result = CliRunner().invoke(main, ["sample", "sachs", "--jumps", "200", "--report", str(page)])
    assert result.exit_code == 1
    assert result.stderr == f"Error: cannot write '{page}': No space left on device\n"
    assert page.read_text() == "the old report"
    assert [path.name for path in small_disk.iterdir()] == ["report.html"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission_is_told_before_sampling(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    result = CliRunner().invoke(main, ["sample", "galton", "--jumps", "50", "--out", str(tmp_path / "run.czz")])
    assert result.exit_code == 1
    assert "permission denied" in result.stderr


def test_a_terminal_sees_progress_with_rate_and_time_left(table: Path) -> None:
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, 100))
    process = start("sample", table, "--jumps", 50_000, "--seed", 1, code=None, stderr=follower)
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
    told = process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert b" jumps/s" in seen
    assert b"4 chains" in seen
    assert "\x1b[1m" not in told
