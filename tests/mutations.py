"""Changed copies of saved files with a correct checksum: what only malice or a bug can write."""

import copy
import io
import json
import random
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from causal_zigzag.storage import container

VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 3, 7, -7, 2**31, -(2**31), 2**63, -(2**70), 10**400, 0.5, -2.5, 1e-320, 1e308, -1e308,
    {"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, {"float": "x"}, {"float": None}, "", "x", "auto", "0" * 300,
    "\udc80\n", [], [None], [0, 0], [[0, 1]], [[0, 1000000]], [[-5, 1]], [[0, 70]], {}, {"Future": {}},
    {"array": 0}, {"array": 1}, {"array": -1}, {"array": 10**9}, {"array": "x"}, {"scalar": 0}, {"scalar": [1]},
    {"labels": ["a", "b"]}, {"labels": 3}, {"graph": {}}, {"score": {}}, {"a": 1, "b": 2},
)  # fmt: skip
"""Wrong types, signs and sizes, and what stands for NaN, infinities, arrays, labels, graphs and scores in a header."""

NUMBERS: tuple[Any, ...] = (0, 1, 2, 3, -1, -2, 4096, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1, float("nan"),
                            float("inf"), -float("inf"), 1e300, -1e300, 5e-324, 0.5)  # fmt: skip
"""What is written into arrays, as far as their type can hold it."""


def entries_of(data: bytes) -> dict[str, bytes]:
    """The entries of a container."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def sealed(entries: dict[str, bytes]) -> bytes:
    """A container with these entries and a correct checksum."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as new:
        for name, content in entries.items():
            new.writestr(zipfile.ZipInfo(name), content)
        new.comment = container.CHECKSUM + b"0" * container.HEX
    data = file.getvalue()[: -container.HEX]
    return data + container.digest(data)


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all values within a header."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*here, key)
        yield from places(item, (*here, key))


def with_value(header: Any, place: tuple[Any, ...], value: Any) -> bytes:
    """The header as JSON with another value in this place."""
    changed = copy.deepcopy(header)
    inside = changed
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return json.dumps(changed).encode()


def with_header(data: bytes, header: bytes) -> bytes:
    """The container with another header."""
    return sealed(entries_of(data) | {container.HEADER: header})


def changed_headers(data: bytes) -> Iterator[tuple[tuple[Any, ...], Any, bytes]]:
    """Every value of the header replaced by every one of VALUES."""
    entries = entries_of(data)
    header = json.loads(entries[container.HEADER])
    for place in places(header):
        for value in VALUES:
            yield place, value, sealed(entries | {container.HEADER: with_value(header, place, value)})


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The container with a random change of its header or of one array."""
    entries = entries_of(data)
    header = json.loads(entries[container.HEADER])
    arrays = [name for name in entries if name != container.HEADER]
    if not arrays or rng.random() < 0.4:
        place = rng.choice([*places(header)])
        return sealed(entries | {container.HEADER: with_value(header, place, rng.choice(VALUES))})
    name = rng.choice(arrays)
    return sealed(entries | {name: mutated_array(entries[name], rng)})


def mutated_array(content: bytes, rng: random.Random) -> bytes:
    """The file of an array with another shape, type, number or byte."""
    array = np.load(io.BytesIO(content), allow_pickle=False).copy()
    how = rng.randrange(6)
    if how == 0 and array.size:
        with np.errstate(all="ignore"):
            array.reshape(-1)[rng.randrange(array.size)] = _fitting(array.dtype, rng)
    elif how == 1:
        array = array.reshape(-1)[: rng.randrange(array.size + 1)]
    elif how == 2:
        array = (
            np.concatenate([array.reshape(-1)] * 2)
            if rng.random() < 0.5
            else np.append(array, array[:1], axis=0)
            if array.ndim
            else array
        )
    elif how == 3:
        with np.errstate(all="ignore"):
            array = array.astype(rng.choice([np.int8, np.int64, np.uint64, np.float64, np.float32, np.bool_, "U3"]))
    elif how == 4 and array.size > 1:
        flat = array.reshape(-1)
        a, b = rng.randrange(array.size), rng.randrange(array.size)
        flat[a], flat[b] = flat[b].copy(), flat[a].copy()
    else:
        raw = bytearray(content)
        at = rng.randrange(len(raw))
        raw[at] ^= 1 << rng.randrange(8)
        return bytes(raw[: rng.randrange(len(raw))] if rng.random() < 0.1 else raw)
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def _fitting(dtype: np.dtype[Any], rng: random.Random) -> Any:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.choice([n for n in NUMBERS if isinstance(n, int) and info.min <= n <= info.max])
    return rng.choice(NUMBERS) if dtype.kind == "f" else rng.randrange(2)
