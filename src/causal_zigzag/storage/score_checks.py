"""Checks of values that were read from a file: a right checksum does not prove that this package wrote it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import FileError
from causal_zigzag.graphs.labels import Labels

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


def check_score(state: dict[str, Any]) -> None:
    """A FileError if the attributes of a built-in score, from which its core part is made, do not fit together."""
    labels = state.get("_labels")
    check(isinstance(labels, Labels), "its score has no nodes")
    n = len(labels) if isinstance(labels, Labels) else 0
    if "_codes" in state:
        codes = check_array(state["_codes"], "codes", np.uint16, n, None)
        weights = check_array(state["_weights"], "weights", np.int32, None)
        levels = state["_levels"]
        check(len(weights) in (0, codes.shape[1]), "the number of weights is not the number of rows")
        check(isinstance(levels, tuple) and len(levels) == n, "the number of levels is not given for every node")
        for row, most in zip(codes, levels, strict=True):
            check(bool(row.max(initial=0) < most), "a code is not below the number of levels")
        names = state.get("_level_names") or [range(count) for count in levels]
        right = isinstance(names, (tuple, list)) and len(names) == n
        right = right and all(isinstance(own, (tuple, range)) for own in names)
        right = right and [*map(len, names)] == [*levels]
        check(right, "the names of levels do not have the right number")
    if "_correlation" in state:
        begin = state.get("_begin", tuple(range(n + 1)))  # where the block of columns of each node begins
        grows = all(a < b for a, b in itertools.pairwise(begin))
        check(len(begin) == n + 1 and begin[0] == 0 and grows, "blocks of columns overlap")
        check_array(state["_correlation"], "correlation", np.float64, begin[-1], begin[-1])
    for name in ("_log_variance", "_log_scale", "_log_deviation"):
        if name in state:
            check_array(state[name], name, np.float64, n)
