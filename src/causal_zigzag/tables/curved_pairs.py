"""Pairs of columns whose relation is a curve: cubic regressions compared with straight lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.tables.transforms import normal_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FEWEST_ROWS, MOST_ROWS = 40, 2000  # that are looked at
CURVED = 0.05  # share of the variance that a curve explains and a line does not
LEAST_EVIDENCE = 14.0  # for a curve; beyond by chance with probability 2e-8
LARGE, LARGE_EVIDENCE = 0.25, 20.0  # for which "auto" chooses a score of curves; see ``CurvedPair.overwhelming``
MOST_FOR_CURVES = 20  # columns; a score with curves takes minutes for more


class CurvedPair(NamedTuple):
    """The share of the variance of column y that a line and a curve of column x explain, both of normal scores.

    ``evidence`` is the difference of the BIC of both, as a log Bayes factor. ``overwhelming`` is whether both are large
    for normal scores and also for the columns themselves: ranks bend straight lines if noise is skewed, and skewed
    columns bend those of ranks, but neither does both to this extent (simulated, 100 to 1,000 rows: up to 0.21 of the
    variance for linear relations with exponential noise, and 0.37 and more for parabolas and waves).
    """

    x: int
    y: int
    line: float
    curve: float
    evidence: float
    overwhelming: bool


def curved_pairs(columns: Sequence[Array] | Array) -> list[CurvedPair]:
    """The pairs for which a curve explains much more than a line, the largest difference first."""
    if len(columns) < 2 or len(columns[0]) < FEWEST_ROWS:
        return []
    some = [column[:: max(1, len(column) // MOST_ROWS)] for column in columns]
    line, gain, evidence = _gains(np.array([normal_scores(column) for column in some]))
    _, own_gain, own_evidence = _gains(np.array(some))
    large = (np.minimum(gain, own_gain) > LARGE) & (np.minimum(evidence, own_evidence) > LARGE_EVIDENCE)
    found, seen = np.argwhere((gain > CURVED) & (evidence > LEAST_EVIDENCE)), set[frozenset[int]]()
    pairs = []
    for x, y in sorted(found.tolist(), key=lambda pair: -gain[pair[0], pair[1]]):
        if frozenset((x, y)) not in seen:
            seen.add(frozenset((x, y)))
            shares = float(line[x, y]), float(line[x, y] + gain[x, y])
            pairs.append(CurvedPair(x, y, *shares, float(evidence[x, y]), bool(large[x, y] or large[y, x])))
    return pairs


def _gains(columns: Array) -> tuple[Array, Array, Array]:
    """For x and y: the shares that a line explains, and a cubic curve beyond it, and the log evidence for the curve."""
    n = columns.shape[1]
    lines = columns - columns.mean(axis=1, keepdims=True)
    lines /= np.maximum(lines.std(axis=1, keepdims=True), 1e-300)
    square = _orthogonal(lines**2, [lines])
    cube = _orthogonal(lines**3, [lines, square])
    line = (lines @ lines.T / n) ** 2
    gain = ((square @ lines.T) / n) ** 2 + ((cube @ lines.T) / n) ** 2  # [x, y]: of y on x
    np.fill_diagonal(gain, 0.0)
    evidence = -n / 2 * np.log1p(-gain / np.maximum(1 - line, 1e-9) * (1 - 1e-9)) - np.log(n)
    return line, gain, evidence


def _orthogonal(powers: Array, lower: Sequence[Array]) -> Array:
    """The powers, one per row, without what lower ones explain, with variance 1; 0 if nothing is left."""
    rest = powers - powers.mean(axis=1, keepdims=True)
    for one in lower:
        rest -= (rest * one).mean(axis=1, keepdims=True) * one
    deviation = np.sqrt((rest**2).mean(axis=1, keepdims=True))
    return np.where(deviation > 1e-6, rest / np.maximum(deviation, 1e-6), 0.0)
