"""Tables with hidden common causes, and scores of maximal ancestral graphs in the core."""

from __future__ import annotations

import numpy as np

import causal_zigzag as cz
from causal_zigzag import _core
from naive_mags import pairs


def hidden_causes_table(n: int, rows: int, seed: int) -> np.ndarray:
    """Linear Gaussian, with hidden common causes of two pairs."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(rows, n))
    for a, b in rng.permutation([(x, y) for x, y in pairs(n)])[:2]:
        noise[:, [a, b]] += rng.normal(size=(rows, 1)) * rng.uniform(0.5, 1.5, 2)
    arrows = np.triu(rng.uniform(0.4, 1.2, (n, n)) * rng.choice([-1, 0, 1], (n, n)), 1)
    return noise @ np.linalg.inv(np.eye(n) - arrows)


def core_score(bic: cz.GaussianBIC, tolerance: float = 1e-3, starts: int = 2) -> _core.DistrictScore:
    offset = -bic.n_samples / 2 * float(bic._log_variance.sum())
    return _core.DistrictScore(bic._correlation, bic.n_samples, bic.penalty, offset, tolerance, starts)
