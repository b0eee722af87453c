"""Checkpoint directories: one process uses them at a time, on a disk that may be full or read-only."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import causal_zigzag as cz
from equality import differing
from experts import options
from targets import gaussian_data

pytestmark = pytest.mark.nosanitize

SCORE = cz.GaussianBIC(gaussian_data(8, 200, seed=3))
SETTINGS = {"jumps": 4000, "warmup": 500, "chains": 2, "rng": 5, "progress": False, "max_classes": 200}


def run(**more: object) -> cz.Posterior:
    return cz.sample(SCORE, **options(**{**SETTINGS, **more}))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole() -> cz.Posterior:
    """The same run without a checkpoint."""
    return run()


def mounted(folder: Path, *options: str) -> bool:
    return (
        subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False, timeout=20).returncode == 0
    )


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs the right to mount")
def test_a_disk_that_fills_up_and_becomes_read_only(whole: cz.Posterior, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mounted(folder, "-t", "tmpfs", "-o", "size=64k", "tmpfs"):
        pytest.skip("may not mount here")
    try:
        with pytest.warns(cz.SamplingWarning, match="No space left on device"):
            assert differing(run(checkpoint=folder / "run", checkpoint_interval=0), whole) == []
        assert mounted(folder, "-o", "remount,size=8m")
        assert differing(run(checkpoint=folder / "run"), whole) == []
        assert [*(folder / "run").glob("chain-*.state")]
        assert mounted(folder, "-o", "remount,ro")
        with pytest.raises(cz.CheckpointError, match="Read-only file system"):
            run(checkpoint=folder / "run")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False, timeout=20)


HOLDER = """
import sys, time
from causal_zigzag.sampler.checkpoint.checkpoint import Checkpoint
with Checkpoint(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


FORKING_HOLDER = """
import os, sys, time
from causal_zigzag.sampler.checkpoint.checkpoint import Checkpoint
with Checkpoint(sys.argv[1]):
    if os.fork() == 0:  # it has then given up the lock
        print(os.getpid(), flush=True)
    time.sleep(600)
"""


def test_a_forked_process_does_not_keep_the_lock_of_its_dead_parent(tmp_path: Path) -> None:
    run(checkpoint=tmp_path, jumps=100)
    command = [sys.executable, "-c", FORKING_HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        child = int(holder.stdout.readline())
        try:
            holder.kill()
            holder.wait(timeout=20)
            os.kill(child, 0)  # it is alive
            run(checkpoint=tmp_path)
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_second_process_is_refused_until_the_first_has_died(whole: cz.Posterior, tmp_path: Path) -> None:
    run(checkpoint=tmp_path, jumps=100)
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(cz.CheckpointError, match=f"process {holder.pid} on "):
                run(checkpoint=tmp_path)
        finally:
            holder.kill()
            holder.wait(timeout=20)
    assert differing(run(checkpoint=tmp_path), whole) == []


@pytest.mark.parametrize("name", ["run.czz", "lock", "chain-00000-*.state"])
def test_nothing_in_a_checkpoint_is_a_link(name: str, tmp_path: Path) -> None:
    folder, mine = tmp_path / "run", tmp_path / "mine"
    run(checkpoint=folder)
    [file, *_] = folder.glob(name)
    file.rename(mine)
    file.symlink_to(mine)
    before = mine.read_bytes()
    with pytest.raises(cz.CheckpointError, match=f"contains '{file.name}', which is a link"):
        cz.resume(folder, jumps=8000)
    assert mine.read_bytes() == before


def test_the_lock_is_no_second_name_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "lock").hardlink_to(tmp_path / "mine")
    with pytest.raises(cz.CheckpointError, match="contains 'lock', which is a link"):
        run(checkpoint=tmp_path / "run")
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize("name", ["run.czz", "chain-00000-*.state", ".workers-x"])
def test_nothing_in_a_checkpoint_is_a_pipe(name: str, tmp_path: Path) -> None:
    """Reading or removing it would wait for ever."""
    run(checkpoint=tmp_path, jumps=100)
    [pipe, *_] = [*tmp_path.glob(name), tmp_path / name]
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with pytest.raises(cz.CheckpointError, match=rf"contains '{pipe.name}', which is .* a pipe"):
        cz.resume(tmp_path)
