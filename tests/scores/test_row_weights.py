"""Scores with weights of rows: equal to those of tables in which the rows are repeated, for every score."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz

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
