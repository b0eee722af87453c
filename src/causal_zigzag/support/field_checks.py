"""Checks of values that were read from a file: a right checksum does not prove that this package wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import FileError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def check(holds: bool, otherwise: str) -> None:
    """A FileError with this text unless the condition holds."""
    if not holds:
        raise FileError(otherwise)


def check_array(value: Any, name: str, dtype: type[np.generic], *shape: int | None) -> NDArray[Any]:
    """The value if it is an array of this type and shape, where None is any length; else a FileError."""
    right = isinstance(value, np.ndarray) and value.dtype == dtype and value.ndim == len(shape)
    right = right and all(want is None or have == want for have, want in zip(value.shape, shape, strict=True))
    check(right, f"{name} does not have the right type or shape")
    return np.asarray(value)
