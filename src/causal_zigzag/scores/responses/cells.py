"""Responses of categorical columns: P(y | do(x = a)) from the counts of rows, its mean, covariance and draws.

For the parents S of x, with configurations s, P(y = b | do(x = a)) = Σ_s P(s) P(y = b | a, s). Without parents the
factor P(y | a) has the Dirichlet posterior of the score: ``BDeu`` spreads its sample size evenly over the cells, and
for ``DiscreteBIC``, which has no prior, every cell counts 1/2 (Jeffreys). With parents, most cells have few rows or
none, and independent priors would make the mean over s confidently wrong, near that of the prior. So the probabilities
of a level a have a common mean, P(. | a, s) ~ Dirichlet(κ m_a), with m_a ~ Dirichlet(1/2) and κ one of ``STRENGTHS``:
cells without rows then follow the others as far as the data say that configurations are alike, and all are uncertain
together. κ is averaged over by its evidence, but in cells without rows by its prior: that other cells are alike is no
evidence that these are, and a few of them stay unknown. The evidence follows from Chib's (1995) identity at the mean of
m_a, whose posterior is taken to be Dirichlet with the expected numbers of tables of the Chinese restaurant franchise
(Teh et al. 2006) as counts.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.scores.responses.response import ResponseModel, Terms
from causal_zigzag.support.log_gamma import digamma, log_gamma

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.discrete import CategoricalRows

JEFFREYS_COUNT = 0.5
STRENGTHS = np.array([0.5, 2.0, 8.0, 32.0, 128.0, 512.0])  # numbers of rows that the common mean of a level is worth
EMPTY_VARIANCE = float((1 / (STRENGTHS + 1)).mean())  # of a cell without rows, relative to m (1 - m)
ROUNDS = 4  # of the expected counts for the common mean, after which they hardly change
NUMBERS_AT_ONCE = 1 << 20  # random numbers of one kind that are in memory at a time
PRIOR_ROWS = 1.0  # for configurations, where the score has no sample size


class Fit(NamedTuple):
    """One choice of κ: its probability, and the weights of the cells and of the common means.

    The probabilities of (s, a) are Dirichlet with ``counts`` + κ m_a, and m_a is Dirichlet with ``common``; κ is 0 if
    the counts include the prior.
    """

    share: float
    kappa: float
    common: NDArray[np.float64]  # [a, b]


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts [s, a, b] of rows with configuration s of S, level a of x and level b of y, for the s that have rows.

    ``weights`` are the Dirichlet weights of the configurations; the last one stands for all without rows, if there are
    some.
    """

    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    fits: tuple[Fit, ...]

    def moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The exact mean [a, b] and covariance [a, a', b] of P(y = b | do(x = a)), for these fits.

        Let p_s be P(s), f_s be P(y = b | a, s), A the total weight, n the rows of (s, a) and u = κ / (n + κ). Given m,
        f_s has the mean μ_s, linear in m_b with slope u, and the variance μ_s (1 - μ_s) / (n + κ + 1). For the mean of
        Σ p_s f_s the variances over m, p and f are added; for two levels a, only p is common.
        """
        total, share = self.weights.sum(), self.weights / self.weights.sum()
        squared = share * (self.weights + 1) / (total + 1)
        rows, levels = self.counts.sum(axis=2), np.arange(self.counts.shape[1])
        parts = []
        for fit in self.fits:
            size = fit.common.sum(axis=1)
            m = fit.common / size[:, None]
            spread = m * (1 - m) / (size[:, None] + 1)  # of m
            u = fit.kappa / (rows + fit.kappa)
            mu = (self.counts + fit.kappa * m) / (rows + fit.kappa)[:, :, None]
            mean = np.einsum("s,sab->ab", share, mu)
            slope = np.einsum("s,sa->a", share, u)
            covariance = (np.einsum("s,sab,scb->acb", share, mu, mu) - mean[:, None] * mean[None]) / (total + 1)
            own = slope[:, None] ** 2 * spread
            own += (np.einsum("s,sa->a", share, u**2) - slope**2)[:, None] * spread / (total + 1)
            noise = (mu * (1 - mu) - u[:, :, None] ** 2 * spread) * np.where(
                rows > 0, 1 / (rows + fit.kappa + 1), EMPTY_VARIANCE
            )[:, :, None]
            covariance[levels, levels] += own + np.einsum("s,sab->ab", squared, noise)
            parts.append((fit.share, mean, covariance))
        mean = np.asarray(sum(share * mean for share, mean, _ in parts))
        left = [(share, own - mean, covariance) for share, own, covariance in parts]
        return mean, np.asarray(sum(share * (cov + own[:, None] * own[None]) for share, own, cov in left))

    def draw(
        self, rng: np.random.Generator, size: int, c: NDArray[np.float64], g: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Draws of Σ_a c_a P(y = b | do(x = a)), for the level b of which g is the indicator."""
        b, arms = int(g.argmax()), np.flatnonzero(c)
        ends = np.round(np.cumsum([fit.share for fit in self.fits]) * size).astype(np.int64)
        parts = [np.zeros(0)]
        counts = self.counts[:, arms]
        rest = counts.sum(axis=2) - counts[:, :, b]
        is_empty = counts.sum(axis=2) == 0
        step = max(1, NUMBERS_AT_ONCE // max(1, rest.size))
        for fit, count in zip(self.fits, np.diff(ends, prepend=0).tolist(), strict=True):
            own, others = fit.common[arms, b], fit.common[arms].sum(axis=1) - fit.common[arms, b]
            for begin in range(0, count, step):
                some = min(step, count - begin)
                m = rng.beta(own, others, size=(some, len(arms)))[:, None, :] if fit.kappa else np.zeros((some, 1, 1))
                kappa = np.where(is_empty, rng.choice(STRENGTHS, size=(some, 1, 1)), fit.kappa)
                first = np.maximum(counts[:, :, b] + kappa * m, LEAST_WEIGHT)
                second = np.maximum(rest + kappa * (1 - m), LEAST_WEIGHT)
                p = rng.standard_gamma(self.weights, size=(some, len(self.weights)))
                f = rng.beta(first, second)
                parts.append(np.einsum("ks,ksa,a->k", p / p.sum(axis=1, keepdims=True), f, c[arms]))
        return np.concatenate(parts)


LEAST_WEIGHT = 1e-12  # of a Beta distribution, for its draws


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
        cells = Cells(counts[None, None, :], np.ones(1), (Fit(1.0, 0.0, np.ones((1, b))),))
        return CellResponses([cells]).change(np.ones(1), g)

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
            return Cells(np.asarray(counts + self._prior(a * b)), np.ones(1), (Fit(1.0, 0.0, np.ones((a, b))),))
        prior = (self._sample_size or PRIOR_ROWS) / possible
        weights = counts.sum(axis=(1, 2)) + prior
        if possible > count:
            counts = np.concatenate([counts, np.zeros((1, a, b))])
            weights = np.append(weights, prior * (possible - count))
        return Cells(counts, weights, fits(counts))

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


MOST_KEPT = 64  # sets of parents whose configurations are kept


def fits(counts: NDArray[np.float64]) -> tuple[Fit, ...]:
    """The choices of κ, with their probabilities."""
    s, a, b = np.nonzero(counts)
    n, kappa = counts[s, a, b], STRENGTHS[:, None]
    m = np.broadcast_to(counts.sum(axis=0) + JEFFREYS_COUNT, (len(STRENGTHS), *counts.shape[1:]))
    for _ in range(ROUNDS):
        own = kappa * (m / m.sum(axis=2, keepdims=True))[:, a, b]
        tables = own * (digamma(own + n) - digamma(own))  # expected
        m = np.array([np.bincount(a * counts.shape[2] + b, part, counts[0].size) for part in tables])
        m = m.reshape(-1, *counts.shape[1:]) + JEFFREYS_COUNT
    mean = m / m.sum(axis=2, keepdims=True)
    own = kappa * mean[:, a, b]
    logs = (log_gamma(own + n) - log_gamma(own)).sum(axis=1)
    rows = counts.sum(axis=2).ravel()
    rows = rows[rows > 0]
    logs -= (log_gamma(kappa + rows) - log_gamma(kappa)).sum(axis=1)
    logs += (_log_density(mean, np.full_like(m, JEFFREYS_COUNT)) - _log_density(mean, m)).sum(axis=1)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    return tuple(Fit(float(p), float(k), own) for p, k, own in zip(shares, STRENGTHS, m, strict=True))


def _log_density(mean: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logs of Dirichlet densities with these weights, along the last axis."""
    constant = log_gamma(weights.sum(axis=-1)) - log_gamma(weights).sum(axis=-1)
    return np.asarray(constant + ((weights - 1) * np.log(mean)).sum(axis=-1))
