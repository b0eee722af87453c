"""A folder through which chains in other processes receive their input, report progress and are stopped."""

from __future__ import annotations

import hashlib
import hmac
import os
import pickle
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from causal_zigzag.sampler.chain_task import Meter, SharedInput
from causal_zigzag.sampler.parallel.private_folder import PrivateFolder

PREFIX = ".workers-"
RUNNING, INPUT = "running", "input"  # names of files
UPDATE_INTERVAL = 0.2  # seconds between two progress updates of a chain
KEY_BYTES = 32


class FolderNotVisibleError(Exception):
    """A worker cannot read the folder, because it runs on another machine, or what it finds there is not ours."""


class SharedFolder:
    """The folder as the main process sees it: chains run as long as the file ``running`` exists.

    In a checkpoint, others may be able to replace the folder. So it is used through a descriptor, and only if nobody
    else may write to it; and the pickle in it is read only if it has a code (HMAC) under a key that was sent with the
    task.
    """

    def __init__(self, checkpoint: str | None) -> None:
        try:  # in a checkpoint, workers on other machines see it as well
            self.path, self._folder = _make(checkpoint)
        except OSError:  # it cannot be written to, or its file system has no permissions
            self.path, self._folder = _make(None)
        self._key = secrets.token_bytes(KEY_BYTES)
        self._folder.write(RUNNING, b"")

    def store(self, shared: SharedInput) -> StoredInput:
        """Write the input that all chains share to a file, which every process reads once."""
        content = pickle.dumps(shared, protocol=pickle.HIGHEST_PROTOCOL)
        self._folder.write(INPUT, _code(content, self._key) + content)
        return StoredInput(self.path, self._key)

    def read(self, number: int, meter: Meter) -> bool:
        """Update a meter from the progress of a chain; False if the chain has not reported any."""
        try:
            jumps, edges, score = self._folder.read(str(number)).decode("ascii").split()
            if int(jumps) > meter.jumps:  # the meter of a chain that has ended is already ahead
                meter.show(int(jumps), int(edges), float(score))
        except (OSError, ValueError):
            return False
        return True

    def stop(self) -> None:
        """Signal all chains to stop."""
        with suppress(OSError):
            self._folder.remove(RUNNING)

    def remove(self) -> None:
        """Delete the folder."""
        import shutil

        self._folder.close()
        shutil.rmtree(self.path, ignore_errors=True)


def _make(parent: str | None) -> tuple[str, PrivateFolder]:
    """A new private folder; raises an OSError if none can be made there."""
    import tempfile

    path = tempfile.mkdtemp(prefix=PREFIX, dir=parent)
    try:
        return path, PrivateFolder(path)
    except OSError:
        Path(path).rmdir()
        raise


@dataclass(frozen=True)
class StoredInput:
    """The input that all chains share, in a file of the folder, and the key of its code."""

    folder: str
    key: bytes = field(repr=False)

    def load(self) -> SharedInput:
        """Read the file, once per process however many chains it runs."""
        return _load(self.folder, self.key)


@lru_cache(maxsize=1)
def _load(folder: str, key: bytes) -> SharedInput:
    try:
        with PrivateFolder(folder) as private:
            data = private.read(INPUT)
    except OSError:
        raise FolderNotVisibleError(folder) from None
    size = hashlib.sha256().digest_size
    if not hmac.compare_digest(data[:size], _code(data[size:], key)):  # before anything in it can run
        raise FolderNotVisibleError(folder)
    shared: SharedInput = pickle.loads(data[size:])
    return shared


def _code(content: bytes, key: bytes) -> bytes:
    return hmac.digest(key, content, "sha256")


@dataclass
class WorkerMeter(Meter):
    """The meter and the stop signal of a chain in a worker, which also stops if the main process has died."""

    folder: str = ""
    number: int = 0
    _next: float = 0.0
    _private: PrivateFolder | None = None
    _parent: int = field(default_factory=os.getppid)

    def __post_init__(self) -> None:
        with suppress(OSError):
            self._private = PrivateFolder(self.folder)

    def show(self, jumps: int, edges: int, score: float) -> None:
        """Set the progress, and write it to the folder if the last update is old enough."""
        super().show(jumps, edges, score)
        if self._private is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + UPDATE_INTERVAL
            with suppress(OSError):
                self._private.write(str(self.number), f"{jumps} {edges} {score!r}".encode("ascii"))

    def is_set(self) -> bool:
        """Whether to stop."""
        return (self._private is not None and not self._private.has(RUNNING)) or os.getppid() != self._parent

    def close(self) -> None:
        """Close the folder."""
        if self._private is not None:
            self._private.close()
            self._private = None


def remove_shared_folders(folder: Path) -> None:
    """Delete the folders that killed processes have left in a checkpoint."""
    import shutil

    for path in folder.glob(f"{PREFIX}*"):
        shutil.rmtree(path, ignore_errors=True)
