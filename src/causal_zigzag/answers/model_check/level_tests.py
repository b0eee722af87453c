"""Tests of categorical columns: G tests of the implied independences, and permutations that show what chance gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import student_cdf
from causal_zigzag.answers.model_check.residual_tests import SEED, SIMULATIONS, Tested, Tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.answers.model_check.implied_regressions import Regression


def level_tests(codes: NDArray[np.int64], regressions: Sequence[Regression]) -> Tests:
    """G tests that a node is independent of those before it, given its parents; ``codes`` has one row per node.

    If the graph is right, the levels of a node can be permuted within each configuration of its parents, given all
    columns before it. The tables of counts may be sparse, so the distribution of each statistic G is found from
    ``SIMULATIONS`` such permutations, as a gamma distribution with their mean and variance, which the cube root makes
    normal (Wilson & Hilferty 1931). The largest statistic of all is compared with those of the permutations.
    """
    tests: list[Tested] = []
    largest = np.full(SIMULATIONS + 1, -np.inf)
    for y, parents, before in regressions:
        rest = [d for d in before if d not in parents]
        if not rest:
            continue
        stratum = _number(codes[[*parents]]) if parents else np.zeros(codes.shape[1], dtype=np.int64)
        drawn = _permuted(codes[y], stratum, np.random.default_rng((SEED, y)))
        for d in rest:
            G = _g_statistics(drawn, codes[d], stratum)
            mean, variance = G[1:].mean(), G[1:].var()
            if variance <= 1e-12 * max(mean, 1.0) ** 2:  # no permutation changes the counts
                continue
            small = variance / (9 * mean**2)
            z = (np.cbrt(np.maximum(G, 0) / mean) - (1 - small)) / np.sqrt(small)
            p = float(student_cdf(np.array([-z[0]]), np.array([1e9]))[0])
            tests.append(Tested("dependence", y, d, parents, float(G[0]), p))
            np.maximum(largest, z, out=largest)
    return Tests(tests, float((largest >= largest[0]).mean()) if tests else 1.0)


def _number(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number from 0 on for each distinct combination of codes, one combination per column."""
    number = np.zeros(codes.shape[1], dtype=np.int64)
    for own in codes:
        number = np.unique(number * (own.max(initial=0) + 1) + own, return_inverse=True)[1].ravel()
    return number


def _permuted(y: NDArray[np.int64], stratum: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """The codes as they are, and ``SIMULATIONS`` times permuted within strata; one row each."""
    sorted_rows = np.argsort(stratum, kind="stable")
    made = np.tile(y, (SIMULATIONS + 1, 1))
    for own in made[1:]:
        own[sorted_rows] = y[np.lexsort((rng.random(len(y)), stratum))]
    return made


def _g_statistics(drawn: NDArray[np.int64], d: NDArray[np.int64], stratum: NDArray[np.int64]) -> NDArray[np.float64]:
    """G = 2 sum N_sdy log(N_sdy N_s / (N_sd N_sy)) for each row of levels y; only N_sdy depends on the permutation."""
    cell = _number(np.array([stratum, d]))
    levels = int(drawn.max(initial=0)) + 1
    fixed = _n_log_n(stratum) - _n_log_n(cell) - _n_log_n(stratum * levels + drawn[0])
    return 2 * np.array([fixed + _n_log_n(cell * levels + own) for own in drawn])


def _n_log_n(numbers: NDArray[np.int64]) -> float:
    """The sum of N log N over the counts N of equal numbers."""
    counts = np.bincount(numbers)
    counts = counts[counts > 1]
    return float((counts * np.log(counts)).sum())
