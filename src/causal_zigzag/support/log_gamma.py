"""The logarithm of the gamma function and its derivative, for arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHIFT = 8  # by which arguments are raised, so that Stirling's series has errors below 1e-13


def log_gamma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of Γ(x) for positive numbers.

    >>> bool(np.allclose(log_gamma(np.array([0.01, 0.5, 3.0, 1e5])), [*map(math.lgamma, [0.01, 0.5, 3, 1e5])], 1e-12))
    True
    """
    z, product = x + SHIFT, np.ones_like(x)
    for k in range(SHIFT):
        product = product * (x + k)
    square = 1 / (z * z)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / z
    return np.asarray((z - 0.5) * np.log(z) - z + 0.5 * math.log(2 * math.pi) + series - np.log(product))


def digamma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The derivative of log Γ(x) for positive numbers.

    >>> digamma(np.array([1.0])).round(9).tolist()  # minus Euler's constant
    [-0.577215665]
    """
    z, shifted = x + SHIFT, np.zeros_like(x)
    for k in range(SHIFT):
        shifted = shifted + 1 / (x + k)
    square = 1 / (z * z)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return np.asarray(np.log(z) - 0.5 / z - series - shifted)
