"""FolderLock: lets one process at a time use a directory."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from causal_zigzag.errors import CheckpointError

if TYPE_CHECKING:
    from filelock import BaseFileLock

LOCK_FILE = "lock"


class FolderLock:
    """Holds a directory while it is entered; a CheckpointError names the process that holds it already.

    The operating system releases the lock when its holder dies. Forked processes, such as the workers of a pool, do not
    keep it: filelock closes their copies of the file.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._lock: BaseFileLock | None = None

    def __enter__(self) -> FolderLock:
        import filelock  # takes as long to import as half of numpy, and only checkpoints need it

        path = self._folder / LOCK_FILE
        # A soft lock would outlive its holder, so that file systems without locks are refused. The lock is released in
        # whichever thread leaves the context, so it is not thread-local.
        lock = filelock.FileLock(path, thread_local=False, fallback_to_soft=False)
        try:
            lock.acquire(blocking=False)
        except filelock.Timeout:
            raise self._error(f"is in use by {self._holder(path)}; wait for it, or end it, and try again") from None
        except OSError as error:
            raise self._error(
                f"cannot be locked ({error.strerror or error}); choose a directory that you may write to, on a file "
                f"system that has locks"
            ) from None
        self._lock = lock
        with suppress(OSError):  # on a full disk the lock has no name
            path.write_text(_this_process(), encoding="utf-8")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _holder(self, path: Path) -> str:
        """The holder's description of itself."""
        with suppress(OSError):
            with path.open("rb") as file:
                holder = file.read(300).decode("utf-8", errors="replace").strip()
            return f"this process ({os.getpid()})" if holder == _this_process() else holder or "another process"
        return "another process"

    def _error(self, text: str) -> CheckpointError:
        return CheckpointError(f"the checkpoint {str(self._folder)!r} {text}")


def _this_process() -> str:
    return f"process {os.getpid()} on {platform.node()}"
