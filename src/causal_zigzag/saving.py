"""One file for a posterior: a zip of arrays under a JSON header, sealed by a checksum, and read without trust.

The layout. The first entry, ``causal-zigzag.json``, holds the format, the version of the package and all values but
arrays; these follow as ``0.npy``, ``1.npy``, ... The comment that ends a zip is ``sha256:`` and the digest of all that
is before it. So a changed byte is always noticed, and ``numpy.load`` and unzip can read the file as well.
Neither dates nor paths are in it: one posterior gives the same bytes each time.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import CausalZigzagError, FileError
from causal_zigzag.writing import write_bytes

if TYPE_CHECKING:
    from zipfile import ZipFile

    from numpy.typing import NDArray

    from causal_zigzag.posterior import Posterior
    from causal_zigzag.scores.base import Score

FORMAT = 1
"""Raised by one whenever older versions of the package would misread the file."""

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


def save(posterior: Posterior, path: str | os.PathLike[str]) -> None:
    """Write the posterior into one file: wholly, or not at all."""
    from causal_zigzag.saved_values import Encoder

    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"save needs the path of a file, not {path!r}")
    encoder = Encoder()
    content = encoder.encode(posterior, "posterior")
    header = {"format": FORMAT, "version": _version(), "posterior": content}
    write_bytes(path, _sealed(json.dumps(header, allow_nan=False), encoder.arrays))


def load(path: str | os.PathLike[str], score: Score | None = None) -> Posterior:
    """The posterior that ``posterior.save(path)`` has written, with all that it answers.

    The scores of this package come back with it. A score of your own cannot be stored: its values for the 1000 most
    probable classes are, and ``posterior.score`` answers for these; pass the score itself to get it back whole.
    A file that is damaged, cut short, of another kind or from a newer version is a ``FileError``.

    >>> import tempfile
    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=1000, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     posterior.save(f"{folder}/abc.czz")
    ...     again = cz.load(f"{folder}/abc.czz")
    >>> again.top(3) == posterior.top(3)
    True
    """
    import zipfile  # not at the top, for the sake of a fast start of the package

    from causal_zigzag.saved_values import NewerError, OlderError

    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"cz.load needs the path of a file, not {path!r}")
    name = repr(os.fspath(path))
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror or error}") from None
    if data[30 : 30 + len(HEADER)] != HEADER.encode() or data[:2] != b"PK":  # the name of the first entry of a zip
        what = "is empty" if not data else "is not a saved posterior, or its beginning is damaged"
        raise FileError(f"{name} {what}; cz.load reads what posterior.save(path) has written")
    if data[-HEX - len(SEAL) : -HEX] != SEAL or data[-HEX:] != _digest(memoryview(data)[:-HEX]):
        raise FileError(f"{name} is damaged or was cut short: its checksum is wrong; copy it again, or sample again")
    try:
        return _read(data, score)
    except NewerError as error:
        raise FileError(
            f"{name} was written by a newer causal-zigzag ({error}), and this is {_version()}; "
            f"upgrade: pip install -U causal-zigzag"
        ) from None
    except OlderError as error:
        raise FileError(
            f"{name} was written by an older causal-zigzag, and {error}; read it with that version, or sample again"
        ) from None
    except CausalZigzagError as error:
        if score is not None and not isinstance(error, FileError):
            raise
        raise FileError(f"{name} is no posterior that causal-zigzag has written: {error}") from None
    except (*CRAFTED, zipfile.BadZipFile) as error:
        raise FileError(
            f"{name} is no posterior that causal-zigzag has written ({type(error).__name__}: {error}); sample again"
        ) from None


def _read(data: bytes, score: Score | None) -> Posterior:
    import zipfile

    from causal_zigzag.posterior import Posterior
    from causal_zigzag.saved_checks import check
    from causal_zigzag.saved_values import Decoder, NewerError

    with zipfile.ZipFile(io.BytesIO(data)) as entries:
        header = json.loads(entries.read(HEADER))
        if header["format"] > FORMAT:
            raise NewerError(f"version {header['version']}, format {header['format']}")
        decoder = Decoder(lambda at: _array(entries.read(f"{at}.npy")), str(header["version"]), score)
        posterior = decoder.decode(header["posterior"])
    if not isinstance(posterior, Posterior):
        raise FileError(f"it holds a {type(posterior).__name__}")
    check(posterior)
    return posterior


def _sealed(header: str, arrays: list[NDArray[Any]]) -> bytes:
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as entries:
        _put(entries, HEADER, header.encode("ascii"))
        for at, array in enumerate(arrays):
            _put(entries, f"{at}.npy", _npy(array))
        entries.comment = SEAL + b"0" * HEX
    view = file.getbuffer()
    view[-HEX:] = _digest(view[:-HEX])
    return bytes(view)


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


def _digest(data: bytes | memoryview) -> bytes:
    return hashlib.sha256(data).hexdigest().encode("ascii")


def _version() -> str:
    from importlib.metadata import version

    return version("causal-zigzag")
