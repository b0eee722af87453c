"""P(y | do(x)) of categorical columns for one adjustment set: its posterior mean, covariance and draws.

For the parents S of x, with configurations s, P(y = b | do(x = a)) = Σ_s P(s) P(y = b | a, s). The two factors have
independent Dirichlet posteriors. BDeu spreads its equivalent sample size evenly over the cells of the table of S, x and
y; for DiscreteBIC, which has no prior, every cell counts 1/2 (Jeffreys).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.scores.discrete import CategoricalRows

JEFFREYS_COUNT = 0.5
NUMBERS_AT_ONCE = 1 << 20  # random numbers of one kind that are in memory at a time


class Moments(NamedTuple):
    """Posterior means of P(y = b | do(x = a)), levels of x by levels of y, and covariances [a, a', b] of level b."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]


class Configurations(NamedTuple):
    """The configuration of a set of columns in each row, numbered from 0; how many there are, and are possible."""

    code: NDArray[np.int64]
    observed: int
    possible: float


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts [s, a, b] of rows with configuration s of S, level a of x and level b of y, for the s that have rows.

    ``empty`` other configurations have no rows; each configuration has the prior weight ``of_configuration``, each cell
    ``of_cell``.
    """

    counts: NDArray[np.float64]
    empty: float
    of_configuration: float
    of_cell: float

    def moments(self) -> Moments:
        """The exact mean and covariance.

        Let p_s be P(s), f_s be P(y = b | a, s) with mean μ_s and variance v_s, and T the total weight. Then
        Var(Σ p_s f_s) = Σ E[p_s²] v_s + (Σ m_s μ_s² - (Σ m_s μ_s)²) / (T + 1), with m_s = E[p_s]. For two levels a, the
        first sum vanishes, since their f_s are independent. Empty configurations are alike: μ = 1 / levels.
        """
        weight = self._configurations()
        total = weight.sum()
        share = weight / total
        cell, row = self._cells()
        mu = cell / row[..., None]
        variance = mu * (1 - mu) / (row[..., None] + 1)
        squared = share * (weight + 1) / (total + 1)
        if self.empty:  # the last "configuration" stands for all empty ones
            squared[-1] = self.empty * self.of_configuration * (self.of_configuration + 1) / (total * (total + 1))
        mean = np.einsum("s,sab->ab", share, mu)
        covariance = np.einsum("s,sab,scb->acb", share, mu, mu) - mean[:, None, :] * mean[None, :, :]
        covariance /= total + 1
        levels = np.arange(len(mean))
        covariance[levels, levels] += np.einsum("s,sab->ab", squared, variance)
        return Moments(mean, covariance)

    def draw(self, rng: np.random.Generator, size: int, levels: Sequence[int], outcome: int) -> NDArray[np.float64]:
        """Draws of P(y = outcome | do(x = a)) for some levels a: one row per draw, one column per level.

        The empty configurations are drawn together, from the Beta distribution that has their mean and variance.
        """
        weight = self._configurations()
        cell, row = self._cells()
        if self.empty:
            weights = self.empty * self.of_configuration  # of all together
            spread = (self.of_configuration + 1) / (weights + 1)  # E[Σ w²] of their shares w among themselves
            scale = (row[-1] + 1) / spread - 1  # so that the variance is that of one of them times `spread`
            cell[-1] *= (scale / row[-1])[:, None]
            row[-1] = scale
        first, second = cell[:, levels, outcome], (row[:, :, None] - cell)[:, levels, outcome]
        parts = [np.zeros((0, len(levels)))]  # for size 0
        step = max(1, NUMBERS_AT_ONCE // max(1, first.size))
        for begin in range(0, size, step):
            count = min(step, size - begin)
            p = rng.standard_gamma(weight, size=(count, len(weight)))
            f = rng.beta(first, second, size=(count, *first.shape))
            parts.append(np.einsum("ks,ksa->ka", p / p.sum(axis=1, keepdims=True), f))
        return np.concatenate(parts)

    def _configurations(self) -> NDArray[np.float64]:
        """Weights of the observed configurations, and of the empty ones together if there are any."""
        weight = self.counts.sum(axis=(1, 2)) + self.of_configuration
        return np.append(weight, self.empty * self.of_configuration) if self.empty else weight

    def _cells(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weights of the cells, and their sums over the levels of y; the last configuration is an empty one, if any."""
        counts = self.counts
        if self.empty:
            counts = np.concatenate([counts, np.zeros((1, *counts.shape[1:]))])
        cell = counts + self.of_cell
        return cell, cell.sum(axis=2)


class CountedCells(Protocol):
    """Cells of one table, or a mixture of several."""

    def moments(self) -> Moments: ...

    def draw(self, rng: np.random.Generator, size: int, levels: Sequence[int], outcome: int) -> NDArray[np.float64]: ...


class CountedRows(Protocol):
    """Rows that are counted for any adjustment set."""

    levels: list[int]

    def configurations(self, adjustment: Sequence[int]) -> Any: ...

    def cells(self, x: int, configurations: Any, y: int) -> CountedCells: ...

    def marginal(self, y: int) -> CountedCells: ...


class CodedRows:
    """The rows of a discrete score, counted for any adjustment set."""

    def __init__(self, given: CategoricalRows) -> None:
        self.levels = [len(own) for own in given.levels]
        self._codes = given.codes.astype(np.int64)
        self._weights = given.weights.astype(np.float64) if len(given.weights) else np.ones(given.codes.shape[1])
        self._sample_size = given.sample_size

    def configurations(self, adjustment: Sequence[int]) -> Configurations:
        """The configuration of the adjustment set in each row."""
        code = np.zeros(self._codes.shape[1], dtype=np.int64)
        count, possible = 1, 1.0
        for v in adjustment:  # numbered anew for each node, so that numbers stay small
            found, code = np.unique(code * self.levels[v] + self._codes[v], return_inverse=True)
            count, possible = len(found), possible * self.levels[v]
        return Configurations(code, count, possible)

    def cells(self, x: int, configurations: Configurations, y: int) -> Cells:
        """The cells of x, y and an adjustment set."""
        code, count, possible = configurations
        a, b = self.levels[x], self.levels[y]
        cell = (code * a + self._codes[x]) * b + self._codes[y]
        flat: NDArray[np.float64] = np.bincount(cell, self._weights, minlength=count * a * b).astype(np.float64)
        of_configuration, of_cell = self._prior(possible), self._prior(possible * a * b)
        return Cells(flat.reshape(count, a, b), possible - count, of_configuration, of_cell)

    def marginal(self, y: int) -> Cells:
        """The cells of P(y), which do(x) does not change where y is not below x, with a single level of x."""
        counts = np.bincount(self._codes[y], self._weights, minlength=self.levels[y]).astype(np.float64)
        return Cells(counts[None, None, :], 0.0, self._prior(1.0), self._prior(self.levels[y]))

    def _prior(self, cells: float) -> float:
        return JEFFREYS_COUNT if self._sample_size is None else self._sample_size / cells
