"""A folder through which chains in other processes receive their input, report progress and are stopped."""

from __future__ import annotations

import os
import pickle
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from causal_zigzag.sampler.chain_task import Meter, SharedInput

PREFIX = ".workers-"
RUNNING, INPUT = "running", "input"  # names of files
UPDATE_INTERVAL = 0.2  # seconds between two progress updates of a chain


class FolderNotVisibleError(Exception):
    """A worker cannot read the folder, because it runs on another machine."""


class SharedFolder:
    """The folder as the main process sees it: chains run as long as the file ``running`` exists."""

    def __init__(self, checkpoint: str | None) -> None:
        import tempfile

        try:  # in a checkpoint, workers on other machines see it as well
            self.path = tempfile.mkdtemp(prefix=PREFIX, dir=checkpoint)
        except OSError:
            self.path = tempfile.mkdtemp(prefix=PREFIX)
        Path(self.path, RUNNING).touch()

    def store(self, shared: SharedInput) -> StoredInput:
        """Write the input that all chains share to a file, which every process reads once."""
        with Path(self.path, INPUT).open("wb") as file:
            pickle.dump(shared, file, protocol=pickle.HIGHEST_PROTOCOL)
        return StoredInput(self.path)

    def read(self, number: int, meter: Meter) -> bool:
        """Update a meter from the progress of a chain; False if the chain has not reported any."""
        try:
            jumps, edges, score = Path(self.path, str(number)).read_text().split()
            if int(jumps) > meter.jumps:  # the meter of a chain that has ended is already ahead
                meter.show(int(jumps), int(edges), float(score))
        except (OSError, ValueError):
            return False
        return True

    def stop(self) -> None:
        """Signal all chains to stop."""
        with suppress(OSError):
            Path(self.path, RUNNING).unlink()

    def remove(self) -> None:
        """Delete the folder."""
        import shutil

        shutil.rmtree(self.path, ignore_errors=True)


@dataclass(frozen=True)
class StoredInput:
    """The input that all chains share, in a file of the folder."""

    folder: str

    def load(self) -> SharedInput:
        """Read the file, once per process however many chains it runs."""
        return _load(self.folder)


@lru_cache(maxsize=1)
def _load(folder: str) -> SharedInput:
    try:
        with Path(folder, INPUT).open("rb") as file:
            shared: SharedInput = pickle.load(file)
    except OSError:
        raise FolderNotVisibleError(folder) from None
    return shared


@dataclass
class WorkerMeter(Meter):
    """The meter and the stop signal of a chain in a worker, which also stops if the main process has died."""

    folder: str = ""
    number: int = 0
    _next: float = 0.0
    _visible: bool = False
    _parent: int = field(default_factory=os.getppid)

    def __post_init__(self) -> None:
        self._visible = Path(self.folder).is_dir()

    def show(self, jumps: int, edges: int, score: float) -> None:
        """Set the progress, and write it to the folder if the last update is old enough."""
        super().show(jumps, edges, score)
        if self._visible and time.monotonic() >= self._next:
            self._next = time.monotonic() + UPDATE_INTERVAL
            with suppress(OSError):
                Path(self.folder, str(self.number)).write_text(f"{jumps} {edges} {score!r}")

    def is_set(self) -> bool:
        """Whether to stop."""
        return (self._visible and not Path(self.folder, RUNNING).exists()) or os.getppid() != self._parent


def remove_shared_folders(folder: Path) -> None:
    """Delete the folders that killed processes have left in a checkpoint."""
    import shutil

    for path in folder.glob(f"{PREFIX}*"):
        shutil.rmtree(path, ignore_errors=True)
