"""Arrays as values: once handed out, they do not change."""

from typing import TypeVar

import numpy as np

Array = TypeVar("Array", bound=np.ndarray)


def read_only(array: Array) -> Array:
    """The array itself, closed for writing."""
    array.setflags(write=False)
    return array
