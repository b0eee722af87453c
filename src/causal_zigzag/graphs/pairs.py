"""Numbers of pairs of nodes, in the order of the core: (0, 1), (0, 2), (1, 2), (0, 3), ..."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def pair_number(i: Any, j: Any) -> Any:
    """The number of the pair of two different nodes, in either order; they may be arrays.

    >>> int(pair_number(3, 0))
    3
    """
    a, b = np.minimum(i, j), np.maximum(i, j)
    return b * (b - 1) // 2 + a


def pair_ends(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The nodes a < b of the pairs with these numbers.

    >>> [ends.tolist() for ends in pair_ends(np.array([0, 1, 2, 3]))]
    [[0, 0, 1, 0], [1, 2, 2, 3]]
    """
    b = ((1 + np.sqrt(1 + 8 * pairs.astype(np.float64))) / 2).astype(np.int64)
    b -= b * (b - 1) // 2 > pairs  # if the root was rounded up
    return pairs - b * (b - 1) // 2, b
