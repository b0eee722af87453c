"""Checks of values that were read from a file: a right checksum does not prove that this package wrote it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import FileError
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.support.validation import is_integer, is_real

if TYPE_CHECKING:
    from numpy.typing import NDArray


STATES: dict[str, set[str]] = {
    "BDeu": {"_codes", "_weights", "_levels", "_level_names", "_n_samples", "_sample_size"},
    "BGe": {"_correlation", "_log_scale", "_log_deviation", "_n_samples", "_alpha_mu", "_alpha_w"},
    "DiscreteBIC": {"_codes", "_weights", "_levels", "_level_names", "_n_samples", "_penalty"},
    "GaussianBIC": {"_correlation", "_log_variance", "_n_samples", "_penalty"},
    "MixedBIC": {"_begin", "_correlation", "_log_variance", "_n_samples", "_penalty"},
    "StoredScore": {"_text", "nodes", "values", "begin", "parents"},
    "Uniform": set(),
}
"""The attributes of each kind of score, besides its nodes and the reason for its choice."""

OPTIONAL = {"_level_names", "_log_deviation"}  # missing in files of early development versions
POSITIVE = {"_alpha_mu", "_alpha_w", "_n_samples", "_penalty", "_sample_size"}
LEAST, LARGEST = 1e-100, 1e100
NOT_CORRELATIONS = "the correlations are not those of columns"


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


def check_score(kind: str, state: dict[str, Any]) -> None:
    """A FileError if the attributes of a score of this kind are not those that its constructor would set."""
    labels = state.get("_labels")
    check(isinstance(labels, Labels), "its score has no nodes")
    n = len(labels) if isinstance(labels, Labels) else 0
    check(isinstance(state.get("_reason", ""), str), "the reason for its score is not a text")
    expected = STATES[kind]
    names = {*state} - {"_labels", "_reason"}
    check(expected - OPTIONAL <= names <= expected, f"the attributes of its score are not those of a {kind}")
    for name in POSITIVE & names:
        value = state[name]
        check(is_real(value) and LEAST <= value < LARGEST, f"{name} of its score is {value!r}")
    if "_n_samples" in names:
        check(state["_n_samples"] >= (2 if kind in ("GaussianBIC", "MixedBIC") else 1), "its score has too few rows")
    if kind == "BGe":
        check(state["_alpha_w"] > n + 1, "alpha_w of its score is not above n + 1")
    if "_codes" in names:
        _check_codes(state, n)
    if "_correlation" in names:
        _check_correlation(state, n)
    for name in {"_log_variance", "_log_scale", "_log_deviation"} & names:
        values = check_array(state[name], name, np.float64, n)
        check(bool((np.abs(values) < 1e4).all()), f"{name} of its score is not the logarithm of a number")
    if kind == "StoredScore":
        _check_stored(state, n)


def _check_codes(state: dict[str, Any], n: int) -> None:
    codes = check_array(state["_codes"], "codes", np.uint16, n, None)
    weights = check_array(state["_weights"], "weights", np.int32, None)
    levels = state["_levels"]
    check(codes.flags.c_contiguous, "the codes are not in the right order")
    check(len(weights) in (0, codes.shape[1]), "the number of weights is not the number of rows")
    rows = int(weights.sum(dtype=np.int64)) if len(weights) else codes.shape[1]
    check(bool((weights > 0).all()) and rows == state["_n_samples"], "the weights do not add up to the number of rows")
    given = isinstance(levels, tuple) and len(levels) == n and all(is_integer(most) for most in levels)
    check(given and all(0 < most <= 2**16 for most in levels), "the number of levels is not given for every node")
    for row, most in zip(codes, levels, strict=True):
        check(bool(row.max(initial=0) < most), "a code is not below the number of levels")
    names = state.get("_level_names") or [range(count) for count in levels]
    right = isinstance(names, (tuple, list)) and len(names) == n
    right = right and all(isinstance(own, (tuple, range)) for own in names)
    right = right and [*map(len, names)] == [*levels]
    check(right, "the names of levels do not have the right number")


def _check_correlation(state: dict[str, Any], n: int) -> None:
    begin = state.get("_begin", tuple(range(n + 1)))  # where the block of columns of each node begins
    check(isinstance(begin, tuple) and all(is_integer(at) for at in begin), "blocks of columns have no beginning")
    grows = all(a < b for a, b in itertools.pairwise(begin))
    check(len(begin) == n + 1 and begin[0] == 0 and grows, "blocks of columns overlap")
    matrix = check_array(state["_correlation"], "correlation", np.float64, begin[-1], begin[-1])
    check(matrix.flags.c_contiguous, "the correlations are not in the right order")
    check(bool(np.isfinite(matrix).all()), "a correlation is not a number")
    check(
        bool((np.abs(np.diag(matrix) - 1) < 1e-6).all() and (np.abs(matrix - matrix.T) < 1e-6).all()), NOT_CORRELATIONS
    )
    np.linalg.cholesky(matrix)  # raises a LinAlgError unless it is positive definite


def _check_stored(state: dict[str, Any], n: int) -> None:
    nodes = check_array(state["nodes"], "nodes", np.int64, None)
    values = check_array(state["values"], "values", np.float64, len(nodes))
    begin = check_array(state["begin"], "begin", np.int64, len(nodes) + 1)
    parents = check_array(state["parents"], "parents", np.int64, None)
    check(isinstance(state["_text"], str), "its score has no name")
    check(bool(np.isfinite(values).all()), "a value of its score is not a number")
    within = all(bool(((some >= 0) & (some < n)).all()) for some in (nodes, parents))
    check(within, "a value of its score belongs to no node")
    grows = bool(begin[0] == 0 and begin[-1] == len(parents) and (begin[1:] >= begin[:-1]).all())
    check(grows, "the lists of parents of its score overlap")
