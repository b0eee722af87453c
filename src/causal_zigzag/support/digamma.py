"""The digamma function, for arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHIFT = 8  # by which arguments are raised, so that Stirling's series has errors below 1e-13


def digamma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The derivative of the logarithm of Γ(x), for positive numbers.

    >>> digamma(np.array([1.0])).round(9).tolist()  # minus Euler's constant
    [-0.577215665]
    """
    z, shifted = x + SHIFT, np.zeros_like(x)
    for k in range(SHIFT):
        shifted = shifted + 1 / (x + k)
    square = 1 / (z * z)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return np.asarray(np.log(z) - 0.5 / z - series - shifted)
