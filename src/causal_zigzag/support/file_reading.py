"""read_file: the content of a file, without the time that a large file of another kind would take."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable

BLOCK = 2**16  # bytes at the beginning and at the end of a file by which it is recognized


def read_file(path: str | os.PathLike[str], accepted: Callable[[bytes, bytes], bool]) -> bytes:
    """The content of a file or a pipe, which is empty if nobody writes to it; raises an OSError if it cannot be read.

    ``accepted`` is called with the first and the last bytes of a file. If it returns False, only the first ones are
    returned.
    """
    with open(path, "rb", opener=_at_once) as file:
        found = os.fstat(file.fileno())
        if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):  # which may have no end
            raise OSError(errno.EINVAL, "it is a device")
        if stat.S_ISREG(found.st_mode):
            first = file.read(BLOCK)
            file.seek(max(0, found.st_size - BLOCK))
            if not accepted(first, file.read(BLOCK)):
                return first
            file.seek(0)
        if sys.platform != "win32":  # which has no pipes among its files
            os.set_blocking(file.fileno(), True)
        return file.read()


def _at_once(path: str, flags: int) -> int:
    """Open a file without waiting for a process that opens the other end of a pipe."""
    if sys.platform != "win32":
        flags |= os.O_NONBLOCK
    return os.open(path, flags)
