"""Atomic file writes: a file is written completely or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from causal_zigzag.errors import OutputError
from causal_zigzag.support.validation import is_path

PARTIAL = ".part"  # the end of the name of a file that is being written


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8; lone surrogates, which UTF-8 cannot encode, become question marks."""
    write_bytes(path, text.encode("utf-8", errors="replace"))


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file as ``replace_file`` does; an ``OutputError`` if that fails.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(f"{folder}/a.bin", b"all of it")
    ...     Path(f"{folder}/a.bin").read_bytes()
    b'all of it'
    """
    if not is_path(path):
        raise OutputError(f"files are written to a path, not to {path!r}")
    try:
        replace_file(Path(path), content)
    except (OSError, ValueError) as error:  # a ValueError for a NUL character
        raise OutputError(f"cannot write {os.fspath(path)!r}: {getattr(error, 'strerror', None) or error}") from None


def replace_file(path: Path, content: bytes) -> None:
    """Write a file. Until all of it is on the disk, and if that fails, the previous file at ``path`` is unchanged.

    A pipe or a device is written to directly, and a symbolic link is followed. Raises an ``OSError``.
    """
    path = Path(os.path.realpath(path))
    mode = path.stat().st_mode if path.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        path.write_bytes(content)
        return
    if mode is not None and not os.access(path, os.W_OK):  # a rename would replace it nevertheless
        raise PermissionError(13, "Permission denied")
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}{PARTIAL}")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            part.chmod(stat.S_IMODE(mode))
        part.replace(path)
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def partial_files(folder: Path) -> list[Path]:
    """The files that killed processes have left in a folder."""
    return [*folder.glob(f".*{PARTIAL}")]


def sync_folder(folder: Path) -> None:
    """Make renames in this folder survive a power loss, if the system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
