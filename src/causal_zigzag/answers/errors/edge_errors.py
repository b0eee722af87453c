"""The Monte Carlo error of every adjacency, arrow and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.graphs.pairs import pair_ends
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.errors.batches import Batches, IndependentBatches


def edge_errors(batches: Batches | IndependentBatches | None, n: int) -> NDArray[np.float64]:
    """The Monte Carlo standard errors of the adjacency of i and j and of i -> j, j -> i and i - j: n by n by 4.

    NaN if the indicator changed too rarely, see ``batch_means``; 0 without batches, as the probabilities are exact.
    """
    if batches is None:
        return np.zeros((n, n, 4))
    errors = np.full((n, n, 4), np.nan)
    pairs = batches.pairs()
    for block, integrals in batches.source.pair_integrals(pairs):
        a, b = pair_ends(pairs[block])
        ratio = batches.pair_variance_ratio(pairs[block])
        errors[a, b] = batches.source.batching.indicator_errors(integrals, ratio)
        errors[b, a] = errors[a, b][:, [0, 2, 1, 3]]
    return read_only(errors)


def edge_label(a: str, b: str, kind: int | np.integer) -> str:
    """The name of an indicator: kind 0 is the adjacency of a and b, other kinds are marks of edges."""
    return (f"{a} -- {b}", f"{a} -> {b}", f"{b} -> {a}", f"{a} - {b}")[int(kind)]
