"""A value as the bytes of a file and back: its encoding in a container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import CausalZigzagError, FileError, ScoreError
from causal_zigzag.storage.container import MALFORMED, is_intact, pack, unpack
from causal_zigzag.storage.encoding import Decoder, Encoder, NewerError
from causal_zigzag.support.version import package_version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from causal_zigzag.scores.base import Score

FORMAT = 1
"""Increased by one whenever older versions of the package would misread a file."""


class DamagedError(FileError):
    """The checksum of a file is wrong or missing."""


def to_bytes(name: str, value: Any, kinds: Iterable[type[Any]]) -> bytes:
    """The file of a value, which is called ``name`` in it; ``kinds`` are the dataclasses that it may hold."""
    encoder = Encoder(kinds)
    header = {"format": FORMAT, "version": package_version(), name: encoder.encode(value, name)}
    return pack(header, encoder.arrays)


def from_bytes(data: bytes, name: str, kinds: Iterable[type[Any]], score: Score | None = None) -> Any:
    """The value in a file.

    Raises a DamagedError if the checksum is wrong, a NewerError or an OlderError if another version wrote the file, and
    a FileError if it is malformed. If ``score`` is not the score of the file, a ScoreError says why.
    """
    if not is_intact(data):
        raise DamagedError("is damaged or was cut short: its checksum is wrong")
    try:
        with unpack(data) as (header, array):
            if header["format"] > FORMAT:
                raise NewerError(f"version {header['version']}, format {header['format']}")
            return Decoder(kinds, array, str(header["version"]), score).decode(header[name])
    except FileError:
        raise
    except ScoreError as error:
        if score is not None:
            raise
        raise FileError(str(error)) from None
    except CausalZigzagError as error:
        raise FileError(str(error)) from None
    except MALFORMED as error:
        raise FileError(f"{type(error).__name__}: {error}") from None
