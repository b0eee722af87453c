"""Tests of categorical columns: G tests of the implied independences, and simulations of what the score leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag._core import student_cdf
from causal_zigzag.answers.model_check.implied_regressions import implied_regressions
from causal_zigzag.answers.model_check.residual_tests import SEED, SIMULATIONS, Tested, Tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.answers.model_check.implied_regressions import Regression

Refit = Callable[["NDArray[np.int64]"], "NDArray[np.uint8]"]
TABLES = 40  # that are simulated
ENOUGH = 4  # simulated tables that are as extreme; the p-value is then at least ENOUGH / TABLES
WEAK = 2.8  # standard deviations from which on a dependence that has no edge is part of the simulation


def level_tests(
    codes: NDArray[np.int64], dags: Sequence[NDArray[np.uint8]], refit: Refit, given: Sequence[int] = ()
) -> Tests:
    """G tests that a node is independent of those before it, given its parents; ``codes`` has one row per node.

    If the graph is right, the levels of a node can be permuted within each configuration of its parents, given all
    columns before it. The tables of counts may be sparse, so the distribution of each statistic G is found from
    ``SIMULATIONS`` such permutations, as a gamma distribution with their mean and variance.

    A score leaves out weak edges: with few rows, those of many parameters, although a test sees them. So the p-value of
    all tests compares the most extreme one of the first DAG with those of simulated tables, in which the graph is found
    again by ``refit``.
    """
    tests = level_dependences(codes, implied_regressions(dags, given))
    return Tests(tests, _simulated_p(codes, dags[0], refit, given) if tests else 1.0)


def level_dependences(codes: NDArray[np.int64], regressions: Sequence[Regression]) -> list[Tested]:
    """The G test of each node with each one before it that is not a parent, given the parents."""
    tests: list[Tested] = []
    for y, parents, before in regressions:
        rest = [d for d in before if d not in parents]
        stratum = _number(codes[[*parents]])
        drawn = _permuted(codes[y], stratum, np.random.default_rng((SEED, y))) if rest else codes[:0]
        for d in rest:
            cell, levels = _number(np.array([stratum, codes[d]])), int(codes[y].max()) + 1
            G = 2 * np.array([_n_log_n(np.bincount(cell * levels + own)) for own in drawn])
            G += _g_test(codes[y], codes[d], stratum)[0] - G[0]  # the other counts do not depend on the permutation
            mean, variance = float(G[1:].mean()), float(G[1:].var())
            if variance > 1e-12 * max(mean, 1.0) ** 2:  # otherwise no permutation changes the counts
                z = _z(G[0], mean, variance)
                p = float(student_cdf(np.array([-z]), np.array([1e9]))[0])
                tests.append(Tested("dependence", y, d, parents, float(G[0]), p))
    return tests


def _simulated_p(codes: NDArray[np.int64], dag: NDArray[np.uint8], refit: Refit, given: Sequence[int]) -> float:
    """The sequential Monte Carlo p-value of the most extreme test (Besag & Clifford 1991).

    Tables are simulated from the DAG with the weak dependences that the rows show. G of a node with its weak parents is
    too large by its degrees of freedom, so their influence is reduced: it acts in a share of the rows, whose square is
    1 - freedom / G.
    """
    rng, extreme, model = np.random.default_rng(SEED), _most_extreme(codes, dag, given), []
    for y, parents, before in implied_regressions([dag], given):
        stratum, rest, weak = _number(codes[[*parents]]), [d for d in before if d not in parents], list[int]()
        while rest:
            now = _number(np.array([stratum, *codes[weak]]))
            z, d = max((_standardized(*_g_test(codes[y], codes[d], now)), d) for d in rest)
            if z < WEAK:
                break
            weak.append(d)
            rest.remove(d)
        G, freedom = _g_test(codes[y], _number(codes[weak]), stratum) if weak else (1.0, 1)
        model.append((len(before), y, [*parents], weak, np.sqrt(max(0.0, 1 - freedom / G))))
    as_extreme = 0
    for made in range(1, TABLES + 1):
        table = codes.copy()
        for _, y, own, weak, share in sorted(model):
            plain, full = (_drawn(codes, table, y, S, rng) for S in (own, [*own, *weak]))
            table[y] = np.where(rng.random(len(plain)) < share, full, plain)
        as_extreme += _most_extreme(table, refit(table), given) >= extreme
        if as_extreme == ENOUGH:
            return ENOUGH / made
    return (1 + as_extreme) / (1 + TABLES)


def _most_extreme(codes: NDArray[np.int64], dag: NDArray[np.uint8], given: Sequence[int]) -> float:
    found = [-np.inf]
    for y, parents, before in implied_regressions([dag], given):
        stratum = _number(codes[[*parents]])
        found += [_standardized(*_g_test(codes[y], codes[d], stratum)) for d in before if d not in parents]
    return max(found)


def _drawn(
    codes: NDArray[np.int64], table: NDArray[np.int64], y: int, parents: Sequence[int], rng: np.random.Generator
) -> NDArray[np.int64]:
    """For each row of the new table, the level of y in a random row with the same levels of the parents, or in any."""
    rows = codes.shape[1]
    both = _number(np.concatenate([codes, table], axis=1)[[*parents]])
    order = np.argsort(both[:rows], kind="stable")
    first, last = (np.searchsorted(both[:rows], both[rows:], side, order) for side in ("left", "right"))
    chosen = np.where(first < last, first + rng.random(rows) * (last - first), rng.random(rows) * rows)
    return np.asarray(codes[y][order[chosen.astype(np.intp)]])


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


def _g_test(y: NDArray[np.int64], d: NDArray[np.int64], stratum: NDArray[np.int64]) -> tuple[float, int]:
    """G = 2 sum N_sdy log(N_sdy N_s / (N_sd N_sy)), and its degrees of freedom, by the levels in each stratum s."""
    shape = [int(codes.max(initial=0)) + 1 for codes in (stratum, d, y)]
    counts = np.bincount((stratum * shape[1] + d) * shape[2] + y, minlength=int(np.prod(shape))).reshape(shape)
    of_d, of_y = counts.sum(axis=2), counts.sum(axis=1)
    freedom = (np.maximum((of_d > 0).sum(axis=1) - 1, 0) * np.maximum((of_y > 0).sum(axis=1) - 1, 0)).sum()
    G = _n_log_n(counts) + _n_log_n(of_d.sum(axis=1)) - _n_log_n(of_d) - _n_log_n(of_y)
    return 2 * max(G, 0.0), int(freedom)


def _n_log_n(counts: NDArray[np.int64]) -> float:
    large = counts[counts > 1]
    return float((large * np.log(large)).sum())


def _standardized(G: float, freedom: int) -> float:
    return _z(G, freedom, 2 * freedom) if freedom else -np.inf


def _z(G: float, mean: float, variance: float) -> float:
    """A gamma variable as a standard normal one (Wilson & Hilferty 1931)."""
    small = variance / (9 * mean**2)
    return float((np.cbrt(max(G, 0.0) / mean) - (1 - small)) / np.sqrt(small))
