"""Scores with weights of rows: equal to those of tables in which the rows are repeated, for every score."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.errors import ScoreError
from causal_zigzag.scores.curves.column_curves import weighted

N = 60
COUNTS = np.random.default_rng(3).integers(0, 4, N)


def frame(kind: str) -> pd.DataFrame:
    """Four columns of this kind, which depend on each other."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(N, 4))
    x[:, 1] += x[:, 0]
    x[:, 3] += x[:, 1] - 0.5 * x[:, 2]
    columns = {"a": 100 + x[:, 0], "b": 1e-3 * x[:, 1], "c": x[:, 2], "d": x[:, 3]}
    if kind in ("discrete", "mixed"):
        columns["a"] = np.array(["low", "middle", "high"])[np.digitize(x[:, 0], [-0.4, 0.4])]
        columns["b"] = x[:, 1] > 0
    if kind == "discrete":
        columns["c"], columns["d"] = x[:, 2] > 0.5, np.digitize(x[:, 3], [-1, 0, 1])
    if kind == "experiment":
        columns["a"] = np.repeat([0, 1], N // 2)
    if kind == "discrete experiment":
        columns = {"a": np.repeat([0, 1], N // 2)} | {v: x[:, i] > 0 for i, v in enumerate("bcd", start=1)}
    return pd.DataFrame(columns)


SCORES = {
    "gaussian-bic": ("numbers", cz.GaussianBIC),
    "bge": ("numbers", cz.BGe),
    "bge as it is": ("numbers", lambda data: cz.BGe(data, standardize=False, alpha_mu=2.0)),
    "mixed-bic": ("mixed", cz.MixedBIC),
    "mixed-bge": ("mixed", cz.MixedBGe),
    "discrete-bic": ("discrete", cz.DiscreteBIC),
    "bdeu": ("discrete", lambda data: cz.BDeu(data, equivalent_sample_size=3.0)),
    "interventional-bge": ("experiment", lambda data: cz.InterventionalBGe(data, contexts="a", targets={"a": "b"})),
    "interventional-bdeu": (
        "discrete experiment",
        lambda data: cz.InterventionalBDeu(data, contexts="a", targets={"a": "b"}),
    ),
}


def local_scores(score: cz.Score) -> np.ndarray:
    """All local scores of a score of four nodes."""
    return np.array([
        score.local(y, parents)
        for y in score.nodes
        for k in range(4)
        for parents in itertools.combinations([v for v in score.nodes if v != y], k)
    ])  # fmt: skip


@pytest.mark.parametrize("name", SCORES)
def test_weights_are_repeated_rows(name: str) -> None:
    kind, make = SCORES[name]
    data = frame(kind)
    repeated = data.loc[np.repeat(np.arange(N), COUNTS)].reset_index(drop=True)
    weighted = make(data).with_row_weights(COUNTS)
    expected = local_scores(make(repeated))
    np.testing.assert_allclose(local_scores(weighted), expected, rtol=1e-10, atol=1e-10)
    for y in weighted.nodes:  # rows are computed apart from local scores
        for parents in ((), tuple(v for v in weighted.nodes if v != y)[:2]):
            np.testing.assert_allclose(weighted.row(y, parents), make(repeated).row(y, parents), atol=1e-9)
    ones = make(data).with_row_weights(np.ones(N))
    np.testing.assert_allclose(local_scores(ones), local_scores(make(data)), rtol=1e-10, atol=1e-10)


def weighted_counts_score(
    data: pd.DataFrame, weights: np.ndarray, y: str, parents: tuple[str, ...], bic: bool
) -> float:
    """A local score of BDeu, equivalent sample size 3, or of DiscreteBIC, from weighted counts."""
    levels = [data[v].unique() for v in parents]
    r, q = data[y].nunique(), math.prod(len(own) for own in levels)
    total = 0.0
    for values in itertools.product(*levels):
        rows = np.ones(len(data), dtype=bool)
        for v, value in zip(parents, values, strict=True):
            rows &= (data[v] == value).to_numpy()
        counts = [float(weights[rows & (data[y] == level).to_numpy()].sum()) for level in data[y].unique()]
        if bic:
            total += sum(c * math.log(c / sum(counts)) for c in counts if c > 0)
        else:
            total += math.lgamma(3 / q) - math.lgamma(3 / q + sum(counts))
            total += sum(math.lgamma(3 / (q * r) + c) - math.lgamma(3 / (q * r)) for c in counts)
    return total - (math.log(weights.sum()) * (r - 1) * q / 2 if bic else 0.0)


@pytest.mark.parametrize("bic", [True, False])
def test_weights_of_categories_need_not_be_whole(bic: bool) -> None:
    data = frame("discrete")
    weights = np.random.default_rng(5).exponential(size=N) * (COUNTS > 0)
    score = cz.DiscreteBIC(data) if bic else cz.BDeu(data, equivalent_sample_size=3.0)
    weighted = score.with_row_weights(weights)
    for y in data:
        for k in range(4):
            for parents in itertools.combinations([v for v in data if v != y], k):
                expected = weighted_counts_score(data, weights, y, parents, bic)
                assert weighted.local(y, parents) == pytest.approx(expected, rel=1e-10)
                row = weighted.row(y, parents)
                for x, difference in zip(data, row, strict=True):
                    if x != y:
                        toggled = tuple(v for v in data if (v in parents) != (v == x))
                        assert difference == pytest.approx(weighted.local(y, toggled) - expected, abs=1e-9)


@pytest.mark.parametrize("name", ["gaussian-bic", "bge", "mixed-bic", "mixed-bge", "interventional-bge"])
def test_weights_are_a_mean_over_rows_where_they_are_not_whole(name: str) -> None:
    """Halves of weights are those of twice as many rows with half of the weight each."""
    kind, make = SCORES[name]
    data, weights = frame(kind), COUNTS + 0.25
    twice = make(pd.concat([data, data], ignore_index=True))
    np.testing.assert_allclose(
        local_scores(make(data).with_row_weights(weights)),
        local_scores(twice.with_row_weights(np.tile(weights, 2) / 2)),
        rtol=1e-10,
    )


@pytest.mark.parametrize("make", [cz.AdditiveGP, lambda data: cz.BasisBIC(data, terms=2)])
@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_curves_stay_those_of_all_rows(make: Callable[[pd.DataFrame], cz.Score], kind: str) -> None:
    """Weights of 1 change nothing, nor does the order of rows."""
    data = frame(kind)
    score = make(data)
    np.testing.assert_allclose(local_scores(score.with_row_weights(np.ones(N))), local_scores(score), rtol=1e-9)
    order = np.random.default_rng(1).permutation(N)
    shuffled = make(data.iloc[order].reset_index(drop=True))
    np.testing.assert_allclose(
        local_scores(shuffled.with_row_weights(COUNTS[order])), local_scores(score.with_row_weights(COUNTS)), rtol=1e-9
    )


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_weights_are_repeated_rows_of_the_curves_of_all_rows(kind: str) -> None:
    """Scores of curves are functions of N and of these products alone."""
    data = frame(kind)
    for column in cz.AdditiveGP(data)._columns():
        features = column.features(column.response)
        repeated = [np.repeat(own, COUNTS, axis=0) for own in features]
        for own, other in zip(
            weighted(features, column.width, COUNTS),
            weighted(repeated, column.width, np.ones(COUNTS.sum())),
            strict=True,
        ):
            np.testing.assert_allclose(own.T @ own, other.T @ other, rtol=1e-10, atol=1e-10)
    score = cz.BasisBIC(data, terms=2)
    blocks = np.concatenate([column.features(column.response)[0] for column in score._columns()], axis=1)
    np.testing.assert_allclose(
        score.with_row_weights(COUNTS)._correlation,
        np.corrcoef(np.repeat(blocks, COUNTS, axis=0), rowvar=False),
        rtol=1e-10,
        atol=1e-10,
    )


@pytest.mark.parametrize("name", SCORES)
def test_levels_and_variance_that_are_lost_do_no_harm(name: str) -> None:
    kind, make = SCORES[name]
    data = frame(kind)
    first = (data["b"] == data["b"].iloc[0]) if kind in ("discrete", "mixed", "discrete experiment") else None
    weights = np.where(first, 1.0, 0.0) if first is not None else np.zeros(N)
    if first is None:
        data["b"] = np.where(np.arange(N) < 20, 1.5, data["b"])
        weights[:20] = 1.0
    score = make(data).with_row_weights(weights)
    found = local_scores(score)
    assert np.isfinite(found).all()
    alone = np.array(
        [score.local("d", ["b"]) - score.local("d", []), score.local("d", ["b", "c"]) - score.local("d", ["c"])]
    )
    assert (alone < 1.0).all()  # a column without variance explains nothing


def test_bad_weights_are_named() -> None:
    score = cz.GaussianBIC(frame("numbers"))
    for weights, words in (
        (np.ones(3), "60 numbers"), (-np.ones(N), "at least 0, not -1"), (np.full(N, np.nan), "not nan"),
        (np.zeros(N), "add up to at least 2"), (["a"] * N, "60 numbers"),
    ):  # fmt: skip
        with pytest.raises(ScoreError, match=words):
            score.with_row_weights(weights)
    with pytest.raises(ScoreError, match="implement its method with_row_weights"):
        cz.Uniform(3).with_row_weights(np.ones(3))
    with pytest.raises(ScoreError, match="no longer has the rows"):
        cz.GaussianBIC.from_covariance(np.eye(2), n_samples=10).with_row_weights(np.ones(10))
