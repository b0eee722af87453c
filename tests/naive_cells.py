"""P(y | do(x = a)) of categories for one set of parents, by loops over configurations: the slow twin of ``Cells``."""

import itertools
from collections import Counter

import numpy as np
from scipy.special import digamma


def moments_by_loops(
    columns: list[np.ndarray], levels: list[int], x: int, y: int, parents: tuple[int, ...], size: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """The mean [a, b] and the second moments [a, a', b]; ``size`` is the sample size of BDeu, None for DiscreteBIC.

    With parents, P(. | a, s) ~ Dirichlet(m_a) with m_a ~ Dirichlet(1/2), whose posterior is taken to be a Dirichlet
    distribution with the expected numbers of tables as counts.
    """
    A, B = levels[x], levels[y]
    q = int(np.prod([levels[p] for p in parents]))
    rows = Counter(zip(*(columns[p].tolist() for p in parents), strict=True)) if parents else {(): len(columns[0])}
    seen = sorted(rows)
    counts = np.zeros((len(seen), A, B))
    for i in range(len(columns[0])):
        counts[seen.index(tuple(int(columns[p][i]) for p in parents)), columns[x][i], columns[y][i]] += 1
    if not parents:
        cell = counts[0] + (0.5 if size is None else size / (A * B))
        total = cell.sum(axis=1, keepdims=True)
        mean = cell / total
        square = mean[:, None] * mean[None]
        square[range(A), range(A)] = cell * (cell + 1) / (total * (total + 1))
        return mean, square
    prior = (size or 1.0) / q
    weights = [rows[s] + prior for s in seen]
    if len(seen) < q:
        counts = np.concatenate([counts, np.zeros((1, A, B))])
        weights.append(prior * (q - len(seen)))
    total = sum(weights)
    common = counts.sum(axis=0) + 0.5
    for _ in range(4):
        m = common / common.sum(axis=1, keepdims=True)
        common = np.full((A, B), 0.5)
        for s, a, b in itertools.product(range(len(counts)), range(A), range(B)):
            common[a, b] += m[a, b] * (digamma(m[a, b] + counts[s, a, b]) - digamma(m[a, b]))
    return given_means(counts, np.array(weights) / total, total, common)


def given_means(
    counts: np.ndarray, share: np.ndarray, total: float, common: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """From E[p_i p_j], E[m_a], E[m_a²], and the moments of the Dirichlet distribution of each cell given m."""
    Q, A, B = counts.shape
    size = common.sum(axis=1)
    mean, square = np.zeros((A, B)), np.zeros((A, A, B))
    for b, a, c in itertools.product(range(B), range(A), range(A)):
        m = common[a, b] / size[a], common[c, b] / size[c]
        mm = common[a, b] * (common[a, b] + 1) / (size[a] * (size[a] + 1)) if a == c else m[0] * m[1]
        for i, j in itertools.product(range(Q), repeat=2):
            pp = share[i] * (share[j] * total + (i == j)) / (total + 1)
            n, k = counts[i, a, b], counts[j, c, b]
            tops = n * k + n * m[1] + k * m[0] + mm
            down = (counts[i, a].sum() + 1) * (counts[j, c].sum() + 1)
            if i == j and a == c:
                tops, down = tops + n + m[0], down + counts[i, a].sum() + 1
            square[a, c, b] += pp * tops / down
        if c == 0:
            mean[a, b] = sum(share[i] * (counts[i, a, b] + m[0]) / (counts[i, a].sum() + 1) for i in range(Q))
    return mean, square
