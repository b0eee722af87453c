"""folder_lock: lets one process at a time use a directory."""

from __future__ import annotations

import os
import platform
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from causal_zigzag.errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK_FILE = "lock"


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a directory; a CheckpointError names the process that holds it already.

    The operating system releases the lock when its holder dies. Forked processes, such as the workers of a pool, do not
    keep it: filelock closes their copies of the file.
    """
    import filelock  # takes as long to import as half of numpy, and only checkpoints need it

    path = folder.resolve() / LOCK_FILE
    # A soft lock would outlive its holder, so that file systems without locks are refused. The lock is released in
    # whichever thread leaves the context, so it is not thread-local.
    lock = filelock.FileLock(path, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        fault = f"is in use by {_holder(path)}; wait for it, or end it, and try again"
        raise CheckpointError(f"the checkpoint {str(path.parent)!r} {fault}") from None
    except OSError as error:
        fault = f"cannot be locked ({error.strerror or error}); choose one that you may write to, and that has locks"
        raise CheckpointError(f"the checkpoint {str(path.parent)!r} {fault}") from None
    try:
        with suppress(OSError):  # on a full disk the lock has no name
            path.write_text(_this_process(), encoding="utf-8")
        yield
    finally:
        lock.release()


def _holder(path: Path) -> str:
    """The holder's description of itself."""
    with suppress(OSError):
        with path.open("rb") as file:
            holder = file.read(300).decode("utf-8", errors="replace").strip()
        return f"this process ({os.getpid()})" if holder == _this_process() else holder or "another process"
    return "another process"


def _this_process() -> str:
    return f"process {os.getpid()} on {platform.node()}"
