"""Source: a description of where a table comes from, for reports."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Literal

Origin = Literal["file", "name", "score", "object"]
"""What a description is: the path of a file, the name of a table, the repr of a score, or a type and size."""


@dataclass(frozen=True)
class Source:
    """The origin of a table: a description, the keywords of ``read_table`` as code, and the number of rows left out.

    ``given`` is what was read, so that a proposal can be tried on it; it is neither pickled nor saved.

    >>> import causal_zigzag as cz
    >>> cz.read_table({"id": [1, 2, 3], "a": [1, 2, None], "b": [2, 3, 1]}, drop="id", missing="drop").source
    Source(data='dict', reading="drop=['id'], missing='drop'", left_out=1, origin='object')
    """

    data: str
    reading: str = ""
    left_out: int = 0
    origin: Origin = "object"
    given: Any = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"given": None}


def source_of(data: Any) -> Source:
    """The source of data: the path, the name in ``DataFrame.attrs``, or the type and size.

    >>> source_of("cells.csv").data
    'cells.csv'
    >>> source_of({"a": [1, 2, 3], "b": [2, 3, 1]}).data
    'dict'
    """
    if isinstance(data, (str, os.PathLike)):
        return Source(os.fspath(data), origin="file")
    name = getattr(data, "attrs", {}).get("name")  # of a pandas DataFrame
    if isinstance(name, str):
        return Source(name, origin="name")
    shape = getattr(data, "shape", None)
    kind = type(data).__name__
    if isinstance(shape, tuple) and len(shape) == 2:
        return Source(f"{kind}, {shape[0]} by {shape[1]}")
    return Source(kind)
