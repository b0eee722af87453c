"""PrivateFolder: a folder that only this user may write to, used through a descriptor."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import TracebackType

HAS_DESCRIPTORS = {os.open, os.stat, os.unlink} <= os.supports_dir_fd and hasattr(os, "O_DIRECTORY")  # not on Windows


class PrivateFolder:
    """Files of a folder that belongs to this user and that nobody else may read or write.

    The folder is opened once and its files relative to it, so it does not matter what its path leads to later. Raises
    an OSError if it is not such a folder. Where the system has no such descriptors, paths are used.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor: int | None = None
        if not HAS_DESCRIPTORS:
            if not Path(path).is_dir():
                raise NotADirectoryError(path)
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            os.close(descriptor)
            raise PermissionError(f"{path!r} is not a private folder of this user")
        self._descriptor = descriptor

    def __enter__(self) -> PrivateFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        with os.fdopen(self._open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(content)

    def read(self, name: str) -> bytes:
        """The content of a file."""
        with os.fdopen(self._open(name, os.O_RDONLY), "rb") as file:
            return file.read()

    def has(self, name: str) -> bool:
        """Whether there is a file with this name."""
        try:
            os.stat(self._place(name), dir_fd=self._descriptor)
        except OSError:
            return False
        return True

    def remove(self, name: str) -> None:
        """Delete a file."""
        os.unlink(self._place(name), dir_fd=self._descriptor)

    def _open(self, name: str, flags: int) -> int:
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        return os.open(self._place(name), flags, 0o600, dir_fd=self._descriptor)

    def _place(self, name: str) -> str:
        return name if self._descriptor is not None else str(Path(self._path, name))
