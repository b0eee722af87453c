"""Source: where a table comes from, in words, so that a report can name it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """Where a table is from: the data in words, the keywords of ``read_table`` as code, and how many rows it left out.

    >>> import causal_zigzag as cz
    >>> cz.read_table({"id": [1, 2, 3], "a": [1, 2, None], "b": [2, 3, 1]}, drop="id", drop_missing=True).source
    Source(data='dict', reading="drop=['id'], drop_missing=True", left_out=1)
    """

    data: str
    reading: str = ""
    left_out: int = 0


def in_words(data: Any) -> str:
    """What users passed as data, in a few words: its path, its name in ``DataFrame.attrs``, or its type and size.

    >>> in_words("cells.csv")
    'cells.csv'
    >>> in_words({"a": [1, 2, 3], "b": [2, 3, 1]})
    'dict'
    """
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    name = getattr(data, "attrs", {}).get("name")  # of a pandas DataFrame
    if isinstance(name, str):
        return name
    shape = getattr(data, "shape", None)
    kind = type(data).__name__
    if isinstance(shape, tuple) and len(shape) == 2:
        return f"{kind}, {shape[0]} by {shape[1]}"
    return repr(data) if type(data).__module__.startswith("causal_zigzag") else kind
