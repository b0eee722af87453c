"""Reads the chain files of early development versions of 0.1.0, which had a format of their own.

Their layout: a line that names the kind of file, eight bytes with the length of a JSON header, the header, the state,
and the SHA-256 of all of that. The state of a tempered chain is a line of JSON with its ladder and the lengths of the
states of its parts, followed by these.
"""

from __future__ import annotations

import hashlib
import json
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from causal_zigzag.errors import FileError
from causal_zigzag.sampler.checkpoint.saved_chain import SavedChain
from causal_zigzag.sampler.warmup import WarmUp
from causal_zigzag.storage.container import MALFORMED
from causal_zigzag.storage.values import DamagedError
from causal_zigzag.support.file_reading import open_regular

MAGIC = b"causal-zigzag chain 1\n"
DIGEST = 32  # bytes of a SHA-256
LENGTH = 8  # bytes of the length of the header
LONGEST = 2**20  # bytes of a header


def is_chain_file(file: bytes | Path) -> bool:
    """Whether this is a chain file of the previous format."""
    if isinstance(file, Path):
        with open_regular(file) as opened:
            file = opened.read(len(MAGIC))
    return file.startswith(MAGIC)


def read_chain_file(data: bytes) -> SavedChain:
    """The state in such a file; a DamagedError if its checksum is wrong, or another FileError if it is malformed."""
    body = data[:-DIGEST]
    if len(data) < len(MAGIC) + LENGTH + DIGEST or hashlib.sha256(body).digest() != data[-DIGEST:]:
        raise DamagedError("is damaged or was cut short: its checksum is wrong")
    begin = len(MAGIC) + LENGTH
    end = begin + int.from_bytes(body[len(MAGIC) : begin], "little")
    try:
        header = json.loads(body[begin:end])
        states, ladder = _parts(body[end:])
        return SavedChain(
            run=str(header["run"]),
            chain=int(header["chain"]),
            warmup=WarmUp(**header["warmup"]),
            jumps=int(header["jumps"]),
            elapsed=float(header["elapsed"]),
            states=tuple(np.frombuffer(state, dtype=np.uint8) for state in states),
            ladder=ladder,
        )
    except MALFORMED as error:
        raise FileError(f"{type(error).__name__}: {error}") from None


def read_elapsed(path: Path) -> float:
    """The seconds that the run had taken when the file was written; raises ``MALFORMED`` errors or an OSError."""
    with open_regular(path) as file:
        file.seek(len(MAGIC))
        header: Any = json.loads(file.read(int.from_bytes(file.read(LENGTH), "little") % LONGEST))
    return float(header["elapsed"])


def _parts(state: bytes) -> tuple[list[bytes], tuple[float, ...]]:
    """The states and the ladder of a tempered chain; the state of any other chain, which never begins so, is one."""
    if not state.startswith(b'{"ladder"'):
        return [state], ()
    line, _, rest = state.partition(b"\n")
    header = json.loads(line)
    ends = accumulate(header["lengths"], initial=0)
    return [rest[a:b] for a, b in pairwise(ends)], tuple(float(coldness) for coldness in header["ladder"])
