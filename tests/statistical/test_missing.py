"""Classes and missing cells sampled together agree with sums over all completions and with numerical integration.

Differences are compared with the Monte Carlo error, estimated from 16 independent chains. With five standard errors and
about 20 different probabilities, a test of a correct sampler fails for about 0.3 % of all seeds; the seeds are fixed.
"""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import logsumexp

import causal_zigzag as cz
from causal_zigzag import _core as core
from incomplete import Levels, Mixed, Numbers, parents_of, seed_words
from targets import all_classes, dense_times, gaussian_data

PRIOR = 0.5  # the cost of an edge
CHAINS = 16


def marks(graphs: list[cz.CPDAG]) -> NDArray[np.float64]:
    """For each class: which pairs are adjacent, and which have which arrow."""
    matrices = np.array([g.matrix() for g in graphs], dtype=float)
    lines = matrices * matrices.transpose(0, 2, 1)
    return np.concatenate([np.maximum(matrices, matrices.transpose(0, 2, 1)), matrices - lines], axis=1)


def sampled(incomplete: Levels | Mixed | Numbers, n: int, sweeps: int, chains: int = CHAINS) -> NDArray[np.float64]:
    """The same, as probabilities, of each of several chains."""
    found = []
    for seed in range(chains):
        settings = core.ChainSettings(
            coldness=1.0, prior=core.EdgePrior(-PRIOR, np.zeros(0)), momentum=1.0, seed=seed_words(100 + seed),
            most_classes=1000, most_deltas=10_000, trace_points=10, cache_bytes=2**20, table=incomplete.table(seed),
        )  # fmt: skip
        chain = core.make_chain(cz.CPDAG.empty(n).core, settings)
        chain.begin_sweeps(10, 20)
        while chain.sweeps < sweeps // 10:
            chain.run(1000, 10.0)
        chain.forget()
        while chain.sweeps < sweeps:
            chain.run(1000, 10.0)
        time = chain.statistics().time.expected
        directed, undirected = (times / time for times in dense_times(chain, n))
        found.append(np.concatenate([directed + directed.T + undirected, directed]))
    return np.array(found)


def assert_agreement(found: NDArray[np.float64], exact: NDArray[np.float64], error: float) -> None:
    errors = found.std(axis=0, ddof=1) / np.sqrt(CHAINS)
    assert errors.max() < error
    assert np.all(np.abs(found.mean(axis=0) - exact) <= 5 * errors + 1e-6)


def levels_case(n: int, holes: int, seed: int) -> Levels:
    rng = np.random.default_rng(seed)
    levels = (2, 2, 3, 2)[:n]
    codes = rng.integers(levels, size=(25, n))
    for v in range(1, n):
        copied = rng.random(25) < 0.6
        codes[copied, v] = codes[copied, v - 1] % levels[v]
    places = sorted(rng.choice(25 * n, size=holes, replace=False).tolist())
    return Levels(codes, levels, tuple(divmod(place, n) for place in places))


@pytest.mark.parametrize(("n", "holes"), [(3, 6), pytest.param(4, 9, marks=pytest.mark.long)])
def test_levels_agree_with_the_sum_over_all_completions(n: int, holes: int) -> None:
    incomplete = levels_case(n, holes, seed=n)
    graphs = [*all_classes(n)]
    subsets = [s for k in range(1, n + 1) for s in itertools.combinations(range(n), k)]
    totals = []
    for cells in incomplete.completions():
        codes = incomplete.completed(cells)
        known = {s: incomplete.log_set_function(codes, s) for s in subsets} | {(): 0.0}
        totals.append([
            sum(known[tuple(sorted((*p, y)))] - known[tuple(p)] for y, p in enumerate(parents_of(g))) for g in graphs
        ])  # fmt: skip
    logs = logsumexp(np.array(totals), axis=0) - [PRIOR * g.edge_count for g in graphs]
    weights = np.exp(logs - logsumexp(logs))
    exact = np.tensordot(weights, marks(graphs), axes=1)
    assert_agreement(sampled(incomplete, n, 3000), exact, 0.01)


def numbers_case(n: int, rows: int, holes: int, seed: int) -> Numbers:
    x = gaussian_data(n, rows, seed, degree=2.0)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    rng = np.random.default_rng(seed)
    places = sorted(rng.choice(10 * n, size=holes, replace=False).tolist())  # within the first ten rows
    return Numbers(x, tuple(divmod(place, n) for place in places))


def probabilities(logs: NDArray[np.float64], graphs: list[cz.CPDAG]) -> NDArray[np.float64]:
    logs = logs - [PRIOR * g.edge_count for g in graphs]
    return np.tensordot(np.exp(logs - logsumexp(logs)), marks(graphs), axes=1)


def test_numbers_agree_with_the_integral_over_a_grid_of_cells() -> None:
    """The trapezoidal rule on a smooth density that vanishes at the ends of the grid: its error is negligible."""
    incomplete = numbers_case(3, 12, 3, seed=2)
    graphs, table = [*all_classes(3)], incomplete.table()
    subsets = [(y, p) for y in range(3) for k in range(3) for p in itertools.combinations({*range(3)} - {y}, k)]
    totals = []
    for cells in itertools.product(np.linspace(-6, 6, 19), repeat=3):
        table.set_cells(np.array(cells))
        score = table.score()
        known = {(y, p): score.local(y, [*p]) for y, p in subsets}
        totals.append([sum(known[y, tuple(p)] for y, p in enumerate(parents_of(g))) for g in graphs])
    exact = probabilities(logsumexp(np.array(totals), axis=0), graphs)
    assert_agreement(sampled(incomplete, 3, 3000), exact, 0.01)


def log_evidence(incomplete: Numbers, g: cz.CPDAG, draws: int, rng: np.random.Generator) -> float:
    """log p(observed cells | class): that of the complete rows, plus the log of the mean over their posterior of the
    parameters of the density of the observed cells in the other rows."""
    whole = ~incomplete.mask.any(axis=1)
    x, others, seen = incomplete.x[whole], incomplete.x[~whole], ~incomplete.mask[~whole]
    rows, n = x.shape
    weight = rows + incomplete.alpha_mu
    R = incomplete.t * np.eye(n) + x.T @ x - np.outer(x.sum(axis=0), x.sum(axis=0)) / weight
    mean = x.sum(axis=0) / weight
    B, intercepts, variances = np.zeros((draws, n, n)), np.zeros((draws, n)), np.zeros((draws, n))
    for y, P in enumerate(parents_of(g)):
        inverse = np.linalg.inv(R[np.ix_(P, P)])
        center = inverse @ R[P, y]
        freedom = incomplete.alpha_w + rows - n + len(P) + 1
        variances[:, y] = (R[y, y] - R[y, P] @ center) / rng.chisquare(freedom, size=draws)
        deviation = np.sqrt(variances[:, y])
        noise = rng.normal(size=(draws, len(P))) @ np.linalg.cholesky(inverse).T if P else np.zeros((draws, 0))
        B[:, y, P] = center + deviation[:, None] * noise
        intercepts[:, y] = rng.normal(mean[y] - B[:, y, P] @ mean[P], deviation / np.sqrt(weight))
    A = np.linalg.inv(np.eye(n) - B)
    centers = np.einsum("dij,dj->di", A, intercepts)
    covariance = np.einsum("dij,dj,dkj->dik", A, variances, A)
    logs = np.zeros(draws)
    for row, present in zip(others, seen, strict=True):
        o = np.flatnonzero(present)
        part = covariance[:, o[:, None], o]
        left = row[o] - centers[:, o]
        solved = np.linalg.solve(part, left[..., None])[..., 0]
        logs -= 0.5 * (np.linalg.slogdet(2 * np.pi * part)[1] + np.einsum("di,di->d", left, solved))
    return float(cz.BGe(x, standardize=False).total(g) + logsumexp(logs) - np.log(draws))


@pytest.mark.parametrize("n", [3, pytest.param(4, marks=pytest.mark.long)])
def test_ten_missing_numbers_agree_with_the_integral_over_parameters(n: int) -> None:
    incomplete = numbers_case(n, 50, 10, seed=n)
    graphs, rng = [*all_classes(n)], np.random.default_rng(n)
    logs = np.array([[log_evidence(incomplete, g, 4000, rng) for g in graphs] for _ in range(4)])
    integrals = np.array([probabilities(one, graphs) for one in logs])
    assert integrals.std(axis=0).max() < 0.01
    found = sampled(incomplete, n, 3000)
    errors = np.hypot(found.std(axis=0, ddof=1) / 4, integrals.std(axis=0, ddof=1) / 2)
    assert errors.max() < 0.01
    assert np.all(np.abs(found.mean(axis=0) - integrals.mean(axis=0)) <= 6 * errors + 1e-6)


def test_mixed_tables_agree_with_the_sum_over_levels_and_a_grid_of_numbers() -> None:
    """A completed table has its marginal likelihood as weight, in which that of every categorical column alone is
    replaced by the probability of its levels."""
    rng = np.random.default_rng(8)
    x = np.column_stack([rng.integers(3, size=14), rng.integers(2, size=14), rng.normal(size=14)])
    x[:, 1] = np.where(rng.random(14) < 0.5, x[:, 0] > 0, x[:, 1])
    x[:, 2] += 0.8 * x[:, 0]
    incomplete = Mixed(x, ((1, 0), (1, 1), (1, 2), (5, 0), (9, 2), (11, 1)))
    graphs, table = [*all_classes(3)], incomplete.table()
    families = [(y, p) for y in range(3) for k in range(3) for p in itertools.combinations({*range(3)} - {y}, k)]
    totals = []
    for cells in incomplete.completions(np.linspace(-5.5, 6.5, 17)):
        table.set_cells(np.array(cells, dtype=float))
        score = table.score()
        known = {(y, p): score.local(y, [*p]) for y, p in families}
        shares = sum(incomplete.log_share(cells, v) - known[v, ()] for v in (0, 1))
        totals.append([shares + sum(known[y, tuple(p)] for y, p in enumerate(parents_of(g))) for g in graphs])
    exact = probabilities(logsumexp(np.array(totals), axis=0), graphs)
    assert_agreement(sampled(incomplete, 3, 3000), exact, 0.01)


def drawn_from_the_prior(n: int, rows: int, rng: np.random.Generator) -> tuple[cz.CPDAG, Numbers]:
    """A class and a table from the prior of BGe, with about 30 % of the cells missing at random.

    Column 0 is complete, and a cell of another column is the more often missing the larger the cell of column 0 is.
    """
    graphs = all_classes(n)
    weights = np.exp([-PRIOR * g.edge_count for g in graphs])
    g = graphs[rng.choice(len(graphs), p=weights / weights.sum())]
    prior = Numbers(np.zeros((rows, n)), ())
    B, intercepts, deviations = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for y, P in enumerate(parents_of(g)):
        deviations[y] = np.sqrt(prior.t / rng.chisquare(prior.alpha_w - n + len(P) + 1))
        B[y, P] = rng.normal(0.0, deviations[y] / np.sqrt(prior.t), len(P))
        intercepts[y] = rng.normal(0.0, deviations[y] / np.sqrt(prior.alpha_mu))
    noise = rng.normal(size=(rows, n)) * deviations
    x = (intercepts + noise) @ np.linalg.inv(np.eye(n) - B).T
    chance = np.where(x[:, :1] > np.median(x[:, 0]), 0.6, 0.2) * (np.arange(n) > 0)
    holes = np.argwhere(rng.random(x.shape) < chance)
    return g, Numbers(x, tuple(map(tuple, holes.tolist())))


@pytest.mark.long
def test_probabilities_are_calibrated_over_tables_from_the_prior() -> None:
    """Of the adjacencies with about probability p, the share p is true, with 30 % of the cells missing at random.

    The sum of (truth - probability) in a bin has mean 0, and its variance is estimated from the tables. With six bins
    and a limit of four standard deviations, a test of a correct sampler fails for about 0.04 % of all seeds.
    """
    n, bins, gaps = 4, np.array([0.0, 0.2, 0.3, 0.5, 0.8, 0.95, 1.0]), []
    above = np.triu_indices(n, 1)
    for seed in range(200):
        g, incomplete = drawn_from_the_prior(n, 40, np.random.default_rng(seed))
        found = sampled(incomplete, n, 600, chains=1)[0][:n][above]
        truth = np.maximum(g.matrix(), g.matrix().T)[above]
        place = np.digitize(found, bins[1:-1])
        gaps.append(np.bincount(place, truth - found, minlength=len(bins) - 1))
    sums = np.array(gaps)
    z = sums.sum(axis=0) / np.sqrt((sums**2).sum(axis=0))
    assert np.abs(z).max() < 4
    assert (np.count_nonzero(sums, axis=0) > 30).all()  # every bin has cases
