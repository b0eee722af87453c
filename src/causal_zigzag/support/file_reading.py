"""Reading of files that anybody may have put there: never waits for a pipe, reads no device, nothing beyond memory."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from typing import BinaryIO

from causal_zigzag.support.memory import available_memory, in_gib

BLOCK = 2**16  # bytes at the beginning and at the end of a file by which it is recognized

Path = str | os.PathLike[str]


def open_regular(path: Path) -> BinaryIO:
    """A file, opened for reading; raises an OSError if it is a pipe, a device or a folder, without waiting for it."""
    return _opened(path, pipes=False)


def read_regular(path: Path, accepted: Callable[[bytes, bytes], bool] | None = None) -> bytes:
    """The content of a file; raises an OSError if it is not a file, or does not fit into memory.

    ``accepted`` is called with the first and the last bytes. If it returns False, only the first ones are returned, so
    that no time is spent on a large file of another kind.
    """
    with _opened(path, pipes=False) as file:
        return _content(file, None, accepted)


def read_input(path: Path, most: int | None = None, accepted: Callable[[bytes, bytes], bool] | None = None) -> bytes:
    """The same, also from a pipe that a process writes to, such as ``/dev/fd/63`` from a shell; ``most`` bytes."""
    with _opened(path, pipes=True) as file:
        return _content(file, most, accepted)


def _opened(path: Path, pipes: bool) -> BinaryIO:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # does not wait for the writer of a pipe
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "Is a directory")
        if not stat.S_ISREG(mode) and not (pipes and stat.S_ISFIFO(mode)):
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")
        return os.fdopen(descriptor, "rb", buffering=0)
    except BaseException:
        os.close(descriptor)
        raise


def _content(file: BinaryIO, most: int | None, accepted: Callable[[bytes, bytes], bool] | None) -> bytes:
    found = os.fstat(file.fileno())
    if stat.S_ISFIFO(found.st_mode):
        return _from_pipe(file, most)
    if accepted is not None:
        first = file.read(BLOCK)
        file.seek(max(0, found.st_size - BLOCK))
        if not accepted(first, file.read(BLOCK)):
            return first
        file.seek(0)
    memory = available_memory()
    limits = [limit for limit in (most, None if memory is None else memory // 2) if limit is not None]
    if limits and found.st_size > min(limits):
        raise OSError(errno.EFBIG, f"it has {in_gib(found.st_size)}, and at most {in_gib(min(limits))} are read here")
    try:
        return file.read()
    except MemoryError:
        raise OSError(errno.ENOMEM, f"its {in_gib(found.st_size)} do not fit into memory") from None


def _from_pipe(file: BinaryIO, most: int | None) -> bytes:
    first = file.read(BLOCK)  # None if there is a writer that has written nothing yet
    if first == b"":
        raise OSError(errno.EPIPE, "it is a pipe that no process writes to")
    os.set_blocking(file.fileno(), True)
    parts, size = [], 0
    part = first or file.read(2**20)
    while part:
        parts.append(part)
        size += len(part)
        if most is not None and size > most:  # before more is waited for
            raise OSError(errno.EFBIG, f"it has more than {in_gib(most)}")
        part = file.read(2**20)
    return b"".join(parts)
