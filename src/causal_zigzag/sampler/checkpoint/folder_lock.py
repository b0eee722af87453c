"""One process at a time in a directory; who died there does not stand in the way of others."""

from __future__ import annotations

import errno
import os
import platform
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from causal_zigzag.errors import CheckpointError

LOCK_FILE = "lock"

_HELD: set[Path] = set()  # by this process: the system's locks below do not keep its own threads apart
_GUARD = threading.Lock()


class FolderLock:
    """Holds a directory while it is entered; a CheckpointError names the process that holds it already.

    A record lock of POSIX ends with its process, however that ends, and is not handed on to forked ones; it works over
    NFS as well.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._file: BinaryIO | None = None

    def __enter__(self) -> FolderLock:
        import fcntl

        with _GUARD:
            if self._folder in _HELD:
                raise self._in_use(f"this process ({os.getpid()})")
            try:
                file = (self._folder / LOCK_FILE).open("a+b")
            except OSError as error:
                raise CheckpointError(
                    f"the checkpoint {str(self._folder)!r} cannot be written: {error.strerror or error}"
                ) from None
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EAGAIN):  # some file systems have no locks
                    file.close()
                    raise CheckpointError(
                        f"the checkpoint {str(self._folder)!r} cannot be locked ({error.strerror or error}); choose a "
                        f"directory on another file system"
                    ) from None
                file.seek(0)
                holder = file.read(300).decode("utf-8", errors="replace").strip()
                file.close()
                raise self._in_use(holder or "another process") from None
            _HELD.add(self._folder)
            self._file = file
        with suppress(OSError):  # on a full disk there is a lock without a name
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node()}".encode())
            file.flush()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with _GUARD:
            _HELD.discard(self._folder)
            if self._file is not None:
                with suppress(OSError):
                    self._file.close()
                self._file = None

    def _in_use(self, holder: str) -> CheckpointError:
        return CheckpointError(
            f"the checkpoint {str(self._folder)!r} is in use by {holder}; wait for it, or end it, and try again"
        )
