"""Questions asked of values that come from users, before anything trusts them."""

from collections.abc import Hashable
from typing import Any, TypeGuard

import numpy as np

from causal_zigzag.errors import SettingsError

LARGEST = 2**62  # of any count: the sum of two still fits 64 bits


def is_integer(value: object) -> TypeGuard[int]:
    """Whether this is a whole number, Python's or numpy's; True and False are not meant as numbers."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Whether this is a number that a float can hold, Python's or numpy's; True and False are not meant as numbers."""
    if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def as_whole(value: object) -> int | None:
    """The whole number that this is, None where it is none; people write 1e6 for a million, so floats may be whole.

    >>> as_whole(1e6), as_whole(np.int8(3)), as_whole(1.5), as_whole(True)
    (1000000, 3, None, None)
    """
    if is_integer(value):
        return int(value)
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    return None


def read_count(name: str, value: Any, least: int, also: str = "", most: int | None = None) -> int:
    """The setting of this name, a whole number of at least ``least``; ``also`` says what else it may be."""
    number = as_whole(value)
    if number is None or number < least:
        raise SettingsError(f"{name} must be {also}an integer of at least {least}, not {value!r}")
    if most is not None and number > most:
        raise SettingsError(f"{name} must be at most {most}, not {value!r}")
    return number


def is_hashable(value: object) -> TypeGuard[Hashable]:
    """Whether this can be hashed; isinstance(value, Hashable) is deceived by a tuple with a list in it."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
