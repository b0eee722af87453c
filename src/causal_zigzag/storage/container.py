"""Sealed files: a zip of arrays under a JSON header, ended by the checksum of all that is before it.

The layout. The first entry, ``causal-zigzag.json``, is the header; arrays follow as ``0.npy``, ``1.npy``, ... The
comment that ends a zip is ``sha256:`` and the digest. So a changed byte is always noticed, and ``numpy.load`` and unzip
can read the file as well. Neither dates nor paths are in it: the same content gives the same bytes each time.
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import FileError

if TYPE_CHECKING:
    from zipfile import ZipFile

    from numpy.typing import NDArray

HEADER = "causal-zigzag.json"
SEAL = b"sha256:"
HEX = 64  # digits of a SHA-256
SAMPLE = 1 << 15  # bytes of an array on which compression is tried
WORTH = 0.8  # compressed, where the sample becomes at most this share

CRAFTED = (
    ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, NotImplementedError, RecursionError,
    RuntimeError, TypeError, ValueError, zlib.error,
)  # fmt: skip
"""What reading the inside of a file can raise whose seal is right and whose content is not."""


def sealed(header: Any, arrays: list[NDArray[Any]]) -> bytes:
    """The bytes of a file with this header, which JSON can hold, and these arrays."""
    import zipfile  # here and below, not at the top, for the sake of a fast start of the package

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as entries:
        _put(entries, HEADER, json.dumps(header, allow_nan=False).encode("ascii"))
        for at, array in enumerate(arrays):
            _put(entries, f"{at}.npy", _npy(array))
        entries.comment = SEAL + b"0" * HEX
    view = file.getbuffer()
    view[-HEX:] = digest(view[:-HEX])
    return bytes(view)


def begins_right(data: bytes) -> bool:
    """Whether this begins as a sealed file does: a zip with the header as its first entry."""
    return data[:2] == b"PK" and data[30 : 30 + len(HEADER)] == HEADER.encode()


def is_whole(data: bytes) -> bool:
    """Whether the seal is there, and right."""
    return data[-HEX - len(SEAL) : -HEX] == SEAL and data[-HEX:] == digest(memoryview(data)[:-HEX])


@contextmanager
def unsealed(data: bytes) -> Iterator[tuple[Any, Callable[[int], NDArray[Any]]]]:
    """The header of a file, and a function that gives its arrays by number; ``CRAFTED`` errors, or a FileError."""
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as entries:
            yield json.loads(entries.read(HEADER)), lambda at: _array(entries.read(f"{at}.npy"))
    except zipfile.BadZipFile as error:
        raise ValueError(f"a bad zip: {error}") from None


def digest(data: bytes | memoryview) -> bytes:
    """The checksum, as text."""
    return hashlib.sha256(data).hexdigest().encode("ascii")


def _put(entries: ZipFile, name: str, content: bytes) -> None:
    import zipfile

    entry = zipfile.ZipInfo(name)  # dated 1980-01-01
    sample = content[:SAMPLE]
    if len(zlib.compress(sample, 1)) <= WORTH * len(sample):
        entry.compress_type = zipfile.ZIP_DEFLATED
    entries.writestr(entry, content, compresslevel=1)


def _npy(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def _array(content: bytes) -> NDArray[Any]:
    from tokenize import TokenError

    try:
        array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except (SyntaxError, TokenError) as error:  # numpy reads the head of an array as Python
        raise FileError(f"an array has no head: {error}") from None
    array.setflags(write=False)
    return array
