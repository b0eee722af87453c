"""A score that is defined in this file only has all that the built-in ones have."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.answers.held_out import log_predictive
from causal_zigzag.cli import main
from causal_zigzag.scores.discrete import CategoricalRows
from causal_zigzag.scores.registry import registered, score_names
from causal_zigzag.scores.regression import RegressionMoments


class LeastSquares(cz.Score, name="test-least-squares"):
    """The BIC of linear regressions, in plain numpy."""

    def __init__(self, data: Any) -> None:
        table = cz.read_table(data)
        super().__init__(table.nodes)
        columns = table.numbers("LeastSquares")
        self.mean, self.covariance = columns.mean(axis=0), np.cov(columns.T, bias=True)
        self.rows = float(table.n_rows)

    def local(self, node: Hashable, parents: Any) -> float:
        y, p = self.nodes.index(node), [self.nodes.index(v) for v in parents]
        among, to_y = self.covariance[np.ix_(p, p)], self.covariance[p, y]
        residual = self.covariance[y, y] - to_y @ np.linalg.solve(among, to_y)
        return float(-self.rows * np.log(residual) - (1 + len(p)) * np.log(self.rows)) / 2

    def state(self) -> dict[str, Any]:
        return {"mean": self.mean, "covariance": self.covariance, "rows": self.rows}

    @classmethod
    def from_state(cls, nodes: Sequence[Hashable], state: dict[str, Any]) -> LeastSquares:
        self = object.__new__(cls)
        cz.Score.__init__(self, nodes)
        self.mean, self.covariance, self.rows = state["mean"], state["covariance"], state["rows"]
        return self

    def regression_moments(self) -> RegressionMoments:
        deviation = np.sqrt(np.diag(self.covariance))
        matrix = self.covariance / np.outer(deviation, deviation)
        return RegressionMoments(matrix, np.log(deviation), self.rows - 2, -1, self.rows, self.rows, self.mean)


class Counts(cz.Score, name="test-counts"):
    """The values of ``BDeu``, as a score of one's own that cannot be saved."""

    def __init__(self, data: Any) -> None:
        self.inner = cz.BDeu(data)
        super().__init__(self.inner.nodes)

    def local(self, node: Hashable, parents: Any) -> float:
        return self.inner.local(node, parents)

    def categorical_rows(self) -> CategoricalRows:
        return self.inner.categorical_rows()


TABLE = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=300, rng=1)
WORDS = {"a": ["u", "v", "v", "v"] * 30, "b": ["x", "y", "y", "x"] * 30}
RUN: dict[str, Any] = {"jumps": 2000, "chains": 2, "rng": 1}


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    return cz.sample(TABLE, score="test-least-squares", **RUN)


def test_it_has_a_name(posterior: cz.Posterior) -> None:
    assert isinstance(posterior.score, LeastSquares)
    assert score_names()[-2:] == ("test-least-squares", "test-counts")
    built_in = cz.sample(TABLE, score="gaussian-bic", **RUN)
    adjacent = posterior.edge_probabilities().adjacent
    np.testing.assert_allclose(adjacent, built_in.edge_probabilities().adjacent, atol=0.02)


def test_it_has_a_name_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    TABLE.to_csv(path, index=False)
    arguments = ["sample", str(path), "--score", "test-least-squares", "--jumps", "500", "--seed", "1"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert "LeastSquares" in result.output


def test_it_is_saved_and_loaded(posterior: cz.Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "run.czz")
    again = cz.load(tmp_path / "run.czz")
    assert isinstance(again.score, LeastSquares)
    assert again.score.total(cz.CPDAG.empty(TABLE.columns)) == posterior.score.total(cz.CPDAG.empty(TABLE.columns))
    assert again.effects().equals(posterior.effects())
    assert cz.load(tmp_path / "run.czz").merge(cz.sample(LeastSquares(TABLE), **(RUN | {"rng": 2}))).class_count > 1


def test_a_checkpoint_is_resumed(tmp_path: Path) -> None:
    cz.sample(TABLE, score="test-least-squares", **RUN, checkpoint=tmp_path / "run")
    assert cz.resume(tmp_path / "run", jumps=3000, progress=False).statistics[0].jumps == 3000


def test_it_has_effects(posterior: cz.Posterior) -> None:
    assert posterior.effect("rain", "wet").probability_nonzero > 0.9
    own, other = (
        cz.exact_posterior(kind(TABLE), edge_prior=None).effect("rain", "wet")
        for kind in (LeastSquares, cz.GaussianBIC)
    )
    assert own.mean == pytest.approx(other.mean, rel=1e-9)
    assert own.sd == pytest.approx(other.sd, rel=1e-9)


def test_it_has_a_report(posterior: cz.Posterior, tmp_path: Path) -> None:
    posterior.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "LeastSquares(3 nodes)" in page
    assert "score=&#x27;test-least-squares&#x27;" in page
    assert 'id="effect-outcome"' in page


def test_it_predicts_held_out_rows() -> None:
    dags = np.array([[[0, 0, 1], [0, 0, 1], [0, 0, 0]]], dtype=np.uint8)
    own, built_in = LeastSquares(TABLE[:200]), cz.GaussianBIC(TABLE[:200])
    rows = TABLE[200:]
    np.testing.assert_allclose(log_predictive(own, dags, rows), log_predictive(built_in, dags, rows), rtol=1e-9)


def test_a_discrete_one_has_effects_and_predictions() -> None:
    own, built_in = (cz.exact_posterior(kind(WORDS), edge_prior=None) for kind in (Counts, cz.BDeu))
    assert own.effect("a", "b").mean == pytest.approx(built_in.effect("a", "b").mean)
    dag = np.array([[[0, 1], [0, 0]]], dtype=np.uint8)
    rows = {"a": ["u", "v"], "b": ["y", "y"]}
    assert log_predictive(Counts(WORDS), dag, rows) == pytest.approx(log_predictive(cz.BDeu(WORDS), dag, rows))


def test_a_file_without_its_class_names_the_score(posterior: cz.Posterior, tmp_path: Path, monkeypatch: Any) -> None:
    from causal_zigzag.scores import registry

    posterior.save(tmp_path / "run.czz")
    monkeypatch.delitem(registry._classes, "test-least-squares")
    with pytest.raises(cz.FileError, match="test-least-squares"):
        cz.load(tmp_path / "run.czz")


@pytest.mark.parametrize("name", ["bge", "auto", "uniform", "test-counts"])
def test_names_that_are_taken(name: str) -> None:
    with pytest.raises(cz.ScoreError, match=name):
        type("Mine", (cz.Score,), {"local": lambda *_: 0.0}, name=name)
    assert registered(name) is None or registered(name).__name__ != "Mine"  # type: ignore[union-attr]
