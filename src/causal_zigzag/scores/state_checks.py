"""Checks of the attributes of a built-in score that was read from a file."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.support.field_checks import check
from causal_zigzag.support.validation import is_integer, is_real

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

LEAST, LARGEST = 1e-100, 1e100  # of the numbers that a score has as attributes


def check_types(state: Mapping[str, Any], types: Mapping[str, str]) -> None:
    """A FileError unless the attributes have these names and types; numbers of scores are positive."""
    check(state.keys() == types.keys(), f"its score has the attributes {sorted(state)}")
    for name, expected in types.items():
        value = state[name]
        if expected in ("int", "float"):
            right = is_real(value) and LEAST <= value < LARGEST
        elif expected.startswith("NDArray"):
            right = isinstance(value, np.ndarray) and value.dtype == np.dtype(expected[8:-1].removeprefix("np."))
            right = right and value.flags.c_contiguous and (value.dtype.kind != "f" or bool(np.isfinite(value).all()))
        else:
            right = isinstance(value, str if expected == "str" else tuple)
        check(right, f"{name} of its score is not valid")


def check_given(given: Any, nodes: Sequence[Hashable]) -> None:
    """A FileError unless these are contexts and targets of a table with these columns."""
    check(isinstance(given, tuple) and [*map(type, given)] == [tuple, tuple], "what is given of its table is not valid")
    contexts, targets = given
    check({*contexts} <= {*nodes}, "a context of its table is not one of its nodes")
    pairs = all(isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], tuple) for pair in targets)
    check(pairs and all(c in contexts and {*names} <= {*nodes} for c, names in targets), "a target is not valid")


def check_logs(*logs: NDArray[np.float64], size: int) -> None:
    """A FileError unless each has this length and could be logarithms of numbers."""
    for values in logs:
        check(values.shape == (size,) and bool((np.abs(values) < 1e4).all()), "a scale of its score is not valid")


def check_correlation(matrix: NDArray[np.float64], begin: tuple[int, ...]) -> None:
    """A FileError, or a LinAlgError, unless the matrix has correlations of blocks of columns with these beginnings."""
    check(all(is_integer(at) for at in begin), "blocks of columns have no beginning")
    check(begin[0] == 0 and all(a < b for a, b in itertools.pairwise(begin)), "blocks of columns overlap")
    check(matrix.shape == (begin[-1], begin[-1]), "the correlations do not have the right shape")
    unit = (np.abs(np.diag(matrix) - 1) < 1e-6).all() and (np.abs(matrix - matrix.T) < 1e-6).all()
    check(bool(unit), "the correlations are not those of columns")
    np.linalg.cholesky(matrix)  # positive definite


def check_cells(values: NDArray[np.float64], levels: tuple[tuple[Hashable, ...], ...], n: int) -> None:
    """A FileError unless the values are numbers, or codes of these levels, in at least two rows of n columns."""
    check(values.shape == (len(values), n) and len(values) >= 2 and len(levels) == n, "its table has no shape")
    for own, column in zip(levels, values.T, strict=True):
        codes = not own or bool(np.isin(column, np.arange(len(own))).all())
        check(type(own) is tuple and len(own) != 1 and codes, "a code is not below the number of levels")


def check_row_weights(weights: NDArray[np.float64], rows: int) -> None:
    """A FileError unless there are no weights, or one of at least 0 for each row and more than 1 in all."""
    right = weights.shape == (rows,) and bool((weights >= 0).all()) and weights.sum() >= 2
    check(weights.shape == (0,) or right, "the weights of its rows are not valid")
