"""Validation of values that users pass."""

import os
from collections.abc import Hashable
from typing import Any, TypeGuard

import numpy as np

from causal_zigzag.errors import SettingsError

LARGEST = 2**62  # greatest value of any count: the sum of two fits 64 bits


def is_integer(value: object) -> TypeGuard[int]:
    """Whether this is an integer of Python or numpy; True and False do not count as numbers."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Whether this is a number of Python or numpy that fits a float; True and False do not count as numbers."""
    if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def as_whole(value: object) -> int | None:
    """The value as an integer, None if it is not one; floats with an integer value, such as 1e6, are accepted.

    >>> as_whole(1e6), as_whole(np.int8(3)), as_whole(1.5), as_whole(True)
    (1000000, 3, None, None)
    """
    if is_integer(value):
        return int(value)
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    return None


def read_count(name: str, value: Any, least: int, also: str = "", most: int | None = None) -> int:
    """The integer value of the setting ``name``, at least ``least``; ``also`` is what else the message allows."""
    number = as_whole(value)
    if number is None or number < least:
        raise SettingsError(f"{name} must be {also}an integer of at least {least}, not {value!r}")
    if most is not None and number > most:
        raise SettingsError(f"{name} must be at most {most}, not {value!r}")
    return number


def check_flag(name: str, value: Any) -> None:
    """A SettingsError if the setting ``name`` is neither True nor False."""
    if not isinstance(value, (bool, np.bool_)):
        raise SettingsError(f"{name} must be True or False, not {value!r}")


def check_least(value: Any) -> None:
    """A SettingsError if ``least`` is not a probability."""
    if not is_real(value) or not 0 <= value <= 1:
        raise SettingsError(f"least must be a probability, a number from 0 to 1, not {value!r}")


def is_word(value: object, *words: str) -> bool:
    """Whether this is one of these words; values such as arrays, which cannot be compared with text, are not.

    >>> is_word("auto", "auto"), is_word(np.array(["auto", "auto"]), "auto")
    (True, False)
    """
    return isinstance(value, str) and value in words


def is_path(value: object) -> bool:
    """Whether this is a path of a file as text; a path of bytes is not.

    >>> is_path("a.czz"), is_path(b"a.czz"), is_path(None)
    (True, False, False)
    """
    return isinstance(value, (str, os.PathLike)) and isinstance(os.fspath(value), str)


def is_hashable(value: object) -> TypeGuard[Hashable]:
    """Whether this can be hashed; isinstance(value, Hashable) is also True for a tuple that contains a list."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
