"""Each score is its formula, written out with numpy and scipy."""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln, multigammaln

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table
from score_cases import categorical_data, gaussian_data, mixed_data

CASES = [(y, parents) for y in range(5) for k in range(5) for parents in itertools.combinations(range(5), k)]
CASES = [(y, parents) for y, parents in CASES if y not in parents]


def residual_covariance(covariance: NDArray[np.float64], y: list[int], parents: list[int]) -> NDArray[np.float64]:
    cross = covariance[np.ix_(y, parents)]
    return covariance[np.ix_(y, y)] - cross @ np.linalg.solve(covariance[np.ix_(parents, parents)], cross.T)


@pytest.mark.parametrize("penalty", [1.0, 2.5])
def test_gaussian_bic(penalty: float) -> None:
    x = gaussian_data(5, 80)
    score = cz.GaussianBIC(x, penalty=penalty)
    given = cz.GaussianBIC.from_covariance(np.cov(x.T, ddof=0), n_samples=80, penalty=penalty)
    for y, parents in CASES:
        v = residual_covariance(np.cov(x.T, ddof=0), [y], [*parents])[0, 0]
        expected = (-80 * (1 + math.log(v)) - penalty * (1 + len(parents)) * math.log(80)) / 2
        assert score.local(y, parents) == pytest.approx(expected, rel=1e-11)
        assert given.local(y, parents) == pytest.approx(expected, rel=1e-11)


def bge_of_columns(x: NDArray[np.float64], columns: list[int], alpha_mu: float, alpha_w: float) -> float:
    """The log marginal likelihood of some columns: Kuipers, Moffa & Heckerman (2014), (A.18) and the text after it."""
    (rows, n), size = x.shape, len(columns)
    t = alpha_mu * (alpha_w - n - 1) / (alpha_mu + 1)
    mean = x.mean(axis=0)
    r = t * np.eye(n) + (x - mean).T @ (x - mean) + rows * alpha_mu / (rows + alpha_mu) * np.outer(mean, mean)
    freedom = alpha_w - n + size
    if not size:
        return 0.0
    return float(
        size / 2 * math.log(alpha_mu / (rows + alpha_mu))
        + multigammaln((rows + freedom) / 2, size)
        - multigammaln(freedom / 2, size)
        - size * rows / 2 * math.log(math.pi)
        + freedom / 2 * size * math.log(t)
        - (rows + freedom) / 2 * np.linalg.slogdet(r[np.ix_(columns, columns)])[1]
    )


@pytest.mark.parametrize(("alpha_mu", "alpha_w"), [(1.0, None), (0.3, 9.5)])
def test_bge(alpha_mu: float, alpha_w: float | None) -> None:
    x = gaussian_data(5, 60) * [1, 2, 3, 0.5, 1] + [0, 1, 2, 0, -3]
    raw = cz.BGe(x, alpha_mu=alpha_mu, alpha_w=alpha_w, standardize=False)
    scaled = cz.BGe(x, alpha_mu=alpha_mu, alpha_w=alpha_w)
    standard = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    for y, parents in CASES:
        for score, data in ((raw, x), (scaled, standard)):
            settings = (alpha_mu, 7.0 if alpha_w is None else alpha_w)
            expected = bge_of_columns(data, [y, *parents], *settings) - bge_of_columns(data, [*parents], *settings)
            assert score.local(y, parents) == pytest.approx(expected, rel=1e-11)


def contingency(x: NDArray[np.int64], y: int, parents: tuple[int, ...]) -> tuple[NDArray[np.float64], float, int]:
    """Counts by configuration and level, the number of configurations, seen or not, and that of levels."""
    levels = [len(np.unique(x[:, j])) for j in range(x.shape[1])]
    _, configuration = np.unique(x[:, list(parents)], axis=0, return_inverse=True) if parents else (0, 0 * x[:, 0])
    counts = np.zeros((int(configuration.max()) + 1, levels[y]))
    np.add.at(counts, (configuration, np.unique(x[:, y], return_inverse=True)[1]), 1)
    return counts, float(np.prod([levels[p] for p in parents])), levels[y]


@pytest.mark.parametrize("rows", [40, 5000])  # all rows kept, and alike rows as one
def test_discrete_bic(rows: int) -> None:
    x = categorical_data(5, rows)
    score = cz.DiscreteBIC(read_table(x, kinds="categorical"), penalty=1.5)
    for y, parents in CASES:
        counts, q, r = contingency(x, y, parents)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = counts * np.log(counts / counts.sum(axis=1, keepdims=True))
        expected = np.nansum(terms) - 1.5 / 2 * math.log(rows) * (r - 1) * q
        assert score.local(y, parents) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("sample_size", [1.0, 10.0])
@pytest.mark.parametrize("rows", [40, 5000])
def test_bdeu(rows: int, sample_size: float) -> None:
    x = categorical_data(5, rows)
    score = cz.BDeu(read_table(x, kinds="categorical"), equivalent_sample_size=sample_size)
    for y, parents in CASES:
        counts, q, r = contingency(x, y, parents)
        a, b = sample_size / q, sample_size / (q * r)
        expected = np.sum(gammaln(a) - gammaln(a + counts.sum(axis=1))) + np.sum(gammaln(b + counts) - gammaln(b))
        assert score.local(y, parents) == pytest.approx(expected, rel=1e-11)


def test_mixed_bic() -> None:
    data = mixed_data(5, 120)
    score = cz.MixedBIC(data, penalty=2.0)
    blocks: list[NDArray[np.float64]] = []
    for column in data.values():
        if column.dtype.kind == "f":
            blocks.append(column[None, :].astype(float))
        else:
            # any level may be the one that is left out, here the last
            blocks.append(np.array([column == level for level in np.unique(column)[:-1]], dtype=float))
    covariance = np.cov(np.concatenate(blocks), ddof=0)
    ends = np.cumsum([len(block) for block in blocks])
    places = [list(range(end - len(block), end)) for block, end in zip(blocks, ends, strict=True)]
    shift = {}
    for y, parents in CASES:
        own, given = places[y], [c for p in parents for c in places[p]]
        v = residual_covariance(covariance, own, given)
        d = len(own)
        parameters = d * len(given) + d * (d + 1) / 2
        expected = (-120 * (d + np.linalg.slogdet(v)[1]) - 2.0 * parameters * math.log(120)) / 2
        # Which level is left out multiplies det V by a constant that no parents change; indicators have slope ±1.
        shift.setdefault(y, score.local(y, parents) - expected)
        assert score.local(y, parents) - expected == pytest.approx(shift[y], abs=1e-8)
        assert shift[y] == pytest.approx(0, abs=1e-8)


def test_mixed_bic_of_continuous_columns_is_gaussian_bic() -> None:
    x = gaussian_data(6, 50)
    mixed, gaussian = cz.MixedBIC(x, penalty=1.5), cz.GaussianBIC(x, penalty=1.5)
    for parents in [(), (1,), (1, 3, 5)]:
        assert mixed.local(0, parents) == pytest.approx(gaussian.local(0, parents), rel=1e-12)
        assert mixed.row(0, parents) == pytest.approx(gaussian.row(0, parents), rel=1e-9, abs=1e-9)


def indicators(column: NDArray[np.generic], left_out: int) -> NDArray[np.float64]:
    """The block of a column, one row per column: all levels but one, mapped to covariance I."""
    block = column[None, :].astype(float) if column.dtype.kind == "f" else np.zeros((0, len(column)))
    if column.dtype.kind != "f":
        block = np.array([column == level for level in np.delete(np.unique(column), left_out)], dtype=float)
    return np.linalg.solve(np.linalg.cholesky(np.atleast_2d(np.cov(block))), block - block.mean(axis=1, keepdims=True))


@pytest.mark.parametrize("left_out", [0, 1])  # any level
@pytest.mark.parametrize(("alpha_mu", "alpha_w"), [(1.0, None), (0.3, 19.5)])
def test_mixed_bge(alpha_mu: float, alpha_w: float | None, left_out: int) -> None:
    data = mixed_data(5, 120)
    score = cz.MixedBGe(data, alpha_mu=alpha_mu, alpha_w=alpha_w)
    blocks = [indicators(column, left_out) for column in data.values()]
    ends = np.cumsum([len(block) for block in blocks])
    places = [list(range(end - len(block), end)) for block, end in zip(blocks, ends, strict=True)]
    x = np.concatenate(blocks).T

    def of_nodes(*nodes: int) -> float:
        columns = [c for v in nodes for c in places[v]]
        return bge_of_columns(x, columns, alpha_mu, x.shape[1] + 2 if alpha_w is None else alpha_w)

    for y, parents in CASES:
        assert score.local(y, parents) == pytest.approx(of_nodes(y, *parents) - of_nodes(*parents), rel=1e-10)


def test_mixed_bge_of_continuous_columns_is_bge() -> None:
    x = gaussian_data(6, 50)
    mixed, gaussian = cz.MixedBGe(x, alpha_mu=0.5), cz.BGe(x, alpha_mu=0.5)
    for parents in [(), (1,), (1, 3, 5)]:
        assert mixed.local(0, parents) == pytest.approx(gaussian.local(0, parents), rel=1e-12)
        assert mixed.row(0, parents) == pytest.approx(gaussian.row(0, parents), rel=1e-9, abs=1e-9)


def test_uniform_is_zero() -> None:
    score = cz.Uniform(["a", "b", "c"])
    assert score.local("a", ["b"]) == 0.0
    assert score.row("a", ["b"]).tolist() == [0.0, 0.0, 0.0]
    assert score.total(cz.CPDAG.complete(["a", "b", "c"])) == 0.0
    assert score.core_score() is None


@pytest.mark.parametrize("score_class", [cz.DiscreteBIC, cz.BDeu])
def test_columns_of_many_levels(score_class: type) -> None:
    """Of tables with far more cells than rows, only the cells with rows are counted."""
    rng = np.random.default_rng(8)
    x = np.stack([rng.integers(k, size=500) for k in (90, 300, 7, 200)], axis=1)
    x[:250, 3] = x[:250, 1] % 200
    table = {j: [f"level {c}" for c in column] for j, column in enumerate(x.T)}
    score = score_class(cz.read_table(table, kinds="categorical"))
    for y, parents in [(0, (1,)), (1, (0, 2)), (3, (0, 1)), (2, (0, 1, 3)), (1, ())]:
        counts, q, r = contingency(x, y, parents)
        if score_class is cz.DiscreteBIC:
            terms = counts * np.log(np.where(counts > 0, counts / counts.sum(axis=1, keepdims=True), 1.0))
            expected = terms.sum() - (r - 1) * q * math.log(500) / 2
        else:
            a, b = 1 / q, 1 / (q * r)
            expected = sum(math.lgamma(a) - math.lgamma(a + n) for n in counts.sum(axis=1))
            expected += sum(math.lgamma(b + n) - math.lgamma(b) for n in counts.ravel())
        assert score.local(y, parents) == pytest.approx(expected, rel=1e-9)
