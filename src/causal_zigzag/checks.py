"""Questions asked of values that come from users, before anything trusts them."""

from collections.abc import Hashable
from typing import TypeGuard

import numpy as np


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


def is_hashable(value: object) -> TypeGuard[Hashable]:
    """Whether this can be hashed; isinstance(value, Hashable) is deceived by a tuple with a list in it."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
