"""A disk that fills up or becomes read-only in the middle of a run: a warning at once, and a good last checkpoint."""

import contextlib
import errno
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main
from causal_zigzag.sampler import driver
from causal_zigzag.sampler.chain_task import Meter
from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles
from equality import differing
from experts import options
from milestones import at_jumps
from targets import gaussian_data

pytestmark = pytest.mark.nosanitize

SCORE = cz.GaussianBIC(gaussian_data(8, 200, seed=3))
SETTINGS = {"jumps": 1500, "warmup": 300, "chains": 1, "rng": 5, "progress": False, "max_classes": 200}
FAULT = 800  # jumps at which the disk fails
LATER = 1200  # jumps at which it is repaired, or the run is killed
REMEDIES = {
    errno.ENOSPC: r"\(No space left on device\).*its last state there stays; free some space there",
    errno.EROFS: r"\(Read-only file system\).*its last state there stays; free some space there, or make it writable",
    errno.EIO: r"\(Input/output error\).*its last state there stays; free some space",
}


class KilledError(Exception):
    """Ends a run at an arbitrary point, as a kill does."""


@pytest.fixture(scope="module")
def whole() -> cz.Posterior:
    """The run on a good disk."""
    return cz.sample(SCORE, **options(**SETTINGS))


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """States are written after every 32 events, so that many are before and after the fault."""
    monkeypatch.setattr(driver, "SLICE", 0.0)


class Disk:
    """A folder for a checkpoint, on a disk that can be made to fail and repaired."""

    def __init__(self, folder: Path, fail: Callable[[], None], repair: Callable[[], None]) -> None:
        self.run, self._fail, self._repair = folder / "run", fail, repair
        self.kept: list[str] = []

    def fail(self) -> None:
        self._fail()
        self.kept = self.states()

    def repair(self) -> None:
        self._repair()

    def states(self) -> list[str]:
        """Names of the states of the chain, the newest last."""
        return sorted(path.name for path in self.run.glob("chain-00000-*.state"))

    def parts(self) -> list[Path]:
        """Files that were not written to their end."""
        return [path for path in self.run.iterdir() if path.name.endswith(".part")]


def injected_disk(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    """A disk on which system calls fail with this number."""
    failing = False
    open_file = Path.open
    opened: set[int] = set()  # descriptors of files of the checkpoint

    def failing_open(self: Path, mode: str = "r", *more: object, **options: object) -> object:
        writes = self.parent == tmp_path / "run" and "r" not in mode
        if failing and writes and number == errno.EROFS:
            raise OSError(number, os.strerror(number), str(self))
        file = open_file(self, mode, *more, **options)  # type: ignore[call-overload]
        (opened.add if writes else opened.discard)(file.fileno())
        return file

    def failing_sync(descriptor: int) -> None:  # where file systems that allocate late find that they are full
        if failing and descriptor in opened:
            raise OSError(number, os.strerror(number))

    def switch(on: bool) -> None:
        nonlocal failing
        failing = on

    monkeypatch.setattr(os, "fsync", failing_sync)
    monkeypatch.setattr(Path, "open", failing_open)
    return Disk(tmp_path, lambda: switch(True), lambda: switch(False))


def mounted_disk(number: int, tmp_path: Path) -> Disk:
    """A disk of its own, which is filled or remounted; skipped without the right to mount."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs the right to mount")
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mount(folder, "-t", "tmpfs", "-o", "size=8m", "tmpfs"):
        pytest.skip("may not mount here")
    filler = folder / "filler"

    def fill() -> None:
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass

    def cover() -> None:  # with itself, read-only: a disk with files that are open for writing cannot be remounted
        assert mount(folder, "--bind", str(folder))
        assert mount(folder, "-o", "remount,bind,ro")

    def uncover() -> None:
        subprocess.run(["umount", str(folder)], check=True, timeout=20)

    if number == errno.ENOSPC:
        return Disk(folder, fill, filler.unlink)
    return Disk(folder, cover, uncover)


def mount(folder: Path, *options: str) -> bool:
    run = subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False, timeout=20)
    return run.returncode == 0


@pytest.fixture(params=[errno.ENOSPC, errno.EROFS, errno.EIO], ids=["full", "read-only", "broken"])
def injected(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Disk, str]:
    """A disk on which system calls fail, and what a warning about it says."""
    return injected_disk(request.param, tmp_path, monkeypatch), REMEDIES[request.param]


@pytest.fixture(params=["full", "read-only", "broken", "full mount", "read-only mount"])
def failing(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Disk, str]]:
    """A disk that fails in some way, and what a warning about it says."""
    kind, _, is_mount = request.param.partition(" ")
    number = {"full": errno.ENOSPC, "read-only": errno.EROFS, "broken": errno.EIO}[kind]
    if not is_mount:
        yield injected_disk(number, tmp_path, monkeypatch), REMEDIES[number]
        return
    disk = mounted_disk(number, tmp_path)
    try:
        yield disk, REMEDIES[number]
    finally:
        while (
            subprocess.run(["umount", "-l", disk.run.parent], capture_output=True, check=False, timeout=20).returncode
            == 0
        ):
            pass


def start(disk: Disk, **more: object) -> cz.Posterior:
    return cz.sample(SCORE, **options(**{**SETTINGS, "checkpoint": disk.run, "checkpoint_interval": 0, **more}))  # type: ignore[arg-type]


def test_the_run_goes_on_and_its_last_checkpoint_is_good(
    failing: tuple[Disk, str], whole: cz.Posterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, warning = failing
    at_jumps(FAULT, lambda _: disk.fail(), monkeypatch)
    with pytest.warns(cz.SamplingWarning, match=warning) as caught:
        assert differing(start(disk), whole) == []
    assert len(caught) == 1
    assert f"to the checkpoint {str(disk.run)!r}" in str(caught[0].message)
    assert len(disk.kept) == 2
    assert disk.states() == disk.kept
    disk.repair()
    assert disk.parts() == []
    monkeypatch.undo()
    assert differing(cz.resume(disk.run, progress=False), whole) == []


def test_a_run_that_is_killed_after_the_fault_is_resumed_from_before_it(
    failing: tuple[Disk, str], whole: cz.Posterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, _ = failing

    def kill(meter: Meter) -> None:
        del meter
        raise KilledError

    at_jumps(FAULT, lambda _: disk.fail(), monkeypatch)
    at_jumps(LATER, kill, monkeypatch)
    warnings.simplefilter("ignore", cz.SamplingWarning)  # pytest restores the filters
    with pytest.raises(KilledError):
        start(disk)
    assert disk.states() == disk.kept
    disk.repair()
    monkeypatch.undo()
    assert differing(cz.resume(disk.run, progress=False), whole) == []


def test_states_are_written_again_on_a_disk_that_was_repaired(
    failing: tuple[Disk, str], whole: cz.Posterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, warning = failing
    at_jumps(FAULT, lambda _: disk.fail(), monkeypatch)
    at_jumps(LATER, lambda _: disk.repair(), monkeypatch)
    with pytest.warns(cz.SamplingWarning, match=warning):
        assert differing(start(disk), whole) == []
    assert disk.states()[-1] == f"chain-00000-{1800:015}w.state"
    assert not set(disk.states()) & set(disk.kept)


def test_the_warning_comes_at_once(injected: tuple[Disk, str], monkeypatch: pytest.MonkeyPatch) -> None:
    disk, warning = injected
    meters: list[Meter] = []
    at_jumps(FAULT, lambda meter: (meters.append(meter), disk.fail()), monkeypatch)  # type: ignore[func-returns-value]
    with pytest.raises(cz.SamplingWarning, match=warning):  # warnings are errors here, so it ends the run
        start(disk, jumps=10**8)
    assert FAULT <= meters[0].jumps < 10**8


@pytest.mark.parametrize("injected", [errno.ENOSPC], indirect=True)
def test_a_fault_while_chains_are_annealed_is_reported_once(
    injected: tuple[Disk, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, warning = injected
    at_jumps(200, lambda _: disk.fail(), monkeypatch)  # in the annealing, and once more in the stage after it
    with pytest.warns(cz.SamplingWarning, match=warning) as caught:
        first = start(disk, warmup=None)
    assert len(caught) == 1
    assert disk.states() == []
    disk.repair()
    monkeypatch.undo()
    assert differing(cz.resume(disk.run, progress=False), first) == []


def test_the_command_warns_in_one_line_and_resumes(
    failing: tuple[Disk, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, warning = failing
    names = ["undisturbed.czz", "warned.czz", "resumed.czz"]
    undisturbed, warned, resumed = (str(tmp_path / name) for name in names)
    command = ["sample", "galton", "--jumps", "1500", "--chains", "1", "--seed", "3", "--no-anneal", "--out"]
    assert CliRunner().invoke(main, [*command, undisturbed]).exit_code == 0
    at_jumps(FAULT, lambda _: disk.fail(), monkeypatch)
    monkeypatch.setattr(ChainFiles, "save_if_due", ChainFiles.save)
    result = CliRunner().invoke(main, [*command, warned, "--checkpoint", str(disk.run)])
    assert result.exit_code == 0, result.stderr
    [line] = [line for line in result.stderr.splitlines() if line.startswith("Warning")]
    assert re.search(rf"chain 0: .*{warning}", line)
    assert disk.states() == disk.kept
    disk.repair()
    monkeypatch.undo()
    assert CliRunner().invoke(main, ["resume", str(disk.run), "--out", resumed]).exit_code == 0
    for other in (warned, resumed):
        assert differing(cz.load(other), cz.load(undisturbed)) == []
