"""Where the state of a chain is kept between two stages of its run: in memory, or in the files of a checkpoint.

A file is named after the number of jumps of its state. A chain is a function of its seed, so two files with the same
number of jumps hold the same state, whichever process wrote them. A worker that was believed dead and still writes does
no harm.
"""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, cast

import numpy as np

from causal_zigzag.errors import CausalZigzagError, CheckpointError, FileError
from causal_zigzag.sampler.annealing.schedule import Annealing
from causal_zigzag.sampler.chain_task import StageName
from causal_zigzag.sampler.warmup import WarmUp
from causal_zigzag.storage.container import DamagedError, from_bytes, is_complete, to_bytes
from causal_zigzag.support import clock
from causal_zigzag.support.atomic_write import replace_file
from causal_zigzag.support.file_reading import read_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.sampler.schedule import Schedule

PREFIXES: dict[StageName, str] = {"climb": "climb", "anneal": "annealing", "sample": "chain"}
"""Names of files begin like this."""

KEPT = 2  # files per chain: the newest and the one before
LEAST_RATIO = 50  # the time between two writes relative to the time of a write, so that they cost at most 2 %
RUN_FILE = "run.czz"  # marks a directory as a checkpoint; see checkpoint.py


class Savable(Protocol):
    """A running chain; its state is determined by the number of jumps that it has made."""

    @property
    def made(self) -> int: ...

    def save(self) -> bytes: ...


@dataclass(frozen=True, eq=False)
class SavedChain:
    """The state of the chain ``chain`` of the run named ``run``; ``core_state`` holds the bytes of that in the core."""

    run: str
    chain: int
    schedule: WarmUp | Annealing
    core_state: NDArray[np.uint8]

    @classmethod
    def of(cls, chain: Savable, schedule: Schedule, run: str = "", number: int = 0) -> Self:
        """The present state of a chain."""
        kept = cast("WarmUp | Annealing", replace(schedule))
        return cls(run, number, kept, np.frombuffer(chain.save(), dtype=np.uint8))

    def state(self) -> bytes:
        """The bytes of the chain in the core."""
        return self.core_state.tobytes()


@dataclass
class ChainMemory:
    """Keeps the state of a chain without a checkpoint.

    ``keeps`` says whether its run may be made longer, and ``until`` when it ends at the latest.
    """

    keeps: bool = False
    state: SavedChain | None = None
    until: float = math.inf
    notes: list[str] = field(default_factory=list)

    def load(self) -> SavedChain | None:
        """The last state, None if the chain begins at its start."""
        return self.state

    def save_if_due(self, chain: Savable, schedule: Schedule) -> None:
        """Memory needs no copies of a running chain."""

    def save(self, chain: Savable, schedule: Schedule) -> SavedChain | None:
        """The state of a chain at the end of a stretch, from which the next one continues."""
        return SavedChain.of(chain, schedule) if self.keeps and clock.now() < self.until else None


PARTS = (Annealing, SavedChain, WarmUp)
"""The dataclasses that the file holds."""


@dataclass
class ChainFiles:
    """Reads and writes the files of one chain; ``notes`` lists the problems that did not stop the run.

    ``run`` is the name of the run, and ``interval`` the seconds between two states.
    """

    folder: str
    run: str
    number: int
    interval: float
    stage: StageName = "sample"
    notes: list[str] = field(default_factory=list)
    _due: float = 0.0
    _written: tuple[Schedule, int] | None = None

    def load(self) -> SavedChain | None:
        """The newest undamaged state; None if there is none and the chain begins at its start."""
        if not (Path(self.folder) / RUN_FILE).exists():  # the main process has seen it a moment ago
            raise CheckpointError(
                f"process {os.getpid()} on {platform.node() or 'this machine'}, which runs chain {self.number}, does "
                f"not see the checkpoint {self.folder!r}; choose a directory that all workers share"
            )
        self._due = time.monotonic() + self.interval
        bad = []
        for path in self._files():
            try:
                saved = read_chain_file(path, self.run, self.number)
            except FileNotFoundError:  # another process, believed dead, removed it
                continue
            except OSError as error:
                bad.append(f"{path.name} cannot be read ({error.strerror or error})")
                continue
            except DamagedError as error:
                bad.append(f"{path.name} {error}")
                continue
            kind = WarmUp if self.stage == "sample" else Annealing
            if not isinstance(saved.schedule, kind):
                raise CheckpointError(f"{str(path)!r} is of another stage of a run; move it out of this checkpoint")
            if bad:
                self._note(f"{'; '.join(bad)}; it continued from {path.name}, the newest undamaged file")
            return saved
        if bad:
            self._note(f"{'; '.join(bad)}; there was no undamaged file, and it began again at its start")
        return None

    def save_if_due(self, chain: Savable, schedule: Schedule) -> None:
        """Write the state if the last file is old enough."""
        if time.monotonic() >= self._due:
            self.save(chain, schedule)

    def save(self, chain: Savable, schedule: Schedule) -> None:
        """Write the state. If that fails the chain continues, and the previous files stay."""
        begun = time.monotonic()
        jumps = chain.made
        here = (replace(schedule), jumps)
        if here == self._written:
            return
        saved = SavedChain.of(chain, schedule, self.run, self.number)
        try:
            replace_file(self._path(schedule, jumps), to_bytes(saved, PARTS))
            self._written = here
            for old in self._files()[KEPT:]:
                old.unlink(missing_ok=True)
        except OSError as error:
            note = (
                f"no state could be written to the checkpoint {self.folder!r} ({error.strerror or error}); the run "
                f"goes on, and its last state there stays; free some space there, or make it writable"
            )
            if not any(note in before for before in self.notes):
                self._note(note)
        spent = time.monotonic() - begun
        self._due = time.monotonic() + (max(self.interval, LEAST_RATIO * spent) if self.interval > 0 else 0)

    @property
    def _prefix(self) -> str:
        return PREFIXES[self.stage]

    def _note(self, text: str) -> None:
        self.notes.append(f"chain {self.number}: {text}")

    def _path(self, schedule: Schedule, jumps: int) -> Path:
        made = schedule.made + jumps
        return Path(self.folder) / f"{self._prefix}-{self.number:05}-{made:015}{'w' if schedule.over else 'c'}.state"

    def _files(self) -> list[Path]:
        """The newest first."""
        return sorted(Path(self.folder).glob(f"{self._prefix}-{self.number:05}-*.state"), reverse=True)


def check_present(folder: str) -> None:
    """A CheckpointError if the checkpoint was deleted while the run used it."""
    if not (Path(folder) / RUN_FILE).exists():
        raise CheckpointError(
            f"the checkpoint {folder!r} was deleted or moved while the run used it, and what its chains had sampled "
            f"with it; start again with a directory that nobody cleans"
        )


def read_chain_file(path: Path, run: str, number: int) -> SavedChain:
    """The state in a file of this run and chain.

    Raises an OSError if it cannot be read, a DamagedError if its checksum is wrong, and a CheckpointError if it belongs
    to another run or was written by another version.
    """
    try:
        saved = from_bytes(read_file(path, is_complete), SavedChain, PARTS)
    except DamagedError:
        raise
    except FileError as error:
        raise CheckpointError(f"{str(path)!r} {error}") from None
    if saved.run != run or saved.chain != number:
        raise CheckpointError(f"{str(path)!r} belongs to another run or chain; move it out of this checkpoint")
    return saved


@contextmanager
def restoring(number: int) -> Iterator[None]:
    """A CheckpointError if the core refuses the saved state of this chain."""
    try:
        yield
    except CausalZigzagError:
        raise
    except ValueError as error:
        raise CheckpointError(
            f"the checkpoint of chain {number} cannot be continued: {error}; finish it with the version of "
            f"causal-zigzag that wrote it, or start again in another directory"
        ) from None
