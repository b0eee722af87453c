"""A folder through which chains in other processes report their progress and are stopped."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from causal_zigzag.sampler.chain_task import Meter

PREFIX = ".workers-"
RUNNING = "running"  # the name of a file
UPDATE_INTERVAL = 0.2  # seconds between two progress updates of a chain


class SharedFolder:
    """The folder as the main process sees it: chains run as long as the file ``running`` exists.

    It is in the checkpoint, where workers on other machines see it as well, if that can be written to.
    """

    def __init__(self, checkpoint: str | None) -> None:
        import tempfile  # here and below, not at the top, so that the package starts fast

        try:
            self.path = tempfile.mkdtemp(prefix=PREFIX, dir=checkpoint)
        except OSError:
            self.path = tempfile.mkdtemp(prefix=PREFIX)
        Path(self.path, RUNNING).touch()

    @property
    def is_there(self) -> bool:
        """Whether the chains are to run; False also if another program has deleted the folder."""
        return Path(self.path, RUNNING).exists()

    def read(self, number: int, meter: Meter) -> bool:
        """Update a meter from the progress of a chain; False if the chain has not reported any."""
        try:
            jumps, edges, score = Path(self.path, str(number)).read_text(encoding="ascii").split()
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


@dataclass
class WorkerMeter(Meter):
    """The meter and the stop signal of a chain in a worker, which also stops if its parent process has died.

    A worker on another machine may not see the folder; then it reports nothing and is not stopped. ``stopped`` says
    whether the chain was; the main process knows whether that was meant.
    """

    folder: str = ""
    number: int = 0
    stopped: bool = False
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
                Path(self.folder, str(self.number)).write_text(f"{jumps} {edges} {score!r}", encoding="ascii")

    def is_set(self) -> bool:
        """Whether to stop."""
        self.stopped = (
            self.stopped or (self._visible and not Path(self.folder, RUNNING).exists()) or os.getppid() != self._parent
        )
        return self.stopped


def remove_shared_folders(folder: Path) -> None:
    """Delete the folders that killed processes have left in a checkpoint."""
    import shutil

    for path in folder.glob(f"{PREFIX}*"):
        shutil.rmtree(path, ignore_errors=True)
