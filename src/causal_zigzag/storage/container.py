"""The container of all files of this package: a value as a zip of a JSON header and arrays, with a checksum at its end.

The first entry, ``causal-zigzag.json``, is the header: the version of the package, and the value as ``Encoder`` makes
it. The arrays follow as ``0.npy``, ``1.npy`` and so on. The comment
at the end of the zip is ``sha256:`` and the digest of all bytes before the digest. So any changed byte is detected, and
``numpy.load`` and unzip can read the file. It contains no dates or paths: the same content always gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from threading import Lock
from tokenize import TokenError
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import CausalZigzagError, FileError, ScoreError
from causal_zigzag.scores.base import Score
from causal_zigzag.storage.encoding import Decoder, Encoder
from causal_zigzag.support.version import package_version

Kind = TypeVar("Kind")

_parsing = (
    Lock()
)  # numpy parses headers with ast, which fails at times in threads of Python 3.11 (cpython issue 106905)

HEADER = "causal-zigzag.json"
VALUE = "value"  # its key in the header
CHECKSUM = b"sha256:"
HEX = 64  # digits of a SHA-256
SAMPLE = 1 << 15  # bytes of an entry on which compression is tried
MOST_EXPANSION = 100  # bytes that a byte of a file may stand for; runs compress to a tenth at most
MOST_SMALL = 2**28  # bytes that any file may expand to
WORTH = 0.8  # an entry is compressed if the sample shrinks to at most this fraction


MALFORMED = (
    ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, NotImplementedError, RecursionError,
    RuntimeError, SyntaxError, TokenError, TypeError, ValueError, zlib.error,
)  # fmt: skip
"""What reading a file can raise if its checksum is right and its content is not."""


class DamagedError(FileError):
    """The checksum of a file is wrong or missing."""


def to_bytes(value: Any, parts: Iterable[type[Any]]) -> bytes:
    """The file of a value; ``parts`` are the dataclasses that it may hold, its own included."""
    import zipfile  # here and below, not at the top, so that the package starts fast

    encoder = Encoder(parts)
    header = {"version": package_version(), VALUE: encoder.encode(value, type(value).__name__)}
    file = io.BytesIO()
    contents: list[Any] = [json.dumps(header, allow_nan=False).encode("ascii"), *encoder.arrays]
    with zipfile.ZipFile(file, "w") as entries:
        for at, content in enumerate(contents, start=-1):
            if not isinstance(content, bytes):
                np.save(array := io.BytesIO(), content, allow_pickle=False)
                content = array.getvalue()
            entry = zipfile.ZipInfo(HEADER if at < 0 else f"{at}.npy")  # dated 1980-01-01
            sample = content[:SAMPLE]
            if len(zlib.compress(sample, 1)) <= WORTH * len(sample):
                entry.compress_type = zipfile.ZIP_DEFLATED
            entries.writestr(entry, content, compresslevel=1)
        entries.comment = CHECKSUM + b"0" * HEX
    with file.getbuffer() as view:
        view[-HEX:] = digest(view[:-HEX])
    return file.getvalue()


def from_bytes(
    data: bytes,
    kind: type[Kind],
    parts: Iterable[type[Any]],
    score: Score | None = None,
    check: Callable[[Kind], None] | None = None,
) -> Kind:
    """The value of this kind in a file, which passes the ``check``.

    Raises a DamagedError if the checksum is wrong, and another FileError if this version has not written the file; both
    continue a sentence that begins with its name. If ``score`` is not the score of the file, a ScoreError says why.
    """
    import zipfile

    if data[-HEX - len(CHECKSUM) :] != CHECKSUM + digest(memoryview(data)[:-HEX]):
        raise DamagedError("is damaged or was cut short: its checksum is wrong")
    version = here = package_version()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as entries:
            declared = sum(entry.file_size for entry in entries.infolist())
            if declared > max(MOST_SMALL, MOST_EXPANSION * len(data)):
                raise FileError(f"its {len(data)} bytes would expand to {declared}")
            header = json.loads(entries.read(HEADER))
            version = header["version"]
            array = cache(lambda at: _array(entries.read(f"{at}.npy")))  # one that is used often is in memory once
            value = Decoder(parts, array, score).decode(header[VALUE])
            if not isinstance(value, kind):
                raise FileError(f"it holds a {type(value).__name__}")
            if check is not None:
                check(value)
            return value
    except (CausalZigzagError, zipfile.BadZipFile, *MALFORMED) as error:
        if isinstance(error, ScoreError) and score is not None:
            raise
        what = str(error) if isinstance(error, CausalZigzagError) else f"{type(error).__name__}: {error}"
        remedy = "" if version == here else f"; it was written by version {version}, which can read it"
        raise FileError(f"is not a file of causal-zigzag {here} ({what}){remedy}") from None


def is_container(data: bytes) -> bool:
    """Whether this begins as a container does: a zip with the header as its first entry."""
    return data[:2] == b"PK" and data[30 : 30 + len(HEADER)] == HEADER.encode()


def is_complete(first: bytes, last: bytes) -> bool:
    """Whether the first and the last bytes of a file are those of a container: cheap, before all of it is read."""
    return is_container(first) and last[-HEX - len(CHECKSUM) : -HEX] == CHECKSUM


def digest(data: bytes | memoryview) -> bytes:
    """The checksum as text."""
    return hashlib.sha256(data).hexdigest().encode("ascii")


def _array(content: bytes) -> NDArray[Any]:
    """The array of an entry; its declared size is compared with the content before it is allocated."""
    file = io.BytesIO(content)
    with _parsing:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        if math.prod(shape) * dtype.itemsize != len(content) - file.tell():
            raise FileError(f"an array of shape {shape} and type {dtype} does not fit its {len(content)} bytes")
        array: NDArray[Any] = np.require(np.load(io.BytesIO(content), allow_pickle=False), requirements="C")
    array.setflags(write=False)
    return array
