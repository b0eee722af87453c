"""R-hat and ranks: whether chains, and the halves of each chain, agree.

This is the rank-normalized split R-hat of Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), on draws at regular
times. It is computed here, without ArviZ as a dependency, because R-hats of thousands of indicators of a jump process
follow from shares of draws alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST_DRAWS = 8  # per chain; with fewer there is no R-hat


def rank_r_hat(draws: NDArray[np.float64]) -> float:
    """The larger of the R-hats of location and spread; rows are chains. NaN if the draws are constant or too few."""
    if draws.shape[1] < LEAST_DRAWS or draws.max() == draws.min():
        return float("nan")
    halves = split(draws)
    folded = np.abs(halves - np.median(halves))
    location, spread = (float(r_hat(normal_scores(x))) for x in (halves, folded))
    return location if np.isnan(spread) else max(location, spread)


def split(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """The halves of each chain as chains, without the middle draw of an odd number. Axes: chain, draw, any others."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def r_hat(chains: NDArray[np.float64]) -> NDArray[np.float64]:
    """The square root of (W (n − 1) / n + B) / W: W is the mean variance within chains, B that of their means.

    The axes are chain, draw, and any others. NaN if nothing varies.
    """
    n = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    between = chains.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt((n - 1) / n + between / within))


def normal_scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values replaced by the normal quantiles of their ranks."""
    from statistics import NormalDist  # imported here because it loads fractions and decimal

    ranks = fractional_ranks(values)
    distinct, where = np.unique(ranks, return_inverse=True)
    size, quantile = values.size, NormalDist().inv_cdf
    scores = np.array([quantile((rank - 3 / 8) / (size + 1 / 4)) for rank in distinct.tolist()])
    return scores[where].reshape(values.shape)


def fractional_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ranks of all values together, from 1; equal values have the mean of their ranks."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[where].reshape(values.shape)


def r_hat_of_indicators(shares: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
    """The R-hat of indicators from their shares in halves of ``draws`` draws; rows are halves.

    For indicators, ranks are a linear function of the values, and R-hat does not depend on location and scale.
    """
    within = (shares * (1 - shares)).mean(axis=0) * draws / (draws - 1)
    between = shares.var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt((draws - 1) / draws + between / within))
