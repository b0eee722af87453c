"""The files of one chain in a checkpoint: its state now and then, written whole or not at all, and the last good one.

A file is named after the number of jumps it was made at. Since a chain is a function of its seed, two files of one
number of jumps are of one path, before the same jump, whoever wrote them: a worker that was thought dead does no harm.

The layout: a line that names the kind of file, eight bytes with the length of a JSON header, the header, the state as
the core has it, and the SHA-256 of all of that.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from causal_zigzag.errors import CheckpointError
from causal_zigzag.sampler.warmup import WarmUp
from causal_zigzag.support.atomic_write import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"causal-zigzag chain 1\n"
DIGEST = 32  # bytes of a SHA-256
KEPT = 2  # files a chain: the newest, and the one before
SPARE = 50  # the time between two checkpoints is at least so many times that of writing one: at most 2 % of it all
RUN_FILE = "run.czz"  # what tells a directory that is a checkpoint from others; see checkpoints.py


class Savable(Protocol):
    """A running chain; with the same number of ``jumps`` its state is the same."""

    def statistics(self) -> dict[str, float]: ...

    def save(self) -> bytes: ...


@dataclass(frozen=True)
class Saved:
    """One good file."""

    warmup: WarmUp
    jumps: int  # after the warm-up
    elapsed: float  # seconds since the run was begun, without those between two calls
    state: bytes


@dataclass
class ChainFiles:
    """Reads and writes the files of one chain; ``notes`` says what went wrong and was overcome.

    ``run`` is the name of the run, ``clock`` the time (as time.time() has it) from which its seconds count.
    """

    folder: str
    run: str
    number: int
    interval: float
    clock: float
    notes: list[str] = field(default_factory=list)
    _due: float = 0.0
    _written: tuple[WarmUp, int] | None = None

    def load(self) -> Saved | None:
        """The newest good state; None where the chain has none, and is to begin anew."""
        if not (Path(self.folder) / RUN_FILE).exists():
            raise CheckpointError(
                f"the checkpoint {self.folder!r} is not there for process {os.getpid()} on {_host()}, which runs chain "
                f"{self.number}; workers need a directory that all of them share"
            )
        self._due = time.monotonic() + self.interval
        bad = []
        for path in self._files():
            try:
                saved = read_chain_file(path, self.run, self.number)
            except FileNotFoundError:  # another process, thought dead, tidied up
                continue
            except (OSError, _DamagedError) as error:
                bad.append(f"{path.name} {error}")
                continue
            if bad:
                self._note(f"{'; '.join(bad)}; it went on from {path.name}, the last good one")
            return saved
        if bad:
            self._note(f"{'; '.join(bad)}; no good file was left, and it began anew")
        return None

    def save_if_due(self, chain: Savable, warmup: WarmUp) -> None:
        """Write the state where the last one is old enough."""
        if time.monotonic() >= self._due:
            self.save(chain, warmup)

    def save(self, chain: Savable, warmup: WarmUp) -> None:
        """Write the state. Where that fails the chain goes on all the same, and the files before stay."""
        begun = time.monotonic()
        jumps = int(chain.statistics()["jumps"])
        here = (WarmUp(**vars(warmup)), jumps)
        if here == self._written:
            return
        header = {"run": self.run, "chain": self.number, "jumps": jumps, "elapsed": time.time() - self.clock}
        try:
            write_chain_file(self._path(warmup, jumps), {**header, "warmup": vars(warmup)}, chain.save())
            self._written = here
            for old in self._files()[KEPT:]:
                old.unlink(missing_ok=True)
        except OSError as error:
            note = f"a checkpoint could not be written ({error.strerror or error}); the run went on without"
            if not any(note in before for before in self.notes):
                self._note(note)
        spent = time.monotonic() - begun
        self._due = time.monotonic() + (max(self.interval, SPARE * spent) if self.interval > 0 else 0)

    def _note(self, text: str) -> None:
        self.notes.append(f"chain {self.number}: {text}")

    def _path(self, warmup: WarmUp, jumps: int) -> Path:
        made = warmup.made + jumps
        return Path(self.folder) / f"chain-{self.number:05}-{made:015}{'w' if warmup.over else 'c'}.state"

    def _files(self) -> list[Path]:
        """The newest first."""
        return sorted(Path(self.folder).glob(f"chain-{self.number:05}-*.state"), reverse=True)


class _DamagedError(Exception):
    """What is wrong with a file."""


def write_chain_file(path: Path, header: dict[str, Any], state: bytes) -> None:
    """Write, flush to the disk, rename: at no moment is there half a file under this name."""
    head = json.dumps(header).encode("ascii")
    parts = [MAGIC, len(head).to_bytes(8, "little"), head, state]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    new = path.with_name(f".{path.name}.{_host()}-{os.getpid()}.part")
    try:
        with new.open("wb") as file:
            for part in (*parts, digest.digest()):
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise


def read_chain_file(path: Path, run: str, number: int) -> Saved:
    """The state in a file that was written for this run and chain."""
    content = path.read_bytes()
    body = memoryview(content)[:-DIGEST]
    if len(content) < len(MAGIC) + 8 + DIGEST or hashlib.sha256(body).digest() != content[-DIGEST:]:
        raise _DamagedError("is damaged or was cut short")
    other = CheckpointError(f"{str(path)!r} was written by another version of causal-zigzag; finish it with that one")
    if not content.startswith(MAGIC):
        raise other
    begin = len(MAGIC) + 8
    end = begin + int.from_bytes(content[len(MAGIC) : begin], "little")
    header = json.loads(content[begin:end])
    if header["run"] != run or header["chain"] != number:
        raise CheckpointError(f"{str(path)!r} belongs to another run or chain; move it out of this checkpoint")
    try:
        return Saved(WarmUp(**header["warmup"]), header["jumps"], header["elapsed"], bytes(body[end:]))
    except (LookupError, TypeError):
        raise other from None


def leftovers(folder: Path) -> Iterator[Path]:
    """What processes that were killed amid writing have left."""
    return folder.glob(".chain-*.part")


def _host() -> str:
    import platform

    return platform.node() or "this machine"


def newest_elapsed(folder: Path) -> float:
    """The longest time that any file of a chain tells the run has taken."""
    longest = 0.0
    for path in folder.glob("chain-*.state"):
        with suppress(OSError, ValueError, LookupError, TypeError), path.open("rb") as file:
            begin = file.read(len(MAGIC) + 8)
            header = json.loads(file.read(int.from_bytes(begin[len(MAGIC) :], "little") % 2**20))
            longest = max(longest, float(header["elapsed"]))
    return longest
