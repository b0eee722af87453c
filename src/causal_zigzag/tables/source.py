"""Source: a description of where a table comes from, for reports."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """The origin of a table: a description, the keywords of ``read_table`` as code, and the number of rows left out.

    >>> import causal_zigzag as cz
    >>> cz.read_table({"id": [1, 2, 3], "a": [1, 2, None], "b": [2, 3, 1]}, drop="id", drop_missing=True).source
    Source(data='dict', reading="drop=['id'], drop_missing=True", left_out=1)
    """

    data: str
    reading: str = ""
    left_out: int = 0


def in_words(data: Any) -> str:
    """A short description of data: the path, the name in ``DataFrame.attrs``, or the type and size.

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
