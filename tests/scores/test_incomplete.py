"""Scores of tables with missing cells: their completed tables, files, and what they refuse."""

import pickle

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.errors import DataError, FileError, ScoreError
from causal_zigzag.scores.choose import as_score
from causal_zigzag.scores.incomplete import IncompleteBDeu, IncompleteBGe, IncompleteMixedBGe, IncompleteScore
from causal_zigzag.tables.read_table import read_table
from incomplete import seed_words


def frame(rows: int = 60, share: float = 0.2) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    kind = rng.choice(["u", "v", "w"], rows)
    made = pd.DataFrame(
        {
            "size": rng.normal(1e3, 5.0, rows) + 4 * (kind == "u"),
            "kind": kind,
            "loud": rng.choice(["no", "yes"], rows),
            "weight": rng.normal(0.0, 1e-3, rows),
        }
    )
    return made.mask(rng.random(made.shape) < share)


TABLES = {
    IncompleteBGe: frame()[["size", "weight"]],
    IncompleteBDeu: frame()[["kind", "loud"]],
    IncompleteMixedBGe: frame(),
}


@pytest.mark.parametrize(("kind", "data"), TABLES.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_auto_chooses_a_marginal_likelihood(kind: type[IncompleteScore], data: pd.DataFrame) -> None:
    score = as_score(data)
    assert type(score) is kind
    assert "missing" in score.reason
    assert isinstance(score, IncompleteScore)
    assert score.missing.tolist() == data.isna()[~data.isna().all(axis=1)].to_numpy().tolist()


@pytest.mark.parametrize("data", TABLES.values(), ids=[kind.__name__ for kind in TABLES])
def test_the_core_and_the_score_of_given_cells_agree(data: pd.DataFrame) -> None:
    score = as_score(data)
    assert isinstance(score, IncompleteScore)
    table = score.completed_table(seed_words(1))
    parents = [[], [0], [0, 1], [1, 2]][: len(score.nodes)]
    for _ in range(3):
        table.draw(parents)
        made = score.completed(table.cells())
        for y, p in enumerate(parents):
            assert table.score().local(y, p) == pytest.approx(made.local_by_number(y, p), abs=1e-8)
        columns = score.completed_columns(table.cells())
        for name, values in columns.items():
            seen = data.loc[~data.isna().all(axis=1), name]
            assert [*values[seen.notna()]] == pytest.approx([*seen[seen.notna()]])
            if data[name].dtype == object:
                assert {*values} <= {*seen.dropna()}


def test_few_holes_hardly_change_the_score() -> None:
    """The standardization is that of the observed cells, so the score of a completed table is near that of BGe."""
    data = frame(400, 0.0)[["size", "weight"]]
    holes = data.copy()
    holes.iloc[3, 0] = None
    score = as_score(holes)
    assert isinstance(score, IncompleteScore)
    cell = (data.iloc[3, 0] - holes["size"].mean()) / holes["size"].std()
    made, whole = score.completed(np.array([cell])), cz.BGe(data)
    gain = made.local("size", ["weight"]) - made.local("size", [])
    assert gain == pytest.approx(whole.local("size", ["weight"]) - whole.local("size", []), abs=0.02)
    assert made.regression_moments().log_deviation == pytest.approx(whole.regression_moments().log_deviation, abs=0.02)


@pytest.mark.parametrize("data", TABLES.values(), ids=[kind.__name__ for kind in TABLES])
def test_it_survives_pickling_and_files(data: pd.DataFrame) -> None:
    score = as_score(data)
    assert isinstance(score, IncompleteScore)
    cells = score.completed_table(seed_words(1)).cells()
    for copy in (pickle.loads(pickle.dumps(score)), type(score).from_state(score.nodes, score.state())):
        assert copy.completed_table(seed_words(1)).cells().tolist() == cells.tolist()
        assert repr(copy) == repr(score)


def test_a_state_that_is_not_a_table_is_refused() -> None:
    score = as_score(frame())
    state = score.state()
    assert state is not None
    for name, value in (
        ("_holes", state["_holes"][::-1].copy()),
        ("_holes", state["_holes"] + 10_000),
        ("_values", state["_values"][:, :3].copy()),
        ("_values", state["_values"] - 1),
        ("_level_names", state["_level_names"][:2]),
    ):
        with pytest.raises(FileError):
            IncompleteMixedBGe.from_state(score.nodes, {**state, name: value})


def test_values_that_depend_on_the_cells_are_refused() -> None:
    score = as_score(frame())
    for ask in (
        lambda: score.local("size", []),
        lambda: score.row("size", []),
        lambda: score.total(cz.CPDAG.empty(["size", "kind", "loud", "weight"])),
        score.core_score,
        lambda: cz.ges(frame()),
        lambda: cz.exact_posterior(score, edge_prior=None),
    ):
        with pytest.raises(ScoreError, match="missing"):
            ask()


def test_scores_that_are_no_marginal_likelihood_are_refused() -> None:
    for score in ("gaussian-bic", cz.GaussianBIC, "mixed-bic"):
        with pytest.raises(ScoreError, match="complete rows"):
            as_score(TABLES[IncompleteBGe], score)


def test_a_score_that_is_asked_for_by_name_uses_the_columns_as_it_does_without_holes() -> None:
    counts = pd.DataFrame({"a": [0, 1, 2, None] * 20, "b": frame(80)["size"]})
    score = as_score(read_table(counts, kinds={"a": "categorical"}), "bge")
    assert type(score) is IncompleteBGe
    with pytest.raises(DataError) as caught:
        as_score(frame(), "bge")
    assert caught.value.about == "kind"


def test_rows_without_observed_cells_are_left_out() -> None:
    data = frame()[["size", "weight"]]
    data.iloc[7] = None
    score = as_score(data)
    assert isinstance(score, IncompleteScore)
    assert len(score.missing) == data.notna().any(axis=1).sum()
