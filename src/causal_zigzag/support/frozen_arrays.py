"""Arrays that cannot be changed after they were returned."""

from typing import TypeVar

import numpy as np

Array = TypeVar("Array", bound=np.ndarray)


def read_only(array: Array) -> Array:
    """The same array, made read-only."""
    array.setflags(write=False)
    return array
