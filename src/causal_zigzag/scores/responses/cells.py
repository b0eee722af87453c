"""Responses of categorical columns: P(y | do(x = a)) from the counts of rows, its mean, covariance and draws.

For the parents S of x, with configurations s, P(y = b | do(x = a)) = Σ_s P(s) P(y = b | a, s). Without parents the
factor P(y | a) has the Dirichlet posterior of the score: ``BDeu`` spreads its sample size evenly over the cells, and
for ``DiscreteBIC``, which has no prior, every cell counts 1/2 (Jeffreys). With parents, most cells have few rows or
none, and independent priors would make the mean over s confidently wrong, near that of the prior. So the probabilities
of a level a have a common mean: P(. | a, s) ~ Dirichlet(m_a), a prior of one row, with m_a ~ Dirichlet(1/2). Then many
cells without rows follow the others on average, a few are unknown, and all are uncertain together. A prior of more rows
would bring back the confounding that the parents are adjusted for, as the cells with many rows decide m_a. The
posterior of m_a is taken to be Dirichlet with the expected numbers of tables of the Chinese restaurant franchise
(Teh et al. 2006).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.scores.responses.response import ResponseModel, Terms
from causal_zigzag.support.digamma import digamma

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.discrete import CategoricalRows

JEFFREYS_COUNT = 0.5
ROUNDS = 4  # of the expected counts for the common mean, after which they hardly change
NUMBERS_AT_ONCE = 1 << 20  # random numbers of one kind that are in memory at a time
PRIOR_ROWS = 1.0  # for configurations, where the score has no sample size
LEAST_WEIGHT = 1e-12  # of a Beta distribution, for its draws
MOST_KEPT = 64  # sets of parents whose configurations are kept


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts [s, a, b] of rows with configuration s of S, level a of x and level b of y, for the s that have rows.

    ``weights`` are the Dirichlet weights of the configurations; the last one stands for all without rows, if there are
    some. ``common`` [a, b] are the Dirichlet weights of the common means m_a; None if the counts include the prior.
    """

    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    common: NDArray[np.float64] | None = None

    def moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The exact mean [a, b] and covariance [a, a', b] of P(y = b | do(x = a)).

        Let p_s be P(s), f_s be P(y = b | a, s), A the total weight, n the rows of (s, a) and u = 1 / (n + 1). Given m,
        f_s has the mean μ_s, linear in m_b with slope u, and the variance μ_s (1 - μ_s) / (n + 2). For the mean of
        Σ p_s f_s the variances over m, p and f are added; for two levels a, only p is common.
        """
        total, share = self.weights.sum(), self.weights / self.weights.sum()
        squared = share * (self.weights + 1) / (total + 1)
        rows, levels = self.counts.sum(axis=2), np.arange(self.counts.shape[1])
        kappa = 0.0 if self.common is None else 1.0
        common = np.ones(self.counts.shape[1:]) if self.common is None else self.common
        size = common.sum(axis=1)
        m = common / size[:, None]
        spread = m * (1 - m) / (size[:, None] + 1)  # of m
        u = kappa / (rows + kappa)
        mu = (self.counts + kappa * m) / (rows + kappa)[:, :, None]
        mean = np.einsum("s,sab->ab", share, mu)
        slope = np.einsum("s,sa->a", share, u)
        covariance = (np.einsum("s,sab,scb->acb", share, mu, mu) - mean[:, None] * mean[None]) / (total + 1)
        own = slope[:, None] ** 2 * spread
        own += (np.einsum("s,sa->a", share, u**2) - slope**2)[:, None] * spread / (total + 1)
        noise = (mu * (1 - mu) - u[:, :, None] ** 2 * spread) / (rows + kappa + 1)[:, :, None]
        covariance[levels, levels] += own + np.einsum("s,sab->ab", squared, noise)
        return mean, covariance

    def draw(
        self, rng: np.random.Generator, size: int, c: NDArray[np.float64], g: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Draws of Σ_a c_a P(y = b | do(x = a)), for the level b of which g is the indicator."""
        b, arms = int(g.argmax()), np.flatnonzero(c)
        counts = self.counts[:, arms]
        inside, rest = counts[:, :, b], counts.sum(axis=2) - counts[:, :, b]
        parts = [np.zeros(0)]
        step = max(1, NUMBERS_AT_ONCE // max(1, rest.size))
        for begin in range(0, size, step):
            some = min(step, size - begin)
            first, second = inside[None], rest[None]
            if self.common is not None:
                own = self.common[arms, b]
                m = rng.beta(own, self.common[arms].sum(axis=1) - own, size=(some, len(arms)))[:, None, :]
                first, second = first + m, second + 1 - m
            f = rng.beta(np.maximum(first, LEAST_WEIGHT), np.maximum(second, LEAST_WEIGHT), (some, *inside.shape))
            p = rng.standard_gamma(self.weights, size=(some, len(self.weights)))
            parts.append(np.einsum("ks,ksa,a->k", p / p.sum(axis=1, keepdims=True), f, c[arms]))
        return np.concatenate(parts)


class CellResponses:
    """The responses of one level of y, one component per set of parents."""

    def __init__(self, cells: Sequence[Cells]) -> None:
        self.place, self.share, self._cells = np.arange(len(cells)), np.ones(len(cells)), cells
        self._moments = [own.moments() for own in cells]

    def change(self, c: NDArray[np.float64], g: NDArray[np.float64]) -> Terms:
        mean = np.array([c @ mean @ g for mean, _ in self._moments])
        variance = np.array([np.einsum("a,c,acb,b->", c, c, covariance, g) for _, covariance in self._moments])
        none = np.full(len(mean), np.nan)

        def draw(rng: np.random.Generator, counts: NDArray[np.int64]) -> NDArray[np.float64]:
            parts = [own.draw(rng, n, c, g) for own, n in zip(self._cells, counts.tolist(), strict=True) if n]
            return np.concatenate([np.zeros(0), *parts])

        return Terms(mean, np.sqrt(np.maximum(variance, 0)), np.full(len(mean), np.inf), draw, none, none)

    def value(self, f: NDArray[np.float64], g: NDArray[np.float64]) -> Terms:
        return self.change(f, g)

    def unsupported(self, c: NDArray[np.float64]) -> NDArray[np.float64]:
        arms = np.flatnonzero(c)
        empty = [(own.counts[:, arms].sum(axis=2) == 0).any(axis=1) for own in self._cells]
        return np.array([own.weights @ none / own.weights.sum() for own, none in zip(self._cells, empty, strict=True)])


class CellModel(ResponseModel):
    """The rows of a discrete score, counted for any adjustment set."""

    def __init__(self, nodes: Sequence[Hashable], known: CategoricalRows) -> None:
        self.nodes, self.levels = tuple(nodes), known.levels
        self._codes = known.codes.astype(np.int64)
        self._weights = known.weights.astype(np.float64) if len(known.weights) else np.ones(known.codes.shape[1])
        self._sample_size = known.sample_size
        self._configured: dict[tuple[int, ...], tuple[NDArray[np.int64], int, float]] = {}

    def responses(self, x: int, y: int, sets: Sequence[Sequence[int]]) -> CellResponses:
        return CellResponses([self.cells_of(x, y, parents) for parents in sets])

    def alone(self, y: int, g: NDArray[np.float64]) -> Terms:
        b = len(self.levels[y])
        counts = np.bincount(self._codes[y], self._weights, minlength=b).astype(np.float64) + self._prior(b)
        return CellResponses([Cells(counts[None, None, :], np.ones(1))]).change(np.ones(1), g)

    def level_vectors(self, v: int) -> NDArray[np.float64]:
        return np.eye(len(self.levels[v]))

    def outcome_vectors(self, v: int) -> NDArray[np.float64]:
        return np.eye(len(self.levels[v]))

    def cells_of(self, x: int, y: int, parents: Sequence[int]) -> Cells:
        """The cells of x, y and a set of parents."""
        code, count, possible = self._configurations(tuple(parents))
        a, b = len(self.levels[x]), len(self.levels[y])
        flat = np.bincount((code * a + self._codes[x]) * b + self._codes[y], self._weights, minlength=count * a * b)
        counts = flat.reshape(count, a, b).astype(np.float64)
        if not parents:
            return Cells(np.asarray(counts + self._prior(a * b)), np.ones(1))
        prior = (self._sample_size or PRIOR_ROWS) / possible
        weights = counts.sum(axis=(1, 2)) + prior
        if possible > count:
            counts = np.concatenate([counts, np.zeros((1, a, b))])
            weights = np.append(weights, prior * (possible - count))
        return Cells(counts, weights, common_weights(counts))

    def _configurations(self, parents: tuple[int, ...]) -> tuple[NDArray[np.int64], int, float]:
        """The configuration of the parents in each row, numbered from 0; how many there are, and are possible."""
        if parents not in self._configured:
            code = np.zeros(self._codes.shape[1], dtype=np.int64)
            count, possible = 1, 1.0
            for v in parents:  # numbered anew for each node, so that numbers stay small
                kinds, code = np.unique(code * len(self.levels[v]) + self._codes[v], return_inverse=True)
                count, possible = len(kinds), possible * len(self.levels[v])
            if len(self._configured) >= MOST_KEPT:
                self._configured.clear()
            self._configured[parents] = code, count, possible
        return self._configured[parents]

    def _prior(self, cells: int) -> float:
        return JEFFREYS_COUNT if self._sample_size is None else self._sample_size / cells


def common_weights(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Dirichlet weights of the common means m_a: 1/2, and the expected number of tables."""
    s, a, b = np.nonzero(counts)
    n, levels = counts[s, a, b], counts.shape[2]
    weights = counts.sum(axis=0) + JEFFREYS_COUNT
    for _ in range(ROUNDS):
        m = (weights / weights.sum(axis=1, keepdims=True))[a, b]
        after, before = np.split(digamma(np.concatenate([m + n, m])), 2)
        tables = m * (after - before)
        found = np.bincount(a * levels + b, tables, minlength=counts[0].size)
        weights = found.reshape(counts.shape[1:]) + JEFFREYS_COUNT
    return np.asarray(weights)
