"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from causal_zigzag.errors import OutputError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8; lone surrogates, which have no code there, become question marks."""
    write_bytes(path, text.encode("utf-8", errors="replace"))


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file: what was at ``path`` stays as it was until all is written, and if that fails, for good.

    A pipe or a device is written to directly, and a symbolic link is followed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(f"{folder}/a.bin", b"all of it")
    ...     Path(f"{folder}/a.bin").read_bytes()
    b'all of it'
    """
    try:
        _write(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise OutputError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from None


def _write(path: Path, content: bytes) -> None:
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        with path.open("wb") as file:
            file.write(content)
        return
    if path.exists() and not os.access(path, os.W_OK):  # renaming would replace it all the same
        raise PermissionError(13, "Permission denied")
    import tempfile  # not at the top, for the sake of a fast start of the package

    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 - an open descriptor
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())  # noqa: PTH101
        os.replace(name, path)  # noqa: PTH105
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise


def sync_folder(folder: Path) -> None:
    """Make renames in this folder outlive a loss of power, where the system knows how to."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _umask() -> int:
    """What new files may not be; Python can only read it by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
