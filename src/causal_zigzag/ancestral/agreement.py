"""How far apart chains of ancestral graphs are, in what is said about pairs of nodes."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.ancestral.chains import AncestralChain

AGREED = 0.05
"""Chains agree if no probability of a pair differs by more."""

STOPPING = 0.03
"""A run stops before its time is over if no probability of a pair differs by more."""


class PairShares(NamedTuple):
    """Probabilities of pairs, n by n: joined, the row causes the column, neither causes the other."""

    joined: NDArray[np.float64]
    causes: NDArray[np.float64]
    neither: NDArray[np.float64]


def pair_shares(chains: Sequence[AncestralChain]) -> PairShares:
    """The means over chains."""
    states = np.mean([chain.states for chain in chains], axis=0)
    causes = np.mean([chain.ancestors for chain in chains], axis=0)
    joined = states[:, :, 1:].sum(axis=2)
    joined = joined + joined.T
    neither = np.clip(1 - causes - causes.T, 0.0, 1.0)
    for matrix, value in ((joined, 0.0), (causes, 0.0), (neither, 0.0)):
        np.fill_diagonal(matrix, value)
    return PairShares(joined, causes, neither)


def differences(chains: Sequence[AncestralChain]) -> NDArray[np.float64]:
    """For each ordered pair the largest difference between two chains of any of its probabilities."""
    shares = [pair_shares([chain]) for chain in chains]
    largest = np.zeros_like(shares[0].causes)
    for a, b in combinations(shares, 2):
        for first, second in zip(a, b, strict=True):
            largest = np.maximum(largest, np.abs(first - second))
    return largest


def largest_difference(chains: Sequence[AncestralChain]) -> float:
    """The largest difference between two chains of any probability of a pair."""
    return float(differences(chains).max())
