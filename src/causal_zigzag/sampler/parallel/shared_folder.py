"""A folder through which chains in other processes are watched and stopped, where they can see it."""

from __future__ import annotations

import os
import pickle
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from causal_zigzag.sampler.chain_task import Meter

if TYPE_CHECKING:
    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.target.target import Target

    Cargo = tuple[Target, Settings, tuple[tuple[CPDAG, float], ...]]  # and where each chain begins

PREFIX = ".board-"
GO, CARGO = "go", "cargo"
SHOWN = 0.2  # seconds between two entries of a meter


class UnseenError(Exception):
    """A worker does not see the folder: it runs on another machine."""


class Board:
    """The side of those who watch: chains go on as long as the file ``go`` is there."""

    def __init__(self, checkpoint: str | None) -> None:
        import tempfile

        try:  # in a checkpoint, workers on other machines see it as well
            self.folder = tempfile.mkdtemp(prefix=PREFIX, dir=checkpoint)
        except OSError:
            self.folder = tempfile.mkdtemp(prefix=PREFIX)
        Path(self.folder, GO).touch()

    def put(self, cargo: Cargo) -> Parcel:
        """Lay down what all chains need, for every process to fetch once."""
        with Path(self.folder, CARGO).open("wb") as file:
            pickle.dump(cargo, file, protocol=pickle.HIGHEST_PROTOCOL)
        return Parcel(self.folder)

    def read(self, number: int, meter: Meter) -> bool:
        """Bring a meter up to date; False where the chain has shown nothing."""
        try:
            jumps, edges, score = Path(self.folder, str(number)).read_text().split()
            if int(jumps) > meter.jumps:  # a chain that has ended may have shown less
                meter.show(int(jumps), int(edges), float(score))
        except (OSError, ValueError):
            return False
        return True

    def stop(self) -> None:
        """Call in all chains."""
        with suppress(OSError):
            Path(self.folder, GO).unlink()

    def close(self) -> None:
        """Take the board down."""
        import shutil

        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class Parcel:
    """What all chains need, to be fetched from the board."""

    folder: str

    def open(self) -> Cargo:
        """Read once by each process, however many chains it runs."""
        return _opened(self.folder)


@lru_cache(maxsize=1)
def _opened(folder: str) -> Cargo:
    try:
        with Path(folder, CARGO).open("rb") as file:
            cargo: Cargo = pickle.load(file)
    except OSError:
        raise UnseenError(folder) from None
    return cargo


@dataclass
class WorkerMeter(Meter):
    """The side of a chain: shows where it is, and sees when it is called in or its process is orphaned."""

    folder: str = ""
    number: int = 0
    _next: float = 0.0
    _seen: bool = False
    _parent: int = field(default_factory=os.getppid)

    def __post_init__(self) -> None:
        self._seen = Path(self.folder).is_dir()

    def show(self, jumps: int, edges: int, score: float) -> None:
        """Where the chain is now."""
        super().show(jumps, edges, score)
        if self._seen and time.monotonic() >= self._next:
            self._next = time.monotonic() + SHOWN
            with suppress(OSError):
                Path(self.folder, str(self.number)).write_text(f"{jumps} {edges} {score!r}")

    def is_set(self) -> bool:
        """Whether to stop."""
        return (self._seen and not Path(self.folder, GO).exists()) or os.getppid() != self._parent


def remove_boards(folder: Path) -> None:
    """Take down what processes that were killed have left in a checkpoint."""
    import shutil

    for path in folder.glob(f"{PREFIX}*"):
        shutil.rmtree(path, ignore_errors=True)
