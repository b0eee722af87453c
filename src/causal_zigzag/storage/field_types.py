"""Whether a value that was read from a file has the type that its field is annotated with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

PLAIN: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "float": (float, int, np.floating, np.integer),
    "int": (int, np.integer),
    "str": (str,),
}
LARGEST_INTEGER = 10**300  # all of them fit a float


def fits(value: Any, annotation: str, named: Mapping[str, type[Any]]) -> bool:
    """Whether the value has the annotated type; ``named`` has the classes that annotations may name.

    Names of other types, such as ``Balance``, fit any value: the constructor of the class validates those fields.

    >>> fits(1, "float", {}), fits(None, "int", {}), fits(None, "int | None", {}), fits(True, "int", {})
    (True, False, True, False)
    >>> fits((0.5, 1), "tuple[float, ...]", {}), fits((0.5,), "tuple[float, float]", {})
    (True, False)
    """
    return any(_fits(value, part, named) for part in _split(annotation, "|"))


def _fits(value: Any, annotation: str, named: Mapping[str, type[Any]]) -> bool:
    outer, _, rest = annotation.partition("[")
    if annotation == "None":
        return value is None
    if annotation in PLAIN:
        return _fits_plain(value, annotation)
    if outer == "tuple":
        parts = [*_split(rest[:-1], ",")]
        if not isinstance(value, tuple):
            return False
        if parts[-1] == "...":
            return all(fits(item, parts[0], named) for item in value)
        return len(value) == len(parts) and all(
            fits(item, part, named) for item, part in zip(value, parts, strict=True)
        )
    if outer == "NDArray":
        return isinstance(value, np.ndarray) and value.dtype == np.dtype(rest[:-1].removeprefix("np."))
    return isinstance(value, named[annotation]) if annotation in named else True


def _fits_plain(value: Any, annotation: str) -> bool:
    if not isinstance(value, PLAIN[annotation]) or (annotation != "bool" and isinstance(value, bool)):
        return False
    return not isinstance(value, int) or abs(value) < LARGEST_INTEGER


def _split(annotation: str, at: str) -> Iterator[str]:
    """The parts between separators that are not within brackets."""
    depth, begin = 0, 0
    for i, letter in enumerate(annotation):
        depth += (letter == "[") - (letter == "]")
        if letter == at and depth == 0:
            yield annotation[begin:i].strip()
            begin = i + 1
    yield annotation[begin:].strip()
