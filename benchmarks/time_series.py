"""Time series from random vector autoregressions: edges within a time and from the past, against other methods.

Run: python benchmarks/time_series.py [--series 5 10] [--seeds 8] [--length 300]

Each series depends on itself one step before (0.3 to 0.6), on about one other at lag 1 or 2, and within a time on about
one other (0.5 to 1 in size, any sign). "within" is the expected number of pairs within a time whose mark (none, line,
arrow) is not that of the true class given the past, "past" the number of true arrows from the past that have
probability 0.5 or more, "false" that of the others. "time ignored" samples the rows as if they were independent. "VAR
tests" are t tests of the coefficients of a vector autoregression at level 0.01, which leave the edges within a time
open. PCMCI+ (of tigramite, if it is installed) uses partial correlations at level 0.01. All are given the right number
of lags, 2.
"""

from __future__ import annotations

import argparse
import importlib.util
import warnings
from time import process_time
from typing import NamedTuple

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz

LAGS, BURN_IN, LEVEL = 2, 200, 0.01
Array = NDArray[np.float64]


class Truth(NamedTuple):
    """Coefficients by lag, [lag, cause, outcome], and the simulated rows."""

    coefficients: Array
    rows: Array


class Result(NamedTuple):
    """Wrong marks within a time (NaN if a method says nothing about them), arrows found, false ones, CPU seconds."""

    within: float
    found: float
    false: float
    seconds: float


def simulate(n: int, length: int, rng: np.random.Generator) -> Truth:
    """A stationary vector autoregression with effects within a time."""

    def weights(shape: tuple[int, ...]) -> Array:
        return rng.uniform(0.5, 1.0, shape) * rng.choice([-1.0, 1.0], shape)

    while True:
        B = np.zeros((LAGS + 1, n, n))
        order = rng.permutation(n)
        B[0] = (np.triu(weights((n, n)), 1) * (rng.random((n, n)) < 2 / (n - 1)))[np.ix_(order, order)]
        B[1, np.arange(n), np.arange(n)] = rng.uniform(0.3, 0.6, n)
        others = rng.random((LAGS, n, n)) < 1 / (LAGS * (n - 1))
        others[:, np.arange(n), np.arange(n)] = False
        B[1:] += others * weights((LAGS, n, n))
        mixing = np.linalg.inv(np.eye(n) - B[0])
        steps = [B[lag] @ mixing for lag in range(1, LAGS + 1)]
        companion = np.block([[steps[0], np.eye(n)], [steps[1], np.zeros((n, n))]])
        if np.abs(np.linalg.eigvals(companion)).max() < 0.95:
            break
    x = np.zeros((length + BURN_IN, n))
    for t in range(LAGS, len(x)):
        x[t] = sum(x[t - lag] @ steps[lag - 1] for lag in range(1, LAGS + 1)) + rng.normal(size=n) @ mixing
    return Truth(B, x[BURN_IN:])


def true_graph(truth: Truth, nodes: tuple[object, ...]) -> cz.MPDAG:
    """The class of the true DAG on the present and the past, with the past given."""
    n = truth.rows.shape[1]
    dag = np.zeros((n * (LAGS + 1),) * 2, dtype=np.uint8)
    for lag in range(LAGS + 1):
        dag[lag * n : (lag + 1) * n, :n] = truth.coefficients[lag] != 0
    return cz.CPDAG.from_dag(dag, nodes).with_knowledge(cz.Knowledge.contexts(nodes[n:]))


def wrong_marks(directed: Array, undirected: Array, true: cz.MPDAG, n: int) -> float:
    """The expected number of pairs of the first n nodes whose mark is wrong."""
    matrix = np.array(true.matrix())[:n, :n].astype(bool)
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            forward, backward, line = directed[i, j], directed[j, i], undirected[i, j]
            right = {(True, True): line, (True, False): forward, (False, True): backward}
            total += 1 - right.get((matrix[i, j], matrix[j, i]), 1 - forward - backward - line)
    return total


def lagged_run(truth: Truth, seed: int) -> Result:
    """A run with the past as given columns."""
    n = truth.rows.shape[1]
    begun = process_time()
    table = cz.lagged({f"x{i}": column for i, column in enumerate(truth.rows.T)}, LAGS)
    edges = cz.sample(table, rng=seed, progress=False).edge_probabilities()
    seconds = process_time() - begun
    true = truth.coefficients[1:].reshape(-1, n) != 0
    found = edges.directed[n:, :n] >= 0.5
    within = wrong_marks(edges.directed, edges.undirected, true_graph(truth, table.nodes), n)
    return Result(within, (found & true).sum(), (found & ~true).sum(), seconds)


def ignoring_time(truth: Truth, seed: int) -> Result:
    """A run that takes the rows as independent."""
    n = truth.rows.shape[1]
    begun = process_time()
    edges = cz.sample(truth.rows, rng=seed, progress=False).edge_probabilities()
    nodes = tuple(f"{lag},{i}" for lag in range(LAGS + 1) for i in range(n))
    within = wrong_marks(edges.directed, edges.undirected, true_graph(truth, nodes), n)
    return Result(within, np.nan, np.nan, process_time() - begun)


def var_tests(truth: Truth, _: int) -> Result:
    """Tests of the coefficients of a vector autoregression."""
    from scipy import stats

    rows, n = truth.rows, truth.rows.shape[1]
    begun = process_time()
    X = np.hstack([rows[LAGS - lag : len(rows) - lag] for lag in range(1, LAGS + 1)] + [np.ones((len(rows) - LAGS, 1))])
    y = rows[LAGS:]
    inverse = np.linalg.inv(X.T @ X)
    beta = inverse @ X.T @ y
    freedom = len(y) - X.shape[1]
    spread = ((y - X @ beta) ** 2).sum(axis=0) / freedom
    t = beta / np.sqrt(np.outer(np.diag(inverse), spread))
    found = (2 * stats.t.sf(np.abs(t), freedom) < LEVEL)[:-1]
    true = truth.coefficients[1:].reshape(-1, n) != 0
    return Result(np.nan, (found & true).sum(), (found & ~true).sum(), process_time() - begun)


def pcmci_plus(truth: Truth, _: int) -> Result:
    """PCMCI+ of tigramite."""
    from tigramite import data_processing
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    n = truth.rows.shape[1]
    begun = process_time()
    method = PCMCI(data_processing.DataFrame(truth.rows), cond_ind_test=ParCorr(), verbosity=0)
    graph = method.run_pcmciplus(tau_min=0, tau_max=LAGS, pc_alpha=LEVEL)["graph"]
    true = truth.coefficients[1:].reshape(-1, n) != 0
    found = np.concatenate([graph[:, :, lag] == "-->" for lag in range(1, LAGS + 1)])
    now = graph[:, :, 0]
    nodes = tuple(f"{lag},{i}" for lag in range(LAGS + 1) for i in range(n))
    within = wrong_marks(
        (now == "-->").astype(float), np.isin(now, ["o-o", "x-x"]).astype(float), true_graph(truth, nodes), n
    )
    return Result(within, (found & true).sum(), (found & ~true).sum(), process_time() - begun)


METHODS = {"lagged": lagged_run, "time ignored": ignoring_time, "VAR tests": var_tests, "PCMCI+": pcmci_plus}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--length", type=int, default=300)
    given = parser.parse_args()
    print(machine())
    print(f"{'n':>3} {'method':<13} {'within':>7} {'past':>13} {'false':>6} {'CPU s':>7}")
    for n in given.series:
        truths = [simulate(n, given.length, np.random.default_rng([n, seed])) for seed in range(given.seeds)]
        arrows = np.mean([(truth.coefficients[1:] != 0).sum() for truth in truths])
        for name, method in METHODS.items():
            if name == "PCMCI+" and importlib.util.find_spec("tigramite") is None:
                print(f"{n:>3} {name:<13} is not installed")
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results = np.array([method(truth, seed) for seed, truth in enumerate(truths)])
            within, found, false, seconds = results.mean(axis=0)
            print(
                f"{n:>3} {name:<13} {within:>7.2f} {found:>5.1f} of {arrows:>4.1f} {false:>6.1f} {seconds:>7.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
