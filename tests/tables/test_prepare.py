"""What reading mends: every remedy, its note, the option that decides otherwise, and what stays an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.transforms import normal_scores

ROWS = 60
RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(2, ROWS))
GROUP = RNG.integers(3, size=ROWS)
WORDS = [f"{word} {i}" for i, word in enumerate(RNG.choice(["came late", "left early", "no remark"], size=ROWS))]


def notes(data: Any, **reading: Any) -> dict[str, tuple[str, ...]]:
    return {note.kind: note.columns for note in read_table(data, **reading).notes}


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("constant", [5] * ROWS),
        ("constant", 1e9 + 1e-7 * (A > 0)),
        ("empty", [None] * ROWS),
        ("identifier", [f"p{i}" for i in range(ROWS)]),
        ("identifier", WORDS),
        ("identifier", range(1, ROWS + 1)),
        ("date", [f"2024-01-{i % 28 + 1:02}" for i in range(ROWS)]),
        ("date", pd.date_range("2024", periods=ROWS)),
        ("unusable", A * 1j),
    ],
)
def test_columns_that_are_left_out(kind: str, cells: Any) -> None:
    data = {"a": A, "x": cells, "b": B}
    table = read_table(data)
    assert table.nodes == ("a", "b")
    (note,) = table.notes
    assert (note.kind, note.columns, note.prepared) == (kind, ("x",), True)
    assert note.option == ("keep=['x']" if kind in ("identifier", "date") else "")
    assert note.flag == ("--keep x" if kind in ("identifier", "date") else "")
    if note.option:
        assert eval(f"read_table(data, {note.option})", {"read_table": read_table, "data": data}).nodes == (
            "a", "x", "b",
        )  # fmt: skip


def test_an_integer_that_differs_in_every_row_is_an_identifier_by_its_name() -> None:
    numbers = RNG.permutation(10_000)[:ROWS]
    for name in ("id", "subjectID", "rownames"):
        assert notes({"a": A, name: numbers, "b": B}) == {"identifier": (name,)}
    repeated = numbers.copy()
    repeated[:3] = repeated[3:6]
    assert notes({"a": A, "user_id": repeated, "b": B}) == {"identifier": ("user_id",)}
    for name in ("humid", "white_cell_number", "case_no", "heart_block", "gene_cluster"):
        assert notes({"a": A, name: numbers, "b": B}) == {}


def test_integers_that_number_rows_are_identifiers_whatever_their_name() -> None:
    seqn = np.cumsum(RNG.integers(1, 4, size=ROWS)) + 31_000
    for numbers in (seqn, RNG.permutation(ROWS) + 100):
        assert notes({"a": A, "x": numbers, "b": B}) == {"identifier": ("x",)}
    assert "seqn" not in read_table({"a": A, "seqn": seqn, "b": B}, kinds="ordinal").nodes
    assert "seqn" in read_table({"a": A, "seqn": seqn, "b": B}, kinds={"seqn": "ordinal"}).nodes


def test_percentages_with_a_decimal_comma_are_numbers() -> None:
    shares = [f"{x:.1f} %".replace(".", ",") for x in RNG.uniform(0, 100, size=ROWS)]
    table = read_table({"a": A, "share": shares, "b": B})
    assert table.kinds["share"] == "continuous"
    assert table.columns[1].numbers[0] == float(shares[0].removesuffix(" %").replace(",", "."))


def test_what_was_computed_is_left_out_rather_than_age() -> None:
    education = RNG.integers(8, 20, size=ROWS)
    age = RNG.integers(25, 65, size=ROWS)
    (note,) = read_table({"education": education, "experience": age - education - 6, "age": age, "a": A}).notes
    assert note.columns == ("experience",)


def test_indicators_of_one_category_and_shares_are_said() -> None:
    level = RNG.integers(0, 3, size=ROWS)
    table = read_table({"a": A, **{f"is_{k}": (level == k).astype(int) for k in range(3)}, "b": B})
    assert any("exactly one of" in note.words for note in table.notes)
    parts = RNG.dirichlet([2, 3, 4], size=ROWS).T * 100
    table = read_table({"a": A, "sand": parts[0], "silt": parts[1], "clay": parts[2]})
    assert any("add up to 100" in note.words for note in table.notes)


@pytest.mark.parametrize(
    ("later", "formula"),
    [
        (2 * A - B, "x = 2 a - b"),
        (3 - A, "x = −a + 3"),
        (0.5 * A + B / 4 + 1e6, "x = 0.5 a + 0.25 b + 1e+06"),
        (1e-9 * A, "x = 1e-09 a"),
    ],
)
def test_combinations_of_columns_are_left_out_with_their_formula(later: Any, formula: str) -> None:
    data = {"a": A, "b": B, "c": RNG.normal(size=ROWS), "x": later}
    (note,) = read_table(data).notes
    assert (note.kind, note.columns) == ("dependent", ("x",))
    assert formula in note.words
    kept = read_table(data, keep="x")
    assert "x" in kept.nodes
    assert len(kept.nodes) == 3
    cz.GaussianBIC(kept)


@pytest.mark.parametrize("function", [np.log, np.sqrt, np.square, np.reciprocal, np.exp])
def test_functions_of_one_column_are_left_out(function: Any) -> None:
    positive = np.exp(A)
    (note,) = read_table({"a": positive, "b": B, "x": 3 * function(positive) + 1}).notes
    assert (note.kind, note.columns) == ("dependent", ("x",))
    assert read_table({"a": positive, "b": B, "x": function(positive) * (1 + 0.01 * B)}).notes == ()


def test_a_rare_level_that_two_columns_share_is_found_although_it_is_absent_in_most_rows() -> None:
    """The indicators of the level are equal, so that a score of blocks would be singular."""
    rare = np.isin(np.arange(3001), [7, 1501, 2903])
    first, second = (np.where(rare, "rare", RNG.choice(["x", "y", "z"], size=3001)) for _ in range(2))
    data = {"first": first, "b": RNG.normal(size=3001), "second": second}
    assert notes(data) == {"dependent": ("second",)}
    cz.MixedBIC(read_table(data))


def test_categories_under_other_names_are_left_out() -> None:
    names = np.array(["x", "y", "z"])
    assert notes({"k": GROUP, "name": names[GROUP], "b": B})["dependent"] == ("name",)
    assert "dependent" not in notes({"k": GROUP, "name": names[(GROUP + (A > 1)) % 3], "b": B})
    coarse = np.array(["u", "v"])[GROUP // 2]
    assert notes({"fine": names[GROUP], "b": B, "coarse": coarse}) == {"dependent": ("coarse",)}
    assert notes({"fine": names[GROUP], "coarse": coarse, "other": names[RNG.integers(3, size=ROWS)]}) == {}
    means = np.array([1.5, 2.5, 7.0])[GROUP]  # a number for each category
    assert notes({"fine": names[GROUP], "b": B, "mean": means})["dependent"] == ("mean",)


def test_text_with_few_rows_per_level_names_units() -> None:
    many = RNG.permutation([f"town {i % 70}" for i in range(240)])
    a, b = RNG.normal(size=(2, 240))
    table = read_table({"town": many, "a": a, "b": b})
    (note,) = table.notes
    assert (table.nodes, note.kind, note.option) == (("a", "b"), "identifier", "keep=['town']")
    assert (note.statistic, note.threshold) == (240 / 70, 5)
    assert "town" in read_table({"town": many, "a": a, "b": b}, keep="town").nodes
    assert "town" in read_table({"town": [f"town {i % 40}" for i in range(240)], "a": a, "b": b}).nodes


def test_text_of_very_many_levels_is_left_out_unless_it_is_asked_for() -> None:
    units = [f"unit {i % 300}" for i in range(6000)]  # 20 rows each, but more pairs of levels than rows
    a, b = np.random.default_rng(4).normal(size=(2, 6000))
    data = {"unit": units, "a": a, "b": b}
    (note,) = read_table(data).notes
    assert note.words == "unit is text with 300 levels, whose pairs are more than the 6,000 rows."
    assert note.option == "keep=['unit']"
    assert note.statistic == pytest.approx(15)
    assert read_table(data, keep="unit").nodes == read_table(data, kinds={"unit": "categorical"}).nodes
    few = [f"unit {i % 200}" for i in range(6000)]
    assert "unit" in read_table(data | {"unit": few}).nodes


def test_units_that_determine_another_column_are_left_out_rather_than_it() -> None:
    units = np.arange(ROWS) // 4
    sex = np.array(["f", "m"])[RNG.integers(2, size=units.max() + 1)][units]
    data = {"unit": [f"u{i}" for i in units], "sex": sex, "b": B}
    (note,) = [note for note in read_table(data).notes if note.kind == "dependent"]
    assert note.columns == ("unit",)
    assert "sex" in note.words


def test_a_column_that_is_present_only_where_another_is_constant_is_no_function() -> None:
    once = [("x", "y")[i % 2] if i < 20 else None for i in range(ROWS)]
    year = np.where(np.arange(ROWS) < 20, "first", "second")
    assert "dependent" not in notes({"once": once, "year": year, "b": B})


def test_dependencies_in_incomplete_tables_are_found_in_complete_rows() -> None:
    holes = np.where(np.arange(ROWS) % 7 == 0, np.nan, A)
    found = notes({"a": holes, "b": B, "c": RNG.normal(size=ROWS), "sum": holes + B})
    assert found["dependent"] == ("sum",)
    assert found["missing"] == ("a",)  # not of the column that is left out


def test_more_columns_than_rows() -> None:
    wide = {f"v{i}": column for i, column in enumerate(RNG.normal(size=(30, 20)))}
    assert notes(wide) == {}
    assert notes({**wide, "twin": 3 * wide["v4"] - 1}) == {"dependent": ("twin",)}


@pytest.mark.parametrize("rows", [5, 6, 10])
def test_equal_columns_of_few_rows(rows: int) -> None:
    levels = np.array([0.0, 1.0] * rows)[:rows]
    data = {"a": levels, "b": A[:rows], "same": 1 - levels, "shifted": 2 * A[:rows] + 1, "other": B[:rows]}
    assert read_table(data).nodes == ("a", "b", "other")


def test_equal_columns_of_the_few_complete_rows() -> None:
    some = np.arange(ROWS) < 6
    a = RNG.integers(2, size=ROWS).astype(float)
    data = {"a": a, "b": np.where(some, a, 1 - a), "c": A, "d": np.where(some, B, np.nan)}
    table = read_table(data, missing="drop")
    assert (table.n_rows, table.nodes) == (6, ("a", "c", "d"))


@pytest.mark.parametrize("mark", ["?", "n.d.", ".", "unknown"])
def test_markers_among_numbers_are_missing_cells(mark: str) -> None:
    for numbers in ([f"{x:.3f}" for x in A], [str(k) for k in GROUP], list(A)):
        column = [mark if i in (3, 17) else cell for i, cell in enumerate(numbers)]
        table = read_table({"x": column, "b": B})
        (note,) = [note for note in table.notes if note.kind == "markers"]
        assert (note.columns, note.statistic) == (("x",), 2 / ROWS)
        assert np.flatnonzero(table.columns[0].missing).tolist() == [3, 17]
        assert table.columns[0].numbers is not None


def test_numbers_in_other_forms() -> None:
    for form in ("{:.3f}", "{:.3f} kg"):
        cells = [form.format(x) for x in A]
        assert read_table({"x": cells, "b": B}).numbers("this")[:, 0].tolist() == [round(float(x), 3) for x in A]
    commas = [f"{x:.3f}".replace(".", ",") for x in A]
    assert notes({"x": commas, "b": B}) == {"numbers as text": ("x",)}
    assert read_table({"x": commas, "b": B}, {"x": "categorical"}).kinds["x"] == "categorical"


def test_kinds_that_are_guessed() -> None:
    grade = pd.Categorical(np.array(["low", "mid", "high"])[GROUP], ["low", "mid", "high"], ordered=True)
    table = read_table({"two": np.where(A > 0, 1.5, 2.5), "grade": pd.Series(grade), "b": B})
    assert table.kinds == {"two": "categorical", "grade": "ordinal", "b": "continuous"}
    assert {note.columns: note.option for note in table.notes} == {
        ("two",): "kinds={'two': 'continuous'}",
        ("grade",): "kinds={'grade': 'categorical'}",
    }
    assert [column.reason for column in table.columns][:2] == ["two values", "ordered categories"]


@pytest.mark.parametrize("score", [cz.GaussianBIC, cz.BGe, cz.MixedBIC, cz.BDeu, cz.DiscreteBIC])
def test_weights_are_repeated_rows(score: Any) -> None:
    counts = RNG.integers(0, 5, size=ROWS)
    discrete = score in (cz.BDeu, cz.DiscreteBIC)
    data = pd.DataFrame({"a": GROUP if discrete else A, "b": (GROUP + (A > 0)) % 3 if discrete else B, "Freq": counts})
    weighted = score(read_table(data, weights="Freq"))
    repeated = score(data.loc[data.index.repeat(counts), ["a", "b"]])
    for y, parents in (("a", []), ("a", ["b"]), ("b", ["a"])):
        assert weighted.local(y, parents) == repeated.local(y, parents)
    assert cz.ges(data, weights="Freq").score == pytest.approx(cz.ges(read_table(data, weights="Freq")).score)


@pytest.mark.parametrize(
    ("counts", "named"), [([1.5] * ROWS, "1.5"), ([-1] * ROWS, "-1"), (["x"] * ROWS, "n"), ([0] * ROWS, "0")]
)
def test_weights_that_are_no_counts(counts: list[Any], named: str) -> None:
    with pytest.raises(cz.DataError, match=f"weights n .*{named}"):
        read_table({"a": A, "b": B, "n": counts}, weights="n")
    with pytest.raises(cz.DataError, match="weights names the column other"):
        read_table({"a": A, "b": B}, weights="other")


def test_transforms() -> None:
    data = {"a": np.exp(A), "b": B, "k": GROUP}
    logs = read_table(data, transform={"a": "log"})
    assert logs.columns[0].numbers == pytest.approx(A)
    assert logs.source.reading == "transform={'a': 'log'}"
    ranked = read_table(data, transform="normal-scores")
    assert ranked.columns[0].numbers == pytest.approx(normal_scores(A))
    assert ranked.kinds["k"] == "categorical"
    posterior = cz.sample(data, transform={"a": "log"}, jumps=100, chains=1, rng=1)
    assert posterior.record is not None
    assert posterior.record.reading == logs.source.reading
    for wrong, named in (({"b": "log"}, "b"), ({"k": "log"}, "k"), ({"z": "log"}, "z"), ({"a": "sin"}, "sin")):
        with pytest.raises(cz.DataError, match=named):
            read_table(data, transform=wrong)  # type: ignore[arg-type]


def test_normal_scores_share_ties_and_keep_holes() -> None:
    scores = normal_scores(np.array([2.0, 1.0, np.nan, 2.0, 3.0]))
    assert np.isnan(scores[2])
    assert scores[0] == scores[3] == pytest.approx(0.0)
    assert scores[1] == -scores[4]


def test_what_has_no_remedy_stays_an_error() -> None:
    for data, about in (
        ({"a": A, "b": np.where(A > 1, np.inf, B)}, "b has"),
        ({"a": A, "b": [1] * ROWS}, "only a can be used"),
        ({"a": A, "b": [f"{i % 30 + 1},{100 + i}" for i in range(ROWS)]}, "b would"),
    ):
        with pytest.raises(cz.DataError, match=about):
            read_table(data)


def test_functions_of_data_warn_of_what_was_left_out() -> None:
    data = {"a": A, "site": ["A"] * ROWS, "b": B}
    for function in (
        lambda: cz.ges(data),
        lambda: cz.sample(data, jumps=10, settings=cz.Settings(warmup=0), chains=1, rng=1),
    ):
        with pytest.warns(cz.DataWarning, match="site is constant") as told:
            function()
        assert [warning.filename for warning in told] == [__file__]
    with pytest.raises(cz.DataError, match="column site is constant"):
        cz.sample(data, strict=True)
    with pytest.raises(cz.SettingsError, match="drop_missing; did you mean missing"):
        cz.ges(data, drop_missing=True)  # type: ignore[call-arg]


def test_scores_refuse_what_is_missing() -> None:
    table = read_table({"a": np.where(A > 1, np.nan, A), "b": B})
    assert not table.complete
    for score in (cz.GaussianBIC, cz.BGe, cz.MixedBIC, cz.BDeu):
        with pytest.raises(cz.DataError) as told:
            score(table)
        assert (told.value.flaw, told.value.about) == ("missing", "a")


@pytest.mark.parametrize("change", [lambda x: 1000 * x, lambda x: x / 1000, lambda x: x + 0.5, lambda x: 1e6 - x])
def test_units_and_shifts_change_nothing(change: Any) -> None:
    columns = {"a": A, "b": A + B, "c": np.exp(B / 2), "d": RNG.integers(0, 40, ROWS), "e": RNG.integers(1, 6, ROWS)}
    found = []
    for data in (columns, {name: change(cells) for name, cells in columns.items()}):
        posterior = cz.sample(data, jumps=500, chains=1, rng=1, progress=False)
        findings = [(one.kind, one.columns) for one in posterior.audit().findings]
        found.append((posterior.score.source_table.kinds, findings, posterior.edge_probabilities().adjacent))
    assert found[0][:2] == found[1][:2]
    assert np.abs(found[0][2] - found[1][2]).max() < 1e-6
